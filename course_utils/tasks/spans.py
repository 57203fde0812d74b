"""An answer in a passage: from its characters to pieces, and back, through the offsets of the pieces.

    passage     그 배는 부산에서 떠났다.          answer 부산, characters 5 … 6
    pieces      그 | 배 ##는 | 부산 ##에서 | …     the answer is one piece: back come characters 5 … 6, 부산
    pieces      그 | 배는 | 부산에서 | …           it ends inside a piece: back come characters 5 … 8, 부산에서

An answer that begins or ends inside a piece cannot be told from the whole piece: the model learns the fewest pieces
that hold it, and the particle that hangs on comes back with it. Whoever judges answers has to forgive that, or not.
Whether it happened is seen by going there and back.
"""

from __future__ import annotations

from collections.abc import Sequence

from course_utils.support.given import one_line, one_text, several, shown, whole_number
from course_utils.tasks.windows import Window, check_window
from course_utils.tokenization import Encoding

NO_ANSWER = (0, 0)  # both ends at [CLS] (Devlin et al. 2019, section 4.3)
MARKS = {"[PAD]", "[CLS]", "[SEP]", "[MASK]"}  # added, or typed into the passage; [UNK] stands for a word


def answer_span(passage: str, answer: str, *, start: int | None = None) -> tuple[int, int]:
    """Where an answer stands in its passage: (start, end) in characters, the end exclusive.

    Args:
        passage, answer: texts, the answer as it stands in the passage, letter for letter.
        start: place of its first character; None where it stands there once.

    Raises:
        ValueError: if the answer is empty, does not stand in the passage or not at start, or stands there several times
            and there is no start; if an argument is no text or no number.
    """
    one_text("passage", passage)
    if not one_text("answer", answer).strip():
        raise ValueError(f"answer must hold at least one word, got {shown(answer)}")
    told = f"answer must stand in its passage, and {one_line(answer)!r} does not"
    if start is not None:
        start = whole_number("start", start, least=0)
        if not passage.startswith(answer, start):
            there = one_line(passage[start : start + len(answer)])
            raise ValueError(f"{told} stand at character {shown(start)}, where there is {there!r}")
        return start, start + len(answer)
    found = passage.find(answer)
    if found < 0:
        raise ValueError(told)
    if passage.find(answer, found + 1) >= 0:
        raise ValueError(
            f"answer must stand in its passage once, and {one_line(answer)!r} stands there again; start says which"
        )
    return found, found + len(answer)


def passage_pieces(encoding: Encoding) -> list[bool]:
    """Which tokens of a row an answer may begin or end at: pieces of the second text that are no special tokens.

    Raises:
        ValueError: if encoding is none.
    """
    if not isinstance(encoding, Encoding):
        raise ValueError(f"encoding must be an Encoding, as a tokenizer gives it, got {shown(encoding)}")
    return [
        segment == 1 and token not in MARKS
        for segment, token in zip(encoding.token_type_ids, encoding.tokens)
    ]


def pieces_of(window: Window, span: Sequence[int] | None) -> tuple[int, int]:
    """Characters of the passage -> the first and the last token of the fewest that hold them, both inclusive.

    Args:
        window: a row, see passage_windows.
        span: (start, end) in characters of the passage, see answer_span; None for a question without an answer.

    Returns:
        (first, last), or NO_ANSWER where there is none, or where it does not stand in this window wholly.

    Raises:
        ValueError: if window is none, span is no such pair, or there is not one piece between its ends.
    """
    check_window(window)
    if span is None:
        return NO_ANSWER
    start, end = _ends(span, len(window.passage))
    if not (window.reach[0] <= start and end <= window.reach[1]):
        return NO_ANSWER
    allowed = passage_pieces(window)
    touched = [
        place
        for place, (begin, stop) in enumerate(window.offsets)
        if allowed[place] and begin < end and start < stop
    ]
    if not touched:
        raise ValueError(
            f"span must hold at least one piece of the passage, got characters {start} … {end - 1}"
        )
    return touched[0], touched[-1]


def characters_of(encoding: Encoding, first: int, last: int) -> tuple[int, int]:
    """Tokens of a row -> (start, end) in characters of the passage, the end exclusive; NO_ANSWER -> (0, 0).

    Args:
        encoding: a row of a question and its passage.
        first, last: places of tokens, both inclusive.

    Raises:
        ValueError: if encoding is none, a place is outside of the passage, or last stands before first.
    """
    allowed = passage_pieces(encoding)
    first, last = (
        whole_number(name, place, least=0, most=max(len(allowed) - 1, 0))
        for name, place in (("first", first), ("last", last))
    )
    if (first, last) == NO_ANSWER:
        return 0, 0
    if last < first or not (allowed[first] and allowed[last]):
        raise ValueError(
            f"first and last must be pieces of the passage in their order, got {first} and {last}"
        )
    return encoding.offsets[first][0], encoding.offsets[last][1]


def _ends(span: Sequence[int], length: int) -> tuple[int, int]:
    """A start and an end behind it, within so many characters."""
    numbers = several("span", span, "two numbers, start and end")
    if len(numbers) != 2:
        raise ValueError(f"span must be two numbers, start and end, got {len(numbers)}")
    start = whole_number("the start of span", numbers[0], least=0, most=length - 1)
    return start, whole_number("the end of span", numbers[1], least=start + 1, most=length)
