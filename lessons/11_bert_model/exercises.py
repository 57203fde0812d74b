"""Exercises of notebook 11: the BERT model."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor

from course_utils.exercises.core import Exercise, Wrong, call, expect_close, expect_tensor, number, numbers


def pool(hidden_states: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    return torch.tanh(hidden_states[:, 0] @ weight.T + bias)


def check_pool(answer: object) -> None:
    hidden = torch.tensor([[[0.5, -1.0], [1.0, 1.0], [-0.5, 0.25]], [[0.0, 1.0], [2.0, 0.5], [1.0, -1.0]]])
    weight, bias = torch.tensor([[1.0, 2.0], [0.0, -1.0]]), torch.tensor([0.5, 0.25])
    pooled = expect_tensor(call(answer, hidden, weight, bias), shape=(2, 2), dtype=hidden.dtype)
    expected = pool(hidden, weight, bias)
    likely = [
        ("no_tanh", hidden[:, 0] @ weight.T + bias),
        ("mean_over_tokens", torch.tanh(hidden.mean(dim=1) @ weight.T + bias)),
        ("last_token", torch.tanh(hidden[:, -1] @ weight.T + bias)),
        ("max_over_tokens", torch.tanh(hidden.amax(dim=1) @ weight.T + bias)),
        ("not_transposed", torch.tanh(hidden[:, 0] @ weight + bias)),
        ("no_bias", torch.tanh(hidden[:, 0] @ weight.T)),
        ("tanh_too_early", torch.tanh(hidden[:, 0]) @ weight.T + bias),
    ]
    for reason, wrong in likely:
        if torch.allclose(pooled, wrong, atol=1e-5):
            raise Wrong(reason, expected=numbers(expected[0]), actual=numbers(pooled[0]))
    expect_close(pooled, expected)
    hidden, weight, bias = torch.randn(3, 7, 5), torch.randn(5, 5), torch.randn(5)
    weight.requires_grad_()
    pooled, expected = expect_tensor(call(answer, hidden, weight, bias)), pool(hidden, weight, bias)
    expect_close(pooled.detach(), expected.detach())
    given = None
    if pooled.requires_grad:  # which an answer may also have set by hand
        (given,) = torch.autograd.grad(pooled.square().sum(), weight, allow_unused=True)
    if given is None:
        raise Wrong("no_gradient")
    (right,) = torch.autograd.grad(expected.square().sum(), weight)
    expect_close(given, right, "gradient", atol=1e-4)
    _check_other_pools(answer)


def _check_other_pools(answer: object) -> None:
    """One sentence of one token; gradients of all three; double precision; large numbers."""
    hidden, weight, bias = torch.randn(1, 1, 5), torch.randn(5, 5), torch.randn(5)
    pooled = call(answer, hidden, weight, bias)
    if not isinstance(pooled, Tensor) or pooled.shape != (1, 5):
        raise Wrong("one_sentence", actual=tuple(getattr(pooled, "shape", ())))
    expect_close(pooled, pool(hidden, weight, bias), "one_token")
    given = [torch.randn(size, dtype=torch.float64) for size in ((3, 2, 5), (5, 5), (5,))]
    given = [one.requires_grad_() for one in given]
    pooled, expected = expect_tensor(call(answer, *given), shape=(3, 5), dtype=torch.float64), pool(*given)
    expect_close(pooled.detach(), expected.detach(), "single_precision", atol=1e-12)
    options = dict(allow_unused=True, materialize_grads=True)
    found = torch.autograd.grad(pooled.square().sum(), given, **options)
    for name, gradient, right in zip(
        ("hidden_states", "weight", "bias"), found, torch.autograd.grad(expected.square().sum(), given)
    ):
        if not torch.allclose(gradient, right, atol=1e-6):
            raise Wrong("cut_off", name=name)
    hidden = torch.full((2, 3, 5), 400.0)
    pooled, expected = call(answer, hidden, torch.eye(5), torch.zeros(5)), torch.ones(2, 5)
    if not torch.allclose(expect_tensor(pooled, shape=(2, 5)), expected, atol=1e-5):
        raise Wrong("overflow", actual=number(pooled[0, 0]))


def sense_separation(hidden_states: Tensor, word_index: Tensor, senses: Tensor) -> Tensor:
    sentences = torch.arange(len(senses))
    vectors = F.normalize(
        hidden_states[sentences, word_index + 1], dim=-1
    )  # + 1: [CLS] stands before the words
    cosines = vectors @ vectors.T  # (B, B)
    same_sense = senses[:, None] == senses
    another = ~torch.eye(len(senses), dtype=torch.bool)  # not the sentence itself
    return cosines[same_sense & another].mean() - cosines[~same_sense].mean()


def _variants(hidden_states: Tensor, word_index: Tensor, senses: Tensor) -> list[tuple[str, Tensor]]:
    """What the usual mistakes give, under their names."""
    raw = hidden_states[torch.arange(len(senses)), word_index + 1]
    unit = F.normalize(raw, dim=-1)
    same, another = senses[:, None] == senses, ~torch.eye(len(senses), dtype=torch.bool)
    cosines, dots = unit @ unit.T, raw @ raw.T
    within, across = cosines[same & another].mean(), cosines[~same].mean()
    by_sense = [cosines[senses == s][:, senses == s] for s in senses.unique()]
    means = torch.stack([table[~torch.eye(len(table), dtype=torch.bool)].mean() for table in by_sense])
    of_first = (senses == senses[0])[:, None] == (senses == senses[0])
    centres = torch.stack([raw[senses == sense].mean(dim=0) for sense in senses.unique()])
    return [
        ("cls_offset", sense_separation(hidden_states, word_index - 1, senses)),
        ("self_pairs", cosines[same].mean() - across),
        ("dot_products", dots[same & another].mean() - dots[~same].mean()),
        ("wrong_way", across - within),
        ("only_within", within),
        ("only_across", across),
        ("only_across", 1 - across),
        ("centres", 1 - F.cosine_similarity(centres[0], centres[1], dim=0)),
        ("per_sense", means.mean() - across),
        ("two_senses", cosines[of_first & another].mean() - cosines[~of_first].mean()),
    ]


def check_sense_separation(answer: object) -> None:
    angles = torch.deg2rad(torch.tensor([0.0, 60.0, 90.0, 120.0]))
    lengths = torch.tensor([1.0, 2.0, 3.0, 1.0])[:, None]
    vectors = lengths * torch.stack([angles.cos(), angles.sin()], dim=-1)  # (4, 2): senses 0 0 1 1
    hidden_states, word_index = torch.randn(4, 6, 2), torch.tensor([2, 0, 3, 1])
    hidden_states[torch.arange(4), word_index + 1] = vectors
    _judge_separation(answer, hidden_states, word_index, torch.tensor([0, 0, 1, 1]))
    hidden_states, word_index = torch.randn(7, 5, 11), torch.tensor([0, 3, 2, 1, 1, 0, 2])
    _judge_separation(answer, hidden_states, word_index, torch.tensor([4, 2, 4, 4, 2, 2, 4]))
    _judge_separation(answer, hidden_states, word_index, torch.tensor([4, 2, 7, 4, 2, 7, 4]))
    _judge_others(answer)


def _judge_others(answer: object) -> None:
    """Five senses, one of them alone; equal vectors in two sentences; short vectors."""
    hidden_states, word_index = torch.randn(13, 7, 11), torch.randint(0, 6, (13,))
    senses = torch.tensor([5, 9, 0, 31, 5, 9, 0, 31, 31, 2, 9, 5, 31])
    equal = hidden_states.clone()
    equal[4, word_index[4] + 1] = equal[0, word_index[0] + 1]
    for reason, given in [("more_senses", hidden_states), ("equal_vectors", equal), ("scale", 1e-4 * equal)]:
        result = expect_tensor(call(answer, given, word_index, senses), shape=(), dtype=given.dtype)
        expected = sense_separation(given, word_index, senses)
        if not torch.allclose(result, expected, atol=1e-5):
            raise Wrong(reason, expected=number(expected), actual=number(result))


def _judge_separation(answer: object, hidden_states: Tensor, word_index: Tensor, senses: Tensor) -> None:
    result = expect_tensor(
        call(answer, hidden_states, word_index, senses), shape=(), dtype=hidden_states.dtype
    )
    expected = sense_separation(hidden_states, word_index, senses)
    for reason, wrong in _variants(hidden_states, word_index, senses):
        if torch.allclose(result, wrong, atol=1e-5) and not torch.allclose(wrong, expected, atol=1e-5):
            raise Wrong(reason, expected=number(expected), actual=number(result))
    expect_close(result, expected)


def first_departure(ours: list[Tensor], theirs: list[Tensor], atol: float) -> int:
    for stage, (mine, expected) in enumerate(zip(ours, theirs, strict=True)):
        largest = (mine - expected).abs().max()
        if not largest <= atol:  # not "largest > atol": NaN is neither
            return stage
    return -1


def check_first_departure(answer: object) -> None:
    theirs = [torch.randn(2, 5, 3) for _ in range(4)] + [torch.randn(2, 3)]

    def ask(
        changes: dict[int, float],
        atol: float = 1e-5,
        like: list[Tensor] = theirs,
        places: int | slice = 5,
        ours: list[Tensor] | None = None,
    ) -> object:
        """Change one entry (or those places) of some stages and ask the answer."""
        ours = [stage.clone() for stage in ours or like]
        for stage, change in changes.items():
            ours[stage].view(-1)[places] += change
        found = call(answer, ours, like, atol)
        if isinstance(found, Tensor) and found.numel() == 1 and not found.is_floating_point():
            found = int(found)
        if isinstance(found, bool) or not isinstance(found, int):
            raise Wrong("kind", actual=type(found).__name__)
        return found

    def expect(reasons: dict[int, str], expected: int, found: object) -> None:
        if found != expected:
            raise Wrong(reasons.get(found, "stage"), expected=expected, actual=found)

    expect({0: "zero_when_same", 5: "length_when_same", 4: "zero_when_same"}, -1, ask({}))
    expect({3: "counts_from_one", 4: "last"}, 2, ask({2: 0.5, 3: 0.4, 4: 0.3}))
    expect({3: "largest"}, 1, ask({1: 0.1, 3: 5.0, 4: 0.2}))
    expect({-1: "signed"}, 1, ask({1: -0.5}))
    expect({-1: "overlooked"}, 3, ask({3: 0.5}, places=-1))  # the last example, its last token
    expect({0: "exact"}, 2, ask({0: 1e-7, 2: 0.5}))
    # One entry of 30 off by four times the limit: the mean is below it.
    expect({-1: "mean"}, 1, ask({1: 4e-5}, like=[torch.zeros(2, 5, 3)] * 5))
    small = [torch.zeros(2, 5, 3)] * 5
    expect({1: "adds_up"}, -1, ask({1: 8e-6}, like=small, places=slice(None)))
    expect({-1: "relative"}, 1, ask({1: 5e-4}, like=[torch.full((2, 5, 3), 1000.0)] * 5))
    expect({-1: "misses_nan", 3: "misses_nan"}, 1, ask({1: math.nan, 3: 0.5}))
    with_nan = [*small[:2], torch.full((2, 5, 3), math.nan), *small[3:]]
    expect({-1: "nan_of_both"}, 2, ask({}, like=with_nan))
    expect({-1: "nan_of_theirs"}, 2, ask({}, like=with_nan, ours=small))
    expect({-1: "fixed_limit"}, 0, ask({0: 1e-4}, atol=1e-6))
    expect({0: "fixed_limit", 1: "fixed_limit"}, -1, ask({0: 0.01, 1: 0.05}, atol=0.1))
    expect({1: "at_limit"}, -1, ask({1: 0.5}, atol=0.5, like=small))
    expect({-1: "slack"}, 1, ask({1: 0.502}, atol=0.5, like=small))
    expect({-1: "infinite", 3: "infinite"}, 1, ask({1: math.inf, 3: 0.5}))
    many = [torch.randn(3, 7, 11) for _ in range(13)]
    expect(dict.fromkeys((-1, *range(11), 12), "more_stages"), 11, ask({11: 0.5}, like=many, places=-1))
    fine = [torch.ones(2, 3, dtype=torch.float64)] * 3
    expect(dict.fromkeys((-1, 0, 2), "fine"), 1, ask({1: 3e-10}, atol=1e-10, like=fine))


EXERCISES = [
    Exercise("11.1", level="warm-up", check=check_pool, solution=pool),
    Exercise("11.2", level="core", check=check_sense_separation, solution=sense_separation),
    Exercise("11.3", level="stretch", check=check_first_departure, solution=first_departure),
]
