"""Guess with the most choices there may be, and keys that move it, for the tests and the benchmark."""

from course_utils.widgets import Guess

# data-testid of a control, key; each changes the picture.
MOVES = (
    ("choice-0", "Enter"),
    ("choice-3", " "),
)


def largest() -> Guess:
    choices = [f"아주 긴 보기의 {number}번째 글이고, 두 줄에 걸칠 만큼 길게 이어집니다" for number in "1234"]
    return Guess("99.a", "항구의 벡터를 열 배로 늘이면 배와 항구의 코사인은 어떻게 됩니까?", choices)
