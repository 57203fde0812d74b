"""For exercises that ask for a formula: did the answer let torch differentiate instead?"""

from __future__ import annotations

from typing import Any
from unittest import mock

import torch
from torch import Tensor

from course_utils.exercises.core import Wrong, call


def refuse_autograd(answer: Any, *args: Any) -> None:
    """Call an answer whose values are right once more, and see whether it uses automatic differentiation.

    On its way back autograd unpacks what it saved on the way up, whoever calls it. torch.func.grad and its like stop
    with an error where that is watched; those that go forward save nothing and are shut.

    Raises:
        Wrong: "autograd".
    """
    used: list[Any] = []

    def unpack(saved: Tensor) -> Tensor:
        used.append(saved)
        return saved

    def refuse(*given: Any, **options: Any) -> None:
        used.append(given)
        raise RuntimeError

    forward = mock.patch.multiple(torch.func, jvp=refuse, jacfwd=refuse, linearize=refuse)
    try:
        with forward, torch.autograd.graph.saved_tensors_hooks(lambda saved: saved, unpack):
            call(answer, *args)
    except Wrong as wrong:
        if wrong.reason != "raised":
            raise
        used.append(wrong)
    if used:
        raise Wrong("autograd")
