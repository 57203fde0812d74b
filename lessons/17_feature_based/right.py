"""Right answers to the exercises of notebook 17, in forms that learners write."""

import hashlib
import math
import random
import zlib

import numpy as np
import torch
import torch.nn.functional as F

from tests.exercises.audit import forms


def row_by_row(hidden, attention_mask):
    rows = []
    for states, mask in zip(hidden, attention_mask):
        inside = states[1 : int(mask.sum()) - 1]
        rows.append(inside.sum(dim=0) / max(len(inside), 1))
    return torch.stack(rows)


def written_into_zeros(hidden, attention_mask):
    out = hidden.new_zeros(hidden.shape[0], hidden.shape[2])
    for b, count in enumerate(attention_mask.sum(dim=1).tolist()):
        if count > 2:
            out[b] = hidden[b, 1 : count - 1].mean(dim=0)
    return out


def token_by_token(hidden, attention_mask):
    means = []
    for b in range(hidden.shape[0]):
        n = int(attention_mask[b].sum())
        total = torch.zeros_like(hidden[b, 0])
        for t in range(1, n - 1):
            total = total + hidden[b, t]
        means.append(total / max(n - 2, 1))
    return torch.stack(means)


def moved_mask(hidden, attention_mask):
    """A token is inside if the one before it and the one behind it are real."""
    behind = F.pad(attention_mask[:, 1:], (0, 1))
    before = F.pad(attention_mask[:, :-1], (1, 0))
    inside = (before * attention_mask * behind).to(hidden.dtype)[:, None]  # (B, 1, T)
    return (inside @ hidden)[:, 0] / inside.sum(dim=-1).clamp(min=1)


def copied_mask(hidden, attention_mask):
    mask = attention_mask.clone()
    mask[torch.arange(len(mask)), mask.sum(dim=1) - 1] = 0
    mask[:, 0] = 0
    total = hidden.masked_fill(mask[..., None] == 0, 0.0).sum(dim=1)
    return torch.where(mask.any(dim=1, keepdim=True), total / mask.sum(dim=1, keepdim=True).clamp(min=1), 0.0)


def nan_replaced_before(hidden, attention_mask):
    """Divides by 0 nowhere on the way back either."""
    count = (attention_mask.sum(1) - 2)[:, None]
    place = torch.arange(hidden.size(1)).unsqueeze(0)
    inside = ((place >= 1) & (place <= count)).unsqueeze(-1)
    total = torch.where(inside, hidden, torch.zeros_like(hidden)).sum(1)
    return total / torch.where(count == 0, 1, count)


def one_after_the_other(layers, scores, gamma):
    shifted = (scores - scores.detach().max()).exp()
    return gamma * sum(share * layer for share, layer in zip(shifted / shifted.sum(), layers))


def by_loop(layers, scores, gamma):
    shares = F.softmax(scores, dim=-1)
    mixed = torch.zeros_like(layers[0])
    for place in range(len(layers)):
        mixed = mixed + shares[place] * layers[place]
    return gamma * mixed


def by_log_sum(layers, scores, gamma):
    shares = torch.exp(scores - torch.logsumexp(scores, 0)).view(-1, 1, 1)
    return (gamma * shares * layers).sum(0)


def by_torch(words, num_labels, seed):
    known = {}
    for word in set(words):
        generator = torch.Generator().manual_seed(zlib.crc32(f"{seed} {word}".encode()))
        known[word] = torch.randint(num_labels, (), generator=generator).item()
    return [known[word] for word in words]


def by_numpy(words, num_labels, seed):
    letters = [list(map(ord, word)) for word in words]
    return [np.random.default_rng([seed, *one]).integers(num_labels) for one in letters]


def by_digest(name):
    def control_labels(words, num_labels, seed):
        digests = [hashlib.new(name, f"{seed}\t{word}".encode()).digest() for word in words]
        return [int.from_bytes(digest, "big") % num_labels for digest in digests]

    return control_labels


def by_share(words, num_labels, seed):
    return [int(random.Random(word + "|" + str(seed)).random() * num_labels) for word in words]


def by_choice(words, num_labels, seed):
    labels = {}
    for word in words:
        if word not in labels:
            labels[word] = random.Random(repr((seed, word))).choice(range(num_labels))
    return np.array([labels[word] for word in words], dtype=np.int64)


def by_eigenvectors(vectors, *, back):
    middle = vectors.double() - vectors.double().mean(dim=0)
    values, directions = torch.linalg.eigh(middle.T @ middle / len(vectors))
    there = values > 1e-9 * values.max()
    scale = torch.where(there, 1 / values.clamp(min=1e-300).sqrt(), 0.0)
    white = middle @ directions * scale
    return (white @ directions.T if back else white).to(vectors.dtype)


def by_covariance(vectors):
    centred = (vectors - vectors.mean(0)).double()
    values, directions = torch.linalg.eigh(torch.cov(centred.T, correction=0).reshape(2 * vectors.shape[1:]))
    scale = torch.where(values > 1e-9 * values.max(), values, torch.inf).rsqrt()
    return (centred @ directions * scale).to(vectors.dtype)


def coordinate_by_coordinate(vectors):
    x = vectors.to(torch.float64)
    x = x - x.mean(dim=0, keepdim=True)
    values, directions = torch.linalg.eigh(x.T @ x / x.shape[0])
    y = torch.zeros_like(x)
    for place in range(x.shape[1]):
        if values[place] > 1e-9 * values[-1] and values[place] > 0:
            y[:, place] = x @ directions[:, place] / math.sqrt(values[place])
    return y.to(vectors.dtype)


def turned_at_random(vectors):
    generator = torch.Generator().manual_seed(3)
    size = vectors.shape[1]
    turn = torch.linalg.qr(torch.randn(size, size, generator=generator, dtype=torch.float64))[0]
    return (by_eigenvectors(vectors.double(), back=True) @ turn).to(vectors.dtype)


def in_numpy(vectors):
    x = vectors.numpy().astype(np.float64)
    x = x - x.mean(axis=0)
    u, s, _ = np.linalg.svd(x, full_matrices=False)
    rank = int((s**2 > 1e-9 * (s**2).max()).sum()) if s.max() > 0 else 0
    y = np.zeros_like(x)
    y[:, :rank] = math.sqrt(len(x)) * u[:, :rank]
    return torch.from_numpy(y).to(vectors.dtype)


RIGHT = {
    "17.1": forms(
        row_by_row, written_into_zeros, token_by_token, moved_mask, copied_mask, nan_replaced_before
    ),
    "17.2": forms(one_after_the_other, by_loop, by_log_sum)
    | {
        "einsum": lambda layers, scores, gamma: (
            gamma * torch.einsum("l,ltc->tc", torch.softmax(scores, dim=0), layers)
        ),
        "tensordot": lambda layers, scores, gamma: torch.tensordot(
            (scores - scores.max()).softmax(-1) * gamma, layers, dims=1
        ),
        "matrix product": lambda layers, scores, gamma: (
            gamma * (scores.softmax(0) @ layers.flatten(1)).view(layers.shape[1:])
        ),
    },
    "17.3": forms(by_torch, by_numpy, by_share, by_choice)
    | {
        "sha256": by_digest("sha256"),
        "md5, a tensor": lambda *given: torch.tensor(by_digest("md5")(*given), dtype=torch.int64),
    },
    "17.4": forms(by_covariance, coordinate_by_coordinate, turned_at_random, in_numpy)
    | {
        "turned back": lambda vectors: by_eigenvectors(vectors, back=True),
        "not turned back": lambda vectors: by_eigenvectors(vectors, back=False),
    },
}
