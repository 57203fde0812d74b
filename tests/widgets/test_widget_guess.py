"""Guess without a browser: where a question stands, what counts as right, and what is remembered."""

from pathlib import Path

import pytest
import torch

from course_utils.progress import ProgressStore
from course_utils.widgets import BadInput, Guess

CHOICES = ["열 배가 됩니다", "그대로입니다", "백 배가 됩니다"]


@pytest.fixture(autouse=True)
def another_learner(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("COURSE_DATA_HOME", str(tmp_path))
    monkeypatch.setattr(Guess, "made", {})


def state(widget: Guess) -> str:
    return widget.picture["state"]


def kept() -> dict[str, str]:
    return {question: entry["status"] for question, entry in ProgressStore().load()[0].items()}


def test_guess_then_answer(capsys: pytest.CaptureFixture[str]) -> None:
    widget = Guess("00.c", "코사인은?", CHOICES)
    assert state(widget) == "asked"
    widget.guess = CHOICES[0]
    widget.guess = CHOICES[1]  # nothing is known yet
    assert state(widget) == "guessed" and widget.picture["right"] == "" and kept() == {}
    widget.answer("그대로입니다")
    assert capsys.readouterr().out == "답: 코사인은?\n"
    assert state(widget) == "right" and "✓" in widget.summary and "길이로 나누기" in widget.summary
    assert kept() == {"00.c": "passed"}


def test_answer_then_guess() -> None:
    widget = Guess("00.c", "코사인은?", CHOICES)
    widget.answer("그대로입니다")
    assert (state(widget), widget.picture["right"], widget.picture["runs"]) == ("answered", "", 1)
    widget.answer("그대로입니다")  # the cell runs again: its output is to be shut again
    assert widget.picture["runs"] == 2 and "그대로" not in widget.summary and kept() == {}
    widget.set_state({"guess": CHOICES[2]})
    assert state(widget) == "wrong" and widget.picture["right"] == "그대로입니다"
    assert "백 배가 됩니다" in widget.summary and "✗" in widget.summary
    with pytest.raises(BadInput, match="바꿀 수 없습니다"):
        widget.guess = CHOICES[1]
    assert state(widget) == "wrong" and kept() == {"00.c": "failed"}


@pytest.mark.parametrize(
    ("guess", "right"),
    [("0.35", True), ("0.42", True), (".32", True), ("0.43", False), ("−0.37", False)],
)
def test_a_number_with_a_tolerance(guess: str, right: bool) -> None:
    widget = Guess("00.b", "몇입니까?", tolerance=0.05)
    widget.guess = guess
    widget.answer(torch.tensor(0.37))
    assert state(widget) == ("right" if right else "wrong") and widget.picture["right"] == "0.37"


def test_a_number_exactly() -> None:
    widget = Guess("00.b", "몇입니까?")
    for bad in ("육십사", "nan", "1e999", "64, 65"):
        with pytest.raises(BadInput, match="수를 하나"):
            widget.guess = bad
    widget.answer(30522)
    widget.guess = "30522.0"
    assert state(widget) == "right" and widget.picture["right"] == "30,522"


def test_a_cell_that_runs_again_still_knows_the_guess_and_the_first_one_counts() -> None:
    first = Guess("00.c", "코사인은?", CHOICES)
    first.answer(CHOICES[1])
    first.guess = CHOICES[0]
    again = Guess("00.c", "코사인은?", CHOICES)
    assert state(again) == "guessed" and again.guess == CHOICES[0]
    again.guess = CHOICES[1]
    again.answer(CHOICES[1])
    assert state(again) == "right" and kept() == {"00.c": "failed"}
    assert Guess("00.c", "몇 배입니까?").guess == ""  # another question by now


def test_what_cannot_be_asked_or_answered() -> None:
    for id, choices in (
        ("00.1", CHOICES),
        ("a", CHOICES),
        ("00.c", CHOICES[:1]),
        ("00.c", [*CHOICES, *CHOICES]),
    ):
        with pytest.raises(BadInput, match="둘에서 넷"):
            Guess(id, "코사인은?", choices)
    with pytest.raises(BadInput, match="보기 가운데 하나"):
        Guess("00.c", "코사인은?", CHOICES).answer("같습니다")


def test_without_a_browser_question_and_choices_stand_as_text() -> None:
    assert repr(Guess("00.c", "코사인은?", CHOICES)).splitlines()[1:] == [
        "코사인은?",
        *(f"  ○ {c}" for c in CHOICES),
    ]
