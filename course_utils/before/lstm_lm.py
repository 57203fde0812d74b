"""A language model of one direction: LSTMs above a vector for each word, and a softmax over the vocabulary.

    h_0 = words[u]        h_1 = LSTM_1(h_0)        h_l = LSTM_l(h_(l−1)) + h_(l−1), l ≥ 2        p = softmax(W h_L + b)

The residual from the second layer on is ELMo's (Peters et al. 2018, section 3.4). The LSTMs are torch's nn.LSTM: a
recurrent unit is written out in gru.py, and an LSTM teaches nothing more about contextual vectors.

Not here: ELMo's 4,096 cells that are projected down to 512, its clipping of cells, and sampling for its softmax of
800,000 words.

Letters: B batch, T tokens, C hidden size, L layers, V vocabulary.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Generator, Tensor, nn

from course_utils.before.real_tokens import check_right_padding, mean_loss, real_tokens


class LSTMStack(nn.Module):
    """L one-way LSTM layers, from left to right; the output of each is kept.

    Args:
        hidden_size: C, of inputs and outputs.
        num_layers: L.
        dropout: probability with which a coordinate of a layer's input is dropped in training.
        generator: source of the start values, uniform between ±1/√C, as torch's.
    """

    def __init__(
        self, hidden_size: int, num_layers: int, *, dropout: float = 0.0, generator: Generator | None = None
    ) -> None:
        super().__init__()
        self.layers = nn.ModuleList(
            nn.LSTM(hidden_size, hidden_size, batch_first=True) for _ in range(num_layers)
        )
        self.dropout = nn.Dropout(dropout)
        for parameter in self.parameters():
            nn.init.uniform_(parameter, -(hidden_size**-0.5), hidden_size**-0.5, generator=generator)

    def forward(self, vectors: Tensor) -> tuple[Tensor, ...]:
        """float (B, T, C) -> L of (B, T, C); the state at a token depends on none behind it."""
        states = []
        for number, layer in enumerate(self.layers):
            given = states[-1] if number else vectors
            out, _ = layer(self.dropout(given))  # (B, T, C)
            states.append(out + given if number else out)
        return tuple(states)


class WordsAndSoftmax(nn.Module):
    """The two ends of a language model: a vector for each word, and the scores of every word (Θ_x and Θ_s in ELMo).

    Args:
        vocab_size: V.
        hidden_size: C.
        generator: source of the start values: the vectors N(0, 1), the softmax N(0, 1/C).
    """

    def __init__(self, vocab_size: int, hidden_size: int, *, generator: Generator | None = None) -> None:
        super().__init__()
        self.words = nn.Embedding(vocab_size, hidden_size)
        nn.init.normal_(self.words.weight, generator=generator)
        self.softmax = nn.Linear(hidden_size, vocab_size)
        nn.init.normal_(self.softmax.weight, std=hidden_size**-0.5, generator=generator)
        nn.init.zeros_(self.softmax.bias)


class LMOutput(NamedTuple):
    """What a language model of one direction returns."""

    loss: Tensor  # scalar
    hidden_states: tuple[Tensor, ...]  # L + 1 of (B, T, C); the first is the context-free token layer


class LSTMLanguageModel(nn.Module):
    """p(u_1 … u_T) = Π p(u_t | u_1 … u_(t−1)) by LSTMs: what ULMFiT starts from, and each half of TagLM.

    Args:
        vocab_size, hidden_size, num_layers: V, C, L.
        generator: source of the random start values.
    """

    def __init__(
        self, vocab_size: int, hidden_size: int, num_layers: int, *, generator: Generator | None = None
    ) -> None:
        super().__init__()
        self.ends = WordsAndSoftmax(vocab_size, hidden_size, generator=generator)
        self.lstm = LSTMStack(hidden_size, num_layers, generator=generator)

    def forward(self, input_ids: Tensor, attention_mask: Tensor | None = None) -> LMOutput:
        """Read a batch from left to right.

        Args:
            input_ids: int32 or int64 (B, T), what stands there and what is to be predicted, each in 0 … V−1.
            attention_mask: integer or bool (B, T), 1 = a real token, 0 = padding, which stands behind the real ones.

        Returns:
            LMOutput; the loss is the mean of −log p over all real tokens but the first of each row, 0 without any.
        """
        token = self.ends.words(input_ids)  # (B, T, C)
        real = check_right_padding(real_tokens(input_ids, attention_mask))
        states = self.lstm(token)
        chosen = real[:, 1:]  # the target of each token is the one after it
        logits = self.ends.softmax(states[-1][:, :-1][chosen])  # (M, V)
        return LMOutput(mean_loss(logits, input_ids[:, 1:][chosen]), (token, *states))


def turned(values: Tensor, real: Tensor) -> Tensor:
    """Each row's real tokens from behind, padding left where it is: (B, T, …) and bool (B, T); its own inverse."""
    places = torch.arange(real.shape[1], device=real.device)
    order = torch.where(real, real.sum(dim=1, keepdim=True) - 1 - places, places)  # (B, T)
    return values[torch.arange(len(values), device=real.device)[:, None], order]
