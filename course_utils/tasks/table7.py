"""All layers' vectors of a token, made one: the rows of Table 7 in Devlin et al. 2019.

Letters: L layers, C hidden_size.
"""

from __future__ import annotations

import torch
from torch import Tensor

from course_utils.shapes import check_floats
from course_utils.support.given import shown

# In the order of the table.
COMBINATIONS = (
    *("embeddings", "second-to-last", "last"),
    *("sum of last four", "concatenation of last four", "sum of all"),
)
LAST = 4  # layers, in "last four"


def combine(vectors: Tensor, how: str) -> Tensor:
    """All layers' vectors of a token, made one: the rows of Table 7.

        "embeddings"                    h_0                    "sum of last four"              h_{L−3} + … + h_L
        "second-to-last"                h_{L−1}                "concatenation of last four"    [h_{L−3}; …; h_L]
        "last"                          h_L                    "sum of all"                    h_1 + … + h_L

    "All" are the layers, as in the paper ("all 12 layers" of BERT-base): h_0, the embeddings, is not among them. A
    model of 4 layers has no others than its last four, so there "sum of all" is "sum of last four"; with 6, they
    differ. The paper's sums are weighted, by what it does not say; here each layer counts once. probes.LearnedMix
    learns the weights, and h_0's as well.

    Args:
        vectors: float (L + 1, …, C), L at least 4 where the last four are asked for.
        how: one of COMBINATIONS.

    Returns:
        float (…, C); (…, 4·C) for the concatenation.

    Raises:
        ValueError: if vectors are no such tensor, how is another, or there are too few layers.

    Source: Devlin et al. 2019, Table 7.
    """
    check_floats(vectors=vectors)
    if not isinstance(how, str) or how not in COMBINATIONS:
        raise ValueError(f"how must be one of {', '.join(COMBINATIONS)}, got {shown(how)}")
    least = LAST + 1 if "four" in how else 2
    if vectors.dim() < 2 or len(vectors) < least:
        raise ValueError(
            f"vectors must be (L + 1, …, C) with L + 1 of at least {least} for {how}, got {tuple(vectors.shape)}"
        )
    if how == "concatenation of last four":
        return torch.cat([*vectors[-LAST:]], dim=-1)  # (…, 4·C)
    first, end = {
        "embeddings": (0, 1),
        "second-to-last": (-2, -1),
        "last": (-1, None),
        "sum of last four": (-LAST, None),
        "sum of all": (1, None),
    }[how]
    return vectors[first:end].sum(0)  # (…, C)
