"""How quickly a widget answers: from a key press to the picture, in JupyterLab, at its largest documented input.

A key goes down; the widget, and usually its kernel, work; the page changes, perhaps several times. The measurement
ends with the frame that shows the last of these changes; it does not wait for what the widget announces as still to
come (aria-busy).
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import Locator

from course_utils import widgets
from tests.browser.harness import Visit, make_notebook, running_chromium, running_lab, visit
from tests.browser.largest import largest

EVENTS = 40  # keys for each widget
QUIET = 300  # ms without a change: the widget has finished
# The peer: the least that a widget with Python behind it can do. No widget here can be faster.
PEER = "ipywidgets: a slider's value, told by Python"
PEER_CODE = """
import ipywidgets

slider, told = ipywidgets.IntSlider(50), ipywidgets.Label()
slider.observe(lambda change: setattr(told, "value", f"{change.new} of 100"), "value")
ipywidgets.VBox([slider, told])
"""


def rows() -> list[dict[str, Any]]:
    """Measure; a row for the peer, then one for each widget.

    Returns:
        Rows with the keys what, milliseconds (one number a key that changed something).
    """
    codes = {PEER: PEER_CODE} | {name: largest(name).code for name in widgets.NAMES}
    table = []
    with (
        tempfile.TemporaryDirectory() as folder,
        running_lab(Path(folder) / "lab") as lab,
        running_chromium() as browser,
        visit(browser, lab) as guest,
    ):
        for name, code in codes.items():
            guest.open(make_notebook(lab.folder, [code.strip()]))
            guest.run_all()
            if problems := guest.failures() + guest.complaints():
                raise RuntimeError(f"{name}: {problems}")
            table.append({"what": name, "milliseconds": answers(guest, *moves(guest, name), EVENTS)})
    return table


def moves(guest: Visit, name: str) -> tuple[Locator, list[tuple[Locator, str]]]:
    """The card of a widget of the course, or of the peer, and its moves: (control, key)."""
    if name == PEER:
        card = guest.page.locator(".widget-vbox")
        return card, [(card.get_by_role("slider"), key) for key in ("ArrowRight", "ArrowLeft")]
    card = guest.widget(name)
    return card, [(card.get_by_test_id(testid).first, key) for testid, key in largest(name).moves]


def answers(guest: Visit, card: Locator, moves: Iterable[tuple[Locator, str]], events: int) -> list[float]:
    """Milliseconds from key to picture, for as many keys; keys that change nothing are left out."""
    card.evaluate(_WATCH)
    found = []
    for control, key in islice(cycle(moves), events):
        if not control.evaluate("node => node === document.activeElement"):
            control.focus()
            guest.page.wait_for_function(_SETTLED, arg=QUIET, polling=100)
        guest.page.evaluate("() => { window.courseWatch.from = 0; window.courseWatch.changed = 0; }")
        guest.page.keyboard.press(key)
        guest.page.wait_for_function(_SETTLED, arg=QUIET, polling=100)
        took = guest.page.evaluate(_TOOK)
        if took >= 0:
            found.append(took)
    return found


def summary(milliseconds: list[float]) -> tuple[float, float]:
    """(median, 95th percentile)."""
    return float(np.median(milliseconds)), float(np.percentile(milliseconds, 95))


# from: when the key went down. changed: the last change of the page since. shown: the end of the frame that showed it.
# What a frame's own callbacks change appears in that same frame; everything else in the next.
_WATCH = """(card) => {
  const watch = { from: 0, changed: 0, shown: 0, busy: 0, working: false };
  window.courseWatch = watch;
  card.addEventListener("keydown", (event) => (watch.from = event.timeStamp), true);
  const nextFrame = window.requestAnimationFrame.bind(window);
  let inFrame = false;
  window.requestAnimationFrame = (draw) => nextFrame((now) => {
    inFrame = true;
    queueMicrotask(() => queueMicrotask(() => (inFrame = false))); // after the observer below has been told
    draw(now);
  });
  new MutationObserver(() => {
    const before = watch.working;
    watch.working = Boolean(card.querySelector("[aria-busy=true]"));
    if (before && !watch.working) return;
    const changed = (watch.changed = performance.now());
    const { port1, port2 } = new MessageChannel(); // its message comes when the frame is painted
    port1.onmessage = () => { if (watch.changed === changed) watch.shown = performance.now(); };
    if (inFrame) port2.postMessage(0);
    else nextFrame(() => port2.postMessage(0));
  }).observe(card, { subtree: true, childList: true, attributes: true, characterData: true });
}"""
_TOOK = """() => {
  const { from, changed, shown } = window.courseWatch;
  return changed ? shown - from : -1;
}"""
# A kernel may work for longer than that without a change.
_SETTLED = """(quiet) => {
  const { session } = window.jupyterapp.shell.currentWidget.sessionContext;
  const watch = window.courseWatch;
  if (session.kernel.status !== "idle") watch.busy = performance.now();
  const { from, changed, shown, busy, working } = watch;
  return !working && performance.now() - Math.max(from, changed, busy) > quiet && (!changed || shown >= changed);
}"""
