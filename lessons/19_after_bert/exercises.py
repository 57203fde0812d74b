"""Exercises of notebook 19: span lengths, ALBERT's size, ELECTRA's labels, soft targets, sentence order."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from course_utils.exercises.core import (
    Exercise,
    Wrong,
    call,
    expect_close,
    expect_tensor,
    expect_tuple,
    number,
    told_apart,
)
from course_utils.exercises.forbidden import refuse_ready_made

PACKAGE = ("course_utils.after",)
MODELS = (
    *PACKAGE,
    *(f"course_utils.{part}" for part in ("attention", "bert", "embeddings", "encoder", "heads")),
    "transformers",
    "torch.nn.modules",
)
IGNORE = -100
Call = Callable[..., Any]  # core.call, or _refuse_package in its place


# ---- 19.1


def span_length_shares(p: float, longest: int) -> list[float]:
    weights = [(1 - p) ** (length - 1) for length in range(1, longest + 1)]  # p itself would cancel
    return [weight / sum(weights) for weight in weights]


def check_span_length_shares(answer: object) -> None:
    found = _shares(answer, 0.5, 3)
    likely = [
        ("not_normalised", [1 / 2, 1 / 4, 1 / 8]),
        ("tail_on_last", [1 / 2, 1 / 4, 1 / 4]),
        ("from_zero", [1 / 4, 1 / 8, 1 / 16]),
        ("reversed", [1 / 7, 2 / 7, 4 / 7]),
        ("uniform", [1 / 3, 1 / 3, 1 / 3]),
        ("softmax", torch.tensor([0.5, 0.25, 0.125]).softmax(0).tolist()),
    ]
    _tell(found, likely, span_length_shares(0.5, 3))
    p, longest = 0.2, 10
    found, right = _shares(answer, p, longest), span_length_shares(p, longest)
    raw = [p * (1 - p) ** place for place in range(longest)]
    turned = [(1 - p) * p**place for place in range(longest)]
    likely = [
        ("p_reversed", [one / sum(turned) for one in turned]),
        ("tail_on_last", [*raw[:-1], 1 - sum(raw[:-1])]),
        ("not_normalised", raw),
    ]
    _tell(found, likely, right)
    generator = torch.Generator().manual_seed(int(torch.randint(10**6, ())))
    for longest in (1, 2, 7, 13, 29):
        p = 0.05 + 0.9 * float(torch.rand((), generator=generator))
        _tell(_shares(answer, p, longest), [], span_length_shares(p, longest), "other_values", p, longest)
    _tell(_shares(answer, 1.0, 5), [], [1.0, 0, 0, 0, 0], "p_is_one")
    for p in (1e-17, 3e-16, 1e-14, 3e-13):  # 1 − p is 1, or has lost most digits of p
        tiny = _shares(answer, p, 4)
        off = max(tiny, key=lambda share: math.inf if math.isnan(share) else abs(share - 0.25))
        if not abs(off - 0.25) < 1e-6:
            raise Wrong("cancelled", p=number(p), actual=told_apart(0.25, off)[1])
    for longest in (59, 331):
        p = (0.1 + float(torch.rand((), generator=generator))) / longest  # the longest are not rare
        _expect_long(_shares(answer, p, longest), p, longest)
    given = 0.2 + 0.5 * float(torch.rand((), generator=generator)), 11
    found = _listed(_refuse_package(answer, *given))
    _tell(found, [], span_length_shares(*given), "other_values", *given)


def _expect_long(found: list[float], p: float, longest: int) -> None:
    for length, (share, right) in enumerate(zip(found, span_length_shares(p, longest)), start=1):
        if not _near([share], [right]):
            expected, actual = told_apart(right, share)
            facts = {"p": number(p), "longest": longest, "length": length}
            raise Wrong("long_spans", **facts, expected=expected, actual=actual)


def _shares(answer: Any, p: float, longest: int) -> list[float]:
    values = _listed(call(answer, p, longest))
    if len(values) != longest:
        raise Wrong("how_many", longest=longest, actual=len(values))
    return values


def _listed(result: Any) -> list[float]:
    """A list, a tuple or a tensor of numbers, as a list."""
    values = result.tolist() if isinstance(result, Tensor) else result
    flat = isinstance(values, list | tuple)
    if not flat or any(isinstance(one, bool) or not isinstance(one, int | float) for one in values):
        raise Wrong("list", actual=type(result).__name__)
    return list(values)


def _tell(
    found: list[float],
    likely: list[tuple[str, list[float]]],
    right: list[float],
    reason: str = "value_of",
    p: float | None = None,
    longest: int | None = None,
) -> None:
    for name, wrong in likely:
        if _near(found, wrong) and not _near(right, wrong):
            raise Wrong(name, expected=_written(right), actual=_written(found), total=number(sum(found)))
    if not _near(found, right):
        facts = {} if p is None else {"p": number(p), "longest": longest}
        raise Wrong(reason, expected=_written(right), actual=_written(found), **facts)


def _near(some: Sequence[float], others: Sequence[float]) -> bool:
    return len(some) == len(others) and all(
        math.isclose(one, other, rel_tol=1e-5, abs_tol=1e-7) for one, other in zip(some, others)
    )


def _written(values: Sequence[float]) -> str:
    shown = [f"{value:.3g}" for value in values[:4]]
    return "[" + ", ".join([*shown, "…"] if len(values) > 4 else shown) + "]"


def _refuse_package(answer: Any, *args: Any, modules: tuple[str, ...] = PACKAGE) -> Any:
    return refuse_ready_made(answer, *args, modules=modules)


# ---- 19.2


def albert_parameters(
    vocabulary: int, positions: int, embedding: int, hidden: int, intermediate: int, layers: int
) -> int:
    embeddings = (
        vocabulary + positions + 2
    ) * embedding + 2 * embedding  # three tables of width E, one LayerNorm
    project = embedding * hidden + hidden
    attention = 4 * (hidden * hidden + hidden) + 2 * hidden  # query, key, value, output; LayerNorm
    feed_forward = 2 * hidden * intermediate + intermediate + hidden + 2 * hidden
    pooler = hidden * hidden + hidden
    return embeddings + project + attention + feed_forward + pooler  # the one layer serves all `layers`


def _likely_sizes(v: int, t: int, e: int, c: int, i: int, n: int) -> list[tuple[str, int]]:
    """The reason, and what a formula with this fault gives."""
    right = albert_parameters(v, t, e, c, i, n)
    layer = 4 * (c * c + c) + 2 * c * i + i + c + 4 * c
    return [
        ("layers_multiplied", right + (n - 1) * layer),
        ("not_factorised", right - (v + t + 4) * e - (e * c + c) + (v + t + 4) * c),
        ("not_factorised", right + v * (c - e)),
        ("wide_positions", right + t * (c - e)),
        ("wide_positions", right + (t + 2) * (c - e)),
        ("wide_positions", right + (t + 4) * (c - e)),
        ("no_projection", right - e * c - c),
        ("projection_bias", right - c),
        ("square_missing", right - c * c - c),  # the pooler, or one matrix of the attention
        ("pair_missing", right - 2 * e),  # the segments, or the LayerNorm of the embeddings
        ("no_positions", right - t * e),
        ("wide_norm", right + 2 * (c - e)),
        ("one_norm", right - 2 * c),
        ("no_norms", right - 2 * e - 4 * c),
        ("no_norms", right - 4 * c),
        ("no_biases", right - c - 4 * c - i - c - c),
        ("no_biases", right - 5 * c - i),
        ("four_times", right + (4 * c - i) * (2 * c + 1)),
        ("with_head", right + (c * e + e) + 2 * e + v),
    ]


def check_albert_parameters(answer: object) -> None:
    sizes = (101, 17, 5, 12, 31, 7)
    found, right = _whole(call(answer, *sizes)), albert_parameters(*sizes)
    for reason, wrong in _likely_sizes(*sizes):
        if found == wrong:
            raise Wrong(reason, expected=f"{right:,}", actual=f"{found:,}", off=f"{found - right:+,}")
    if found != right:
        facts = {"expected": f"{right:,}", "actual": f"{found:,}", "off": f"{found - right:+,}"}
        raise Wrong("count", **facts)
    generator = torch.Generator().manual_seed(int(torch.randint(10**6, ())))
    for times in range(12):
        v, t, e, c, i, n = (int(torch.randint(2, 400, (), generator=generator)) for _ in range(6))
        given = (v, t, e, c + 400, i, n)  # E and C differ
        watched = times == 0  # once: a model takes its time to be made and watched
        result = _refuse_package(answer, *given, modules=MODELS) if watched else call(answer, *given)
        found, right = _whole(result), albert_parameters(*given)
        if found != right:
            names = ("V", "P", "E", "C", "I", "L")
            written = ", ".join(f"{name} = {one}" for name, one in zip(names, given))
            raise Wrong("other_sizes", given=written, expected=f"{right:,}", actual=f"{found:,}")


def _whole(result: Any) -> int:
    if isinstance(result, bool) or not isinstance(result, int):
        raise Wrong("whole", actual=type(result).__name__)
    return result


# ---- 19.3


def electra_batch(
    input_ids: Tensor, chosen: Tensor, guesses: Tensor, attention_mask: Tensor
) -> tuple[Tensor, Tensor]:
    corrupted = torch.where(chosen, guesses, input_ids)  # (B, T)
    labels = (corrupted != input_ids).long()  # a guess that is right is the original
    return corrupted, labels.masked_fill(attention_mask == 0, IGNORE)


def check_electra_batch(answer: object) -> None:
    ids = torch.tensor([[2, 7, 8, 9, 3, 0], [2, 5, 6, 7, 8, 3]])
    chosen = torch.tensor([[0, 1, 1, 0, 0, 0], [0, 0, 1, 0, 1, 0]]).bool()
    guesses = torch.tensor([[4, 7, 5, 4, 4, 4], [4, 4, 6, 7, 9, 4]])
    mask = torch.tensor([[1, 1, 1, 1, 1, 0], [1, 1, 1, 1, 1, 1]])
    right = electra_batch(ids, chosen, guesses, mask)
    found = _two(call(answer, ids, chosen, guesses, mask), ids)
    faults = [
        ("guesses_everywhere", guesses),
        ("chosen_reversed", torch.where(chosen, ids, guesses)),
        ("never_corrupted", ids),
    ]
    for reason, wrong in faults:
        if torch.equal(found[0], wrong):
            raise Wrong(reason, expected=right[0].tolist(), actual=found[0].tolist())
    _expect_ids(found[0], right[0], "corrupted")
    for reason, wrong in _likely_labels(ids, chosen, guesses, mask):
        if torch.equal(found[1], wrong):
            raise Wrong(reason, expected=right[1].tolist(), actual=found[1].tolist())
    _expect_ids(found[1], right[1], "labels")
    _check_drawn_batches(answer)


def _check_drawn_batches(answer: Any) -> None:
    generator = torch.Generator().manual_seed(int(torch.randint(10**6, ())))

    def draw(*shape: int, high: int = 5) -> Tensor:
        return torch.randint(high, shape, generator=generator)

    few, many = 5, 30000  # ids: of a few, 0 is a real token, too
    shapes = [(3, 7, few), (1, 1, few), (7, 13, few), (2, 29, few), (3, 17, many), (5, 11, many)]
    for batch, length, vocab in shapes:
        lengths = draw(batch, 1, high=length) + 1
        mask = (torch.arange(length) < lengths).long()
        in_front = (batch, length) == (5, 11)
        mask = mask.flip(1) if in_front else mask
        ids, guesses = (draw(batch, length, high=vocab) for _ in "12")
        guesses = torch.where(draw(batch, length) < 2, ids, guesses)  # some are right
        chosen = (draw(batch, length) < 3) & mask.bool()
        right = electra_batch(ids, chosen, guesses, mask)
        found = _two(_refuse_package(answer, ids, chosen, guesses, mask), ids)
        _expect_ids(found[0], right[0], "other_corrupted")
        left_out = (found[1] == IGNORE) & (mask == 1)
        if (left_out & (ids == 0)).any():
            raise Wrong("padding_by_id")
        if in_front and not torch.equal(found[1], right[1]):
            raise Wrong("padding_in_front", **_first_difference(found[1], right[1]))
        if vocab == many and left_out.any():
            raise Wrong("special_by_id", id=int(ids[left_out][0]))
        _expect_ids(found[1], right[1], "other_labels")


def _two(result: Any, like: Tensor) -> list[Tensor]:
    shape = tuple(like.shape)
    return [expect_tensor(one, shape=shape, dtype=like.dtype) for one in expect_tuple(result, 2)]


def _likely_labels(ids: Tensor, chosen: Tensor, guesses: Tensor, mask: Tensor) -> list[tuple[str, Tensor]]:
    """The reason, and the labels of a code with this fault."""
    _, right = electra_batch(ids, chosen, guesses, mask)
    away = mask == 0
    return [
        ("masked_is_replaced", chosen.long().masked_fill(away, IGNORE)),
        ("masked_is_replaced", chosen.long()),
        ("labels_reversed", torch.where(right == IGNORE, right, 1 - right)),
        ("only_masked", right.masked_fill(~chosen, IGNORE)),
        ("padding_counted", right.masked_fill(away, 0)),
        ("other_mark", right.masked_fill(away, -1)),
        ("guess_unlike_token", (guesses != ids).long().masked_fill(away, IGNORE)),
        ("the_words", torch.where(chosen, ids, IGNORE)),
    ]


def _expect_ids(found: Tensor, right: Tensor, reason: str) -> None:
    if not torch.equal(found, right):
        raise Wrong(reason, **_first_difference(found, right))


def _first_difference(found: Tensor, right: Tensor) -> dict[str, int]:
    row, column = (int(place) for place in (found != right).nonzero()[0])
    facts = {"row": row, "column": column}
    return facts | {"expected": int(right[row, column]), "actual": int(found[row, column])}


# ---- 19.4


def soft_target_loss(
    student_logits: Tensor, teacher_logits: Tensor, temperature: float, attention_mask: Tensor
) -> Tensor:
    real = attention_mask == 1  # (B, T)
    student = (student_logits[real] / temperature).log_softmax(dim=-1)  # (N, V)
    teacher = (teacher_logits[real].detach() / temperature).log_softmax(dim=-1)  # (N, V)
    divergence = (teacher.exp() * (teacher - student)).sum(dim=-1)  # (N,)
    return temperature**2 * divergence.mean()


def check_soft_target_loss(answer: object) -> None:
    student = torch.tensor([[[0.0, 2.0, 1.0], [1.0, 0.0, 0.0], [9.0, 0.0, 0.0]]])
    teacher = torch.tensor([[[3.0, 0.0, 1.0], [0.0, 1.0, 2.0], [0.0, 0.0, 9.0]]])
    given = (student, teacher, 2.0, torch.tensor([[1, 1, 0]]))
    found = expect_tensor(call(answer, *given), shape=(), dtype=student.dtype)
    right = soft_target_loss(*given)
    for reason, wrong in _likely_losses(*given):
        if math.isclose(float(found), float(wrong), rel_tol=1e-4):
            raise Wrong(reason, expected=number(right), actual=number(found))
    expect_close(found, right, "loss", atol=1e-4)
    generator = torch.Generator().manual_seed(int(torch.randint(10**6, ())))
    for batch, length, size, tau in ((3, 5, 7, 2.0), (1, 1, 2, 1.0), (2, 7, 13, 5.0), (5, 3, 11, 0.5)):
        student, teacher = (
            3 * torch.randn(batch, length, size, generator=generator, dtype=torch.float64) for _ in "12"
        )
        lengths = torch.randint(1, length + 1, (batch, 1), generator=generator)
        _check_loss_and_gradient(answer, student, teacher, tau, (torch.arange(length) < lengths).long())
    for size, tau in ((400.0, 1.0), (400.0, 0.5), (3000.0, 2.0), (7000.0, 5.0)):
        _check_far_scores(answer, size, tau)


def _check_far_scores(answer: Any, size: float, tau: float) -> None:
    """Probabilities whose logarithm is that of 0; the loss and its gradient are finite nevertheless."""
    noise = torch.randn(2, 1, 3, 3, dtype=torch.float64)
    far = size * torch.tensor([[[1.0, 1.0, -1.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]], dtype=torch.float64)
    student, teacher = (noise[0] + far).requires_grad_(), noise[1] - far
    given = student, teacher, tau, torch.tensor([[1, 1, 0]])
    found, right = expect_tensor(call(answer, *given), shape=()), soft_target_loss(*given)
    facts = {"size": number(size), "tau": number(tau)}
    expect_close(found, right, "far", atol=1e-5, **facts)
    gradient = torch.zeros_like(far)
    if found.requires_grad:
        (gradient,) = torch.autograd.grad(found, student, allow_unused=True, materialize_grads=True)
    (wanted,) = torch.autograd.grad(right, student)
    expect_close(gradient, wanted, "far_gradient", **facts)


def _likely_losses(student: Tensor, teacher: Tensor, tau: float, mask: Tensor) -> list[tuple[str, Tensor]]:
    """The reason, and the loss of a code with this fault."""

    def each(s: Tensor, t: Tensor) -> Tensor:
        s, t = s.log_softmax(dim=-1), t.log_softmax(dim=-1)
        return (t.exp() * (t - s)).sum(dim=-1)  # (B, T)

    real, count = mask == 1, student.shape[-1]
    right = each(student / tau, teacher / tau)
    mean = right[real].mean()
    crossed = -((teacher / tau).softmax(-1) * (student / tau).log_softmax(-1)).sum(-1)[real].mean()
    return [
        ("no_square", mean),
        ("once", tau * mean),
        ("divided", mean / tau**2),
        ("student_as_it_is", tau**2 * each(student, teacher / tau)[real].mean()),
        ("teacher_as_it_is", tau**2 * each(student / tau, teacher)[real].mean()),
        ("no_temperature", each(student, teacher)[real].mean()),
        ("no_temperature", tau**2 * each(student, teacher)[real].mean()),
        ("multiplied", tau**2 * each(student * tau, teacher * tau)[real].mean()),
        ("turned_round", tau**2 * each(teacher / tau, student / tau)[real].mean()),
        ("cross_entropy", tau**2 * crossed),
        ("cross_entropy", crossed),
        ("padding_counted", tau**2 * right.mean()),
        ("padding_counted", tau**2 * (right * real).sum() / real.numel()),
        ("summed", tau**2 * right[real].sum()),
        ("over_vocabulary", tau**2 * mean / count),
        ("best_word", F.cross_entropy(student[real], teacher[real].argmax(-1))),
    ]


def _check_loss_and_gradient(answer: Any, student: Tensor, teacher: Tensor, tau: float, mask: Tensor) -> None:
    leaves = [tensor.clone().requires_grad_() for tensor in (student, teacher)]
    result = expect_tensor(_refuse_package(answer, *leaves, tau, mask), shape=(), dtype=student.dtype)
    facts = {"shape": tuple(student.shape), "tau": number(tau)}
    copy = student.clone().requires_grad_()
    right = soft_target_loss(copy, teacher, tau, mask)
    expect_close(result, right, "other_loss", atol=1e-6, **facts)
    if not result.requires_grad:
        raise Wrong("no_gradient")
    of_student, of_teacher = torch.autograd.grad(result, leaves, allow_unused=True, materialize_grads=True)
    if of_teacher.abs().max() > 1e-9:
        raise Wrong("teacher_learns", actual=number(of_teacher.abs().max()))
    (wanted,) = torch.autograd.grad(right, copy)
    expect_close(of_student, wanted, "gradient", atol=1e-7)


# ---- 19.5


def order_pairs(documents: list[list[str]], generator: torch.Generator) -> list[tuple[str, str, int]]:
    pairs = []
    for document in documents:
        for first, second in zip(document, document[1:]):  # never beyond the document's end
            if torch.rand((), generator=generator) < 0.5:
                pairs.append((second, first, 1))
            else:
                pairs.append((first, second, 0))
    return pairs


def check_order_pairs(answer: object) -> None:
    documents = _documents((3, 1, 2, 0, 5))
    _expect_pairs(_pairs(answer, documents, _seeded(0)), documents)
    _check_draws(answer)


def _expect_pairs(found: list[tuple[str, str, int]], documents: list[list[str]]) -> None:
    """All neighbours in the order of the text, each pair with the label that is its own."""
    together = {sentence: place for place, one in enumerate(documents) for sentence in one}
    for first, second, label in found:
        if together.get(first) is None or together.get(second) is None:
            raise Wrong("unknown", first=first, second=second)
        if together[first] != together[second]:
            raise Wrong("crosses", first=first, second=second, label=label)
        here = documents[together[first]]
        step = here.index(second) - here.index(first)
        if abs(step) != 1:
            raise Wrong("not_neighbours", first=first, second=second)
        if label not in (0, 1):
            raise Wrong("label_range", label=label)
        if label != (step < 0):
            raise Wrong("label_turned", first=first, second=second, label=label, right=int(step < 0))
    wanted = [frozenset(pair) for one in documents for pair in zip(one, one[1:])]  # in the order of the text
    if len(found) != len(wanted):
        raise Wrong("how_many_pairs", expected=len(wanted), actual=len(found))
    if [frozenset(pair[:2]) for pair in found] != wanted:
        raise Wrong("text_order", first=found[0][0], second=found[0][1])


def _documents(lengths: Sequence[int]) -> list[list[str]]:
    """Sentences that are all different, with names drawn afresh."""
    names = [f"문장 {place}" for place in torch.randperm(10**4)[: sum(lengths)].tolist()]
    return [[names.pop() for _ in range(length)] for length in lengths]


def _seeded(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def _pairs(
    answer: Any, documents: list[list[str]], generator: torch.Generator, ask: Call = _refuse_package
) -> list[tuple[str, str, int]]:
    result = ask(answer, documents, generator)
    if not isinstance(result, list | tuple):
        raise Wrong("pairs", actual=type(result).__name__)
    for pair in result:
        shaped = isinstance(pair, tuple | list) and len(pair) == 3
        if not shaped or not all(isinstance(one, str) for one in pair[:2]):
            raise Wrong("pairs", actual=repr(pair)[:60])
        if isinstance(pair[2], bool) or not isinstance(pair[2], int):
            raise Wrong("label_kind", actual=type(pair[2]).__name__)
    return [tuple(pair) for pair in result]


def _check_draws(answer: Any) -> None:
    """Half are swapped, each by a draw of its own, from the generator given and from nothing else."""
    documents = _documents((3, 2, 7, 1, 11, 2) * 24)
    state = random.getstate(), torch.get_rng_state()
    one = [label for *_, label in _pairs(answer, documents, _seeded(1))]
    if random.getstate() != state[0] or not torch.equal(torch.get_rng_state(), state[1]):
        raise Wrong("global_random")
    torch.rand(7)  # another state of the global source must change nothing
    if one != [label for *_, label in _pairs(answer, documents, _seeded(1))]:
        raise Wrong("not_repeatable")
    other = [label for *_, label in _pairs(answer, documents, _seeded(2))]
    count = len(one)
    if sum(one) in (0, count):
        raise Wrong("never_varied", label=one[0], count=count)
    for labels in (one, other):
        if not 0.42 < sum(labels) / count < 0.58:  # 480 draws: 3.5 standard deviations
            raise Wrong("not_half", swapped=sum(labels), count=count)
    if one == other:
        raise Wrong("generator_unused")
    inside, at = [], 0
    for document in documents:
        labels = one[at : at + max(len(document) - 1, 0)]
        inside += [first == second for first, second in zip(labels, labels[1:])]
        at += len(labels)
    alike = sum(inside) / len(inside)
    if not 0.38 < alike < 0.62:  # by document, or in turns
        raise Wrong("not_independent", alike=number(100 * alike))
    _check_patterns(answer)
    twice = ["같은 문장", "다른 문장", "같은 문장", "다른 문장"]
    found = _pairs(answer, [twice], _seeded(3))
    right = [{(*pair, 0), (*pair[::-1], 1)} for pair in zip(twice, twice[1:])]
    if len(found) != 3 or any(pair not in either for pair, either in zip(found, right)):
        raise Wrong("by_text")
    if _pairs(answer, [], _seeded(0)) or _pairs(answer, [[], ["혼자"]], _seeded(0)):
        raise Wrong("out_of_nothing")


def _check_patterns(answer: Any) -> None:
    """Of few pairs every pattern of labels comes out; and the generator goes on from where it is."""
    few, seeds = _documents((4, 1, 3, 2)), 256  # six pairs, so 64 patterns
    patterns = set()
    for seed in range(seeds):
        found = _pairs(answer, few, _seeded(seed), call)
        _expect_pairs(found, few)
        patterns.add(tuple(label for *_, label in found))
    if len(patterns) < 52:  # 63 are expected, 60 or more almost always
        raise Wrong("few_patterns", pairs=6, seeds=seeds, found=len(patterns), expected=2**6)
    documents, generator = _documents((90,)), _seeded(3)
    found, next_found = (_pairs(answer, documents, generator) for _ in "12")
    _expect_pairs(next_found, documents)
    if found == next_found:
        raise Wrong("generator_unmoved")


EXERCISES = [
    Exercise("19.1", level="warm-up", check=check_span_length_shares, solution=span_length_shares),
    Exercise("19.2", level="core", check=check_albert_parameters, solution=albert_parameters),
    Exercise("19.3", level="core", check=check_electra_batch, solution=electra_batch),
    Exercise("19.4", level="core", check=check_soft_target_loss, solution=soft_target_loss),
    Exercise("19.5", level="stretch", check=check_order_pairs, solution=order_pairs),
]
