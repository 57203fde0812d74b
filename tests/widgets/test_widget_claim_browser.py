"""ClaimBrowser by its traits: bars to scale, differences with their sign, what is told, what is refused."""

from __future__ import annotations

import json

import pytest

from course_utils.widgets import ClaimBrowser
from course_utils.widgets.claim_browser.example import WITHOUT, largest, small

CLAIM = {"title": "가", "says": "나", "paper": WITHOUT}


def test_bars_begin_at_zero_and_are_as_long_as_their_numbers():
    first, *_, last = small().picture["paper"]["rows"]
    assert first["bars"]["value"] == [0, pytest.approx(84.9 / 88.4, abs=1e-4)]
    assert first["bars"]["reference"] == [0, 1]  # the largest of the side
    assert last["bars"]["reference"][1] == pytest.approx(86.7 / 88.4, abs=1e-4)
    assert first["shown"] == {"value": "84.9", "reference": "88.4", "difference": "−3.5", "half": ""}


def test_differences_stand_on_both_sides_of_the_middle():
    rows = [("a", 3, 5, ""), ("b", 6.0, 5, ""), ("c", 5, 5, ""), ("d", 7, None, "")]
    side = {"names": ("x", "y"), "rows": rows}
    found = ClaimBrowser([CLAIM | {"paper": side}]).picture["paper"]["rows"]
    assert [row["difference"] for row in found] == [-2, 1, 0, None]
    bars = [row["bars"].get("difference") for row in found]
    assert bars == [[0, 0.5], [0.5, 0.25], [0.5, 0], None]
    assert [row["shown"]["difference"] for row in found] == ["−2.0", "+1.0", "+0.0", ""]
    assert found[3]["shown"]["reference"] == "" and "reference" not in found[3]["bars"]


def test_numbers_below_zero_and_a_row_of_zeros():
    side = {"names": ("x", "y"), "rows": [("a", -1, 3, "")], "digits": 0}
    picture = ClaimBrowser([CLAIM | {"paper": side}]).picture["paper"]
    assert picture["rows"][0]["bars"] == {
        "value": [0, 0.25],
        "reference": [0.25, 0.75],
        "difference": [0, 0.5],
    }
    assert picture["zero"] == 0.25 and picture["rows"][0]["shown"]["value"] == "−1"
    zero = ClaimBrowser([CLAIM | {"paper": {"names": ("x", "y"), "rows": [("a", 0, 0, "")]}}])
    assert zero.picture["paper"]["rows"][0]["bars"]["difference"] == [0.5, 0]


def test_the_summary_counts_what_is_better_and_worse():
    widget = small()
    assert widget.summary.startswith(
        "다음 문장 예측 (5.1절). 논문: 3줄 가운데 나은 줄 0, 못한 줄 3, 갈리지 않은 줄 0("
    )
    assert "가장 큰 차이는 QNLI의 −3.5" in widget.summary
    assert "뒤의 연구: 1줄 가운데 나은 줄 1," in widget.summary  # the row without a reference is not compared
    widget.claim = 1
    assert widget.summary.startswith("크기. 논문: 1줄 가운데 나은 줄 1, 못한 줄 0")
    assert widget.summary.endswith("뒤의 연구: 없습니다. 이 강의에서: 없습니다.")
    alone = {"names": ("x", "y"), "rows": [("a", 1, None, "")]}
    assert "1줄, 견줄 것은 없습니다" in ClaimBrowser([CLAIM | {"paper": alone}]).summary


def test_a_difference_within_its_interval_is_not_told_apart():
    rows = [("a", 3.0, 3.3, "", 0.2), ("b", 3.4, 3.0, "", 0.5), ("c", 3.3, 3.0, ""), ("d", 2.0, None, "")]
    widget = ClaimBrowser([CLAIM | {"paper": {"names": ("x", "y"), "rows": rows}}])
    found = widget.picture["paper"]["rows"]
    assert [row["verdict"] for row in found] == [-1, 0, 1, None]
    assert [row["shown"]["half"] for row in found] == ["±\u00a00.2", "±\u00a00.5", "", ""]
    assert "3줄 가운데 나은 줄 1, 못한 줄 1, 갈리지 않은 줄 1(x, y에 견주어)" in widget.summary


def test_another_claim_and_the_switch():
    widget = small(claim=1, differences=True)
    assert widget.picture["title"] == "크기" and widget.picture["differences"]
    assert widget.picture["later"] is None
    widget.set_state({"claim": 0, "differences": False})
    assert widget.picture["claim"] == 0 and widget.picture["last"] == 1 and not widget.picture["differences"]
    assert widget.titles == ["다음 문장 예측", "크기"]


def test_words_stay_words_and_the_largest_fits_the_wire():
    hostile = "<script>alert(1)</script> {title}"
    widget = ClaimBrowser([CLAIM | {"title": hostile, "says": hostile, "place": hostile}])
    assert widget.titles == [hostile] and widget.picture["says"] == hostile and hostile in widget.summary
    assert len(json.dumps(largest().picture, allow_nan=False)) < 20_000
