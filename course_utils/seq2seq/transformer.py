"""The Transformer: an encoder reads the source, a decoder writes the target (Vaswani et al. 2017).

Built by hand in notebook 07.
Letters: B batch, T_q target tokens, T_k source tokens, C hidden_size, H heads, L layers, V target vocabulary.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor, nn

from course_utils.config import BertConfig
from course_utils.encoder import Encoder
from course_utils.masks import causal_mask, combine_masks, padding_mask
from course_utils.positional import sinusoidal_encoding
from course_utils.seq2seq.decoder import Decoder, DecoderOutput, LayerCache
from course_utils.shapes import check_ids, readable

EPS = 1e-5  # of the layer normalisations, as in torch.nn.Transformer
POSITIONS = 512  # are at hand; a longer text makes more


class TransformerState(NamedTuple):
    """What is kept while one token after the other is written; the first axis of every tensor is the row."""

    layers: tuple[LayerCache, ...]  # L
    target_mask: Tensor  # bool (B, 1, 1, t), False where the tokens so far are padding
    source_mask: Tensor  # bool (B, 1, 1, T_k)


class Transformer(nn.Module):
    """Encoder and decoder, post-LN with ReLU, over token embeddings and sinusoidal positions.

        x = dropout(√C · embedding[ids] + positions)        logits = decoder(x_target, encoder(x_source)) Eᵀ

    E is the target's embedding: generator and embedding are one matrix (section 3.4 of the paper), without a bias.
    Embeddings start from N(0, 1/C), so that √C · embedding is about as large as the positions; all other matrices as
    Glorot's uniform, biases as 0.

    Args:
        source_vocab_size, target_vocab_size: number of ids on each side.
        hidden_size: C.
        num_heads: H; must divide hidden_size.
        num_layers: L, of the encoder and of the decoder.
        intermediate_size: width inside the feed-forward networks.
        dropout: rate, on the sum of embeddings and positions, on attention weights, and after each sub-layer.
        pad_token_id: the id that stands for padding, on both sides.
        shared: one vocabulary for both languages, and one embedding for both.
        generator: source of the random start values.
        The default sizes are those of the paper's base model (table 3).
    """

    def __init__(
        self,
        source_vocab_size: int,
        target_vocab_size: int,
        *,
        hidden_size: int = 512,
        num_heads: int = 8,
        num_layers: int = 6,
        intermediate_size: int = 2048,
        dropout: float = 0.1,
        pad_token_id: int = 0,
        shared: bool = False,
        generator: torch.Generator | None = None,
    ) -> None:
        super().__init__()
        if shared and source_vocab_size != target_vocab_size:
            raise ValueError(
                f"a shared vocabulary must have one size, got {source_vocab_size} and {target_vocab_size}"
            )
        self.config = BertConfig(
            vocab_size=target_vocab_size,
            hidden_size=hidden_size,
            num_hidden_layers=num_layers,
            num_attention_heads=num_heads,
            intermediate_size=intermediate_size,
            hidden_act="relu",
            hidden_dropout_prob=dropout,
            attention_probs_dropout_prob=dropout,
            layer_norm_eps=EPS,
        )
        self.pad_token_id = pad_token_id
        self.target_embedding = nn.Embedding(target_vocab_size, hidden_size)
        self.source_embedding = (
            self.target_embedding if shared else nn.Embedding(source_vocab_size, hidden_size)
        )
        self.encoder = Encoder(self.config)
        self.decoder = Decoder(self.config)
        self.generator = nn.Linear(hidden_size, target_vocab_size, bias=False)
        self.generator.weight = self.target_embedding.weight
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("positions", sinusoidal_encoding(POSITIONS, hidden_size), persistent=False)
        self._init_weights(generator)

    def _init_weights(self, generator: torch.Generator | None) -> None:
        for stack in (self.encoder, self.decoder):
            for part in stack.modules():
                if isinstance(part, nn.Linear):
                    nn.init.xavier_uniform_(part.weight, generator=generator)
                    nn.init.zeros_(part.bias)
        for embedding in dict.fromkeys((self.target_embedding, self.source_embedding)):
            nn.init.normal_(embedding.weight, std=self.config.hidden_size**-0.5, generator=generator)

    def forward(self, source_ids: Tensor, target_ids: Tensor) -> Tensor:
        """Say for each target token what may come after it (teacher forcing: the tokens before it are given).

        A target is given from its <bos> on, without its last token; what should come out is the same, shifted by one.

        Args:
            source_ids: int32 or int64 (B, T_k), padding at the end of the shorter rows; no row is all padding.
            target_ids: int32 or int64 (B, T_q), likewise. Padding is hidden from all other tokens, and each token
                from those before it.

        Returns:
            logits, float (B, T_q, V).
        """
        return self.generator(self._decode(source_ids, target_ids).last_hidden_state)  # (B, T_q, V)

    def attend(self, source_ids: Tensor, target_ids: Tensor) -> tuple[Tensor, ...]:
        """The cross-attention of every layer: where does each target token look in the source?

        Args:
            source_ids, target_ids: as for `forward`.

        Returns:
            L of (B, H, T_q, T_k), before dropout: rows sum to 1, and padding gets 0.
        """
        output = self._decode(source_ids, target_ids, output_attentions=True)
        return output.cross_attentions

    def encode(self, source_ids: Tensor) -> TransformerState:
        """Read the sources, once, and be ready to write the first token.

        Args:
            source_ids: as for `forward`.

        Returns:
            the state that `step` takes.
        """
        encoded, source_mask = self._encode(source_ids)
        return TransformerState(self.decoder.start(encoded), source_mask[..., :0], source_mask)

    def step(self, last_ids: Tensor, state: TransformerState) -> tuple[Tensor, TransformerState]:
        """Write one more token: `forward` for one position, from what is kept of those before.

        Args:
            last_ids: int32 or int64 (B,), the newest token of each row, at first <bos>.
            state: from `encode`, or from the step before; rows may have been chosen and reordered in all its tensors.

        Returns:
            logits of the next token, float (B, V), and the new state. The old one is not changed.
        """
        position = state.target_mask.shape[-1]
        newest = last_ids[:, None]  # (B, 1)
        check_ids("last_ids (bos_token_id at first)", newest, self.config.vocab_size)
        target_mask = torch.cat([state.target_mask, padding_mask(newest, self.pad_token_id)], dim=-1)
        hidden_states = self._embed(newest, self.target_embedding, position)  # (B, 1, C)
        hidden_states, layers = self.decoder.step(hidden_states, state.layers, target_mask, state.source_mask)
        logits = self.generator(hidden_states[:, 0])  # (B, V)
        return logits, TransformerState(layers, target_mask, state.source_mask)

    def _encode(self, source_ids: Tensor) -> tuple[Tensor, Tensor]:
        """What the encoder's last layer gives, (B, T_k, C), and the mask of its padding, (B, 1, 1, T_k)."""
        check_ids("source_ids", source_ids, self.source_embedding.num_embeddings)
        mask = padding_mask(source_ids, self.pad_token_id)
        if readable(source_ids) and not (read := mask.flatten(1).any(dim=1)).all():
            raise ValueError(
                f"source_ids must have a token in each row, got padding alone in row {int(read.int().argmin())}"
            )
        hidden_states = self._embed(source_ids, self.source_embedding)
        return self.encoder(hidden_states, mask).last_hidden_state, mask

    def _decode(
        self, source_ids: Tensor, target_ids: Tensor, *, output_attentions: bool = False
    ) -> DecoderOutput:
        check_ids("target_ids", target_ids, self.config.vocab_size)
        encoded, source_mask = self._encode(source_ids)
        mask = combine_masks(
            causal_mask(target_ids.shape[1], device=target_ids.device),
            padding_mask(target_ids, self.pad_token_id),
        )  # (B, 1, T_q, T_q)
        hidden_states = self._embed(target_ids, self.target_embedding)
        return self.decoder(hidden_states, encoded, mask, source_mask, output_attentions=output_attentions)

    def _embed(self, ids: Tensor, embedding: nn.Embedding, start: int = 0) -> Tensor:
        """Ids (B, T) that stand at the positions from `start` on -> float (B, T, C)."""
        stop = start + ids.shape[1]
        if stop > len(self.positions):
            self.positions = sinusoidal_encoding(2 * stop, self.config.hidden_size).to(self.positions)
        scaled = math.sqrt(self.config.hidden_size) * embedding(ids)
        return self.dropout(scaled + self.positions[start:stop])
