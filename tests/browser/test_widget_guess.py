"""Guess in JupyterLab: the output below opens when a guess is made."""

from collections.abc import Callable

from playwright.sync_api import Locator, expect

from tests.browser.harness import Visit

MADE = "from course_utils.widgets import Guess\n\nGuess.made.clear()\n"  # the kernel of the tests stays
CELLS = [
    f"{MADE}louder = Guess('00.c', '코사인은 몇 배가 됩니까?', ['1배', '10배', '100배'])\nlouder",
    "louder.answer('1배')\nprint('cos = 0.775')",
    f"{MADE}width = Guess('00.a', '너비는 얼마입니까?')\nwidth",
    "width.answer(64)\nprint('D = 64')",
]


def test_by_mouse_and_by_keyboard(guest: Visit, widget: Locator) -> None:
    louder, width = widget, guest.page.get_by_test_id("guess").nth(1)
    folds = [guest.cell(index).locator(".jp-OutputPlaceholder") for index in (1, 3)]
    for fold, asked in zip(folds, ("몇 배가", "얼마입니까"), strict=True):  # all has run, nobody has guessed
        expect(fold).to_contain_text(asked)
    expect(louder.get_by_test_id("summary")).to_contain_text("먼저 맞혀")
    louder.get_by_test_id("choice-1").click()
    expect(louder.get_by_test_id("summary")).to_contain_text(
        "✗ 다릅니다. 여러분의 답: 10배. 맞는 답: 1배. 길이로"
    )
    expect(louder.locator(".gu-ways button")).to_have_text(["✓ 1배", "✗ 10배", "100배"])
    expect(guest.cell(1)).to_contain_text("cos = 0.775")
    expect(folds[0]).to_have_count(0)
    expect(folds[1]).to_have_count(1)
    louder.get_by_test_id("choice-0").click(force=True)  # too late
    expect(louder.get_by_test_id("error")).to_be_empty()
    expect(louder.get_by_test_id("choice-1")).to_have_attribute("aria-pressed", "true")

    width.get_by_test_id("number").focus()
    guest.page.keyboard.type("육")
    guest.page.keyboard.press("Enter")
    expect(width.get_by_test_id("error")).to_contain_text("수를 하나")
    guest.page.keyboard.press("Backspace")
    guest.page.keyboard.type("64")
    guest.page.keyboard.press("Enter")
    expect(width.get_by_test_id("summary")).to_contain_text("✓ 맞았습니다")
    expect(width.get_by_test_id("error")).to_be_empty()
    expect(width.get_by_test_id("number")).to_be_focused()
    expect(guest.cell(3)).to_contain_text("D = 64")
    expect(folds[1]).to_have_count(0)


def test_run_again(guest: Visit, widget: Locator) -> None:
    """Without a guess the output is shut again; a cell that runs after the guess stays open."""
    fold = guest.cell(1).locator(".jp-OutputPlaceholder")
    fold.locator(".jp-Placeholder-content").click()  # a person opens it
    expect(guest.cell(1)).to_contain_text("cos = 0.775")
    guest.run_cells([1])
    expect(fold).to_have_count(1)
    widget.get_by_test_id("choice-0").click()
    expect(fold).to_have_count(0)
    guest.run_cells([1])
    expect(widget.get_by_test_id("summary")).to_contain_text("✓")
    expect(fold).to_have_count(0)


def test_shift_enter_in_the_card_runs_the_answer(guest: Visit, show: Callable[..., Locator]) -> None:
    show(*CELLS[2:])
    guest.run_cells([0])
    card = guest.cell(0).get_by_test_id("guess")
    card.get_by_test_id("number").focus()
    guest.page.keyboard.type("63")
    guest.page.keyboard.press("Shift+Enter")
    expect(card.get_by_test_id("summary")).to_contain_text("✗")
    expect(guest.cell(1)).to_contain_text("D = 64")
    expect(guest.cell(1).locator(".jp-OutputPlaceholder")).to_have_count(0)
