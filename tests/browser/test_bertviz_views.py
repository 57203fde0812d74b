"""bertviz's three views in JupyterLab: every line is there, the mouse works, and hostile tokens do nothing."""

from __future__ import annotations

import pytest
from playwright.sync_api import FrameLocator, Locator, expect

from tests.browser.harness import Lab, Visit, make_notebook

LAYERS, HEADS, SIZE = 3, 5, 7
TOKENS = ["[CLS]", "나는", "배", "##를", "탔다", "[SEP]", "부엌", "##에서", "배", "##를", "[SEP]"]
COUNT = 11
HOSTILE = [
    "</script><script>parent.__pwned = 1</script>",
    "<img src=x onerror='top.__pwned = 1'>",
    "\"'`&lt;",
    "${alert(1)}",
    "\\u003cb\\",
    "\u202e배",
    "아주" * 2500,
    "\0",
    "\ud800",
    "-->",
    "</svg>",
]
CELL = """
import numpy as np
from course_utils.viz.bertviz_views import head_view, model_view, neuron_view

generator = np.random.default_rng(3)
weights = np.exp(generator.normal(size=(LAYERS, HEADS, len(TOKENS), len(TOKENS))))
weights /= weights.sum(-1, keepdims=True)
queries, keys = generator.normal(size=(2, LAYERS, HEADS, len(TOKENS), SIZE))
display(
    head_view(weights, TOKENS, layer=1, heads=[0, 2]),
    model_view(weights, TOKENS, layers=[0, 2]),
    neuron_view(queries, keys, weights, TOKENS, layer=2, head=4),
)
"""


def start(guest: Visit, lab: Lab, tokens: list[str]) -> list[FrameLocator]:
    """Run the cell; the frames of the head, the model and the neuron view."""
    names = f"LAYERS, HEADS, SIZE, TOKENS = {LAYERS}, {HEADS}, {SIZE}, {tokens!a}"
    guest.open(make_notebook(lab.folder, [names + CELL]))
    guest.run_all()
    frames = guest.page.locator("iframe[title^=bertviz]")
    expect(frames).to_have_count(3)
    return [frames.nth(place).content_frame for place in range(3)]


def counts(frame: FrameLocator) -> dict[str, int]:
    """How many of each kind the picture holds, once it is drawn."""
    expect(frame.locator("#vis svg")).to_have_count(1)
    return {kind: frame.locator(f"#vis {kind}").count() for kind in ("line", "rect", "text", "path")}


def choice(frame: FrameLocator, name: str) -> Locator:
    """A list of choices, as a screen reader finds it."""
    return frame.get_by_role("combobox", name=name, exact=True)


def computed(of: Locator, name: str) -> list[str]:
    """A style of each element, as the browser draws it."""
    return of.evaluate_all("(all, name) => all.map((one) => getComputedStyle(one)[name])", name)


def opacity(of: Locator, name: str = "opacity") -> list[float]:
    return [float(value) for value in computed(of, name)]


def neuron_counts() -> dict[str, int]:
    """Folded: tokens, their boxes, a ⊕ and its box a query, a line a pair. Unfolded: the same without those lines, a
    line a query, three lines, a path and two frames a pair, SIZE + 1 boxes a query vector, a key vector and a product,
    a box a score, and six headings."""
    pairs = COUNT**2
    boxes = 7 * COUNT + 3 * COUNT * (SIZE + 1) + 2 * pairs
    return {"line": 4 * pairs + COUNT, "rect": boxes, "text": 4 * COUNT + 6, "path": 2 * COUNT + pairs}


def head_counts() -> dict[str, int]:
    """A line a head and pair; a box a head and token, a token and a switch."""
    return {"line": HEADS * COUNT**2, "rect": 2 * (HEADS + 1) * COUNT + HEADS, "text": 2 * COUNT, "path": 0}


@pytest.mark.rare
def test_three_views_draw_and_answer_to_the_mouse(guest: Visit, lab: Lab) -> None:
    head, model, neuron = start(guest, lab, TOKENS)
    assert guest.failures() == []
    for frame in guest.page.locator("iframe[title^=bertviz]").all():
        expect(frame).to_have_attribute("sandbox", "allow-scripts")

    assert counts(head) == head_counts()
    expect(head.locator("#left text")).to_have_text(TOKENS)
    expect(choice(head, "층")).to_have_value("1")
    shown = [
        part > 0
        for part in opacity(head.locator("#attention .headAttention line:first-child"), "strokeOpacity")
    ]
    assert shown == [head_number in (0, 2) for head_number in range(HEADS) for _ in range(COUNT)]
    weights = opacity(head.locator("#attention line"), "strokeOpacity")
    assert sum(weights) == pytest.approx(COUNT, abs=0.01)  # two heads' rows, each at half strength
    choice(head, "층").select_option("2")
    assert opacity(head.locator("#attention line"), "strokeOpacity") != weights
    head.locator("#left text").nth(2).hover()
    lit = computed(head.locator("#attention line"), "visibility")
    assert lit.count("visible") == HEADS * COUNT == len(lit) - lit.count("hidden")
    expect(head.locator("#right text")).to_have_text(TOKENS)

    shown_layers = 2
    tiles = shown_layers * HEADS
    grid = {"line": tiles * COUNT**2, "rect": 2 * tiles, "text": 2 + shown_layers + HEADS, "path": 0}
    assert counts(model) == grid
    model.locator("#vis > svg > g").nth(7).locator("> rect").last.click()  # layer 2, head 2
    expect(model.locator("text.detail")).to_have_text("Layer 2, Head 2")
    large = {"line": COUNT**2, "rect": 1 + 2 * COUNT, "text": 1 + 2 * COUNT, "path": 0}
    assert counts(model) == {kind: number + large[kind] for kind, number in grid.items()}
    expect(model.locator("text.token")).to_have_text(TOKENS * 2)

    assert counts(neuron) == neuron_counts()
    expect(choice(neuron, "층")).to_have_value("2")
    expect(choice(neuron, "헤드")).to_have_value("4")
    neuron.locator("#collapsed #leftText text").nth(2).hover()
    looks = opacity(neuron.locator("#collapsed #rightText rect"))
    assert sum(looks) == pytest.approx(1, abs=0.01)
    neuron.locator("#collapsed #leftText rect:not(.highlight)").nth(2).click()
    expect(neuron.locator("#expanded")).to_have_attribute("visibility", "visible")
    score = neuron.locator("#dotproducts rect").nth(5)
    product = neuron.locator("#product .vector").nth(5).locator(".element")
    parts = [float(part) for part in product.evaluate_all("all => all.map((one) => one.dataset.value)")]
    assert float(score.get_attribute("data-value")) == pytest.approx(sum(parts) / SIZE**0.5)
    guest.screenshot("bertviz", of=guest.page.locator(".jp-OutputArea").first)


@pytest.mark.rare
def test_hostile_tokens_are_text_and_dark_theme_leaves_the_frame_white(guest: Visit, lab: Lab) -> None:
    head, model, neuron = start(guest, lab, HOSTILE)
    try:
        guest.use_theme("Dark")
        guest.screenshot("bertviz-dark", of=guest.page.locator(".jp-OutputArea").first)
        assert counts(head) == head_counts() and counts(neuron) == neuron_counts()
        model.locator("#vis > svg > g").nth(0).locator("> rect").last.click()
        for texts in (
            head.locator("#left text"),
            model.locator("text.token").filter(visible=True),
            neuron.locator("#collapsed #leftText text"),
        ):
            drawn = texts.all_text_contents()[:COUNT]
            assert [token[:9] for token in drawn[:2]] == ["</script>", "<img src="]
            assert drawn[2:6] == ["\"'`&lt;", "${alert(1)}", "\\u003cb\\", "⟨202E⟩배"]
            assert drawn[6].startswith("아주아주") and drawn[6].endswith("…") and len(drawn[6]) < 9
            assert drawn[7:] == ["⟨0000⟩", "⟨D800⟩", "-->", "</svg>"]
        for frame in (head, model, neuron):
            own = 5  # data, d3, jQuery, start, view
            assert frame.locator("img, b, script").count() == own
            paper, ink = frame.locator("html").evaluate(
                "page => [getComputedStyle(page).backgroundColor, getComputedStyle(page).color]"
            )
            assert (paper, ink) == ("rgb(255, 255, 255)", "rgb(17, 17, 17)")
        assert guest.page.evaluate("() => window.__pwned === undefined")
    finally:
        guest.use_theme("Light")
