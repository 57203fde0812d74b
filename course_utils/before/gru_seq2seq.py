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

from course_utils.before.gru import GRU, WIDEST
from course_utils.shapes import check_ids, check_tensors, readable
from course_utils.support.given import int64, real_number, whole_number

LARGEST = 2**20  # words of a vocabulary


class GRUSeq2Seq(nn.Module):
    """The encoder–decoder of one vector, called as seq2seq.Transformer is.

    Args:
        source_vocab_size, target_vocab_size: sizes of the two vocabularies.
        hidden_size: C, of embeddings and states.
        dropout: probability with which a coordinate of an embedding or of a decoder's state is dropped in training.
        pad_token_id: stands behind shorter sentences, in source and target.

    Raises:
        ValueError: if a size is impossible, or dropout is not in [0, 1].
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
        self.source_embedding = nn.Embedding(
            whole_number("source_vocab_size", source_vocab_size, most=LARGEST),
            whole_number("hidden_size", hidden_size, most=WIDEST),
        )
        target_vocab_size = whole_number("target_vocab_size", target_vocab_size, most=LARGEST)
        self.target_embedding = nn.Embedding(target_vocab_size, hidden_size)
        self.encoder = GRU(hidden_size, hidden_size)
        self.decoder = GRU(hidden_size, hidden_size)
        self.output = nn.Linear(hidden_size, target_vocab_size)
        self.dropout = nn.Dropout(real_number("dropout", dropout, most=1.0))
        self.pad_token_id = int64("pad_token_id", pad_token_id)

    def forward(self, source_ids: Tensor, target_ids: Tensor) -> Tensor:
        """Logits of the token after each token of the target, which is given (teacher forcing).

        Args:
            source_ids: int (B, T_k).
            target_ids: int (B, T_q).

        Returns:
            float (B, T_q, V). Logits at a place depend on no later target token, and on no padding of the source.

        Raises:
            ValueError: if ids are not of the vocabularies, numbers of rows differ, or a source is all padding.
        """
        check_sentences(
            source_ids, target_ids, self.source_embedding, self.target_embedding, self.pad_token_id
        )
        embedded = self.dropout(self.target_embedding(target_ids))  # (B, T_q, C)
        states = self.decoder(embedded, self.encode(source_ids))  # (B, T_q, C)
        return self.output(self.dropout(states))  # (B, T_q, V)

    def encode(self, source_ids: Tensor) -> Tensor:
        """Read the sources; returns the state (B, C) that `step` takes: one vector, of however long a sentence.

        Raises:
            ValueError: as forward.
        """
        real = check_source(source_ids, self.source_embedding, self.pad_token_id)  # (B, T_k)
        embedded = self.dropout(self.source_embedding(source_ids))  # (B, T_k, C)
        return self.encoder(embedded, real=real)[:, -1]  # (B, C)

    def step(self, last_ids: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        """Say one more token: the newest ones (B,) and the state -> logits (B, V) and the new state.

        Raises:
            ValueError: if last_ids are no ids (B,).
        """
        check_last(last_ids, state, self.target_embedding)
        state = self.decoder.step(self.decoder.input(self.target_embedding(last_ids)), state)
        return self.output(state), state


def check_sentences(
    source_ids: Tensor, target_ids: Tensor, source: nn.Embedding, target: nn.Embedding, pad_token_id: int
) -> Tensor:
    """Refuse what are not ids of the two vocabularies, with one row of each for every pair; returns as check_source."""
    real = check_source(source_ids, source, pad_token_id)
    check_ids("target_ids", target_ids, target.num_embeddings)
    if len(source_ids) != len(target_ids):
        rows = f"{len(source_ids)} and {len(target_ids)}"
        raise ValueError(f"source_ids and target_ids must have as many rows, one for each text, got {rows}")
    return real


def check_source(source_ids: Tensor, source: nn.Embedding, pad_token_id: int) -> Tensor:
    """Refuse what are no ids, or padding alone in a row; returns bool (B, T_k), True where the source is no padding."""
    check_ids("source_ids", source_ids, source.num_embeddings)
    real = source_ids != pad_token_id
    if readable(source_ids) and not real.any(dim=-1).all():
        raise ValueError(
            f"each row of source_ids must have a token that is not padding ({pad_token_id}), "
            f"got padding alone in row {int(real.any(dim=-1).long().argmin())}"
        )
    return real


def check_last(last_ids: Tensor, state: Tensor, target: nn.Embedding) -> None:
    """Refuse newest tokens that are not ids (B,) for a state (B, C)."""
    check_tensors(last_ids=last_ids)
    if last_ids.shape != state.shape[:1]:
        raise ValueError(f"last_ids must have shape ({len(state)},), one a row, got {tuple(last_ids.shape)}")
    check_ids("last_ids (bos_token_id at first)", last_ids[:, None], target.num_embeddings)
