"""What a search asks of a model: after each token, how likely is every next one? Met in notebook 07.

Two kinds of models can be asked.

    model(source_ids, target_ids) -> logits (B, T_q, V)      a plain function: for each token everything is done anew
    model.encode(source_ids) -> state                        a model with a cache: `encode` is called once,
    model.step(last_ids, state) -> logits (B, V), state      `step` for each token, at first for <bos>

A state is a tensor whose first axis is the row, or a tuple or list of states. So its rows can be chosen, doubled and
reordered, as the hypotheses of a beam search are, without the model's help.

Letters: B batch, R rows that are written now, T_q target tokens, V vocabulary.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn


class Writer:
    """A model at work on some sources: gives the next token's log-probabilities, and keeps the rows it is told to keep.

    Args:
        model: of either kind. A module writes without dropout, also in training mode, and without gradients; a
            function is called as it is.
        source_ids: int32 or int64 (B, T_k), the rows at first.
    """

    def __init__(self, model: Any, source_ids: Tensor) -> None:
        self.model = model
        if hasattr(model, "encode") and hasattr(model, "step"):
            self.step: Callable[..., Any] = model.step
            with torch.no_grad(), at_rest(model):
                self.state = model.encode(source_ids)
        else:
            self.step = self._compute_anew
            self.state = (source_ids, source_ids[:, :0].long())

    def log_probabilities(self, last_ids: Tensor) -> Tensor:
        """Take the newest token of each row, (R,), and say how likely each next one is: float64 (R, V)."""
        with torch.no_grad(), at_rest(self.model):
            logits, self.state = self.step(last_ids, self.state)
        # In float64, so that the sum over many tokens keeps the order of what a model hardly tells apart.
        log_probabilities = logits.cpu().double().log_softmax(dim=-1)
        if log_probabilities.isnan().any():
            found = "NaN" if logits.isnan().any() else "inf" if (logits == torch.inf).any() else "−inf alone"
            raise ValueError(
                "the model's logits must be finite, or −inf for some tokens that are impossible, "
                f"got {found} in a row"
            )
        return log_probabilities

    def keep(self, rows: Sequence[int]) -> None:
        """Go on with these rows, in this order; one may come several times, or not at all."""
        self.state = rows_of(self.state, torch.tensor(rows))

    def _compute_anew(self, last_ids: Tensor, state: tuple[Tensor, Tensor]) -> tuple[Tensor, Any]:
        """`step` of a plain function; its state is the source and all that was written."""
        source_ids, written = state
        written = torch.cat([written, last_ids[:, None]], dim=1)  # (R, T_q)
        logits = self.model(source_ids, written)  # (R, T_q, V)
        return logits[:, -1], (source_ids, written)


def rows_of(state: Any, rows: Tensor) -> Any:
    """The state of the chosen rows.

    Args:
        state: a tensor whose first axis is the row, or a tuple or list of states.
        rows: int64 (R,).

    Returns:
        the same with R rows.
    """
    if isinstance(state, Tensor):
        return state.index_select(0, rows.to(state.device))
    parts = [rows_of(part, rows) for part in state]
    return type(state)(*parts) if hasattr(state, "_fields") else type(state)(parts)


@contextmanager
def at_rest(model: Any) -> Iterator[None]:
    """Within the block a module in training mode does as in eval mode; afterwards each part is as before."""
    resting = isinstance(model, nn.Module) and model.training
    parts = [part for part in model.modules() if part.training] if resting else []
    for part in parts:
        part.training = False
    try:
        yield
    finally:
        for part in parts:
            part.training = True
