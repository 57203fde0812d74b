"""For exercises that ask for a formula: did the answer let torch differentiate instead?"""

from __future__ import annotations

from typing import Any
from unittest import mock

import torch
from torch import Tensor
from torch.autograd import forward_ad
from torch.utils._python_dispatch import TorchDispatchMode

from course_utils.exercises.core import Wrong, call


def refuse_autograd(answer: Any, *args: Any) -> None:
    """Call an answer whose values are right once more, and see whether it uses automatic differentiation.

    On its way back autograd unpacks what it saved on the way up, whoever calls it. torch.func.grad and its like stop
    with an error where that is watched; those that go forward save nothing and are shut, under whatever name they were
    imported. Ready-made backward steps (torch.ops.aten.…_backward) are seen as they are carried out.

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

    class Watch(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]
            if "backward" in func.__name__:
                used.append(func)
            return func(*args, **(kwargs or {}))

    forward = mock.patch.multiple(forward_ad, make_dual=refuse, enter_dual_level=refuse)
    try:
        with Watch(), forward, torch.autograd.graph.saved_tensors_hooks(lambda saved: saved, unpack):
            call(answer, *args)
    except Wrong as wrong:
        if wrong.reason != "raised":
            raise
        used.append(wrong)
    if used:
        raise Wrong("autograd")
