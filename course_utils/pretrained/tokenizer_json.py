"""tokenizer.json, as `transformers` 5 writes it: is it BERT's WordPiece, and what does it say?

Not here: the length to which it cuts and pads. Whoever encodes a text says that.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from course_utils.pretrained.errors import ConfigError, UnsupportedModel
from course_utils.support.foreign_json import entry
from course_utils.support.given import shown
from course_utils.tokenization.vocab import check_special_tokens
from course_utils.tokenization.wordpiece import CONTINUES, MAX_WORD_LENGTH, UNKNOWN

# What its parts must be; a key that is missing counts as this.
MUST_BE: dict[str, dict[str, Any]] = {
    "model": {
        "type": "WordPiece",
        "unk_token": UNKNOWN,
        "continuing_subword_prefix": CONTINUES,
        "max_input_chars_per_word": MAX_WORD_LENGTH,
    },
    "normalizer": {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True},
    "pre_tokenizer": {"type": "BertPreTokenizer"},
}


def _step(kind: str, name: str, segment: int) -> dict[str, Any]:
    return {kind: {"id": name, "type_id": segment}}


ONE_TEXT = [_step("SpecialToken", "[CLS]", 0), _step("Sequence", "A", 0), _step("SpecialToken", "[SEP]", 0)]
TWO_TEXTS = [*ONE_TEXT, _step("Sequence", "B", 1), _step("SpecialToken", "[SEP]", 1)]


def vocabulary_of(whole: dict[str, Any], path: Path, *, adds_ends: bool) -> dict[str, int]:
    """The vocabulary: token -> id. UnsupportedModel where it is no WordPiece of BERT's kind.

    Args:
        whole: the JSON object.
        path: for messages.
        adds_ends: whether the class that it is for adds [CLS] and [SEP] where the file does not say so.
    """
    for name, wanted in MUST_BE.items():
        part = entry(whole, name, dict, None, source=str(path)) or {"type": None}
        if name == "model" and "type" not in part:  # files of 2020
            part = {"type": "BPE" if "merges" in part else "WordPiece"} | part
        for key, value in wanted.items():
            if part.get(key, value) != value:
                told = f"{name}.{key} is {part[key]!r:.60}, and only BERT's {value!r} is known here"
                raise UnsupportedModel(f"{path}: {told}")
    vocab = entry(whole["model"], "vocab", dict, source=str(path), path="model.")
    if sorted(map(repr, vocab.values())) != sorted(map(repr, range(len(vocab)))):
        raise ConfigError(f"{path}: the ids of model.vocab must be 0 … {len(vocab) - 1}, each once")
    check_special_tokens(vocab, source=path)
    around = [[token, vocab[token]] for token in ("[CLS]", "[SEP]")]
    ends = entry(whole, "post_processor", dict, None, source=str(path)) or {"type": None}
    kind = ends.get("type")
    if not (
        (kind is None and adds_ends)
        or (kind, ends.get("cls"), ends.get("sep")) == ("BertProcessing", *around)
        or (ends.get("single"), ends.get("pair")) == (ONE_TEXT, TWO_TEXTS)
    ):
        told = f"post_processor is {shown(kind)} and does not make [CLS] A [SEP] B [SEP]"
        raise UnsupportedModel(f"{path}: {told}; only BERT's form is known here")
    if told := sentence_pieces(vocab):
        raise UnsupportedModel(f"{path}: {told}")
    return vocab


def rules_of(whole: dict[str, Any], path: Path) -> tuple[bool, bool]:
    """Of its normaliser: whether it turns to lower case, and whether it strips accents."""
    read = partial(entry, whole["normalizer"], source=str(path), path="normalizer.")
    lowercase, strip_accents = read("lowercase", bool), read("strip_accents", bool, None)
    return lowercase, lowercase if strip_accents is None else strip_accents


def sentence_pieces(vocab: dict[str, int]) -> str | None:
    """What is wrong with a vocabulary of SentencePiece: it marks the beginnings of words, and not what follows."""
    starts = sum(token.startswith("▁") for token in vocab)
    if not starts or any(token.startswith(CONTINUES) for token in vocab):
        return None
    return f"{starts} tokens begin with ▁ and none with {CONTINUES}: a vocabulary of SentencePiece, not of WordPiece"
