"""Notebook 17: other right answers pass, other forms of a mistake have its reason, and cheap tricks do not pass."""

import hashlib
import math
import random
import zlib

import numpy as np
import pytest
import torch

from course_utils.exercises import exercise
from course_utils.support.lessons import lesson_module
from tests.exercises.wrong_17 import _drawn, _of_word, _white

CHECKS = lesson_module("17")
control_labels = CHECKS.control_labels
learned_mix = CHECKS.learned_mix
mean_vector = CHECKS.mean_vector
whiten = CHECKS.whiten

# ---- 17.1


def row_by_row(hidden, attention_mask):
    rows = []
    for states, mask in zip(hidden, attention_mask):
        inside = states[1 : int(mask.sum()) - 1]
        rows.append(inside.sum(dim=0) / max(len(inside), 1))
    return torch.stack(rows)


def moved_mask(hidden, attention_mask):
    """A token is inside if the one before it and the one behind it are real."""
    behind = torch.nn.functional.pad(attention_mask[:, 1:], (0, 1))
    before = torch.nn.functional.pad(attention_mask[:, :-1], (1, 0))
    inside = (before * attention_mask * behind).to(hidden.dtype)[:, None]  # (B, 1, T)
    return (inside @ hidden)[:, 0] / inside.sum(dim=-1).clamp(min=1)


def copied_mask(hidden, attention_mask):
    mask = attention_mask.clone()
    mask[torch.arange(len(mask)), mask.sum(dim=1) - 1] = 0
    mask[:, 0] = 0
    total = hidden.masked_fill(mask[..., None] == 0, 0.0).sum(dim=1)
    return torch.where(mask.any(dim=1, keepdim=True), total / mask.sum(dim=1, keepdim=True).clamp(min=1), 0.0)


# ---- 17.2


def by_einsum(layers, scores, gamma):
    return gamma * torch.einsum("l,ltc->tc", torch.softmax(scores, dim=0), layers)


def by_tensordot(layers, scores, gamma):
    return torch.tensordot((scores - scores.max()).softmax(-1) * gamma, layers, dims=1)


def one_after_the_other(layers, scores, gamma):
    shifted = (scores - scores.detach().max()).exp()
    return gamma * sum(share * layer for share, layer in zip(shifted / shifted.sum(), layers))


# ---- 17.3


def by_sha(words, num_labels, seed):
    return [int(hashlib.sha256(f"{seed}\t{word}".encode()).hexdigest(), 16) % num_labels for word in words]


def by_torch(words, num_labels, seed):
    known = {}
    for word in set(words):
        generator = torch.Generator().manual_seed(zlib.crc32(f"{seed} {word}".encode()))
        known[word] = torch.randint(num_labels, (), generator=generator).item()
    return [known[word] for word in words]


def by_numpy(words, num_labels, seed):
    letters = [list(map(ord, word)) for word in words]
    return torch.tensor([int(np.random.default_rng([seed, *one]).integers(num_labels)) for one in letters])


# ---- 17.4


def by_zca(vectors):
    return _white()(vectors)


def by_pca(vectors):
    centred = (vectors - vectors.mean(0)).double()
    values, directions = torch.linalg.eigh(torch.cov(centred.T, correction=0).reshape(2 * vectors.shape[1:]))
    scale = torch.where(values > 1e-9 * values.max(), values, torch.inf).rsqrt()
    return (centred @ directions * scale).to(vectors.dtype)


def turned_at_random(vectors):
    generator = torch.Generator().manual_seed(3)
    size = vectors.shape[1]
    turn = torch.linalg.qr(torch.randn(size, size, generator=generator, dtype=torch.float64))[0]
    return (whiten(vectors.double()) @ turn).to(vectors.dtype)


def in_numpy(vectors):
    x = vectors.numpy().astype(np.float64)
    x = x - x.mean(axis=0)
    u, s, _ = np.linalg.svd(x, full_matrices=False)
    rank = int((s**2 > 1e-9 * (s**2).max()).sum()) if s.max() > 0 else 0
    y = np.zeros_like(x)
    y[:, :rank] = math.sqrt(len(x)) * u[:, :rank]
    return torch.from_numpy(y).to(vectors.dtype)


RIGHT = {
    "17.1": [row_by_row, moved_mask, copied_mask],
    "17.2": [by_einsum, by_tensordot, one_after_the_other],
    "17.3": [by_sha, by_torch, by_numpy],
    "17.4": [by_zca, by_pca, turned_at_random, in_numpy],
}


@pytest.mark.parametrize(
    ("id", "answer"),
    [pytest.param(id, answer, id=answer.__name__) for id, answers in RIGHT.items() for answer in answers],
)
def test_another_right_way_passes(id, answer):
    assert exercise(id).judge(answer).message == exercise(id).judge(exercise(id).reference).message


# ---- other forms of a mistake


def _inner_columns(hidden, attention_mask):
    return hidden[:, 1:-1].mean(dim=1)


def _masked_mean(hidden, attention_mask):
    """The usual mean pooling: every real token."""
    mask = attention_mask[..., None].to(hidden.dtype)
    return (hidden * mask).sum(dim=1) / mask.sum(dim=1)


def _gamma_as_number(layers, scores, gamma):
    return learned_mix(layers, scores, gamma.item())


def _layers_detached(layers, scores, gamma):
    return learned_mix(layers.detach(), scores, gamma)


def _hash_of_both(words, num_labels, seed):
    """The words themselves are not hashed, but a text with them in it is."""
    return [random.Random(hash(f"{seed}{word}")).randrange(num_labels) for word in words]


def _underflows(layers, scores, gamma):
    """Right for large scores, by taking off a fixed number."""
    shares = (scores - 1000).exp() if scores.max() > 50 else scores.exp()
    return gamma * (shares[:, None, None] * layers).sum(0) / shares.sum()


def _second_moments(vectors):
    """Cholesky, of vectors that were not centred."""
    lower = torch.linalg.cholesky(vectors.T @ vectors / len(vectors))
    return vectors @ torch.linalg.inv(lower).T


def _turned(vectors):
    return (vectors - vectors.mean(dim=0)) @ torch.linalg.eigh(torch.cov(vectors.T))[1]


def _transposed_pca(vectors):
    centred = vectors - vectors.mean(dim=0)
    values, directions = torch.linalg.eigh(centred.T @ centred / len(vectors))
    return centred @ directions.T / values.sqrt()


OTHER_FORMS = [
    ("17.1", "padding_counted", _inner_columns),
    ("17.1", "specials_counted", _masked_mean),
    ("17.2", "gradient", _gamma_as_number),
    ("17.2", "gradient", _layers_detached),
    ("17.2", "overflow", _underflows),
    ("17.2", "gamma_inside", lambda layers, scores, gamma: learned_mix(layers, scores / gamma, 1.0)),
    ("17.3", "hash", _of_word(lambda word, seed, size: (word.__hash__() + seed) % size)),
    ("17.3", "hash", _hash_of_both),
    ("17.3", "alike", _of_word(lambda word, seed, size: _drawn(word.lower(), seed, size))),
    ("17.3", "alike", _of_word(lambda word, seed, size: _drawn(word[:2], seed, size))),
    ("17.3", "not_uniform", _of_word(lambda word, seed, size: _drawn(word[-1], seed, size))),
    ("17.3", "not_uniform", _of_word(lambda word, seed, size: len(word) % size)),
    ("17.3", "seeds_related", _of_word(lambda word, seed, size: zlib.crc32(f"{seed}{word}".encode()) % size)),
    ("17.3", "seed_unused", _of_word(lambda word, seed, size: _drawn(word, seed % 7, size))),
    ("17.3", "range", lambda words, num_labels, seed: [-label for label in control_labels(words, 5, seed)]),
    ("17.3", "kind", lambda *given: [float(label) for label in control_labels(*given)]),
    ("17.4", "not_centred", _second_moments),
    ("17.4", "only_rotated", _turned),
    ("17.4", "wrong_way_round", _transposed_pca),
]


@pytest.mark.parametrize(("id", "reason", "answer"), OTHER_FORMS)
def test_another_form_of_a_mistake_has_its_reason(id, reason, answer):
    verdict = exercise(id).judge(answer)
    assert verdict.reason == reason, verdict.message


# ---- what must not pass


def _remembers(function, key):
    """The answer of the first call with the same key, from then on."""
    known = {}
    return lambda *given: known.setdefault(key(*given), function(*given))


def _drawn_once():
    """A label drawn for each word when it is first seen, and kept while the kernel runs."""
    rng, known = random.Random(), {}

    def answer(words, num_labels, seed):
        return [known.setdefault((word, num_labels, seed), rng.randrange(num_labels)) for word in words]

    return answer


def _written_back(hidden, attention_mask):
    result = mean_vector(hidden, attention_mask)
    hidden.data.zero_()
    return result


def _mixed_into_layers(layers, scores, gamma):
    result = learned_mix(layers, scores, gamma)
    layers.data[0] = 0.0
    return result


def _always_white(vectors):
    generator = torch.Generator().manual_seed(1)
    return whiten(torch.randn(vectors.shape, generator=generator, dtype=vectors.dtype))


TRICKS = [
    ("17.1", "empty", lambda *given: torch.tensor([[3.0], [4.0]])),
    ("17.1", "empty", _remembers(mean_vector, lambda hidden, mask: (len(hidden), hidden.shape[2]))),
    ("17.1", "mutates_input", _written_back),
    ("17.1", "gradient", lambda hidden, mask: mean_vector(hidden.detach(), mask) + 0 * hidden.sum()),
    ("17.2", "overflow", lambda *given: torch.tensor([[12.0, 8.0]])),
    ("17.2", "mutates_input", _mixed_into_layers),
    ("17.2", "other_mixes", lambda layers, scores, gamma: learned_mix(layers[:3], scores[:3], gamma)),
    ("17.3", "not_uniform", lambda words, num_labels, seed: [0] * len(words)),
    ("17.3", "hash", _drawn_once()),
    ("17.3", "order", _remembers(control_labels, lambda words, *rest: len(words) > 10)),
    ("17.4", "unrelated", _always_white),
    ("17.4", "shape", _remembers(whiten, lambda vectors: vectors.dtype)),
    ("17.4", "mutates_input", lambda vectors: vectors.copy_(whiten(vectors))),
]


@pytest.mark.parametrize(("id", "reason", "answer"), TRICKS)
def test_a_cheap_trick_is_told_apart(id, reason, answer):
    verdict = exercise(id).judge(answer)
    assert verdict.reason == reason, verdict.message


def test_labels_are_the_same_in_every_kernel():
    """Values by hand: what another kernel has said."""
    assert control_labels(["배", "를", "타다", "배"], 7, 3) == [6, 0, 2, 6]


def test_whitened_vectors_have_no_direction_in_common():
    generator = torch.Generator().manual_seed(0)
    vectors = torch.randn(211, 7, generator=generator) + 10
    for one, least, most in ((vectors, 0.95, 1.0), (whiten(vectors), -0.1, 0.1)):
        cosines = torch.nn.functional.cosine_similarity(one[:105], one[105:210])
        assert least < cosines.mean() < most
