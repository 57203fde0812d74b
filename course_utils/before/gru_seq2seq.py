"""A sentence squeezed into one vector: one GRU reads it, another says it in the other language.

    reading   h_t = GRU(x_t, h_(t−1)) over the source; the last state is all that the decoder ever gets
    saying    s_0 = h_T,  s_i = GRU(y_i, s_(i−1)),  logits of the next token = W s_i + b

Cho et al. 2014 and Sutskever et al. 2014 (there with LSTMs, deeper, and with the source turned round). Each state waits
for the one before it: T_k + T_q steps, one after the other, in training as well.

Not here: attention (additive_attention.py), several layers, a summary that is given to every step again.

Letters: B batch, T_k tokens of the source, T_q of the target, C hidden size, V vocabulary.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from course_utils.shapes import check_dtype_of, check_hidden, check_ids, check_tensors, readable
from course_utils.support.given import int64, real_number, whole_number

WIDEST, LARGEST = 2**14, 2**20  # hidden sizes, vocabularies: whoever asks for more has mistyped


class GRU(nn.Module):
    """Gated recurrent unit (Cho et al. 2014, section 2.3): a state that is partly kept, partly written anew.

        r = σ(W_r x + b_r + U_r h + c_r)                 reset: how much of the old state the candidate sees
        z = σ(W_z x + b_z + U_z h + c_z)                 update: how much of the old state stays
        n = tanh(W_n x + b_n + r ⊙ (U_n h + c_n))        candidate
        h ← (1 − z) ⊙ n + z ⊙ h

    This is the form of torch.nn.GRU, whose order of rows (r, z, n) the two matrices have as well. The paper resets
    before the product, U_n (r ⊙ h); torch after it, so that all of U h is one product. Parameters: 3·C·(C_in + C + 2).

    Args:
        input_size: C_in.
        hidden_size: C.

    Raises:
        ValueError: if a size is impossible.
    """

    def __init__(self, input_size: int, hidden_size: int) -> None:
        super().__init__()
        input_size = whole_number("input_size", input_size, most=WIDEST)
        self.hidden_size = whole_number("hidden_size", hidden_size, most=WIDEST)
        self.input = nn.Linear(input_size, 3 * self.hidden_size)  # W and b
        self.hidden = nn.Linear(self.hidden_size, 3 * self.hidden_size)  # U and c
        for parameter in self.parameters():
            nn.init.uniform_(parameter, -(self.hidden_size**-0.5), self.hidden_size**-0.5)  # as nn.GRU

    def forward(self, inputs: Tensor, state: Tensor | None = None, real: Tensor | None = None) -> Tensor:
        """Read a batch from left to right.

        Args:
            inputs: float (B, T, C_in).
            state: float (B, C), before the first token; None is zeros.
            real: bool (B, T), False at padding, where the state stays as it is; None: all are real.

        Returns:
            states (B, T, C), after each token. So the last one, [:, -1], is that after the last real token.

        Raises:
            ValueError: if shapes or types do not fit.
        """
        check_hidden(self.input.in_features, inputs=inputs)
        check_dtype_of(self, inputs=inputs)
        _check_around(inputs, self.hidden_size, state, real)
        if state is None:
            state = inputs.new_zeros(len(inputs), self.hidden_size)
        from_inputs = self.input(inputs)  # (B, T, 3·C): waits for nothing, so all at once
        states = []
        for place in range(inputs.shape[1]):
            following = self.step(from_inputs[:, place], state)
            state = following if real is None else torch.where(real[:, place, None], following, state)
            states.append(state)
        return torch.stack(states, dim=1)  # (B, T, C)

    def step(self, from_input: Tensor, state: Tensor) -> Tensor:
        """One token: W x + b, float (B, 3·C), and the state (B, C) -> the next state (B, C)."""
        gates_x, candidate_x = from_input.split([2 * self.hidden_size, self.hidden_size], dim=-1)
        gates_h, candidate_h = self.hidden(state).split([2 * self.hidden_size, self.hidden_size], dim=-1)
        reset, update = torch.sigmoid(gates_x + gates_h).chunk(2, dim=-1)  # (B, C) each
        candidate = torch.tanh(candidate_x + reset * candidate_h)
        return (1.0 - update) * candidate + update * state


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
        embeddings = self.source_embedding, self.target_embedding
        real = check_sentences(source_ids, target_ids, *embeddings, self.pad_token_id)  # (B, T_k)
        states = self.encoder(self.dropout(self.source_embedding(source_ids)), real=real)  # (B, T_k, C)
        summary = states[:, -1]  # (B, C), of however long a sentence
        embedded = self.dropout(self.target_embedding(target_ids))  # (B, T_q, C)
        return self.output(self.dropout(self.decoder(embedded, summary)))  # (B, T_q, V)


def check_sentences(
    source_ids: Tensor, target_ids: Tensor, source: nn.Embedding, target: nn.Embedding, pad_token_id: int
) -> Tensor:
    """Refuse what are not ids of the two vocabularies, with one row of each for every pair, or a source without a word.

    Returns bool (B, T_k), True where the source is no padding.
    """
    check_ids("source_ids", source_ids, source.num_embeddings)
    check_ids("target_ids", target_ids, target.num_embeddings)
    if len(source_ids) != len(target_ids):
        rows = f"{len(source_ids)} and {len(target_ids)}"
        raise ValueError(f"source_ids and target_ids must have as many rows, one for each text, got {rows}")
    real = source_ids != pad_token_id
    if readable(source_ids) and not real.any(dim=-1).all():
        raise ValueError(
            f"each row of source_ids must have a token that is not padding ({pad_token_id}), "
            f"got padding alone in row {int(real.any(dim=-1).long().argmin())}"
        )
    return real


def _check_around(inputs: Tensor, hidden_size: int, state: Tensor | None, real: Tensor | None) -> None:
    """Refuse a state that is not (B, C) and of the inputs' type, and a mask that is not bool (B, T)."""
    if not inputs.shape[1]:
        raise ValueError(f"inputs must have at least 1 token, got {tuple(inputs.shape)}")
    wanted = {"state": (state, (len(inputs), hidden_size), inputs.dtype)}
    wanted["real"] = (real, tuple(inputs.shape[:2]), torch.bool)
    for name, (tensor, shape, dtype) in wanted.items():
        if tensor is None:
            continue
        check_tensors(**{name: tensor})
        if tuple(tensor.shape) != shape or tensor.dtype != dtype:
            raise ValueError(f"{name} must be {dtype} {shape}, got {tensor.dtype} {tuple(tensor.shape)}")
