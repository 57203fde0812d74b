"""A question and its passage as rows that fit into the model: one, or several windows of a long passage.

    [CLS] question [SEP] pieces 0 … 5 of the passage [SEP]
    [CLS] question [SEP] pieces 4 … 9 of the passage [SEP]          stride 4

A window begins `stride` pieces after the one before it, as doc_stride in the paper's code (google-research/bert,
run_squad.py); other code calls by that name what two windows share. Neighbours should share at least as many pieces as
the longest answer has: then each answer stands whole in one of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from course_utils.support.given import one_text, shown, whole_number
from course_utils.tokenization import Encoding, WordPieceTokenizer
from course_utils.tokenization.wordpiece import Pieces, check_tokenizer

ADDED = 3  # [CLS] question [SEP] passage [SEP]
LONGEST = 2**16  # tokens of a row: whoever asks for more has mistyped


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

    Raises:
        ValueError: if a text has no piece, the question leaves no room, the passage is too long and there is no stride,
            the stride would leave pieces out, or an argument is none.
    """
    check_tokenizer(tokenizer)
    max_length = whole_number("max_length", max_length, least=ADDED + 2, most=LONGEST)
    asked = _pieces_of(tokenizer, "question", question)
    told = _pieces_of(tokenizer, "passage", passage)
    room = max_length - ADDED - len(asked)
    if room < 1:
        raise ValueError(
            f"question must leave room for its passage in {max_length} pieces, {ADDED} of them special tokens, "
            f"got {len(asked)} pieces"
        )
    if stride is None:
        if len(told) > room:
            raise ValueError(
                f"passage must fit into the {room} pieces that are left beside the question, got {len(told)}; "
                "a stride cuts it into windows"
            )
        begins: Iterable[int] = [0]
    else:
        stride = whole_number("stride", stride, most=room)
        begins = range(0, max(len(told) - room, 0) + stride, stride)  # the last one reaches the end
    return [_window(tokenizer, asked, told, begin, begin + room, passage) for begin in begins]


def check_window(window: Window) -> None:
    """Refuse what is no Window."""
    if not isinstance(window, Window):
        raise ValueError(f"window must be a Window, as passage_windows makes it, got {shown(window)}")


def _pieces_of(tokenizer: WordPieceTokenizer, name: str, text: str) -> Pieces:
    pieces = tokenizer.pieces(one_text(name, text))
    if not pieces:
        raise ValueError(f"{name} must hold at least one word, got {shown(text)}")
    return pieces


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
