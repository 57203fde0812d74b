"""FamilyExplorer at its largest documented input, and keys that move it, for the tests and the benchmark."""

from course_utils.widgets import FamilyExplorer

MOVES = (
    ("left", "ArrowDown"),
    ("right", "End"),
    ("swap", "Enter"),
    ("differing", "Space"),
)


def largest() -> FamilyExplorer:
    members = {}
    for place in range(20):
        parts = {f"부품 {row}, 층 {row}부터": 10 ** (row % 9) * (1 + place % 3) for row in range(16)}
        facts = {f"물음 {row}": f"대답 {place % 4}: 가린 조각의 15 %에서 손실을 셉니다" for row in range(16)}
        members[f"모델 {place} base"] = {"parts": parts, "facts": facts}
    return FamilyExplorer(members)
