"""Where a token stands: sinusoidal encoding (Transformer) and learned position embedding (BERT).

Built by hand in notebook 05.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


def sinusoidal_encoding(length: int, hidden_size: int) -> Tensor:
    """Encode positions 0 … length−1 as sines and cosines of falling frequency.

        PE[t, 2i] = sin(t / 10000^(2i/C))        PE[t, 2i+1] = cos(t / 10000^(2i/C))

    Source: Vaswani et al. 2017, section 3.5. Angles are computed in float64, where t / 10000^(2i/C) stays exact
    enough for long sequences.

    Args:
        length: T.
        hidden_size: C; for odd C the last column is a sine without its cosine.

    Returns:
        float32 (length, hidden_size), all values in [−1, 1].
    """
    position = torch.arange(length, dtype=torch.float64)[:, None]  # (T, 1)
    even = torch.arange(0, hidden_size, 2, dtype=torch.float64)  # 2i for i = 0 … ⌈C/2⌉ − 1
    angle = position / 10000.0 ** (even / hidden_size)  # (T, ⌈C/2⌉)
    encoding = torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(-2)  # (T, 2·⌈C/2⌉), interleaved
    return encoding[:, :hidden_size].float()  # (T, C)


class LearnedPositionEmbedding(nn.Module):
    """One trained vector per position, as in BERT (Devlin et al. 2019, section 3, figure 2).

    Args:
        max_length: longest sequence, 512 in BERT; there is no vector beyond it.
        hidden_size: C.
    """

    def __init__(self, max_length: int, hidden_size: int) -> None:
        super().__init__()
        self.max_length = max_length
        self.embedding = nn.Embedding(max_length, hidden_size)

    def forward(self, length: int) -> Tensor:
        """Return the vectors of positions 0 … length−1, float (length, C); a longer text is refused."""
        if not 1 <= length <= self.max_length:
            raise ValueError(
                f"length must lie in 1 … {self.max_length} (the positions learned), got {length}"
            )
        return self.embedding.weight[:length]  # (T, C)
