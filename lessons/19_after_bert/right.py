"""Right answers to the exercises of notebook 19, in forms that learners write."""

import math

import numpy as np
import torch
import torch.nn.functional as F

from tests.exercises.audit import forms


def plain_shares(p, longest):
    weights = [p * (1 - p) ** (length - 1) for length in range(1, longest + 1)]
    total = sum(weights)
    return [weight / total for weight in weights]


def tensor_of_shares(p, longest, dtype=torch.float64):
    weights = torch.pow(torch.tensor(1 - p, dtype=dtype), torch.arange(longest))
    return weights / weights.sum()


def summed_backwards(p, longest):
    """1 + (1 − p)(1 + (1 − p)(…)), in one number."""
    total = 0.0
    for _ in range(longest):
        total = 1 + (1 - p) * total
    shares = [1 / total]
    while len(shares) < longest:
        shares.append(shares[-1] * (1 - p))
    return shares


def array_of_shares(p, longest):
    weights = (1 - p) ** np.arange(longest)
    return weights / weights.sum()


def by_expm1(p, longest):
    if p == 1:
        return [1] + [0] * (longest - 1)
    whole = -math.expm1(longest * math.log1p(-p))
    return [p * (1 - p) ** place / whole for place in range(longest)]


def counted(vocabulary, positions, embedding, hidden, intermediate, layers):
    """By the shapes of all that is learned."""
    shapes = [(vocabulary, embedding), (positions, embedding), (2, embedding), (embedding, hidden), (hidden,)]
    shapes += 5 * [(hidden, hidden), (hidden,)]
    shapes += [(hidden, intermediate), (intermediate,), (intermediate, hidden), (hidden,)]
    shapes += 2 * [(embedding,)] + 4 * [(hidden,)]
    return sum(math.prod(shape) for shape in shapes)


def added_up(vocabulary, positions, embedding, hidden, intermediate, layers):
    def linear(inputs, outputs):
        return inputs * outputs + outputs

    tables = (vocabulary + positions + 2) * embedding
    squares = 5 * linear(hidden, hidden)
    wide = linear(embedding, hidden) + linear(hidden, intermediate) + linear(intermediate, hidden)
    return tables + squares + wide + 2 * embedding + 2 * 2 * hidden


def in_one_formula(V, P, E, C, I, L):  # noqa: E741
    return (V + P + 4) * E + E * C + 5 * C * C + 2 * C * I + 11 * C + I


def line_by_line(vocabulary, positions, embedding, hidden, intermediate, layers):
    n = vocabulary * embedding
    n += positions * embedding
    n += 2 * embedding
    n += embedding + embedding
    n += embedding * hidden + hidden
    for _ in ("query", "key", "value", "output", "pooler"):
        n += hidden * hidden + hidden
    n += 2 * (hidden + hidden)
    n += hidden * intermediate + intermediate
    n += intermediate * hidden + hidden
    return n


def by_table(vocabulary, positions, embedding, hidden, intermediate, layers):
    sizes = {
        "embeddings": (vocabulary + positions + 2) * embedding + 2 * embedding,
        "projection": (embedding + 1) * hidden,
        "attention": 4 * (hidden + 1) * hidden,
        "feed-forward": (hidden + 1) * intermediate + (intermediate + 1) * hidden,
        "norms": 4 * hidden,
        "pooler": (hidden + 1) * hidden,
    }
    return sum(sizes.values())


def by_arrays(*sizes):
    vocabulary, positions, embedding, hidden, intermediate, _ = map(np.int64, sizes)
    tables = np.array([vocabulary, positions, 2, 1, 1]).sum() * embedding
    linear = [(embedding, hidden), *[(hidden, hidden)] * 5, (hidden, intermediate), (intermediate, hidden)]
    return tables + sum(inputs * outputs + outputs for inputs, outputs in linear) + 4 * hidden


def by_product(input_ids, chosen, guesses, attention_mask):
    corrupted = input_ids * ~chosen + guesses * chosen
    return corrupted, torch.where(attention_mask > 0, (corrupted != input_ids).long(), -100)


def by_places(input_ids, chosen, guesses, attention_mask):
    corrupted = input_ids.clone()
    corrupted[chosen] = guesses[chosen]
    labels = torch.full_like(input_ids, -100)
    real = attention_mask.bool()
    labels[real] = corrupted[real].ne(input_ids[real]).long()
    return [corrupted, labels]


def by_loop(input_ids, chosen, guesses, attention_mask):
    corrupted, labels = input_ids.clone(), input_ids.clone()
    for row in range(len(input_ids)):
        for column in range(input_ids.shape[1]):
            original = input_ids[row, column].item()
            read = guesses[row, column].item() if chosen[row, column] else original
            corrupted[row, column] = read
            labels[row, column] = int(read != original) if attention_mask[row, column] else -100
    return corrupted, labels


def where_twice(input_ids, chosen, guesses, attention_mask):
    corrupted = torch.where(chosen, guesses, input_ids)
    labels = torch.where(corrupted == input_ids, 0, 1)
    return corrupted, torch.where(attention_mask == 1, labels, -100)


def masked_scattered(input_ids, chosen, guesses, attention_mask):
    corrupted = input_ids.masked_scatter(chosen, guesses[chosen])
    replaced = chosen & (guesses != input_ids)
    return corrupted, replaced.long().masked_fill(~attention_mask.bool(), -100)


def with_lists(input_ids, chosen, guesses, attention_mask):
    rows = list(zip(*(one.tolist() for one in (input_ids, chosen, guesses, attention_mask))))
    corrupted = [[g if c else i for i, c, g in zip(ids, at, said)] for ids, at, said, _ in rows]
    labels = [
        [int(read != i) if real else -100 for read, i, real in zip(text, row[0], row[3])]
        for text, row in zip(corrupted, rows)
    ]
    return torch.tensor(corrupted), torch.tensor(labels)


def by_kl_div(student_logits, teacher_logits, temperature, attention_mask):
    real = attention_mask.bool()
    student = F.log_softmax(student_logits[real] / temperature, dim=-1)
    teacher = F.log_softmax(teacher_logits[real].detach() / temperature, dim=-1)
    return temperature**2 * F.kl_div(student, teacher, reduction="batchmean", log_target=True)


def cross_entropy_less_entropy(student_logits, teacher_logits, temperature, attention_mask):
    real = attention_mask == 1
    student, teacher = student_logits[real] / temperature, teacher_logits[real].detach() / temperature
    right = teacher.softmax(-1)
    return temperature**2 * (F.cross_entropy(student, right) - F.cross_entropy(teacher, right))


def by_logsumexp(student_logits, teacher_logits, temperature, attention_mask):
    student, teacher = student_logits / temperature, teacher_logits.detach() / temperature
    student = student - student.logsumexp(-1, keepdim=True)
    teacher = teacher - teacher.logsumexp(-1, keepdim=True)
    each = (teacher.exp() * (teacher - student)).sum(-1)
    return temperature**2 * (each * attention_mask).sum() / attention_mask.sum()


def place_by_place(student_logits, teacher_logits, temperature, attention_mask):
    values = []
    for s, t, real in zip(
        student_logits.flatten(0, 1), teacher_logits.flatten(0, 1), attention_mask.flatten()
    ):
        if real:
            log_q, log_p = (s / temperature).log_softmax(0), (t.detach() / temperature).log_softmax(0)
            values.append((log_p.exp() * (log_p - log_q)).sum())
    return torch.stack(values).mean() * temperature**2


def by_kl_module(student_logits, teacher_logits, temperature, attention_mask):
    loss = torch.nn.KLDivLoss(reduction="none")
    with torch.no_grad():
        teacher = (teacher_logits / temperature).softmax(-1)
    each = loss((student_logits / temperature).log_softmax(-1), teacher).sum(-1)
    return temperature * temperature * each[attention_mask == 1].mean()


def by_xlogy(student_logits, teacher_logits, temperature, attention_mask):
    real = attention_mask.bool()
    p = (teacher_logits.detach()[real] / temperature).softmax(-1)
    log_q = (student_logits[real] / temperature).log_softmax(-1)
    return temperature**2 * (torch.xlogy(p, p) - p * log_q).sum() / real.sum()


def all_coins_first(documents, generator):
    neighbours = [pair for document in documents for pair in zip(document, document[1:])]
    coins = torch.rand(len(neighbours), generator=generator).tolist()
    return [(*pair[::-1], 1) if coin >= 0.5 else (*pair, 0) for pair, coin in zip(neighbours, coins)]


def by_permutation(documents, generator):
    pairs = []
    for document in documents:
        for two in zip(document, document[1:]):
            first, second = torch.randperm(2, generator=generator).tolist()
            pairs.append((two[first], two[second], int(first > second)))
    return pairs


def by_coins(documents, generator):
    """All coins of a document at once."""
    pairs = []
    for document in documents:
        coins = torch.randint(2, (max(len(document) - 1, 0),), generator=generator).tolist()
        for place, coin in enumerate(coins):
            first, second = document[place : place + 2]
            pairs.append([second, first, 1] if coin else [first, second, 0])
    return pairs


def labels_as_bools(documents, generator):
    pairs = []
    for document in documents:
        for a, b in zip(document, document[1:]):
            swapped = torch.rand(1, generator=generator).item() < 0.5
            pairs.append((b, a, swapped) if swapped else (a, b, swapped))
    return pairs


def by_bernoulli(documents, generator):
    half, pairs = torch.tensor(0.5), []
    for document in documents:
        for place in range(1, len(document)):
            label = int(torch.bernoulli(half, generator=generator))
            two = document[place - 1], document[place]
            pairs.append((two[label], two[1 - label], label))
    return pairs


def one_long_list(documents, generator):
    return [
        (a, b, 0) if torch.randint(0, 2, (1,), generator=generator).item() == 0 else (b, a, 1)
        for sentences in documents
        for a, b in zip(sentences[:-1], sentences[1:])
    ]


RIGHT = {
    "19.1": forms(plain_shares, tensor_of_shares, summed_backwards, array_of_shares, by_expm1)
    | {"float32": lambda p, longest: tensor_of_shares(p, longest, torch.float32)},
    "19.2": forms(counted, added_up, in_one_formula, line_by_line, by_table, by_arrays),
    "19.3": forms(by_places, by_product, by_loop, where_twice, masked_scattered, with_lists),
    "19.4": forms(
        by_kl_div, cross_entropy_less_entropy, by_logsumexp, place_by_place, by_kl_module, by_xlogy
    ),
    "19.5": forms(by_coins, all_coins_first, by_permutation, labels_as_bools, by_bernoulli, one_long_list)
    | {
        "tensors": lambda documents, generator: [
            (*pair[:2], torch.tensor(pair[2])) for pair in by_coins(documents, generator)
        ]
    },
}
