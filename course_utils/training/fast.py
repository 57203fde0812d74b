"""speed_up: faster parts, with the same parameters and the same results, in place of the textbook's.

    model = speed_up(BertForPreTraining(config))

The textbook (attention.py, encoder.py, heads/) is written to be read. What a long training or a large batch gains from
stands here, and commands, benchmarks and notebooks that train ask for it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import TypeVar

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from course_utils.attention import MultiHeadAttention
from course_utils.encoder import Encoder, EncoderLayer, EncoderOutput, FeedForward
from course_utils.heads.masked_lm import MaskedLMHead
from course_utils.shapes import fit_mask, readable
from course_utils.training.fast_layers import FastDropout, FastLinear, linear, linear_gelu

AnyModule = TypeVar("AnyModule", bound=nn.Module)
REGISTER = 16  # floats that AVX-512 computes at once
ROWS = 64  # the decoder multiplies so many chosen tokens at a time: see FastMaskedLMHead


def speed_up(model: AnyModule) -> AnyModule:
    """Let every part that has a faster twin work as that twin; its parameters, hooks and names stay as they are.

    Results and gradients are the same up to rounding, as long as all numbers are finite: a NaN in a key that is masked
    comes through torch's fused kernel, and not through the textbook's softmax. Where something is dropped, other random
    draws decide what. Doing it twice changes nothing more. A class that is not known here, be it derived from one that
    is, is left alone; the known parts inside it are not.

    Args:
        model: any module, changed in place.

    Returns:
        the same model.
    """
    for part in model.modules():
        # A new class for the same object: so nothing that points to the part, such as an optimiser or a hook, is lost.
        part.__class__ = FASTER.get(type(part), type(part))
    return model


class FastMultiHeadAttention(MultiHeadAttention):
    """MultiHeadAttention that need not build the attention weights: torch's fused kernel mixes the values without.

    Only where no gradient is recorded: the kernel's backward builds them anew, and on a processor that costs more than
    to keep them. Rows of 17 to 128 tokens, 2 cores of an AMD EPYC: a pre-training step with the kernel took 1.2 to 1.4
    times as long in bfloat16, 1.03 to 1.12 in float32.
    """

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
        *,
        need_weights: bool = True,
    ) -> tuple[Tensor, Tensor | None]:
        """As MultiHeadAttention.forward; need_weights=False gives None for the weights."""
        q = self.split_heads(self.query(query))  # (B, H, T_q, D)
        k = self.split_heads(self.key(key))  # (B, H, T_k, D)
        v = self.split_heads(self.value(value))  # (B, H, T_k, D)
        allowed = None if mask is None else fit_mask(mask, (*q.shape[:-1], k.shape[-2]))
        context, weights = self.mixed(q, k, v, allowed, need_weights=need_weights)
        return self.output(self.merge_heads(context)), weights  # (B, T_q, C)

    def mixed(
        self, q: Tensor, k: Tensor, v: Tensor, allowed: Tensor | None, *, need_weights: bool
    ) -> tuple[Tensor, Tensor | None]:
        """Queries (B, H, T_q, D), keys and values (B, H, T_k, D) -> context (B, H, T_q, D), and the weights or None."""
        drops = self.training and self.dropout.p > 0.0  # the fused kernel cannot, on a processor
        records = q.requires_grad and q.device.type == "cpu"
        if not (need_weights or drops or records):
            return F.scaled_dot_product_attention(q, k, v, attn_mask=allowed), None
        weights = attention_weights(q, k, allowed)  # (B, H, T_q, T_k)
        return self.dropout(weights) @ v, weights if need_weights else None


def attention_weights(query: Tensor, key: Tensor, allowed: Tensor | None) -> Tensor:
    """As in course_utils/attention.py, with two copies of the scores less; `allowed` is a mask that fits."""
    scores = (query * (1.0 / math.sqrt(query.shape[-1]))) @ key.transpose(-2, -1)  # (B, H, T_q, T_k)
    if allowed is None:
        return _softmax(scores)
    blocked = ~allowed
    weights = _softmax(scores.masked_fill_(blocked, torch.finfo(scores.dtype).min))
    # Where a row has an allowed key, the blocked ones are 0 already: exp() of so low a number is.
    if _at_hand(blocked) and not blocked.all(dim=-1).any():
        return weights
    return weights.masked_fill(blocked, 0.0)


def _softmax(scores: Tensor) -> Tensor:
    """Over the last dimension.

    Torch computes a row that does not fill a vector register number by number. With −inf behind it the row is filled:
    softmax of rows of 12 and its gradient took 2.5 times as long without.
    """
    missing = REGISTER - scores.shape[-1]
    if missing <= 0 or scores.device.type != "cpu":
        return scores.softmax(dim=-1)
    return F.pad(scores, (0, missing), value=-math.inf).softmax(dim=-1)[..., :-missing]


def _at_hand(mask: Tensor) -> bool:
    """Whether its values can be looked at without waiting for another device."""
    return mask.device.type == "cpu" and readable(mask)


class FastFeedForward(FeedForward):
    """FeedForward whose GELU is computed along with the product before it, where no gradient is recorded."""

    def forward(self, hidden_states: Tensor) -> Tensor:
        """(B, T, C) -> (B, T, C)."""
        first = self.expand
        hooked = first._forward_hooks or first._forward_pre_hooks  # they would not be called
        if self.activation is not F.gelu or type(first) is not FastLinear or hooked:
            return super().forward(hidden_states)
        return self.contract(linear_gelu(hidden_states, first.weight, first.bias))


class FastEncoderLayer(EncoderLayer):
    """EncoderLayer that can go without the attention weights."""

    def forward(
        self, hidden_states: Tensor, mask: Tensor | None = None, *, need_weights: bool = True
    ) -> tuple[Tensor, Tensor | None]:
        """As EncoderLayer.forward; need_weights=False gives None for the weights."""
        attend = self.attention if need_weights else without_weights(self.attention)
        attended, weights = attend(hidden_states, hidden_states, hidden_states, mask)
        hidden_states = self.attention_norm(hidden_states + self.dropout(attended))
        transformed = self.feed_forward(hidden_states)
        return self.feed_forward_norm(hidden_states + self.dropout(transformed)), weights


class FastEncoder(Encoder):
    """Encoder whose layers build attention weights only when they are asked for."""

    def forward(
        self, hidden_states: Tensor, mask: Tensor | None = None, *, output_attentions: bool = False
    ) -> EncoderOutput:
        """As Encoder.forward."""
        if mask is not None and _at_hand(mask) and mask.all():
            mask = None  # nothing is hidden: no layer need look
        if output_attentions:
            return super().forward(hidden_states, mask, output_attentions=True)
        all_states = [hidden_states]
        for layer in self.layers:
            hidden_states, _ = without_weights(layer)(hidden_states, mask)
            all_states.append(hidden_states)
        return EncoderOutput(hidden_states, tuple(all_states), None)


def without_weights(part: nn.Module) -> Callable[..., tuple[Tensor, Tensor | None]]:
    """The part itself, told to leave the attention weights out if it can."""
    if isinstance(part, FastEncoderLayer | FastMultiHeadAttention):
        return partial(part, need_weights=False)
    return part


class FastMaskedLMHead(MaskedLMHead):
    """MaskedLMHead whose decoder is `linear`, on a number of rows that is a multiple of ROWS.

    As many rows come as tokens were chosen, another number in each batch, and oneDNN keeps memory for each number it
    has seen: 130 MB in 360 updates of a small model. The rows added are cut off again, so their gradient is 0.
    """

    def forward(self, hidden_states: Tensor, token_embedding: Tensor) -> Tensor:
        """(…, C) and the embedding matrix (V, C) -> (…, V)."""
        transformed = self.norm(self.activation(self.dense(hidden_states)))
        count = transformed.shape[:-1].numel()
        rows = F.pad(transformed.flatten(0, -2), (0, 0, 0, -count % ROWS))  # (N, C)
        scores = linear(rows, token_embedding, self.bias)[:count]  # (count, V)
        return scores.view(*transformed.shape[:-1], len(token_embedding))


FASTER: dict[type[nn.Module], type[nn.Module]] = {
    nn.Linear: FastLinear,
    nn.Dropout: FastDropout,
    MultiHeadAttention: FastMultiHeadAttention,
    FeedForward: FastFeedForward,
    EncoderLayer: FastEncoderLayer,
    Encoder: FastEncoder,
    MaskedLMHead: FastMaskedLMHead,
}
