"""A word's vector from how it is written: bytes, convolutions, highway layers.

Kim et al. 2016; in ELMo, Peters et al. 2018, section 3.4.

Each word gets a vector, a word that was never seen as well, and two that differ in one syllable get two. A syllable of
Hangul has three bytes of UTF-8, so a filter must be at least three wide to see one; and NFC and NFD are two spellings.

Letters: N words, W symbols of a word, E size of a symbol's vector, F filters, C hidden size; "…" any leading axes.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Generator, Tensor, nn

# ELMo's symbols: the 256 bytes, then (256 and 257 begin and end a sentence there) these; allenai/bilm-tf, data.py.
BEGIN, END, PADDING = 258, 259, 260
SYMBOLS = 261
CARRY = -2.0  # start of the gates' bias: at first a highway layer mostly hands its input on (allenai/bilm-tf)


def character_ids(words: str | Sequence[str], *, max_length: int) -> Tensor:
    """How words are written: [BEGIN, bytes of UTF-8 …, END, PADDING …], as in ELMo, whose max_length is 50.

    A word of more than max_length − 2 bytes is cut, behind its last whole character.

    Args:
        words: a word, or a list of words.
        max_length: W, at least 3: BEGIN and END are included.

    Returns:
        int64 (W,) or (N, W).
    """
    if max_length < 3:
        raise ValueError(f"max_length must be at least 3, got {max_length}")
    if isinstance(words, str):
        return torch.tensor(_symbols(words, max_length))  # (W,)
    return torch.tensor([_symbols(word, max_length) for word in words])  # (N, W)


def _symbols(word: str, max_length: int) -> list[int]:
    """W numbers. What is left of a character that was cut apart is dropped, so no two words meet in half a letter."""
    whole = word[:max_length].encode("utf-8")
    written = whole[: max_length - 2].decode("utf-8", errors="ignore").encode("utf-8")
    return [BEGIN, *written, END] + [PADDING] * (max_length - 2 - len(written))


class Highway(nn.Module):
    """y = g ⊙ relu(W x + b) + (1 − g) ⊙ x,  g = σ(W_g x + b_g) (Srivastava et al. 2015, eq. 3).

    Args:
        size: F, of x and y. The gate's bias starts at −2, so that y begins near x.
    """

    def __init__(self, size: int) -> None:
        super().__init__()
        self.transform = nn.Linear(size, size)
        self.gate = nn.Linear(size, size)

    def forward(self, x: Tensor) -> Tensor:
        """(…, F) -> (…, F)."""
        gate = torch.sigmoid(self.gate(x))
        return gate * torch.relu(self.transform(x)) + (1.0 - gate) * x


class CharacterCNN(nn.Module):
    """ELMo's token layer: filters over a word's symbols, the largest answer of each, highway layers, a projection.

        x_f = relu(max_i Σ_j w_f[j] · symbol[i + j] + b_f)        h = P highway(… highway(x)) + p

    i runs over the word's own symbols, and behind its end every symbol is the vector 0: the vector depends on the word
    alone, not on how much padding stands behind it. (ELMo's own code trains a vector for padding, pads each word to 50
    symbols and takes the maximum over all of them.)

    Args:
        embedding_size: E, 16 in ELMo.
        filters: (width, number) pairs; F is the sum of the numbers. ELMo has 1 … 7 wide ones, 2,048 in all.
        hidden_size: C, 512 in ELMo.
        num_highway: number of highway layers, 2 in ELMo.
        generator: source of the random start values.
    """

    def __init__(
        self,
        embedding_size: int,
        filters: Sequence[tuple[int, int]],
        hidden_size: int,
        *,
        num_highway: int = 2,
        generator: Generator | None = None,
    ) -> None:
        super().__init__()
        self.hidden_size = hidden_size
        size = sum(number for _, number in filters)  # F
        self.symbols = nn.Embedding(SYMBOLS, embedding_size, padding_idx=PADDING)  # its vector stays 0
        self.filters = nn.ModuleList(nn.Conv1d(embedding_size, number, width) for width, number in filters)
        self.highway = nn.ModuleList(Highway(size) for _ in range(num_highway))
        self.projection = nn.Linear(size, hidden_size)
        self._start(generator)

    def _start(self, generator: Generator | None) -> None:
        """Matrices uniform between ±√(3/inputs), so that each keeps the size of what it gets; biases 0 but CARRY."""
        nn.init.uniform_(self.symbols.weight, -1.0, 1.0, generator=generator)
        with torch.no_grad():
            self.symbols.weight[PADDING] = 0.0
        for part in self.modules():
            if isinstance(part, nn.Linear | nn.Conv1d):
                bound = (3.0 / part.weight[0].numel()) ** 0.5
                nn.init.uniform_(part.weight, -bound, bound, generator=generator)
                nn.init.zeros_(part.bias)
        for layer in self.highway:
            nn.init.constant_(layer.gate.bias, CARRY)

    def forward(self, ids: Tensor) -> Tensor:
        """int64 (…, W), usually (N, W), as character_ids gives -> float (…, C)."""
        rows = ids.reshape(-1, ids.shape[-1])  # (N, W)
        vectors = self.symbols(rows).transpose(1, 2)  # (N, E, W)
        outside = (rows == PADDING)[:, None]  # (N, 1, W), windows that begin behind the word
        found = []
        for part in self.filters:
            padded = nn.functional.pad(vectors, (0, part.kernel_size[0] - 1))  # (N, E, W + width − 1)
            answers = part(padded).masked_fill(outside, torch.finfo(vectors.dtype).min)  # (N, ·, W)
            found.append(answers.amax(dim=-1).relu())
        hidden = torch.cat(found, dim=-1)  # (N, F)
        for layer in self.highway:
            hidden = layer(hidden)
        return self.projection(hidden).unflatten(0, ids.shape[:-1])  # (…, C)
