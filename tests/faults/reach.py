"""Which inputs reach an output."""

from __future__ import annotations

import torch

from course_utils.before.reach import reach
from tests.faults.registry import case

case(
    reach,
    lambda: {
        "states_of": lambda x: torch.cat([x.cumsum(dim=1), 2 * x], dim=-1),
        "vectors": torch.randn(1, 3, 2),
        "parts": 2,
    },
)
