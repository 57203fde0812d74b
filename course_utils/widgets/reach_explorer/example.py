"""ReachExplorer with the textbook's encoder, at its largest documented input, and keys that move it."""

from __future__ import annotations

import numpy as np
import torch

from course_utils.before.reach import reach
from course_utils.config import BertConfig
from course_utils.encoder import Encoder
from course_utils.masks import causal_mask
from course_utils.schedules import slanted_triangle
from course_utils.widgets import ReachExplorer

MOVES = (
    ("kind", "ArrowDown"),
    ("layers", "ArrowRight"),
    ("word-0", "ArrowDown"),
    ("sentence", "a"),
    ("view", "ArrowDown"),
    ("updates", "ArrowLeft"),
    ("cut", "ArrowRight"),
    ("ratio", "ArrowRight"),
    ("epochs", "ArrowLeft"),
    ("gradual", " "),
    ("layered", " "),
    ("update", "ArrowRight"),
)
KINDS = {"left": "왼쪽에서 오른쪽", "shallow": "얕은 양방향", "deep": "깊은 양방향"}
NAMES = ["임베딩", "1층", "2층", "3층", "4층", "5층", "헤드"]
WIDTH = 8


def sizes(words: list[str], kind: str, layers: int) -> torch.Tensor:
    config = BertConfig(
        hidden_size=WIDTH, num_hidden_layers=layers, num_attention_heads=2, intermediate_size=WIDTH
    )
    torch.manual_seed(0)
    one, other = Encoder(config).eval(), Encoder(config).eval()
    mask = causal_mask(len(words))

    def states(vectors: torch.Tensor) -> torch.Tensor:
        if kind == "deep":
            return one(vectors).last_hidden_state
        before = one(vectors, mask).last_hidden_state
        if kind == "left":
            return before
        return torch.cat([before, other(vectors, mask.transpose(-1, -2)).last_hidden_state], dim=-1)

    return reach(states, torch.randn(1, len(words), WIDTH), parts=2)


def rates(*, updates: int, cut: float, ratio: int, epochs: int, gradual: bool, layered: bool) -> np.ndarray:
    """(7, updates): the slanted triangle, 2.6 times lower a layer down, the top layer alone in the first epoch."""
    rows = np.zeros((len(NAMES), updates))
    for step in range(1, updates + 1):
        rate = slanted_triangle(step, 1e-2, updates, cut_fraction=cut, ratio=ratio)
        epoch = (step - 1) * epochs // updates
        for down in range(len(NAMES)):
            if not gradual or down <= epoch:
                rows[-1 - down, step - 1] = rate / 2.6 ** (down * layered)
    return rows


def small(**start) -> ReachExplorer:
    """Five words, seven rows of rates."""
    sentence = start.pop("sentence", "나는 항구에 들러 배를 탔다")
    return ReachExplorer(sentence, kinds=KINDS, reach=sizes, rates=rates, layer_names=NAMES, **start)


def largest() -> ReachExplorer:
    words = "나는 어제 항구에 들러 아주 커다란 여객선 배를 타고 돌아왔다"
    start = {"updates": 400, "epochs": 8, "layers": 3}
    return ReachExplorer(
        words, kinds=KINDS, reach=sizes, rates=rates, layer_names=NAMES, most_layers=4, **start
    )
