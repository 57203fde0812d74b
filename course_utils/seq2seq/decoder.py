"""Decoder block and stack: masked self-attention, cross-attention, feed-forward (Vaswani et al. 2017, figure 1, right).

Built by hand in notebook 07. Written for a whole text at once (`forward`, teacher forcing), and for one token after
the other (`step`): there the keys and values of all tokens before are kept, so that no mask is needed against the
future and nothing is computed twice. What happens to them is one and the same code.

Letters: B batch, T_q target tokens, T_k source tokens, H heads, D head size, C = H·D hidden size, L layers.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

from course_utils.attention import MultiHeadAttention, scaled_dot_product_attention
from course_utils.config import BertConfig
from course_utils.encoder import FeedForward


def keys_and_values(attention: MultiHeadAttention, hidden_states: Tensor) -> tuple[Tensor, Tensor]:
    """(B, T_k, C) -> both (B, H, T_k, D): what each head is looked up by, and what it gives."""
    keys = attention.split_heads(attention.key(hidden_states))
    values = attention.split_heads(attention.value(hidden_states))
    return keys, values


def attend(
    attention: MultiHeadAttention, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None
) -> tuple[Tensor, Tensor]:
    """The rest of MultiHeadAttention.forward, for query (B, T_q, C) and what keys_and_values gave."""
    q = attention.split_heads(attention.query(query))  # (B, H, T_q, D)
    context, weights = scaled_dot_product_attention(q, keys, values, mask, dropout=attention.dropout)
    return attention.output(attention.merge_heads(context)), weights  # (B, T_q, C), (B, H, T_q, T_k)


class LayerCache(NamedTuple):
    """What one layer keeps from step to step: of the target so far, and of the source, which never changes."""

    keys: Tensor  # (B, H, t, D), of the t tokens so far
    values: Tensor  # (B, H, t, D)
    source_keys: Tensor  # (B, H, T_k, D)
    source_values: Tensor  # (B, H, T_k, D)


class DecoderLayer(nn.Module):
    """One block, post-LN, of three sub-layers.

        x ← LN(x + dropout(attention(Q = K = V = x)))           each token looks at the target's tokens
        x ← LN(x + dropout(attention(Q = x, K = V = encoded)))  each token looks at the source's
        x ← LN(x + dropout(feed_forward(x)))

    Args:
        config: sizes, dropout rates and layer_norm_eps.
    """

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        sizes, rate = (config.hidden_size, config.num_attention_heads), config.attention_probs_dropout_prob
        self.attention = MultiHeadAttention(*sizes, dropout=rate)
        self.attention_norm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.cross_attention = MultiHeadAttention(*sizes, dropout=rate)
        self.cross_attention_norm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.feed_forward = FeedForward(config)
        self.feed_forward_norm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.dropout = nn.Dropout(config.hidden_dropout_prob)

    def forward(
        self,
        hidden_states: Tensor,
        encoded: Tensor,
        mask: Tensor | None = None,
        source_mask: Tensor | None = None,
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Pass a batch of whole texts through the block.

        Args:
            hidden_states: float (B, T_q, C), the target's.
            encoded: float (B, T_k, C), what the encoder's *last* layer gave, for every layer of the decoder.
            mask: bool, broadcastable to (B, H, T_q, T_q), True = may attend; the future is hidden only by it.
            source_mask: bool, broadcastable to (B, H, T_q, T_k).

        Returns:
            hidden_states (B, T_q, C), attention_weights (B, H, T_q, T_q) and cross-attention's (B, H, T_q, T_k).
        """
        own = keys_and_values(self.attention, hidden_states)
        across = keys_and_values(self.cross_attention, encoded)
        return self._sub_layers(hidden_states, LayerCache(*own, *across), mask, source_mask)

    def start(self, encoded: Tensor) -> LayerCache:
        """The cache before the first token: the source's keys and values, computed here once; of the target, none."""
        source = keys_and_values(self.cross_attention, encoded)
        nothing = source[0][:, :, :0]  # (B, H, 0, D)
        return LayerCache(nothing, nothing, *source)

    def step(
        self,
        hidden_states: Tensor,
        cache: LayerCache,
        mask: Tensor | None = None,
        source_mask: Tensor | None = None,
    ) -> tuple[Tensor, LayerCache]:
        """Pass one more token of each text, (B, 1, C), through the block; `mask` says which tokens so far are real."""
        keys, values = keys_and_values(self.attention, hidden_states)  # (B, H, 1, D)
        cache = cache._replace(
            keys=torch.cat([cache.keys, keys], dim=2),  # (B, H, t + 1, D)
            values=torch.cat([cache.values, values], dim=2),
        )
        hidden_states, _, _ = self._sub_layers(hidden_states, cache, mask, source_mask)
        return hidden_states, cache

    def _sub_layers(
        self, hidden_states: Tensor, cache: LayerCache, mask: Tensor | None, source_mask: Tensor | None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """The three sub-layers, wherever the keys and values come from."""
        attended, weights = attend(self.attention, hidden_states, cache.keys, cache.values, mask)
        hidden_states = self.attention_norm(hidden_states + self.dropout(attended))
        gathered, cross_weights = attend(
            self.cross_attention, hidden_states, cache.source_keys, cache.source_values, source_mask
        )
        hidden_states = self.cross_attention_norm(hidden_states + self.dropout(gathered))
        transformed = self.feed_forward(hidden_states)
        hidden_states = self.feed_forward_norm(hidden_states + self.dropout(transformed))
        return hidden_states, weights, cross_weights


class DecoderOutput(NamedTuple):
    """What a stack returns."""

    last_hidden_state: Tensor  # (B, T_q, C)
    hidden_states: tuple[Tensor, ...]  # L + 1 of (B, T_q, C); the first is the input
    attentions: tuple[Tensor, ...] | None  # L of (B, H, T_q, T_q), before dropout: rows sum to 1; or None
    cross_attentions: tuple[Tensor, ...] | None  # L of (B, H, T_q, T_k), or None


class Decoder(nn.Module):
    """num_hidden_layers post-LN blocks, one after the other; each looks at the same `encoded`.

    Args:
        config: see BertConfig.
    """

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.layers = nn.ModuleList(DecoderLayer(config) for _ in range(config.num_hidden_layers))

    def forward(
        self,
        hidden_states: Tensor,
        encoded: Tensor,
        mask: Tensor | None = None,
        source_mask: Tensor | None = None,
        *,
        output_attentions: bool = False,
    ) -> DecoderOutput:
        """Pass a batch of whole texts through all blocks.

        Args:
            hidden_states, encoded, mask, source_mask: as for DecoderLayer.
            output_attentions: also return the attention weights of every block.

        Returns:
            DecoderOutput.
        """
        all_states, all_weights, all_cross = [hidden_states], [], []
        for layer in self.layers:
            hidden_states, weights, cross_weights = layer(hidden_states, encoded, mask, source_mask)
            all_states.append(hidden_states)
            if output_attentions:
                all_weights.append(weights)
                all_cross.append(cross_weights)
        attentions = (tuple(all_weights), tuple(all_cross)) if output_attentions else (None, None)
        return DecoderOutput(hidden_states, tuple(all_states), *attentions)

    def start(self, encoded: Tensor) -> tuple[LayerCache, ...]:
        """Every layer's cache before the first token."""
        return tuple(layer.start(encoded) for layer in self.layers)

    def step(
        self,
        hidden_states: Tensor,
        caches: tuple[LayerCache, ...],
        mask: Tensor | None = None,
        source_mask: Tensor | None = None,
    ) -> tuple[Tensor, tuple[LayerCache, ...]]:
        """Pass one more token of each text, (B, 1, C), through all blocks; returns it, and the caches after it."""
        grown = []
        for layer, cache in zip(self.layers, caches, strict=True):
            hidden_states, cache = layer.step(hidden_states, cache, mask, source_mask)
            grown.append(cache)
        return hidden_states, tuple(grown)
