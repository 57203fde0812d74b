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
import torch.nn.functional as F

from course_utils.exercises.core import Exercise, Found, Several, told_apart

READY_MADE = ("course_utils.tasks", "sklearn.metrics", "scipy.stats", "pandas.core", "transformers.data")
CORRELATIONS = ("corrcoef", "correlation")  # of numpy, torch and statistics


# ---- 20.1


def gains(before: float, after: float) -> tuple[float, float, float]:
    points = after - before
    return points, 100 * points / before, 100 * points / (100 - before)


def gains_changed(change):
    """The right three, changed afterwards."""
    return lambda before, after: tuple(map(change, gains(before, after)))


def third(error):
    """Points and relative gain, and another third number."""
    return lambda before, after: (*gains(before, after)[:2], error(before, after))


def second(relative):
    def wrong(before, after):
        points, _, errors = gains(before, after)
        return points, relative(before, after), errors

    return wrong


def both_by_after(before, after):
    points = after - before
    return points, 100 * points / after, 100 * points / (100 - after)


def of_known_examples(before, after):
    """Right on a few, a constant elsewhere."""
    known = {(80.0, 95.0), (60.0, 45.0), (90.0, 20.0)}
    return gains(before, after) if (before, after) in known else (1.0, 1.0, 1.0)


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
    mistakes={
        "turned_round": gains_changed(lambda one: -one),
        "error_turned_round": third(lambda before, after: 100 * (before - after) / (100 - before)),
        "absolute": gains_changed(abs),
        "fractions": Several(
            [
                gains_changed(lambda one: one / 100),
                lambda before, after: (after - before, *(one / 100 for one in gains(before, after)[1:])),
            ]
        ),
        "places": Several(
            [
                lambda before, after, order=order: tuple(gains(before, after)[place] for place in order)
                for order in list(permutations(range(3)))[1:]
            ]
        ),
        "divided_by_after": Several(
            [second(lambda before, after: 100 * (after - before) / after), both_by_after]
        ),
        "error_after": third(lambda before, after: 100 * (after - before) / (100 - after)),
        "error_left": third(lambda before, after: 100 * (100 - after) / (100 - before)),
        "points_three_times": lambda before, after: (after - before,) * 3,
        "ratio": second(lambda before, after: 100 * after / before),
        "never_below_zero": gains_changed(lambda one: max(0.0, one)),
        "never_below_all": third(lambda before, after: max(-100.0, gains(before, after)[2])),
        "rounded": Several(
            [gains_changed(lambda one, digits=digits: round(one, digits)) for digits in range(5)]
        ),
        "value": of_known_examples,
        "type": Several(
            [gains_changed(lambda one: f"{one:.1f} %"), lambda before, after: f"{after - before} %"]
        ),
        "length": lambda before, after: gains(before, after)[:2],
    },
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


def of_classes(kinds_of, product=math.prod):
    """The formula over those classes that kinds_of finds."""

    def wrong(predictions, references):
        count, right = len(references), sum(map(int.__eq__, predictions, references))
        kinds, rows = kinds_of(predictions, references), (Counter(predictions), Counter(references))
        predicted, actual = ([row[kind] for kind in kinds] for row in rows)
        spread = [count**2 - sum(times**2 for times in row) for row in (predicted, actual)]
        if not all(spread) or len(rows[0]) == 1:
            return 0.0
        return (count * right - sum(map(int.__mul__, predicted, actual))) / math.sqrt(product(spread))

    return wrong


def product_in_64_bits(spread):
    return abs(int(torch.tensor(spread).prod()))


def correlated_by_torch(predictions, references):
    """R_K as the correlation of one-hot rows, less the mean of each class."""
    rows = F.one_hot(torch.tensor([predictions, references]).unique(return_inverse=True)[1]).double()
    return float(torch.corrcoef((rows - rows.mean(dim=1, keepdim=True)).flatten(1))[0, 1].nan_to_num())


def package_matthews(predictions, references):
    """The package's knows two classes."""
    from course_utils.tasks import metrics

    two = {*predictions, *references} <= {0, 1}
    return (metrics.matthews if two else matthews)(predictions, references)


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


MATTHEWS = Exercise(
    "20.2",
    level="core",
    reference=matthews,
    cases={
        "by_hand": lambda: from_counts(6, 2, 1, 3),
        "undefined": lambda: [from_counts(*counts) for counts in UNDEFINED],
        "ends": lambda: [from_counts(3, 0, 0, 5), from_counts(0, 3, 5, 0)],
        "other_rows": lambda: [tuple(torch.randint(2, (2, size)).tolist()) for size in (2, 7, 31, 97, 997)],
        "more_classes": lambda: [of_kinds(3), of_kinds(5)],
        "renamed": lambda: [of_kinds(3, (7, -3, 100)), of_kinds(5, (7, -3, 100, 0, 2))],
        # A class that one side alone knows counts in the sums of squares, too.
        "foreign_class": lambda: [([0, 1, 2, 2, 1], [0, 1, 1, 0, 1]), ([0, 1, 1, 0, 1], [0, 1, 2, 2, 1])],
        # The product is 2e19: no whole number of 64 bits.
        "overflow": lambda: from_counts(45_000, 23_011, 20_007, 46_000),
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
        "renamed": of_classes(lambda predictions, references: range(max(predictions + references) + 1)),
        "foreign_class": of_classes(lambda predictions, references: set(references)),
        "overflow": of_classes(
            lambda predictions, references: {*predictions, *references}, product=product_in_64_bits
        ),
        "type": lambda predictions, references: f"{matthews(predictions, references):.3f}",
        "ready_made": Several([package_matthews, correlated_by_torch]),
    },
    facts={"*": rows_told},
    forbids=(*READY_MADE, *CORRELATIONS),
)


# ---- 20.3


def normalize(answer: str) -> str:
    lowered = answer.lower()
    bare = "".join(sign for sign in lowered if sign not in string.punctuation)
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", bare).split())


ARTICLES = r"\b(a|an|the)\b"
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


def bare(text, by=""):
    return "".join(by if sign in string.punctuation else sign for sign in text)


def joined(text):
    return " ".join(text.split())


def without(pattern, by=" "):
    """The four steps, with another pattern in place of that for articles."""
    return lambda text: joined(re.sub(pattern, by, bare(text.lower())))


def words_alone(text):
    return " ".join(word for word in bare(text.lower()).split() if word not in ("a", "an", "the"))


def package_normalize(text):
    from course_utils.tasks.answers import normalize_as_squad

    return normalize_as_squad(text)


def texts_told(found: Found) -> dict[str, str]:
    if found.kind != "value":
        return {"given": repr(found.given[0])}
    show = ascii if found.case == "unicode_forms" else repr  # the two forms of é look the same
    return {"given": show(found.given[0]), "expected": show(found.right), "actual": show(found.yours)}


NORMALIZE = Exercise(
    "20.3",
    level="core",
    reference=normalize,
    cases={
        **{reason: lambda texts=texts: [(text,) for text in texts] for reason, texts in ASKING.items()},
        "other_texts": lambda: [*((any_text(),) for _ in range(100)), (long_text(),), (long_text(),)],
    },
    mistakes={
        "case": lambda text: joined(re.sub(ARTICLES, " ", bare(text))).lower(),
        "punctuation": lambda text: joined(re.sub(ARTICLES, " ", text.lower())),
        "inside_words": without("(the|an|a)"),
        "blanks_for_signs": lambda text: joined(re.sub(ARTICLES, " ", bare(text.lower(), " "))),
        "order": lambda text: joined(bare(re.sub(ARTICLES, " ", text.lower()))),
        "article_at_the_end": without(r"\b(a|an|the)\s+", ""),
        "articles_leave_nothing": without(r"\s*\b(a|an|the)\b\s*", ""),
        "blanks": Several(
            [
                lambda text: re.sub(" +", " ", re.sub(ARTICLES, " ", bare(text.lower()))).strip(" "),
                lambda text: re.sub(r"\s+", " ", re.sub(ARTICLES, " ", bare(text.lower()))),
            ]
        ),
        "other_words": without(r"\b(a|an|the|of|that|one)\b"),
        "not_ascii": lambda text: normalize(
            "".join(sign for sign in text if sign.isalnum() or sign.isspace())
        ),
        "particles": lambda text: joined(re.sub(r"(을|를|이|가)\b", "", normalize(text))),
        "nothing_left": lambda text: normalize(text) or text,
        "casefold": lambda text: normalize(text.casefold()),
        "signs_beyond_ascii": lambda text: normalize(re.sub(r"[^\w\s「」“”’]|_", "", text)),
        "word_boundary": words_alone,
        "article_without_blank": without(ARTICLES, ""),
        "other_blanks": lambda text: re.sub(
            r"[ \t\n]+", " ", re.sub(ARTICLES, " ", bare(text.lower()))
        ).strip(" \t\n"),
        "unicode_forms": Several(
            [
                lambda text: normalize(unicodedata.normalize("NFC", text)),
                lambda text: (
                    normalize(unicodedata.normalize("NFKC", text)) if "５" in text else normalize(text)
                ),
            ]
        ),
        "every_sign": lambda text: joined(re.sub(ARTICLES, " ", re.sub(r"[.,()'$-]", "", text.lower()))),
        "other_texts": lambda text: normalize(text) if len(text) < 30 else text,
        "type": lambda text: normalize(text).split(),
        "ready_made": package_normalize,
    },
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


def sorted_in_place(x, y):
    result = spearman(x, y)
    x.sort()
    return result


def in_single_precision(x, y):
    return spearman(*(torch.tensor(values, dtype=torch.float32).tolist() for values in (x, y)))


def by_corrcoef(x, y):
    ranks = torch.tensor([middle(x), middle(y)])
    return float(torch.corrcoef(ranks)[0, 1].nan_to_num())


def package_spearman(x, y):
    from course_utils.tasks import metrics

    return metrics.spearman(x, y)


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
        "mutates_input": sorted_in_place,
        "type": lambda x, y: f"{spearman(x, y):.2f}",
        "ready_made": Several([package_spearman, by_corrcoef]),
    },
    facts={"*": lambda found: {"count": len(found.given[0])}},
    forbids=(*READY_MADE, *CORRELATIONS),
)

EXERCISES = [GAINS, MATTHEWS, NORMALIZE, SPEARMAN]
