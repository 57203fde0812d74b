"""vocab.txt: read, checked, written. One token a line, UTF-8; the line number, counted from 0, is the token's id."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from pathlib import Path

from course_utils.support.files import read_regular, write_atomically
from course_utils.support.given import shown

SPECIAL_TOKENS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")  # a new vocabulary has them in this order

TAKE_AGAIN = "take the file from its source again"


def load_vocab(path: str | Path, *, required: Iterable[str] = SPECIAL_TOKENS) -> dict[str, int]:
    """Read vocab.txt: token -> id, in the order of the file; ValueError, with the line, where it is damaged.

    Args:
        path: the file.
        required: tokens that must be there.
    """
    vocab: dict[str, int] = {}
    for number, token in enumerate(_lines(path), start=1):
        if not token.strip(" \t"):
            raise ValueError(
                f"{path}: line {number} is empty; every line holds one token: {TAKE_AGAIN}, or, where it is so there, "
                f"write [line{number}] into it"
            )
        if token in vocab:
            first = vocab[token] + 1
            raise ValueError(
                f"{path}: {shown(token)} stands twice, in lines {first} and {number}; each has one id: {TAKE_AGAIN}, "
                f"or, where it is so there, write [line{first}] in line {first}: `transformers` reads the other"
            )
        vocab[token] = number - 1
    check_special_tokens(vocab, required=required, source=path)
    return vocab


def check_special_tokens(
    vocab: Mapping[str, int], *, required: Iterable[str] = SPECIAL_TOKENS, source: str | Path = "vocabulary"
) -> None:
    """Raise ValueError when a required token is missing, naming all that are."""
    missing = [token for token in required if token not in vocab]
    if missing:
        needed = f"BERT needs {', '.join(required)}: is this the vocab.txt of a BERT model?"
        raise ValueError(f"{source}: {', '.join(missing)} missing among {len(vocab):,} tokens; {needed}")


def save_vocab(vocab: Mapping[str, int], path: str | Path) -> None:
    """Write vocab.txt; load_vocab gives back the same mapping. ValueError if ids or tokens do not fit into lines."""
    tokens = sorted(vocab, key=vocab.__getitem__)
    if [vocab[token] for token in tokens] != list(range(len(tokens))):
        raise ValueError(f"the ids of a vocabulary must be 0 … {len(tokens) - 1}, each once: {path}")
    for token in tokens:
        if not token.strip(" \t") or "\n" in token or "\r" in token:
            raise ValueError(f"{token!r} cannot stand in a line of {path}: it is blank or holds a line end")
    write_atomically(path, "".join(f"{token}\n" for token in tokens))


def tokens_of(ids: Iterable[int], ids_to_tokens: Mapping[int, str]) -> list[str]:
    """The token of each id; ValueError for an id that is no token's.

    Args:
        ids: integers in one row (T,): a list, an array or a tensor.
        ids_to_tokens: id -> token.
    """
    numbers = [operator.index(number) for number in ids]  # of a tensor, too
    for number in numbers:
        if number not in ids_to_tokens:
            raise ValueError(f"ids must be 0 … {len(ids_to_tokens) - 1}, got {number}")
    return [ids_to_tokens[number] for number in numbers]


def _lines(path: str | Path) -> list[str]:
    """The lines of a text file. Only \\n and \\r\\n end a line: U+2028 and U+0085 can be tokens."""
    raw = read_regular(path)
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise ValueError(
            f"{path} is not UTF-8: byte 0x{raw[error.start]:02X} in line {line} fits no character: save the file as "
            f"UTF-8, or {TAKE_AGAIN}"
        ) from None
    if not text.strip():
        raise ValueError(f"{path} is empty; a vocabulary has one token a line: {TAKE_AGAIN}")
    if text.startswith("\ufeff"):
        raise ValueError(f"{path} begins with a byte order mark (U+FEFF); save it as UTF-8 without one")
    return [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")]
