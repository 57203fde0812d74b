"""Every exercise: the solution passes, stubs are unsolved, wrong answers fail for their own reason."""

import json
import subprocess
import sys

import pytest
import torch
from torch import nn

from course_utils.exercises import (
    Exercise,
    Wrong,
    core,
    exercise,
    exercises_of,
    export_progress,
    notebooks,
    progress,
)
from course_utils.exercises.core import LEVELS, call
from course_utils.locale import text
from course_utils.progress import ProgressStore
from course_utils.support.paths import NOTEBOOKS
from tests.scratch.registry import tagged_cells

NUMBERS = notebooks()
ALL = [found for number in NUMBERS for found in exercises_of(number)]


# ---- the course's exercises ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", NUMBERS)
def test_at_least_three_numbered_from_1_with_every_level(number):
    exercises = exercises_of(number)
    assert len(exercises) >= 3 and {found.level for found in exercises} == set(LEVELS)
    assert [found.id for found in exercises] == [f"{number}.{k}" for k in range(1, len(exercises) + 1)]


@pytest.mark.parametrize("notebook", sorted(NOTEBOOKS.glob("[0-9][0-9]_*.ipynb")), ids=lambda path: path.stem)
def test_the_stubs_of_a_notebook_say_unsolved(notebook, capsys):
    """One for each of its exercises, run after its `imports` cell."""
    (imports,), stubs = (tagged_cells(notebook, tag) for tag in ("imports", "exercise"))
    exercises = exercises_of(notebook.stem[:2])
    assert len(stubs) == len(exercises)
    for found in exercises:
        (own,) = (source for source in stubs if f'exercise("{found.id}")' in source)
        exec(f"{imports}\n{own}", {"__name__": "__main__"})
        assert found.judge(None).message in capsys.readouterr().out


@pytest.mark.parametrize("found", ALL, ids=lambda found: found.id)
def test_judging_is_repeatable_and_leaves_the_random_state(found):
    torch.manual_seed(3)
    before = torch.get_rng_state()
    first = found.judge(found.reference)
    assert torch.equal(before, torch.get_rng_state())
    torch.manual_seed(4)
    assert found.judge(found.reference) == first


@pytest.mark.parametrize("found", ALL, ids=lambda found: found.id)
def test_any_answer_gets_a_verdict(found):
    def crash(*args, **kwargs):
        raise ZeroDivisionError("나누기\n둘째 줄")

    def returning(result):
        return lambda *args, **kwargs: result

    nan = torch.full((2, 3), torch.nan)
    results = [7, "글", (1, 2), torch.zeros(2, 3), nan, (nan, nan)]
    strange = [crash, 7, "글", [], (), torch.zeros(0), torch.tensor(1.0), nn.Identity, int, lambda: 1]
    for answer in [*strange, *map(returning, results)]:
        verdict = found.judge(answer)
        assert verdict.message and verdict.status != "unsolved", (found.id, answer, verdict)
        if callable(found.reference):  # where the answer is a number, one of these may be it
            assert verdict.status == "failed", (found.id, answer, verdict)


# ---- the machinery, on planted exercises ---------------------------------------------------------------------------


def double(x):
    return 2 * x


def test_gradients_flow_through_the_copies():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    call(double, x).sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]


def test_containers_are_copied_too():
    tokens = ["배", "를"]
    with pytest.raises(Wrong) as caught:
        call(lambda words: words.append("타다") or words, tokens)
    assert caught.value.facts == {"place": 1} and tokens == ["배", "를"]
    with pytest.raises(Wrong) as caught:
        call(lambda ids: ids.__setitem__(0, -1) or ids, [None, 3])
    assert caught.value.facts == {"place": 1}
    with pytest.raises(Wrong) as caught:
        call(lambda x, *, mask: mask.fill_(True), torch.ones(2), mask=torch.tensor([True, False]))
    assert caught.value.facts == {"place": 2}


# ---- what the learner calls ----------------------------------------------------------------------------------------


def test_unknown_exercises_are_named():
    with pytest.raises(ValueError, match=r"02\.9.*02\.1, 02\.2, 02\.3"):
        exercise("02.9")
    with pytest.raises(ValueError, match=r"99\.1.*02"):
        exercise("99.1")
    for strange in ("2.1", "02", "", None, 2.1, "02.1; import os"):
        with pytest.raises(ValueError, match=r"02\.1"):
            exercise(strange)


@pytest.mark.rare
def test_only_the_notebook_asked_for_is_imported():
    code = (
        "import sys, course_utils.exercises as e\n"
        "loaded = lambda: {n.split('.')[1][:2] for n in sys.modules if n.startswith('lessons.')}\n"
        "assert loaded() == set()\ne.exercise('02.1')\nassert loaded() == {'02'}, loaded()"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_check_prints_and_never_raises(capsys):
    def crash(*args):
        raise KeyError

    assert exercise("02.1").check(crash) is None
    assert exercise("02.1").check(...) is None
    printed = capsys.readouterr().out.splitlines()
    assert printed[0].startswith("✗ 02.1") and printed[0].endswith("KeyError")
    assert printed[1] == exercise("02.1").judge(None).message


def test_hints_come_one_by_one_and_the_last_stays(capsys):
    found = Exercise("02.1", level="core", reference=double)
    hints = text("lessons.02.02.1.hints")
    for _ in range(len(hints) + 2):
        found.hint()
    lines = capsys.readouterr().out.splitlines()
    shown = [line for line in lines if line != text("exercises.words.no_more_hints")]
    assert len(lines) == len(hints) + 4
    assert [any(hint in line for hint in hints) for line in shown] == [True] * (len(hints) + 2)
    assert shown[-1] == shown[-2] == shown[len(hints) - 1] != shown[0]


def test_progress_is_unsolved_in_an_empty_folder(capsys):
    exercise("02.1").check(...)
    progress()
    lines = capsys.readouterr().out.splitlines()[1:]  # the first is the verdict
    assert "●" not in "".join(lines)
    assert sum(line.count("○") for line in lines) == len(ALL)


def test_progress_after_solving_and_export(capsys, tmp_path):
    found = exercise("02.2")
    found.check(lambda q, k, v: (q, k))
    found.check(found.reference)
    capsys.readouterr()
    progress()
    line = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("02 "))
    assert "○●○" in line and "1/3" in line
    export_progress(tmp_path / "kim.json", name="김배")
    assert str(tmp_path) not in capsys.readouterr().out
    content = (tmp_path / "kim.json").read_text(encoding="utf-8")
    assert '\n  "name": "김배"' in content  # a lecturer can read it as it is
    report = json.loads(content)
    assert report["passed"] == 1 and report["total"] == len(ALL) and report["name"] == "김배"
    assert report["exercises"]["02.2"]["attempts"] == 2
    assert report["exercises"]["02.1"]["status"] == "unsolved"
    export_progress(tmp_path / "no such folder" / "kim.json")
    assert "kim.json" in capsys.readouterr().out


OTHER_FORMS = [
    ("00.3", "one_side", lambda x: x @ torch.nn.functional.normalize(x, dim=-1).T),
    ("15.2", "clamped", lambda weights: -(weights.clamp(min=1e-3) * weights.clamp(min=1e-3).log2()).sum(-1)),
    ("15.2", "clamped", lambda weights: -(weights * (weights + 1e-3).log2()).sum(-1)),
]


@pytest.mark.parametrize(("id", "reason", "answer"), OTHER_FORMS)
def test_another_form_of_a_mistake_has_its_reason(id, reason, answer):
    assert exercise(id).judge(answer).reason == reason


def test_in_a_notebook_the_verdict_is_a_card(monkeypatch):
    def torn(query, key):
        raise ValueError("\ud800")

    cards, found = [], exercise("02.1")
    monkeypatch.setattr(core, "get_ipython", object)
    monkeypatch.setattr(core, "display", cards.append)
    for answer in (..., torn, found.reference):
        found.check(answer)
    assert [card.picture["state"] for card in cards] == ["", "wrong", "right"]
    assert "ValueError: \\ud800" in cards[1].summary  # has bytes to be sent as
    assert [card.picture["marks"] for card in cards] == ["○○○  0/3"] * 2 + ["●○○  1/3"]
    data, _ = cards[0]._repr_mimebundle_()
    assert data["text/plain"] == found.judge(...).message  # as nbval and a terminal see it
    assert "2/" not in told(cards[0], "hint 1") and "2/" in told(cards[0], "hint 2")
    assert ProgressStore().load()[0]["02.1"]["hints_seen"] == 2
    solution = told(cards[0], "solution")
    assert "def similarity_scores" in solution and text("lessons.02.02.1.why") in solution
    assert "02  ●○○  1/3  " in told(cards[0], "progress") and cards[0].picture["marks"] == "●○○  1/3"


def told(card, part):
    card.asked = part
    return card.picture["opened"]
