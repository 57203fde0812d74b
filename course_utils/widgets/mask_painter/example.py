"""MaskPainter at its largest documented input, and keys that move it, for the tests and the benchmark."""

import torch

from course_utils.attention import attention_weights
from course_utils.widgets import MaskPainter

MOVES = (
    ("causal", "Enter"),
    ("padding", "ArrowRight"),
    ("open", "Enter"),
)


def largest() -> MaskPainter:
    def vectors(words):
        points = torch.randn(2, len(words), 8, generator=torch.Generator().manual_seed(0))
        return points[0], points[1]

    def weigh(query, key, mask):
        return attention_weights(query, key, mask)

    sentence = "나는 항구에 들러 큰 배를 타고 섬에 가서 사과와 배를 많이 먹었다"
    return MaskPainter(sentence, vectors=vectors, attention_weights=weigh)
