"""What measurements come to: intervals against scipy, the choice on validation, the table by hand; and their file."""

from __future__ import annotations

import json
import math
import random

import pytest
from scipy import stats

from course_utils.tasks.measurements import Measurement, read_file, read_measurements, write_file
from course_utils.tasks.summaries import T95, Estimate, best_setting, estimate, gain, summary
from scripts.finetune import table


def one(start, seed, rate, validation, test, *, labels=100, batch_size=16, task="reviews"):
    setting, measures = (
        (rate, batch_size, 4 * (batch_size > 0)),
        ({"accuracy": validation}, {"accuracy": test}),
    )
    return Measurement(task, start, labels, seed, *setting, *measures)


FOUND = [
    # by validation 0.2 is better, by test 0.1
    *(one("pre-trained", seed, 0.1, 0.6, 0.9) for seed in (0, 1)),
    one("pre-trained", 1, 0.2, 0.9, 0.8),
    one("pre-trained", 0, 0.2, 0.5, 0.7),
    one("from-scratch", 0, 0.3, 0.5, 0.6),
    one("from-scratch", 1, 0.3, 0.5, 0.6),
    one("baseline", 0, 0.0, 0.5, 0.75, batch_size=0),
    one("baseline", 1, 0.0, 0.5, 0.65, batch_size=0),
]


# --- intervals --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [2, 3, 5, 11, 31, 32, 67])
def test_the_interval_is_that_of_scipy(count):
    drawn = random.Random(count)
    values = [drawn.gauss(0.7, 0.1) for _ in range(count)]
    low, high = stats.t.interval(0.95, count - 1, loc=sum(values) / count, scale=stats.sem(values))
    found = estimate(values)
    assert found.seeds == count
    assert (found.mean - found.half, found.mean + found.half) == pytest.approx((low, high), abs=2e-4)


def test_the_table_of_students_t():
    assert T95 == pytest.approx([stats.t.ppf(0.975, free) for free in range(1, 31)], abs=6e-4)


def test_one_seed_says_nothing_of_the_spread():
    assert estimate([0.7]) == Estimate(0.7, math.inf, 1)


# --- the choice -------------------------------------------------------------------------------------------------------


def test_what_is_told_was_chosen_on_validation():
    chosen = best_setting(FOUND, "reviews", "pre-trained", 100)
    assert [(found.seed, found.rate, found.test["accuracy"]) for found in chosen] == [
        (0, 0.2, 0.7),
        (1, 0.2, 0.8),
    ]
    assert summary(FOUND, "reviews", "pre-trained", 100).mean == pytest.approx(0.75)
    for other in (("pairs", "pre-trained", 100), ("reviews", "frozen", 100), ("reviews", "pre-trained", 300)):
        assert best_setting(FOUND, *other) == [] and summary(FOUND, *other) is None


def test_only_seeds_that_all_settings_have_are_compared():
    """Stopped within seed 2: the rate that happened to come first must not win by a seed that was easy."""
    stopped = [*FOUND, one("pre-trained", 2, 0.1, 1.0, 1.0)]
    assert best_setting(stopped, "reviews", "pre-trained", 100) == best_setting(
        FOUND, "reviews", "pre-trained", 100
    )
    apart = [one("pre-trained", 0, 0.1, 0.6, 0.9), one("pre-trained", 1, 0.2, 0.6, 0.9)]
    assert best_setting(apart, "reviews", "pre-trained", 100) == []


def test_all_seeds_of_the_chosen_setting_are_told():
    """Two rates tried with seed 0, the better one with four more: easy draws of theirs choose nothing."""
    found = [one("pre-trained", 0, 0.1, 0.7, 0.6), one("pre-trained", 0, 0.2, 0.8, 0.5)]
    more = [one("pre-trained", seed, 0.2, 0.1, seed / 10) for seed in (4, 2, 1, 3)]
    chosen = best_setting(found + more, "reviews", "pre-trained", 100)
    assert [(each.seed, each.rate, each.test["accuracy"]) for each in chosen] == [
        (0, 0.2, 0.5),
        *((seed, 0.2, seed / 10) for seed in (1, 2, 3, 4)),
    ]
    assert summary(found + more, "reviews", "pre-trained", 100).mean == pytest.approx(0.3)


def test_the_main_measure_is_the_first():
    found = [
        Measurement("names", "frozen", 7, 0, rate, 16, 4, {"f1": first, "accuracy": 1 - first}, {"f1": rate})
        for rate, first in ((0.1, 0.2), (0.3, 0.8))
    ]
    assert best_setting(found, "names", "frozen", 7) == [found[1]]


def test_a_gain_is_of_the_same_draws():
    # 70 and 80 against 75 and 65: −5 and +15
    found = gain(FOUND, "reviews", "pre-trained", "baseline", 100)
    assert found.mean == pytest.approx(0.05) and found.half == pytest.approx(12.706 * 0.1)
    more = [*FOUND, one("baseline", 2, 0.0, 0.5, 0.0, batch_size=0)]
    assert gain(more, "reviews", "pre-trained", "baseline", 100) == found
    assert gain(FOUND, "reviews", "pre-trained", "frozen", 100) is None


def test_the_table_by_hand():
    head, row = table(FOUND)
    assert head == [
        "task", "measure", "labels", "pre-trained", "from-scratch", "baseline", "gain over from-scratch",
        "gain over baseline",
    ]  # fmt: skip
    # half of the interval of 70 and 80: 12.706 · 7.07 / √2; the gain over 60 and 60 is as uncertain
    assert row == [
        "reviews", "accuracy", "100", "0.750 ± 0.635 (2; 0.2, 16, 4)", "0.600 ± 0.000 (2; 0.3, 16, 4)",
        "0.700 ± 0.635 (2)", "+15.0 ± 63.5", "+5.0 ± 127.1",
    ]  # fmt: skip


def test_what_is_not_measured_has_a_dash():
    more = [*FOUND, one("pre-trained", 0, 0.1, 0.5, 0.5, labels=300)]
    assert table(more)[2] == ["reviews", "accuracy", "300", "0.500 (1; 0.1, 16, 4)", "–", "–", "–", "–"]
    assert table([]) == [["task", "measure", "labels"]]


# --- the file ---------------------------------------------------------------------------------------------------------


def test_what_is_written_is_read(tmp_path):
    path, settings = tmp_path / "deep" / "found.json", {"looks": 3, "weights": "ab"}
    write_file(path, "python -m x", settings, FOUND)
    assert read_file(path) == (settings, FOUND) and read_measurements(str(path)) == FOUND
    assert json.loads(path.read_text("utf-8"))["command"] == "python -m x"
    assert len(path.read_text("utf-8").splitlines()) == 2 + len(FOUND) + 1
    write_file(path, "python -m x", settings, [])
    assert read_measurements(path) == []


def test_a_number_that_json_has_not_leaves_the_old_file(tmp_path):
    path = tmp_path / "found.json"
    write_file(path, "x", {}, FOUND)
    before = path.read_bytes()
    with pytest.raises(ValueError):
        write_file(path, "x", {}, [*FOUND, one("frozen", 0, 0.1, math.nan, 0.5)])
    assert path.read_bytes() == before and [entry.name for entry in tmp_path.iterdir()] == ["found.json"]


ROW = {
    "task": "reviews", "start": "frozen", "labels": 7, "seed": 0, "rate": 0.1, "batch_size": 16, "epochs": 4,
    "validation": {"accuracy": 0.5}, "test": {"accuracy": 0.5},
}  # fmt: skip


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "must be JSON"),
        ('{"settings": {}}', "measurements"),
        ([3], "measurement 0"),
        ({"settings": [], "measurements": []}, "settings"),
        ([ROW, ROW | {"labels": "7"}], "measurement 1: labels must be a whole number"),
        ([ROW | {"rate": None}], "rate and measures must be finite numbers"),
        ([ROW | {"test": {}}], "validation and test must hold at least one measure"),
    ],
)
def test_a_file_that_holds_something_else(content, said, tmp_path):
    path = tmp_path / "found.json"
    content = {"settings": {}, "measurements": content} if isinstance(content, list) else content
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    with pytest.raises(ValueError, match=said) as error:
        read_measurements(path)
    assert "\n" not in str(error.value)
