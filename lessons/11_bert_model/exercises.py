"""Exercises of notebook 11: the BERT model."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from course_utils.exercises.changes import changes_of
from course_utils.exercises.core import Exercise, call, drawn

# ---- 11.1


def pool(hidden_states: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    return torch.tanh(hidden_states[:, 0] @ weight.T + bias)


POOL = Exercise(
    "11.1",
    level="warm-up",
    reference=pool,
    cases={
        "by_hand": lambda: (
            torch.tensor([[[0.5, -1.0], [1.0, 1.0], [-0.5, 0.25]], [[0.0, 1.0], [2.0, 0.5], [1.0, -1.0]]]),
            torch.tensor([[1.0, 2.0], [0.0, -1.0]]),
            torch.tensor([0.5, 0.25]),
        ),
        "others": lambda: [drawn((3, 7, 5), (5, 5), (5,)), drawn((2, 300, 1), (1, 1), (1,))],
        "one_token": lambda: drawn((1, 1, 5), (5, 5), (5,)),
        "single_precision": lambda: (  # 2³⁰ cancels out, and 1 is left
            torch.tensor([[[2.0**30 + 1, 2.0**30]]], dtype=torch.float64),
            torch.tensor([[1.0, -1.0], [0.0, 0.0]], dtype=torch.float64),
            torch.zeros(2, dtype=torch.float64),
        ),
        "overflow": lambda: (torch.full((2, 3, 5), 400.0), torch.eye(5), torch.zeros(5)),
    },
    mistakes=changes_of(
        pool,
        {
            "no_tanh": {"torch.tanh": ""},
            "mean_over_tokens": {"[:, 0]": ".mean(dim=1)"},
            "last_token": {"0]": "-1]"},
            "max_over_tokens": {"[:, 0]": ".amax(dim=1)"},
            "not_transposed": {".T": ""},
            "no_bias": {" + bias": ""},
            "tanh_too_early": {"torch.tanh(hidden_states[:, 0]": "(hidden_states[:, 0].tanh()"},
            "one_token_shape": {"+ bias)": "+ bias).squeeze(0)"},
            "one_token": {"return ": "return (hidden_states.shape[1] > 1) * "},
            "single_precision": {
                "[:, 0] @ weight.T + bias)": "[:, 0].float() @ weight.T.float() + bias.float()).to(weight.dtype)"
            },
            "overflow": {"torch.tanh(": "(lambda x: (x.exp() - (-x).exp()) / (x.exp() + (-x).exp()))("},
            "detached": {"+ bias": "+ bias.detach()"},
            "gradient": {"torch.tanh(": "(lambda x: x + (x.tanh() - x).detach())("},
        },
    ),
    forbids=("course_utils.bert",),
)


# ---- 11.2


def sense_separation(hidden_states: Tensor, word_index: Tensor, senses: Tensor) -> Tensor:
    sentences = torch.arange(len(senses))
    vectors = hidden_states[sentences, word_index + 1]  # + 1: [CLS] stands before the words
    vectors = F.normalize(vectors, dim=-1)
    cosines = vectors @ vectors.T  # (B, B)
    same_sense = senses[:, None] == senses
    another = ~torch.eye(len(senses), dtype=torch.bool)  # not the sentence itself
    return cosines[same_sense & another].mean() - cosines[~same_sense].mean()


def of_centres(hidden_states, word_index, senses):
    vectors = hidden_states[torch.arange(len(senses)), word_index + 1]
    first, second, *_ = (vectors[senses == sense].mean(dim=0) for sense in senses.unique())
    return 1 - F.cosine_similarity(first, second, dim=0)


def mean_of_senses(hidden_states, word_index, senses):
    vectors = F.normalize(hidden_states[torch.arange(len(senses)), word_index + 1], dim=-1)
    table, within = vectors @ vectors.T, []
    for sense in senses.unique():
        one = table[senses == sense][:, senses == sense]
        within.append((one.sum() - len(one)) / (len(one) * (len(one) - 1)))
    return torch.stack(within).mean() - table[senses[:, None] != senses].mean()


def by_hand_sentences() -> tuple[Tensor, ...]:
    """Vectors of lengths 1, 2, 3, 1 at 0, 60, 100 and 170 degrees."""
    angles = torch.deg2rad(torch.tensor([0.0, 60.0, 100.0, 170.0]))
    lengths = torch.tensor([1.0, 2.0, 3.0, 1.0])[:, None]
    hidden_states, word_index = torch.randn(4, 6, 2), torch.tensor([2, 0, 3, 1])
    vectors = lengths * torch.stack([angles.cos(), angles.sin()], dim=-1)
    hidden_states[torch.arange(4), word_index + 1] = vectors
    return hidden_states, word_index, torch.tensor([0, 0, 1, 1])


def seven_sentences(senses: list[int]) -> tuple[Tensor, ...]:
    return torch.randn(7, 5, 11), torch.tensor([0, 3, 2, 1, 1, 0, 2]), torch.tensor(senses)


def many_sentences(equal: bool = False, times: float = 1.0) -> tuple[Tensor, ...]:
    """Five senses, one of them alone; two sentences of one sense may have the same vector."""
    hidden_states, word_index = torch.randn(13, 7, 11), torch.randint(0, 6, (13,))
    senses = torch.tensor([5, 9, 0, 31, 5, 9, 0, 31, 31, 2, 9, 5, 31])
    if equal:
        hidden_states[4, word_index[4] + 1] = hidden_states[0, word_index[0] + 1]
    return times * hidden_states, word_index, senses


def long_sentences() -> tuple[Tensor, ...]:
    return drawn((67, 301, 3))[0], torch.randint(300, (67,)), torch.randint(7, (67,))


SENSE_SEPARATION = Exercise(
    "11.2",
    level="core",
    reference=sense_separation,
    gradients=False,
    strict=False,
    cases={
        "by_hand": by_hand_sentences,
        "two": lambda: seven_sentences([4, 2, 4, 4, 2, 2, 4]),
        "three": lambda: seven_sentences([4, 2, 7, 4, 2, 7, 4]),
        "more_senses": many_sentences,
        "long": long_sentences,
        "equal_vectors": lambda: many_sentences(equal=True),
        "scale": lambda: many_sentences(times=1e-4),
    },
    mistakes=changes_of(
        sense_separation,
        {
            "cls_offset": {"word_index + 1": "word_index"},
            "self_pairs": [
                {" & another": ""},
                {"~torch.eye(len(senses), dtype=torch.bool)": "torch.ones_like(cosines).triu().bool()"},
            ],
            "dot_products": {"F.normalize(vectors, dim=-1)": "vectors"},
            "absolute": {"vectors @ vectors.T": "(vectors @ vectors.T).abs()"},
            "wrong_way": {".mean() - ": ".mean() * -1 + "},
            "only_within": {" - cosines[~same_sense].mean()": ""},
            "only_across": [
                {"cosines[same_sense & another].mean() - ": ""},
                {"cosines[same_sense & another].mean()": "1"},
            ],
            "centres": of_centres,
            "two_senses": {"sentences = ": "senses = senses == senses[0]\n    sentences = "},
            "per_sense": mean_of_senses,
            "more_senses": lambda *given: sense_separation(*(one[:7] for one in given)),
            "equal_vectors": {"~torch.eye(len(senses), dtype=torch.bool)": "cosines < 0.9999"},
            "scale": {"dim=-1": "dim=-1, eps=1e-2"},
        },
    ),
    forbids=("course_utils.contextual",),
)


# ---- 11.3


def first_departure(ours: list[Tensor], theirs: list[Tensor], atol: float) -> int:
    for stage, (mine, expected) in enumerate(zip(ours, theirs, strict=True)):
        largest = (mine - expected).abs().max()
        if not largest <= atol:  # not "largest > atol": NaN is neither
            return stage
    return -1


def five_stages() -> list[Tensor]:
    return [torch.randn(2, 5, 3) for _ in range(4)] + [torch.randn(2, 3)]


def full(value: float) -> list[Tensor]:
    return [torch.full((2, 5, 3), value) for _ in range(5)]


def changed(
    changes: Mapping[int, float],
    atol: float = 1e-5,
    theirs: list[Tensor] | None = None,
    places: int | slice = 5,
    both: bool = False,
) -> tuple[Any, ...]:
    """Our stages with one number (or those places) of some changed, and theirs; with both, theirs have it, too."""
    theirs = five_stages() if theirs is None else theirs
    ours = [stage.clone() for stage in theirs]
    for stage, change in changes.items():
        ours[stage].view(-1)[places] += change
    return ours, ours if both else theirs, atol


def with_nan() -> tuple[Any, ...]:
    ours, theirs, atol = changed({2: math.nan}, theirs=full(0.0))
    return theirs, ours, atol


def where_largest(ours, theirs, atol):
    sizes = [(mine - expected).abs().max().item() for mine, expected in zip(ours, theirs, strict=True)]
    return sizes.index(max(sizes)) if max(sizes) > atol else -1


def not_whole(answer: Any) -> dict[str, str] | None:
    found = call(answer, *changed({2: 0.5}))
    return {"actual": "float"} if isinstance(found, float) else None


# What must have been answered for the text of a case to be the right one; whatever else is "stage".
TOLD = {"last": (4,), "largest": (3,), "exact": (0,), "misses_nan": (-1, 3), "infinite": (-1, 3)}
TOLD |= {"adds_up": (1,), "at_limit": (1,), "fixed_limit": (-1, 0, 1)}
ANY = ("zero_when_same", "more_stages", "fine")

FIRST_DEPARTURE = Exercise(
    "11.3",
    level="stretch",
    reference=first_departure,
    cases={
        "last": lambda: changed({2: 0.5, 3: 0.4, 4: 0.3}),
        "stage first": lambda: changed({0: 0.5}),
        "zero_when_same": lambda: changed({}),
        "largest": lambda: changed({1: 0.1, 3: 5.0, 4: 0.2}),
        "signed": lambda: changed({1: -0.5}),
        "overlooked": lambda: changed({3: 0.5}, places=-1),  # the last sentence, its last token
        "exact": lambda: changed({0: 1e-7, 2: 0.5}),
        "mean": lambda: changed({1: 4e-5}, theirs=full(0.0)),  # one number of 30; the mean is below the limit
        "adds_up": lambda: changed({1: 8e-6}, theirs=full(0.0), places=slice(None)),
        "relative": lambda: changed({1: 5e-4}, theirs=full(1000.0)),
        "misses_nan": lambda: changed({1: math.nan, 3: 0.5}),
        "nan_of_both": lambda: changed({2: math.nan}, theirs=full(0.0), both=True),
        "nan_of_theirs": with_nan,
        "fixed_limit": lambda: [changed({0: 1e-4}, atol=1e-6), changed({0: 0.01, 1: 0.05}, atol=0.1)],
        "at_limit": lambda: changed({1: 0.5}, atol=0.5, theirs=full(0.0)),
        "slack": lambda: changed({1: 0.502}, atol=0.5, theirs=full(0.0)),
        "infinite": lambda: changed({1: math.inf, 3: 0.5}),
        "more_stages": lambda: changed(
            {11: 0.5}, theirs=[torch.randn(3, 7, 11) for _ in range(13)], places=-1
        ),
        "fine": lambda: changed(
            {1: 3e-10}, atol=1e-10, theirs=[torch.ones(2, 3, dtype=torch.float64) for _ in range(3)]
        ),
    },
    mistakes=changes_of(
        first_departure,
        {
            "zero_when_same": {"return -1": "return 0"},
            "length_when_same": {"return -1": "return len(ours)"},
            "counts_from_one": {"return stage": "return stage + 1"},
            "stage": [  # the embeddings not counted, or not looked at
                {"return stage": "return stage - 1"},
                {"if not": "if stage and not"},
            ],
            "last": {
                "enumerate(zip(ours, theirs, strict=True))": "reversed([*enumerate(zip(ours, theirs))])"
            },
            "largest": where_largest,
            "signed": {".abs()": ""},
            "overlooked": {"(mine - expected)": "(mine - expected)[0]"},
            "exact": {"not largest <= atol": "not torch.equal(mine, expected)"},
            "mean": {".max()": ".mean()"},
            "adds_up": {".abs().max()": ".norm()"},
            "relative": {"largest <= atol": "torch.allclose(mine, expected, atol=atol)"},
            "misses_nan": {"not largest <= atol": "largest > atol"},
            "nan_of_both": {
                "largest <= atol": "torch.allclose(mine, expected, rtol=0, atol=atol, equal_nan=True)"
            },
            "nan_of_theirs": {"not largest <= atol": "mine.isnan().any() or largest > atol"},
            "fixed_limit": {"<= atol": "<= 1e-5"},
            "at_limit": {"<= atol": "< atol"},
            "slack": {"<= atol": "<= 1.01 * atol"},
            "infinite": {".abs()": ".nan_to_num(1.0, 0, 0).abs()"},
            "more_stages": {"(mine - expected)": "(mine - expected).flatten()[:30]"},
            "fine": {"(mine - expected)": "(mine.float() - expected.float())"},
            "kind": [{"return stage": "return float(stage)"}, {"return stage": "return str(stage)"}],
        },
    ),
    signs={
        "kind": lambda found: found.kind == "type",
        "stage": lambda found: found.case not in ANY and found.yours not in TOLD.get(found.case, (-1,)),
    },
    properties={"kind": not_whole},
)

EXERCISES = [POOL, SENSE_SEPARATION, FIRST_DEPARTURE]
