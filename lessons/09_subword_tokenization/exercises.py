"""Exercises of notebook 09: subword tokenization."""

from __future__ import annotations

import random
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Any

from course_utils.exercises.changes import changes_of
from course_utils.exercises.core import Exercise, Found, Several
from course_utils.tokenization.bpe import apply_merges

STRANGE = "가나Aa#é\u1107\u1162🚢"  # letters that lower-casing, NFC or "Hangul only" would change


def drawn(letters: str, longest: int) -> str:
    return "".join(random.choices(letters, k=random.randint(1, longest)))


# ---- 09.1
def count_pairs(words: Mapping[str, int]) -> dict[tuple[str, str], int]:
    counts: Counter[tuple[str, str]] = Counter()
    for word, times in words.items():
        for pair in zip(word, word[1:]):
            counts[pair] += times
    return dict(counts)


def across_words(words):
    text = "".join(word * times for word, times in words.items())
    return dict(Counter(zip(text, text[1:])))


def with_str_count(words):
    """str.count leaves out what overlaps: 하하하 has 하하 once."""
    counts = Counter()
    for word, times in words.items():
        for pair in set(zip(word, word[1:])):
            counts[pair] += times * word.count("".join(pair))
    return dict(counts)


def with_zeros(words):
    letters = dict.fromkeys("".join(words))
    return {(one, other): count_pairs(words).get((one, other), 0) for one in letters for other in letters}


def as_text(counts: Any) -> str:
    if not isinstance(counts, Mapping):
        return str(counts)
    return ", ".join(f"{'+'.join(map(str, pair))}: {times}" for pair, times in counts.items())


def crossing_pairs(found: Found) -> list[tuple[str, str]]:
    """Pairs of the last letter of a word and the first of one, that stand side by side in no word."""
    (words,) = found.given
    ends, starts = {word[-1] for word in words}, {word[0] for word in words}
    new = [pair for pair in found.yours if pair not in found.right and found.yours[pair] > 0]
    return [pair for pair in new if pair[0] in ends and pair[1] in starts and pair[::-1] not in found.right]


COUNT_PAIRS = Exercise(
    "09.1",
    level="warm-up",
    reference=count_pairs,
    show=as_text,
    cases={
        "by_hand": lambda: ({"배를": 3, "배가": 2, "나를": 2, "두배가": 1},),
        "repeated": lambda: ({"하하하": 2, "하마": 1},),
        "pairs": lambda: [
            *(({word: times},) for word, times in [("배", 5), ("갈매기들이", 2)]),
            ({"사과와": 1, "과와": 3},),
            *(({drawn("가나다", 9): random.randint(1, 9) for _ in range(5)},) for _ in range(5)),
        ],
        "larger": lambda: ({drawn(STRANGE, 30): random.randint(1, 10_000) for _ in range(31)},),
    },
    mistakes=changes_of(
        count_pairs,
        {
            "unweighted": {"+= times": "+= 1"},
            "across_words": across_words,
            "overwritten": {"+= times": "= times"},
            "reversed": {"counts[pair]": "counts[pair[::-1]]"},
            "keys": {"counts[pair]": 'counts["".join(pair)]'},
            "zeros": with_zeros,
            "repeated": with_str_count,
            "pairs": {"word[1:]": "word[1:3]"},
            "larger": {"(word, word[1:])": "(word.lower(), word.lower()[1:])"},
        },
    ),
    signs={
        "keys": lambda found: any(isinstance(pair, str) for pair in found.yours),
        "zeros": lambda found: 0 in found.yours.values(),
        "across_words": lambda found: found.case == "by_hand" and bool(crossing_pairs(found)),
    },
    facts={
        "keys": lambda found: {"actual": repr(next(iter(found.yours)))},
        "zeros": lambda found: {"pair": next(pair for pair, times in found.yours.items() if times == 0)},
        "across_words": lambda found: dict(zip(("first", "second"), crossing_pairs(found)[0])),
    },
)


# ---- 09.2
def cut_word(word: str, vocab: Mapping[str, int]) -> list[tuple[str, int, int]]:
    pieces, start = [], 0
    while start < len(word):
        prefix = "##" if start else ""
        for end in range(len(word), start, -1):
            if prefix + word[start:end] in vocab:
                break
        else:
            return [("[UNK]", 0, len(word))]
        pieces.append((prefix + word[start:end], start, end))
        start = end
    return pieces


UNKNOWN = '[("[UNK]", 0, len(word))]'


def spans_of_pieces(word, vocab):
    """Places counted along the pieces, ## and all."""
    pieces, at = [], 0
    for piece, start, end in cut_word(word, vocab):
        pieces.append((piece, at, at + len(piece)) if piece != "[UNK]" else (piece, start, end))
        at += len(piece)
    return pieces


def without(piece):
    """Does not know this piece: what looks from the right, or goes back, comes to the same where it is in the way."""
    return lambda word, vocab: cut_word(word, set(vocab) - {piece})


def at_most(longest):
    """Knows no piece of more letters than that."""
    return lambda word, vocab: cut_word(
        word, {piece: 0 for piece in vocab if len(piece.removeprefix("##")) <= longest}
    )


def numbered(*pieces: str) -> dict[str, int]:
    return {piece: number for number, piece in enumerate(dict.fromkeys(("[UNK]", *pieces)))}


SMALL = numbered("배", "##에", "##서", "##에서", "에서", "나무", "##나무", "##를")
TANGLED = numbered("배", "배나", "##무", "##나무", "##나무를", "##를")
NO_WAY_BACK = numbered("배", "배에", "##에서")
LONG = numbered("과", "##수", "##원", "과수", "##원에서", "##에서", "과수원에서")


def word_and_vocab() -> tuple[str, dict[str, int]]:
    """Pieces of up to seven letters, and a word made of three of them, so that most words fit and some do not."""
    pieces = [
        *"가나다",
        "##나",
        "##다",
        *(prefix + drawn("가나다", 7) for prefix in ("", "##") for _ in range(9)),
    ]
    return "".join(piece.removeprefix("##") for piece in random.sample(pieces, 3)), numbered(*pieces)


def larger_word() -> tuple[str, dict[str, int]]:
    pieces = [prefix + drawn(STRANGE, 19) for prefix in ("", "##") for _ in range(9)]
    vocab = numbered(*pieces, *STRANGE, *(f"##{letter}" for letter in STRANGE))
    return "".join(piece.removeprefix("##") for piece in random.sample(pieces, 7)), vocab


def names(pieces: Sequence[Any]) -> str:
    return ", ".join(str(piece[0]) for piece in pieces)


def named(found: Found) -> dict[str, str]:
    return {"expected": names(found.right), "actual": names(found.yours)}


def spans(found: Found) -> dict[str, Any]:
    return {"expected": [piece[1:] for piece in found.right], "actual": [tuple(p[1:]) for p in found.yours]}


def no_triple(found: Found) -> Any:
    return next((item for item in found.yours if not isinstance(item, tuple | list) or len(item) != 3), None)


def first_other(found: Found) -> dict[str, Any]:
    pair = next((right, yours) for right, yours in zip_longest(found.right, found.yours) if right != yours)
    return dict(zip(("expected", "actual"), pair))


CUT_WORD = Exercise(
    "09.2",
    level="core",
    reference=cut_word,
    cases={
        "by_hand": lambda: ("배에서", SMALL),
        "unknown": lambda: ("배꽃를", SMALL),
        "not_from_left": lambda: ("배나무를", TANGLED),
        "goes_back": lambda: ("배에서", NO_WAY_BACK),
        "short_pieces": lambda: ("과수원에서", LONG),
        "cut": lambda: [
            *((word, SMALL) for word in ("나무나무를", "에서", "를", "나무서에서")),
            *(word_and_vocab() for _ in range(97)),
        ],
        "id_zero": lambda: ("배를", {"배": 0, "##를": 1, "[UNK]": 2}),
        "larger": lambda: [larger_word() for _ in range(23)],
    },
    mistakes=changes_of(
        cut_word,
        {
            "shortest": {"range(len(word), start, -1)": "range(start + 1, len(word) + 1)"},
            "no_hashes": {'"##" if start else ""': '""'},
            "spans_count_hashes": spans_of_pieces,
            "spans": {"end))": "end - 1))"},
            "triples": lambda word, vocab: [piece for piece, _, _ in cut_word(word, vocab)],
            "partial": {UNKNOWN: "pieces"},
            "unknown_is_empty": {UNKNOWN: "[]"},
            "unknown": {UNKNOWN: '[("[UNK]", 0, 1)]'},
            "not_from_left": without("배나"),
            "goes_back": without("배에"),
            "short_pieces": at_most(2),
            "cut": {"return pieces": "return pieces[:3]"},
            "id_zero": lambda word, vocab: cut_word(word, {piece for piece in vocab if vocab[piece]}),
            "larger": at_most(7),
        },
    ),
    signs={
        "triples": lambda found: no_triple(found) is not None,
        "unknown": lambda found: found.case == "unknown",
        "spans": lambda found: found.case == "by_hand" and names(found.right) == names(found.yours),
        "larger": lambda found: found.case == "larger",
        "short_pieces": lambda found: found.case == "short_pieces" and len(found.yours) > 1,
        "cut": lambda found: found.case in ("by_hand", "not_from_left", "goes_back", "short_pieces", "cut"),
    },
    facts={
        **dict.fromkeys(
            ("shortest", "no_hashes", "partial", "not_from_left", "goes_back", "short_pieces"), named
        ),
        **dict.fromkeys(("spans_count_hashes", "spans"), spans),
        "no_hashes": lambda found: {"expected": found.right[-1][0], "actual": found.yours[-1][0]},
        "unknown": lambda found: {"expected": found.right[0], "actual": found.yours},
        "triples": lambda found: {"actual": repr(no_triple(found))},
        "larger": first_other,
    },
    forbids=("course_utils.tokenization", "tokenize", "encode"),
)


# ---- 09.3
def typed_span(text: str, start: int, end: int) -> tuple[int, int]:
    places = [place for place, char in enumerate(text) for _ in unicodedata.normalize("NFD", char)]
    return places[start], places[end - 1] + 1


def of_sizes(size):
    """Another idea of how many letters a character decomposes into."""

    def wrong(text, start, end):
        places = [place for place, char in enumerate(text) for _ in range(size(char))]
        return places[start], places[min(end, len(places)) - 1] + 1

    return wrong


def place_of_end(text, end):
    """Where the character after the piece comes from."""
    return typed_span(text + " ", end, end + 1)[0]


def is_hangul(char):
    return "가" <= char <= "힣"


def nfd(char):
    return len(unicodedata.normalize("NFD", char))


def by_composing(text, start, end):
    """Composes what stands before, and what the piece covers: right only at the borders of syllables."""
    decomposed = unicodedata.normalize("NFD", text)
    first = len(unicodedata.normalize("NFC", decomposed[:start]))
    return first, first + len(unicodedata.normalize("NFC", decomposed[start:end]))


REMEMBERED = {"배": 2, "밤": 3, "값": 3, "가": 2, "를": 3, "탔": 3, "다": 2, "é": 2, "ǘ": 3, "ñ": 2, "ệ": 3}


def pieces_of(letters: str, longest: int, number: int) -> list[tuple[str, int, int]]:
    """Pieces of drawn texts, of any length from 1."""
    drawn_pieces = []
    for _ in range(number):
        text = drawn(letters, longest)
        start, end = sorted(random.sample(range(len(unicodedata.normalize("NFD", text)) + 1), 2))
        drawn_pieces.append((text, start, end))
    return drawn_pieces


TYPED_SPAN = Exercise(
    "09.3",
    level="stretch",
    reference=typed_span,
    cases={
        "by_hand": lambda: ("배를 탔다", 2, 5),  # ᄇ ᅢ ᄅ ᅳ ᆯ …: the second syllable is at [2, 5)
        "two_jamo_each": lambda: ("밤배가", 3, 5),
        "part_of_syllable": lambda: ("밤배", 1, 2),
        "not_decomposed": lambda: ("A배 탔다", 4, 7),
        "several": lambda: ("배를 탔다", 3, 7),
        "last": lambda: ("배", 0, 2),
        "latin": lambda: ("café 배", 4, 5),
        "several more": lambda: ("배를", 2, 5),
        "fresh": lambda: pieces_of("배밤값가 aéǘñệ", 7, 53),
        "longer": lambda: pieces_of("힣각닭읽쐐 ÄİøßﬁốǞZ", 31, 53),
    },
    mistakes={
        "same_numbers": lambda text, start, end: (start, end),
        "end_inclusive": lambda text, start, end: (
            typed_span(text, start, end)[0],
            typed_span(text, start, end)[1] - 1,
        ),
        "place_of_end": Several(
            lambda text, start, end: (typed_span(text, start, end)[0], place_of_end(text, end)),
            lambda text, start, end: (typed_span(text, start, end)[0], place_of_end(text, end) + 1),
        ),
        "two_jamo_each": lambda text, start, end: (start // 2, (end + 1) // 2),
        "part_of_syllable": by_composing,
        "not_decomposed": of_sizes(lambda char: 3 if (ord(char) - 0xAC00) % 28 else 2),
        "several": lambda text, start, end: typed_span(text, start, start + 1),
        "last": lambda text, start, end: (
            typed_span(text, start, end)[0],
            min(typed_span(text, start, end)[1], len(text) - 1),
        ),
        "latin": of_sizes(lambda char: nfd(char) if is_hangul(char) else 1),
        "fresh": of_sizes(lambda char: nfd(char) if is_hangul(char) else 1 + (char > "z")),
        "longer": of_sizes(lambda char: REMEMBERED.get(char, 1)),
    },
    signs={"same_numbers": lambda found: found.case == "by_hand" and tuple(found.yours) == found.given[1:]},
)


# ---- 09.4
def merge_word(symbols: Sequence[str], merges: Sequence[tuple[str, str]]) -> list[str]:
    pieces = list(symbols)
    for first, second in merges:
        merged, at = [], 0
        while at < len(pieces):
            together = pieces[at : at + 2] == [first, second]
            merged.append(first + second if together else pieces[at])
            at += 2 if together else 1
        pieces = merged
    return pieces


def from_the_right(symbols, merges):
    pieces = merge_word(
        [symbol[::-1] for symbol in symbols[::-1]], [(second[::-1], first[::-1]) for first, second in merges]
    )
    return [piece[::-1] for piece in pieces[::-1]]


def leftmost(symbols, merges):
    """Merges the first pair from the left that is known, whenever it was learned."""
    pieces = list(symbols)
    while found := [at for at, pair in enumerate(zip(pieces, pieces[1:])) if pair in merges]:
        pieces[found[0] : found[0] + 2] = ["".join(pieces[found[0] : found[0] + 2])]
    return pieces


def longest_piece(symbols, merges):
    """Cuts as WordPiece does, with the pieces that the merges make."""
    made, word, pieces = {"".join(pair) for pair in merges}, "".join(symbols), []
    while word:
        size = next(n for n in range(len(word), 0, -1) if n == 1 or word[:n] in made)
        pieces.append(word[:size])
        word = word[size:]
    return pieces


def by_spelling(symbols, merges):
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


def by_replacing_text(symbols, merges):
    """str.replace looks at letters, not symbols: in "가나 다" it finds "나 다"."""
    text = " ".join(symbols)
    for first, second in merges:
        text = text.replace(f"{first} {second}", first + second)
    return text.split(" ")


def invents_unknown(symbols, merges):
    """Puts [UNK] for what no merge knows, as a vocabulary would."""
    known = {symbol for pair in merges for symbol in pair} | {"".join(pair) for pair in merges}
    return [piece if piece in known or not merges else "[UNK]" for piece in merge_word(symbols, merges)]


def only_letters(merges):
    return [pair for pair in merges if max(map(len, pair)) == 1]


def learned(words: Counter[tuple[str, ...]], number: int) -> list[tuple[str, str]]:
    """The first merges of BPE by counts; of equal counts, the pair that was met first."""
    merges: list[tuple[str, str]] = []
    for _ in range(number):
        counts: Counter[tuple[str, str]] = Counter()
        for word, times in words.items():
            for pair in zip(word, word[1:]):
                counts[pair] += times
        if not counts:
            break
        merges.append(counts.most_common(1)[0][0])
        words = Counter({tuple(merge_word(word, merges[-1:])): times for word, times in words.items()})
    return merges


def learned_and_cut() -> list[tuple[list[str], list[tuple[str, str]]]]:
    cases = [(["배"], [("배", "를")]), (["배", "를"], [])]
    for _ in range(17):
        words = Counter({tuple(drawn("가나다", 7)): random.randint(1, 5) for _ in range(7)})
        merges = learned(words, random.randint(2, 9))
        ranks = {pair: rank for rank, pair in enumerate(merges)}
        for word in (list(drawn("가나다", 9)) for _ in range(5)):
            # Where a piece can be made in two ways, replaying and "the earliest pair first" may differ: both are right.
            if merge_word(word, merges) == apply_merges(word, ranks):
                cases.append((word, merges))
    return cases


def long_word() -> tuple[list[str], list[tuple[str, str]]]:
    word = random.choices([f"{first}{second}" for first in STRANGE for second in ("", "z")], k=97)
    return word, list(dict.fromkeys(zip(word, word[1:])))[:61]


def spaced(pieces: Any) -> str:
    return " | ".join(map(str, pieces)) if isinstance(pieces, list | tuple) else str(pieces)


def not_a_list_of_texts(pieces: Any) -> Any:
    return pieces if isinstance(pieces, str) else next(one for one in pieces if not isinstance(one, str))


def of_word(found: Found) -> dict[str, str]:
    symbols, merges = found.given
    return {"word": "".join(symbols), "merges": ", ".join(f"{a}+{b}" for a, b in merges) or "–"}


def from_first_other(found: Found) -> dict[str, Any]:
    at = next(n for n, (right, yours) in enumerate(zip_longest(found.right, found.yours)) if right != yours)
    right, yours = spaced(found.right[at : at + 3]), spaced(found.yours[at : at + 3])
    return {"count": len(found.given[0]), "pairs": len(found.given[1]), "expected": right, "actual": yours}


BACKWARDS = [("배", "에"), ("에", "서")]

MERGE_WORD = Exercise(
    "09.4",
    level="core",
    reference=merge_word,
    show=spaced,
    cases={
        "by_hand": lambda: (["배", "에", "서"], [("에", "서"), ("배", "에")]),
        "last_first": lambda: (["배", "에", "서"], BACKWARDS),
        "longest": lambda: (["배", "에", "서"], [*BACKWARDS, ("배", "에서")]),
        "joined": lambda: (["배", "에", "서"], [("에", "서"), ("배", "에"), ("배에", "서")]),
        "from_right": lambda: (["하", "하", "하"], [("하", "하")]),
        "once": lambda: (["배", "를", "배", "를"], [("배", "를")]),
        "not_again": lambda: (["할", "머", "니"], [("머", "니"), ("할", "머니")]),
        "untouched": lambda: (["뱃", "길"], [("배", "를")]),
        "splits": lambda: (["▁배", "를"], [("배", "를"), ("▁", "배를")]),
        "merged": learned_and_cut,
        "longer": long_word,
    },
    mistakes=changes_of(
        merge_word,
        {
            "texts": lambda symbols, merges: [(piece,) for piece in merge_word(symbols, merges)],
            "from_left": leftmost,
            "last_first": lambda symbols, merges: merge_word(symbols, merges[::-1]),
            "never_learned": by_replacing_text,
            "unmerged": lambda symbols, merges: list(symbols),
            "longest": longest_piece,
            "joined": by_spelling,
            "letters": lambda symbols, merges: merge_word(symbols, merges)[:-1],
            "from_right": from_the_right,
            "once": {"== [first, second]": "== [first, second] and len(merged) == at"},
            "not_again": lambda symbols, merges: merge_word(symbols, only_letters(merges)),
            "untouched": invents_unknown,
            "splits": lambda symbols, merges: merge_word("".join(symbols), merges),
            "merged": lambda symbols, merges: merge_word(symbols, merges[:3]),
            "longer": lambda symbols, merges: merge_word(symbols, merges[:9]),
        },
    ),
    signs={
        "texts": lambda found: (
            isinstance(found.yours, str) or not all(isinstance(piece, str) for piece in found.yours)
        ),
        "letters": lambda found: (
            found.case != "untouched" and "".join(found.yours) != "".join(found.given[0])
        ),
        "never_learned": lambda found: found.case == "by_hand" and spaced(found.yours) == "배에서",
        "longer": lambda found: found.case == "longer",
        "untouched": lambda found: found.case == "untouched",
        "splits": lambda found: found.case == "splits",
        "merged": lambda found: True,
    },
    facts={
        "*": of_word,
        "texts": lambda found: {"actual": repr(not_a_list_of_texts(found.yours))},
        "longer": from_first_other,
    },
    forbids=("course_utils.tokenization", "tokenize", "encode"),
)

EXERCISES = [COUNT_PAIRS, CUT_WORD, TYPED_SPAN, MERGE_WORD]
