"""Right answers to the exercises of notebook 00, in forms that learners write."""

import math
import operator

import numpy as np
import torch

from tests.exercises.audit import forms


def by_index(a, b):
    if len(a) != len(b):
        raise ValueError("lengths differ")
    total = 0
    for i in range(len(a)):
        total += a[i] * b[i]
    return total


def in_numpy(a, b):
    if len(a) != len(b):
        raise ValueError
    return (np.array(a) * np.array(b)).sum()


def in_float32(a, b):
    if len(a) != len(b):
        raise ValueError
    return torch.tensor(by_index(a, b))


def checked(cosine):
    def safe(a, b):
        return cosine(a, b) if a.any() and b.any() else torch.tensor(0.0)

    return safe


def my_cosine_similarity(a, b):
    return (a * b).sum() / ((a * a).sum().sqrt() * (b * b).sum().sqrt())


def numbers_only(a, b):
    a, b = a.tolist(), b.tolist()
    length = math.hypot(*a) * math.hypot(*b)
    return by_index(a, b) / length if length else 0.0


def numpy_cosine(a, b):
    a, b = a.numpy(), b.numpy()
    length = np.linalg.norm(a) * np.linalg.norm(b)
    return np.float32(0) if length == 0 else (a @ b / length).astype(np.float32)


def unit_rows(vectors):
    return vectors / vectors.norm(dim=-1, keepdim=True)


RIGHT = {
    "00.1": forms(by_index, in_numpy, in_float32)
    | {
        "generator": lambda a, b: sum(x * y for x, y in zip(a, b, strict=True)),
        "map": lambda a, b: by_index(a, b) if len(a) != len(b) else sum(map(operator.mul, a, b)),
        "fsum": lambda a, b: math.fsum(x * y for x, y in zip(a, b, strict=True)),
    },
    "00.2": forms(numbers_only, numpy_cosine)
    | {
        "the notebook's": checked(my_cosine_similarity),
        "if": lambda a, b: 0.0 if a.norm() * b.norm() == 0 else float(a @ b / (a.norm() * b.norm())),
        "nan_to_num": lambda a, b: torch.nan_to_num(a @ b / (a.norm() * b.norm())),
        "one element": lambda a, b: checked(my_cosine_similarity)(a, b)[None],
    },
    "00.3": {
        "unit rows": lambda vectors: unit_rows(vectors) @ unit_rows(vectors).T,
        "normalize": lambda vectors: (
            torch.nn.functional.normalize(vectors) @ torch.nn.functional.normalize(vectors).mT
        ),
        "outer": lambda vectors: vectors @ vectors.T / torch.outer(vectors.norm(dim=1), vectors.norm(dim=1)),
        "einsum": lambda vectors: torch.einsum("ic,jc->ij", unit_rows(vectors), unit_rows(vectors)),
        "sums": lambda vectors: (unit_rows(vectors)[:, None] * unit_rows(vectors)[None]).sum(dim=-1),
        "numpy": lambda vectors: (rows := vectors / np.linalg.norm(vectors, axis=1, keepdims=True)) @ rows.T,
        "diagonal": lambda vectors: (
            (table := vectors @ vectors.T) / (table.diagonal()[:, None] * table.diagonal()).sqrt()
        ),
    },
}
