"""Wrong answers to the exercises of notebook 00, each under the reason for which it must fail."""

import math

import torch


def _cosine_of_lists(a, b):
    dot = sum(x * y for x, y in zip(a, b, strict=True))
    return dot / math.sqrt(sum(x * x for x in a) * sum(y * y for y in b))


def _index_error(a, b):
    return sum(a[i] * b[i] for i in range(max(len(a), len(b))))


def _constant(a, b):
    if len(a) != len(b):
        raise ValueError
    return 32.0


def _table_over(length):
    def table(vectors):
        scaled = vectors / length(vectors)
        return scaled @ scaled.T

    return table


def _by_torch(a, b):
    if len(a) != len(b):
        raise ValueError
    return float(torch.tensor(a, dtype=torch.float64) @ torch.tensor(b, dtype=torch.float64))


def _table(vectors):
    unit = vectors / vectors.norm(dim=-1, keepdim=True)
    return unit @ unit.T


def _word_by_word(vectors):
    return torch.stack([torch.nn.functional.cosine_similarity(vectors, vector, dim=-1) for vector in vectors])


WRONG = {
    "00.1": {
        "no_sum": lambda a, b: [x * y for x, y in zip(a, b, strict=True)],
        "product_of_sums": lambda a, b: sum(a) * sum(b),
        "cosine": _cosine_of_lists,
        "other_numbers": _constant,
        "silent_lengths": lambda a, b: sum(x * y for x, y in zip(a, b, strict=False)),
        "other_error": _index_error,
        "other_lengths": lambda a, b: sum(x * y for x, y in zip(a[:10], b[:10], strict=True)),
        "torch": _by_torch,
    },
    "00.2": {
        "no_length": lambda a, b: a @ b,
        "one_length": lambda a, b: a @ b / a.norm(),
        "squared_lengths": lambda a, b: a @ b / ((a * a).sum() * (b * b).sum()),
        "sum_lengths": lambda a, b: a @ b / (a.abs().sum() * b.abs().sum()),
        "opposite": lambda a, b: torch.nan_to_num((a @ b).abs() / (a.norm() * b.norm())),
        "zero_vector": lambda a, b: a @ b / (a.norm() * b.norm()),
        "zero_first": lambda a, b: a @ b / (a.norm() * b.norm()) if b.any() else torch.tensor(0.0),
        "short_vectors": lambda a, b: a @ b / (a.norm() * b.norm() + 1e-3),
        "sums_to_zero": lambda a, b: (
            a @ b / (a.norm() * b.norm()) if a.sum() * b.sum() != 0 else torch.tensor(0.0)
        ),
        "value": lambda a, b: torch.nn.functional.cosine_similarity(a[:2], b[:2], dim=0),
        "other_sizes": lambda a, b: torch.nn.functional.cosine_similarity(a[:9], b[:9], dim=0),
    },
    "00.3": {
        "columns": lambda vectors: (vectors / vectors.norm(dim=-1, keepdim=True)).T @ vectors,
        "no_length": lambda vectors: vectors @ vectors.T,
        "squared_lengths": _table_over(lambda vectors: (vectors**2).sum(dim=-1, keepdim=True)),
        "one_side": lambda vectors: (vectors / vectors.norm(dim=-1, keepdim=True)) @ vectors.T,
        "wrong_axis": _table_over(lambda vectors: vectors.norm(dim=0).clamp(min=1e-12)),
        "dtype": lambda vectors: _table(vectors).float(),
        "other_shape": lambda vectors: _table(vectors).squeeze(),
        "other_sizes": lambda vectors: _table(vectors[:, :9]),
        "loop": _word_by_word,
    },
}
