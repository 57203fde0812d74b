"""Exercises of notebook 09: subword tokenization."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Mapping
from typing import Any

from course_utils.exercises.core import Exercise, Wrong, call

TOY = {"배를": 3, "배가": 2, "나를": 2}
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
    for words in (TOY, LAUGH, {"배": 5}, {"사과와": 1, "과와": 3}):
        expected = count_pairs(words)
        got = dict(_expect(call(answer, words), Mapping, "dict"))
        if got != expected:
            raise Wrong("pairs", words=words, expected=_show(expected), actual=_show(got))


def _explain_pairs(found: Mapping[Any, Any]) -> None:
    """Name the known reasons for wrong counts of TOY."""
    if any(isinstance(pair, str) for pair in found):
        raise Wrong("keys", actual=repr(next(iter(found))))
    expected = count_pairs(TOY)
    if set(found) == {(second, first) for first, second in expected}:
        raise Wrong("reversed", expected=_show(expected), actual=_show(found))
    crossing = [pair for pair in found if pair not in expected and pair[0] in ("를", "가")]
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
    for word, vocab in [
        ("배나무를", tangled),
        ("나무나무를", SMALL),
        ("에서", SMALL),
        ("를", SMALL),
        ("나무서에서", SMALL),
    ]:
        expected, got = cut_word(word, vocab), _pieces(answer, word, vocab)
        if got != expected:
            raise Wrong("cut", word=word, expected=expected, actual=got)


def _pieces(answer: object, word: str, vocab: Mapping[str, int]) -> list[tuple[str, int, int]]:
    """The learner's pieces as a list of triples."""
    found = _expect(call(answer, word, dict(vocab)), list, "list")
    for item in found:
        if not isinstance(item, tuple | list) or len(item) != 3:
            raise Wrong("triples", actual=repr(item))
    return [tuple(item) for item in found]


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


def _span(answer: object, text: str, start: int, end: int) -> tuple[int, int]:
    found = call(answer, text, start, end)
    if not isinstance(found, tuple | list) or len(found) != 2:
        raise Wrong("tuple", expected=2, actual=type(found).__name__)
    return tuple(found)


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
]
