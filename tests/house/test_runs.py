"""experiments/runs.py: what is stored, a command that goes on, two at one file; the files of data/ as they stand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from course_utils.support import files
from course_utils.support.paths import DATA
from experiments import ablations, dynamics, translations
from experiments.family.report import report
from experiments.family.running import plan_of
from experiments.runs import Store, carry_on


def stored(path: Path, **more) -> Store:
    return Store(path, command="python -m it", key=lambda run: run["plan"], settings={"steps": 3}, **more)


def made(store: Store, planned=(1, 2, 3), make=lambda plan: {"plan": plan, "loss": plan / 2}) -> None:
    carry_on(store, list(planned), key=lambda plan: plan, make=make, tell=lambda run: f"loss {run['loss']}")


@pytest.mark.parametrize(
    ("name", "key", "report"),
    [
        ("ablations", lambda run: run["name"], None),
        ("dynamics", dynamics.plan_of, None),
        (
            "translations",
            lambda run: [run["plan"], run["seed"]],
            lambda store: {"report": translations.report(list(store.runs.values()))},
        ),
        (
            "family",
            plan_of,
            lambda store: {
                "report": {
                    "unigram_loss": store.head["report"]["unigram_loss"],
                    **report(store, store.head["report"]["budget"]),
                }
            },
        ),
    ],
)
def test_what_the_course_has_stored_is_read_and_reported_as_it_stands(name, key, report, tmp_path):
    before = (DATA / f"{name}.json").read_bytes()
    content = json.loads(before)
    assert content["command"].startswith(f"python -m experiments.{name}")
    store = Store(
        DATA / f"{name}.json",
        command=content["command"],
        key=key,
        settings=content.get("settings"),
        report=report,
    )
    assert len(store.runs) == len(content["runs"])
    store.path = tmp_path / "again.json"
    store.write()
    assert store.path.read_bytes() == before


def test_it_goes_on_where_it_was_stopped_and_makes_nothing_twice(tmp_path, capsys):
    path, plans = tmp_path / "new" / "runs.json", []

    def until_the_second(plan):
        plans.append(plan)
        if len(plans) == 2:
            raise KeyboardInterrupt
        return {"plan": plan, "loss": plan / 2}

    with pytest.raises(KeyboardInterrupt):
        made(stored(path), make=until_the_second)
    made(stored(path), make=until_the_second)
    assert plans == [1, 2, 2, 3]
    assert capsys.readouterr().out.splitlines() == [f"{n} of 3: loss {n / 2}" for n in (1, 2, 3)]
    whole = stored(tmp_path / "whole.json")
    made(whole)
    assert path.read_bytes() == whole.path.read_bytes()
    assert path.read_text().splitlines()[2:4] == ['"runs": [', '{"plan": 1, "loss": 0.5},']
    assert {file.name for file in tmp_path.iterdir()} == {"new", "whole.json"}


def test_two_may_work_at_one_file(tmp_path):
    path = tmp_path / "runs.json"

    def while_another_writes(plan):
        stored(path).add({"plan": 99, "loss": 0.0})
        return {"plan": plan, "loss": 1.0}

    made(stored(path), [1, 99], while_another_writes)
    assert {run["plan"]: run["loss"] for run in stored(path).runs.values()} == {1: 1.0, 99: 0.0}


def test_a_full_disk_leaves_the_file_whole(tmp_path, monkeypatch):
    store = stored(tmp_path / "runs.json")
    made(store, [1])
    before = store.path.read_bytes()

    def full(*given):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.os, "replace", full)
    with pytest.raises(OSError):
        made(store, [2])
    assert store.path.read_bytes() == before and list(tmp_path.iterdir()) == [store.path]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("[]", "JSON object"),
        ('{"settings": {"steps": 3}, "runs": [3]}', "must hold runs of this command, and does not"),
        ('{"runs": []}', "must hold runs of this command, and does not"),
        (
            '{"settings": {"steps": 4, "more": 1}, "runs": []}',
            r"made with other settings \(steps\): give another",
        ),
    ],
)
def test_a_file_of_something_else_is_refused_and_left_alone(content, told, tmp_path):
    path = tmp_path / "runs.json"
    path.write_text(content)
    with pytest.raises(ValueError, match=told):
        stored(path)
    assert path.read_text() == content


def test_a_run_with_other_settings_is_not_replaced(tmp_path, capsys):
    out = tmp_path / "ablations.json"
    out.write_bytes((DATA / "ablations.json").read_bytes())
    assert ablations.main(["--out", str(out), "--steps", "3", "--only", "small"]) == 2
    assert "holds small with other settings (steps, warmup): give another --out" in capsys.readouterr().err
    assert out.read_bytes() == (DATA / "ablations.json").read_bytes()
