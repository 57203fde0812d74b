"""A question and its passage as rows that fit into the model; an answer from its characters to pieces, and back.

    [CLS] question [SEP] pieces 0 … 5 of the passage [SEP]
    [CLS] question [SEP] pieces 4 … 9 of the passage [SEP]          stride 4

A window begins `stride` pieces after the one before it, as doc_stride in the paper's code (google-research/bert,
run_squad.py); other code calls by that name what two windows share. Neighbours should share at least as many pieces as
the longest answer has: then each answer stands whole in one of them.

    passage     그 배는 부산에서 떠났다.          answer 부산, characters 5 … 6
    pieces      그 | 배 ##는 | 부산 ##에서 | …     the answer is one piece: back come characters 5 … 6, 부산
    pieces      그 | 배는 | 부산에서 | …           it ends inside a piece: back come characters 5 … 8, 부산에서

An answer that begins or ends inside a piece cannot be told from the whole piece: the model learns the fewest pieces
that hold it, and the particle that hangs on comes back with it. Whoever judges answers has to forgive that, or not.
Whether it happened is seen by going there and back.
"""

from __future__ import annotations

from dataclasses import dataclass

from course_utils.tokenization import Encoding, WordPieceTokenizer
from course_utils.tokenization.wordpiece import Pieces

ADDED = 3  # [CLS] question [SEP] passage [SEP]
NO_ANSWER = (0, 0)  # both ends at [CLS] (Devlin et al. 2019, section 4.3)
MARKS = {"[PAD]", "[CLS]", "[SEP]", "[MASK]"}  # added, or typed into the passage; [UNK] stands for a word


@dataclass(frozen=True)
class Window(Encoding):
    """An Encoding of a question and a part of its passage; offsets of the second text count in the whole passage.

    Attributes:
        passage: the whole of it.
        reach: (start, end) in characters of the passage; of what lies between them the window has all pieces.
    """

    passage: str = ""
    reach: tuple[int, int] = (0, 0)


def passage_windows(
    tokenizer: WordPieceTokenizer,
    question: str,
    passage: str,
    *,
    max_length: int = 128,
    stride: int | None = None,
) -> list[Window]:
    """The rows of a question and its passage, from the passage's beginning to its end.

    Args:
        tokenizer: gives pieces and their offsets.
        question, passage: texts, each with at least one piece.
        max_length: the most tokens of a row, special ones included.
        stride: how many pieces of the passage lie between the beginnings of two windows. None means that the passage
            must fit into one.

    Returns:
        at least one Window; each piece of the passage stands in one of them or in several.
    """
    asked, told = tokenizer.pieces(question), tokenizer.pieces(passage)
    room = max_length - ADDED - len(asked)
    if not (asked and told) or room < 1:
        raise ValueError(f"a question and a word of its passage must fit into {max_length} pieces")
    if stride is None and len(told) > room:
        raise ValueError(f"passage must fit into {room} pieces, got {len(told)}: give a stride")
    stride = room if stride is None else stride
    if not 1 <= stride <= room:
        raise ValueError(f"stride must lie in 1 … {room}, or pieces would be left out, got {stride}")
    begins = range(0, max(len(told) - room, 0) + stride, stride)  # the last one reaches the end
    return [_window(tokenizer, asked, told, begin, begin + room, passage) for begin in begins]


def passage_pieces(encoding: Encoding) -> list[bool]:
    """Which tokens of a row an answer may begin or end at: pieces of the second text that are no special tokens."""
    return [
        segment == 1 and token not in MARKS
        for segment, token in zip(encoding.token_type_ids, encoding.tokens)
    ]


def pieces_of(window: Window, span: tuple[int, int] | None) -> tuple[int, int]:
    """Characters of the passage -> the first and the last token of the fewest that hold them, both inclusive.

    Args:
        window: a row, see passage_windows.
        span: (start, end) in characters of the passage, the end exclusive; None for a question without an answer.

    Returns:
        (first, last), or NO_ANSWER where there is none, or where it does not stand in this window wholly.
    """
    if span is None:
        return NO_ANSWER
    start, end = span
    if not 0 <= start < end <= len(window.passage):
        raise ValueError(f"span must lie in the {len(window.passage)} characters, got {start}, {end}")
    if not (window.reach[0] <= start and end <= window.reach[1]):
        return NO_ANSWER
    touched = [
        place
        for place, (allowed, (begin, stop)) in enumerate(zip(passage_pieces(window), window.offsets))
        if allowed and begin < end and start < stop
    ]
    if not touched:
        raise ValueError(f"span must hold at least one piece of the passage, got characters {start}, {end}")
    return touched[0], touched[-1]


def characters_of(encoding: Encoding, first: int, last: int) -> tuple[int, int]:
    """Tokens of a row -> (start, end) in characters of the passage, the end exclusive; NO_ANSWER -> (0, 0).

    Args:
        encoding: a row of a question and its passage.
        first, last: places of tokens, both inclusive.
    """
    if (first, last) == NO_ANSWER:
        return 0, 0
    allowed = passage_pieces(encoding)
    if not (0 <= first <= last < len(allowed) and allowed[first] and allowed[last]):
        raise ValueError(f"first and last must be pieces of the passage in order, got {first} and {last}")
    return encoding.offsets[first][0], encoding.offsets[last][1]


def _window(
    tokenizer: WordPieceTokenizer, asked: Pieces, told: Pieces, begin: int, end: int, passage: str
) -> Window:
    """The row of pieces begin … end−1 of the passage."""
    added = (0, 0)  # [CLS] and [SEP] stand nowhere in the text
    head = [("[CLS]", added), *asked, ("[SEP]", added)]
    part = told[begin:end]
    tokens = [token for token, _ in (*head, *part)] + ["[SEP]"]
    offsets = [span for _, span in (*head, *part)] + [added]
    segments = [0] * len(head) + [1] * (len(part) + 1)
    before = told[begin - 1][1][1] if begin else 0
    after = told[end][1][0] if end < len(told) else len(passage)
    ids = [tokenizer.vocab[token] for token in tokens]
    return Window(ids, segments, [1] * len(ids), tokens, offsets, passage, (before, after))
