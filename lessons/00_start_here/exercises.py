"""Exercises of notebook 00: dot product and cosine similarity."""

from __future__ import annotations

import math

import numpy as np
import torch
from torch import Tensor

from course_utils.exercises.core import Exercise, Several, number
from course_utils.exercises.forbidden import no_loop


def drawn(*shape, times=1.0, dtype=torch.float64):
    return times * torch.randn(*shape, dtype=dtype)


# ---- 00.1
def dot_product(a: list[float], b: list[float]) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True))


def pairs(*lengths):
    return [(drawn(length).tolist(), drawn(length).tolist()) for length in lengths]


DOT_PRODUCT = Exercise(
    "00.1",
    level="warm-up",
    reference=dot_product,
    cases={
        "by_hand": lambda: ([1.0, 2.0, 3.0], [4.0, 5.0, 6.0]),
        "other_numbers": lambda: tuple(torch.randint(-9, 10, (5,)).tolist() for _ in range(2)),
        "other_lengths": lambda: pairs(0, 1, 8, 30, 307),
        "unequal lengths": lambda: [
            ([1.0, 2.0], [1.0, 2.0, 3.0]),
            ([1.0, 2.0, 3.0], [1.0, 2.0]),
            ([], [1.0]),
        ],
    },
    mistakes={
        "no_sum": lambda a, b: [x * y for x, y in zip(a, b, strict=True)],
        "product_of_sums": lambda a, b: sum(a) * sum(b),
        "value": lambda a, b: sum(map(sum, zip(a, b, strict=True))),
        "cosine": lambda a, b: dot_product(a, b) / math.sqrt(dot_product(a, a) * dot_product(b, b)),
        "other_numbers": lambda a, b: 32.0 + 0 * dot_product(a, b),
        "other_lengths": Several([lambda a, b, n=n: dot_product(a[:n], b[:n]) for n in (10, 30)]),
        "silent_lengths": lambda a, b: sum(x * y for x, y in zip(a, b, strict=False)),
        "other_error": lambda a, b: sum(a[i] * b[i] for i in range(max(len(a), len(b)))),
        "torch": lambda a, b: float(1 * torch.tensor(dot_product(a, b))),
        "ready_made": lambda a, b: float(np.dot(a, b)),
    },
    signs={"no_sum": lambda found: found.case == "by_hand" and found.kind == "type"},
    facts={
        "other_lengths": lambda found: {"size": len(found.given[0])},
        "silent_lengths": lambda found: {"first": len(found.given[0]), "second": len(found.given[1])},
    },
    forbids=("torch", "dot", "vdot", "inner"),
)


# ---- 00.2
def safe_cosine(a: Tensor, b: Tensor) -> Tensor:
    length = a.norm() * b.norm()
    return torch.where(length > 0, a @ b / length.clamp(min=torch.finfo(a.dtype).tiny), 0.0)


SAFE_COSINE = Exercise(
    "00.2",
    level="core",
    reference=safe_cosine,
    strict=False,
    gradients=False,
    cases={
        "by_hand": lambda: (torch.tensor([3.0, 4.0]), torch.tensor([8.0, 6.0])),  # of lengths 5 and 10
        "opposite": lambda: (torch.tensor([3.0, 4.0]), torch.tensor([-3.0, -4.0])),
        "zero_vector": lambda: [(torch.tensor([3.0, 4.0]), torch.zeros(2)), (torch.zeros(2), torch.zeros(2))],
        "zero_first": lambda: (torch.zeros(2), torch.tensor([4.0, 3.0])),
        "short_vectors": lambda: [
            (length * torch.tensor([3.0, 4.0]).double(), length * torch.tensor([4.0, 3.0]).double())
            for length in (1e-3, 1e-7)
        ],
        "sums_to_zero": lambda: (torch.tensor([1.0, -1.0]), torch.tensor([1.0, 0.0])),
        "other_sizes": lambda: [
            (drawn(7, dtype=torch.float32), drawn(7, dtype=torch.float32)),
            *(
                (drawn(size, times=times), drawn(size))
                for size, times in [(1, 1), (2, 1e4), (50, 1), (768, 0.01)]
            ),
        ],
    },
    mistakes={
        "no_length": lambda a, b: a @ b,
        "one_length": Several(lambda a, b: a @ b / a.norm(), lambda a, b: a @ b / b.norm()),
        "squared_lengths": lambda a, b: a @ b / ((a * a).sum() * (b * b).sum()),
        "sum_lengths": lambda a, b: a @ b / (a.abs().sum() * b.abs().sum()),
        "value": lambda a, b: a @ b / (a.norm() * b.norm()).sqrt(),
        "opposite": lambda a, b: safe_cosine(a, b).abs(),
        "zero_vector": lambda a, b: a @ b / (a.norm() * b.norm()),
        "zero_first": lambda a, b: a @ b / (a.norm() * b.norm()) if b.any() else torch.tensor(0.0),
        "short_vectors": Several(
            lambda a, b: a @ b / (a.norm() * b.norm() + 1e-3),
            lambda a, b: a @ b / max(a.norm() * b.norm(), 1e-5),
        ),
        "sums_to_zero": lambda a, b: safe_cosine(a, b) * float(a.sum() * b.sum() != 0),
        "other_sizes": Several([lambda a, b, n=n: safe_cosine(a[:n], b[:n]) for n in (2, 9, 512)]),
        "ready_made": lambda a, b: torch.nn.functional.cosine_similarity(a, b, dim=0),
    },
    facts={"short_vectors": lambda found: {"length": number(found.given[0].norm())}},
    forbids=("cosine_similarity", "CosineSimilarity"),
)


# ---- 00.3
def similarity_table(vectors: Tensor) -> Tensor:
    unit = torch.nn.functional.normalize(vectors, dim=-1)  # (T, C), each row of length 1
    return unit @ unit.T  # (T, T)


def table_over(length):
    def table(vectors):
        scaled = vectors / length(vectors)
        return scaled @ scaled.T

    return table


def norms(vectors):
    return vectors.norm(dim=-1, keepdim=True)


def tables(*sizes):
    return [(drawn(*size, times=times),) for *size, times in sizes]


SIMILARITY_TABLE = Exercise(
    "00.3",
    level="stretch",
    reference=similarity_table,
    strict=False,
    gradients=False,
    cases={
        "by_hand": lambda: (torch.tensor([[3.0, 4.0, 0.0], [0.0, 2.0, 0.0]]),),
        "other_sizes": lambda: [
            (drawn(7, 5, dtype=torch.float32),),
            *tables((1, 3, 1.0), (4, 1, 1.0), (3, 3, 0.01), (9, 20, 1e4)),
        ],
    },
    mistakes={
        "columns": lambda vectors: (vectors / norms(vectors)).T @ vectors,
        "no_length": lambda vectors: vectors @ vectors.T,
        "squared_lengths": table_over(lambda vectors: (vectors**2).sum(dim=-1, keepdim=True)),
        "one_side": Several(
            lambda vectors: (vectors / norms(vectors)) @ vectors.T,
            lambda vectors: vectors @ (vectors / norms(vectors)).T,
        ),
        "wrong_axis": Several(
            table_over(lambda vectors: vectors.norm(dim=0).clamp(min=1e-12)),
            table_over(lambda vectors: vectors.norm(dim=0)),
        ),
        "whole_length": table_over(lambda vectors: vectors.norm()),
        "other_sizes_shape": lambda vectors: similarity_table(vectors).squeeze(),
        "other_sizes": lambda vectors: similarity_table(vectors[:, :9]),
        "loop": lambda vectors: torch.stack(
            [similarity_table(torch.stack([vector, *vectors]))[0, 1:] for vector in vectors]
        ),
        "ready_made": lambda vectors: torch.nn.functional.cosine_similarity(
            vectors[:, None], vectors, dim=-1
        ),
    },
    properties={"loop": no_loop(lambda: (drawn(3, 5),), lambda: (drawn(12, 5),))},
    forbids=("cosine_similarity", "CosineSimilarity", "corrcoef"),
)

EXERCISES = [DOT_PRODUCT, SAFE_COSINE, SIMILARITY_TABLE]
