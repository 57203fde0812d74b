"""Right answers to the exercises of notebook 16, in forms that learners write."""

import itertools

import numpy as np
import torch

from tests.exercises.audit import forms


def with_a_set(word_ids, labels, ignore=-100):
    seen, rows = {None}, []
    for word in word_ids:
        rows.append(ignore if word in seen else labels[word])
        seen.add(word)
    return rows


def where_it_stands(word_ids, labels, ignore=-100):
    rows = [ignore] * len(word_ids)
    for word, label in enumerate(labels):
        if word in word_ids:
            rows[word_ids.index(word)] = label
    return rows


def in_groups(word_ids, labels, ignore=-100):
    rows = []
    for word, pieces in itertools.groupby(word_ids):
        if word is None:
            rows += [ignore for _ in pieces]
        else:
            rows += [labels[word]] + [ignore] * (len(list(pieces)) - 1)
    return rows


def by_place(word_ids, labels, ignore=-100):
    return [
        labels[word] if word is not None and (place == 0 or word_ids[place - 1] != word) else ignore
        for place, word in enumerate(word_ids)
    ]


def with_loops(start_logits, end_logits, allowed, most_pieces):
    best, pair = None, None
    for first in range(len(start_logits)):
        for last in range(first, min(first + most_pieces, len(start_logits))):
            score = start_logits[first] + end_logits[last]
            if allowed[first] and allowed[last] and (best is None or score > best):
                best, pair = score, (first, last)
    return pair


def sorted_pairs(start_logits, end_logits, allowed, most_pieces):
    start, end = start_logits.tolist(), end_logits.tolist()
    places = [place for place, fits in enumerate(allowed) if fits]
    pairs = [(i, j) for i in places for j in places if 0 <= j - i < most_pieces]
    return sorted(pairs, key=lambda pair: (-(start[pair[0]] + end[pair[1]]), *pair))[0]


def banded(start_logits, end_logits, allowed, most_pieces):
    size = len(start_logits)
    band = torch.ones(size, size).triu().tril(most_pieces - 1).bool()
    return torch.where(band & allowed[:, None] & allowed, start_logits[:, None] + end_logits, float("-inf"))


def by_window(start_logits, end_logits, allowed, most_pieces):
    """The best end of each beginning, then the best beginning."""
    ends = end_logits.masked_fill(~allowed, -torch.inf)
    tops = [ends[first : first + most_pieces].max(dim=0) for first in range(len(ends))]
    sums = start_logits.masked_fill(~allowed, -torch.inf) + torch.stack([top.values for top in tops])
    first = sums.argmax()
    return first, first + tops[first].indices


def in_numpy(start_logits, end_logits, allowed, most_pieces):
    start, end, allowed = start_logits.numpy(), end_logits.numpy(), allowed.numpy()
    i, j = np.indices((len(start), len(start)))
    legal = (i <= j) & (j - i + 1 <= most_pieces) & allowed[i] & allowed[j]
    scores = np.where(legal, start[i] + end[j], -np.inf)
    return np.unravel_index(scores.argmax(), scores.shape)


def downwards(num_layers, peak_rate, layer_decay, frozen):
    rates = [peak_rate, peak_rate]
    for _ in range(num_layers):
        rates.append(rates[-1] * layer_decay)
    rates.reverse()
    for place in range(frozen + 1 if frozen > 0 else 0):
        rates[place] = 0
    return tuple(rates)


def as_tensor(dtype):
    def layer_rates(num_layers, peak_rate, layer_decay, frozen):
        steps = torch.arange(num_layers, -1, -1)
        rates = peak_rate * torch.tensor(layer_decay, dtype=dtype) ** steps
        learns = (torch.arange(num_layers + 1) > frozen) | (frozen == 0)
        return torch.cat([rates * learns, torch.tensor([peak_rate], dtype=dtype)])

    return layer_rates


def rates_in_numpy(num_layers, peak_rate, layer_decay, frozen):
    rates = peak_rate * layer_decay ** np.arange(num_layers, -1.0, -1)
    if frozen:
        rates[: frozen + 1] = 0
    return np.append(rates, peak_rate)


def layer_by_layer(num_layers, peak_rate, layer_decay, frozen):
    rates = []
    for layer in range(num_layers + 1):
        if frozen >= 1 and layer <= frozen:
            rates.append(0)
        else:
            rates.append(peak_rate * layer_decay ** (num_layers - layer))
    rates.append(peak_rate)
    return rates


def by_insert(num_layers, peak_rate, layer_decay, frozen):
    rates, rate = [peak_rate], peak_rate
    for layer in reversed(range(num_layers + 1)):
        rates.insert(0, rate if not frozen or layer > frozen else 0.0)
        rate *= layer_decay
    return rates


def spans_of(tags):
    """Closes a name when something else comes."""
    names, kind, first = set(), None, 0
    for place, tag in enumerate([*tags, "O"]):
        if kind and tag != f"I-{kind}":
            names.add((kind, first, place))
            kind = None
        if tag != "O" and kind is None:
            kind, first = tag[2:], place
    return names


def by_begins(tags):
    """As seqeval: where a name begins, by the tag and the one before it; then how far it goes."""
    begins = [
        tag != "O" and (tag[0] == "B" or before == "O" or before[2:] != tag[2:])
        for before, tag in zip(["O", *tags], tags)
    ]
    names = []
    for place, begin in enumerate(begins):
        if begin:
            end = place + 1
            while end < len(tags) and tags[end] != "O" and not begins[end]:
                end += 1
            names.append((tags[place][2:], place, end - 1))
    return names


def by_pair_of_ratios(read):
    def entity_f1(predicted, references):
        pairs = [(set(read(tags)), set(read(right))) for tags, right in zip(predicted, references)]
        right = sum(len(one & other) for one, other in pairs)
        found, there = sum(len(one) for one, _ in pairs), sum(len(other) for _, other in pairs)
        precision, recall = right / found if found else 0, right / there if there else 0
        return 2 * precision * recall / (precision + recall) if right else 0

    return entity_f1


def with_numbers_of_sentences(number):
    """One set for all, the number of the sentence in each name."""

    def entity_f1(predicted, references):
        found, there = (
            {(row, *name) for row, tags in enumerate(rows) for name in by_begins(tags)}
            for rows in (predicted, references)
        )
        return number(2 * len(found & there) / max(len(found) + len(there), 1))

    return entity_f1


RIGHT = {
    "16.1": forms(with_a_set, where_it_stands, in_groups)
    | {
        "places, a tuple": lambda *given: tuple(by_place(*given)),
        "a tensor": lambda *given: torch.tensor(by_place(*given)),
        "an array": lambda *given: np.array(by_place(*given)),
        "numpy's integers": lambda *given: [np.int64(label) for label in by_place(*given)],
        "tensors of no axis": lambda *given: [torch.tensor(label) for label in by_place(*given)],
    },
    "16.2": forms(with_loops, sorted_pairs, by_window, in_numpy)
    | {
        "band": lambda *given: divmod(int(banded(*given).argmax()), len(given[0])),
        "unravelled, tensors": lambda *given: torch.unravel_index(
            banded(*given).argmax(), (len(given[0]),) * 2
        ),
        "one tensor": lambda *given: torch.tensor(with_loops(*given)),
    },
    "16.3": forms(downwards, rates_in_numpy, layer_by_layer, by_insert)
    | {"a tensor": as_tensor(torch.float64), "float32": as_tensor(torch.float32)},
    "16.4": {
        "closing": by_pair_of_ratios(spans_of),
        "as seqeval": by_pair_of_ratios(by_begins),
        "numbers of sentences": with_numbers_of_sentences(float),
        "a tensor": with_numbers_of_sentences(torch.tensor),
        "float32": with_numbers_of_sentences(np.float32),
        "an array": with_numbers_of_sentences(np.array),
    },
}
