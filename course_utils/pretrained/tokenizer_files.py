"""The tokenizer of a model folder: vocab.txt or tokenizer.json, what stands beside them, and back.

`transformers` 5 writes tokenizer.json and tokenizer_config.json; earlier ones wrote vocab.txt, added_tokens.json and
special_tokens_map.json as well. All are read; where two contradict each other, neither is believed.
"""

from __future__ import annotations

import unicodedata
import warnings
from collections.abc import Iterator
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

from course_utils.config import BertConfig
from course_utils.pretrained.config_file import read_json
from course_utils.pretrained.errors import ConfigError, MissingFile, UnsupportedModel
from course_utils.pretrained.tokenizer_json import rules_of, sentence_pieces, vocabulary_of
from course_utils.pretrained.weights import verify
from course_utils.support.foreign_json import entry
from course_utils.support.given import shown
from course_utils.tokenization import WordPieceTokenizer
from course_utils.tokenization.added import AddedToken
from course_utils.tokenization.vocab import SPECIAL_TOKENS, load_vocab
from course_utils.tokenization.wordpiece import MAX_WORD_LENGTH

VOCABULARY, WHOLE, SETTINGS = "vocab.txt", "tokenizer.json", "tokenizer_config.json"
ADDED, NAMED = "added_tokens.json", "special_tokens_map.json"
FILES = (VOCABULARY, WHOLE, SETTINGS, ADDED, NAMED)
BERTS = ("BertTokenizer", "BertTokenizerFast", None)
ANY = ("PreTrainedTokenizerFast", "TokenizersBackend")  # what tokenizer.json says, whatever that is
ROLES = {f"{token[1:-1].lower()}_token": token for token in SPECIAL_TOKENS}  # pad_token: [PAD] …
MORE = ("additional_special_tokens", "extra_special_tokens")
LOST = 0.1  # share of a vocabulary that no text reaches: 0 for bert-base-uncased, a third for a cased one in lower case


def load_tokenizer(folder: Path, sha256: str | None = None) -> WordPieceTokenizer:
    """The tokenizer of a folder, with what its settings say besides as `kept_settings`.

    Args:
        folder: of the model.
        sha256: of vocab.txt, where it is known.
    """
    lines, whole_file = folder / VOCABULARY, folder / WHOLE
    if not lines.is_file() and not whole_file.is_file():
        raise MissingFile(
            f"{folder} has no {VOCABULARY} and no {WHOLE}: ids mean nothing without a vocabulary"
        )
    settings = {key: value for file in (NAMED, SETTINGS) for key, value in _read(folder / file).items()}
    whole = _read(whole_file)
    kind = _kind(settings, whole, folder / SETTINGS)
    if lines.is_file():
        verify(lines, sha256)
        vocab = load_vocab(lines)
    if whole_file.is_file():
        stored = vocabulary_of(whole, whole_file, adds_ends=kind in BERTS)
        vocab = _same(vocab, stored, folder) if lines.is_file() else stored
    lowercase, strip_accents = _rules(settings, whole, kind, folder)
    if told := _other_kind(vocab, lowercase, strip_accents):
        warnings.warn(f"{folder}: {told}", stacklevel=3)
    added = _added(folder, vocab, settings, whole)
    try:
        tokenizer = WordPieceTokenizer(vocab, lowercase=lowercase, strip_accents=strip_accents, added=added)
    except ValueError as error:
        raise ConfigError(f"{folder}: {error}") from None
    tokenizer.kept_settings = {key: _plain(value) for key, value in settings.items()}
    return tokenizer


def tokenizer_settings(tokenizer: WordPieceTokenizer, config: BertConfig) -> dict[str, Any]:
    """The tokenizer_config.json with which a vocab.txt tells all of a tokenizer."""
    if tokenizer.max_word_length != MAX_WORD_LENGTH:
        told = f"a model folder has no place for max_word_length={tokenizer.max_word_length}"
        raise ValueError(f"{told}: give a tokenizer with {MAX_WORD_LENGTH}, as when it is not named")
    settings = {"model_max_length": config.max_position_embeddings} | getattr(tokenizer, "kept_settings", {})
    settings |= {
        "tokenizer_class": "BertTokenizer",
        "do_lower_case": tokenizer.lowercase,
        "strip_accents": tokenizer.strip_accents,
        "tokenize_chinese_chars": True,
    }
    if tokenizer.added != WordPieceTokenizer(tokenizer.word_pieces).added:
        flags = {token.id: asdict(token) for token in tokenizer.added.values()}
        settings["added_tokens_decoder"] = {str(each.pop("id")): each for _, each in sorted(flags.items())}
    return settings


# --- vocabulary and rules ------------------------------------------------------------------------------------------


def _read(path: Path) -> dict[str, Any]:
    return read_json(path) if path.is_file() else {}


def _kind(settings: dict[str, Any], whole: dict[str, Any], path: Path) -> str | None:
    """The class of the tokenizer; UnsupportedModel if it is none of BERT's."""
    read = partial(entry, settings, source=str(path))
    kind, chinese = read("tokenizer_class", str, None), read("tokenize_chinese_chars", bool, True)
    if kind not in (BERTS + ANY if whole else BERTS) or not chinese:
        told = f"tokenizer_class is {shown(kind)}, and tokenize_chinese_chars {chinese}"
        raise UnsupportedModel(f"{path}: {told}; only BertTokenizer with true is known here")
    if read("split_special_tokens", bool, False):
        raise UnsupportedModel(f"{path}: split_special_tokens is true, and here no [MASK] is split")
    for role, token in ROLES.items():
        if (named := _plain(settings.get(role))) not in (None, token):
            raise UnsupportedModel(f"{path}: {role} is {shown(named)}, and only {token!r} is known here")
    return kind


def _same(lines: dict[str, int], stored: dict[str, int], folder: Path) -> dict[str, int]:
    """One of two vocabularies that are the same; otherwise the model learned one of them, and nothing tells which."""
    if lines != stored:
        token = min(lines.items() ^ stored.items(), key=lambda item: item[1])[0]
        first, second = (ids.get(token, "none") for ids in (lines, stored))
        told = f"the id of {shown(token)} is {first} by {VOCABULARY}, {second} by {WHOLE}, which `transformers` 5 reads"
        raise ConfigError(f"{folder}: {told}: move away the one that the model did not learn")
    return lines


def _rules(
    settings: dict[str, Any], whole: dict[str, Any], kind: str | None, folder: Path
) -> tuple[bool, bool]:
    """Whether to turn to lower case, and whether to strip accents, which follows the case where it is null."""
    found = rules_of(whole, folder / WHOLE) if whole else (True, None)
    if kind in ANY:
        return found
    read = partial(entry, settings, source=str(folder / SETTINGS))
    lowercase, strip_accents = read("do_lower_case", bool, found[0]), read("strip_accents", bool, None)
    if strip_accents is None:
        strip_accents = lowercase if found[1] is None or "strip_accents" in settings else found[1]
    if whole and (lowercase, strip_accents) != found:
        told = f"do_lower_case and strip_accents are {lowercase} and {strip_accents} by {SETTINGS}"
        told += f", {found[0]} and {found[1]} by {WHOLE}: let both say the same"
        raise ConfigError(f"{folder}: {told} (`transformers` 5 goes by {SETTINGS})")
    return lowercase, strip_accents


def _other_kind(vocab: dict[str, int], lowercase: bool, strip_accents: bool) -> str | None:
    """What tells that most words of a text would be [UNK]."""
    if told := sentence_pieces(vocab):
        return f"{told}; most words become [UNK]"

    def reached(token: str) -> bool:
        cased = lowercase and token != token.lower()
        return not cased and not (strip_accents and token != unicodedata.normalize("NFD", token))

    lost = [token for token in vocab if token not in SPECIAL_TOKENS and not reached(token)]
    if len(lost) <= LOST * len(vocab):
        return None
    told = f"{len(lost)} of {len(vocab)} tokens, such as {', '.join(lost[:2])}, stand in no text that is lower-cased"
    told += " or stripped of its accents, so that most words become [UNK]; for a cased or Korean model write "
    return f'{told}"do_lower_case": false, "strip_accents": false into {SETTINGS}'


# --- added tokens --------------------------------------------------------------------------------------------------


def _added(
    folder: Path, vocab: dict[str, int], settings: dict[str, Any], whole: dict[str, Any]
) -> list[AddedToken]:
    """Every token that is cut out of a text before its words are, by id."""
    found: dict[str, AddedToken] = {}
    for token in _listed_tokens(folder, settings, whole):
        if (known := found.setdefault(token.content, token)).id != token.id:
            told = f"{shown(token.content)} has two ids, {known.id} and {token.id}"
            raise ConfigError(f"{folder}: {told}: take one of them away")
    for token in _named_tokens(settings, vocab):
        known = found.get(token.content, token)
        if known.id < 0:
            told = f"{shown(token.content)} is a special token, and no file says its id"
            again = f"t = AutoTokenizer.from_pretrained({str(folder)!r}); t.save_pretrained({str(folder)!r})"
            raise ConfigError(f"{folder}: {told}; `transformers` writes it down: {again}")
        found[token.content] = replace(known, special=True)
    following = len(vocab)
    added = sorted(found.values(), key=lambda token: token.id)
    for token in added:
        if token.id != (right := vocab.get(token.content, following)):
            told = f"the added token {shown(token.content)} has id {token.id}, and `transformers` gives it {right}"
            raise ConfigError(f"{folder}: {told}, as in the vocabulary or next after it: write {right}")
        following += token.content not in vocab
    return added


def _listed_tokens(folder: Path, settings: dict[str, Any], whole: dict[str, Any]) -> Iterator[AddedToken]:
    """The tokens that a file lists with their ids, the file that counts most first."""
    source = str(folder / SETTINGS)
    numbered = entry(settings, "added_tokens_decoder", dict, None, source=source) or {}
    for number, flags in numbered.items():
        yield _token(flags, int(number) if number.isdecimal() and len(number) < 10 else -1, source)
    source = str(folder / WHOLE)
    for flags in entry(whole, "added_tokens", list, None, source=source) or []:
        yield _token(flags, entry(flags, "id", int, source=source, path="added_tokens."), source)
    numbers = _read(folder / ADDED)
    for content in numbers:
        yield AddedToken(content, entry(numbers, content, int, source=str(folder / ADDED)))


def _named_tokens(settings: dict[str, Any], vocab: dict[str, int]) -> Iterator[AddedToken]:
    """The tokens that the settings call special; their id is −1 where the vocabulary has none."""
    named = [value for key, value in settings.items() if key.endswith("_token")]
    for more in map(settings.get, MORE):
        named += more.values() if isinstance(more, dict) else more if isinstance(more, list) else []
    for each in named:
        if isinstance(name := _plain(each), str):
            flags = each if isinstance(each, dict) else {"content": each}
            yield _token({"normalized": False} | flags, vocab.get(name, -1), SETTINGS)


def _token(flags: Any, number: int, source: str) -> AddedToken:
    read = partial(entry, flags, source=source, path="added token.")
    blanks = {name: read(name, bool, False) for name in ("single_word", "lstrip", "rstrip", "special")}
    return AddedToken(
        read("content", str), number, normalized=read("normalized", bool, not blanks["special"]), **blanks
    )


def _plain(value: Any) -> Any:
    """A setting, where it is a token with flags its text alone: its flags are told with its id."""
    if isinstance(value, list):
        return [_plain(each) for each in value]
    return value["content"] if isinstance(value, dict) and "content" in value else value
