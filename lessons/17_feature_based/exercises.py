"""Exercises of notebook 17: a sentence's mean, a learned mix of layers, labels of a control task, and whitening."""

from __future__ import annotations

import builtins
import itertools
import math
import random
import sys
import zlib
from collections.abc import Iterator, Sequence
from typing import Any
from unittest import mock

import torch
from torch import Tensor

from course_utils.exercises.changes import changes_of
from course_utils.exercises.core import Departure, Exercise, Found, call, number, numbers, shown
from course_utils.exercises.values import Rule, departure, plain

# ---- 17.1


def mean_vector(hidden: Tensor, attention_mask: Tensor) -> Tensor:
    places = torch.arange(hidden.shape[1])
    last = attention_mask.sum(dim=1, keepdim=True) - 1  # (B, 1), the place of [SEP]
    inside = ((places > 0) & (places < last)).to(hidden.dtype)  # (B, T)
    total = (hidden * inside[..., None]).sum(dim=1)  # (B, C)
    return total / inside.sum(dim=1, keepdim=True).clamp(min=1)


def drawn_rows(*sizes, dtype=torch.float64, padding=1.0):
    rows = []
    for batch, length, size in sizes:
        lengths = torch.randint(2, length + 1, (batch, 1))
        mask = (torch.arange(length) < lengths).long()
        hidden = torch.randn(batch, length, size, dtype=dtype)
        rows.append((torch.where(mask[..., None] == 1, hidden, padding * hidden), mask))
    return rows


ROWS = torch.tensor([[50.0, 2, 4, 30, 7000, 900], [60.0, 1, 2, 3, 10, 40]])[..., None]  # (2, 6, 1)

# All but 1 cancels.
CANCELLING = torch.tensor([7.0, 2.0**25 + 1, -(2.0**25), 9.0], dtype=torch.float64)[None, :, None]

MEAN_VECTOR = Exercise(
    "17.1",
    level="warm-up",
    reference=mean_vector,
    show=lambda vectors: shown(vectors[:, 0] if getattr(vectors, "shape", ())[1:] == (1,) else vectors),
    cases={
        "by_hand": lambda: (ROWS, torch.tensor([[1, 1, 1, 1, 0, 0], [1, 1, 1, 1, 1, 1]])),
        "empty": lambda: [(ROWS[:1, :2], torch.tensor([[1, 1]])), (ROWS[:1, :3], torch.tensor([[1, 1, 0]]))],
        "other_rows": lambda: [
            *drawn_rows((2, 13, 7), dtype=torch.float32),
            *drawn_rows((3, 7, 5), (1, 2, 3), (5, 11, 1), (7, 3, 2), (2, 300, 3)),
        ],
        "in_float32": lambda: (CANCELLING, torch.tensor([[1, 1, 1, 1]])),
        "padding_leaks": lambda: [
            *drawn_rows((3, 7, 2), dtype=torch.float32, padding=1e7),
            *drawn_rows((2, 5, 3), padding=1e15),
        ],
    },
    mistakes=changes_of(
        mean_vector,
        {
            "padding_counted": [
                lambda hidden, attention_mask: hidden.mean(dim=1),
                lambda hidden, attention_mask: hidden[:, 1:-1].mean(dim=1),
                {"< last": "!= last"},
            ],
            "specials_counted": {"(places > 0) & (places < last)": "places <= last"},
            "cls_counted": {"(places > 0) & ": ""},
            "sep_counted": {"< last": "<= last"},
            "last_column": {"places < last": "places <= last) & (places < len(places) - 1"},
            "divided_by_length": [
                {"inside.sum(dim=1, keepdim=True).clamp(min=1)": "len(places)"},
                {"inside.sum(dim=1, keepdim=True).clamp(min=1)": "max(len(places) - 2, 1)"},
            ],
            "divided_by_real": {"inside.sum(": "attention_mask.sum("},
            "sum": {" / inside.sum(dim=1, keepdim=True).clamp(min=1)": ""},
            "maximum": {
                "total / inside.sum(dim=1, keepdim=True).clamp(min=1)": (
                    "hidden.masked_fill(inside[..., None] == 0, -torch.inf).amax(dim=1)"
                )
            },
            "only_cls": lambda hidden, attention_mask: hidden[:, 0],
            "first_row_decides": {"attention_mask.sum(": "attention_mask[:1].sum("},
            "over_all_rows": {
                "total / inside.sum(dim=1, keepdim=True).clamp(min=1)": (
                    "(total.sum(dim=0) / inside.sum()).expand_as(total)"
                )
            },
            "by_hand": {"hidden *": "1.1 * hidden *"},
            "empty": {".clamp(min=1)": ""},
            "other_rows": {"places > 0": "places > 0) & (places < 8"},
            "in_float32": {"hidden *": "hidden.float() *"},
            "padding_leaks": {"(hidden * inside": "hidden.sum(dim=1) - (hidden * (1 - inside)"},
            "gradient": {"return ": "return hidden[:, 0] - hidden[:, 0].detach() + "},
        },
    ),
    facts={"*": lambda found: {"real": found.given[1].sum(dim=1).tolist()}},
    forbids=("course_utils.tasks",),
)


# ---- 17.2


def learned_mix(layers: Tensor, scores: Tensor, gamma: Tensor) -> Tensor:
    shares = scores.softmax(dim=0)  # (L + 1,)
    return gamma * (shares[:, None, None] * layers).sum(dim=0)  # (T, C)


def drawn_mixes():
    sizes = [(1, 3, 5), (5, 7, 2), (13, 2, 11), (2, 1, 1), (7, 5, 3), (3, 300, 2)]
    return [
        tuple(torch.randn(shape, dtype=torch.float64) for shape in (size, size[:1], ())) for size in sizes
    ]


def far_scores(far: float) -> tuple[Tensor, ...]:
    """Shares 3/4 and 1/4 of [4, 0] and [0, 8], by scores whose exponential is ∞, or 0."""
    layers = torch.tensor([[[4.0, 0.0]], [[0.0, 8.0]]]).double()
    return layers, torch.tensor([far + math.log(3), far]).double(), torch.tensor(1.0).double()


LEARNED_MIX = Exercise(
    "17.2",
    level="core",
    reference=learned_mix,
    cases={
        "by_hand": lambda: (  # shares 5/8, 2/8 and 1/8 make [6, 4]; times 2
            torch.tensor([[[8.0, 0.0]], [[0.0, 8.0]], [[8.0, 16.0]]]),
            torch.tensor([5.0, 2.0, 1.0]).log(),
            torch.tensor(2.0),
        ),
        "overflow": lambda: [far_scores(1000.0), far_scores(-1000.0)],
        "other_mixes": drawn_mixes,
        "in_float32": lambda: (
            CANCELLING[0, 1:3, :, None],
            torch.zeros(2, dtype=torch.float64),
            torch.tensor(2.0, dtype=torch.float64),
        ),
    },
    mistakes=changes_of(
        learned_mix,
        {
            "no_softmax": [{".softmax(dim=0)": ""}, {".softmax(dim=0)": "", "gamma * (": "("}],
            "by_sum": {"scores.softmax(dim=0)": "scores / scores.sum()"},
            "sigmoid": {"softmax(dim=0)": "sigmoid()"},
            "only_exp": {"softmax(dim=0)": "exp()"},
            "over_one": {"scores.softmax(dim=0)": "scores[:, None].softmax(dim=1)[:, 0]"},
            "log_softmax": {"softmax": "log_softmax"},
            "gamma_forgotten": {"gamma * (": "("},
            "gamma_added": {"gamma * (": "gamma + ("},
            "gamma_inside": [
                {"scores.softmax": "(gamma * scores).softmax", "gamma * (shares": "(shares"},
                {"scores.softmax": "(scores / gamma).softmax", "gamma * (shares": "(shares"},
                {"scores.softmax": "(gamma * scores).softmax"},
            ],
            "gamma_squared": {"gamma * (": "gamma**2 * ("},
            "mean": {".sum(": ".mean("},
            "scores_unused": {"scores.softmax": "(0 * scores).softmax"},
            "best_only": {"scores.softmax(dim=0)": "torch.eye(len(scores))[scores.argmax()]"},
            "turned_round": {"softmax(dim=0)": "softmax(dim=0).flip(0)"},
            "by_hand": {"scores.softmax": "(scores / len(scores) ** 0.5).softmax"},
            "overflow": {"scores.softmax(dim=0)": "scores.exp() / scores.exp().sum()"},
            "other_mixes": {"shares[:, None, None] * layers": "shares[:7, None, None] * layers[:7]"},
            "in_float32": {"layers).sum(dim=0)": "layers.float()).sum(dim=0).to(layers.dtype)"},
            "detached": {"gamma * (": "gamma.item() * ("},
        },
    ),
    facts={"overflow": lambda found: {"far": number(found.given[1][-1])}},
    forbids=("course_utils.tasks",),
)


# ---- 17.3


def control_labels(words: Sequence[str], num_labels: int, seed: int) -> list[int]:
    # A text as a seed becomes a number by SHA-512, the same in every kernel; hash(word) is another in each.
    return [random.Random(f"{seed} {word}").randrange(num_labels) for word in words]


SYLLABLES = "가나다라마바사아자차카타파하거너더러머버서어저처커터퍼허고노도로모보소오조초코토포호"
SMALL = ["배", "를", "타다", "배", "를", "먹다"]


def drawn_families() -> list[list[tuple[str, ...]]]:
    """Kinds of families of words that are alike: in syllables, letters, all but the first or last, digits and signs."""
    generator = random.Random(17)
    stems = generator.sample([a + b for a, b in itertools.combinations(SYLLABLES, 2)], 160)
    letters = generator.sample(["".join(three) for three in itertools.product("abcdefghijk", repeat=3)], 100)
    pairs = list(zip(stems[60:110], stems[50:100]))
    return [
        [(s, s[::-1], f"{s}를", f"{s[0]}를", f"를{s[1]}", f"를{s}") for s in stems[:60]],
        [(word, word.upper(), f"{word}s") for word in letters],
        [(f"{a}{b}습니다", f"{a}{b}습니까", f"큰{a}{b}", f"새{a}{b}") for a, b in pairs],
        [(s, f"{s}1", f"{s}2", f"{s}.", f"{s}?") for s in stems[110:]],
    ]


FAMILIES = drawn_families()
WORDS = list(dict.fromkeys(word for kind in FAMILIES for family in kind for word in family))
SIZES = torch.tensor([len(word.encode()) for word in WORDS])
AS_LONG = (SIZES[:, None] == SIZES) & ~torch.eye(len(WORDS), dtype=torch.bool)  # pairs; a checksum ties these
TOKENS = random.Random(0).sample(WORDS + WORDS[::3], len(WORDS) + len(WORDS[::3]))


class OfAnotherKernel(str):
    """A word whose hash is another one, as in a kernel that was started anew."""

    def __hash__(self) -> int:
        return str.__hash__(self) ^ 0x5EED


def whole_numbers(result: Any) -> list[int]:
    return [int(plain(label)) for label in plain(result)]


def labels_of(answer: Any, words: Sequence[str], num_labels: int = 5, seed: int = 0) -> list[int]:
    return whole_numbers(call(answer, list(words), num_labels, seed))


def as_labels(result: Any, right: list[int]) -> Departure | None:
    """As many whole numbers; which ones is free."""
    labels = plain(result)
    if not isinstance(labels, list | tuple):
        return Departure("type", "list", type(result).__name__)
    for label in map(plain, labels):
        if not isinstance(label, int | float) or label != int(label):
            return Departure("type", "int", type(label).__name__)
    return Departure("length", len(right), len(labels)) if len(labels) != len(right) else None


def out_of_range(answer: Any) -> dict[str, Any] | None:
    for num_labels in (5, 1, 2, 17):
        for label in labels_of(answer, WORDS, num_labels):
            if not 0 <= label < num_labels:
                return {"num_labels": num_labels, "most": num_labels - 1, "actual": label}
    return None


def not_repeatable(answer: Any) -> dict[str, Any] | None:
    first, second = labels_of(answer, SMALL), labels_of(answer, SMALL)
    return {"words": SMALL, "first": first, "second": second} if first != second else None


def global_random(answer: Any) -> bool:
    before = random.getstate(), torch.get_rng_state()
    labels_of(answer, SMALL)
    return random.getstate() != before[0] or not torch.equal(torch.get_rng_state(), before[1])


def per_token(answer: Any) -> dict[str, Any] | None:
    known: dict[str, int] = {}
    for word, label in zip(TOKENS, labels_of(answer, TOKENS), strict=True):
        if known.setdefault(word, label) != label:
            return {"word": word, "first": known[word], "second": label}
    return None


def by_order(answer: Any) -> dict[str, Any] | None:
    known = dict(zip(TOKENS, labels_of(answer, TOKENS), strict=True))
    return differing(answer, TOKENS[::-1], known)


def by_other_words(answer: Any) -> dict[str, Any] | None:
    known = dict(zip(WORDS + SMALL, labels_of(answer, WORDS + SMALL), strict=True))
    lists = [WORDS[:1], WORDS[-1:], SMALL, SMALL[2:], WORDS[1::5], WORDS[::2], TOKENS]
    return next(filter(None, (differing(answer, words, known) for words in lists)), None)


def differing(answer: Any, words: Sequence[str], known: dict[str, int]) -> dict[str, Any] | None:
    for word, label in zip(words, labels_of(answer, words), strict=True):
        if known[word] != label:
            return {"word": word, "expected": known[word], "actual": label, "count": len(words)}
    return None


def by_hash(answer: Any) -> bool:
    """Whatever hash says is another in a new kernel, of a word and, in the answer's own code, of anything."""
    own, real, before = getattr(answer, "__globals__", None), builtins.hash, labels_of(answer, TOKENS)

    def other(value: Any) -> int:
        return real(value) ^ 0x5EED if sys._getframe(1).f_globals is own else real(value)

    with mock.patch.object(builtins, "hash", other):
        return labels_of(answer, [OfAnotherKernel(word) for word in TOKENS]) != before


def not_uniform(answer: Any) -> dict[str, Any] | None:
    labels = labels_of(answer, WORDS)
    mean, counts = len(labels) / 5, [labels.count(label) for label in range(5)]
    if all(abs(count - mean) < 5 * math.sqrt(0.8 * mean) for count in counts):  # five standard deviations
        return None
    return {"count": len(labels), "mean": number(mean), "counts": counts}


def alike(answer: Any) -> dict[str, Any] | None:
    """Words that are alike share their label no more often than others."""
    known = dict(zip(WORDS, labels_of(answer, WORDS), strict=True))
    for families in FAMILIES:
        for one, other in itertools.combinations(range(len(families[0])), 2):
            same = sum(known[family[one]] == known[family[other]] for family in families) / len(families)
            if same > 0.55:
                pair = {"one": families[0][one], "other": families[0][other]}
                return pair | {"share": number(100 * same), "chance": 20}
    return None


def pairs_of_seeds(answer: Any) -> Iterator[tuple[dict[str, Any], list[int], list[int]]]:
    for num_labels, one, other in ((5, 0, 1), (8, 1, 2), (7, 3, 10), (5, 5, 123_456), (5, 7, 1_000_007)):
        labels = [labels_of(answer, WORDS, num_labels, seed) for seed in (one, other)]
        yield {"one": one, "other": other, "num_labels": num_labels}, *labels


def seed_unused(answer: Any) -> dict[str, Any] | None:
    return next((facts for facts, before, after in pairs_of_seeds(answer) if before == after), None)


def seeds_related(answer: Any) -> dict[str, Any] | None:
    """Another seed is another drawing: who shared a label shares it no more often than others."""
    for facts, before, after in pairs_of_seeds(answer):
        if before == after:
            continue  # "seed_unused"
        kept = sum(a == b for a, b in zip(before, after, strict=True)) / len(WORDS)
        first, second = torch.tensor(before), torch.tensor(after)
        together = (first[:, None] == first) & AS_LONG
        still = float((together & (second[:, None] == second)).sum() / together.sum().clamp(min=1))
        share, chance = max(kept, still), 1 / facts["num_labels"]
        if share > 2 * chance:
            return facts | {"share": number(100 * share), "chance": number(100 * chance)}
    return None


def label_missing(answer: Any) -> dict[str, Any] | None:
    for num_labels in (1, 2, 17):
        labels = labels_of(answer, WORDS, num_labels, seed=3)
        if missing := set(range(num_labels)) - set(labels):
            return {"num_labels": num_labels, "label": min(missing), "count": len(WORDS)}
    return None


DRAW = 'random.Random(f"{seed} {word}").randrange(num_labels)'

CONTROL_LABELS = Exercise(
    "17.3",
    level="core",
    reference=control_labels,
    compare=as_labels,
    cases={
        "small": lambda: (SMALL, 5, 0),
        "others": lambda: [([], 5, 0), (["배"], 1, 3), (TOKENS, 17, 2)],
    },
    mistakes=changes_of(
        control_labels,
        {
            "per_token": {
                'return [random.Random(f"{seed} {word}")': "generator = random.Random(seed)\n    return [generator"
            },
            "order": {
                f"return [{DRAW}": (
                    "generator, known = random.Random(seed), {}\n"
                    "    return [known.setdefault(word, generator.randrange(num_labels))"
                )
            },
            "other_words": {
                f"return [{DRAW}": (
                    "generator = random.Random(seed)\n"
                    "    known = {word: generator.randrange(num_labels) for word in sorted(set(words))}\n"
                    "    return [known[word]"
                )
            },
            "hash": [
                {'f"{seed} {word}"': "hash((word, seed))"},
                {DRAW: "(word.__hash__() + seed) % num_labels"},
            ],
            "not_repeatable": {
                f"return [{DRAW}": (
                    "known = {word: int(torch.randint(num_labels, ())) for word in set(words)}\n"
                    "    return [known[word]"
                )
            },
            "global_random": {DRAW: '(random.seed(f"{seed} {word}"), random.randrange(num_labels))[1]'},
            "seed_unused": [{"{seed}": seed} for seed in ("0", "{seed % 7}", "{seed % 1000}")],
            "seeds_related": [
                {DRAW: "(random.Random(word).randrange(num_labels) + seed) % num_labels"},
                lambda words, size, seed: [zlib.crc32(f"{seed}{word}".encode()) % size for word in words],
            ],
            "not_uniform": [
                {DRAW: 'int(num_labels * random.Random(f"{seed} {word}").random() ** 1.3)'},
                {DRAW: "len(word) % num_labels"},
                {DRAW: "0"},
            ],
            "alike": [
                {"{word}": told}
                for told in (
                    "{sum(map(ord, word))}",
                    "{''.join(sorted(word))}",
                    "{word.lower()}",
                    "{word[:4]}",
                    "{word[:5]}",
                    "{word[-4:]}",
                    "{word.strip('.?!')}",
                    "{word.rstrip('0123456789')}",
                )
            ],
            "label_missing": {"randrange(num_labels)": "randrange(num_labels) % 11"},
            "range": {"[random": "[1 + random"},
            "length": {"in words": "in sorted(set(words))"},
            "type": {"[random": "{word: random", "in words]": "in words}"},
        },
    ),
    properties={
        "range": out_of_range,
        "not_repeatable": not_repeatable,
        "global_random": global_random,
        "per_token": per_token,
        "order": by_order,
        "other_words": by_other_words,
        "hash": by_hash,
        "not_uniform": not_uniform,
        "alike": alike,
        "seeds_related": seeds_related,
        "seed_unused": seed_unused,
        "label_missing": label_missing,
    },
    forbids=("course_utils.tasks",),
)


# ---- 17.4


def whiten(vectors: Tensor) -> Tensor:
    centred = vectors.double()  # in single precision, what is 0 becomes 10⁻⁷ of the largest
    centred = centred - centred.mean(dim=0)
    left, sizes, right = torch.linalg.svd(centred, full_matrices=False)  # variance of a direction: size² / N
    there = sizes**2 > 1e-9 * sizes.max() ** 2
    return (math.sqrt(len(vectors)) * (left * there) @ right).to(vectors.dtype)


def centred(vectors):
    return vectors - vectors.mean(dim=0)


def by_cholesky(vectors):
    middle = centred(vectors.double())
    lower = torch.linalg.cholesky(middle.T @ middle / len(vectors))
    return torch.linalg.solve_triangular(lower, middle.T, upper=False).T.to(vectors.dtype)


def turned_wrongly(back):
    """By eigenvectors that are taken for rows; turned back, or not."""

    def wrong(vectors):
        middle = centred(vectors.double())
        values, directions = torch.linalg.eigh(middle.T @ middle / len(vectors))
        turned = middle @ directions.T * values.clamp(min=1e-300).rsqrt()
        return (turned @ directions if back else turned).to(vectors.dtype)

    return wrong


def covariance(vectors: Tensor) -> Tensor:
    middle = centred(vectors.double())
    return middle.T @ middle / len(vectors)


def variances(vectors: Tensor) -> Tensor:
    """The eigenvalues of the covariance, the largest first: ones, and a 0 for each direction that is not there."""
    return torch.linalg.eigvalsh(covariance(vectors)).flip(0)


def unlike(found: Any, right: Tensor) -> Departure | None:
    """None if the one is the other, turned: Y Yᵀ says all of Y but for that, so mean and covariance, too.

    Of vectors that are not white, whether their coordinates move together counts as well.
    """
    difference = departure(found, right, Rule(atol=math.inf))
    if difference and difference.kind != "value":
        return difference
    if not bool(found.isfinite().all()):
        return Departure("not_finite", "", "", tuple((~found.isfinite()).nonzero()[0].tolist()))
    mine, other = found.double(), right.double()
    atol = 1e-3 if right.dtype == torch.float64 else 1e-2
    expected = variances(other)
    is_white = bool(((expected * (1 - expected)).abs() < atol).all())
    same_products = bool(((mine @ mine.T - other @ other.T).abs() <= atol).all())
    if same_products and (is_white or uncorrelated(mine) == uncorrelated(other)):
        return None
    return Departure("value", rounded(expected[:13]), rounded(variances(mine)[:13]))


def uncorrelated(vectors: Tensor) -> bool:
    found = covariance(vectors)
    return bool(((found - found.diag().diag()).abs() < 1e-6 * found.diag().max()).all())


def rounded(values: Tensor) -> str:
    """As numbers, without what rounding left of a 0."""
    return numbers(torch.where(values.abs() < 1e-6, 0.0, values))


def of_vectors(found: Found) -> dict[str, Any]:
    if not isinstance(found.yours, Tensor) or found.yours.dim() != 2:
        return {}
    yours = found.yours.double()
    return {"mean": rounded(yours.mean(dim=0)[:7]), "covariance": rounded(covariance(yours)[:7, :7])}


# Around [10, 5], at ±[4, 2] and ±[−1, 2]: the covariance is [[8.5, 3], [3, 4]], its eigenvalues 10 and 2.5.
FOUR = torch.tensor([[14.0, 7.0], [6.0, 3.0], [9.0, 7.0], [11.0, 3.0]], dtype=torch.float64)


def drawn_vectors(rows: int, size: int, dtype: torch.dtype = torch.float64) -> Tensor:
    """Vectors that lie to one side, and whose coordinates move together."""
    mixed = torch.randn(rows, size, dtype=torch.float64) @ torch.randn(size, size, dtype=torch.float64)
    return (mixed + 0.5 * torch.randn(rows, size) + 30 * torch.rand(size)).to(dtype)


def one_constant() -> tuple[Tensor]:
    vectors = drawn_vectors(8, 2)
    vectors[:, 1] = 2.5
    return (vectors,)


def missing_directions() -> list[tuple[Tensor]]:
    """A coordinate that is the sum of others, and fewer vectors than coordinates."""
    summed = drawn_vectors(13, 4)
    summed[:, 3] = summed[:, 0] + summed[:, 1]
    single = [drawn_vectors(rows, size, torch.float32) for rows, size in ((5, 7), (11, 13))]
    return [(vectors,) for vectors in (summed, drawn_vectors(3, 5), drawn_vectors(5, 5), *single)]


WHITE = "math.sqrt(len(vectors)) * (left * there) @ right"

WHITEN = Exercise(
    "17.4",
    level="stretch",
    reference=whiten,
    gradients=False,
    compare=unlike,
    cases={
        "covariance by hand": lambda: (FOUR,),
        "scale": lambda: [(1e4 * FOUR,), (1e-4 * FOUR,)],
        "other_vectors": lambda: [
            *[(drawn_vectors(*size),) for size in [(7, 2), (13, 5), (11, 1), (37, 7), (23, 11), (300, 3)]],
            (drawn_vectors(101, 3, torch.float32),),
        ],
        "missing_direction": one_constant,
        "missing_direction drawn": missing_directions,
        "thin_direction": lambda: (
            30 + torch.randn(37, 3).double() * torch.tensor([1.0, 1.0, 1e-4]).double(),
        ),
        "one_vector": lambda: [
            (torch.tensor([[0.5, -2.0, 3.0]]).double().repeat(count, 1),) for count in (1, 4)
        ],
    },
    mistakes=changes_of(
        whiten,
        {
            "unchanged": lambda vectors: vectors.clone(),
            "only_centred": centred,
            "not_centred": {" - centred.mean(dim=0)": ""},
            "correlated": [{WHITE: f"centred / centred.std(dim=0, correction={one})"} for one in (0, 1)],
            "only_rotated": {WHITE: "left * sizes"},
            "no_root": [{WHITE: f"len(vectors) * (left / sizes){back}"} for back in ("", " @ right")],
            "multiplied": [
                {WHITE: f"(left * sizes * (sizes**2 / len(vectors)) ** {power}){back}"}
                for power in (0.5, 1)
                for back in ("", " @ right")
            ],
            "unbiased": {"len(vectors)": "max(len(vectors) - 1, 1)"},
            "not_divided": {"math.sqrt(len(vectors)) * ": ""},
            "unit_length": [
                {WHITE: "torch.nn.functional.normalize(centred, dim=-1)"},
                lambda vectors: torch.nn.functional.normalize(vectors, dim=-1),
            ],
            "over_rows": lambda vectors: torch.nn.functional.layer_norm(vectors, vectors.shape[-1:]),
            "covariance": {"left * there": "left * sizes**0.5"},
            "wrong_way_round": [turned_wrongly(back=True), turned_wrongly(back=False)],
            "unrelated": lambda vectors: whiten(torch.randn(vectors.shape, dtype=vectors.dtype)),
            "other_vectors": lambda vectors: torch.cat(
                [whiten(vectors[:, :2]), centred(vectors)[:, 2:]], dim=1
            ),
            "missing_direction": {" * there": ""},
            "missing_direction_not_finite": {"left * there": "left * there / there"},
            "missing_direction_raised": by_cholesky,
            "scale": {"1e-9 * sizes.max() ** 2": "1e-6 * len(vectors)"},
            "thin_direction": {"1e-9": "1e-7"},
            "one_vector": lambda vectors: whiten(vectors) if len(vectors) > 1 else vectors.clone(),
        },
    ),
    signs={
        "not_centred": lambda found: (
            not found.case.startswith("missing") and bool((found.yours.mean(dim=0).abs() > 1e-3).any())
        ),
        "unrelated": lambda found: (
            found.kind == "value" and found.difference.expected == found.difference.actual
        ),
    },
    facts={"*": of_vectors},
    forbids=("course_utils.tasks",),
)

EXERCISES = [MEAN_VECTOR, LEARNED_MIX, CONTROL_LABELS, WHITEN]
