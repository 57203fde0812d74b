"""One standard for every widget of the course, at its largest input.

No barriers (axe-core) · every control reached by Tab, the focus seen · its keys do something · nothing cut off in
lecture mode, which enlarges all text (each time one widget, weekly all). Once a week, too: nothing cut off at 200 %
zoom · the same look beside other widgets · no barriers in the dark theme.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Locator, expect

from course_utils import widgets
from course_utils.widgets.base import FOLDER
from tests.browser.harness import VIEWPORT, Lab, Visit, make_notebook
from tests.browser.largest import largest

LARGER = 1.4  # lecture mode: a line of text grows by at least this factor, or to
ENLARGED = "scaled_attention"  # each time, the others once a week
COLOURS = ("color-contrast", "link-in-text-block")  # axe's rules on what a theme changes
LARGE = 20  # pixels, where a picture has become narrower


@pytest.mark.axe
@pytest.mark.parametrize("name", widgets.NAMES)
def test_standard(guest: Visit, lab: Lab, name: str) -> None:
    card = at_its_largest(guest, lab, name)
    expect(card.get_by_test_id("summary")).not_to_be_empty()
    found = [
        *(f"light: {barrier}" for barrier in guest.barriers(card)),
        *(f"keyboard: {fault}" for fault in passed_by_tab(guest, card)),
        *(f"keyboard: {fault}" for fault in moved_by_keys(guest, card, name)),
    ]
    if name == ENLARGED:
        found += [f"lecture: {fault}" for fault in in_lecture_mode(guest, card, name)]
    assert found == []


@pytest.mark.axe
@pytest.mark.rare
@pytest.mark.parametrize("name", widgets.NAMES)
def test_standard_in_other_sizes_and_themes(guest: Visit, lab: Lab, name: str) -> None:
    card = at_its_largest(guest, lab, name)
    guest.screenshot(f"standard-{name}", of=card)
    found = [
        *(f"lecture: {fault}" for fault in in_lecture_mode(guest, card, name)),
        *(f"200 %: {fault}" for fault in at_double_zoom(guest, card, name)),
        *(f"beside another widget: {fault}" for fault in beside_another(guest, card)),
    ]
    with lecture_mode(guest, card):
        found += [f"lecture, beside another widget: {fault}" for fault in beside_another(guest, card)]
    guest.use_theme("Dark")
    found += [f"dark: {barrier}" for barrier in guest.barriers(card, only=COLOURS)]
    guest.screenshot(f"standard-{name}-dark", of=card)
    assert found == []


def at_its_largest(guest: Visit, lab: Lab, name: str) -> Locator:
    """The widget's card, alone in a notebook, with the largest input it takes."""
    guest.open(make_notebook(lab.folder, [largest(name).code]))
    guest.run_all()
    assert guest.failures() == []
    return guest.widget(name)


def passed_by_tab(guest: Visit, card: Locator) -> list[str]:
    """What Tab does not reach, or reaches without a sign that it is there."""
    expected = card.evaluate(_TAB_STOPS)
    card.get_by_test_id("lecture").focus()
    for key in ("Tab", "Shift+Tab"):  # a focus that came by key is shown, whatever the mouse did before
        guest.page.keyboard.press(key)
    faults, seen = [], []
    for _ in range(len(expected)):
        key, ring = card.evaluate(_FOCUS)
        if key is None:
            break
        seen.append(key)
        if not ring:
            faults.append(f"{key} has the focus and does not show it")
        guest.page.keyboard.press("Tab")
    return faults + [f"Tab does not reach {key}" for key in expected if key not in seen]


def moved_by_keys(guest: Visit, card: Locator, name: str) -> list[str]:
    """Keys that change nothing; all are pressed without the mouse."""
    faults = []
    for testid, key in largest(name).moves:
        before = card.evaluate(_LOOKS)
        card.get_by_test_id(testid).first.focus()
        if len(key) == 1:  # a letter: Tab has chosen all of the text, which it would take the place of
            guest.page.keyboard.press("End")
        guest.page.keyboard.press(key)
        try:
            guest.page.wait_for_function(
                f"(before) => ({_LOOKS})(document.querySelector('[data-testid={name}]')) !== before",
                arg=before,
                timeout=30_000,
                polling=50,  # not at every frame: to ask is to write the whole picture down
            )
        except Exception:
            faults.append(f"{key} on {testid} changes nothing")
    return faults


def at_double_zoom(guest: Visit, card: Locator, name: str) -> list[str]:
    """What is cut off when the browser shows everything at twice its size and the list of files is put away."""
    guest.show_files(False)
    guest.page.set_viewport_size({side: pixels // 2 for side, pixels in VIEWPORT.items()})
    guest.settle()
    faults = card.evaluate(_OVERFLOW)
    guest.screenshot(f"standard-{name}-zoom", of=card)
    guest.page.set_viewport_size(VIEWPORT)
    guest.show_files(True)
    return faults


def in_lecture_mode(guest: Visit, card: Locator, name: str) -> list[str]:
    """The button enlarges all text and cuts nothing off."""
    guest.settle()
    before = card.evaluate(_TEXT_SIZES)
    with lecture_mode(guest, card):
        faults = card.evaluate(_OVERFLOW)
        after = card.evaluate(_TEXT_SIZES)
        guest.screenshot(f"standard-{name}-lecture", of=card)
    small = [
        f"{text!r}: {size:.1f} px after {before[text]:.1f} px"
        for text, size in after.items()
        if text in before and size < min(LARGE, LARGER * before[text])
    ]
    return faults + small


@contextmanager
def lecture_mode(guest: Visit, card: Locator) -> Iterator[None]:
    """The button is pressed by key, and pressed again."""
    switch = card.get_by_test_id("lecture")
    switch.focus()
    guest.page.keyboard.press("Enter")
    expect(switch).to_have_attribute("aria-pressed", "true")
    guest.settle()
    yield
    guest.page.keyboard.press("Enter")
    expect(switch).to_have_attribute("aria-pressed", "false")


def beside_another(guest: Visit, card: Locator) -> list[str]:
    """What changes its look when another widget of the page brings common.css once more, below this one's rules."""
    guest.settle()
    before = card.evaluate(_PARTS)
    style = guest.page.add_style_tag(content=(FOLDER / "common.css").read_text("utf-8"))
    guest.settle()
    after = card.evaluate(_PARTS)
    style.evaluate("(node) => node.remove()")
    return [f"{old} became {new}" for old, new in zip(before, after, strict=True) if old != new][:5]


_PARTS = """(card) => [card, ...card.querySelectorAll('*')].map((node) => {
  const { width, height } = node.getBoundingClientRect();
  const { color, backgroundColor, fontSize, padding, margin } = getComputedStyle(node);
  const name = `${node.tagName}.${node.className.baseVal ?? node.className}`;
  return [name, Math.round(width), Math.round(height), color, backgroundColor, fontSize, padding, margin].join(' ');
})"""

_SEEN = """
  const seen = (node) =>
    node.checkVisibility({ visibilityProperty: true }) && node.getBoundingClientRect().width > 0;
  const key = (node) =>
    node.dataset.testid ?? node.getAttribute('aria-label') ?? node.textContent.trim().slice(0, 40);
"""

_TAB_STOPS = f"""(card) => {{ {_SEEN}
  return [...card.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex]')]
    .filter((node) => node.tabIndex >= 0 && !node.disabled && seen(node)).map(key); }}"""

# The ring is an outline, or for handles in a drawing a halo.
_FOCUS = f"""(card) => {{ {_SEEN}
  const node = document.activeElement;
  if (!card.contains(node)) return [null, false];
  const style = getComputedStyle(node);
  const outline = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2;
  const halo = [...node.querySelectorAll('*')].some((part) => {{
    const {{ stroke, strokeWidth }} = getComputedStyle(part);
    return stroke !== 'none' && parseFloat(strokeWidth) >= 2; }});
  return [key(node), outline || halo]; }}"""

_LOOKS = """(card) => card.querySelector('[data-testid=summary]').textContent +
  card.querySelector('.course-stage').innerHTML"""

# Text that ends outside its card, unless one can scroll to it.
_OVERFLOW = """(card) => {
  const edge = card.getBoundingClientRect();
  const faults = [];
  if (card.scrollWidth > card.clientWidth + 1) faults.push(`${card.scrollWidth} px wide in ${card.clientWidth} px`);
  const scrolls = (node) => {
    for (let box = node; box && box !== card; box = box.parentElement) {
      const over = getComputedStyle(box).overflowX;
      if (['auto', 'scroll'].includes(over) && box.scrollWidth > box.clientWidth) return true;
    }
    return false;
  };
  for (const node of card.querySelectorAll('*')) {
    const own = [...node.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim());
    if (!own || !node.checkVisibility({ visibilityProperty: true })) continue;
    const box = node.getBoundingClientRect();
    if (box.width && (box.right > edge.right + 1 || box.left < edge.left - 1) && !scrolls(node)) {
      faults.push(`outside the card: ${node.textContent.trim().slice(0, 40)}`);
    }
  }
  return faults.slice(0, 5);
}"""

# The height of a line of each text.
_TEXT_SIZES = """(card) => {
  const sizes = {};
  for (const node of card.querySelectorAll('*')) {
    const texts = [...node.childNodes].filter((child) => child.nodeType === 3);
    const text = texts.map((child) => child.textContent.trim()).join('');
    if (!text || !node.checkVisibility({ visibilityProperty: true })) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const line = range.getClientRects()[0]?.height;
    if (line) sizes[text] = Math.max(sizes[text] ?? 0, line);
  }
  return sizes;
}"""
