"""A sentence squeezed into one vector: one GRU reads it, another says it in the other language.

    reading   h_t = GRU(x_t, h_(t−1)) over the source; the last state is all that the decoder ever gets
    saying    s_0 = h_T,  s_i = GRU(y_i, s_(i−1)),  logits of the next token = W s_i + b

Cho et al. 2014 and Sutskever et al. 2014 (there with LSTMs, deeper, and with the source turned round). Each state waits
for the one before it: T_k + T_q steps, one after the other, in training as well.

Not here: attention (additive_attention.py), several layers, a summary that is given to every step again.

Letters: B batch, T_k tokens of the source, T_q of the target, C hidden size, V vocabulary.
"""

from __future__ import annotations

from torch import Tensor, nn

from course_utils.before.gru import GRU
from course_utils.before.real_tokens import check_some_real


class GRUSeq2Seq(nn.Module):
    """The encoder–decoder of one vector, called as seq2seq.Transformer is.

    Args:
        source_vocab_size, target_vocab_size: sizes of the two vocabularies.
        hidden_size: C, of embeddings and states.
        dropout: probability with which a coordinate of an embedding or of a decoder's state is dropped in training.
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
        self.source_embedding = nn.Embedding(source_vocab_size, hidden_size)
        self.target_embedding = nn.Embedding(target_vocab_size, hidden_size)
        self.encoder = GRU(hidden_size, hidden_size)
        self.decoder = GRU(hidden_size, hidden_size)
        self.output = nn.Linear(hidden_size, target_vocab_size)
        self.dropout = nn.Dropout(dropout)
        self.pad_token_id = pad_token_id

    def forward(self, source_ids: Tensor, target_ids: Tensor) -> Tensor:
        """Logits of the token after each token of the target, which is given (teacher forcing).

        Args:
            source_ids: int (B, T_k).
            target_ids: int (B, T_q).

        Returns:
            float (B, T_q, V). Logits at a place depend on no later target token, and on no padding of the source.
        """
        embedded = self.dropout(self.target_embedding(target_ids))  # (B, T_q, C)
        states = self.decoder(embedded, self.encode(source_ids))  # (B, T_q, C)
        return self.output(self.dropout(states))  # (B, T_q, V)

    def encode(self, source_ids: Tensor) -> Tensor:
        """Read the sources; returns the state (B, C) that `step` takes: one vector, of however long a sentence."""
        real = real_source(source_ids, self.pad_token_id)  # (B, T_k)
        embedded = self.dropout(self.source_embedding(source_ids))  # (B, T_k, C)
        return self.encoder(embedded, real=real)[:, -1]  # (B, C)

    def step(self, last_ids: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        """Say one more token: the newest ones (B,) and the state -> logits (B, V) and the new state."""
        state = self.decoder.step(self.decoder.input(self.target_embedding(last_ids)), state)
        return self.output(state), state


def real_source(source_ids: Tensor, pad_token_id: int) -> Tensor:
    """bool (B, T_k), True where the source is no padding; a row of padding alone is refused."""
    real = source_ids != pad_token_id
    check_some_real(real, "source_ids")
    return real
