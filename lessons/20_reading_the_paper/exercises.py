"""Exercises of notebook 20: what a gain is, Matthews' correlation, SQuAD's normalisation, and ranks with ties."""

from __future__ import annotations

import math
import re
import string
import unicodedata
from collections import Counter
from collections.abc import Sequence
from itertools import permutations

import torch

from course_utils.exercises.changes import after_calling, changes_of
from course_utils.exercises.core import Exercise, Found, Several, told_apart

READY_MADE = ("course_utils.tasks", "sklearn.metrics", "scipy.stats", "pandas.core", "transformers.data")
CORRELATIONS = ("corrcoef", "correlation")  # of numpy, torch and statistics


# ---- 20.1


def gains(before: float, after: float) -> tuple[float, float, float]:
    points = after - before
    return points, 100 * points / before, 100 * points / (100 - before)


def gains_told(found: Found) -> dict[str, str]:
    if found.kind != "value":
        return {}
    pairs = [told_apart(*pair) for pair in zip(found.right, found.yours)]
    return {"expected": ", ".join(one for one, _ in pairs), "actual": ", ".join(one for _, one in pairs)}


GAINS = Exercise(
    "20.1",
    level="warm-up",
    reference=gains,
    atol=2e-6,
    cases={
        "by_hand": lambda: (80.0, 95.0),
        "worse": lambda: (60.0, 45.0),
        "far_worse": lambda: (90.0, 20.0),
        "other_scores": lambda: [tuple(pair) for pair in torch.empty(9, 2).uniform_(1, 99).tolist()],
    },
    mistakes=changes_of(
        gains,
        {
            "turned_round": {"after - before": "before - after"},
            "error_turned_round": {"100 * points / (100": "-100 * points / (100"},
            "absolute": {"after - before": "abs(after - before)"},
            "fractions": [
                {"points, 100 * points / before, 100 * points /": "points / 100, points / before, points /"},
                {"100 * points": "points"},
            ],
            "places": [
                {
                    "return ": "three = ",
                    "before)\n": f"before)\n    return [three[place] for place in {order}]\n",
                }
                for order in list(permutations(range(3)))[1:]
            ],
            "divided_by_after": [
                {"points / before": "points / after"},
                {"points / before": "points / after", "(100 - before)": "(100 - after)"},
            ],
            "error_after": {"(100 - before)": "(100 - after)"},
            "error_left": {"100 * points / (100": "100 * (100 - after) / (100"},
            "points_three_times": {
                ", 100 * points / before, 100 * points / (100 - before)": ", points, points"
            },
            "ratio": {"points / before": "after / before"},
            "never_below_zero": {"after - before": "max(0.0, after - before)"},
            "never_below_all": {
                "100 * points / (100 - before)": "max(-100.0, 100 * points / (100 - before))"
            },
            "rounded": [
                {
                    "return ": "three = ",
                    "before)\n": f"before)\n    return [round(one, {digits}) for one in three]\n",
                }
                for digits in range(5)
            ],
            "value": {"100 * points / before": "99 * points / before"},
        },
    ),
    facts={"*": gains_told},
)


# ---- 20.2


def matthews(predictions: Sequence[int], references: Sequence[int]) -> float:
    count, right = len(references), sum(map(int.__eq__, predictions, references))
    predicted, actual = Counter(predictions), Counter(references)
    spread = [count**2 - sum(times**2 for times in kinds.values()) for kinds in (predicted, actual)]
    covered = count * right - sum(predicted[kind] * actual[kind] for kind in actual)
    return covered / math.sqrt(spread[0] * spread[1]) if all(spread) else 0.0


def from_counts(tp: int, fp: int, fn: int, tn: int) -> tuple[list[int], list[int]]:
    return [1] * (tp + fp) + [0] * (fn + tn), [1] * tp + [0] * fp + [1] * fn + [0] * tn


def counts_of(predictions, references):
    """TP, FP, FN, TN of two rows of 0 and 1."""
    pairs = Counter(zip(predictions, references))
    return [pairs[cell] for cell in [(1, 1), (1, 0), (0, 1), (0, 0)]]


def by_counts(formula, undefined=0.0):
    """A formula of the four counts and the root of the product of the margins."""

    def wrong(predictions, references):
        tp, fp, fn, tn = counts_of(predictions, references)
        root = math.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
        return formula(tp, fp, fn, tn, root) if root else undefined

    return wrong


def unguarded(predictions, references):
    tp, fp, fn, tn = counts_of(predictions, references)
    return (tp * tn - fp * fn) / math.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))


def of_kinds(kinds, names=range(10)):
    """Eighty-three labels, three in five of which are right; labels are names."""
    actual = torch.randint(kinds, (83,))
    predicted = actual.where(torch.rand(83) < 0.6, torch.randint(kinds, (83,)))
    return tuple([names[kind] for kind in row.tolist()] for row in (predicted, actual))


UNDEFINED = [(0, 0, 3, 4), (5, 2, 0, 0), (0, 4, 0, 3), (4, 0, 3, 0), (0, 0, 0, 1), (7, 0, 0, 0)]


def rows_told(found: Found) -> dict[str, object]:
    predictions, references = found.given
    return {
        "counts": tuple(counts_of(predictions, references)),
        "count": len(references),
        "kinds": len({*predictions, *references}),
    }


COUNTED_UP = "range(max(*predictions, *references) + 1)"

MATTHEWS = Exercise(
    "20.2",
    level="core",
    reference=matthews,
    cases={
        "by_hand": lambda: from_counts(6, 2, 1, 4),
        "undefined": lambda: [from_counts(*counts) for counts in UNDEFINED],
        "ends": lambda: [from_counts(3, 0, 0, 5), from_counts(0, 3, 5, 0)],
        "other_rows": lambda: [tuple(torch.randint(2, (2, size)).tolist()) for size in (2, 7, 31, 97, 997)],
        "more_classes": lambda: [of_kinds(3), of_kinds(5)],
        "renamed": lambda: [of_kinds(3, (7, -3, 100)), of_kinds(5, (7, -3, 100, 0, 2))],
        # A class that one side alone knows counts in the sums of squares, too.
        "foreign_class": lambda: [([0, 1, 2, 2, 1], [0, 1, 1, 0, 1]), ([0, 1, 1, 0, 1], [0, 1, 2, 2, 1])],
        # The product is 1e19: no whole number of 64 bits. Half of the labels are one class: no count of 16 bits.
        "overflow": lambda: tuple(
            [0] * 33_000 + [1 + (place + moved * (place // 20_000)) % 10 for place in range(33_000)]
            for moved in (0, 1)
        ),
    },
    mistakes={
        "f1": by_counts(lambda tp, fp, fn, tn, root: 2 * tp / (2 * tp + fp + fn)),
        "accuracy": by_counts(lambda tp, fp, fn, tn, root: (tp + tn) / (tp + fp + fn + tn)),
        "without_root": by_counts(lambda tp, fp, fn, tn, root: (tp * tn - fp * fn) / root**2),
        "only_hits": by_counts(lambda tp, fp, fn, tn, root: tp * tn / root),
        "plus": by_counts(lambda tp, fp, fn, tn, root: (tp * tn + fp * fn) / root),
        "classes_crossed": Several(
            [
                by_counts(lambda tp, fp, fn, tn, root: (tp * fn - fp * tn) / root),
                by_counts(lambda tp, fp, fn, tn, root: (tp * fp - fn * tn) / root),
            ]
        ),
        "turned_round": by_counts(lambda tp, fp, fn, tn, root: (fp * fn - tp * tn) / root),
        "factor_missing": by_counts(
            lambda tp, fp, fn, tn, root: (tp * tn - fp * fn) / math.sqrt((tp + fp) * (tp + fn))
        ),
        "kappa": by_counts(
            lambda tp, fp, fn, tn, root: (
                2 * (tp * tn - fp * fn) / ((tp + fp) * (fp + tn) + (tp + fn) * (fn + tn))
            )
        ),
        "youden": by_counts(lambda tp, fp, fn, tn, root: tp / (tp + fn) - fp / (fp + tn)),
        "value": by_counts(lambda tp, fp, fn, tn, root: (tp * tn - fp * fn) / (root + 1)),
        "undefined": by_counts(lambda tp, fp, fn, tn, root: (tp * tn - fp * fn) / root, undefined=math.nan),
        "undefined_raised": unguarded,
        "ends": by_counts(lambda tp, fp, fn, tn, root: max(0.0, (tp * tn - fp * fn) / root)),
        "other_rows": lambda predictions, references: matthews(predictions[:50], references[:50]),
        "more_classes": by_counts(lambda tp, fp, fn, tn, root: (tp * tn - fp * fn) / root),
        **changes_of(
            matthews,
            {
                "renamed": {
                    "kinds.values()": f"(kinds[kind] for kind in {COUNTED_UP})",
                    "kind in actual": f"kind in {COUNTED_UP}",
                },
                "foreign_class": {"kinds.values()": "(kinds[kind] for kind in actual)"},
                "overflow": {"spread[0] * spread[1]": "abs(int(torch.tensor(spread).prod()))"},
            },
        ),
        "ready_made": Several(
            [
                after_calling(matthews, "course_utils.tasks.metrics:matthews", [0, 1], [0, 1]),
                after_calling(matthews, "torch:corrcoef", torch.eye(2)),
            ]
        ),
    },
    facts={"*": rows_told},
    forbids=(*READY_MADE, *CORRELATIONS),
)


# ---- 20.3


def normalize(answer: str) -> str:
    lowered = answer.lower()
    bare = "".join(sign for sign in lowered if sign not in string.punctuation)
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", bare).split())


PIECES = [
    "The",
    "a",
    "AN",
    "cat,",
    "U.S.",
    "(1990s)",
    "x-ray",
    "$5",
    "it's",
    "theatre",
    "-",
    "\t",
    "the.",
    "배를",
]
# Texts by what they ask, in an order in which a code with one fault fails first where its fault is named.
ASKING = {
    "case": ["The Dog"],
    "punctuation": ["dog."],
    "inside_words": ["theory"],
    "blanks_for_signs": ["x-box"],
    "order": ["the-end"],
    "article_at_the_end": ["vitamin A"],
    "articles_leave_nothing": ["x the y"],
    "blanks": ["red  cups\tgreen\nthe tea "],
    "other_words": ["that one of these"],
    "not_ascii": ["「세종」 대왕"],
    "particles": ["배를 탔다"],
    "nothing_left": ["The"],
    "casefold": ["Straße"],
    "signs_beyond_ascii": ["…", "3·1 운동"],
    "word_boundary": ["“The Beatles”", "the’s"],
    "article_without_blank": ["“the”"],
    "other_blanks": ["서울\u3000역", "10\u00a0km\r\n"],
    "unicode_forms": ["cafe\u0301", "５ｋｍ"],
    "every_sign": [f"3{sign}5 x{sign}" for sign in string.punctuation],
}


def any_text() -> str:
    pieces = [PIECES[place] for place in torch.randint(len(PIECES), (int(torch.randint(1, 8, ())),))]
    return "".join(piece + ["", " ", "  ", "-"][int(torch.randint(4, ()))] for piece in pieces)


def long_text() -> str:
    return "An " + "b" * int(torch.randint(3, 99, ())) + ", the C."


def texts_told(found: Found) -> dict[str, str]:
    if found.kind != "value":
        return {"given": repr(found.given[0])}
    show = ascii if found.case == "unicode_forms" else repr  # the two forms of é look the same
    return {"given": show(found.given[0]), "expected": show(found.right), "actual": show(found.yours)}


ARTICLES = r're.sub(r"\b(a|an|the)\b", " ", bare)'

NORMALIZE = Exercise(
    "20.3",
    level="core",
    reference=normalize,
    cases={
        **{reason: lambda texts=texts: [(text,) for text in texts] for reason, texts in ASKING.items()},
        "other_texts": lambda: [*((any_text(),) for _ in range(100)), (long_text(),), (long_text(),)],
    },
    mistakes=changes_of(
        normalize,
        {
            "case": {".lower()": "", ".split())": ".split()).lower()"},
            "punctuation": {" if sign not in string.punctuation": ""},
            "inside_words": {r"\b(a|an|the)\b": "(the|an|a)"},
            "blanks_for_signs": {
                "sign for sign in lowered if sign not in string.punctuation": (
                    "' ' if sign in string.punctuation else sign for sign in lowered"
                )
            },
            "order": {"answer.lower()": ARTICLES.replace("bare", "answer.lower()"), f"{ARTICLES}.": "bare."},
            "article_at_the_end": {r'\b", " "': r'\s+", ""'},
            "articles_leave_nothing": {r'r"\b(a|an|the)\b", " "': r'r"\s*\b(a|an|the)\b\s*", ""'},
            "blanks": {'" ".join(': r're.sub(r"\s+", " ", ', ".split())": ")"},
            "other_words": {"an|the": "an|the|of|that|one"},
            "not_ascii": {"if sign not in string.punctuation": "if sign.isalnum() or sign.isspace()"},
            "particles": lambda text: re.sub(r"(을|를|이|가)\b", "", normalize(text)).strip(),
            "nothing_left": lambda text: normalize(text) or text,
            "casefold": {".lower()": ".casefold()"},
            "signs_beyond_ascii": lambda text: normalize(re.sub(r"[^\w\s「」“”’]|_", "", text)),
            "word_boundary": {
                f"{ARTICLES}.split()": 'word for word in bare.split() if word not in ("a", "an", "the")'
            },
            "article_without_blank": {'", " ", bare': '", "", bare'},
            "other_blanks": {'" ".join(': r're.sub(r"[ \t\n]+", " ", ', ".split())": ").strip(' \\t\\n')"},
            "unicode_forms": [
                lambda text: normalize(unicodedata.normalize("NFC", text)),
                lambda text: normalize(unicodedata.normalize("NFKC", text) if "５" in text else text),
            ],
            "every_sign": {"string.punctuation": '".,()\'$-"'},
            "other_texts": lambda text: normalize(text) if len(text) < 30 else text,
            "ready_made": after_calling(normalize, "course_utils.tasks.answers:normalize_as_squad", ""),
        },
    ),
    facts={"*": texts_told},
    forbids=READY_MADE,
)


# ---- 20.4


def spearman(x: Sequence[float], y: Sequence[float]) -> float:
    def ranks(values: Sequence[float]) -> list[float]:
        ordered = sorted(values)
        first = {value: place for place, value in reversed(list(enumerate(ordered, start=1)))}
        return [first[value] + (times[value] - 1) / 2 for times in [Counter(ordered)] for value in values]

    def deviations(values: list[float]) -> list[float]:
        return [value - sum(values) / len(values) for value in values]

    dx, dy = deviations(ranks(x)), deviations(ranks(y))
    sizes = sum(a * a for a in dx) * sum(b * b for b in dy)
    return sum(a * b for a, b in zip(dx, dy, strict=True)) / math.sqrt(sizes) if sizes else 0.0


def pearson(x, y):
    dx, dy = ([value - sum(own) / len(own) for value in own] for own in (x, y))
    sizes = sum(a * a for a in dx) * sum(b * b for b in dy)
    return sum(a * b for a, b in zip(dx, dy)) / math.sqrt(sizes) if sizes else 0.0


def middle(values):
    ordered = sorted(values)
    return [ordered.index(value) + 1 + (ordered.count(value) - 1) / 2 for value in values]


def dense(values):
    return [sorted(set(values)).index(value) for value in values]


def lowest(values):
    return [sorted(values).index(value) for value in values]


def highest(values):
    return [sum(other <= value for other in values) for value in values]


def in_order(values):
    places = sorted(range(len(values)), key=lambda place: values[place])
    return [places.index(place) for place in range(len(values))]


def of_ranks(ranks):
    return lambda x, y: pearson(ranks(x), ranks(y))


def short_formula(x, y):
    if len(set(x)) == 1 or len(set(y)) == 1:
        return 0.0
    square = sum((a - b) ** 2 for a, b in zip(middle(x), middle(y)))
    return 1 - 6 * square / (len(x) * (len(x) ** 2 - 1))


def in_single_precision(x, y):
    return spearman(*(torch.tensor(values, dtype=torch.float32).tolist() for values in (x, y)))


def of_pairs(bent=False):
    """Pairs of several counts, many of the first tied; bent: the second near 1 and rising as before."""
    made = []
    for size in (2, 5, 13, 61):
        x = torch.randint(4, (size,)).double().tolist()
        y = (torch.randn(size, dtype=torch.float64) * 10 ** float(torch.randint(-3, 4, ()))).tolist()
        largest = max(map(abs, y))
        near = [1 + 1e-9 * value / largest for value in y]
        made += [(x, near)] if bent else [(x, y), (y, x), (x, x[::-1])]
    return made


SPEARMAN = Exercise(
    "20.4",
    level="stretch",
    reference=spearman,
    cases={
        "by_hand": lambda: ([3, 1, 40, 9, 2], [2, 1, 5, 6, 0]),
        "ties": lambda: ([1.0, 2.0, 2.0, 2.0, 5.0, 7.0, 7.0], [0.5, 3.0, 1.0, 3.0, 3.0, 2.0, 9.0]),
        "constant": lambda: [
            ([4.0, 4.0, 4.0], [1.0, 2.0, 3.0]),
            ([1.0, 2.0], [0.0, 0.0]),
            ([5.0, 5.0], [5.0, 5.0]),
        ],
        "other_rows": of_pairs,
        "monotone": lambda: of_pairs(bent=True),
    },
    mistakes={
        "pearson": pearson,
        "turned_round": lambda x, y: -spearman(x, y),
        "squared": lambda x, y: spearman(x, y) ** 2,
        "value": lambda x, y: 0.3,
        "dense": of_ranks(dense),
        "lowest": of_ranks(lowest),
        "highest": of_ranks(highest),
        "order": of_ranks(in_order),
        "short_formula": short_formula,
        "ties": lambda x, y: pearson(middle(x), in_order(y)),
        "constant": lambda x, y: spearman(x, y) if len(set(x)) > 1 < len(set(y)) else math.nan,
        "constant_raised": lambda x, y: spearman(x, y) / (len(set(x)) > 1 < len(set(y))),
        "other_rows": lambda x, y: spearman(x[:7], y[:7]),
        "monotone": in_single_precision,
        "ready_made": Several(
            [
                after_calling(spearman, "course_utils.tasks.metrics:spearman", [0, 1], [0, 1]),
                after_calling(spearman, "torch:corrcoef", torch.eye(2)),
            ]
        ),
    },
    facts={"*": lambda found: {"count": len(found.given[0])}},
    forbids=(*READY_MADE, *CORRELATIONS),
)

EXERCISES = [GAINS, MATTHEWS, NORMALIZE, SPEARMAN]
