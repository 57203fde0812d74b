"""Every exercise: the solution passes, stubs are unsolved, wrong answers fail for their own reason."""

import inspect
import json
import subprocess
import sys

import pytest
import torch
from torch import nn

from course_utils.exercises import (
    Exercise,
    Wrong,
    exercise,
    exercises_of,
    export_progress,
    notebooks,
    progress,
)
from course_utils.exercises.calling import describe
from course_utils.exercises.core import call, expect_close, expect_tensor, expect_tuple
from course_utils.locale import raw_texts, text
from course_utils.support.lessons import lesson_module
from tests.exercises import audit, wrong_10
from tests.exercises.said import FOLDER, judged, nearly_right, said, without_near, wrong_answers

NUMBERS = notebooks()
ALL = [found for number in NUMBERS for found in exercises_of(number)]
# Those whose check is code; the others are test_data.py's.
CHECKED = [found for found in ALL if not found.is_data]
CHECKED_NUMBERS = sorted({found.id[:2] for found in CHECKED})


# ---- the course's exercises ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", NUMBERS)
def test_levels(number):
    assert audit.audit_levels(exercises_of(number)) == []


@pytest.mark.parametrize("number", NUMBERS)
def test_ids_are_numbered(number):
    ids = [found.id for found in exercises_of(number)]
    assert ids == [f"{number}.{index}" for index in range(1, len(ids) + 1)]


@pytest.mark.parametrize(
    "language", ["ko", pytest.param("en", marks=pytest.mark.rare)]
)  # each is judged anew
@pytest.mark.parametrize("found", CHECKED, ids=lambda found: found.id)
def test_texts_and_verdicts(found, language, monkeypatch):
    monkeypatch.setenv("COURSE_LANG", language)
    wrong = wrong_answers(found.id[:2])[found.id]
    assert audit.audit_texts(found) + audit.audit_verdicts(found, wrong, judged) == []


@pytest.mark.parametrize("language", ["ko", "en"])
@pytest.mark.parametrize("number", CHECKED_NUMBERS)
def test_reasons(number, language, monkeypatch):
    monkeypatch.setenv("COURSE_LANG", language)
    source = inspect.getsource(lesson_module(number))
    specific = {
        found.id: raw_texts(language, f"lessons.{number}")[found.id]["wrong"]
        for found in exercises_of(number)
    }
    assert audit.audit_reasons(source, specific, wrong_answers(number)) == []


@pytest.mark.parametrize("number", NUMBERS)
def test_stubs_of_the_notebook(number):
    notebook = audit.notebook_of(number)
    if notebook is not None:
        assert audit.audit_stubs(notebook, exercises_of(number)) == []


def test_every_notebook_has_exercises():
    existing = [path.name[:2] for path in sorted(audit.NOTEBOOKS.glob("[0-9][0-9]_*.ipynb"))]
    assert [number for number in existing if number not in NUMBERS] == []


@pytest.mark.parametrize("found", ALL, ids=lambda found: found.id)
def test_judging_is_repeatable_and_leaves_the_random_state(found):
    torch.manual_seed(3)
    before = torch.get_rng_state()
    first = found.judge(found.reference)
    assert torch.equal(before, torch.get_rng_state())
    torch.manual_seed(4)
    assert found.judge(found.reference) == first
    assert found.judge(lambda *args, **kwargs: torch.zeros(1)) == found.judge(
        lambda *args, **kwargs: torch.zeros(1)
    )


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


FUNCTIONS = [found for found in CHECKED if inspect.isfunction(found.reference)]


@pytest.mark.parametrize("found", FUNCTIONS, ids=lambda found: found.id)
@pytest.mark.rare
def test_an_answer_that_is_a_thousandth_off_or_wrong_for_one_input_is_wrong(found, monkeypatch):
    monkeypatch.setenv("COURSE_LANG", "en")  # as in what the checks say
    answers = nearly_right(found)
    assert answers and [name for name, answer in answers if judged(found, answer).status != "failed"] == []


@pytest.mark.parametrize(
    "near", [False, pytest.param(True, marks=pytest.mark.rare)], ids=["wrong", "and nearly right"]
)
@pytest.mark.parametrize("number", CHECKED_NUMBERS)
def test_what_the_checks_say(number, near):
    """Every word and number; see said.py for how to renew the file."""
    text = (FOLDER / f"{number}.txt").read_text(encoding="utf-8")
    assert said(number, near=near) == (text if near else without_near(text))


@pytest.mark.parametrize("found", FUNCTIONS, ids=lambda found: found.id)
def test_a_number_may_be_a_tensor(found):
    def boxed(*args, **kwargs):
        as_tensor = lambda value: torch.tensor(value, dtype=torch.float64)  # noqa: E731
        result = found.reference(*args, **kwargs)
        return as_tensor(result) if isinstance(result, float) else result

    assert found.judge(boxed).status == "passed"


def test_an_error_of_an_answer_can_be_read():
    assert str(Wrong("shape", expected=3)) == "shape"


# ---- the machinery, on planted exercises ---------------------------------------------------------------------------


def double(x):
    return 2 * x


def check_double(answer):
    x = torch.tensor([1.0, -3.0, 5.0])
    result = expect_tensor(call(answer, x), shape=(3,), dtype=x.dtype)
    expect_close(result, 2 * x)


def check_nameless(answer):
    raise Wrong("no_such_text")


PLANTED = Exercise("02.1", level="core", check=check_double, solution=double)  # borrows the texts of 02.1


def judge(answer):
    verdict = PLANTED.judge(answer)
    return verdict.status, verdict.reason


def test_generic_reasons():
    def in_place(x):
        return x.mul_(2)

    def reshaping(x):
        x.unsqueeze_(0)
        return torch.tensor([2.0, -6.0, 10.0])

    def crash(x):
        raise RuntimeError("첫 줄\n둘째 줄")

    assert judge(double) == ("passed", None)
    assert judge(in_place) == judge(reshaping) == ("failed", "mutates_input")
    assert judge(crash) == ("failed", "raised")
    assert PLANTED.judge(crash).message.endswith("RuntimeError: 첫 줄")
    assert judge(lambda x: [2.0]) == ("failed", "type")
    assert judge(lambda x: x[:2]) == ("failed", "shape")
    assert judge(lambda x: 2 * x.double()) == ("failed", "dtype")
    assert judge(lambda x: x * torch.nan) == ("failed", "value")
    assert judge(torch.tensor([2.0])) == ("failed", "not_callable")
    assert judge(lambda x: exit()) == ("failed", "raised")
    assert judge(lambda x: torch.ones(2, 2).bool() @ torch.ones(2, 2).bool()) == ("failed", "raised")


def test_stubs_are_unsolved():
    class Stub(nn.Module):
        def __init__(self, size):
            super().__init__()
            ...

        def forward(self, x): ...

    class Bare(Stub):
        def __init__(self, size): ...

    def check_module(answer):
        expect_tensor(call(call(answer, 3), torch.ones(3)))

    module = Exercise("02.1", level="core", check=check_module, solution=nn.Identity)
    assert module.judge(Stub).status == module.judge(Bare).status == "unsolved"
    assert module.judge(nn.Identity).status == "passed"
    assert judge(lambda x: (None, ...)) == ("unsolved", None)
    assert judge(lambda x: ()) == ("failed", "type")


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


def test_expect_tuple():
    assert expect_tuple((1, 2), 2) == (1, 2)
    for result in (1, (1, 2, 3), torch.ones(2)):
        with pytest.raises(Wrong) as caught:
            expect_tuple(result, 2)
        assert caught.value.reason == "tuple"


def test_expect_close_points_to_the_largest_difference():
    with pytest.raises(Wrong) as caught:
        expect_close(torch.tensor([[1.0, 2.0], [3.0, 9.0]]), torch.tensor([[1.0, 2.5], [3.0, 4.0]]))
    assert caught.value.facts == {"index": (1, 1), "expected": "4", "actual": "9"}


def test_expect_close_shows_a_small_difference():
    with pytest.raises(Wrong) as caught:
        expect_close(torch.tensor([10.001, -0.0]), torch.tensor([10.0, 0.0]))
    assert caught.value.facts == {"index": (0,), "expected": "10", "actual": "10.001"}


def test_own_text_goes_before_the_generic_one(monkeypatch):
    def check(answer):
        raise Wrong("no_scale", expected=3, actual=6)

    own = Exercise("02.1", level="core", check=check, solution=double).judge(double)
    assert own.message == text(
        "exercises.verdict.failed",
        id="02.1",
        message=text("lessons.02.02.1.wrong.no_scale", expected=3, actual=6),
    )


def test_the_audit_notices():
    assert len(audit.audit_levels([PLANTED])) == 3  # too few, two levels missing
    sleeper = Exercise("02.1", level="core", check=lambda answer: None, solution=double)
    faults = audit.audit_verdicts(sleeper, {"no_scale": abs})
    assert sum("a stub is passed" in fault for fault in faults) == 3
    assert any("1 wrong answers" in fault for fault in faults) and any(
        "no_scale is passed" in fault for fault in faults
    )
    strict = Exercise("02.1", level="core", check=lambda answer: call(answer, "글").x, solution=double)
    assert any("the solution fails" in fault for fault in audit.audit_verdicts(strict, {}))
    nameless = Exercise("02.1", level="core", check=check_nameless, solution=double)
    assert any("has no text" in fault for fault in audit.audit_verdicts(nameless, {"no_such_text": abs}))
    same = {"shape": lambda x: x[:2], "type": lambda x: x[:2]}
    faults = audit.audit_verdicts(PLANTED, same)
    assert any("type is failed for shape" in fault for fault in faults)
    assert any("told the same" in fault for fault in faults)


def test_the_audit_reads_reasons():
    source = 'raise Wrong("one" if x else "one", a=1)\nraise Wrong(name)\n'
    source += 'expect_close(a, b, "two")\nexpect_close(a, b, reason="three")'
    assert audit.reasons_raised(source) == {"one", "two", "three"}
    faults = audit.audit_reasons(
        source, {"02.1": {"one": "…", "two": "…", "four": "…", "shape": "…"}}, {"02.1": {"one": 1}}
    )
    assert faults == [
        "no text for reason three",
        "02.1: the text four belongs to no wrong answer",
        "02.1: the text two belongs to no wrong answer",
    ]


def write_notebook(folder, *cells):
    def cell(tag, source):
        return {"cell_type": "code", "metadata": {"tags": [tag]}, "source": source.splitlines(keepends=True)}

    path = folder / "02_planted.ipynb"
    path.write_text(json.dumps({"cells": [cell(*given) for given in cells]}), encoding="utf-8")
    return path


def test_the_audit_runs_stub_cells(tmp_path):
    imports = ("imports", "from course_utils.exercises import exercise\nimport math")
    stub = 'def f(query, key):\n    math.pi\n    ...\nexercise("02.1").check(f)'
    only = [exercise("02.1")]
    assert audit.audit_stubs(write_notebook(tmp_path, imports, ("exercise", stub)), only) == []
    solved = stub.replace("    ...", "    return query @ key.T")
    assert "√d_k" in audit.audit_stubs(write_notebook(tmp_path, imports, ("exercise", solved)), only)[0]
    assert audit.audit_stubs(write_notebook(tmp_path, imports, ("other", stub)), only) != []
    stray = ("exercise", 'exercise("02.7")')
    assert audit.audit_stubs(write_notebook(tmp_path, imports, ("exercise", stub), stray), only) != []


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


def test_repr_is_fixed():
    assert repr(exercise("02.1")) == "[연습 문제 02.1] 쿼리와 키의 유사도 점수 (몸풀기)"


def test_check_prints_and_never_raises(capsys):
    def crash(*args):
        raise KeyError

    assert exercise("02.1").check(crash) is None
    assert exercise("02.1").check(...) is None
    printed = capsys.readouterr().out.splitlines()
    assert printed[0].startswith("✗ 02.1") and printed[0].endswith("KeyError")
    assert printed[1] == exercise("02.1").judge(None).message


def test_hints_come_one_by_one_and_the_last_stays(capsys):
    found = Exercise("02.1", level="core", check=check_double, solution=double)
    hints = text("lessons.02.02.1.hints")
    for _ in range(len(hints) + 2):
        found.hint()
    lines = capsys.readouterr().out.splitlines()
    shown = [line for line in lines if line != text("exercises.words.no_more_hints")]
    assert len(lines) == len(hints) + 4
    assert [any(hint in line for hint in hints) for line in shown] == [True] * (len(hints) + 2)
    assert shown[-1] == shown[-2] == shown[len(hints) - 1] != shown[0]


def test_solution_shows_source_and_reason(capsys):
    exercise("02.1").solution()
    printed = capsys.readouterr().out
    assert "def similarity_scores" in printed and text("lessons.02.02.1.why") in printed


def test_a_plain_value_is_an_answer_too(capsys):
    def check(answer):
        if answer != 7:
            raise Wrong("value", index=0, expected=7, actual=answer)

    plain = Exercise("02.1", level="core", check=check, solution=7)
    assert plain.judge(7).status == "passed" and plain.judge(8).reason == "value"
    plain.solution()
    assert "\n7\n" in capsys.readouterr().out


def test_level_is_checked():
    with pytest.raises(ValueError, match="level"):
        Exercise("02.1", level="hard", check=check_double, solution=double)


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


def test_describe_is_one_line():
    assert describe(ValueError("하나\n둘")) == "ValueError: 하나"
    assert describe(ValueError()) == "ValueError"


def test_wrong_answers_that_random_faults_found_unnamed():
    def over_tokens(x, weight, bias, eps):  # with torch's own n − 1, which is the other usual mistake
        return (x - x.mean(dim=0)) / (x.var(dim=0) + eps).sqrt() * weight + bias

    assert exercise("06.1").judge(over_tokens).reason == "over_tokens"


@pytest.mark.parametrize(
    ("reason", "gap"), [("no_layer_norm", wrong_10._norms), ("no_bias", wrong_10._biases)]
)
def test_a_count_that_goes_wrong_with_the_heads_only(reason, gap):
    assert exercise("10.2").judge(wrong_10._count(gap, only_heads=True)).reason == reason


OTHER_FORMS = [
    ("00.3", "one_side", lambda x: x @ torch.nn.functional.normalize(x, dim=-1).T),
    (
        "10.1",
        "no_final_sep",
        wrong_10._pair(
            lambda ids, *rest, used, pad, **_: (ids[: used - 1] + [pad] * (len(ids) - used), *rest)
        ),
    ),
]


@pytest.mark.parametrize(("id", "reason", "answer"), OTHER_FORMS)
def test_another_form_of_a_mistake_has_its_reason(id, reason, answer):
    assert exercise(id).judge(answer).reason == reason


def test_the_odd_place_may_go_to_either():
    def to_first(first, second, room):
        second, first = exercise("10.3").reference(second, first, room)
        return first, second

    assert to_first("abcd", "efgh", 5) != exercise("10.3").reference("abcd", "efgh", 5)
    assert exercise("10.3").judge(to_first).status == "passed"
