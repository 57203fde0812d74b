"""Small models on top of frozen vectors: what they can read there was there, or is enough for a task.

    LinearProbe      logits = W h + b                                    what is there for the taking
    LearnedMix       h = γ · Σ_l softmax(s)_l · h_l                      which layers a task wants (ELMo)
    BiLSTMTagger     two layers of a bidirectional LSTM, then W, b       the paper's model of section 5.3

Letters: B sentences, T words of the longest, L layers, C hidden_size, K labels.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class LinearProbe(nn.Module):
    """One linear layer: logits = W h + b.

    Args:
        hidden_size: C.
        num_labels: K.
        generator: source of the start values.
    """

    reads_sentences = False  # each vector by itself

    def __init__(
        self, hidden_size: int, num_labels: int, *, generator: torch.Generator | None = None
    ) -> None:
        super().__init__()
        self.linear = _linear(hidden_size, num_labels, generator)

    def forward(self, vectors: Tensor, lengths: Tensor | None = None) -> Tensor:
        """float (…, C) -> float (…, K); lengths are not looked at."""
        return self.linear(vectors)


class LearnedMix(nn.Module):
    """All layers' vectors made one by a learned weight for each.

        h = γ · Σ_l w_l · h_l        w = softmax(s)

    At the start all layers count the same, and γ is 1.

    Args:
        num_layers: L + 1; the input of the first layer is among them.

    Source: Peters et al. 2018, eq. 1.
    """

    def __init__(self, num_layers: int) -> None:
        super().__init__()
        self.scores = nn.Parameter(torch.zeros(num_layers))
        self.gamma = nn.Parameter(torch.ones(()))

    def weights(self) -> Tensor:
        """The share of each layer, float (L + 1,); they sum to 1."""
        return self.scores.softmax(0)

    def forward(self, layers: Tensor) -> Tensor:
        """float (L + 1, …, C) -> float (…, C)."""
        return self.gamma * torch.tensordot(self.weights(), layers, dims=1)


class BiLSTMTagger(nn.Module):
    """A bidirectional LSTM over a sentence's vectors, and a linear layer: logits_t = W [→h_t; ←h_t] + b.

    Args:
        input_size: C of the vectors.
        hidden_size: of each direction; the paper has 768.
        num_labels: K.
        num_layers: of the LSTM.
        generator: source of the start values, which are torch's own: uniform within ±1/√hidden_size.

    Source: Devlin et al. 2019, section 5.3; Huang et al. 2015.
    """

    reads_sentences = True

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_labels: int,
        *,
        num_layers: int = 2,
        generator: torch.Generator | None = None,
    ) -> None:
        super().__init__()
        self.lstm = nn.LSTM(input_size, hidden_size, num_layers, batch_first=True, bidirectional=True)
        for parameter in self.lstm.parameters():
            nn.init.uniform_(parameter, -(hidden_size**-0.5), hidden_size**-0.5, generator=generator)
        self.linear = _linear(2 * hidden_size, num_labels, generator)

    def forward(self, vectors: Tensor, lengths: Tensor) -> Tensor:
        """Logits of every word; the backward LSTM begins at the last one, so padding changes nothing.

        Args:
            vectors: float (B, T, C).
            lengths: int64 (B,), how many of the T are words, 1 … T.

        Returns:
            float (B, T, K); what stands at padding means nothing.
        """
        packed = pack_padded_sequence(vectors, lengths.cpu(), batch_first=True, enforce_sorted=False)
        context, _ = pad_packed_sequence(
            self.lstm(packed)[0], batch_first=True, total_length=vectors.shape[1]
        )
        return self.linear(context)  # (B, T, K)


def _linear(width: int, num_labels: int, generator: torch.Generator | None) -> nn.Linear:
    """torch's own start values, uniform within ±1/√width, from a generator."""
    linear = nn.Linear(width, num_labels)
    for parameter in linear.parameters():
        nn.init.uniform_(parameter, -(width**-0.5), width**-0.5, generator=generator)
    return linear
