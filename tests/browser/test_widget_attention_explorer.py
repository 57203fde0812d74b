"""AttentionExplorer as a person uses it: in JupyterLab and, saved as one file, with neither kernel nor network."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from course_utils.widgets import AttentionExplorer
from tests.browser.harness import Visit, summary

FIRST, SECOND = "항구 에 배 를 대다 배", "부엌 에서 배 를 깎다"
LAYERS, HEADS = 3, 5
LOOK = f"""
import numpy as np

def look(sentence):
    tokens = ["[CLS]", *sentence.split(), "[SEP]"]
    count = len(tokens)
    weights = np.random.default_rng(count).random(({LAYERS}, {HEADS}, count, count)) ** 5
    weights[0, 0] = np.eye(count)                  # each token looks at itself
    weights[0, 1] = 1                              # at all alike
    weights[0, 3] = np.where(np.eye(count), 65_208, 327 / (count - 1))  # 0.995010: only of 65,535 it is 1.00
    weights[0, 2] = np.roll(np.eye(count), 1, 0)   # the token before
    return tokens, weights / weights.sum(-1, keepdims=True)

def pieces(sentence):
    return [("[UNK]", (0, 2))]                     # what could not be read is told in the page, too

def measures(tokens, weights):
    previous = np.diagonal(weights, -1, 2, 3).mean(-1)
    itself = np.diagonal(weights, 0, 2, 3).mean(-1)
    return {{"previous": previous, "itself": itself, "<b>내 것</b>": -previous.round(1)}}
"""
CELL = f"""
FIRST, SECOND = {FIRST!r}, {SECOND!r}
{LOOK}
import ipywidgets
from course_utils.widgets import AttentionExplorer
widget = AttentionExplorer(FIRST, SECOND, look=look, measures=measures, pieces=pieces)
heard = ipywidgets.Label(widget.summary)  # what the kernel says
widget.observe(lambda change: setattr(heard, "value", change.new), "summary")
ipywidgets.VBox([widget, heard])
"""
# Puts the widget into one state after the other by its controls and reads the sentence that follows at once.
DRIVE = """async (card, states) => {
  const find = (testid) => card.querySelector(`[data-testid="${testid}"]`);
  const set = (input, value, event) => {
    input.value = value;
    input.dispatchEvent(new Event(event));
  };
  const said = [];
  for (const state of states) {
    find(`tile-${state.layer}-${state.head}`).click();
    find(`token-${state.side === "first" ? 0 : 1}-${state.token}`).click();
    set(find("threshold"), state.threshold, "input");
    set(find("sort"), ["", "previous", "itself", "<b>내 것</b>"].indexOf(state.sort), "change");
    await null; // the page follows an input after it has gone out
    said.push(find("summary").textContent);
  }
  return said;
}"""


def made(first: str = FIRST, second: str = SECOND) -> AttentionExplorer:
    functions: dict = {}
    exec(LOOK, functions)
    functions = {name: functions[name] for name in ("look", "measures", "pieces")}
    return AttentionExplorer(first, second, **functions)


def many_states(count: int) -> list[dict]:
    draw = random.Random(5)
    sizes = {"first": 8, "second": 7}
    states = []
    for index in range(count):
        side = draw.choice(["first", "second"])
        states.append(
            {
                "layer": draw.randrange(LAYERS),
                "head": draw.randrange(HEADS),
                "side": side,
                "token": draw.randrange(sizes[side]),
                "threshold": [0, 1, round(draw.random() ** 3, 2)][min(index % 5, 2)],
                "sort": draw.choice(["", "previous", "itself", "<b>내 것</b>"]),
            }
        )
    return states


def said(widget: AttentionExplorer, states: list[dict]) -> list[str]:
    found = []
    for state in states:
        with widget.hold_trait_notifications():
            for name, value in state.items():
                setattr(widget, name, value)
        found.append(widget.summary)
    return found


def lines(card: Locator, side: int, kind: str) -> int:
    """How many lines of the chosen token are drawn: ax-out (where it looks) or ax-in (who looks at it)."""
    card.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => done()))")
    return card.evaluate(
        """(card, [side, kind]) => [...card.querySelectorAll(`[data-testid=lines-${side}] .${kind}`)]
          .map((path) => (path.getAttribute('d') ?? '').split('M').length - 1).reduce((a, b) => a + b, 0)""",
        [side, kind],
    )


# The colour in the small map of a head at (query, key), of `count` tokens.
PIXEL = """(card, [layer, head, query, key, count]) => {
  const canvas = card.querySelector('.ax-all canvas');
  const all = canvas.getBoundingClientRect();
  const map = card.querySelector(`[data-testid=tile-${layer}-${head}] .ax-map`).getBoundingClientRect();
  const x = map.left - all.left + ((key + 0.5) / count) * map.width;
  const y = map.top - all.top + ((query + 0.5) / count) * map.height;
  const finer = canvas.width / all.width;
  return [...canvas.getContext('2d').getImageData(x * finer, y * finer, 1, 1).data].slice(0, 3);
}"""


@pytest.fixture
def saved(browser: Browser, tmp_path: Path) -> Iterator[Page]:
    """A page without a network; write `page.html` into tmp_path and go there. No request but for it, no complaint."""
    context = browser.new_context(
        offline=True, reduced_motion="reduce", viewport={"width": 1280, "height": 900}
    )
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: complaints.append(f"uncaught: {error}"))
    page.on("request", lambda request: complaints.append(request.url))
    yield page
    assert complaints == [(tmp_path / "page.html").as_uri()]
    context.close()


def opened(page: Page, folder: Path, widget: AttentionExplorer) -> Locator:
    page.goto(widget.save_html(folder / "page.html").as_uri())
    return page.get_by_test_id("attention_explorer")


# --- In the notebook


def test_by_mouse(guest: Visit, widget: Locator) -> None:
    expect(summary(widget)).to_contain_text("층 0 헤드 0. 문장 1: '[CLS]' 토큰이 보는 곳은 '[CLS]' 1.00")
    widget.get_by_test_id("tile-0-2").click()
    widget.get_by_test_id("token-0-3").hover()
    expect(summary(widget)).to_contain_text("층 0 헤드 2. 문장 1: '배' 토큰이 보는 곳은 '에' 1.00")
    # 배 in the kitchen is chosen with the first 배 in the harbour, and with the second.
    for place in (3, 6):
        widget.get_by_test_id(f"key-0-{place}").hover()
        expect(widget.get_by_test_id(f"token-0-{place}")).to_have_attribute("aria-pressed", "true")
        expect(widget.get_by_test_id("token-1-3")).to_have_attribute("aria-pressed", "true")
    expect(widget.get_by_test_id("ax-looks-1").locator("li").first).to_have_text("에서1.00")
    expect(widget.get_by_test_id("ax-looked-at-1").locator("li").first).to_have_text("를1.00")
    widget.get_by_test_id("token-1-1").hover()
    expect(summary(widget)).to_contain_text("문장 1: '부엌' 토큰이 없습니다.")
    expect(widget.get_by_test_id("ax-looks-0")).to_be_hidden()
    widget.get_by_test_id("view-matrix").click()
    square = widget.get_by_test_id("side-1").locator(".ax-square")
    box = square.bounding_box()
    square.hover(position={"x": box["width"] * 4.5 / 7, "y": box["height"] * 5.5 / 7})
    expect(widget.get_by_test_id("token-1-5")).to_have_attribute("aria-pressed", "true")
    expect(widget.get_by_test_id("side-1").locator(".ax-readout")).to_have_text("'깎다' → '를' 1.00")
    widget.get_by_test_id("sort").select_option(label="자기 자신")
    expect(widget.get_by_test_id("tile-0-0")).to_have_accessible_name("0·0 1.00, 층 0 헤드 0, 자기 자신 1위")
    first = widget.locator(".ax-tile").first
    expect(first).to_have_attribute("data-testid", "tile-0-0")


def test_by_keyboard(guest: Visit, widget: Locator) -> None:
    press = guest.page.keyboard.press
    widget.get_by_test_id("tile-0-0").focus()
    for key, tile in map(
        str.split, ["ArrowRight 0-1", "ArrowDown 1-1", "End 2-4", "ArrowRight 2-4", "ArrowUp 1-4"]
    ):
        press(key)
        expect(widget.get_by_test_id(f"tile-{tile}")).to_be_focused()
    press("Home")
    press("ArrowRight")
    press("ArrowRight")
    press("Tab")
    press("Tab")
    for _ in range(3):
        press("ArrowDown")
    expect(widget.get_by_test_id("token-0-3")).to_be_focused()
    expect(summary(widget)).to_contain_text("층 0 헤드 2. 문장 1: '배' 토큰이 보는 곳은 '에' 1.00")
    press("Tab")
    expect(widget.get_by_test_id("token-1-3")).to_be_focused()
    press("End")
    expect(summary(widget)).to_contain_text("문장 2: '[SEP]' 토큰이 보는 곳은 '깎다' 1.00")
    widget.get_by_test_id("view-lines").focus()
    press("ArrowRight")
    expect(widget.get_by_test_id("view-matrix")).to_be_focused()
    expect(widget.locator(".ax-square").first).to_be_visible()
    press("ArrowRight")
    expect(widget.get_by_test_id("ax-looks-0")).to_be_visible()
    press("End")
    press("Tab")
    expect(widget.get_by_role("region", name="표")).to_be_focused()
    row = widget.get_by_test_id("table-1").get_by_role("row").filter(has_text="깎다")
    expect(row.get_by_role("cell")).to_have_text(["1.00", "0.00"])
    widget.get_by_test_id("sort").focus()
    press("ArrowDown")
    expect(summary(widget)).to_contain_text("바로 앞 토큰 1.00, 헤드 15개 가운데 1위.")
    widget.get_by_test_id("tile-0-2").focus()
    press("ArrowRight")
    second = made().picture["measures"][0]["order"][1]
    expect(widget.get_by_test_id(f"tile-{second // HEADS}-{second % HEADS}")).to_be_focused()


def test_keys_need_not_wait_for_the_next_frame(guest: Visit, widget: Locator) -> None:
    widget.get_by_test_id("tile-0-0").focus()
    guest.page.keyboard.press("End")
    expect(widget.get_by_test_id("tile-2-4")).to_have_attribute("tabindex", "0")
    guest.page.evaluate(
        "() => (window.atOnce = [window.requestAnimationFrame, window.requestAnimationFrame = () => 1])"
    )
    try:
        for key in ("Home", "Tab"):
            guest.page.keyboard.press(key)
        expect(widget.get_by_test_id("view-lines")).to_be_focused()
    finally:
        guest.page.evaluate("() => void (window.requestAnimationFrame = window.atOnce[0])")


def test_browser_and_kernel_say_the_same(guest: Visit, widget: Locator) -> None:
    states = many_states(40)
    expected = said(made(), states)
    assert len(set(expected)) > 35
    assert widget.evaluate(DRIVE, states) == expected
    expect(guest.page.locator(".widget-label").last).to_have_text(expected[-1])
    expect(summary(widget)).to_have_text(expected[-1])
    assert not guest.failures()


def test_lines_and_cells_below_the_threshold_are_not_drawn(widget: Locator) -> None:
    steps = np.frombuffer(made().first_weights, "<u2").reshape(LAYERS, HEADS, 8, 8)[1, 2]
    for threshold in (0, 0.01, 0.2, 1):
        state = {"layer": 1, "head": 2, "side": "first", "token": 3, "threshold": threshold, "sort": ""}
        widget.evaluate(DRIVE, [state])
        least = max(1, np.floor(threshold * 65_535 + 0.5))
        assert lines(widget, 0, "ax-out") == (steps[3] >= least).sum()
        assert lines(widget, 0, "ax-in") == (steps[:, 3] >= least).sum()
        drawn = (
            widget.get_by_test_id("side-0")
            .locator(".ax-square canvas")
            .evaluate(
                "(canvas) => [...canvas.getContext('2d').getImageData(0, 0, 8, 8).data].filter((_, i) => i % 4 === 3)"
            )
        )
        assert (np.array(drawn).reshape(8, 8) == 255).tolist() == (
            steps >= np.floor(threshold * 65_535 + 0.5)
        ).tolist()


# --- As one file


@pytest.mark.each_time
def test_a_saved_page_behaves_as_in_the_notebook(saved: Page, tmp_path: Path) -> None:
    widget = made()
    widget.layer, widget.head, widget.token, widget.sort = 1, 3, 2, "previous"
    card = opened(saved, tmp_path, widget)
    expect(summary(card)).to_have_text(widget.summary)
    expect(card.get_by_test_id("tile-1-3")).to_have_attribute("aria-pressed", "true")
    expect(card.get_by_test_id("token-0-2")).to_have_attribute("aria-pressed", "true")
    states = many_states(40)
    assert card.evaluate(DRIVE, states) == said(widget, states)
    assert card.get_by_role("textbox").count() == 0
    expect(card.get_by_test_id("first")).to_have_text(FIRST)
    expect(card.get_by_test_id("second")).to_have_text(SECOND)


def test_hostile_tokens_on_a_saved_page(saved: Page, tmp_path: Path) -> None:
    hostile = [
        "</script><script>window.__pwned=1</script>",
        "<!--<script>",
        "<img/src=x/onerror=window.__pwned=1>",
    ]
    card = opened(
        saved,
        tmp_path,
        made(" ".join([*hostile, "$&${x}{token}", "a\x00b", "\u2028", "가" * 5000]), " ".join(hostile)),
    )
    for side in (0, 1):
        for place, token in enumerate(hostile, start=1):
            expect(card.get_by_test_id(f"token-{side}-{place}")).to_have_text(token)
    card.get_by_test_id("token-0-4").focus()
    expect(summary(card)).to_contain_text("'$&${x}{token}' 토큰이 보는 곳은 '$&${x}{token}' 1.00")
    assert saved.evaluate("() => window.__pwned === undefined")
    assert saved.locator("img, body script").count() == 2  # the page's own two scripts


_SMALL_AND_OUTSIDE = """card => {
  const frame = card.getBoundingClientRect();
  const shown = [...card.querySelectorAll('*')].filter((node) => node.checkVisibility() &&
    [...node.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim()));
  const small = shown.filter((node) => parseFloat(getComputedStyle(node).fontSize) < 14);
  const outside = shown.filter((node) => node.getBoundingClientRect().right > frame.right + 1);
  return [small, outside].map((nodes) => nodes.map((node) => node.textContent));
}"""


@pytest.mark.rare
@pytest.mark.parametrize(("width", "scheme"), [(850, "light"), (320, "dark"), (1280, "dark")])
def test_nothing_is_cut_off_in_any_theme(browser: Browser, tmp_path: Path, width: int, scheme: str) -> None:
    widget = made(" ".join(f"토큰{i}" for i in range(20)) + " " + "긴" * 300)
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    card = opened(page, tmp_path, widget)
    for view in ("lines", "matrix", "lists", "table"):
        card.get_by_test_id(f"view-{view}").click()
        assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
        small, outside = card.evaluate(_SMALL_AND_OUTSIDE)
        assert small == [] and outside == []
    expect(card.get_by_test_id("table-0")).to_be_visible()
    paper = card.evaluate("card => getComputedStyle(card).backgroundColor")
    assert paper == {"light": "rgb(255, 255, 255)", "dark": "rgb(22, 24, 28)"}[scheme]
    query = card.evaluate("card => getComputedStyle(card).getPropertyValue('--course-query')")
    assert query == {"light": "#0072b2", "dark": "#56b4e9"}[scheme]
    page.close()


def test_the_small_maps_show_the_weights_of_their_heads_in_every_order(guest: Visit, widget: Locator) -> None:
    dark, white, count = [8, 48, 107], [255, 255, 255], 8
    for order in ("", "previous"):  # by its previous token head 2 of layer 0 comes first, head 0 last
        widget.get_by_test_id("sort").select_option(index=["", "previous"].index(order))
        widget.page.evaluate(
            "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
        )
        for token in range(1, count):
            assert widget.evaluate(PIXEL, [0, 0, token, token, count]) == dark
            assert widget.evaluate(PIXEL, [0, 2, token, token, count]) == white
            assert widget.evaluate(PIXEL, [0, 2, token, token - 1, count]) == dark
            assert widget.evaluate(PIXEL, [0, 0, token, token - 1, count]) == white
