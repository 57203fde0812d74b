"""Wrong answers to the exercises of notebook 09, each under the reason for which it must fail."""

import unicodedata
from collections import Counter


def _count(weigh=True, cross=False, flip=False, glue=False):
    def count_pairs(words):
        counts = Counter()
        if cross:
            text = "".join(word * times for word, times in words.items())
            return dict(Counter(zip(text, text[1:])))
        for word, times in words.items():
            for pair in zip(word, word[1:]):
                pair = pair[::-1] if flip else pair
                counts["".join(pair) if glue else pair] += times if weigh else 1
        return dict(counts)

    return count_pairs


def _with_str_count(words):
    """str.count leaves out what overlaps: 하하하 has 하하 once."""
    counts = Counter()
    for word, times in words.items():
        for pair in set(zip(word, word[1:])):
            counts[pair] += times * word.count("".join(pair))
    return dict(counts)


def _cut(order="longest", hashes=True, on_failure="unknown", spans="right"):
    def cut_word(word, vocab):
        pieces, start, at = [], 0, 0
        while start < len(word):
            prefix = "##" if start and hashes else ""
            ends = range(len(word), start, -1) if order == "longest" else range(start + 1, len(word) + 1)
            end = next((end for end in ends if prefix + word[start:end] in vocab), None)
            if end is None:
                if on_failure == "unknown":
                    return [("[UNK]", 0, len(word))]
                if on_failure == "empty":
                    return []
                if on_failure == "stop":
                    return pieces
                if on_failure == "one_character":
                    return [("[UNK]", 0, 1)]
                end = start + 1
                pieces.append(("[UNK]", start, end))
            else:
                piece = prefix + word[start:end]
                span = {
                    "right": (start, end),
                    "hashes": (at, at + len(piece)),
                    "inclusive": (start, end - 1),
                }[spans]
                pieces.append((piece, *span))
                at += len(piece)
            start = end
        return pieces

    return cut_word


def _from_right(word, vocab):
    """Takes the longest piece at the end first, as backward segmentation of Chinese does."""
    pieces, end = [], len(word)
    while end:
        start = next((s for s in range(end) if ("##" if s else "") + word[s:end] in vocab), None)
        if start is None:
            return [("[UNK]", 0, len(word))]
        pieces.insert(0, (("##" if start else "") + word[start:end], start, end))
        end = start
    return pieces


def _drops_repeated(word, vocab):
    """Keeps each piece once, as a set would."""
    pieces = _cut()(word, vocab)
    seen = set()
    return [
        p for p in pieces if p[0].removeprefix("##") not in seen and not seen.add(p[0].removeprefix("##"))
    ]


def _places(text):
    return [place for place, char in enumerate(text) for _ in unicodedata.normalize("NFD", char)]


def _minds_the_gap(text, start, end):
    """Looks at the next character; where there is none, it looks at the last one again."""
    places = _places(text)
    return places[start], places[end - 1] + 1 if end < len(places) else len(text) - 1


def _by_composing(text, start, end):
    """Composes what stands before, and what the piece covers: right only at the borders of syllables."""
    decomposed = unicodedata.normalize("NFD", text)
    first = len(unicodedata.normalize("NFC", decomposed[:start]))
    return first, first + len(unicodedata.normalize("NFC", decomposed[start:end]))


def _hangul_only(text, start, end):
    """Knows the Jamo of syllables, and takes é for one character."""
    sizes = [len(unicodedata.normalize("NFD", char)) if "가" <= char <= "힣" else 1 for char in text]
    places = [place for place, size in enumerate(sizes) for _ in range(size)]
    return places[start], places[min(end, len(places)) - 1] + 1


def _three_or_two(text, start, end):
    """Takes every character for a syllable: two Jamo, three with a final consonant."""
    sizes = [3 if (ord(char) - 0xAC00) % 28 else 2 for char in text]
    places = [place for place, size in enumerate(sizes) for _ in range(size)]
    return places[start], places[min(end, len(places)) - 1] + 1


def _one_character(text, start, end):
    place = _places(text)[start]
    return place, place + 1


WRONG = {
    "09.1": {
        "unweighted": _count(weigh=False),
        "across_words": _count(cross=True),
        "reversed": _count(flip=True),
        "keys": _count(glue=True),
        "repeated": _with_str_count,
        "pairs": lambda words: {pair: times for pair, times in _count()(words).items() if pair[0] != "과"},
    },
    "09.2": {
        "shortest": _cut(order="shortest"),
        "no_hashes": _cut(hashes=False),
        "spans_count_hashes": _cut(spans="hashes"),
        "spans": _cut(spans="inclusive"),
        "partial": _cut(on_failure="go_on"),
        "unknown_is_empty": _cut(on_failure="empty"),
        "unknown": _cut(on_failure="one_character"),
        "not_from_left": _from_right,
        "cut": _drops_repeated,
        "triples": lambda word, vocab: [piece for piece, _, _ in _cut()(word, vocab)],
    },
    "09.3": {
        "same_numbers": lambda text, start, end: (start, end),
        "end_inclusive": lambda text, start, end: (_places(text)[start], _places(text)[end - 1]),
        "two_jamo_each": lambda text, start, end: (start // 2, (end + 1) // 2),
        "part_of_syllable": _by_composing,
        "not_decomposed": _three_or_two,
        "several": _one_character,
        "last": _minds_the_gap,
        "latin": _hangul_only,
    },
}
