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

import torch
from torch import Tensor, nn

from course_utils.before.gru_seq2seq import GRU, LARGEST, WIDEST, check_sentences
from course_utils.shapes import check_attention, check_dtype_of, check_hidden, fit_mask
from course_utils.support.given import int64, real_number, whole_number


class AdditiveAttention(nn.Module):
    """Attention whose scores a small network computes: vᵀ tanh(W q + U k) (Bahdanau et al. 2015, section 3.1).

    Query and key are added, not multiplied, hence the name. Behind T_q·T_k scores stand as many vectors of C numbers,
    where a dot product needs none: one reason for the Transformer to take that (Vaswani et al. 2017, section 3.2.1).

    Args:
        hidden_size: C, of query, key and value, and of the layer under the tanh. No biases, as in the paper.

    Raises:
        ValueError: if hidden_size is impossible.
    """

    def __init__(self, hidden_size: int) -> None:
        super().__init__()
        self.hidden_size = whole_number("hidden_size", hidden_size, most=WIDEST)
        self.query = nn.Linear(hidden_size, hidden_size, bias=False)  # W
        self.key = nn.Linear(hidden_size, hidden_size, bias=False)  # U
        self.score = nn.Linear(hidden_size, 1, bias=False)  # v

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Let every position of `query` (B, T_q, C) gather from those of `key` and `value`, both (B, T_k, C).

        `mask`: bool, broadcastable to (B, T_q, T_k), True = may attend. Returns context (B, T_q, C) and
        attention_weights (B, T_q, T_k): rows sum to 1; without any allowed key they are zeros.

        Raises:
            ValueError: if shapes or types do not fit.
        """
        check_hidden(self.hidden_size, query=query, key=key, value=value)
        check_attention(query, key, value)
        check_dtype_of(self, query=query)
        return self.attend(query, self.key(key), value, mask)

    def attend(
        self, query: Tensor, projected_key: Tensor, value: Tensor, mask: Tensor | None
    ) -> tuple[Tensor, Tensor]:
        """The same with U k, which a decoder computes once for all its steps."""
        together = self.query(query)[:, :, None] + projected_key[:, None]  # (B, T_q, T_k, C)
        scores = self.score(torch.tanh(together)).squeeze(-1)  # (B, T_q, T_k)
        weights = masked_softmax(scores, mask)
        return weights @ value, weights  # (B, T_q, C)


def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    """Softmax over the last axis, 0 where mask is False; a row without any True is zeros (as in attention.py)."""
    if mask is None:
        return scores.softmax(dim=-1)
    blocked = ~fit_mask(mask, scores.shape)
    return (
        scores.masked_fill(blocked, torch.finfo(scores.dtype).min).softmax(dim=-1).masked_fill(blocked, 0.0)
    )


class AttentionSeq2Seq(nn.Module):
    """The encoder–decoder with additive attention, its encoder bidirectional; called as seq2seq.Transformer is.

    Args:
        source_vocab_size, target_vocab_size: sizes of the two vocabularies.
        hidden_size: C, even: each direction of the encoder has C/2.
        dropout: probability with which a coordinate of an embedding or before the output is dropped in training.
        pad_token_id: stands behind shorter sentences, in source and target.

    Raises:
        ValueError: if a size is impossible, hidden_size is odd, or dropout is not in [0, 1].
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
        source_vocab_size = whole_number("source_vocab_size", source_vocab_size, most=LARGEST)
        target_vocab_size = whole_number("target_vocab_size", target_vocab_size, most=LARGEST)
        if whole_number("hidden_size", hidden_size, least=2, most=WIDEST) % 2:
            raise ValueError(f"hidden_size must be even, a half for each direction, got {hidden_size}")
        self.source_embedding = nn.Embedding(source_vocab_size, hidden_size)
        self.target_embedding = nn.Embedding(target_vocab_size, hidden_size)
        self.forwards = GRU(hidden_size, hidden_size // 2)
        self.backwards = GRU(hidden_size, hidden_size // 2)
        self.bridge = nn.Linear(hidden_size, hidden_size)
        self.attention = AdditiveAttention(hidden_size)
        self.decoder = GRU(2 * hidden_size, hidden_size)
        self.output = nn.Linear(2 * hidden_size, target_vocab_size)
        self.dropout = nn.Dropout(real_number("dropout", dropout, most=1.0))
        self.pad_token_id = int64("pad_token_id", pad_token_id)

    def forward(self, source_ids: Tensor, target_ids: Tensor) -> Tensor:
        """Logits (B, T_q, V) of the token after each token of the target, as GRUSeq2Seq.forward.

        Raises:
            ValueError: if ids are not of the vocabularies, numbers of rows differ, or a source is all padding.
        """
        return self.align(source_ids, target_ids)[0]

    def align(self, source_ids: Tensor, target_ids: Tensor) -> tuple[Tensor, Tensor]:
        """Logits (B, T_q, V), and the attention_weights (B, T_q, T_k) with which each was found.

        Raises:
            ValueError: as forward.
        """
        embeddings = self.source_embedding, self.target_embedding
        real = check_sentences(source_ids, target_ids, *embeddings, self.pad_token_id)  # (B, T_k)
        annotations, state = self.read(source_ids, real)
        projected = self.attention.key(annotations)
        embedded = self.dropout(self.target_embedding(target_ids))  # (B, T_q, C)
        said, weights = [], []
        for place in range(target_ids.shape[1]):
            context, looks = self.attention.attend(state[:, None], projected, annotations, real[:, None])
            inputs = torch.cat([embedded[:, place], context[:, 0]], dim=-1)  # (B, 2·C)
            state = self.decoder.step(self.decoder.input(inputs), state)
            said.append(torch.cat([state, context[:, 0]], dim=-1))
            weights.append(looks)
        return self.output(self.dropout(torch.stack(said, dim=1))), torch.cat(weights, dim=1)

    def read(self, source_ids: Tensor, real: Tensor) -> tuple[Tensor, Tensor]:
        """Annotations (B, T_k, C), and the decoder's first state (B, C), made of both directions' last ones."""
        embedded = self.dropout(self.source_embedding(source_ids))
        left = self.forwards(embedded, real=real)  # (B, T_k, C/2)
        # Turned round, padding comes first: the state is held at zero until the sentence begins.
        right = self.backwards(embedded.flip(1), real=real.flip(1))
        last = torch.cat([left[:, -1], right[:, -1]], dim=-1)
        return torch.cat([left, right.flip(1)], dim=-1), torch.tanh(self.bridge(last))
