"""What a tokenizer hands to the model, and how two texts share a limited number of tokens."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Encoding:
    """One text, or a pair, as lists of the same length T.

    Attributes:
        input_ids: place of each token in the vocabulary.
        token_type_ids: 0 for [CLS], the first text and its [SEP]; 1 for the second text and its [SEP].
        attention_mask: 1 for every token (padding, added when a batch is made, gets 0).
        tokens: the tokens in writing.
        offsets: (start, end) of each token in the text as it was typed, the end exclusive; special tokens that were
            added have (0, 0). In a pair, the offsets of the second text count from its own beginning.
    """

    input_ids: list[int] = field(default_factory=list)
    token_type_ids: list[int] = field(default_factory=list)
    attention_mask: list[int] = field(default_factory=list)
    tokens: list[str] = field(default_factory=list)
    offsets: list[tuple[int, int]] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.input_ids)


def shares(first: int, second: int, room: int) -> tuple[int, int]:
    """How many tokens of each text are kept: only the longer text is cut until both are the same length.

    The reference's "longest first": when both have to be cut, the text that was longer keeps the odd one.

    Args:
        first: number of tokens of the first text.
        second: number of tokens of the second text.
        room: how many both may have together.
    """
    if first + second <= room:
        return first, second
    short, long = sorted((first, second))
    if short <= room // 2:
        long = room - short
    else:
        short, long = room // 2, room - room // 2
    return (long, short) if first > second else (short, long)
