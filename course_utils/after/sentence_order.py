"""ALBERT's second task as data: are these two segments in order, or swapped? (Lan et al. 2020, section 3.1)."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from course_utils.datasets.pretraining import Ids, Pair

IN_ORDER, SWAPPED = 0, 1  # as in the authors' code and in `transformers`


def sentence_order_pairs(documents: Sequence[Sequence[Ids]], *, generator: torch.Generator) -> list[Pair]:
    """Pair each segment with the one after it in the same document and swap half of the pairs.

    Both labels show the same words on the same topic; only the order tells them apart (Lan et al. 2020, section 3.1).

    Args:
        documents: encoded segments. A document of one segment gives a row of its own, without a label.
        generator: source of the draws.

    Returns:
        one pair for each pair of neighbours, with the label 0 in order and 1 swapped, and one row for each document of
        a single segment, in order. Two equal neighbours cannot be swapped: they are in order.
    """
    pairs: list[Pair] = []
    for document in documents:
        if len(document) == 1:
            pairs.append(Pair(document[0], None, None))
            continue
        swapped = torch.rand(max(len(document) - 1, 0), generator=generator) < 0.5
        for place, (first, second) in enumerate(zip(document, document[1:])):
            swap = bool(swapped[place]) and first != second
            pairs.append(Pair(second, first, SWAPPED) if swap else Pair(first, second, IN_ORDER))
    return pairs
