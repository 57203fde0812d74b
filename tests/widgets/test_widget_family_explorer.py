"""FamilyExplorer without a browser: its rows, its sentence and what it refuses."""

from course_utils.widgets import FamilyExplorer

LARGE = {
    "parts": {"임베딩": 600, "층": 1300, "풀러": 11},
    "facts": {"목표": "가린 조각", "층을": "따로"},
}
MEMBERS = {
    "큰 것": LARGE,
    "작은 것": {
        "parts": {"임베딩": 70, "사영": 17, "층": 1300},
        "facts": {"목표": "가린 조각", "층을": "함께", "선생": "없이"},
    },
    "쌍둥이": LARGE,
}


def make(members=MEMBERS, **changes) -> FamilyExplorer:
    return FamilyExplorer(members, **changes)


def texts(rows) -> list:
    return [(row["name"], *(side["text"] for side in row["sides"]), row["differs"]) for row in rows]


def test_rows_of_two_members() -> None:
    picture = make().picture
    assert texts(picture["parts"]) == [
        ("임베딩", "600", "70", True),
        ("층", "1,300", "1,300", False),
        ("풀러", "11", "없음", True),
        ("사영", "없음", "17", True),
    ]
    assert texts(picture["facts"]) == [
        ("목표", "가린 조각", "가린 조각", False),
        ("층을", "따로", "함께", True),
        ("선생", "없음", "없이", True),
    ]
    assert picture["totals"] == ["1,911", "1,387"] and not picture["same_total"]


def test_bars_are_shares_of_the_largest_part_of_the_two() -> None:
    parts = {row["name"]: [side["share"] for side in row["sides"]] for row in make().picture["parts"]}
    assert parts["층"] == [1, 1]
    assert parts["임베딩"] == [600 / 1300, 70 / 1300]
    assert parts["풀러"] == [11 / 1300, 0]


def test_the_sentence_counts_what_differs() -> None:
    assert make().summary == (
        "큰 것 | 작은 것: 7가지 가운데 5가지가 다릅니다. 파라미터는 1,911개와 1,387개로, 큰 것 쪽이 1.38배입니다."
    )
    turned = make(left="작은 것", right="큰 것")
    assert turned.summary.endswith("파라미터는 1,387개와 1,911개로, 큰 것 쪽이 1.38배입니다.")


def test_what_neither_has_is_no_row() -> None:
    widget = make(right="쌍둥이")
    assert [row["name"] for row in widget.picture["parts"]] == ["임베딩", "층", "풀러"]
    assert widget.summary == "큰 것 | 쌍둥이: 5가지가 모두 같습니다. 파라미터는 둘 다 1,911개입니다."


def test_only_what_differs() -> None:
    widget = make(differing=True)
    assert [row["name"] for row in widget.picture["parts"]] == ["임베딩", "풀러", "사영"]
    assert [row["name"] for row in widget.picture["facts"]] == ["층을", "선생"]
    assert "7가지 가운데 5가지" in widget.summary  # the count is of all rows
    widget.right = "쌍둥이"
    assert widget.picture["parts"] == [] and widget.picture["facts"] == []
    widget.differing = False
    assert len(widget.picture["parts"]) == 3
