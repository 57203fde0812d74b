"""What a probe's accuracy is to be held against: a task that says nothing of language, and how crowded vectors are.

Letters: N vectors, C hidden_size, K labels.
"""

from __future__ import annotations

import hashlib
import math
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

import torch
import torch.nn.functional as F
from torch import Tensor

from course_utils.shapes import check_floats, readable
from course_utils.support.given import int64, list_of_texts, real_number, several, whole_number

MOST_LABELS = 2**20  # as in heads/classification.py


def control_labels(
    words: Sequence[str], num_labels: int, *, seed: int = 0, weights: Sequence[float] | None = None
) -> list[int]:
    """A random label for each word type: the control task of a probe.

    Every occurrence of a word has the same label, whatever stands around it, so there is nothing in the sentence to
    read: a probe that is right here has learned the words by heart. The label depends on the word's letters, on K and
    on the seed alone: not on the other words, nor on their order.

    Args:
        words: any; 배 and 배를 are two types.
        num_labels: K.
        seed: another one deals other labels.
        weights: how probable each label is, K numbers of at least 0 with a sum above 0: the counts of the task's own
            labels make the control as lopsided as the task. None: all K are equally probable.

    Returns:
        A label for each word, 0 … K−1.

    Raises:
        ValueError: if words are no list of texts, or a number or weights are none such.

    Source: Hewitt and Liang 2019, section 2.
    """
    words = list_of_texts("words", words, least=0)
    num_labels = whole_number("num_labels", num_labels, most=MOST_LABELS)
    seed = int64("seed", seed)
    digests = (hashlib.sha256(f"{seed} {word}".encode("utf-8", "surrogatepass")).digest() for word in words)
    numbers = [int.from_bytes(digest[:8], "big") for digest in digests]  # 0 … 2⁶⁴ − 1, each as probable
    if weights is None:
        return [number % num_labels for number in numbers]
    given = [real_number("each of weights", one, most=1e30) for one in several("weights", weights, "numbers")]
    ends = list(accumulate(given))
    if len(given) != num_labels or not any(given):
        raise ValueError(
            f"weights must be {num_labels} numbers, one for each label, with a sum above 0, got {len(given)} "
            f"with the sum {math.fsum(given):g}"
        )
    last = max(label for label, weight in enumerate(given) if weight > 0)
    return [min(bisect_right(ends, number / 2**64 * ends[-1]), last) for number in numbers]


def selectivity(task: float, control: float) -> float:
    """How much of a probe's accuracy its own memory does not explain: that on the task less that on its control task.

    Args:
        task, control: accuracies, 0 … 1, of the same probe on the same vectors.

    Returns:
        −1 … 1.

    Raises:
        ValueError: if one is no accuracy.

    Source: Hewitt and Liang 2019, section 2.
    """
    return real_number("task", task, most=1.0) - real_number("control", control, most=1.0)


def anisotropy(vectors: Tensor) -> float:
    """The mean cosine over all pairs of vectors: 0 where they point everywhere, 1 where all point one way.

        mean over i ≠ j of cos(v_i, v_j) = (‖Σ_i u_i‖² − Σ_i ‖u_i‖²) / (N·(N − 1)),        u_i = v_i / ‖v_i‖

    So no pairs have to be drawn. A vector of zeros has cosine 0 with each.

    Args:
        vectors: float (N, C), N at least 2, finite.

    Returns:
        −1/(N − 1) … 1.

    Raises:
        ValueError: if vectors are no such tensor.

    Source: Ethayarajh 2019, section 4.1, from randomly drawn words.
    """
    check_floats(vectors=vectors)
    if vectors.dim() != 2 or len(vectors) < 2 or vectors.shape[1] < 1:
        raise ValueError(f"vectors must be (N, C) with N of at least 2, got {tuple(vectors.shape)}")
    if readable(vectors) and not torch.isfinite(vectors).all():
        raise ValueError("vectors must be finite numbers, and one is not")
    count = len(vectors)
    units = F.normalize(vectors.detach().double(), dim=-1, eps=1e-300)  # (N, C)
    total = units.sum(0).square().sum() - units.square().sum()
    return float(total) / (count * (count - 1))
