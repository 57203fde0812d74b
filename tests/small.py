"""What tests of many rooms begin with: a small configuration, and a tokenizer whose pieces are known."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from course_utils.config import BertConfig
from course_utils.tokenization import WordPieceTokenizer
from course_utils.tokenization.vocab import SPECIAL_TOKENS


def small_config(vocab_size: int = 97, **changes: Any) -> BertConfig:
    """Two layers of two heads, 12 wide, but for the changes."""
    sizes = {
        "hidden_size": 12,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "intermediate_size": 29,
        "max_position_embeddings": 37,
    }
    return BertConfig(vocab_size, **sizes | changes)


def tokenizer_of(pieces: Iterable[str]) -> WordPieceTokenizer:
    """The special tokens, then each piece once; case and accents count."""
    vocab = {piece: number for number, piece in enumerate(dict.fromkeys([*SPECIAL_TOKENS, *pieces]))}
    return WordPieceTokenizer(vocab, lowercase=False, strip_accents=False)
