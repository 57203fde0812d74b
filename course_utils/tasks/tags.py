"""Words of a sentence and a tag for each: what a part of speech or a name is told of.

A word is what BERT's normalisation splits a text into before pieces are made: at blanks and at punctuation, so a
particle stays with its noun (부산에서 is one word) and a full stop is a word of its own. A model sees the tag at the
first piece of its word; `starts` says where that is in the text.

Names are given by their letters (부산 in 부산에서) and become tags of words in BIO form (Ramshaw and Marcus 1995): B-LC
where a name begins, I-LC where it goes on, O elsewhere. The word has the tag as a whole, its particle, too. Where two
names share a word (남북: 남, 북), the first gives the tag and the second has none.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from course_utils.support.given import one_text, several, shown, whole_number
from course_utils.tokenization.normalization import normalize, split_words

NAME_KINDS = ("PS", "LC", "OG", "DT", "TI", "QT")  # person, place, organisation, date, time, quantity
NAME_TAGS = ("O", *(f"{place}-{kind}" for kind in NAME_KINDS for place in "BI"))


class Name(NamedTuple):
    """A name in a text: its first character's place, its letters, and what it names."""

    start: int
    text: str
    kind: str  # one of NAME_KINDS


class TaggedSentence(NamedTuple):
    """A sentence as words, each with where it begins in the text, and its tag."""

    text: str
    words: tuple[str, ...]
    starts: tuple[int, ...]
    tags: tuple[str, ...]


def words_of(text: str) -> list[tuple[int, str]]:
    """The words of a text, each behind its place: "부산에서 왔다." -> [(0, "부산에서"), (5, "왔다"), (7, ".")].

    Args:
        text: any; upper case and accents stay.

    Raises:
        ValueError: if text is none.
    """
    plain = one_text("text", text)
    places = [word.places for word in split_words(normalize(plain, lower=False, accents_off=False))]
    return [(here[0], plain[here[0] : here[-1] + 1]) for here in places]


def bio_tags(text: str, names: Sequence[Name]) -> TaggedSentence:
    """The words of a text with the tags that its names give them.

    Args:
        text: a sentence.
        names: in the order in which they stand there, none inside another.

    Raises:
        ValueError: if text is none, or a name is no Name, does not stand at its place, is of an unknown kind, or begins
            before the one before it has ended.
    """
    found = words_of(text)
    tags = ["O"] * len(found)
    for name in _checked(text, names):
        end = name.start + len(name.text)
        inside = [
            place
            for place, (start, word) in enumerate(found)
            if start < end and name.start < start + len(word)
        ]
        if inside and tags[inside[0]] == "O":
            for place in inside:
                tags[place] = f"{'B' if place == inside[0] else 'I'}-{name.kind}"
    starts, words = zip(*found) if found else ((), ())
    return TaggedSentence(text, words, starts, tuple(tags))


def _checked(text: str, names: Sequence[Name]) -> list[Name]:
    """The names, if they are such as bio_tags wants."""
    found, end = several("names", names, "Name(start, text, kind)"), 0
    for name in found:
        if not (isinstance(name, tuple) and len(name) == 3 and all(isinstance(one, str) for one in name[1:])):
            raise ValueError(f"names must hold Name(start, text, kind) and nothing else, got {shown(name)}")
        start, letters, kind = name
        start = whole_number("a name's start", start, least=0, most=len(text))
        if kind not in NAME_KINDS:
            raise ValueError(f"a name's kind must be one of {', '.join(NAME_KINDS)}, got {shown(kind)}")
        if not letters or letters != letters.strip():
            raise ValueError(f"a name must have letters, and no blank at its ends, got {shown(letters)}")
        if not text.startswith(letters, start):
            stands = text[start : start + len(letters)]
            raise ValueError(f"{shown(letters)} must stand at character {start}, and {shown(stands)} does")
        if start < end:
            raise ValueError(
                f"{shown(letters)} must begin where the name before it has ended, at {end} or later"
            )
        end = start + len(letters)
    return [Name(*name) for name in found]
