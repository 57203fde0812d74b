"""Right answers to the exercises of notebook 20, in forms that learners write."""

import math
import re
import string
from collections import Counter

import numpy as np
import torch
import torch.nn.functional as F

from tests.exercises.audit import forms


def gains_by_names(before, after):
    points = after - before
    relative = points / before * 100
    error_before, error_after = 100 - before, 100 - after
    return [points, relative, (error_before - error_after) / error_before * 100]


def gains_by_ratios(before, after):
    return after - before, 100 * (after / before - 1), 100 * (1 - (100 - after) / (100 - before))


def gains_as_array(before, after):
    return (after - before) * np.array([1, 100 / before, 100 / (100 - before)])


def gains_as_tensor(before, after):
    before, after = torch.tensor(before), torch.tensor(after)
    return torch.stack(
        [after - before, 100 * (after - before) / before, 100 * (after - before) / (100 - before)]
    )


def gains_in_float64(before, after):
    points = torch.tensor(after - before, dtype=torch.float64)
    return tuple(points / size for size in (1.0, before / 100, 1 - before / 100))


def gains_by_loop(before, after):
    found = []
    for of in (100, before, 100 - before):
        found.append(100 * (after - before) / of)
    return tuple(found)


def by_sets(predictions, references):
    s = len(references)
    c = sum(p == t for p, t in zip(predictions, references))
    kinds = set(predictions) | set(references)
    p = {k: predictions.count(k) for k in kinds}
    t = {k: references.count(k) for k in kinds}
    below = (s**2 - sum(v**2 for v in p.values())) * (s**2 - sum(v**2 for v in t.values()))
    if below == 0:
        return 0
    return (c * s - sum(p[k] * t[k] for k in kinds)) / below**0.5


def by_table(predictions, references):
    known = {kind: place for place, kind in enumerate(sorted({*predictions, *references}))}
    rows = torch.tensor([[known[one] for one in row] for row in (predictions, references)])
    table = torch.bincount(rows[0] * len(known) + rows[1], minlength=len(known) ** 2).double()
    table = table.view(len(known), len(known))
    whole, predicted, actual = table.sum(), table.sum(1), table.sum(0)
    size = ((whole**2 - predicted @ predicted) * (whole**2 - actual @ actual)).sqrt()
    return (table.trace() * whole - predicted @ actual) / size if size > 0 else 0.0


def one_hot_covariances(predictions, references, dtype=torch.float64):
    _, codes = torch.tensor([predictions, references]).unique(return_inverse=True)
    centred = [F.one_hot(row, int(codes.max()) + 1).to(dtype) for row in codes]
    centred = [rows - rows.mean(dim=0) for rows in centred]
    size = (centred[0].square().sum() * centred[1].square().sum()).sqrt()
    return float((centred[0] * centred[1]).sum() / size) if size > 0 else 0.0


def by_numpy(predictions, references):
    predicted, actual = np.array(predictions), np.array(references)
    kinds = np.union1d(predicted, actual)
    p = np.array([(predicted == kind).sum() for kind in kinds], dtype=float)
    t = np.array([(actual == kind).sum() for kind in kinds], dtype=float)
    s, c = float(len(actual)), float((predicted == actual).sum())
    below = math.sqrt(s * s - p @ p) * math.sqrt(s * s - t @ t)
    return (c * s - p @ t) / below if below else 0.0


def by_counters(predictions, references):
    s, pairs = len(references), Counter(zip(predictions, references))
    p, t = Counter(predictions), Counter(references)
    above = s * sum(n for (a, b), n in pairs.items() if a == b) - sum(p[k] * t[k] for k in p)
    roots = [math.sqrt(s * s - sum(n * n for n in kinds.values())) for kinds in (p, t)]
    return above / roots[0] / roots[1] if min(roots) > 0 else 0.0


def official(answer):
    """As in the script that scores SQuAD."""

    def remove_articles(text):
        return re.sub(re.compile(r"\b(a|an|the)\b", re.UNICODE), " ", text)

    def white_space_fix(text):
        return " ".join(text.split())

    def remove_punctuation(text):
        exclude = set(string.punctuation)
        return "".join(ch for ch in text if ch not in exclude)

    return white_space_fix(remove_articles(remove_punctuation(answer.lower())))


def translated(answer):
    answer = answer.lower().translate(str.maketrans("", "", string.punctuation))
    for article in ("a", "an", "the"):
        answer = re.sub(rf"\b{article}\b", " ", answer)
    return " ".join(answer.split())


def by_escape(answer):
    answer = re.sub(f"[{re.escape(string.punctuation)}]", "", answer.lower())
    answer = re.sub(r"\b(the|an?)\b", " ", answer)
    return re.sub(r"\s+", " ", answer).strip()


def sign_by_sign(answer):
    answer = answer.lower()
    for sign in string.punctuation:
        answer = answer.replace(sign, "")
    return " ".join(word for word in re.sub(r"\b(?:a|an|the)\b", " ", answer).split() if word)


def filtered(answer):
    kept = filter(lambda sign: sign not in string.punctuation, answer.lower())
    return str.join(" ", re.sub(r"\ba\b|\ban\b|\bthe\b", " ", "".join(kept)).split())


def by_split(answer):
    kept = []
    for sign in answer.lower():
        if sign not in string.punctuation:
            kept += sign
    pieces = re.split(r"\b(?:a|an|the)\b", "".join(kept))
    return " ".join(" ".join(pieces).split())


def pearson_of(ranks_of):
    """Pearson's correlation of ranks, in Python."""

    def answer(x, y):
        rx, ry = ranks_of(x), ranks_of(y)
        mx, my = sum(rx) / len(rx), sum(ry) / len(ry)
        above = sum((a - mx) * (b - my) for a, b in zip(rx, ry))
        below = sum((a - mx) ** 2 for a in rx) * sum((b - my) ** 2 for b in ry)
        return above / math.sqrt(below) if below else 0.0

    return answer


def ranks_by_index(values):
    ordered = sorted(values)
    return [ordered.index(value) + 1 + (ordered.count(value) - 1) / 2 for value in values]


def ranks_by_counting(values):
    return [
        sum(other < value for other in values) + sum(other == value for other in values) / 2
        for value in values
    ]


def ranks_by_runs(values):
    order = sorted(range(len(values)), key=values.__getitem__)
    ranks, start = [0.0] * len(values), 0
    while start < len(order):
        end = start
        while end + 1 < len(order) and values[order[end + 1]] == values[order[start]]:
            end += 1
        for place in order[start : end + 1]:
            ranks[place] = (start + end) / 2 + 1
        start = end + 1
    return ranks


def by_torch(dtype):
    def ranks(values):
        values = torch.tensor(values, dtype=torch.float64)
        lower = (values[:, None] > values).sum(dim=1)
        return (lower + (values[:, None] == values).sum(dim=1) / 2).to(dtype)

    def answer(x, y):
        rx, ry = (own - own.mean() for own in map(ranks, (x, y)))
        size = rx.norm() * ry.norm()
        return rx @ ry / size if size > 0 else 0.0

    return answer


def by_unique(x, y):
    def ranks(values):
        _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
        return (np.cumsum(counts) - (counts - 1) / 2)[places]

    rx, ry = (own - own.mean() for own in map(ranks, (x, y)))
    below = math.sqrt((rx**2).sum() * (ry**2).sum())
    return float((rx * ry).sum()) / below if below else 0.0


RIGHT = {
    "20.1": forms(
        gains_by_names, gains_by_ratios, gains_as_array, gains_as_tensor, gains_in_float64, gains_by_loop
    ),
    "20.2": forms(by_sets, by_table, one_hot_covariances, by_numpy, by_counters)
    | {
        "float32": lambda predictions, references: one_hot_covariances(predictions, references, torch.float32)
    },
    "20.3": forms(official, translated, by_escape, sign_by_sign, filtered, by_split),
    "20.4": {
        "index": pearson_of(ranks_by_index),
        "counting": pearson_of(ranks_by_counting),
        "runs": pearson_of(ranks_by_runs),
        "float64": by_torch(torch.float64),
        "float32": by_torch(torch.float32),
        "np.unique": by_unique,
    },
}
