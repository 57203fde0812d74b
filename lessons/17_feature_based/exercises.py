"""Exercises of notebook 17: a sentence's mean, a learned mix of layers, labels of a control task, and whitening."""

from __future__ import annotations

import builtins
import math
import random
import sys
from collections.abc import Callable, Sequence
from typing import Any
from unittest import mock

import torch
from torch import Tensor

from course_utils.exercises.core import (
    Exercise,
    Wrong,
    call,
    expect_close,
    expect_tensor,
    number,
    numbers,
)
from course_utils.exercises.forbidden import TASKS, refuse_ready_made


def mean_vector(hidden: Tensor, attention_mask: Tensor) -> Tensor:
    places = torch.arange(hidden.shape[1])
    last = attention_mask.sum(dim=1, keepdim=True) - 1  # (B, 1), the place of [SEP]
    inside = ((places > 0) & (places < last)).to(hidden.dtype)  # (B, T)
    total = (hidden * inside[..., None]).sum(dim=1)  # (B, C)
    return total / inside.sum(dim=1, keepdim=True).clamp(min=1)


def check_mean_vector(answer: object) -> None:
    hidden = torch.tensor([[50.0, 2, 4, 30, 7000, 900], [60.0, 1, 2, 3, 10, 40]])[..., None]  # (2, 6, 1)
    mask = torch.tensor([[1, 1, 1, 1, 0, 0], [1, 1, 1, 1, 1, 1]])
    found = expect_tensor(call(answer, hidden, mask), shape=(2, 1), dtype=hidden.dtype)[:, 0]
    right = torch.tensor([3.0, 4.0])
    likely = [
        ("padding_counted", [7986 / 6, 116 / 6]),
        ("padding_counted", [7036 / 4, 4.0]),  # without the first and the last column
        ("padding_counted", [7906 / 4, 4.0]),
        ("specials_counted", [86 / 4, 116 / 6]),
        ("cls_counted", [56 / 3, 76 / 5]),
        ("sep_counted", [36 / 3, 56 / 5]),
        ("last_column", [36 / 3, 4.0]),
        ("divided_by_length", [6 / 6, 16 / 6]),
        ("divided_by_length", [6 / 4, 16 / 4]),
        ("divided_by_real", [6 / 4, 16 / 6]),
        ("sum", [6.0, 16.0]),
        ("maximum", [4.0, 10.0]),
        ("only_cls", [50.0, 60.0]),
        ("first_row_decides", [3.0, 1.5]),
        ("over_all_rows", [22 / 6, 22 / 6]),
    ]
    for reason, wrong in likely:
        if torch.allclose(found, torch.tensor(wrong), rtol=1e-4):
            raise Wrong(reason, expected=numbers(right), actual=numbers(found))
    expect_close(found, right, "value", atol=1e-4)

    two = expect_tensor(call(answer, hidden[:, :3], torch.tensor([[1, 1, 0], [1, 1, 1]])), shape=(2, 1))
    if not bool((two[0] == 0).all()):
        raise Wrong("empty", actual=number(two[0, 0]))
    cases = [(3, 7, 5), (1, 2, 3), (5, 11, 1), (2, 13, 7), (7, 3, 2)]
    for place, (batch, length, size) in enumerate(cases):
        dtype = torch.float32 if place == 3 else torch.float64
        hidden = torch.randn(batch, length, size, dtype=dtype).requires_grad_()
        lengths = torch.randint(2, length + 1, (batch, 1))
        _check_row_means(answer, hidden, (torch.arange(length) < lengths).long())


def _check_row_means(answer: Any, hidden: Tensor, mask: Tensor) -> None:
    """Value and gradient; then with other padding, and with more of it."""
    batch, length, size = hidden.shape
    result = expect_tensor(_refusing(answer, hidden, mask), shape=(batch, size), dtype=hidden.dtype)
    right = mean_vector(hidden, mask)
    facts = {"batch": batch, "length": length, "real": mask.sum(dim=1).tolist()}
    expect_close(result, right, "other_rows", **facts)
    _compare_gradients(result, right, {"hidden": hidden})
    told = torch.where(mask[..., None] == 1, hidden.detach(), 1e4)
    longer = torch.cat([told, told.new_full((batch, 3, size), -1e4)], dim=1)
    more = torch.cat([mask, mask.new_zeros(batch, 3)], dim=1)
    again = expect_tensor(call(answer, longer, more), shape=(batch, size))
    expect_close(again, right, "padding_leaks", **facts)


def learned_mix(layers: Tensor, scores: Tensor, gamma: Tensor) -> Tensor:
    shares = scores.softmax(dim=0)  # (L + 1,)
    return gamma * (shares[:, None, None] * layers).sum(dim=0)  # (T, C)


def check_learned_mix(answer: object) -> None:
    # Shares 5/8, 2/8 and 1/8 of [8, 0], [0, 8] and [8, 16] make [6, 4]; times 2.
    layers = torch.tensor([[[8.0, 0.0]], [[0.0, 8.0]], [[8.0, 16.0]]])  # (3, 1, 2)
    scores, gamma = torch.tensor([5.0, 2.0, 1.0]).log(), torch.tensor(2.0)
    found = expect_tensor(call(answer, layers, scores, gamma), shape=(1, 2), dtype=layers.dtype)
    right = learned_mix(layers, scores, gamma)
    for reason, wrong in _likely_mixes(layers, scores, gamma):
        if torch.allclose(found, wrong, atol=1e-3):
            raise Wrong(reason, expected=numbers(right[0]), actual=numbers(found[0]))
    expect_close(found, right, atol=1e-4)
    _check_far_scores(answer)
    sizes = [(1, 3, 5), (5, 7, 2), (13, 2, 11), (2, 1, 1), (7, 5, 3)]
    for count, length, size in sizes:
        given = {
            "layers": torch.randn(count, length, size, dtype=torch.float64),
            "scores": 2 * torch.randn(count, dtype=torch.float64),
            "gamma": torch.randn((), dtype=torch.float64),
        }
        for tensor in given.values():
            tensor.requires_grad_()
        result = expect_tensor(_refusing(answer, *given.values()), shape=(length, size), dtype=torch.float64)
        right = learned_mix(*given.values())
        expect_close(result, right, "other_mixes", count=count, length=length, size=size)
        _compare_gradients(result, right, given)


def _likely_mixes(layers: Tensor, scores: Tensor, gamma: Tensor) -> list[tuple[str, Tensor]]:
    """The reason, and what a code with this fault gives."""

    def mixed(shares: Tensor) -> Tensor:
        return (shares[:, None, None] * layers).sum(dim=0)

    shares = scores.softmax(dim=0)
    return [
        ("no_softmax", gamma * mixed(scores)),
        ("no_softmax", mixed(scores)),
        ("by_sum", gamma * mixed(scores / scores.sum())),
        ("sigmoid", gamma * mixed(scores.sigmoid())),
        ("only_exp", gamma * mixed(scores.exp())),
        ("over_one", gamma * mixed(torch.ones_like(scores))),
        ("log_softmax", gamma * mixed(scores.log_softmax(dim=0))),
        ("gamma_forgotten", mixed(shares)),
        ("gamma_added", mixed(shares) + gamma),
        ("gamma_inside", mixed((gamma * scores).softmax(dim=0))),
        ("gamma_inside", mixed((scores / gamma).softmax(dim=0))),
        ("gamma_inside", gamma * mixed((gamma * scores).softmax(dim=0))),
        ("gamma_squared", gamma**2 * mixed(shares)),
        ("mean", gamma * mixed(shares) / len(layers)),
        ("scores_unused", gamma * layers.mean(dim=0)),
        ("best_only", gamma * layers[int(scores.argmax())]),
        ("turned_round", gamma * mixed(shares.flip(0))),
    ]


def _check_far_scores(answer: object) -> None:
    """Shares 3/4 and 1/4 of [4, 0] and [0, 8], by scores whose exponential is ∞, or 0."""
    layers = torch.tensor([[[4.0, 0.0]], [[0.0, 8.0]]])
    for far in (1000.0, -1000.0):
        scores = torch.tensor([far + math.log(3), far], requires_grad=True)
        found = expect_tensor(call(answer, layers, scores, torch.tensor(1.0)), shape=(1, 2))
        if not torch.allclose(found, torch.tensor([[3.0, 2.0]]), atol=1e-2):
            raise Wrong("overflow", far=number(far), expected="[3, 2]", actual=numbers(found[0]))


def _compare_gradients(result: Tensor, right: Tensor, given: dict[str, Tensor]) -> None:
    """The gradient of the result, weighted at random, is that of the right one in each of the given tensors."""
    upstream, tensors = torch.randn_like(right), list(given.values())
    if not result.requires_grad:
        raise Wrong("no_gradient")
    found = torch.autograd.grad(result, tensors, upstream, allow_unused=True, materialize_grads=True)
    expected = torch.autograd.grad(right, tensors, upstream, allow_unused=True, materialize_grads=True)
    for name, mine, wanted in zip(given, found, expected, strict=True):
        expect_close(mine, wanted, "gradient", atol=1e-5, of=name)


def control_labels(words: Sequence[str], num_labels: int, seed: int) -> list[int]:
    # A text as a seed becomes a number by SHA-512, the same in every kernel; hash(word) is another in each.
    return [random.Random(f"{seed} {word}").randrange(num_labels) for word in words]


SYLLABLES = "가나다라마바사아자차카타파하거너더러머버서어저처커터퍼허고노도로모보소오조초코토포호"
FAMILIES = 150  # of words that are alike


class OfAnotherKernel(str):
    """A word whose hash is another one, as in a kernel that was started anew."""

    def __hash__(self) -> int:
        return str.__hash__(self) ^ 0x5EED


def check_control_labels(answer: object) -> None:
    families = _drawn_families()
    words = [word for family in families for word in family]  # all different
    tokens = words + words[::3]
    generator = torch.Generator().manual_seed(int(torch.randint(10**6, ())))
    tokens = [tokens[place] for place in torch.randperm(len(tokens), generator=generator)]

    small = ["배", "를", "타다", "배", "를", "먹다"]
    state = random.getstate(), torch.get_rng_state()
    first = _labels(answer, small, 5, 0)
    second = _labels(answer, small, 5, 0)
    if first != second:
        raise Wrong("not_repeatable", words=small, first=first, second=second)
    if random.getstate() != state[0] or not torch.equal(torch.get_rng_state(), state[1]):
        raise Wrong("global_random")

    labels = _labels(answer, tokens, 5, 0)
    known: dict[str, int] = {}
    for word, label in zip(tokens, labels, strict=True):
        if known.setdefault(word, label) != label:
            raise Wrong("per_token", word=word, first=known[word], second=label)
    _expect_known(answer, tokens[::-1], 5, 0, known, "order")
    for chosen in (words[::2], words[1::5], words[:1], words[-1:], small, small[::-1], []):
        _expect_known(answer, chosen, 5, 0, known, "other_words")
    _check_new_kernel(answer, tokens, known)
    _check_chance(families, known, 5)
    _check_seeds(answer, words, known)
    for num_labels in (1, 2, 17):
        labels = _labels(answer, words, num_labels, 3)
        if len(set(labels)) < num_labels:
            missing = min(set(range(num_labels)) - set(labels))
            raise Wrong("label_missing", num_labels=num_labels, label=missing, count=len(words))
    again = _ints(_refusing(answer, tokens[::2], 5, 0))
    if again != [known[word] for word in tokens[::2]]:
        raise Wrong("other_words", **_differing(tokens[::2], again, known))


def _drawn_families() -> list[tuple[str, ...]]:
    """Fresh words, five that are alike each: ab, ba, abc, ac, cb in syllables; and Ab beside ab in letters."""
    size = len(SYLLABLES)
    order = torch.randperm(size**2)[: 2 * FAMILIES].tolist()
    stems = [SYLLABLES[place // size] + SYLLABLES[place % size] for place in order]
    stems = [stem for stem in stems if stem[0] < stem[1]][: FAMILIES // 2]
    families = [
        (stem, stem[::-1], f"{stem}를", f"{stem[0]}를", f"를{stem[1]}", f"를{stem}") for stem in stems
    ]
    for place in order[:FAMILIES]:
        letters = "".join(chr(97 + place // 26**power % 26) for power in range(3))
        families.append((letters, letters.upper(), f"{letters}s"))
    seen: set[str] = set()
    return [
        family
        for family in families
        if not (seen.intersection(family) or len(set(family)) < len(family) or seen.update(family))
    ]


def _labels(answer: Any, words: Sequence[str], num_labels: int, seed: int) -> list[int]:
    """What an answer returned: as many whole numbers as there are words, from 0 to num_labels − 1."""
    labels = _ints(call(answer, list(words), num_labels, seed))
    if len(labels) != len(words):
        raise Wrong("count", expected=len(words), actual=len(labels))
    for label in labels:
        if not 0 <= label < num_labels:
            raise Wrong("range", num_labels=num_labels, most=num_labels - 1, actual=label)
    return labels


def _ints(result: Any) -> list[int]:
    """A list, a tuple or a tensor of whole numbers, as a list."""
    values = result.tolist() if isinstance(result, Tensor) else result
    if not isinstance(values, list | tuple):
        raise Wrong("kind", actual=type(result).__name__)
    for value in values:
        if isinstance(value, bool) or not isinstance(value, int):
            raise Wrong("kind", actual=type(value).__name__)
    return list(values)


def _expect_known(
    answer: Any, words: Sequence[str], num_labels: int, seed: int, known: dict[str, int], reason: str
) -> None:
    labels = _labels(answer, words, num_labels, seed)
    if any(known.setdefault(word, label) != label for word, label in zip(words, labels, strict=True)):
        raise Wrong(reason, **_differing(words, labels, known))


def _differing(words: Sequence[str], labels: Sequence[int], known: dict[str, int]) -> dict[str, Any]:
    pairs = zip(words, labels)
    word, label = next((pair for pair in pairs if known[pair[0]] != pair[1]), (words[0], -1))
    return {"word": str(word), "expected": known[word], "actual": label, "count": len(words)}


def _check_new_kernel(answer: Any, words: Sequence[str], known: dict[str, int]) -> None:
    """Whatever hash says is another in a new kernel, of a word and, in the answer's own code, of anything."""
    own, real = getattr(answer, "__globals__", None), builtins.hash

    def other(value: Any) -> int:
        return real(value) ^ 0x5EED if sys._getframe(1).f_globals is own else real(value)

    with mock.patch.object(builtins, "hash", other):
        labels = _labels(answer, [OfAnotherKernel(word) for word in words], 5, 0)
    if labels != [known[word] for word in words]:
        raise Wrong("hash")  # the labels themselves would be others each time


def _check_chance(families: Sequence[Sequence[str]], known: dict[str, int], num_labels: int) -> None:
    """All labels come about equally often, and words that are alike share theirs no more often than others."""
    labels = [known[word] for family in families for word in family]
    mean, counts = len(labels) / num_labels, [labels.count(label) for label in range(num_labels)]
    if not all(0.6 * mean < count < 1.4 * mean for count in counts):  # six standard deviations and more
        raise Wrong("not_uniform", count=len(labels), mean=number(mean), counts=counts)
    for kind in {len(family) for family in families}:
        alike = [family for family in families if len(family) == kind]
        for one, other in [(a, b) for a in range(kind) for b in range(a)]:
            same = sum(known[family[one]] == known[family[other]] for family in alike) / len(alike)
            if same > 0.55:
                pair = {"one": alike[0][other], "other": alike[0][one]}
                raise Wrong("alike", share=number(100 * same), chance=number(100 / num_labels), **pair)


def _check_seeds(answer: Any, words: Sequence[str], known: dict[str, int]) -> None:
    """Another seed is another drawing: who shared a label shares it no more often than others."""
    for num_labels, one, other in ((5, 0, 1), (8, 1, 2), (7, 3, 10), (5, 5, 123_456)):
        before = _labels(answer, words, num_labels, one)
        after = _labels(answer, words, num_labels, other)
        if num_labels == 5 and one == 0 and before != [known[word] for word in words]:
            raise Wrong("other_words", **_differing(words, before, known))
        facts = {"one": one, "other": other, "num_labels": num_labels}
        if before == after:
            raise Wrong("seed_unused", **facts)
        kept = sum(a == b for a, b in zip(before, after, strict=True)) / len(words)
        first, second = (torch.tensor(labels) for labels in (before, after))
        together = (first[:, None] == first) & ~torch.eye(len(words), dtype=torch.bool)
        still = float((together & (second[:, None] == second)).sum() / together.sum().clamp(min=1))
        if max(kept, still) > 2 / num_labels:
            share, chance = number(100 * max(kept, still)), number(100 / num_labels)
            raise Wrong("seeds_related", share=share, chance=chance, **facts)


def whiten(vectors: Tensor) -> Tensor:
    centred = vectors.double()  # in single precision, what is 0 becomes 10⁻⁷ of the largest
    centred = centred - centred.mean(dim=0)
    left, sizes, right = torch.linalg.svd(centred, full_matrices=False)  # variance of a direction: size² / N
    there = sizes**2 > 1e-9 * sizes.max() ** 2
    return (math.sqrt(len(vectors)) * (left * there) @ right).to(vectors.dtype)


def check_whiten(answer: object) -> None:
    # Around [10, 5], at ±[4, 2] and ±[−1, 2]: the covariance is [[8.5, 3], [3, 4]], its eigenvalues 10 and 2.5.
    vectors = torch.tensor([[14.0, 7.0], [6.0, 3.0], [9.0, 7.0], [11.0, 3.0]], dtype=torch.float64)
    found = _whitened(answer, vectors)
    _raise_likely(found, vectors)
    _expect_white(found, vectors)
    for scale in (1e4, 1e-4):
        drawn = _drawn_vectors(13, 5)
        _expect_white(_whitened(answer, drawn), drawn, 5e-2)
        found = _whitened(answer, scale * drawn)
        if not _as_white(found, drawn):
            raise Wrong("scale", scale=number(scale), **_told(found, drawn))
    _check_other_vectors(answer)
    _check_missing_directions(answer)
    thin = _drawn_vectors(37, 3) @ torch.diag(torch.tensor([1.0, 1.0, 1e-3], dtype=torch.float64))
    found = _whitened(answer, thin)
    if not _as_white(found, thin):
        raise Wrong("thin_direction", **_told(found, thin))
    for same in (torch.tensor([[0.5, -2.0, 3.0]]), torch.tensor([[0.5, -2.0, 3.0]]).expand(4, 3)):
        found = _whitened(answer, same.double().contiguous())
        if not bool((found.abs() < 1e-6).all()):
            raise Wrong("one_vector", count=len(same), actual=_rounded(found[0]))


def _whitened(answer: Any, vectors: Tensor, ask: Callable[..., Any] = call) -> Tensor:
    found = expect_tensor(ask(answer, vectors), shape=tuple(vectors.shape), dtype=vectors.dtype).detach()
    if not torch.isfinite(found).all():
        index = tuple((~torch.isfinite(found)).nonzero()[0].tolist())
        raise Wrong("not_finite", index=index)
    return found


def _covariance(vectors: Tensor) -> Tensor:
    centred = vectors.double() - vectors.double().mean(dim=0)
    return centred.T @ centred / len(vectors)


def _as_white(found: Tensor, vectors: Tensor, atol: float = 1e-3) -> bool:
    """Whether Y Yᵀ is right: it says all of Y but for a rotation, so mean and covariance, too."""
    right, mine = whiten(vectors.double()), found.double()
    return bool(((mine @ mine.T - right @ right.T).abs() <= atol).all())


def _told(found: Tensor, vectors: Tensor) -> dict[str, Any]:
    """The eigenvalues of both covariances, the largest first: ones, and a 0 for each direction that is not there."""
    right, mine = (torch.linalg.eigvalsh(_covariance(one)).flip(0) for one in (whiten(vectors), found))
    facts = {"rows": len(vectors), "size": vectors.shape[1]}
    return facts | {"expected": _rounded(right[:13]), "actual": _rounded(mine[:13])}


def _rounded(values: Tensor) -> str:
    """As numbers, without what rounding left of a 0."""
    return numbers(torch.where(values.abs() < 1e-6, 0.0, values))


def _raise_likely(found: Tensor, vectors: Tensor) -> None:
    """The faults of a small example, told by mean, lengths and covariance."""
    covariance, mean = _covariance(found), found.mean(dim=0)
    facts = {"mean": _rounded(mean), "actual": _rounded(covariance)}
    centred = vectors - vectors.mean(dim=0)
    values = torch.linalg.eigvalsh(_covariance(vectors))
    over_rows = vectors - vectors.mean(dim=1, keepdim=True)
    over_rows = over_rows / over_rows.square().mean(dim=1, keepdim=True).sqrt()
    for reason, wrong in [
        ("only_centred", centred),
        ("unchanged", vectors),
        ("over_rows", over_rows),
    ]:
        if torch.allclose(found, wrong, atol=1e-6):
            raise Wrong(reason, **facts)
    if torch.allclose(found.norm(dim=1), torch.ones(len(found)).double(), atol=1e-6):
        raise Wrong("unit_length", **facts)
    if not torch.allclose(mean, torch.zeros_like(mean), atol=1e-4):
        raise Wrong("not_centred", **facts)
    found_values = torch.linalg.eigvalsh(covariance)
    for reason, wrong in [
        ("unbiased", torch.tensor([0.75, 0.75])),
        ("not_divided", torch.tensor([0.25, 0.25])),
        ("only_rotated", values),
        ("no_root", (1 / values).flip(0)),
        ("multiplied", values**2),
        ("multiplied", values**3),
    ]:
        if torch.allclose(found_values, wrong.double(), atol=1e-3):
            raise Wrong(reason, **facts)
    if torch.allclose(covariance.diag(), torch.ones(2).double(), atol=1e-3) and covariance[0, 1].abs() > 1e-3:
        raise Wrong("correlated", **facts)
    if not torch.allclose(covariance, torch.eye(2).double(), atol=1e-3):
        raise Wrong("covariance", **facts)


def _expect_white(found: Tensor, vectors: Tensor, atol: float = 1e-3) -> None:
    if _as_white(found, vectors, atol):
        return
    facts = _told(found, vectors)
    mean = found.double().mean(dim=0)
    if not bool((mean.abs() <= atol / 10).all()):
        raise Wrong("not_centred", mean=_rounded(mean[:7]), actual=_rounded(_covariance(found)[:7, :7]))
    centred, values, directions = _turned(vectors)
    for back in (directions, torch.eye(len(values)).double()):  # ZCA and PCA, transposed
        turned = centred @ directions.T * values.rsqrt() @ back
        if torch.allclose(found.double(), turned, atol=1e-4):
            raise Wrong("wrong_way_round", **facts)
    if facts["expected"] == facts["actual"]:
        raise Wrong("unrelated", **facts)
    raise Wrong("other_vectors", **facts)


def _turned(vectors: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The centred vectors, and what torch.linalg.eigh says of their covariance."""
    covariance = _covariance(vectors)
    return vectors.double() - vectors.double().mean(dim=0), *torch.linalg.eigh(covariance)


def _drawn_vectors(rows: int, size: int, dtype: torch.dtype = torch.float64) -> Tensor:
    """Vectors that lie to one side, and whose coordinates move together."""
    mixed = torch.randn(rows, size, dtype=torch.float64) @ torch.randn(size, size, dtype=torch.float64)
    return (mixed + 0.5 * torch.randn(rows, size) + 30 * torch.rand(size)).to(dtype)


def _check_other_vectors(answer: Any) -> None:
    for place, (rows, size) in enumerate([(7, 2), (13, 5), (11, 1), (37, 7), (101, 3), (23, 11)]):
        dtype = torch.float32 if place == 4 else torch.float64
        vectors = _drawn_vectors(rows, size, dtype)
        _expect_white(
            _whitened(answer, vectors, _refusing), vectors, 1e-2 if dtype == torch.float32 else 1e-3
        )


def _check_missing_directions(answer: Any) -> None:
    """A coordinate that never changes, one that is the sum of others, and fewer vectors than coordinates."""
    constant, summed = _drawn_vectors(11, 3), _drawn_vectors(13, 4)
    constant[:, 1] = 2.5
    summed[:, 3] = summed[:, 0] + summed[:, 1]
    few, exactly = _drawn_vectors(3, 5), _drawn_vectors(5, 5)
    single = [_drawn_vectors(rows, size, torch.float32) for rows, size in ((5, 7), (11, 13))]
    for vectors in (constant, summed, few, exactly, *single):
        facts = {"rows": len(vectors), "size": vectors.shape[1]}
        try:
            found = _whitened(answer, vectors)
        except Wrong as wrong:
            if wrong.reason == "raised":
                raise Wrong("stops", **facts, **wrong.facts) from None
            if wrong.reason == "not_finite":
                raise Wrong("divided_by_zero", **facts, **wrong.facts) from None
            raise
        if not _as_white(found, vectors, 1e-2):
            raise Wrong("missing_direction", **_told(found, vectors))


def _refusing(answer: Any, *args: Any) -> Any:
    """As call, where nothing of course_utils.tasks may be called."""
    return refuse_ready_made(answer, *args, modules=TASKS)


EXERCISES = [
    Exercise("17.1", level="warm-up", check=check_mean_vector, solution=mean_vector),
    Exercise("17.2", level="core", check=check_learned_mix, solution=learned_mix),
    Exercise("17.3", level="core", check=check_control_labels, solution=control_labels),
    Exercise("17.4", level="stretch", check=check_whiten, solution=whiten),
]
