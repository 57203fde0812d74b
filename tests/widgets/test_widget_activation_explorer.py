"""ActivationExplorer without a browser: its numbers, its sentence and what it refuses."""

import math

import pytest
import torch
import torch.nn.functional as F

from course_utils.activations import (
    gelu,
    gelu_derivative,
    gelu_tanh,
    gelu_tanh_derivative,
    relu,
    relu_derivative,
)
from course_utils.widgets import ActivationExplorer
from course_utils.widgets.activation_explorer.measures import shares_without_gradient, times_open

FUNCTIONS = {
    "GELU": (gelu, gelu_derivative),
    "ReLU": (relu, relu_derivative),
    "tanh 꼴": (gelu_tanh, gelu_tanh_derivative),
}


def make(functions=FUNCTIONS, **changes) -> ActivationExplorer:
    return ActivationExplorer(functions, **({"difference_of": ("GELU", "tanh 꼴")} | changes))


@pytest.mark.parametrize("x", [-4.0, -2.7, -0.7518, 0.0, 1.3, 4.0])
def test_values_and_slopes_at_x(x: float) -> None:
    widget = make()
    widget.x = x
    rows = {row["name"]: row for row in widget.picture["rows"]}
    phi = 0.5 * (1 + math.erf(x / math.sqrt(2)))
    assert rows["GELU"]["value"] == pytest.approx(x * phi, abs=1e-12)
    density = math.exp(-x * x / 2) / math.sqrt(2 * math.pi)
    assert rows["GELU"]["slope"] == pytest.approx(phi + x * density, abs=1e-12)
    assert (rows["ReLU"]["value"], rows["ReLU"]["slope"]) == (max(x, 0), float(x > 0))
    approximate = F.gelu(torch.tensor(x, dtype=torch.float64), approximate="tanh").item()
    assert widget.picture["gap"] == pytest.approx(x * phi - approximate, abs=1e-12)


def test_the_curves_lie_on_the_grid() -> None:
    curves = make().curves
    grid = torch.tensor(curves["x"], dtype=torch.float64)
    assert (grid[0], grid[-1], len(grid) % 2) == (-4.0, 4.0, 1) and 0.0 in curves["x"]
    assert [line["name"] for line in curves["lines"]] == list(FUNCTIONS)
    assert torch.allclose(
        torch.tensor(curves["lines"][0]["values"], dtype=torch.float64), F.gelu(grid), atol=1e-5
    )
    slopes = torch.tensor(curves["lines"][0]["slopes"], dtype=torch.float64)
    assert torch.allclose(slopes, gelu_derivative(grid), atol=1e-5)
    assert max(map(abs, curves["gap"])) == pytest.approx(4.73e-4, abs=1e-6)


def test_the_summary_says_values_and_slopes() -> None:
    widget = make(x=-2.7)
    assert "x = −2.70" in widget.summary and "GELU −0.0094(기울기 −0.0247)" in widget.summary
    assert "ReLU의 기울기는 정확히 0" in widget.summary and "GELU · tanh 꼴의 기울기는 음수" in widget.summary
    assert "0.0001" not in widget.summary
    widget.difference = True
    assert "GELU − tanh 꼴 = −4.73 × 0.0001" in widget.summary
    widget.x = 1.0
    assert "정확히 0" not in widget.summary and "음수" not in widget.summary


def test_a_curve_that_is_off_is_not_spoken_of() -> None:
    widget = make(x=-1.0)
    widget.shown = ["GELU"]
    assert "ReLU" not in widget.summary and "GELU −0.1587" in widget.summary
    assert [row["shown"] for row in widget.picture["rows"]] == [True, False, False]
    widget.shown = []
    assert "켜져 있는 곡선이 없습니다" in widget.summary


def test_difference_needs_two_names() -> None:
    widget = make(difference_of=None)
    assert widget.curves["gap"] is None and widget.picture["gap"] is None
    with pytest.raises(ValueError, match="차이"):
        widget.difference = True
    assert widget.difference is False


RUNS = {"ReLU": ([177.0, 300.0, 344.0], [2.0, 0.5, 0.01]), "GELU": ([0.0, 0.0, 5.0], [2.0, 0.1, 0.001])}


def test_the_gate_opens_as_often_as_its_probability() -> None:
    x = torch.tensor([-3.0, -1.0, 0.0, 1.0, 2.5], dtype=torch.float64)
    share = times_open(x, flips=100_000, roll=7) / 100_000
    assert torch.allclose(share, torch.distributions.Normal(0.0, 1.0).cdf(x), atol=0.005)
    assert torch.equal(times_open(x, flips=50, roll=3), times_open(x, flips=50, roll=3))
    assert not torch.equal(times_open(x, flips=50, roll=3), times_open(x, flips=50, roll=4))


def test_the_gate_of_one_coin_gives_x_or_nothing_and_of_many_gives_gelu() -> None:
    widget = make(x=-1.0, view="gate")
    gate = widget.picture["gate"]
    assert gate["opened"] in (0, 1) and gate["average"] == -gate["opened"]
    assert all(y in (0.0, x) for x, y in gate["dots"]) and any(y for _, y in gate["dots"])
    widget.flips = 1000
    gate = widget.picture["gate"]
    assert gate["expected"] == pytest.approx(-0.158655, abs=1e-6)
    assert gate["average"] == pytest.approx(-gate["opened"] / 1000) == pytest.approx(-0.1587, abs=0.05)
    dots = torch.tensor(gate["dots"], dtype=torch.float64)
    assert torch.allclose(dots[:, 1], F.gelu(dots[:, 0]), atol=0.12)
    assert f"1000번 던져 {gate['opened']}번" in widget.summary and "−0.1587, 곧 GELU" in widget.summary
    before = gate["dots"]
    widget.roll = 1
    assert widget.picture["gate"]["dots"] != before


@pytest.mark.parametrize(("mean", "spread"), [(0.0, 1.0), (-1.3, 0.7), (2.0, 3.0)])
def test_the_share_without_gradient_is_that_of_the_normal_distribution(mean: float, spread: float) -> None:
    below = torch.distributions.Normal(mean, spread).cdf(torch.tensor(0.0)).item()
    assert shares_without_gradient(relu_derivative, mean=mean, spread=spread) == pytest.approx(
        (below, below), abs=1e-3
    )
    zero, tiny = shares_without_gradient(gelu_derivative, mean=mean, spread=spread)
    assert zero < 1e-6 < tiny < 0.03


def test_moved_inputs_are_told_for_the_curves_that_are_on() -> None:
    widget = make(view="inputs")
    widget.mean, widget.spread = -2.0, 1.0
    rows = {row["name"]: row for row in widget.picture["rows"]}
    assert rows["ReLU"]["zero"] == pytest.approx(0.97725, abs=1e-4) and rows["GELU"]["zero"] == 0
    assert rows["GELU"]["tiny"] == pytest.approx(0.0358, abs=1e-3)
    assert "정확히 0인 몫: GELU 0.0 %, ReLU 97.7 %" in widget.summary
    widget.shown = ["ReLU"]
    assert "GELU" not in widget.summary


def test_a_run_is_read_at_each_step_from_before_the_first() -> None:
    widget = make(runs=RUNS, units=960, view="run")
    assert "배우기 전(0걸음)" in widget.summary and "ReLU 177개" in widget.summary
    widget.step = 2
    assert widget.picture["run"][0] == {"name": "ReLU", "dead": 344.0, "loss": 0.01}
    assert "2걸음 뒤, 유닛 960개 가운데 죽은 것: ReLU 344개(손실 0.01), GELU 5개" in widget.summary
    assert widget.curves["runs"][1] == {"name": "GELU", "dead": [0.0, 0.0, 5.0], "loss": [0.301, -1.0, -3.0]}
    with pytest.raises(ValueError, match="2"):
        widget.step = 3
    assert widget.step == 2
