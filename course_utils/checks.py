"""Show in a notebook that two values, or two modules, are the same.

A check prints one line that holds on any machine (shapes and the tolerance, never the measured difference), or raises
AssertionError saying what differs and where. A check that would compare nothing is an error of its own.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from course_utils.locale import text

SEED = 20177  # of the upstream gradient; any number
GRADIENT_SLACK = (
    10  # gradients are sums over tokens: their rounding is larger, relative to the largest of them
)


def check_same(actual: Any, expected: Any, *, atol: float = 1e-6) -> None:
    """Show that two values are the same in shape, dtype and values.

    Integers, booleans and strings must be equal, floats within atol; NaN equals NaN at the same place.

    Args:
        actual: tensor, array, number, string, or a tuple or list of these (None may stand inside).
        expected: the same kind. Against a tensor, plain numbers and nested lists of numbers take its dtype.
        atol: largest absolute difference between floats.

    Raises:
        AssertionError: if they differ; says in what, and where the difference is largest.
        ValueError: if there is nothing to compare, or atol is no tolerance.
        TypeError: if the values are of a kind that cannot be compared.
    """
    _check_atol(atol)
    found = [_compare(mine, theirs, atol, place) for place, mine, theirs in _pairs(actual, expected, "")]
    if not any(found):
        raise ValueError(text("checks.misuse.empty"))
    groups = [(what, len(list(group))) for what, group in groupby(filter(None, found))]
    print(
        text("checks.same.passed", what=" · ".join(f"{what} (×{n})" if n > 1 else what for what, n in groups))
    )


def check_same_module(
    mine: nn.Module,
    reference: nn.Module,
    *inputs: Any,
    rename: Mapping[str, str] | None = None,
    atol: float = 1e-6,
    **kwargs: Any,
) -> None:
    """Show that two modules compute the same, forwards and backwards, once they hold the same parameters.

    The reference's parameters are copied into `mine` (buffers are not: a table the module computes itself is compared
    through the output). Both run in eval mode on copies of the inputs; their train/eval modes, their .grad and the
    global random state are left as they were.

    Args:
        mine: the module to look at.
        reference: the module it should equal.
        inputs: what both are called with; at least one tensor here or in kwargs.
        rename: names in mine → names in reference; a name may be a parameter ("W_q.weight") or a submodule ("W_q").
        atol: largest absolute difference of outputs; gradients may differ by ten times as much, relative to the
            largest entry of the expected gradient where that is over 1.
        kwargs: further arguments of both.

    Raises:
        AssertionError: if parameters, outputs or gradients differ; names which.
        ValueError: if nothing would be compared, or rename does not fit.
        TypeError: if these are not modules, or their outputs are of an unknown kind.
    """
    _check_atol(atol)
    for module in (mine, reference):
        if not isinstance(module, nn.Module):
            raise TypeError(text("checks.misuse.no_module", kind=type(module).__name__))
    if mine is reference:
        raise ValueError(text("checks.misuse.identical"))
    if not any(isinstance(value, Tensor) and value.numel() for value in [*inputs, *kwargs.values()]):
        raise ValueError(text("checks.misuse.no_inputs"))
    names = _match_parameters(mine, reference, rename or {})
    _copy_parameters(mine, reference, names)

    my_outputs, my_leaves = _run(mine, inputs, kwargs, watch=True)
    outputs, leaves = _run(reference, inputs, kwargs, watch=False)
    pairs = list(_pairs(my_outputs, outputs, text("checks.module.output")))
    compared = [theirs for place, ours, theirs in pairs if _compare(ours, theirs, atol, place)]
    if not compared:
        raise ValueError(text("checks.misuse.empty"))

    my_parameters, parameters = dict(mine.named_parameters()), dict(reference.named_parameters())
    watched = {
        **{text("checks.module.input_gradient", name=key): (my_leaves[key], leaves[key]) for key in leaves},
        **{
            text("checks.module.parameter_gradient", name=key): (my_parameters[key], parameters[theirs])
            for key, theirs in names.items()
        },
    }
    differentiable = _compare_gradients(
        [ours for _, ours, _ in pairs], [theirs for _, _, theirs in pairs], watched, atol
    )
    print(
        text(
            "checks.module.passed" if differentiable else "checks.module.passed_exact",
            outputs=" · ".join(str(tuple(np.shape(theirs))) for theirs in compared),
            tensors=len(names),
            count=sum(parameter.numel() for parameter in parameters.values()),
            atol=atol,
        )
    )


# ---- values --------------------------------------------------------------------------------------------------------


def _check_atol(atol: float) -> None:
    if not isinstance(atol, numbers.Real) or not 0 <= atol < math.inf:
        raise ValueError(text("checks.misuse.atol", atol=repr(atol)))


def _pairs(actual: Any, expected: Any, place: str) -> Iterator[tuple[str, Any, Any]]:
    """Walk two tuples (or lists) side by side: (place, actual, expected) of every leaf."""
    nested = [isinstance(value, tuple | list) for value in (actual, expected)]
    if not any(nested):
        yield place, actual, expected
        return
    if not all(nested):
        # a list of numbers written by hand, against a tensor or an array
        by_hand = isinstance(actual, Tensor | np.ndarray) or isinstance(expected, Tensor | np.ndarray)
        if by_hand and not isinstance(actual, tuple) and not isinstance(expected, tuple):
            yield place, actual, expected
            return
        _fail(place, "kind", expected=_kind(expected), actual=_kind(actual))
    if len(actual) != len(expected):
        _fail(place, "length", expected=len(expected), actual=len(actual))
    for index, (mine, theirs) in enumerate(zip(actual, expected, strict=True), start=1):
        yield from _pairs(mine, theirs, f"{place} {index}".strip())


def _compare(actual: Any, expected: Any, atol: float, place: str = "") -> str:
    """Compare two leaves; returns what to say about them, "" for None against None."""
    if actual is None and expected is None:
        return ""
    if isinstance(actual, str) and isinstance(expected, str):
        if actual != expected:
            _fail(place, "value", expected=repr(expected), actual=repr(actual))
        return text("checks.same.number_exact", value=expected)
    plain = [isinstance(value, bool | numbers.Number) for value in (actual, expected)]
    if all(plain) and not isinstance(actual, np.generic) and not isinstance(expected, np.generic):
        return _compare_numbers(actual, expected, atol, place)
    if any(value is None or isinstance(value, str) for value in (actual, expected)):
        _fail(place, "kind", expected=_kind(expected), actual=_kind(actual))
    mine, theirs = _as_tensors(actual, expected, place)
    if mine.shape != theirs.shape:
        _fail(place, "shape", expected=tuple(theirs.shape), actual=tuple(mine.shape))
    if mine.dtype != theirs.dtype:
        _fail(place, "dtype", expected=theirs.dtype, actual=mine.dtype)
    if theirs.numel() == 0:
        raise ValueError(text("checks.misuse.empty"))
    return _compare_tensors(mine, theirs, atol, place)


def _compare_numbers(actual: Any, expected: Any, atol: float, place: str) -> str:
    if isinstance(actual, bool) != isinstance(expected, bool):
        _fail(place, "kind", expected=_kind(expected), actual=_kind(actual))
    exact = isinstance(actual, int) and isinstance(expected, int)
    both_nan = actual != actual and expected != expected
    if not (actual == expected or both_nan or (not exact and abs(actual - expected) <= atol)):
        _fail(place, "value", expected=expected, actual=actual)
    return (
        text("checks.same.number_exact", value=expected) if exact else text("checks.same.number", atol=atol)
    )


def _compare_tensors(actual: Tensor, expected: Tensor, atol: float, place: str) -> str:
    """Both of one shape and dtype, not empty."""
    facts = {"shape": tuple(expected.shape), "dtype": expected.dtype}
    if not (expected.is_floating_point() or expected.is_complex()):
        wrong = actual != expected
        if bool(wrong.any()):
            _fail_at(place, "exact", wrong, wrong.int(), actual, expected, atol)
        return text("checks.same.tensor_exact", **facts)
    wide = torch.complex128 if expected.is_complex() else torch.float64
    mine, theirs = actual.to(wide), expected.to(wide)
    same = (mine == theirs) | (mine.isnan() & theirs.isnan())
    difference = (mine - theirs).abs().masked_fill(same, 0.0)  # inf − inf is NaN, but the same
    difference = difference.nan_to_num(nan=math.inf, posinf=math.inf)
    wrong = difference > atol
    if bool(wrong.any()):
        _fail_at(place, "close", wrong, difference, actual, expected, atol)
    return text("checks.same.tensor", atol=atol, **facts)


def _as_tensors(actual: Any, expected: Any, place: str) -> tuple[Tensor, Tensor]:
    """Turn both into detached tensors on the CPU; what has no dtype of its own takes the other's."""
    values = [_with_dtype(value) for value in (actual, expected)]
    known = [value for value in values if value is not None]
    if not known:
        raise TypeError(text("checks.misuse.unknown", kind=f"{_kind(actual)}, {_kind(expected)}"))
    like = known[0]
    for index, value in enumerate((actual, expected)):
        if values[index] is not None:
            continue
        try:
            plain = torch.tensor(value)
        except (TypeError, ValueError, RuntimeError):
            raise TypeError(text("checks.misuse.unknown", kind=_kind(value))) from None
        fits = torch.can_cast(plain.dtype, like.dtype) and (plain.dtype == torch.bool) == (
            like.dtype == torch.bool
        )
        values[index] = torch.tensor(value, dtype=like.dtype) if fits else plain
    return values[0], values[1]


def _with_dtype(value: Any) -> Tensor | None:
    if isinstance(value, Tensor):
        return value.detach().cpu()
    if isinstance(value, np.ndarray | np.generic):
        try:
            return torch.from_numpy(np.array(value))  # a copy: torch wants it writable
        except TypeError:
            raise TypeError(text("checks.misuse.unknown", kind=f"{_kind(value)} {value.dtype}")) from None
    return None


def _kind(value: Any) -> str:
    if isinstance(value, tuple | list):
        return f"{type(value).__name__}({len(value)})"
    return type(value).__name__


def _fail(place: str, how: str, **facts: Any) -> None:
    _raise(place, text(f"checks.different.{how}", **facts))


def _fail_at(
    place: str, how: str, wrong: Tensor, size: Tensor, actual: Tensor, expected: Tensor, atol: float
) -> None:
    """Fail, pointing to the entry where `size` is largest (the first such)."""
    index = tuple(int(i) for i in np.unravel_index(int(size.argmax()), tuple(size.shape)))
    facts = {"count": int(wrong.sum()), "index": index, "atol": atol}
    _fail(place, how, expected=f"{expected[index].item():.6g}", actual=f"{actual[index].item():.6g}", **facts)


def _raise(place: str, what: str) -> None:
    where = (
        text("checks.different.place", place=place) if place.isdigit() else (f" ({place})" if place else "")
    )
    raise AssertionError(text("checks.different.head", place=where, what=what))


# ---- modules -------------------------------------------------------------------------------------------------------


def _match_parameters(mine: nn.Module, reference: nn.Module, rename: Mapping[str, str]) -> dict[str, str]:
    """Find the reference's name for each of mine: {name in mine: name in reference}."""
    ours, theirs = dict(mine.named_parameters()), dict(reference.named_parameters())
    unused = [old for old in rename if not any(_under(name, old) for name in ours)]
    if unused:
        raise ValueError(text("checks.misuse.rename", names=", ".join(unused)))
    names = {name: _renamed(name, rename) for name in ours}
    values = list(names.values())
    twice = sorted({name for name in values if values.count(name) > 1})
    if twice:
        raise ValueError(text("checks.misuse.twice", names=", ".join(twice)))
    missing = [name for name in theirs if name not in values]
    extra = [name for name, value in names.items() if value not in theirs]
    problems = [text("checks.module.missing", names=", ".join(missing))] if missing else []
    problems += [text("checks.module.extra", names=", ".join(extra))] if extra else []
    if problems:
        raise AssertionError("\n".join(problems))
    for name, value in names.items():
        if ours[name].shape != theirs[value].shape:
            shapes = {"expected": tuple(theirs[value].shape), "actual": tuple(ours[name].shape)}
            raise AssertionError(text("checks.module.shape", name=name, **shapes))
    return names


def _under(name: str, prefix: str) -> bool:
    return name == prefix or name.startswith(f"{prefix}.")


def _renamed(name: str, rename: Mapping[str, str]) -> str:
    fitting = [old for old in rename if _under(name, old)]
    if not fitting:
        return name
    old = max(fitting, key=len)
    return rename[old] + name[len(old) :]


def _copy_parameters(mine: nn.Module, reference: nn.Module, names: Mapping[str, str]) -> None:
    ours, theirs = dict(mine.named_parameters()), dict(reference.named_parameters())
    with torch.no_grad():
        for name, value in names.items():
            ours[name].copy_(theirs[value])


def _run(
    module: nn.Module, inputs: tuple[Any, ...], kwargs: Mapping[str, Any], *, watch: bool
) -> tuple[Any, dict[str, Tensor]]:
    """Call a module in eval mode on copies; returns its output and the float inputs as leaves that take gradients."""
    given = {**{str(index): value for index, value in enumerate(inputs, start=1)}, **kwargs}
    copies, leaves = {}, {}
    for name, value in given.items():
        if isinstance(value, Tensor):
            value = value.detach().clone()
            if value.is_floating_point():
                leaves[name] = value.requires_grad_()
                value = (
                    value.clone()
                )  # not a leaf, so that writing into it can be noticed instead of crashing
        copies[name] = value
    modes = {part: part.training for part in module.modules()}
    module.eval()
    try:
        with torch.random.fork_rng(devices=[]), torch.enable_grad():
            torch.default_generator.manual_seed(SEED)
            outputs = module(*list(copies.values())[: len(inputs)], **{name: copies[name] for name in kwargs})
    finally:
        for part, mode in modes.items():
            part.training = mode
    if watch:
        for name, value in given.items():
            if isinstance(value, Tensor) and not _equal(copies[name].detach(), value.detach()):
                raise AssertionError(text("checks.module.mutates", name=name))
    return outputs, leaves


def _equal(copied: Tensor, given: Tensor) -> bool:
    if copied.shape != given.shape or copied.dtype != given.dtype:
        return False
    return bool(((copied == given) | ((copied != copied) & (given != given))).all())


def _compare_gradients(
    my_outputs: list[Any], outputs: list[Any], watched: Mapping[str, tuple[Tensor, Tensor]], atol: float
) -> bool:
    """Compare the gradients of all watched tensors; False if the reference's outputs have none."""
    theirs = _gradients(outputs, [pair[1] for pair in watched.values()])
    if theirs is None:
        return False
    ours = _gradients(my_outputs, [pair[0] for pair in watched.values()])
    if ours is None:
        raise AssertionError(text("checks.module.no_gradient"))
    for place, mine, expected in zip(watched, ours, theirs, strict=True):
        finite = expected[expected.isfinite()]
        largest = float(finite.abs().max()) if finite.numel() else 1.0
        if expected.numel():
            _compare(mine, expected, GRADIENT_SLACK * atol * max(1.0, largest), place)
    return True


def _gradients(outputs: list[Any], sources: list[Tensor]) -> list[Tensor] | None:
    """Gradients of a fixed random projection of the outputs; zeros where a source was not used."""
    generator = torch.Generator().manual_seed(SEED)
    total = []
    for output in outputs:
        if not isinstance(output, Tensor) or not output.is_floating_point():
            continue
        upstream = torch.randn(output.shape, generator=generator, dtype=torch.float64).to(output)
        if output.requires_grad:
            total.append((output * upstream).sum())
    wanted = [source for source in sources if source.requires_grad]
    if not total or not wanted:
        return None
    found = iter(torch.autograd.grad(total, wanted, allow_unused=True))
    gradients = [next(found) if source.requires_grad else None for source in sources]
    return [
        torch.zeros_like(source) if gradient is None else gradient
        for source, gradient in zip(sources, gradients, strict=True)
    ]
