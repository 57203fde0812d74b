"""Right answers to the exercises of notebook 01, in forms that learners write."""

import math

import numpy as np
import torch
import torch.nn.functional as F

from tests.exercises.audit import forms


def nearest_by_loop(vectors, row):
    best, nearest = -math.inf, None
    for other, vector in enumerate(vectors):
        if other == row:
            continue
        cosine = float(vector @ vectors[row] / (vector.norm() * vectors[row].norm()))
        if cosine > best:
            best, nearest = cosine, other
    return nearest


def nearest_by_similarity(vectors, row):
    cosines = F.cosine_similarity(vectors, vectors[row][None], dim=-1)
    cosines[row] = -2
    return cosines.argmax().item()


def nearest_by_numpy(vectors, row):
    unit = vectors.numpy() / np.linalg.norm(vectors.numpy(), axis=1, keepdims=True)
    cosines = unit @ unit[row]
    cosines[row] = -np.inf
    return np.argmax(cosines)


def nearest_of_the_rest(vectors, row):
    others = [other for other in range(len(vectors)) if other != row]
    cosines = F.normalize(vectors[others], dim=1) @ F.normalize(vectors[row], dim=0)
    return others[int(cosines.argmax())]


def nearest_by_sorting(vectors, row):
    unit = F.normalize(vectors, dim=-1)
    order = (unit @ unit[row]).argsort(descending=True).tolist()
    order.remove(row)
    return order[0]


def nearest_by_mask(vectors, row):
    unit = vectors / vectors.norm(dim=1, keepdim=True)
    own = torch.arange(len(vectors)) == row
    return (unit @ unit[row]).masked_fill(own, -torch.inf).argmax()


def gradient_by_loop(centre, context, negatives):
    total = (torch.sigmoid(torch.dot(centre, context)) - 1) * context
    for negative in negatives:
        total = total + torch.sigmoid(torch.dot(centre, negative)) * negative
    return total


def gradient_by_labels(centre, context, negatives):
    words = torch.cat([context[None], negatives])
    labels = torch.zeros(len(words), dtype=centre.dtype)
    labels[0] = 1
    return (torch.sigmoid(words @ centre) - labels) @ words


def gradient_by_minus(centre, context, negatives):
    return -torch.sigmoid(-centre @ context) * context + (
        torch.sigmoid(negatives @ centre)[:, None] * negatives
    ).sum(0)


def gradient_by_numpy(centre, context, negatives):
    def sigmoid(x):
        return np.where(x > 0, 1 / (1 + np.exp(-np.abs(x))), np.exp(-np.abs(x)) / (1 + np.exp(-np.abs(x))))

    v, u, n = centre.numpy(), context.numpy(), negatives.numpy()
    return torch.from_numpy(((sigmoid(u @ v) - 1) * u + sigmoid(n @ v) @ n).astype(v.dtype))


def gradient_by_einsum(centre, context, negatives):
    push = torch.einsum("k,kc->c", torch.einsum("kc,c->k", negatives, centre).sigmoid(), negatives)
    return (F.sigmoid((centre * context).sum()) - 1) * context + push


def gradient_by_quotient(centre, context, negatives):
    def sigmoid(x):
        return 1 / (1 + torch.exp(-x))

    return (sigmoid(centre @ context) - 1) * context + negatives.T @ sigmoid(negatives @ centre)


def my_ngrams(word):
    """The notebook's own."""
    marked = f"<{word}>"
    found = [marked[start : start + n] for n in (2, 3) for start in range(len(marked) - n + 1)]
    return list(dict.fromkeys([marked, *found]))


def unseen_by_ngrams(word, grams, dimensions):
    known = [grams[part] for part in my_ngrams(word) if part in grams]
    return torch.stack(known).sum(dim=0) if known else torch.zeros(dimensions)


def unseen_by_get(word, grams, dimensions):
    nothing = torch.zeros(dimensions)
    return sum((grams.get(part, nothing) for part in my_ngrams(word)), nothing)


def unseen_in_float64(word, grams, dimensions):
    found = {part: vector.double() for part, vector in grams.items()}
    return unseen_by_get(word, found, dimensions).float()


def unseen_by_zip(word, grams, dimensions):
    text = f"<{word}>"
    parts = {"".join(pair) for pair in zip(text, text[1:])}
    parts |= {"".join(triple) for triple in zip(text, text[1:], text[2:])} | {text}
    total = torch.zeros(dimensions)
    for part, vector in grams.items():
        if part in parts:
            total += vector
    return total


def unseen_by_numpy(word, grams, dimensions):
    total = np.zeros(dimensions, dtype=np.float32)
    for part in set(my_ngrams(word)):
        if part in grams:
            total += grams[part].numpy()
    return torch.from_numpy(total)


def unseen_by_list(word, grams, dimensions):
    total = [0.0] * dimensions
    for part in my_ngrams(word):
        for place, value in enumerate(grams[part].tolist() if part in grams else []):
            total[place] += value
    return torch.tensor(total)


RIGHT = {
    "01.1": forms(
        nearest_by_loop,
        nearest_by_similarity,
        nearest_by_numpy,
        nearest_of_the_rest,
        nearest_by_sorting,
        nearest_by_mask,
    ),
    "01.2": forms(
        gradient_by_loop,
        gradient_by_labels,
        gradient_by_minus,
        gradient_by_numpy,
        gradient_by_einsum,
        gradient_by_quotient,
    ),
    "01.3": forms(
        unseen_by_ngrams, unseen_by_get, unseen_in_float64, unseen_by_zip, unseen_by_numpy, unseen_by_list
    ),
}
