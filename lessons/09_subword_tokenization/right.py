"""Right answers to the exercises of notebook 09, in forms that learners write."""

import bisect
import re
import unicodedata
from collections import Counter, defaultdict
from itertools import accumulate, pairwise

import numpy as np

from tests.exercises.audit import forms


def by_index(words):
    counts = {}
    for word in words:
        for i in range(len(word) - 1):
            pair = (word[i], word[i + 1])
            counts[pair] = counts.get(pair, 0) + words[word]
    return counts


def by_defaultdict(words):
    counts = defaultdict(int)
    for word, times in words.items():
        for first, second in pairwise(word):
            counts[first, second] += times
    return counts


def by_counters(words):
    counts = Counter()
    for word, times in words.items():
        counts.update({pair: times * n for pair, n in Counter(zip(word, word[1:])).items()})
    return counts


def in_numpy(words):
    counts = by_counters(words)
    return dict(zip(counts, np.array(list(counts.values()))))


def my_longest_match(word, vocab):
    """The notebook's own, with places."""
    pieces, start = [], 0
    while start < len(word):
        prefix = "##" if start else ""
        fits = [end for end in range(len(word), start, -1) if prefix + word[start:end] in vocab]
        if not fits:
            return [("[UNK]", 0, len(word))]
        pieces.append((prefix + word[start : fits[0]], start, fits[0]))
        start = fits[0]
    return pieces


def by_recursion(word, vocab, start=0):
    if start == len(word):
        return []
    for end in range(len(word), start, -1):
        piece = "##" * (start > 0) + word[start:end]
        if piece in vocab:
            rest = by_recursion(word, vocab, end)
            return (
                [("[UNK]", 0, len(word))]
                if rest[:1] == [("[UNK]", 0, len(word))]
                else [(piece, start, end), *rest]
            )
    return [("[UNK]", 0, len(word))]


def places_by_numpy(text, start, end):
    sizes = [len(unicodedata.normalize("NFD", char)) for char in text]
    places = np.repeat(np.arange(len(text)), sizes)
    return places[start], places[end - 1] + 1


def by_borders(text, start, end):
    borders = list(accumulate(len(unicodedata.normalize("NFD", char)) for char in text))
    return np.array([bisect.bisect_right(borders, start), bisect.bisect_right(borders, end - 1) + 1])


def by_searchsorted(text, start, end):
    borders = np.cumsum([len(unicodedata.normalize("NFD", char)) for char in text])
    first, last = np.searchsorted(borders, [start, end - 1], side="right")
    return first, last + 1


def by_prefixes(text, start, end):
    """How many typed letters it takes for so many decomposed ones."""
    lengths = [len(unicodedata.normalize("NFD", text[:n])) for n in range(len(text) + 1)]
    first = max(n for n, length in enumerate(lengths) if length <= start)
    return first, min(n for n, length in enumerate(lengths) if length >= end)


def by_list(text, start, end):
    places = []
    for place in range(len(text)):
        places += [place] * len(unicodedata.normalize("NFD", text[place]))
    return [places[start], places[end - 1] + 1]


def by_walking(text, start, end):
    at, first, last = 0, None, None
    for place, char in enumerate(text):
        at += len(unicodedata.normalize("NFD", char))
        if first is None and at > start:
            first = place
        if last is None and at >= end:
            last = place + 1
    return first, last


def my_merge(symbols, pair, new):
    """The notebook's own."""
    merged, place = [], 0
    while place < len(symbols):
        together = tuple(symbols[place : place + 2]) == pair
        merged.append(new if together else symbols[place])
        place += 2 if together else 1
    return tuple(merged)


def by_my_merge(symbols, merges):
    for pair in merges:
        symbols = my_merge(symbols, pair, "".join(pair))
    return symbols


def as_sennrich(symbols, merges):
    word = " ".join(symbols)
    for pair in merges:
        pattern = re.compile(r"(?<!\S)" + re.escape(" ".join(pair)) + r"(?!\S)")
        word = pattern.sub(lambda found, pair=pair: "".join(pair), word)
    return word.split(" ")


def as_gpt2(symbols, merges):
    word, ranks = tuple(symbols), {pair: rank for rank, pair in enumerate(merges)}
    while len(word) > 1:
        pair = min(pairwise(word), key=lambda pair: ranks.get(pair, float("inf")))
        if pair not in ranks:
            break
        word = my_merge(word, pair, pair[0] + pair[1])
    return list(word)


def as_tiktoken(symbols, merges):
    parts, ranks = list(symbols), {pair: rank for rank, pair in enumerate(merges)}
    while True:
        known = [(ranks[pair], n) for n, pair in enumerate(pairwise(parts)) if pair in ranks]
        if not known:
            return parts
        _, n = min(known)
        parts[n : n + 2] = [parts[n] + parts[n + 1]]


def by_deleting(symbols, merges):
    pieces = symbols.copy()
    for first, second in merges:
        i = 0
        while i < len(pieces) - 1:
            if pieces[i] == first and pieces[i + 1] == second:
                pieces[i] = first + second
                del pieces[i + 1]
            i += 1
    return pieces


def by_stack(symbols, merges):
    for first, second in merges:
        stack, free = [], False
        for symbol in symbols:
            if free and stack[-1] == first and symbol == second:
                stack[-1], free = first + second, False
            else:
                stack.append(symbol)
                free = True
        symbols = stack
    return list(symbols)


RIGHT = {
    "09.1": forms(by_index, by_defaultdict, by_counters, in_numpy)
    | {
        "the notebook's": lambda words: sum(
            (
                Counter({pair: 0}) + Counter({pair: times})
                for word, times in words.items()
                for pair in zip(word, word[1:])
            ),
            Counter(),
        ),
        "slices": lambda words: by_index({word: times for word, times in words.items() if len(word) > 1}),
    },
    "09.2": forms(my_longest_match, by_recursion)
    | {
        "lists for tuples": lambda word, vocab: list(map(list, my_longest_match(word, vocab))),
        "a tuple": lambda word, vocab: tuple(my_longest_match(word, vocab)),
        "a set of pieces": lambda word, vocab: my_longest_match(word, set(vocab)),
        "numpy's integers": lambda word, vocab: [
            (p, np.int64(s), np.int64(e)) for p, s, e in my_longest_match(word, vocab)
        ],
    },
    "09.3": forms(by_list, places_by_numpy, by_borders, by_searchsorted, by_prefixes, by_walking),
    "09.4": forms(by_my_merge, as_sennrich, as_gpt2, as_tiktoken, by_deleting, by_stack),
}
