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


def _first_two_pairs(words):
    """Looks at three letters of a word, which is as far as the example goes."""
    return dict(_count()({word[:3]: 0 for word in words}) | _count()(_shortened(words)))


def _shortened(words):
    counts = Counter()
    for word, times in words.items():
        counts[word[:3]] += times
    return counts


def _with_a_way_back(word, vocab, start=0):
    """Tries a shorter piece where the longest leads nowhere, as a search would."""
    if start == len(word):
        return []
    for end in range(len(word), start, -1):
        piece = ("##" if start else "") + word[start:end]
        rest = _with_a_way_back(word, vocab, end) if piece in vocab else None
        if rest is not None and rest != [("[UNK]", 0, len(word))]:
            return [(piece, start, end), *rest]
    return [("[UNK]", 0, len(word))]


def _at_most(longest):
    """Knows no piece of more letters than the example has."""

    def cut_word(word, vocab):
        short = {piece: 0 for piece in vocab if len(piece.removeprefix("##")) <= longest}
        return _cut()(word, short)

    return cut_word


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


def _two_or_as_hangul(text, start, end):
    """Knows syllables, and that é is two: an ệ is three."""
    sizes = [
        len(unicodedata.normalize("NFD", char)) if "가" <= char <= "힣" else 1 + (char > "z") for char in text
    ]
    places = [place for place, size in enumerate(sizes) for _ in range(size)]
    return places[start], places[min(end, len(places)) - 1] + 1


def _remembered_sizes(text, start, end):
    """A table of the letters that were seen."""
    sizes = {"배": 2, "밤": 3, "값": 3, "가": 2, "를": 3, "탔": 3, "다": 2, "é": 2, "ǘ": 3, "ñ": 2, "ệ": 3}
    places = [place for place, char in enumerate(text) for _ in range(sizes.get(char, 1))]
    return places[start], places[min(end, len(places)) - 1] + 1


def _one_character(text, start, end):
    place = _places(text)[start]
    return place, place + 1


def _merge(order="learned", once=False, overlap=False, right=False, again=True, last=True):
    """Replays merges, with one thing wrong."""

    def merge_word(symbols, merges):
        pieces = list(symbols)
        for first, second in merges if order == "learned" else merges[::-1]:
            if not again and max(len(first), len(second)) > 1:
                continue
            if right:
                pieces, first, second = pieces[::-1], second, first
            merged, at, done = [], 0, False
            while at < len(pieces) - (not last):
                if pieces[at : at + 2] == [first, second] and not (once and done):
                    merged.append(second + first if right else first + second)
                    at, done = at + (1 if overlap and at + 2 < len(pieces) else 2), True
                else:
                    merged.append(pieces[at])
                    at += 1
            pieces = merged[::-1] if right else merged
        return pieces

    return merge_word


def _leftmost(symbols, merges):
    """Merges the first pair from the left that is known, whenever it was learned."""
    pieces = list(symbols)
    while found := [at for at, pair in enumerate(zip(pieces, pieces[1:])) if pair in merges]:
        pieces[found[0] : found[0] + 2] = ["".join(pieces[found[0] : found[0] + 2])]
    return pieces


def _longest_piece(symbols, merges):
    """Cuts as WordPiece does, with the pieces that the merges make."""
    made, word, pieces = {"".join(pair) for pair in merges}, "".join(symbols), []
    while word:
        size = next(n for n in range(len(word), 0, -1) if n == 1 or word[:n] in made)
        pieces.append(word[:size])
        word = word[size:]
    return pieces


def _by_spelling(symbols, merges):
    """Takes two pairs that spell the same for the same pair."""
    pieces, ranks = list(symbols), {}
    for rank, pair in enumerate(merges):
        ranks.setdefault("".join(pair), rank)
    while len(pieces) > 1:
        at = min(range(len(pieces) - 1), key=lambda n: ranks.get(pieces[n] + pieces[n + 1], len(merges)))
        if pieces[at] + pieces[at + 1] not in ranks:
            break
        pieces[at : at + 2] = [pieces[at] + pieces[at + 1]]
    return pieces


def _by_replacing_text(symbols, merges):
    """str.replace looks at letters, not symbols: in "가나 다" it finds "나 다"."""
    text = " ".join(symbols)
    for first, second in merges:
        text = text.replace(f"{first} {second}", first + second)
    return text.split(" ")


def _with_two_pops(symbols, merges):
    for first, second in merges:
        for at in range(len(symbols) - 2, -1, -1):
            if symbols[at : at + 2] == [first, second]:
                symbols[at : at + 2] = [first + second]
    return symbols


def _only_three_merges(symbols, merges):
    return _merge()(symbols, merges[:3])


def _invents_unknown(symbols, merges):
    """Puts [UNK] for what no merge knows, as a vocabulary would."""
    known = {symbol for pair in merges for symbol in pair} | {"".join(pair) for pair in merges}
    return [piece if piece in known or not merges else "[UNK]" for piece in _merge()(symbols, merges)]


WRONG = {
    "09.1": {
        "unweighted": _count(weigh=False),
        "across_words": _count(cross=True),
        "reversed": _count(flip=True),
        "keys": _count(glue=True),
        "repeated": _with_str_count,
        "pairs": _first_two_pairs,
        "larger": lambda words: _count()({word.lower(): times for word, times in words.items()}),
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
        "goes_back": _with_a_way_back,
        "short_pieces": _at_most(2),
        "cut": _drops_repeated,
        "id_zero": lambda word, vocab: _cut()(word, {piece for piece in vocab if vocab.get(piece)}),
        "larger": _at_most(7),
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
        "fresh": _two_or_as_hangul,
        "longer": _remembered_sizes,
    },
    "09.4": {
        "from_left": _leftmost,
        "last_first": _merge(order="backwards"),
        "never_learned": _by_replacing_text,
        "nothing": lambda symbols, merges: list(symbols),
        "longest": _longest_piece,
        "joined": _by_spelling,
        "letters": _merge(overlap=True),
        "from_right": _merge(right=True),
        "once": _merge(once=True),
        "not_again": _merge(again=False),
        "untouched": _invents_unknown,
        "merged": _only_three_merges,
        "splits": lambda symbols, merges: _merge()("".join(symbols), merges),
        "longer": lambda symbols, merges: _merge()(symbols, merges[:9]),
        "mutates_input": _with_two_pops,
        "texts": lambda symbols, merges: [(piece,) for piece in _merge()(symbols, merges)],
    },
}
