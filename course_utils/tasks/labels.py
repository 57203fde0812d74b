"""Labels of words on their pieces: the first piece of a word bears its label, −100 stands elsewhere.

    words     나는       서울에서            왔다
    pieces    [CLS] 나 ##는 서울 ##에서 왔다 [SEP]
    labels    −100 0 −100 3 −100 0 −100

So each word counts once, however many pieces it has (Devlin et al. 2019, section 5.3), and the way back is the same:
what the model says at the first piece is said of the word.
"""

from __future__ import annotations

from collections.abc import Sequence

from course_utils.heads import IGNORE
from course_utils.support.given import (
    int64,
    list_of_texts,
    one_line,
    several,
    shown,
)
from course_utils.tokenization import Encoding

Place = tuple[int, int]  # (start, end) of a word in characters of its text, the end exclusive


def label_ids(labels: Sequence[str], names: Sequence[str]) -> list[int]:
    """Labels as numbers: the place of each among the names.

    Raises:
        ValueError: if a label is not among the names (of which row, is told), or names are no texts that differ.
    """
    names = list_of_texts("names", names)
    if len(set(names)) < len(names):
        raise ValueError("names must be different from each other, and one stands there twice")
    numbers = {name: number for number, name in enumerate(names)}
    labels = list_of_texts("labels", labels, least=0)
    for row, label in enumerate(labels):
        if label not in numbers:
            known = one_line(", ".join(names), 120)
            raise ValueError(f"the label of row {row} must be one of these ({known}), got {shown(label)}")
    return [numbers[label] for label in labels]


def joined(words: Sequence[str]) -> tuple[str, list[Place]]:
    """Words with a blank between them -> their text, and where each stands in it.

    Raises:
        ValueError: if words are no texts, or there is none.
    """
    words = list_of_texts("words", words)
    places, start = [], 0
    for word in words:
        places.append((start, start + len(word)))
        start += len(word) + 1
    return " ".join(words), places


def first_pieces(encoding: Encoding, words: Sequence[Place]) -> list[int | None]:
    """The token of a row that each word begins with: the first that begins inside the word.

    None for a word that has none of its own: it was cut off, nothing of it is left after normalisation, or it shares
    its piece with the word before it, where no blank stands between them. Such a word is neither learned nor predicted,
    and whoever counts has to count it as wrong.

    Args:
        encoding: of the text; of a pair, only the first text is looked at.
        words: (start, end) of each in characters of the text, in order.

    Raises:
        ValueError: if encoding is none, or words are no such places.
    """
    if not isinstance(encoding, Encoding):
        raise ValueError(f"encoding must be an Encoding, as a tokenizer gives it, got {shown(encoding)}")
    pieces = [
        (begin, place)
        for place, (segment, (begin, end)) in enumerate(zip(encoding.token_type_ids, encoding.offsets))
        if segment == 0 and end > begin  # [CLS] and [SEP] stand nowhere
    ]
    found: list[int | None] = []
    following = 0
    for start, end in _places(words):
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

    Raises:
        ValueError: as first_pieces, and if there is not one label for each word.
    """
    firsts = first_pieces(encoding, words)
    labels = [int64("each label", label) for label in several("labels", labels, "numbers")]
    if len(labels) != len(firsts):
        raise ValueError(f"labels must be one for each of {len(firsts)} words, got {len(labels)}")
    row = [IGNORE] * len(encoding)
    for place, label in zip(firsts, labels):
        if place is not None:
            row[place] = label
    return row


def word_labels(encoding: Encoding, words: Sequence[Place], predicted: Sequence[int]) -> list[int | None]:
    """The way back: what was predicted for each word, None where it has no piece of its own.

    Args:
        encoding, words: see first_pieces.
        predicted: a label for each token of the row; padding may follow.

    Raises:
        ValueError: as first_pieces, and if there are fewer labels than tokens.
    """
    firsts = first_pieces(encoding, words)
    predicted = [int64("each label", label) for label in several("predicted", predicted, "numbers")]
    if len(predicted) < len(encoding):
        raise ValueError(
            f"predicted must have a label for each of {len(encoding)} tokens, got {len(predicted)}"
        )
    return [None if place is None else predicted[place] for place in firsts]


def _places(words: Sequence[Place]) -> list[Place]:
    """Places that do not overlap, in order."""
    found: list[Place] = []
    before = 0
    for place in several("words", words, "places, (start, end)"):
        ends = several("each of words", place, "two numbers, start and end")
        if len(ends) != 2:
            raise ValueError(f"each of words must be two numbers, start and end, got {len(ends)}")
        start, end = (int64("each end of a word", number) for number in ends)
        if not before <= start <= end:
            raise ValueError(
                f"words must stand one behind the other, and their ends behind their starts, got {start}, {end} "
                f"where {before} characters are taken"
            )
        found.append((start, end))
        before = end
    return found
