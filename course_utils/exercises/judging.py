"""Judging an answer by the data of its exercise: the first departure from the reference, and the name for it.

An answer is run on every case. Where it departs, it is told the first of these:

    the mistake that does the same there, and was right on all cases before      reason = its name
    the sign that holds of the departure                                         reason = its name
    {case}_{part}_{kind}, {case}_{kind}, {case}_{part}, {case}, {part}, {kind}   the first that has a text;
                                 a case and a part alone only where values differ; a case up to its first blank

Then its gradients are compared, then the properties looked at, then what it may not use.
"""

from __future__ import annotations

import inspect
import io
from collections.abc import Callable, Iterator
from contextlib import nullcontext, redirect_stdout, suppress
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from course_utils.exercises.calling import (
    Unsolved,
    Wrong,
    call,
    copy_of,
    describe,
    is_written,
    line_of,
    name_of,
    seed_all,
    stop_if_stub,
)
from course_utils.exercises.forbidden import Watch, refuse_autograd
from course_utils.exercises.values import Departure, Rule, Shown, briefly, departure
from course_utils.locale import text

Given = tuple[Any, ...]


@dataclass(frozen=True)
class Raised:
    """What a function did instead of returning; `line` says where."""

    kind: str
    said: str
    line: str = ""


@dataclass(frozen=True)
class Found:
    """A departure, with all that a sign or a fact may ask of it.

    Attributes:
        case: its name. given: the inputs. right, yours: both results, or Raised.
        kind, index, part, expected, actual: of the first difference.
    """

    case: str
    given: Given
    right: Any
    yours: Any
    difference: Departure
    answer: Any = None

    @property
    def kind(self) -> str:
        return self.difference.kind


def judge(exercise: Any, answer: Any) -> None:
    """Return if the answer to a core.Exercise is right.

    Raises:
        Unsolved: if it is the stub.
        Wrong: with the reason and its facts.
    """
    stop_if_stub(answer)
    judging = Judging(exercise)
    watch = Watch(exercise.forbids)
    judging.compare_values(answer, watch)
    if exercise.gradients:
        judging.compare_gradients(answer)
    for reason, broken in exercise.properties.items():
        seed_all(1)
        if facts := broken(answer):
            raise Wrong(reason, **(facts if isinstance(facts, dict) else {}))
    if "autograd" in exercise.forbids:
        refuse_autograd(lambda *given: exercise.run(answer, *given), *judging.inputs[-1][1])
    if watch.used:
        used = min(watch.used, key=lambda name: "." in name)  # rather a function than a module
        raise Wrong("torch" if watch.used[0] == "torch" else "ready_made", used=used)


class Judging:
    """The inputs of an exercise, drawn once, and what its functions make of them."""

    def __init__(self, exercise: Any) -> None:
        self.exercise = exercise
        self.rule = Rule(
            exercise.atol, exercise.strict, tuple(exercise.parts.values()) if exercise.parts else None
        )
        self.inputs: list[tuple[str, Given]] = []
        for place, (case, make) in enumerate(exercise.cases.items()):
            seed_all(place)
            made = make()
            self.inputs += [(case, given) for given in (made if isinstance(made, list) else [made])]

    # ---- values

    def compare_values(self, answer: Any, watch: Watch) -> None:
        for case in self.exercise.cases:
            if found := self._smallest_departure(case, answer, watch):
                raise self._named(found)

    def _smallest_departure(self, case: str, answer: Any, watch: Any = None) -> Found | None:
        """Of the inputs of a case on which the answer departs, the smallest."""
        found = []
        for place, (name, given) in enumerate(self.inputs):
            if name != case:
                continue
            right = self._outcome(self.exercise.reference, given)
            with watch or nullcontext():
                yours = self._answered(answer, given, first=place == 0)
            if difference := self._difference(yours, right):
                found.append(Found(case, given, right, yours, difference, answer))
        return min(found, key=lambda one: (one.kind == "raised", _size(one.given)), default=None)

    def _answered(self, answer: Any, given: Given, *, first: bool) -> Any:
        """What the answer does with copies of the inputs."""
        seed_all(1)
        try:
            return self._run_answer(answer, given)
        except Wrong as wrong:
            if wrong.reason == "no_return":
                raise self._no_return(answer, given) from None
            if wrong.reason != "raised":
                raise
            cause = wrong.__cause__
            return Raised(type(cause).__name__, describe(cause), line_of(cause))
        except Unsolved as stub:
            # None from a body that holds something; the hole `...` may come through one as well.
            forgotten = set(stub.args) == {None} and is_written(answer)
            if first and not forgotten:
                raise
            raise self._no_return(answer, given) from None

    def _no_return(self, answer: Any, given: Given) -> Wrong:
        """For these inputs alone, where others have a result."""
        with redirect_stdout(io.StringIO()):
            for _, other in self.inputs:
                with suppress(Exception):
                    self._run_answer(answer, other)
                    said = map(briefly, given)
                    named = ", ".join(f"{name} = {value}" for name, value in zip(self._names(), said))
                    return Wrong("no_return_here", given=named)
        return Wrong("no_return")

    def _run_answer(self, answer: Any, given: Given) -> Any:
        run = self.exercise.run
        if not self.exercise.is_function:
            return answer
        if run is _plainly:
            return call(answer, *given)
        if not callable(answer):
            raise Wrong("not_callable", actual=name_of(answer))
        return call(lambda *copies: run(answer, *copies), *given)

    def _outcome(self, function: Any, given: Given) -> Any:
        """What the reference or a mistake does."""
        if not self.exercise.is_function:
            return function
        seed_all(1)
        try:
            return self.exercise.run(function, *copy_of(given))
        except Exception as error:
            return Raised(type(error).__name__, describe(error))

    def _difference(self, result: Any, right: Any) -> Departure | None:
        if isinstance(right, Raised):
            if not isinstance(result, Raised):
                kind = "returned_error" if isinstance(result, BaseException) else "no_error"
                return Departure(kind, right.kind, Shown(result))
            return None if result.kind == right.kind else Departure("other_error", right.kind, result.kind)
        if isinstance(result, Raised):
            return Departure("raised", Shown(right, self.exercise.show), result.said + result.line)
        if self.exercise.compare:
            return self.exercise.compare(result, right)
        return departure(result, right, self.rule)

    # ---- the name for a departure

    def _named(self, found: Found) -> Wrong:
        if reason := self._mistake(found):
            found = self._departure_at(reason, found) or found
        else:
            reason = self._sign(found) or self.exercise.first_text(*self._candidates(found))
        return Wrong(reason, **self.facts(found, reason))

    def _departure_at(self, case: str, found: Found) -> Found | None:
        """A mistake that has the name of a case is shown there."""
        return None if case == found.case else self._smallest_departure(case, found.answer)

    def _mistake(self, found: Found) -> str | None:
        """The mistake that does the same; of several, the one that does the same most often."""
        for alike in (self._same, self._same_shape):
            fitting = [
                (reason, wrong)
                for reason, wrongs in self.exercise.mistakes.items()
                for wrong in _each(wrongs)
                if alike(found, wrong) and self._right_before(found, wrong)
            ]
            if len({reason for reason, _ in fitting}) > 1:
                return max(fitting, key=lambda one: self._agreements(found.answer, one[1]))[0]
            if fitting:
                return fitting[0][0]
        return None

    def _agreements(self, answer: Any, wrong: Any) -> int:
        """On how many inputs two answers do the same."""
        agreed = 0
        for _, given in self.inputs:
            with suppress(Exception):
                yours = self._answered(answer, given, first=False)
                agreed += not self._difference(yours, self._outcome(wrong, given))
        return agreed

    def _same(self, found: Found, wrong: Any) -> bool:
        outcome = self._outcome(wrong, found.given)
        if not self._difference(outcome, found.right):  # a mistake that is no mistake here
            return False
        if isinstance(found.yours, Raised) or isinstance(outcome, Raised):
            alike = isinstance(found.yours, Raised) and isinstance(outcome, Raised)
            said = found.case != self.inputs[0][0] or (alike and found.yours.said == outcome.said)
            return alike and found.yours.kind == outcome.kind and said  # any slip may stop at the first case
        try:
            return not self._difference(found.yours, outcome)
        except Exception:  # results of other kinds than the reference's
            return False

    def _same_shape(self, found: Found, wrong: Any) -> bool:
        if found.kind != "shape":
            return False
        shapes = [_shapes(self._outcome(wrong, found.given)), _shapes(found.yours)]
        return shapes[0] == shapes[1] != _shapes(found.right)

    def _right_before(self, found: Found, wrong: Any) -> bool:
        for case, given in self.inputs:
            if case == found.case:
                return True
            if self._difference(self._outcome(wrong, given), self._outcome(self.exercise.reference, given)):
                return False
        return True

    def _sign(self, found: Found) -> str | None:
        if isinstance(found.yours, Raised):
            return None
        for reason, holds in self.exercise.signs.items():
            with suppress(Exception):  # it speaks of another kind of result
                if holds(found) and self.facts(found, reason):
                    return reason
        return None

    def _candidates(self, found: Found) -> Iterator[str]:
        """The texts that may speak of a departure, the most exact first; a case speaks of wrong values."""
        case, part, kind = found.case.split(" ")[0], self._part(found.difference.part), found.kind
        yield from (f"{case}_{part}_{kind}", f"{case}_{kind}")
        if kind == "value":
            yield from (f"{case}_{part}", case)
        yield from (f"{part}_{kind}", part if kind == "value" else "", kind, "value")

    def _part(self, place: int | None) -> str:
        """The name of a part of the result."""
        names = {index: name for name, index in (self.exercise.parts or {}).items()}
        return names.get(place, "")

    def facts(self, found: Found, reason: str) -> dict[str, Any]:
        """All that a text may name; see core.Exercise."""
        difference, show = found.difference, self.exercise.show
        inputs = {name: Shown(value) for name, value in zip(self._names(), found.given)}
        facts = inputs | {
            "case": found.case,
            "index": _flat(difference.index),
            "expected": difference.expected,
            "actual": difference.actual,
            "right": found.right.said if isinstance(found.right, Raised) else Shown(found.right, show),
            "yours": found.yours.said if isinstance(found.yours, Raised) else Shown(found.yours, show),
            "error": found.yours.said + found.yours.line if isinstance(found.yours, Raised) else "",
        }
        for key in ("*", reason):
            if own := self.exercise.facts.get(key):
                facts |= own(found)
        return facts

    def _names(self) -> list[str]:
        if not self.exercise.is_function:
            return []
        if self.exercise.run is not _plainly:
            return list(inspect.signature(self.exercise.run).parameters)[1:]
        return list(inspect.signature(self.exercise.reference).parameters)

    # ---- gradients

    def compare_gradients(self, answer: Any) -> None:
        for place, (case, given) in enumerate(self.inputs):
            if not any(_is_float(value) for value in given):
                continue
            self._compare_gradients_of(answer, case, given, place)

    def _compare_gradients_of(self, answer: Any, case: str, given: Given, place: int) -> None:
        leaves = [_leaf(value, wide=True) for value in given]
        right = self._outcome(self.exercise.reference, tuple(leaves))
        if not any(_has_graph(part) for part in _parts(right)):
            return
        yours = self._answered(answer, tuple(leaves), first=False)
        # What stops in float64 is looked at in its own dtype.
        if isinstance(yours, Raised) and "requires grad" not in yours.said:
            leaves = [_leaf(value, wide=False) for value in given]
            right = self._outcome(self.exercise.reference, tuple(leaves))
            yours = self._answered(answer, tuple(leaves), first=False)
        names = [name for name, value in zip(self._names(), given) if _is_float(value)]
        sources = [leaf for leaf in leaves if _is_float(leaf)]
        parts, mine = _parts(right), _parts(yours)
        told = {"case": case, "whence": text("exercises.words.whole")} | {
            name: Shown(value) for name, value in zip(self._names(), given)
        }
        if isinstance(yours, Raised):
            raise Wrong(
                "no_gradient" if "requires grad" in yours.said else "raised",
                error=yours.said + yours.line,
                **told,
            )
        anything = any(_has_graph(part) for part in mine)
        one_of = isinstance(right, tuple) and anything
        for number, part in enumerate(parts):
            if not _has_graph(part):
                continue
            if one_of:
                told["whence"] = text("exercises.words.part", place=number + 1)
            seed_all(place)
            upstream = torch.randn(part.shape, dtype=torch.float64).to(part.dtype)
            wanted = torch.autograd.grad(part, sources, upstream, retain_graph=True, allow_unused=True)
            name = self._part(number if isinstance(right, tuple) else None)
            if not _has_graph(mine[number]) and all(one is None or not one.any() for one in wanted):
                continue  # a loop that rightly returns a constant
            if not _has_graph(mine[number]):
                kinds = [f"{name}_no_gradient", f"{name}_detached"] if anything else []
                raise Wrong(self.exercise.first_text(*kinds, "no_gradient"), **told | {"of": names[0]})
            upstream = upstream.to(mine[number].dtype)
            found = torch.autograd.grad(mine[number], sources, upstream, retain_graph=True, allow_unused=True)
            for of, one, other in zip(names, found, wanted):
                self._compare_gradient(one, other, name, told | {"of": of})

    def _compare_gradient(
        self, one: Tensor | None, other: Tensor | None, name: str, told: dict[str, Any]
    ) -> None:
        if other is None or (one is None and not other.any()):
            return
        if one is None:
            kind, facts = "detached", {}
        else:
            difference = departure(one, other, Rule(self.exercise.atol * 10))
            if difference is None:
                return
            kind = "nan_gradient" if one.isnan().any() else "gradient"
            facts = {"expected": difference.expected, "actual": difference.actual}
            facts |= {"index": _flat(difference.index), "yours": Shown(one)}
        case = told["case"]
        kinds = (f"{case}_{kind}", f"{name}_{kind}", kind, f"{case}_gradient", "gradient")
        raise Wrong(self.exercise.first_text(*kinds), **told | facts)


def _plainly(answer: Callable[..., Any], *given: Any) -> Any:
    """How an answer is used unless an exercise says otherwise: it is called."""
    return answer(*given)


def _each(wrongs: Any) -> list[Any]:
    return wrongs if isinstance(wrongs, Several) else [wrongs]


class Several(list):
    """Several wrong answers under one reason: Several(one, other), or of a list, as with max()."""

    def __init__(self, *wrongs: Any) -> None:
        super().__init__(wrongs[0] if len(wrongs) == 1 else wrongs)


def _parts(result: Any) -> list[Any]:
    return list(result) if isinstance(result, tuple | list) else [result]


def _has_graph(part: Any) -> bool:
    return isinstance(part, Tensor) and part.requires_grad


def _is_float(value: Any) -> bool:
    return isinstance(value, Tensor) and value.is_floating_point()


def _leaf(value: Any, *, wide: bool) -> Any:
    """A float input as a leaf of the graph; float32 in float64, where rounding hides nothing."""
    if not _is_float(value):
        return value
    value = value.double() if wide and value.dtype == torch.float32 else value.clone()
    return value.detach().requires_grad_()


def _shapes(result: Any) -> Any:
    if isinstance(result, tuple | list):
        return [_shapes(part) for part in result]
    return tuple(result.shape) if isinstance(result, Tensor) else type(result)


def _size(value: Any) -> int:
    """How much there is to look at."""
    if isinstance(value, Tensor):
        return value.numel()
    if isinstance(value, dict):
        return sum(_size(key) + _size(item) for key, item in value.items()) + 1
    if isinstance(value, tuple | list):
        return sum(map(_size, value)) + 1
    return len(value) if isinstance(value, str) else 1


def _flat(index: Any) -> Any:
    """(3,) is shown as 3 where it is a place in a list or vector."""
    return index[0] if isinstance(index, tuple) and len(index) == 1 else index
