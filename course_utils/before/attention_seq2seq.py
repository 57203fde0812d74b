"""A decoder that looks back: before each word it asks which words of the source matter now (Bahdanau et al. 2015).

    reading   h_j = [a GRU from the left up to j ; a GRU from the right up to j], the sentence as seen from j
    asking    score_ij = vᵀ tanh(W s_(i−1) + U h_j),  weights over j,  c_i = Σ_j weight_ij · h_j
    saying    s_i = GRU([y_i ; c_i], s_(i−1)),  logits of the next token = W_o [s_i ; c_i] + b

Nothing has to pass through one vector any more, but each state still waits for the one before it. GNMT (Wu et al. 2016)
is this with eight layers of LSTMs.

Not here: the paper's maxout layer before the output.

Letters: B batch, T_k tokens of the source, T_q of the target, C hidden size, V vocabulary.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

from course_utils.before.additive_attention import AdditiveAttention
from course_utils.before.gru import GRU
from course_utils.before.gru_seq2seq import real_source


class AttentionState(NamedTuple):
    """What is kept while one token after the other is said; the first axis of each is the row."""

    state: Tensor  # (B, C), the decoder's
    annotations: Tensor  # (B, T_k, C)
    projected: Tensor  # (B, T_k, C), U h
    real: Tensor  # bool (B, T_k)


class AttentionSeq2Seq(nn.Module):
    """The encoder–decoder with additive attention, its encoder bidirectional; called as seq2seq.Transformer is.

    Args:
        source_vocab_size, target_vocab_size: sizes of the two vocabularies.
        hidden_size: C, even: each direction of the encoder has C/2.
        dropout: probability with which a coordinate of an embedding or before the output is dropped in training.
        pad_token_id: stands behind shorter sentences, in source and target.
    """

    def __init__(
        self,
        source_vocab_size: int,
        target_vocab_size: int,
        *,
        hidden_size: int,
        dropout: float = 0.0,
        pad_token_id: int = 0,
    ) -> None:
        super().__init__()
        if hidden_size % 2:
            raise ValueError(f"hidden_size must be even, a half for each direction, got {hidden_size}")
        self.source_embedding = nn.Embedding(source_vocab_size, hidden_size)
        self.target_embedding = nn.Embedding(target_vocab_size, hidden_size)
        self.forwards = GRU(hidden_size, hidden_size // 2)
        self.backwards = GRU(hidden_size, hidden_size // 2)
        self.bridge = nn.Linear(hidden_size, hidden_size)
        self.attention = AdditiveAttention(hidden_size)
        self.decoder = GRU(2 * hidden_size, hidden_size)
        self.output = nn.Linear(2 * hidden_size, target_vocab_size)
        self.dropout = nn.Dropout(dropout)
        self.pad_token_id = pad_token_id

    def forward(self, source_ids: Tensor, target_ids: Tensor) -> Tensor:
        """Logits (B, T_q, V) of the token after each token of the target, as GRUSeq2Seq.forward."""
        return self.align(source_ids, target_ids)[0]

    def align(self, source_ids: Tensor, target_ids: Tensor) -> tuple[Tensor, Tensor]:
        """Logits (B, T_q, V), and the attention_weights (B, T_q, T_k) with which each was found."""
        state = self.encode(source_ids)
        embedded = self.dropout(self.target_embedding(target_ids))  # (B, T_q, C)
        said, weights = [], []
        for place in range(target_ids.shape[1]):
            context, looks = self._ask(state)
            state = self._move(embedded[:, place], context, state)
            said.append(torch.cat([state.state, context], dim=-1))  # (B, 2·C)
            weights.append(looks)
        return self.output(self.dropout(torch.stack(said, dim=1))), torch.stack(weights, dim=1)

    def encode(self, source_ids: Tensor) -> AttentionState:
        """Read the sources; returns what `step` takes."""
        real = real_source(source_ids, self.pad_token_id)  # (B, T_k)
        annotations, state = self.read(source_ids, real)
        return AttentionState(state, annotations, self.attention.key(annotations), real)

    def step(self, last_ids: Tensor, state: AttentionState) -> tuple[Tensor, AttentionState]:
        """Say one more token: the newest ones (B,) and the state -> logits (B, V) and the new state."""
        context, _ = self._ask(state)
        state = self._move(self.target_embedding(last_ids), context, state)
        return self.output(torch.cat([state.state, context], dim=-1)), state

    def _ask(self, state: AttentionState) -> tuple[Tensor, Tensor]:
        """Context (B, C) and weights (B, T_k) for the state before the token."""
        query, mask = state.state[:, None], state.real[:, None]  # (B, 1, C) and (B, 1, T_k)
        context, weights = self.attention.attend(query, state.projected, state.annotations, mask)
        return context[:, 0], weights[:, 0]

    def _move(self, embedded: Tensor, context: Tensor, state: AttentionState) -> AttentionState:
        """The state after a token, whose embedding is (B, C)."""
        inputs = torch.cat([embedded, context], dim=-1)  # (B, 2·C)
        return state._replace(state=self.decoder.step(self.decoder.input(inputs), state.state))

    def read(self, source_ids: Tensor, real: Tensor) -> tuple[Tensor, Tensor]:
        """Annotations (B, T_k, C), and the decoder's first state (B, C), made of both directions' last ones."""
        embedded = self.dropout(self.source_embedding(source_ids))
        left = self.forwards(embedded, real=real)  # (B, T_k, C/2)
        # Turned round, padding comes first: the state is held at zero until the sentence begins.
        right = self.backwards(embedded.flip(1), real=real.flip(1))
        last = torch.cat([left[:, -1], right[:, -1]], dim=-1)
        return torch.cat([left, right.flip(1)], dim=-1), torch.tanh(self.bridge(last))
