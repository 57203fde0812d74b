"""OptimizerRace without a browser: its surfaces, a race against torch's own loop, what is told, what is refused."""

import json
import math

import numpy as np
import pytest
import torch
from torch.optim import SGD, Adam, RAdam
from torch.optim.lr_scheduler import LambdaLR

from course_utils.widgets import OptimizerRace
from course_utils.widgets.optimizer_race import widget as module
from course_utils.widgets.optimizer_race.example import largest
from course_utils.widgets.optimizer_race.racing import race_of
from course_utils.widgets.optimizer_race.surfaces import REACH, SURFACES, VALLEY

START = np.array([-1.7, 0.6])
OPTIMIZERS = {
    "SGD": lambda weights, rate: SGD(weights, lr=rate),
    "momentum": lambda weights, rate: SGD(weights, lr=rate, momentum=0.9),
    "Adam": lambda weights, rate: Adam(weights, lr=rate),
    "RAdam": lambda weights, rate: RAdam(weights, lr=rate),
}
RACE = race_of(OPTIMIZERS)


# --- Surfaces


@pytest.mark.parametrize("name", SURFACES)
def test_a_gradient_is_that_of_its_height(name: str) -> None:
    surface = SURFACES[name]
    points = np.random.default_rng(7).uniform(-2, 2, (97, 2))
    weights = torch.tensor(points, requires_grad=True)
    surface.height(weights[:, 0], weights[:, 1]).sum().backward()
    np.testing.assert_allclose([surface.gradient(x, y) for x, y in points], weights.grad, atol=1e-9)
    heights = surface.height(*points.T)
    np.testing.assert_allclose([surface.height(x, y) for x, y in points.tolist()], heights, atol=1e-12)


@pytest.mark.parametrize("name", SURFACES)
def test_it_is_nowhere_lower_than_where_it_is_0(name: str) -> None:
    surface = SURFACES[name]
    for x, y in surface.lowest:
        assert surface.height(x, y) == pytest.approx(0, abs=1e-15)
        assert surface.gradient(x, y) == pytest.approx((0, 0), abs=1e-12)
    across, up = np.meshgrid(*(np.linspace(-3 * reach, 3 * reach, 211) for reach in REACH))
    assert surface.height(across, up).min() >= 0
    inside = all(abs(at) < reach for at, reach in zip(surface.start, REACH, strict=True))
    assert surface.name == name and inside and 1 < surface.height(*surface.start) < 10


def test_heights_by_hand() -> None:
    heights = {name: surface.height(*surface.start) for name, surface in SURFACES.items()}
    by_hand = {"valley": 4.3225, "tilted": 4.3225, "saddle": 2.8099995, "banana": 3.5116, "wall": 1.7252}
    assert heights == pytest.approx(by_hand, abs=1e-4)
    u, v = 0.8 * 0.3 + 0.6 * -0.7, 0.8 * -0.7 - 0.6 * 0.3  # turned, one is the other
    assert SURFACES["tilted"].height(0.3, -0.7) == pytest.approx(VALLEY.height(u, v))
    assert SURFACES["wall"].gradient(1.5, 0)[0] == pytest.approx(40 - 0.03)  # half a unit inside the wall
    assert SURFACES["wall"].gradient(0.6, 0)[0] == pytest.approx(-0.3)


# --- A race


@pytest.mark.parametrize("warmup", [0, 7])
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_a_race_is_what_torch_does(name: str, warmup: int) -> None:
    surface = SURFACES["banana"]
    weights = torch.tensor(surface.start, dtype=torch.float64, requires_grad=True)
    optimizer = OPTIMIZERS[name]([weights], 0.04)
    schedule = LambdaLR(optimizer, lambda done: min(1, (done + 1) / warmup) if warmup else 1)
    expected = [weights.tolist()]
    for _ in range(31):
        optimizer.zero_grad()
        surface.height(weights[0], weights[1]).backward()
        optimizer.step()
        schedule.step()
        expected.append(weights.tolist())
    np.testing.assert_allclose(RACE(surface, 0.04, warmup, 0.0, 0, 31)[name], expected, atol=1e-9)


def test_everybody_feels_the_same_noise() -> None:
    def moved(noise: float, seed: int) -> dict[str, np.ndarray]:
        plain, shaken = (RACE(VALLEY, 0.01, 0, how, seed, 3) for how in (0.0, noise))
        return {name: (shaken[name] - plain[name])[1] for name in ("SGD", "momentum")}

    first = moved(1.0, 5)
    np.testing.assert_allclose(first["SGD"], first["momentum"], atol=1e-15)
    np.testing.assert_allclose(moved(3.0, 5)["SGD"], 3 * first["SGD"], atol=1e-15)
    np.testing.assert_array_equal(moved(1.0, 5)["SGD"], first["SGD"])
    assert not np.allclose(moved(1.0, 6)["SGD"], first["SGD"])


def test_noise_has_the_spread_it_is_told() -> None:
    path = RACE(SURFACES["saddle"], 1e-6, 0, 2.0, 0, 2003)["SGD"]  # so slow that the slope stays the same
    slopes = -np.diff(path, axis=0) / 1e-6
    assert slopes.std(axis=0) == pytest.approx([2, 2], rel=0.05)
    assert slopes.mean(axis=0) == pytest.approx(SURFACES["saddle"].gradient(-1.6, 0.001), abs=0.2)


def test_who_is_lost_does_not_come_back() -> None:
    path = RACE(VALLEY, 0.25, 0, 0.0, 0, 31)["SGD"]
    # y is multiplied by 1 − 0.25 · 20 = −4 each step: 0.6 · 4⁵ = 614, 0.6 · 4⁶ = 2458
    assert path[5, 1] == pytest.approx(-0.6 * 4**5) and np.isfinite(path[:6]).all()
    assert np.isnan(path[6:]).all() and path.shape == (32, 2)

    class Boomerang(SGD):
        """Far away after two steps, and back after three."""

        def step(self):
            (weights,), place = self.param_groups[0]["params"], next(self.places)
            weights.data = torch.tensor([place, 0.0], dtype=torch.float64)

        places = iter([1.0, 1001.0, 1.0, 1.0, 1.0])

    path = race_of({"a": lambda weights, rate: Boomerang(weights, lr=rate)})(VALLEY, 0.1, 0, 0.0, 0, 5)["a"]
    assert path[1].tolist() == [1, 0] and np.isnan(path[2:]).all()


# --- The widget, with paths that are made by hand


def to(*points: tuple[float, float]) -> list[tuple[float, float]]:
    """The start of the valley, these points, and there it stays."""
    return [tuple(START), *points, *[points[-1]] * (module.STEPS - len(points))]


WAYS = {
    "slow": to((-1.6, 0.6)),
    # 0.04 is under the line at 0.043, 0.0625 is not, 0.01 is
    "there": to((-0.4, 0.0), (-0.5, 0.0), (0.2, 0.0)),
    "away": to((0.0, 1.3), (0.0, 1.5)),
    "lost": to((0.0, 3.0), (0.0, -900.0), (0.0, 1100.0)),
}


def given(ways: dict):
    def race(surface, rate, warmup, noise, seed, steps):
        return {name: np.array(way[: steps + 1]) for name, way in ways.items()}

    return race


@pytest.fixture
def race() -> OptimizerRace:
    return OptimizerRace(given(WAYS))


def test_who_stands_where(race: OptimizerRace) -> None:
    rows = {row["name"]: row for row in race.picture["rows"]}
    assert [row["height"] for row in rows.values()] == pytest.approx([4.24, 0.01, 22.5, 8.1e6])
    assert [row["said"] for row in rows.values()] == ["4.2", "0.01", "22", "–"]
    assert [row["since"] for row in rows.values()] == [None, 3, None, None]
    assert [row["outside"] for row in rows.values()] == [False, False, True, False]
    assert [row["lost"] for row in rows.values()] == [None, None, None, 3]
    assert [row["where"] for row in rows.values()] == ["–", "3걸음부터", "그림 밖", "3걸음에 발산"]


@pytest.mark.parametrize(("step", "since"), [(0, None), (1, 1), (2, None), (3, 3), (4, 3)])
def test_under_the_line_means_without_a_break(race: OptimizerRace, step: int, since: int | None) -> None:
    race.step = step
    assert race.picture["rows"][1]["since"] == since


def test_the_summary(race: OptimizerRace) -> None:
    assert race.summary == (
        "좁고 긴 골짜기, 학습률 0.08, 120걸음 뒤. 낮은 차례로 there 0.01, slow 4.2, away 22. "
        "결승선 아래: there(3걸음부터). 그림 밖으로 나간 것: away. 발산한 것: lost(3걸음)."
    )
    race.step = 2
    assert "결승선 아래에 있는 것은 없습니다" in race.summary and "lost 8.1e6" in race.summary
    assert "발산" not in race.summary
    race.step = 0
    assert race.summary.endswith("0걸음 뒤. 모두 높이 4.3에서 출발합니다.")
    race.step, race.shown = 120, ["slow", "lost"]
    assert "there" not in race.summary and "away" not in race.summary
    race.warmup, race.noise, race.seed = 20, 0.5, 3
    assert "학습률 0.08, 웜업 20걸음, 잡음 0.5(3번), 120걸음 뒤" in race.summary
    race.shown = []
    assert race.summary.endswith("켜져 있는 옵티마이저가 없습니다.")


def test_what_the_browser_gets(race: OptimizerRace) -> None:
    told = race.paths
    assert told["line"] == pytest.approx(math.log10(0.043225), abs=1e-3)
    assert [racer["name"] for racer in told["racers"]] == list(WAYS)
    assert told["racers"][1]["points"][:4] == [[-1.7, 0.6], [-0.4, 0], [-0.5, 0], [0.2, 0]]
    assert told["racers"][1]["logs"][3] == -2
    assert [len(racer["points"]) for racer in told["racers"]] == [121, 121, 121, 3]  # up to where it is lost
    json.dumps([race.paths, race.relief, race.picture, race.labels], allow_nan=False)


def test_the_relief_is_that_of_the_figure(race: OptimizerRace) -> None:
    assert race.relief["start"] == (-1.7, 0.6) and race.relief["lowest"] == ((0.0, 0.0),)
    bands = race.relief["bands"]
    assert len(bands) == 13 and all(band.startswith("M") and band.endswith("Z") for band in bands)
    places = [float(at) for at in bands[-1].replace("M", " ").replace("L", " ").replace("Z", " ").split()]
    assert (min(places[::2]), max(places[::2])) == (-200, 200)
    assert (min(places[1::2]), max(places[1::2])) == (-140, 140)


def test_y_points_up_in_python_and_down_in_the_browser() -> None:
    innermost = module._relief("banana")["bands"][0].replace("Z", "").replace("M", "L").split("L")[1:]
    x, y = np.array([[float(at) for at in place.split()] for place in innermost]).T / 100
    height = SURFACES["banana"].height
    assert height(x, -y).max() < 0.02 < height(x, y).max()


def test_a_step_asks_nobody_to_race_and_brings_back_no_paths(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, sent = [], []

    def noted(surface, *how):
        asked.append((surface.name, *how))
        return RACE(surface, *how)

    race = OptimizerRace(noted)
    assert asked[-1] == ("valley", 0.08, 0, 0.0, 0, 120)
    asked.clear()
    monkeypatch.setattr(
        type(race), "_send", lambda self, message, buffers=None: sent.append(set(message["state"]))
    )
    race.set_state({"step": 7})
    race.set_state({"shown": ["Adam"]})
    assert asked == [] and sent == [{"picture", "summary"}] * 2
    race.set_state({"rate": 0.1})
    assert asked == [("valley", 0.1, 0, 0.0, 0, 120)] and sent[2:] == [{"paths", "picture", "summary"}]
    race.set_state({"surface": "wall"})
    assert sent[3:] == [{"paths", "relief", "picture", "summary"}]  # all in one piece


# --- The widget with torch's optimisers: what a lecture shows


def told(**inputs: object) -> dict[str, dict]:
    widget = largest()
    for name, value in inputs.items():
        setattr(widget, name, value)
    return {row["name"]: row for row in widget.picture["rows"]}


def test_in_the_valley_all_arrive_and_twice_over_the_steepness_is_too_much() -> None:
    assert all(row["since"] for row in told().values())
    assert told(rate=0.1)["SGD"]["height"] > 3.5  # from wall to wall: 1 − 0.1 · 20 = −1
    over = told(rate=0.25)
    assert over["SGD"]["lost"] and over["모멘텀"]["lost"] and over["Adam"]["since"]


def test_adam_does_not_care_which_way_a_weight_is_scaled_but_a_turn_slows_it() -> None:
    straight, turned = told(step=60), told(surface="tilted", step=60)
    assert straight["SGD"]["height"] == pytest.approx(turned["SGD"]["height"], rel=1e-9)
    assert turned["Adam"]["height"] > 10 * straight["Adam"]["height"]


def test_at_the_saddle_sgd_waits() -> None:
    rows = told(surface="saddle", step=60)
    assert rows["SGD"]["height"] == pytest.approx(0.25, abs=0.01) and rows["Adam"]["since"] < 60


def test_warm_up_saves_momentum_on_the_banana() -> None:
    assert told(surface="banana", rate=0.2)["모멘텀"]["lost"]
    assert not told(surface="banana", rate=0.2, warmup=40)["모멘텀"]["lost"]
