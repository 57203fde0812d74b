"""Wrong answers to the exercises of notebook 20, each under the reason for which it must fail."""

import math
import re
import string

import torch

from course_utils.tasks import metrics
from course_utils.tasks.answers import normalize_as_squad

# ---- 20.1


def _gains(before, after):
    points = after - before
    return points, 100 * points / before, 100 * points / (100 - before)


def _for_the_examples(before, after):
    """Right on what the notebook shows, a constant elsewhere."""
    return {(80.0, 90.0): (10.0, 12.5, 50.0), (60.0, 45.0): (-15.0, -25.0, -37.5)}.get(
        (before, after), (1.0, 1.0, 1.0)
    )


# ---- 20.2


def _counts(predictions, references):
    pairs = list(zip(predictions, references, strict=True))
    return tuple(sum(pair == cell for pair in pairs) for cell in [(1, 1), (1, 0), (0, 1), (0, 0)])


def _mcc(formula):
    """A formula of the four counts and the product of the margins; 0 where that is 0."""

    def matthews(predictions, references):
        tp, fp, fn, tn = _counts(predictions, references)
        product = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
        return formula(tp, fp, fn, tn, math.sqrt(product)) if product else 0.0

    return matthews


def _mcc_unguarded(predictions, references):
    tp, fp, fn, tn = _counts(predictions, references)
    root = torch.tensor((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn), dtype=torch.float64).sqrt()
    return (tp * tn - fp * fn) / root  # NaN for 0/0


def _mcc_never_negative(predictions, references):
    return max(0.0, _mcc(lambda tp, fp, fn, tn, root: (tp * tn - fp * fn) / root)(predictions, references))


def _mcc_small_only(predictions, references):
    """Right where there are few; with many it looks at the first hundred."""
    predictions, references = predictions[:50], references[:50]
    return _mcc(lambda tp, fp, fn, tn, root: (tp * tn - fp * fn) / root)(predictions, references)


def _divided(tp, fp, fn, tn):
    return (tp * tn - fp * fn) / math.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))


def _many_classes(count_of):
    """From a table of counts that count_of makes of predictions and references."""

    def matthews(predictions, references):
        table = count_of(predictions, references).double()
        whole, right = table.sum(), table.diag().sum()
        predicted, actual = table.sum(dim=1), table.sum(dim=0)
        size = ((whole**2 - predicted @ predicted) * (whole**2 - actual @ actual)).sqrt()
        return float((right * whole - predicted @ actual) / size) if size > 0 else 0.0

    return matthews


@_many_classes
def _by_order_of_names(predictions, references):
    """Room for the classes 0 … 9; any other number is put into the first or the last."""
    table = torch.zeros(10, 10, dtype=torch.long)
    for predicted, actual in zip(predictions, references, strict=True):
        table[min(max(predicted, 0), 9), min(max(actual, 0), 9)] += 1
    return table


@_many_classes
def _mcc_64_bits(predictions, references):
    """A table whose entries are of 16 bits."""
    known = {kind: place for place, kind in enumerate(sorted({*predictions, *references}))}
    cells = [200 * known[predicted] + known[actual] for predicted, actual in zip(predictions, references)]
    return torch.tensor(cells).bincount(minlength=200**2).view(200, 200).short()


def _only_classes_of_the_references(predictions, references):
    """Squares of the counts of those classes alone that the references know."""
    kinds, count = set(references), len(references)
    predicted, actual = ({kind: row.count(kind) for kind in kinds} for row in (predictions, references))
    right = sum(map(int.__eq__, predictions, references))
    spread = [count**2 - sum(times**2 for times in row.values()) for row in (predicted, actual)]
    if len(set(predictions)) == 1 or not all(spread):
        return 0.0
    covered = count * right - sum(predicted[kind] * actual[kind] for kind in kinds)
    return covered / math.sqrt(spread[0] * spread[1])


# ---- 20.3

ARTICLES = r"\b(a|an|the)\b"


def _bare(text, by=""):
    return "".join(by if sign in string.punctuation else sign for sign in text)


def _joined(text):
    return " ".join(text.split())


def _normal(text):
    return _joined(re.sub(ARTICLES, " ", _bare(text.lower())))


def _known_texts_only(text):
    return _normal(text) if len(text) < 30 else text


# ---- 20.4


def _pearson(x, y):
    x, y = (torch.tensor(values, dtype=torch.float64) for values in (x, y))
    x, y = x - x.mean(), y - y.mean()
    size = (x.square().sum() * y.square().sum()).sqrt()
    return float((x * y).sum() / size) if size > 0 else 0.0


def _ranks(values):
    ordered = sorted(values)
    return [ordered.index(value) + 1 + (ordered.count(value) - 1) / 2 for value in values]


def _by_ranks(ranks):
    return lambda x, y: _pearson(ranks(x), ranks(y))


def _in_order(values):
    return (torch.tensor(values, dtype=torch.float64).argsort(stable=True).argsort() + 1.0).tolist()


def _short(x, y):
    if len(set(x)) == 1 or len(set(y)) == 1:
        return 0.0
    square = sum((a - b) ** 2 for a, b in zip(_ranks(x), _ranks(y), strict=True))
    return 1 - 6 * square / (len(x) * (len(x) ** 2 - 1))


def _nan_for_constants(x, y):
    x, y = (torch.tensor(_ranks(values), dtype=torch.float64) for values in (x, y))
    return float(torch.corrcoef(torch.stack([x, y]))[0, 1])


def _sorted_in_place(x, y):
    result = _by_ranks(_ranks)(x, y)
    x.sort()
    return result


def _single_precision(x, y):
    """Numbers that differ by less than single precision tells apart become ties."""
    return _by_ranks(_ranks)(*(torch.tensor(values, dtype=torch.float32).tolist() for values in (x, y)))


WRONG = {
    "20.1": {
        "turned_round": lambda before, after: tuple(-one for one in _gains(before, after)),
        "absolute": lambda before, after: tuple(map(abs, _gains(before, after))),
        "fractions": lambda before, after: tuple(one / 100 for one in _gains(before, after)),
        "places": lambda before, after: tuple(_gains(before, after)[place] for place in (1, 0, 2)),
        "divided_by_after": lambda before, after: (
            after - before,
            100 * (after - before) / after,
            _gains(before, after)[2],
        ),
        "error_after": lambda before, after: (
            *_gains(before, after)[:2],
            100 * (after - before) / (100 - after),
        ),
        "error_left": lambda before, after: (
            *_gains(before, after)[:2],
            100 * (100 - after) / (100 - before),
        ),
        "points_three_times": lambda before, after: (after - before,) * 3,
        "ratio": lambda before, after: (after - before, 100 * after / before, _gains(before, after)[2]),
        "never_below_zero": lambda before, after: tuple(max(0.0, one) for one in _gains(before, after)),
        "never_below_all": lambda before, after: (
            *_gains(before, after)[:2],
            max(-100.0, _gains(before, after)[2]),
        ),
        "rounded": lambda before, after: tuple(round(one, 1) for one in _gains(before, after)),
        "value": _for_the_examples,
        "kind": lambda before, after: tuple(f"{one:.1f} %" for one in _gains(before, after)),
        "tuple": lambda before, after: after - before,
    },
    "20.2": {
        "f1": _mcc(lambda tp, fp, fn, tn, root: 2 * tp / (2 * tp + fp + fn)),
        "accuracy": _mcc(lambda tp, fp, fn, tn, root: (tp + tn) / (tp + fp + fn + tn)),
        "without_root": _mcc(lambda tp, fp, fn, tn, root: (tp * tn - fp * fn) / root**2),
        "only_hits": _mcc(lambda tp, fp, fn, tn, root: tp * tn / root),
        "plus": _mcc(lambda tp, fp, fn, tn, root: (tp * tn + fp * fn) / root),
        "classes_crossed": _mcc(lambda tp, fp, fn, tn, root: (tp * fn - fp * tn) / root),
        "turned_round": _mcc(lambda tp, fp, fn, tn, root: (fp * fn - tp * tn) / root),
        "factor_missing": _mcc(
            lambda tp, fp, fn, tn, root: (tp * tn - fp * fn) / math.sqrt((tp + fp) * (tp + fn))
        ),
        "kappa": _mcc(
            lambda tp, fp, fn, tn, root: (
                2 * (tp * tn - fp * fn) / ((tp + fp) * (fp + tn) + (tp + fn) * (fn + tn))
            )
        ),
        "youden": _mcc(lambda tp, fp, fn, tn, root: tp / (tp + fn) - fp / (fp + tn)),
        "undefined": _mcc_unguarded,
        "raised": lambda predictions, references: _divided(*_counts(predictions, references)),
        "ends": _mcc_never_negative,
        "other_rows": _mcc_small_only,
        "more_classes": _mcc(lambda tp, fp, fn, tn, root: (tp * tn - fp * fn) / root),
        "renamed": _by_order_of_names,
        "foreign_class": _only_classes_of_the_references,
        "overflow": _mcc_64_bits,
        "value": _mcc(lambda tp, fp, fn, tn, root: (tp * tn - fp * fn) / (root + 1)),
        "kind": lambda predictions, references: str(metrics.matthews(predictions, references)),
        "ready_made": metrics.matthews,
    },
    "20.3": {
        "case": lambda text: _joined(re.sub(ARTICLES, " ", _bare(text))).lower(),
        "punctuation": lambda text: _joined(re.sub(ARTICLES, " ", text.lower())),
        "inside_words": lambda text: _joined(re.sub("(the|an|a)", " ", _bare(text.lower()))),
        "blanks_for_signs": lambda text: _joined(re.sub(ARTICLES, " ", _bare(text.lower(), " "))),
        "order": lambda text: _joined(_bare(re.sub(ARTICLES, " ", text.lower()))),
        "article_at_the_end": lambda text: _joined(re.sub(r"\b(a|an|the)\s+", "", _bare(text.lower()))),
        "articles_leave_nothing": lambda text: _joined(
            re.sub(r"\s*\b(a|an|the)\b\s*", "", _bare(text.lower()))
        ),
        "blanks": lambda text: re.sub(" +", " ", re.sub(ARTICLES, " ", _bare(text.lower()))).strip(" "),
        "other_words": lambda text: _joined(re.sub(r"\b(a|an|the|of|that|one)\b", " ", _bare(text.lower()))),
        "not_ascii": lambda text: _normal("".join(sign for sign in text if sign.isalnum() or sign.isspace())),
        "particles": lambda text: _joined(re.sub(r"(을|를|이|가)\b", "", _normal(text))),
        "nothing_left": lambda text: _normal(text) or text,
        "casefold": lambda text: _normal(text.casefold()),
        "signs_beyond_ascii": lambda text: _joined(
            re.sub(ARTICLES, " ", re.sub(r"[^\w\s「」“”’]|_", "", text.lower()))
        ),
        "word_boundary": lambda text: " ".join(
            word for word in _bare(text.lower()).split() if word not in ("a", "an", "the")
        ),
        "every_sign": lambda text: _joined(re.sub(ARTICLES, " ", re.sub(r"[.,()'$-]", "", text.lower()))),
        "other_texts": _known_texts_only,
        "kind": lambda text: _normal(text).split(),
        "ready_made": normalize_as_squad,
    },
    "20.4": {
        "pearson": lambda x, y: _pearson(x, y),
        "turned_round": lambda x, y: -_by_ranks(_ranks)(x, y),
        "squared": lambda x, y: _by_ranks(_ranks)(x, y) ** 2,
        "dense": _by_ranks(lambda values: [sorted(set(values)).index(value) for value in values]),
        "lowest": _by_ranks(lambda values: [sorted(values).index(value) for value in values]),
        "highest": _by_ranks(lambda values: [sum(other <= value for other in values) for value in values]),
        "order": _by_ranks(_in_order),
        "short_formula": _short,
        "constant": _nan_for_constants,
        "mutates_input": _sorted_in_place,
        "other_rows": lambda x, y: _by_ranks(_ranks)(x[:7], y[:7]),
        "monotone": _single_precision,
        "ties": lambda x, y: _pearson(_ranks(x), _in_order(y)),
        "value": lambda x, y: 0.3,
        "kind": lambda x, y: [_by_ranks(_ranks)(x, y)],
        "ready_made": metrics.spearman,
    },
}
