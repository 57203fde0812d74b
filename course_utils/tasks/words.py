"""The words of a sentence, a tag for each, and the pieces that a model reads of them.

A word is what BERT's normalisation splits a text into before pieces are made: at blanks and at punctuation, so a
particle stays with its noun (부산에서 is one word) and a full stop is a word of its own.

Names are given by their letters (부산 in 부산에서) and become tags of words in BIO form (Ramshaw and Marcus 1995): B-LC
where a name begins, I-LC where it goes on, O elsewhere. The word has the tag as a whole, its particle, too. Where two
names share a word (남북: 남, 북), the first gives the tag and the second has none.

The first piece of a word bears its label, −100 stands elsewhere:

    words     나는       서울에서            왔다
    pieces    [CLS] 나 ##는 서울 ##에서 왔다 [SEP]
    labels    −100 0 −100 3 −100 0 −100

So each word counts once, however many pieces it has (Devlin et al. 2019, section 5.3), and the way back is the same:
what the model says at the first piece is said of the word.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from course_utils.heads import IGNORE
from course_utils.tokenization import Encoding
from course_utils.tokenization.normalization import normalize, split_words

NAME_KINDS = ("PS", "LC", "OG", "DT", "TI", "QT")  # person, place, organisation, date, time, quantity
NAME_TAGS = ("O", *(f"{place}-{kind}" for kind in NAME_KINDS for place in "BI"))

Place = tuple[int, int]  # (start, end) of a word in characters of its text, the end exclusive


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

    Upper case and accents stay.
    """
    places = [word.places for word in split_words(normalize(text, lower=False, accents_off=False))]
    return [(here[0], text[here[0] : here[-1] + 1]) for here in places]


def places(source: TaggedSentence) -> list[Place]:
    """(start, end) of each word in characters of the text."""
    return [(start, start + len(word)) for start, word in zip(source.starts, source.words, strict=True)]


def bio_tags(text: str, names: Sequence[Name]) -> TaggedSentence:
    """The words of a text with the tags that its names give them.

    Args:
        text: a sentence.
        names: in the order in which they stand there, none inside another.
    """
    found = words_of(text)
    tags, taken = ["O"] * len(found), 0
    for start, letters, kind in names:
        if kind not in NAME_KINDS:
            raise ValueError(f"a name's kind must be one of {', '.join(NAME_KINDS)}, got {kind!r}")
        if not letters or letters != letters.strip() or start < taken or not text.startswith(letters, start):
            raise ValueError(
                f"{letters!r} must be a name without blanks at its ends that stands at character {start}, "
                f"behind the name before it; there stands {text[max(start, 0) :][: len(letters)]!r}"
            )
        taken = start + len(letters)
        inside = [
            place for place, (begin, word) in enumerate(found) if begin < taken and start < begin + len(word)
        ]
        if inside and tags[inside[0]] == "O":
            for place in inside:
                tags[place] = f"{'B' if place == inside[0] else 'I'}-{kind}"
    starts, words = zip(*found) if found else ((), ())
    return TaggedSentence(text, words, starts, tuple(tags))


def label_ids(labels: Sequence[str], names: Sequence[str]) -> list[int]:
    """Labels as numbers: the place of each among the names."""
    numbers = {name: number for number, name in enumerate(names)}
    if unknown := [label for label in labels if label not in numbers]:
        raise ValueError(f"each label must be one of {', '.join(names)}, got {unknown[0]!r}")
    return [numbers[label] for label in labels]


def first_pieces(encoding: Encoding, words: Sequence[Place]) -> list[int | None]:
    """The token of a row that each word begins with: the first that begins inside the word.

    None for a word that has none of its own: it was cut off, nothing of it is left after normalisation, or it shares
    its piece with the word before it, where no blank stands between them. Such a word is neither learned nor predicted,
    and whoever counts has to count it as wrong.

    Args:
        encoding: of the text; of a pair, only the first text is looked at.
        words: (start, end) of each in characters of the text, in order.
    """
    pieces = [
        (begin, place)
        for place, (segment, (begin, end)) in enumerate(zip(encoding.token_type_ids, encoding.offsets))
        if segment == 0 and end > begin  # [CLS] and [SEP] stand nowhere
    ]
    found: list[int | None] = []
    following = 0
    for start, end in words:
        while following < len(pieces) and pieces[following][0] < start:
            following += 1
        own = following < len(pieces) and pieces[following][0] < end
        found.append(pieces[following][1] if own else None)
    return found


def piece_labels(encoding: Encoding, words: Sequence[Place], labels: Sequence[int]) -> list[int]:
    """A label for each token of a row: that of the word at its first piece, −100 elsewhere.

    Args:
        encoding, words: see first_pieces.
        labels: a number for each word, or −100.
    """
    row = [IGNORE] * len(encoding)
    for place, label in zip(first_pieces(encoding, words), labels, strict=True):
        if place is not None:
            row[place] = label
    return row


def word_labels(encoding: Encoding, words: Sequence[Place], predicted: Sequence[int]) -> list[int | None]:
    """The way back: what was predicted for each word, None where it has no piece of its own.

    Args:
        encoding, words: see first_pieces.
        predicted: a label for each token of the row; padding may follow.
    """
    return [None if place is None else predicted[place] for place in first_pieces(encoding, words)]
