"""Encoder block and stack: attention and feed-forward, each with residual connection and layer normalization.

Built by hand in notebook 06. Post-LN, LayerNorm(x + f(x)), is the order of Vaswani et al. 2017 and of BERT. Pre-LN,
x + f(LayerNorm(x)), is here for comparison (Xiong et al. 2020).
"""

from __future__ import annotations

from typing import NamedTuple

from torch import Tensor, nn

from course_utils.activations import ACTIVATIONS
from course_utils.attention import MultiHeadAttention
from course_utils.config import BertConfig


class FeedForward(nn.Module):
    """The same two-layer network at every position: W₂·act(W₁x + b₁) + b₂ (Vaswani et al. 2017, eq. 2).

    Args:
        config: hidden_size C, intermediate_size, hidden_act.
    """

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.activation = ACTIVATIONS[config.hidden_act]
        self.expand = nn.Linear(config.hidden_size, config.intermediate_size)
        self.contract = nn.Linear(config.intermediate_size, config.hidden_size)

    def forward(self, hidden_states: Tensor) -> Tensor:
        """(…, C) -> (…, C): each vector by itself, whatever axes stand before, usually (B, T, C)."""
        return self.contract(self.activation(self.expand(hidden_states)))


class EncoderLayer(nn.Module):
    """One block, post-LN: x ← LN(x + dropout(attention(x))), then x ← LN(x + dropout(feed_forward(x))).

    Args:
        config: sizes, dropout rates and layer_norm_eps.
    """

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.attention = MultiHeadAttention(
            config.hidden_size, config.num_attention_heads, dropout=config.attention_probs_dropout_prob
        )
        self.attention_norm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.feed_forward = FeedForward(config)
        self.feed_forward_norm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.dropout = nn.Dropout(config.hidden_dropout_prob)

    def forward(self, hidden_states: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Pass a batch through the block.

        Args:
            hidden_states: float (B, T, C).
            mask: bool, broadcastable to (B, H, T, T), True = may attend.

        Returns:
            hidden_states (B, T, C) and attention_weights (B, H, T, T).
        """
        attended, weights = self.attention(hidden_states, hidden_states, hidden_states, mask)
        hidden_states = self.attention_norm(hidden_states + self.dropout(attended))
        transformed = self.feed_forward(hidden_states)
        return self.feed_forward_norm(hidden_states + self.dropout(transformed)), weights


class PreLNEncoderLayer(EncoderLayer):
    """One block, pre-LN: x ← x + dropout(attention(LN(x))), then x ← x + dropout(feed_forward(LN(x))).

    Same parameters as EncoderLayer, another order; the residual path carries x through untouched.
    """

    def forward(self, hidden_states: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """As EncoderLayer.forward."""
        normed = self.attention_norm(hidden_states)
        attended, weights = self.attention(normed, normed, normed, mask)
        hidden_states = hidden_states + self.dropout(attended)
        transformed = self.feed_forward(self.feed_forward_norm(hidden_states))
        return hidden_states + self.dropout(transformed), weights


class EncoderOutput(NamedTuple):
    """What a stack returns."""

    last_hidden_state: Tensor  # (B, T, C)
    hidden_states: tuple[Tensor, ...]  # num_hidden_layers + 1 of (B, T, C); the first is the input
    attentions: tuple[Tensor, ...] | None  # num_hidden_layers of (B, H, T, T), or None


class Encoder(nn.Module):
    """num_hidden_layers post-LN blocks, one after the other.

    Args:
        config: see BertConfig.
    """

    layer_class = EncoderLayer

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.layers = nn.ModuleList(self.layer_class(config) for _ in range(config.num_hidden_layers))

    def forward(
        self, hidden_states: Tensor, mask: Tensor | None = None, *, output_attentions: bool = False
    ) -> EncoderOutput:
        """Pass a batch through all blocks.

        Args:
            hidden_states: float (B, T, C).
            mask: bool, broadcastable to (B, H, T, T), True = may attend.
            output_attentions: also return the attention weights of every block.

        Returns:
            EncoderOutput.
        """
        all_states, all_weights = [hidden_states], []
        for layer in self.layers:
            hidden_states, weights = layer(hidden_states, mask)
            all_states.append(hidden_states)
            if output_attentions:
                all_weights.append(weights)
        return EncoderOutput(
            hidden_states, tuple(all_states), tuple(all_weights) if output_attentions else None
        )


class PreLNEncoder(Encoder):
    """num_hidden_layers pre-LN blocks, and the final LayerNorm that pre-LN needs (Xiong et al. 2020, section 3.1).

    Args:
        config: see BertConfig.
    """

    layer_class = PreLNEncoderLayer

    def __init__(self, config: BertConfig) -> None:
        super().__init__(config)
        self.final_norm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)

    def forward(
        self, hidden_states: Tensor, mask: Tensor | None = None, *, output_attentions: bool = False
    ) -> EncoderOutput:
        """As Encoder.forward; last_hidden_state is normalised, hidden_states are the blocks' own outputs."""
        output = super().forward(hidden_states, mask, output_attentions=output_attentions)
        return output._replace(last_hidden_state=self.final_norm(output.last_hidden_state))
