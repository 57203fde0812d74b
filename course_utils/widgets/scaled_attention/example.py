"""ScaledAttention at its largest documented input, and keys that move it, for the tests and the benchmark."""

import numpy as np

from course_utils.attention import scaled_dot_product_attention
from course_utils.widgets import ScaledAttention

MOVES = (
    ("query", "ArrowUp"),
    ("query", "Shift+ArrowLeft"),
    ("d_k", "End"),
    ("temperature", "ArrowLeft"),
    ("scaled", "Space"),
)


def largest() -> ScaledAttention:
    turn = np.linspace(0, 2 * np.pi, 4, endpoint=False)
    keys = np.stack([np.cos(turn), np.sin(turn)], axis=1)
    return ScaledAttention(
        keys,
        1.2 * keys[::-1] + 1,
        labels=["항구", "사과", "배", "바다"],
        attention=scaled_dot_product_attention,
    )
