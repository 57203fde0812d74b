"""A verdict in JupyterLab: its colour in both themes, and by keyboard alone hints, solution and progress."""

from playwright.sync_api import Locator, expect

from tests.browser.harness import Visit

CELLS = [
    "from course_utils.exercises import exercise\n\ndef f(query, key):\n    ...\n\nexercise('02.1').check(f)",
    "def g(query, key):\n    return query @ kye.T\n\nexercise('02.1').check(g)",
    "exercise('02.1').check(lambda query, key: query @ key.T / query.shape[-1] ** 0.5)",
]


def test_verdicts_and_what_opens_below_them(guest: Visit, widget: Locator) -> None:
    cards = [guest.cell(index).get_by_test_id("exercise_card") for index in range(3)]
    said = [card.get_by_test_id("summary") for card in cards]
    for line, sign in zip(said, "○✗✓", strict=True):
        expect(line).to_contain_text(f"{sign} 02.1")
    expect(said[1]).to_contain_text("(2번째 줄: return query @ kye.T)")
    for theme in ("Light", "Dark"):
        guest.use_theme(theme)
        assert len({line.evaluate("(node) => getComputedStyle(node).backgroundColor") for line in said}) == 3
        guest.screenshot(f"verdicts-{theme}")

    card, opened = cards[0], cards[0].get_by_test_id("opened")
    card.get_by_test_id("hint").focus()
    for key, told in (
        ("Enter", "힌트 1/"),
        ("Enter", "힌트 2/"),
        ("Tab", ""),
        (" ", "def similarity_scores"),
    ):
        guest.page.keyboard.press(key)
        expect(opened).to_contain_text(told)
    guest.page.keyboard.press(" ")
    expect(opened).to_be_hidden()
    guest.page.keyboard.press("Tab")
    guest.page.keyboard.press("Enter")
    expect(opened).to_contain_text("02  ●○○  1/3")  # the third cell's
    expect(card.get_by_test_id("progress")).to_have_text("진도 ●○○  1/3")
