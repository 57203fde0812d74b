"""skip_padding: an encoder that computes nothing where a batch is only filled up.

    model = skip_padding(BertForSequenceClassification(config, 2))

The rows of a batch are as long as its longest. Sixteen film reviews have 19 pieces on average and the longest of them
49: three fifths of what the encoder computes, nobody ever looks at. Here the real tokens of all rows stand one after
the other, (N, C) instead of (B, T, C); only the attention, which must know what belongs to which row, lays them out
again.
"""

from __future__ import annotations

from typing import TypeVar

import torch.nn.functional as F
from torch import Tensor, nn

from course_utils.encoder import EncoderOutput
from course_utils.heads.spans import BertForQuestionAnswering
from course_utils.shapes import readable
from course_utils.training.fast import FastEncoder, FastEncoderLayer, FastMultiHeadAttention, speed_up

AnyModule = TypeVar("AnyModule", bound=nn.Module)
ROWS = 64  # N is brought to a multiple of it: oneDNN keeps memory for each number of rows it has seen


def skip_padding(model: AnyModule) -> AnyModule:
    """speed_up, and let the encoder leave padding out: the hidden states there are 0.

    At every real token results and gradients are those of the plain model, up to rounding; where something is dropped,
    other random draws decide what. Where attention weights are asked for, all is computed as speed_up does.

    A head that looks at padding would see another number there. BertForQuestionAnswering does, as the reference does:
    its softmax runs over the whole row; such a model is sped up and goes on computing its padding.

    Args:
        model: any module, changed in place.

    Returns:
        the same model.
    """
    speed_up(model)
    if not isinstance(model, BertForQuestionAnswering):
        for part in model.modules():
            if type(part) is FastEncoder:
                part.__class__ = UnpaddedEncoder
    return model


class UnpaddedEncoder(FastEncoder):
    """FastEncoder that computes nothing at padding; see skip_padding."""

    def forward(
        self, hidden_states: Tensor, mask: Tensor | None = None, *, output_attentions: bool = False
    ) -> EncoderOutput:
        """As Encoder.forward; the hidden states after a block are 0 where mask (B, 1, 1, T) is False."""
        if output_attentions or not self._can_leave_out(hidden_states, mask):
            return super().forward(hidden_states, mask, output_attentions=output_attentions)
        batch, length, size = hidden_states.shape
        places = mask.flatten().nonzero().squeeze(1)  # (N,): where the real tokens stand among the B·T

        def laid_out(tokens: Tensor) -> Tensor:
            """(≥ N, C) -> (B, T, C), 0 at padding."""
            empty = tokens.new_zeros(batch * length, size)
            return empty.index_copy(0, places, tokens[: len(places)]).view(batch, length, size)

        tokens = hidden_states.flatten(0, 1).index_select(0, places)  # (N, C)
        tokens = F.pad(tokens, (0, 0, 0, -len(places) % ROWS))
        all_states = [hidden_states]
        for layer in self.layers:
            heads = layer.attention
            q, k, v = (
                heads.split_heads(laid_out(part(tokens))) for part in (heads.query, heads.key, heads.value)
            )
            context, _ = heads.mixed(q, k, v, mask, need_weights=False)  # (B, H, T, D)
            found = heads.merge_heads(context).flatten(0, 1).index_select(0, places)  # (N, C)
            attended = heads.output(F.pad(found, (0, 0, 0, len(tokens) - len(found))))
            tokens = layer.attention_norm(tokens + layer.dropout(attended))
            tokens = layer.feed_forward_norm(tokens + layer.dropout(layer.feed_forward(tokens)))
            all_states.append(laid_out(tokens))
        return EncoderOutput(all_states[-1], tuple(all_states), None)

    def _can_leave_out(self, hidden_states: Tensor, mask: Tensor | None) -> bool:
        """Whether some token is padding, for all queries alike, and every block is one that is known here."""
        row = (len(hidden_states), 1, 1, hidden_states.shape[1])
        if mask is None or mask.shape != row or not readable(mask) or mask.all():
            return False
        kinds = {(type(layer), type(getattr(layer, "attention", None))) for layer in self.layers}
        return kinds <= {(FastEncoderLayer, FastMultiHeadAttention)}
