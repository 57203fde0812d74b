"""Inference of our BertModel against `transformers` BertModel: same weights, same batch, same process.

They take turns, so that whatever else the machine does affects both; each ratio is the median over the pairs. Beside
it stands the share of the machine's own ceiling, the speed of a plain matrix product, that the model reaches.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from functools import partial

import torch
import transformers

from benchmarks import table
from course_utils.bert import BertModel
from course_utils.config import BertConfig
from course_utils.pretrained.name_map import reference_name
from course_utils.training.fast import speed_up

MINILM = dict(
    num_hidden_layers=6, hidden_size=384, num_attention_heads=12, intermediate_size=1536
)  # all-MiniLM-L6-v2
BATCHES = [(1, 16), (16, 64), (8, 256)]
SECONDS = 6.0  # for each row
GOAL = "≥ 1"  # at least as fast as the reference


def rows() -> list[table.Row]:
    """Measure; one row a batch size and path, with the share of the ceiling, counting matrix products only."""
    ours, reference = _models()
    ceiling = matrix_product_gflops()
    measured = []
    with torch.inference_mode():
        for attentions in (False, True):
            # With attentions the reference needs its "eager" attention; without, its default is the fused one.
            reference.set_attn_implementation("eager" if attentions else "sdpa")
            for batch, length in BATCHES:
                ids, mask = _batch(batch, length)
                pairs = _interleaved(
                    partial(ours, ids, mask, output_attentions=attentions),
                    partial(reference, ids, mask, output_attentions=attentions),
                    SECONDS,
                )
                mine, theirs = (statistics.median(times) for times in zip(*pairs, strict=True))
                ratio = statistics.median(other / own for own, other in pairs)
                gflops = encoder_operations(ours.config, batch, length) / mine / 1e9
                note = f"{gflops:.0f} of {ceiling:.0f} GFLOP/s = {100 * gflops / ceiling:.0f} %"
                what = f"BertModel {batch} × {length}" + (", attentions" if attentions else "")
                measured.append(table.Row(what, mine, theirs, ratio, GOAL, note))
    return measured


def matrix_product_gflops(size: int = 1536, seconds: float = 2.0) -> float:
    """The best float32 speed of a square matrix product on this machine, with as many threads as torch uses."""
    left, right = torch.randn(size, size), torch.randn(size, size)
    best, end = float("inf"), time.perf_counter() + seconds
    while time.perf_counter() < end:
        best = min(best, _time(lambda: left @ right))
    return 2 * size**3 / best / 1e9


def _models() -> tuple[BertModel, torch.nn.Module]:
    """Ours and the reference, of MiniLM's size, with the same random weights."""
    reference = transformers.BertModel(transformers.BertConfig(**MINILM)).eval()
    ours = BertModel(BertConfig(**MINILM)).eval()
    weights = reference.state_dict()
    ours.load_state_dict({name: weights[reference_name(name)] for name in ours.state_dict()})
    return speed_up(ours), reference


def _batch(batch: int, length: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Random ids; in batches the rows differ in length, as sentences do."""
    generator = torch.Generator().manual_seed(0)
    ids = torch.randint(1000, 30000, (batch, length), generator=generator)
    mask = torch.ones_like(ids)
    for row in range(1, batch):
        mask[row, length - row * length // (2 * batch) :] = 0
    return ids, mask


def _interleaved(
    ours: Callable[[], object], theirs: Callable[[], object], seconds: float
) -> list[tuple[float, float]]:
    """Times of both in turn, after a warm-up; each round the other one begins."""
    for _ in range(3):
        ours(), theirs()
    pairs, end = [], time.perf_counter() + seconds
    while len(pairs) < 9 or time.perf_counter() < end:
        if len(pairs) % 2:
            other, own = _time(theirs), _time(ours)
        else:
            own, other = _time(ours), _time(theirs)
        pairs.append((own, other))
    return pairs


def _time(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def encoder_operations(config: BertConfig, batch: int, length: int) -> float:
    """Floating-point operations of all matrix products: projections, feed-forward, scores and contexts."""
    C, wide = config.hidden_size, config.intermediate_size
    per_token = 2 * (4 * C * C + 2 * C * wide + 2 * length * C)
    return config.num_hidden_layers * batch * length * per_token
