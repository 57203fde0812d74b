"""What a model costs in training, whatever the machine: steps that wait for one another, bytes that are kept.

Both are read from the graph that autograd builds, so nothing is estimated.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.graph import saved_tensors_hooks


def longest_chain(output: Tensor) -> int:
    """The operations on the longest way from a parameter to an output: each has to wait for the one before it.

    However many processors there are, a forward pass takes at least so many operations one after the other, and the
    way back as many again. Operations are those that autograd knows; a view is one, too.

    Args:
        output: any tensor that was computed with gradients.
    """
    if output.grad_fn is None:
        raise ValueError("output must be computed from parameters with gradients on, and is not")
    depths: dict[Any, int] = {}
    waiting = [output.grad_fn]
    while waiting:
        node = waiting[-1]
        before = [other for other, _ in node.next_functions if other is not None]
        unknown = [other for other in before if other not in depths]
        if unknown:
            waiting += unknown
            continue
        # A leaf, at which gradients are added up, is no operation.
        depths[waiting.pop()] = 1 + max(depths[other] for other in before) if before else 0
    return depths[output.grad_fn]


def saved_bytes(model: nn.Module, *inputs: Tensor) -> int:
    """The bytes that a forward pass leaves in memory for the way back: activations, each counted once.

    Parameters, buffers and inputs are there anyway and do not count. A tensor that several operations keep, or of which
    one keeps a part, counts as one.

    Args:
        model: called with the inputs, in the mode it is in.
        inputs: tensors.
    """
    there = {
        tensor.untyped_storage().data_ptr() for tensor in (*model.parameters(), *model.buffers(), *inputs)
    }
    kept: dict[int, int] = {}  # address -> bytes

    def keep(tensor: Tensor) -> Tensor:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in there:
            kept[storage.data_ptr()] = storage.nbytes()
        return tensor

    with torch.enable_grad(), saved_tensors_hooks(keep, lambda tensor: tensor):
        output = model(*inputs)  # whose graph holds all that was kept: no address is used again
    del output
    return sum(kept.values())
