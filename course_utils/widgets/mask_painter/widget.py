"""A mask to paint, query by key, and beside it the attention weights that renormalise at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np
import torch
import traitlets
from numpy.typing import ArrayLike
from torch import Tensor

from course_utils.widgets.base import CourseWidget
from course_utils.widgets.colors import WEIGHTS
from course_utils.widgets.refusals import as_array

MOST_TOKENS = 12  # beyond this many columns the numbers no longer fit


class MaskPainter(CourseWidget):
    """Paint which query may attend to which key; see each row of attention weights share out its 1 anew.

    The mask is the causal one and the one that hides the last keys as padding, where they are switched on, with the
    painted cells on top.

    Args:
        sentence: what to start from, 1 to 12 tokens split at spaces.
        vectors: words -> (query (T, D), key (T, D)), float tensors; the same words must give the same vectors.
        attention_weights: (query, key, mask bool (T, T), True = may attend) -> weights (T, T); for example
            course_utils.attention.attention_weights.
        start: any of the attributes.

    Attributes:
        sentence: str.
        causal: whether position i is kept from the keys after i.
        padding: how many of the last keys are hidden (all of them, if there are fewer).
        painted: [query, key, allowed] of each cell painted by hand, numbers from 0, allowed 0 or 1; what lies outside
            the sentence waits until the sentence is long enough.
        row: the query that the sentence below speaks of (the last one, if there are fewer).
    """

    name = "mask_painter"
    constants: ClassVar[dict[str, Any]] = {"palette": WEIGHTS, "most_tokens": MOST_TOKENS}
    inputs = ("sentence", "causal", "padding", "painted", "row")

    sentence = traitlets.Unicode().tag(sync=True)
    causal = traitlets.Bool(False).tag(sync=True)
    padding = traitlets.Int(0).tag(sync=True)
    painted = traitlets.List(traitlets.List(traitlets.Int())).tag(sync=True)
    row = traitlets.Int(0).tag(sync=True)

    def __init__(
        self,
        sentence: str,
        *,
        vectors: Callable[[list[str]], tuple[Tensor, Tensor]],
        attention_weights: Callable[[Tensor, Tensor, Tensor], Tensor],
        **start: Any,
    ) -> None:
        self._vectors = vectors
        self._attention_weights = attention_weights
        super().__init__(sentence=sentence, **start)

    @property
    def mask(self) -> Tensor:
        """What is seen: bool (T, T), True = may attend."""
        return torch.tensor(self.picture["mask"])

    def paint(self, mask: ArrayLike) -> None:
        """Show a mask of one's own: bool (T, T), True = may attend; the rules are switched off."""
        table, count = np.asarray(mask), len(self.picture["tokens"])
        if table.shape != (count, count) or table.dtype != np.bool_:
            raise self.bad("mask", count=count, dtype=table.dtype, actual=table.shape)
        with self.hold_trait_notifications():
            self.causal, self.padding = False, 0
            self.painted = [[int(query), int(key), 0] for query, key in np.argwhere(~table)]

    def draw(self) -> tuple[dict[str, Any], str]:
        """The picture's mask and weights and its sentence, from all inputs."""
        tokens = self.split(MOST_TOKENS)
        self.within(padding=(0, MOST_TOKENS), row=(0, MOST_TOKENS))
        mask = self._mask(len(tokens))
        with torch.no_grad():
            query, key = self._vectors(tokens)
            weights = self._attention_weights(query, key, torch.from_numpy(mask.copy()))
        weights = as_array(weights, *mask.shape, what="attention_weights", finite=False)
        picture = {
            "tokens": tokens,
            "mask": mask.tolist(),
            # JSON has neither NaN nor inf; a learner's own formula has
            "weights": [
                [float(weight) if np.isfinite(weight) else None for weight in row] for row in weights
            ],
            "padding": min(self.padding, len(tokens)),
            "row": min(self.row, len(tokens) - 1),
        }
        return picture, self._summary(tokens, mask, weights)

    def _mask(self, count: int) -> np.ndarray:
        mask = np.ones((count, count), dtype=bool)
        if self.causal:
            mask = np.tril(mask)
        mask[:, max(0, count - self.padding) :] = False
        for query, key, allowed in self.painted:
            if 0 <= query < count and 0 <= key < count:
                mask[query, key] = allowed
        return mask

    def _summary(self, tokens: Sequence[str], mask: np.ndarray, weights: np.ndarray) -> str:
        said = [self.say("cells", cells=mask.size, allowed=int(mask.sum()))]
        empty = [token for token, row in zip(tokens, mask, strict=True) if not row.any()]
        broken = ~np.isfinite(weights).all(axis=1)
        if empty:
            names = ", ".join(f"'{token}'" for token in empty)
            other = weights[~mask.any(axis=1)].any()  # NaN is not zero either
            said.append(self.say("empty_other" if other else "empty_zero", count=len(empty), names=names))
        if broken.any():
            said.append(self.say("broken", count=int(broken.sum())))
        elif not empty:
            said.append(self.say("no_empty"))
        here = min(self.row, len(tokens) - 1)
        said.append(self._say_row(tokens, tokens[here], mask[here], weights[here]))
        return " ".join(said)

    def _say_row(self, tokens: Sequence[str], query: str, allowed: np.ndarray, weights: np.ndarray) -> str:
        if not np.isfinite(weights).all():
            return self.say("row_broken", query=query)
        if not allowed.any():
            return self.say("row_empty", query=query)
        best = int(weights.argmax())
        facts = {"query": query, "allowed": int(allowed.sum()), "total": f"{weights.sum():.2f}"}
        return self.say("row", key=tokens[best], weight=f"{weights[best]:.2f}", **facts)
