"""Compare two modules: same parameters in, same outputs and gradients out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from course_utils.checks.values import check_atol, compare, pairs
from course_utils.locale import text

SEED = 20177  # of the upstream gradient; any number
GRADIENT_SLACK = 10  # they are sums over tokens: their rounding is larger, relative to the largest


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
        ValueError: if nothing would be compared.
        TypeError: if the outputs are of an unknown kind.

    What a module itself raises goes through.
    """
    check_atol(atol)
    if mine is reference:
        raise ValueError(text("checks.misuse.identical"))
    if not any(isinstance(value, Tensor) and value.numel() for value in [*inputs, *kwargs.values()]):
        raise ValueError(text("checks.misuse.no_inputs"))
    names = _match_parameters(mine, reference, rename or {})
    my_parameters, parameters = dict(mine.named_parameters()), dict(reference.named_parameters())
    with torch.no_grad():
        for name, theirs in names.items():
            my_parameters[name].copy_(parameters[theirs])

    my_outputs, my_leaves = _run(mine, inputs, kwargs, watch=True)
    outputs, leaves = _run(reference, inputs, kwargs, watch=False)
    leaf_pairs = list(pairs(my_outputs, outputs, text("checks.module.output")))
    compared = [theirs for place, ours, theirs in leaf_pairs if compare(ours, theirs, atol, place)]
    if not compared:
        raise ValueError(text("checks.misuse.empty"))

    watched = {
        **{text("checks.module.input_gradient", name=key): (my_leaves[key], leaves[key]) for key in leaves},
        **{
            text("checks.module.parameter_gradient", name=key): (my_parameters[key], parameters[theirs])
            for key, theirs in names.items()
        },
    }
    differentiable = _compare_gradients(
        [ours for _, ours, _ in leaf_pairs], [theirs for _, _, theirs in leaf_pairs], watched, atol
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


def _match_parameters(mine: nn.Module, reference: nn.Module, rename: Mapping[str, str]) -> dict[str, str]:
    """Find the reference's name for each of mine: {name in mine: name in reference}."""
    ours, theirs = dict(mine.named_parameters()), dict(reference.named_parameters())
    names = {name: _renamed(name, rename) for name in ours}
    missing = [name for name in theirs if name not in names.values()]
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


def _renamed(name: str, rename: Mapping[str, str]) -> str:
    fitting = [old for old in rename if name == old or name.startswith(f"{old}.")]
    if not fitting:
        return name
    old = max(fitting, key=len)
    return rename[old] + name[len(old) :]


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
                value = value.clone()  # not a leaf: writing into it can be noticed instead of crashing
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
            compare(mine, expected, GRADIENT_SLACK * atol * max(1.0, largest), place)
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
