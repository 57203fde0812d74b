"""Right answers to the exercises of notebook 14, in forms that learners write."""

import math

import numpy as np
import torch
import torch.nn.functional as F

from tests.exercises.audit import forms


def pieces_by_loop(offsets, start, end):
    found = []
    for place in range(len(offsets)):
        begin, stop = offsets[place]
        if stop <= start or begin >= end:
            continue
        found.append(place)
    return found


def pieces_by_letters(offsets, start, end):
    letters = set(range(start, end))
    return [place for place, span in enumerate(offsets) if letters & set(range(*span))]


def pieces_by_torch(offsets, start, end):
    spans = torch.tensor(offsets)
    return ((spans[:, 0] < end) & (spans[:, 1] > start)).nonzero()[:, 0]


def pieces_by_numpy(offsets, start, end):
    begin, stop = np.array(offsets).T
    return np.flatnonzero((begin < end) & (stop > start)).tolist()


def means_of(groups):
    return torch.stack([group.mean(dim=0) for group in groups])


def centroid_by_loop(groups, queries):
    centroids = [group.mean(dim=0) for group in groups]
    origin = sum(centroids) / len(centroids)
    found = []
    for query in queries:
        scores = [F.cosine_similarity(query - origin, centroid - origin, dim=0) for centroid in centroids]
        found.append(int(torch.stack(scores).argmax()))
    return torch.tensor(found)


def centroid_by_cosine_similarity(groups, queries):
    means = means_of(groups)
    origin = means.mean(dim=0)
    return (
        F.cosine_similarity((queries - origin)[:, None], (means - origin)[None], dim=-1).max(dim=-1).indices
    )


def centroid_by_norm(groups, queries):
    means = means_of(groups)
    means, queries = means - means.mean(0), queries - means.mean(0)
    means = means / means.norm(dim=-1, keepdim=True)
    queries = queries / queries.norm(dim=-1, keepdim=True)
    return torch.einsum("nc,kc->nk", queries, means).argmax(1)


def centroid_in_float64(groups, queries):
    means = means_of([group.double() for group in groups])
    origin = means.mean(0, keepdim=True)
    unit = (means - origin) / (means - origin).norm(dim=1, keepdim=True)
    return ((queries.double() - origin) @ unit.T).argmax(dim=-1)  # a query's own length changes no choice


def centroid_by_distance_of_units(groups, queries):
    means = means_of(groups)
    origin = means.mean(dim=0)
    return torch.cdist(F.normalize(queries - origin, dim=-1), F.normalize(means - origin, dim=-1)).argmin(-1)


def centroid_by_numpy(groups, queries):
    means = np.stack([group.double().numpy().mean(0) for group in groups])
    queries = queries.double().numpy() - means.mean(0)
    means = means - means.mean(0)
    means /= np.linalg.norm(means, axis=1, keepdims=True)
    return torch.from_numpy((queries @ means.T).argmax(1))


def pushes_by_loop(score, words, target):
    p = score(words)
    whole = math.log(p) - math.log(1 - p)
    result = []
    for k in range(len(words)):
        if k == target:
            result.append(0.0)
            continue
        hidden = words.copy()
        hidden[k] = "[MASK]"
        q = score(hidden)
        result.append(whole - (math.log(q) - math.log(1 - q)))
    return result


def pushes_put_back(score, words, target):
    words, found = list(words), []
    for k, word in enumerate(words):
        if k == target:
            found.append(0)
            continue
        before = score(words)
        words[k] = "[MASK]"
        after = score(words)
        words[k] = word
        found.append(math.log(before / (1 - before)) - math.log(after / (1 - after)))
    return found


def pushes_by_torch(score, words, target):
    hidden = [["[MASK]" if k == j else word for j, word in enumerate(words)] for k in range(len(words))]
    hidden[target] = list(words)
    odds = torch.logit(torch.tensor([score(given) for given in hidden], dtype=torch.float64))
    return torch.logit(torch.tensor(score(words), dtype=torch.float64)) - odds


def pushes_by_numpy(score, words, target):
    def log_odds(p):
        return np.log(p) - np.log1p(-p)

    found = np.zeros(len(words))
    for k in set(range(len(words))) - {target}:
        found[k] = log_odds(score(words)) - log_odds(score([*words[:k], "[MASK]", *words[k + 1 :]]))
    return found


def pushes_by_ratio(score, words, target):
    p, found = score(words), [0.0] * len(words)
    for k in range(len(words)):
        if k != target:
            q = score([*words[:k], "[MASK]", *words[k + 1 :]])
            found[k] = math.log(p * (1 - q) / (q * (1 - p)))
    return tuple(found)


def pushes_by_dict(score, words, target):
    sentences = {k: tuple("[MASK]" if k == j else w for j, w in enumerate(words)) for k in range(len(words))}
    sentences[target] = tuple(words)
    odds = {k: math.log(score(given) / (1 - score(given))) for k, given in sentences.items()}
    return [odds[target] - odds[k] for k in sorted(odds)]


RIGHT = {
    "14.1": forms(pieces_by_loop, pieces_by_letters, pieces_by_torch, pieces_by_numpy)
    | {
        "max and min": lambda offsets, start, end: [
            place for place, (a, b) in enumerate(offsets) if max(a, start) < min(b, end)
        ],
        "not outside": lambda offsets, start, end: tuple(
            place for place, (a, b) in enumerate(offsets) if not (b <= start or a >= end)
        ),
    },
    "14.2": forms(
        centroid_by_loop,
        centroid_by_cosine_similarity,
        centroid_by_norm,
        centroid_in_float64,
        centroid_by_distance_of_units,
        centroid_by_numpy,
    ),
    "14.3": forms(
        pushes_by_loop, pushes_put_back, pushes_by_torch, pushes_by_numpy, pushes_by_ratio, pushes_by_dict
    ),
}
