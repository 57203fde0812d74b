"""Exercises of notebook 09: subword tokenization."""

from __future__ import annotations

import random
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Any

import torch

from course_utils.exercises.core import Exercise, Wrong, call
from course_utils.tokenization.bpe import apply_merges

TOY = {"배를": 3, "배가": 2, "나를": 2}
STRANGE = "가나Aa#é\u1107\u1162🚢"  # letters that lower-casing, NFC or "Hangul only" would change
LAUGH = {"하하하": 2, "하마": 1}


def count_pairs(words: Mapping[str, int]) -> dict[tuple[str, str], int]:
    counts: Counter[tuple[str, str]] = Counter()
    for word, times in words.items():
        for pair in zip(word, word[1:]):
            counts[pair] += times
    return dict(counts)


def check_count_pairs(answer: object) -> None:
    found = _expect(call(answer, TOY), Mapping, "dict")
    _explain_pairs(found)
    twice = _expect(call(answer, LAUGH), Mapping, "dict")
    times = twice.get(("하", "하"))
    if times != 4:
        raise Wrong("repeated", expected=4, actual=times)
    chance = _chance()
    fresh = [{_word(chance, "가나다", 9): chance.randint(1, 9) for _ in range(5)} for _ in range(5)]
    for words in (TOY, LAUGH, {"배": 5}, {"사과와": 1, "과와": 3}, {"갈매기들이": 2}, *fresh):
        expected = count_pairs(words)
        got = dict(_expect(call(answer, words), Mapping, "dict"))
        if got != expected:
            raise Wrong("pairs", words=words, expected=_show(expected), actual=_show(got))
    words = {_word(chance, STRANGE, 30): chance.randint(1, 10_000) for _ in range(31)}
    expected, got = count_pairs(words), dict(_expect(call(answer, words), Mapping, "dict"))
    for pair in sorted({*expected, *got}):
        if expected.get(pair) != got.get(pair):
            raise Wrong("larger", pair=pair, expected=expected.get(pair), actual=got.get(pair))


def _explain_pairs(found: Mapping[Any, Any]) -> None:
    """Name the known reasons for wrong counts of TOY."""
    if any(isinstance(pair, str) for pair in found):
        raise Wrong("keys", actual=repr(next(iter(found))))
    expected = count_pairs(TOY)
    if set(found) == {(second, first) for first, second in expected}:
        raise Wrong("reversed", expected=_show(expected), actual=_show(found))
    known = {*expected, *((second, first) for first, second in expected)}
    crossing = [pair for pair in found if pair not in known and pair[0] in ("를", "가")]
    if crossing:
        raise Wrong("across_words", first=crossing[0][0], second=crossing[0][1])
    if dict(found) == dict.fromkeys(expected, 1):
        raise Wrong("unweighted", expected=3, actual=1)


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


SMALL = {
    piece: number
    for number, piece in enumerate(
        ["[UNK]", "배", "##에", "##서", "##에서", "에서", "나무", "##나무", "##를"]
    )
}


def check_cut_word(answer: object) -> None:
    longest = _pieces(answer, "배에서", SMALL)
    names = [piece for piece, _, _ in longest]
    if names == ["배", "##에", "##서"]:
        raise Wrong("shortest", expected="배, ##에서", actual=", ".join(names))
    if names == ["배", "에서"]:
        raise Wrong("no_hashes", expected="##에서", actual="에서")
    spans = [(start, end) for _, start, end in longest]
    if names == ["배", "##에서"] and spans != [(0, 1), (1, 3)]:
        reason = "spans_count_hashes" if spans[1][1] == 5 else "spans"
        raise Wrong(reason, expected="[(0, 1), (1, 3)]", actual=spans)
    unknown = _pieces(answer, "배꽃를", SMALL)
    names = [piece for piece, _, _ in unknown]
    if (len(unknown) > 1 and "[UNK]" in names) or names == ["배"]:
        raise Wrong("partial", actual=", ".join(names))
    if not unknown:
        raise Wrong("unknown_is_empty")
    if unknown != [("[UNK]", 0, 3)]:
        raise Wrong("unknown", expected=("[UNK]", 0, 3), actual=unknown)
    tangled = {
        piece: number
        for number, piece in enumerate(["[UNK]", "배", "배나", "##무", "##나무", "##나무를", "##를"])
    }
    left_first = _pieces(answer, "배나무를", tangled)
    if left_first == [("배", 0, 1), ("##나무를", 1, 4)]:
        raise Wrong("not_from_left", expected="배나, ##무, ##를", actual="배, ##나무를")
    no_way_back = {"[UNK]": 0, "배": 1, "배에": 2, "##에서": 3}
    if _pieces(answer, "배에서", no_way_back) == [("배", 0, 1), ("##에서", 1, 3)]:
        raise Wrong("goes_back", expected="[UNK]", actual="배, ##에서")
    long = {"[UNK]": 0, "과": 1, "##수": 2, "##원": 3, "과수": 4, "##원에서": 5, "##에서": 6, "과수원에서": 7}
    whole = _pieces(answer, "과수원에서", long)
    if len(whole) > 1:
        raise Wrong("short_pieces", expected="과수원에서", actual=", ".join(piece for piece, _, _ in whole))
    chance = _chance()
    for word, vocab in [
        ("배에서", SMALL),
        ("배꽃를", SMALL),
        ("배에서", no_way_back),
        ("과수원에서", long),
        ("배나무를", tangled),
        ("나무나무를", SMALL),
        ("에서", SMALL),
        ("를", SMALL),
        ("나무서에서", SMALL),
        *[_word_and_vocab(chance, "가나다") for _ in range(97)],
    ]:
        expected, got = cut_word(word, vocab), _pieces(answer, word, vocab)
        if got != expected:
            raise Wrong("cut", word=word, expected=expected, actual=got)
    first_id = _pieces(answer, "배를", {"배": 0, "##를": 1, "[UNK]": 2})
    if first_id == [("[UNK]", 0, 2)]:
        raise Wrong("id_zero")
    for _ in range(23):
        pieces = [prefix + _word(chance, STRANGE, 19) for prefix in ("", "##") for _ in range(9)]
        vocab = {
            piece: number for number, piece in enumerate([*pieces, *STRANGE, *("##" + c for c in STRANGE)])
        }
        word = "".join(piece.removeprefix("##") for piece in chance.sample(pieces, 7))
        expected, got = cut_word(word, vocab), _pieces(answer, word, vocab)
        for right, given in zip_longest(expected, got):
            if right != given:
                raise Wrong("larger", word=word, expected=right, actual=given)


def _pieces(answer: object, word: str, vocab: Mapping[str, int]) -> list[tuple[str, int, int]]:
    """The learner's pieces as a list of triples."""
    found = _expect(call(answer, word, dict(vocab)), list, "list")
    for item in found:
        if not isinstance(item, tuple | list) or len(item) != 3:
            raise Wrong("triples", actual=repr(item))
    return [tuple(item) for item in found]


def _word_and_vocab(chance: random.Random, letters: str) -> tuple[str, dict[str, int]]:
    """Pieces of up to seven letters, and a word made of three of them, so that most words fit and some do not."""
    pieces = [*letters, *("##" + letter for letter in letters[1:])]
    pieces += [prefix + _word(chance, letters, 7) for prefix in ("", "##") for _ in range(9)]
    word = "".join(piece.removeprefix("##") for piece in chance.sample(pieces, 3))
    return word, {piece: number for number, piece in enumerate(["[UNK]", *dict.fromkeys(pieces)])}


def typed_span(text: str, start: int, end: int) -> tuple[int, int]:
    places = [place for place, char in enumerate(text) for _ in unicodedata.normalize("NFD", char)]
    return places[start], places[end - 1] + 1


def check_typed_span(answer: object) -> None:
    # 배를 탔다 -> ᄇ ᅢ ᄅ ᅳ ᆯ …: the second syllable is at [2, 5)
    found = _span(answer, "배를 탔다", 2, 5)
    if found == (2, 5):
        raise Wrong("same_numbers", actual=found)
    if found == (1, 1):
        raise Wrong("end_inclusive", expected=(1, 2), actual=found)
    for (text, start, end), reason in [
        (("밤배가", 3, 5), "two_jamo_each"),
        (("밤배", 1, 2), "part_of_syllable"),
        (("A배 탔다", 4, 7), "not_decomposed"),
        (("배를 탔다", 3, 7), "several"),
        (("배", 0, 2), "last"),
        (("café 배", 4, 5), "latin"),
        (("배를", 2, 5), "several"),
    ]:
        expected, got = typed_span(text, start, end), _span(answer, text, start, end)
        if got != expected:
            raise Wrong(reason, text=text, start=start, end=end, expected=expected, actual=got)
    chance = _chance()
    for _ in range(53):
        text = _word(chance, "배밤값가 aéǘñệ", 7)
        places = len(unicodedata.normalize("NFD", text))
        start = chance.randrange(places)
        end = chance.randint(start + 1, places)
        expected, got = typed_span(text, start, end), _span(answer, text, start, end)
        if got != expected:
            raise Wrong("fresh", text=text, start=start, end=end, expected=expected, actual=got)
    for _ in range(53):
        text = _word(chance, "힣각닭읽쐐 ÄİøßﬁốǞZ", 31)
        places = len(unicodedata.normalize("NFD", text))
        start, end = sorted(chance.sample(range(places + 1), 2))
        expected, got = typed_span(text, start, end), _span(answer, text, start, end)
        if got != expected:
            raise Wrong("longer", text=text, start=start, end=end, expected=expected, actual=got)


def _span(answer: object, text: str, start: int, end: int) -> tuple[int, int]:
    found = call(answer, text, start, end)
    if not isinstance(found, tuple | list) or len(found) != 2:
        raise Wrong("tuple", expected=2, actual=type(found).__name__)
    return tuple(found)


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


def check_merge_word(answer: object) -> None:
    _check_order(answer)
    _check_places(answer)
    unknown = _merged(answer, ["뱃", "길"], [("배", "를")])
    if unknown != ["뱃", "길"]:
        raise Wrong("untouched", expected=_spaced(["뱃", "길"]), actual=_spaced(unknown))
    _check_merged(answer, "배", [("배", "를")])
    _check_merged(answer, "배를", [])
    given = _merged(answer, ["▁배", "를"], [("배", "를"), ("▁", "배를")])
    if given != ["▁배", "를"]:
        raise Wrong("splits", expected=_spaced(["▁배", "를"]), actual=_spaced(given))
    chance = _chance()
    for _ in range(17):
        words = Counter({tuple(_word(chance, "가나다", 7)): chance.randint(1, 5) for _ in range(7)})
        merges = _learn(words, chance.randint(2, 9))
        for _ in range(5):
            word = _word(chance, "가나다", 9)
            # Where a piece can be made in two ways, replaying and "the earliest pair first" may differ: both are right.
            if merge_word(word, merges) == apply_merges(word, {pair: n for n, pair in enumerate(merges)}):
                _check_merged(answer, word, merges)
    letters = [f"{first}{second}" for first in STRANGE for second in ("", "z")]
    word = chance.choices(letters, k=97)
    merges = list(dict.fromkeys(zip(word, word[1:])))[:61]
    _check_merged(answer, word, merges, "longer")


def _check_order(answer: object) -> None:
    """Which of two merges that share a letter goes first, and which pieces may be made at all."""
    merges, backwards = [("에", "서"), ("배", "에")], [("배", "에"), ("에", "서")]
    found, reverse = _merged(answer, "배에서", merges), _merged(answer, "배에서", backwards)
    if ["배에서"] in (found, reverse):
        raise Wrong("never_learned", merges=_pairs(merges), actual="배에서")
    if reverse == ["배", "에서"]:
        raise Wrong("last_first", expected=_spaced(["배에", "서"]), actual=_spaced(reverse))
    blocked = [*backwards, ("배", "에서")]
    if found == ["배에", "서"]:
        if _merged(answer, "배에서", blocked) == ["배에서"]:
            raise Wrong("longest", expected=_spaced(["배에", "서"]), merges=_pairs(blocked))
        raise Wrong("from_left", expected=_spaced(["배", "에서"]), actual=_spaced(found))
    if found == ["배", "에", "서"]:
        raise Wrong("nothing", expected=_spaced(["배", "에서"]), actual=_spaced(found))
    spelled_alike = [*merges, ("배에", "서")]
    if _merged(answer, "배에서", spelled_alike) == ["배에서"]:
        raise Wrong("joined", expected=_spaced(["배", "에서"]), merges=_pairs(spelled_alike))
    for learned in (merges, backwards, blocked, spelled_alike):
        _check_merged(answer, "배에서", learned)


def _check_places(answer: object) -> None:
    """Where in the word a merge is done: everywhere, from left to right, and again with what it made."""
    found = _merged(answer, "하하하", [("하", "하")])
    if found == ["하", "하하"]:
        raise Wrong("from_right", expected=_spaced(["하하", "하"]), actual=_spaced(found))
    found = _merged(answer, "배를배를", [("배", "를")])
    if found in (["배를", "배", "를"], ["배", "를", "배를"]):
        raise Wrong("once", expected=_spaced(["배를", "배를"]), actual=_spaced(found))
    found = _merged(answer, "할머니", [("머", "니"), ("할", "머니")])
    if found == ["할", "머니"]:
        raise Wrong("not_again", expected="할머니", actual=_spaced(found))
    _check_merged(answer, "하하하", [("하", "하")])
    _check_merged(answer, "배를배를", [("배", "를")])
    _check_merged(answer, "할머니", [("머", "니"), ("할", "머니")])


def _check_merged(
    answer: object, word: Sequence[str], merges: Sequence[tuple[str, str]], reason: str = "merged"
) -> None:
    expected, found = merge_word(word, merges), _merged(answer, word, merges)
    if "".join(found) != "".join(word):
        raise Wrong("letters", word="".join(word), actual=_spaced(found))
    if found != expected:
        facts = {"word": "".join(word), "merges": _pairs(merges)}
        if reason == "longer":  # not all of it
            at = next(
                place for place, (one, other) in enumerate(zip_longest(expected, found)) if one != other
            )
            expected, found = expected[at : at + 3], found[at : at + 3]
            facts = {"symbols": len(word), "pairs": len(merges)}
        raise Wrong(reason, expected=_spaced(expected), actual=_spaced(found), **facts)


def _merged(answer: object, word: Sequence[str], merges: Sequence[tuple[str, str]]) -> list[str]:
    """The learner's pieces as a list of texts."""
    found = call(answer, list(word), list(merges))
    if not isinstance(found, list | tuple):
        raise Wrong("type", expected="list", actual=type(found).__name__)
    for piece in found:
        if not isinstance(piece, str):
            raise Wrong("texts", actual=repr(piece))
    return list(found)


def _learn(words: Counter[tuple[str, ...]], number: int) -> list[tuple[str, str]]:
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


def _spaced(pieces: Sequence[str]) -> str:
    return " | ".join(pieces)


def _pairs(merges: Sequence[tuple[str, str]]) -> str:
    return ", ".join(f"{first}+{second}" for first, second in merges) or "–"


def _chance() -> random.Random:
    """Where fresh inputs are drawn from."""
    return random.Random(int(torch.randint(2**31, ())))


def _word(chance: random.Random, letters: str, longest: int) -> str:
    return "".join(chance.choices(letters, k=chance.randint(1, longest)))


def _expect(result: Any, kind: type, name: str) -> Any:
    if not isinstance(result, kind):
        raise Wrong("type", expected=name, actual=type(result).__name__)
    return result


def _show(counts: Mapping[Any, Any]) -> str:
    return ", ".join(f"{'+'.join(map(str, pair))}: {times}" for pair, times in counts.items())


EXERCISES = [
    Exercise("09.1", level="warm-up", check=check_count_pairs, solution=count_pairs),
    Exercise("09.2", level="core", check=check_cut_word, solution=cut_word),
    Exercise("09.3", level="stretch", check=check_typed_span, solution=typed_span),
    Exercise("09.4", level="core", check=check_merge_word, solution=merge_word),
]
