"""ExerciseCard with a long verdict, for the tests and the benchmark."""

from course_utils.widgets import ExerciseCard

# data-testid of a control, key; each changes the picture.
MOVES = (("hint", "Enter"), ("solution", " "), ("progress", "Enter"))


def largest() -> ExerciseCard:
    said = "✗ 99.1 위치 (3, 4, 5)에서 기대한 값은 0.1235, 받은 값은 0.1234입니다. " * 5
    parts = {"hint 1": "점수를 √d_k로 나누십시오.", "hint 2": "softmax(dim=-1)입니다."}
    parts |= {"solution": "def f(x):\n    return " + "2 * " * 60 + "x", "progress": "02  ●○○  1/3\n" * 21}
    return ExerciseCard(said, "wrong", {name: said.format for name, said in parts.items()}, lambda: "●○○ 1/3")
