"""Right answers to the exercises of notebook 11, in forms that learners write."""

import numpy as np
import torch
import torch.nn.functional as F

from tests.exercises.audit import forms


def pool_by_loop(hidden_states, weight, bias):
    rows = []
    for sentence in hidden_states:
        cls = sentence[0]
        rows.append(torch.stack([torch.tanh(torch.dot(row, cls) + b) for row, b in zip(weight, bias)]))
    return torch.stack(rows)


def pool_by_module(hidden_states, weight, bias):
    """nn.Linear, called with the given tensors as its parameters."""
    linear = torch.nn.Linear(weight.shape[1], weight.shape[0])
    given = {"weight": weight, "bias": bias}
    return torch.tanh(torch.func.functional_call(linear, given, (hidden_states[:, 0, :],)))


def word_vectors(hidden_states, word_index):
    return torch.stack([states[place + 1] for states, place in zip(hidden_states, word_index.tolist())])


def separation_by_loop(hidden_states, word_index, senses):
    within, across = [], []
    for i in range(len(senses)):
        for j in range(len(senses)):
            if i == j:
                continue
            one, other = hidden_states[i, word_index[i] + 1], hidden_states[j, word_index[j] + 1]
            pairs = within if senses[i] == senses[j] else across
            pairs.append(F.cosine_similarity(one, other, dim=0))
    return torch.stack(within).mean() - torch.stack(across).mean()


def separation_by_triangle(hidden_states, word_index, senses):
    vectors = word_vectors(hidden_states, word_index)
    table = F.cosine_similarity(vectors[:, None], vectors[None], dim=-1)
    first, second = torch.triu_indices(len(senses), len(senses), offset=1)
    same = senses[first] == senses[second]
    return table[first, second][same].mean() - table[first, second][~same].mean()


def separation_by_gather(hidden_states, word_index, senses):
    places = (word_index + 1)[:, None, None].expand(-1, 1, hidden_states.shape[-1])
    vectors = hidden_states.gather(1, places)[:, 0]
    vectors = vectors / vectors.norm(dim=-1, keepdim=True)
    table = vectors @ vectors.T
    same = senses.unsqueeze(0) == senses.unsqueeze(1)
    counted = same.clone().fill_diagonal_(False)
    return (table * counted).sum() / counted.sum() - (table * ~same).sum() / (~same).sum()


def separation_less_the_ones(hidden_states, word_index, senses):
    vectors = F.normalize(word_vectors(hidden_states, word_index).double(), dim=-1)
    table, same = vectors @ vectors.T, senses[:, None] == senses
    count = len(senses)
    return (table[same].sum() - count) / (same.sum() - count) - table[~same].mean()


def separation_by_numpy(hidden_states, word_index, senses):
    vectors = hidden_states.double().numpy()[np.arange(len(senses)), word_index.numpy() + 1]
    vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    table, senses = vectors @ vectors.T, senses.numpy()
    same = senses[:, None] == senses
    return torch.tensor(table[same & ~np.eye(len(senses), dtype=bool)].mean() - table[~same].mean())


def separation_by_lists(hidden_states, word_index, senses):
    vectors = F.normalize(word_vectors(hidden_states, word_index), dim=-1)
    table = (vectors @ vectors.T).tolist()
    known = senses.tolist()
    pairs = [(i, j) for i in range(len(known)) for j in range(i)]
    within = [table[i][j] for i, j in pairs if known[i] == known[j]]
    across = [table[i][j] for i, j in pairs if known[i] != known[j]]
    return sum(within) / len(within) - sum(across) / len(across)


def departure_asking_for_nan(ours, theirs, atol):
    for stage in range(len(ours)):
        difference = torch.abs(ours[stage] - theirs[stage])
        if difference.isnan().any() or difference.max() > atol:
            return stage
    return -1


def departure_by_all(ours, theirs, atol):
    for stage, (mine, other) in enumerate(zip(ours, theirs)):
        if not ((mine - other).abs() <= atol).all():
            return stage
    return -1


def departure_from_behind(ours, theirs, atol):
    found = -1
    for stage in reversed(range(len(ours))):
        if not (ours[stage] - theirs[stage]).abs().max().item() <= atol:
            found = stage
    return found


def departure_by_allclose(ours, theirs, atol):
    close = [torch.allclose(mine, other, rtol=0.0, atol=atol) for mine, other in zip(ours, theirs)]
    return close.index(False) if False in close else -1


def departure_by_numpy(ours, theirs, atol):
    sizes = np.array([np.abs(mine.numpy() - other.numpy()).max() for mine, other in zip(ours, theirs)])
    places = np.flatnonzero(~(sizes <= atol))
    return places[0] if len(places) else -1


RIGHT = {
    "11.1": forms(pool_by_loop, pool_by_module)
    | {
        "F.linear": lambda hidden, weight, bias: F.linear(hidden[:, 0], weight, bias).tanh(),
        "einsum": lambda hidden, weight, bias: torch.tanh(
            torch.einsum("bc,oc->bo", hidden[:, 0], weight) + bias
        ),
        "sigmoid": lambda hidden, weight, bias: 2 * torch.sigmoid(2 * (hidden[:, 0] @ weight.mT + bias)) - 1,
        "addmm": lambda hidden, weight, bias: torch.addmm(bias, hidden.select(1, 0), weight.t()).tanh(),
    },
    "11.2": forms(
        separation_by_loop,
        separation_by_triangle,
        separation_by_gather,
        separation_less_the_ones,
        separation_by_numpy,
        separation_by_lists,
    ),
    "11.3": forms(
        departure_asking_for_nan,
        departure_by_all,
        departure_from_behind,
        departure_by_allclose,
        departure_by_numpy,
    )
    | {
        "next": lambda ours, theirs, atol: next(
            (k for k, (a, b) in enumerate(zip(ours, theirs)) if not (a - b).abs().max() <= atol), -1
        )
    },
}
