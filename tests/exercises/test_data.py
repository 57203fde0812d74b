"""Exercises that are data: each mistake is refused for its own reason, in a text; each honest form passes."""

import math
from pathlib import Path
from pkgutil import resolve_name

import pytest
import torch

from course_utils.exercises import exercises_of, notebooks
from course_utils.exercises.core import Several
from course_utils.locale import raw_texts, text
from course_utils.support.lessons import lesson_module

ALL = [found for number in notebooks() for found in exercises_of(number)]
FEWEST_FORMS = 6

each = pytest.mark.parametrize("found", ALL, ids=lambda found: found.id)


def mistakes_of(found):
    for reason, wrongs in found.mistakes.items():
        yield from ((reason, wrong) for wrong in (wrongs if isinstance(wrongs, Several) else [wrongs]))


def not_implemented(*args, **kwargs):
    raise NotImplementedError


@each
def test_the_reference_passes_and_stubs_are_unsolved(found):
    verdict = found.judge(found.reference)
    assert verdict.status == "passed", verdict.message
    stubs = [None, ..., lambda *args, **kwargs: None, lambda *args, **kwargs: ..., not_implemented]
    for stub in stubs if found.is_function and not isinstance(found.reference, type) else stubs[:2]:
        assert found.judge(stub).status == "unsolved"


@each
def test_a_forgotten_return_is_told(found):
    def forgotten(*args, **kwargs):
        found.reference(*args, **kwargs)

    verdict = found.judge(forgotten)
    assert verdict.reason == "no_return" and "return을 잊지 않았습니까?" in verdict.message


# each is judged anew
@pytest.mark.parametrize("language", ["ko", pytest.param("en", marks=pytest.mark.rare)])
@each
def test_each_mistake_is_refused_for_its_own_reason(found, language, monkeypatch):
    monkeypatch.setenv("COURSE_LANG", language)
    assert text(f"{found.key}.title") and text(f"{found.key}.why")
    assert len({*text(f"{found.key}.hints")}) in (2, 3)
    assert len(found.mistakes) >= 5
    reached, told = set(), {}
    for reason, wrong in mistakes_of(found):
        verdict = found.judge(wrong)
        assert (verdict.status, verdict.reason) == ("failed", reason), (reason, verdict)
        assert not verdict.message.endswith(text("exercises.wrong.other")), f"{reason}: no text or fact"
        assert told.setdefault(verdict.message, reason) == reason, f"{reason} is told as another"
        reached.add(reason)
    own = raw_texts(language, f"lessons.{found.id[:2]}")[found.id]["wrong"]
    assert set(own) - reached == set(), "texts that no mistake reaches"


def in_a_notebook(found):
    """What a lesson's right.py defines, in functions that belong to __main__, as a notebook's do."""
    path = Path(lesson_module(found.id[:2], "right").__file__)
    code = compile(path.read_text(encoding="utf-8"), path, "exec")
    exec(code, notebook := {"__name__": "__main__", "found": found})
    return notebook


@each
def test_each_honest_form_passes(found):
    forms = in_a_notebook(found)["RIGHT"][found.id]
    assert len(forms) >= FEWEST_FORMS
    for name, answer in forms.items():
        assert found.judge(answer).status == "passed", (name, found.judge(answer).message)


@each
def test_the_solution_is_no_answer(found):
    """Where something is forbidden, it is, too; and what is forbidden of the package exists."""
    assert all(resolve_name(name) for name in found.forbids if name.startswith("course_utils."))
    if found.is_function and set(found.forbids) - {"autograd"}:
        exec("def answer(*given):\n    return found.reference(*given)", notebook := in_a_notebook(found))
        assert found.judge(notebook["answer"]).reason == "ready_made"


def raised(result):
    """A result with a thousandth (of the largest number) added to each of its floats."""
    if isinstance(result, tuple | list):
        return type(result)(map(raised, result))
    if isinstance(result, torch.Tensor) and result.is_floating_point() and result.numel():
        return result + 1e-3 * max(1.0, float(result.detach().abs().max()))
    finite = isinstance(result, float) and math.isfinite(result)
    return result + 1e-3 * max(1.0, abs(result)) if finite else result


def in_another_dtype(result):
    if isinstance(result, tuple | list):
        return type(result)(map(in_another_dtype, result))
    floats = isinstance(result, torch.Tensor) and result.is_floating_point() and result.numel()
    return result.to(torch.float64 if result.dtype == torch.float32 else torch.float32) if floats else result


def detached(result):
    if isinstance(result, tuple | list):
        return type(result)(map(detached, result))
    return result.detach() if isinstance(result, torch.Tensor) else result


@pytest.mark.parametrize("changed", [raised, in_another_dtype, detached])
@each
def test_the_right_answer_is_refused_a_thousandth_off_in_another_dtype_or_without_gradient(found, changed):
    if not found.is_function or isinstance(found.reference, type):
        return
    if (changed is in_another_dtype and (not found.strict or found.compare)) or (
        changed is detached and not found.gradients
    ):
        return
    touched = []

    def off(*given):
        right = found.reference(*given)
        result = changed(right)
        touched.append(str(result) != str(right))
        return result

    verdict = found.judge(off)
    assert verdict.status == "failed" or not any(touched)
