"""ParityDebugger without a browser: its rows, its sentence and what it refuses."""

import json
import math

import pytest

from course_utils.widgets import ParityDebugger

STAGES = ["임베딩", "층 1", "층 2", "층 3", "풀러"]
FAULTS = ["없음", "ReLU", "위치", "풀러", "NaN"]


def departures(fault: str, layer: int) -> list[tuple[str, float]]:
    """ReLU departs from its layer on, the positions from the embeddings on."""
    first = {"없음": 9, "ReLU": layer, "위치": 0, "풀러": 4, "NaN": 9}[fault]
    sizes = [0.25 if place >= first else 1.5e-7 for place in range(5)]
    if fault == "NaN":
        sizes[layer] = math.nan
    return list(zip(STAGES, sizes, strict=True))


def make(function=departures, **changes) -> ParityDebugger:
    arguments = {"faults": FAULTS, "layers": 3, "outside": ["없음", "위치", "풀러"]} | changes
    return ParityDebugger(function, **arguments)


@pytest.mark.parametrize("layer", [1, 2, 3])
def test_the_first_departure_follows_the_layer(layer: int) -> None:
    widget = make(fault="ReLU", layer=layer)
    assert widget.picture["first"] == layer and widget.picture["layer_counts"]
    assert [row["departs"] for row in widget.picture["rows"]] == [place >= layer for place in range(5)]
    assert f"첫째로 벗어나는 곳은 '층 {layer}'입니다(차이 0.25)." in widget.summary
    assert f"그 앞의 {layer}곳은 1e-05 안에서 같습니다." in widget.summary
    assert f"그 뒤의 {4 - layer}곳 가운데 {4 - layer}곳이 벗어납니다." in widget.summary


def test_without_a_fault_nothing_departs() -> None:
    widget = make()
    assert widget.fault == "없음" and widget.picture["first"] is None
    assert (
        widget.summary
        == "결함 '없음' (층과 무관). 첫째로 벗어나는 곳은 없습니다. 5곳이 모두 1e-05 안에서 같습니다."
    )


def test_ends_have_nothing_before_or_after() -> None:
    widget = make(fault="위치")
    assert not widget.picture["layer_counts"] and "그 앞" not in widget.summary
    assert "'임베딩'" in widget.summary
    widget.fault = "풀러"
    assert "그 뒤" not in widget.summary and "그 앞의 4곳" in widget.summary


def test_nan_departs_and_can_be_sent() -> None:
    widget = make(fault="NaN", layer=2)
    row = widget.picture["rows"][2]
    assert row["departs"] and row["difference"] is None and row["shown"] == "NaN"
    assert "'층 2'입니다(차이 NaN). 그 앞의 2곳은" in widget.summary and "가운데 0곳이" in widget.summary
    json.dumps([widget.picture, widget.setup, widget.labels], allow_nan=False)


def test_the_tolerance_itself_is_no_departure() -> None:
    stages = [("가", 1e-5), ("나", 2e-5)]
    widget = make(lambda fault, layer: stages)
    assert [row["departs"] for row in widget.picture["rows"]] == [False, True]
    assert widget.setup["tolerance"] == 1e-5
