"""Configuration, tokenizers, and the words and names that a learner types: taken, or refused in one sentence."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from copy import deepcopy
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from course_utils import contextual, exercises
from course_utils.after import AlbertConfig, RobertaConfig
from course_utils.config import BertConfig
from course_utils.datasets import date_tokens
from course_utils.datasets.corpus import read_documents, sense_documents
from course_utils.datasets.vocabulary import train_vocabulary
from course_utils.pretrained import load_pretrained
from course_utils.tokenization import (
    BPETokenizer,
    BPETrainer,
    ByteBPETokenizer,
    ByteBPETrainer,
    WordPieceTokenizer,
    WordPieceTrainer,
)
from course_utils.tokenization.byte_bpe import byte_symbols
from course_utils.tokenization.vocab import SPECIAL_TOKENS
from course_utils.training.settings import Settings
from tests.faults.contract import hold
from tests.faults.strategies import arguments, in_each_profile

SENTENCES = ["배를 타고 바다로 간다.", "배를 깎아 먹는다.", "배가 아프다."]
PIECES = [*SPECIAL_TOKENS, "배", "##를", "##가", "타", "##고", "먹", "##는", "##다", "."]
VOCAB = {piece: number for number, piece in enumerate(PIECES)}
BYTES = {sign: number for number, sign in enumerate(byte_symbols())}
SIZES = {
    "vocab_size": 17,
    "hidden_size": 6,
    "num_hidden_layers": 2,
    "num_attention_heads": 3,
    "intermediate_size": 7,
    "max_position_embeddings": 11,
    "hidden_dropout_prob": 0.1,
    "layer_norm_eps": 1e-12,
    "initializer_range": 0.02,
    "hidden_act": "gelu",
}


def trained(trainer: type) -> Callable[..., Any]:
    """Trains a tokenizer, and uses it."""
    return lambda texts, size, min_count: (
        trainer(min_count=min_count).train(texts, size).tokenize(SENTENCES[0])
    )


TRAINING = {"texts": SENTENCES, "size": 300, "min_count": 2}
# Name: the call, and fitting arguments, each of which is spoilt.
DOORS: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "BertConfig": (BertConfig, SIZES),
    "AlbertConfig": (AlbertConfig, {**SIZES, "embedding_size": 5}),
    "RobertaConfig": (RobertaConfig, {**SIZES, "pad_token_id": 1}),
    "Settings": (
        Settings,
        {"vocab_size": 8000, "layers": 2, "hidden": 64, "heads": 2, "dropout": 0.1, "steps": 7, "warmup": 2},
    ),
    "WordPieceTokenizer.encode": (
        WordPieceTokenizer(VOCAB, strip_accents=False).encode,
        {"text": SENTENCES[0], "pair": SENTENCES[1], "max_length": 11},
    ),
    "WordPieceTokenizer": (
        lambda vocab, max_word_length: WordPieceTokenizer(vocab, max_word_length=max_word_length),
        {"vocab": VOCAB, "max_word_length": 9},
    ),
    "WordPieceTokenizer.decode": (WordPieceTokenizer(VOCAB).decode, {"ids": [2, 5, 3]}),
    "BPETokenizer": (
        lambda vocab, merges, text: BPETokenizer(vocab, merges).tokenize(text),
        {"vocab": {"[UNK]": 0, "▁": 1, "배": 2, "▁배": 3}, "merges": [("▁", "배")], "text": SENTENCES[0]},
    ),
    "ByteBPETokenizer.tokenize": (ByteBPETokenizer(BYTES, []).tokenize, {"text": SENTENCES[0]}),
    **{
        trainer.__name__: (trained(trainer), TRAINING)
        for trainer in (BPETrainer, ByteBPETrainer, WordPieceTrainer)
    },
    "train_vocabulary": (train_vocabulary, {"sentences": SENTENCES * 9, "size": 50}),
    "occurrences": (contextual.occurrences, {"sentence": SENTENCES[0], "word": "배"}),
    "find_word": (contextual.find_word, {"sentence": SENTENCES[0], "word": "배", "occurrence": 0}),
    "sense_documents": (sense_documents, {"word": "배", "sense": "ship"}),
    "source_ids": (date_tokens.source_ids, {"sentences": ["noon on 4 May 1953", "4 May 1953"]}),
    "exercise": (exercises.exercise, {"exercise_id": "02.1"}),
    "exercises_of": (exercises.exercises_of, {"notebook": "02"}),
    "progress": (exercises.progress, {"notebook": "02"}),
    "load_pretrained": (load_pretrained, {"name": "nowhere/배"}),
    "read_documents": (read_documents, {"path": "nowhere/배"}),
}


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The working directory and the home folder: nothing may be written there."""
    folders = [tmp_path / "work", tmp_path / "home"]
    for folder in folders:
        folder.mkdir()
    monkeypatch.chdir(folders[0])
    monkeypatch.setenv("HOME", str(folders[1]))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    return folders


def fuzz(name: str, profile: Any, folders: list[Path]) -> None:
    """Call one door again and again with arguments that are spoilt in one place or two."""
    call, good = DOORS[name]
    with suppress(Exception):  # imports, fonts: what only a first call does is not held against it
        call(**deepcopy(good))
    hold(call, deepcopy(good), folders)

    @profile
    @given(given=arguments(good))
    def again(given: dict[str, Any]) -> None:
        hold(call, given, folders)

    again()


@in_each_profile
@pytest.mark.parametrize("name", DOORS)
def test_it_keeps_to_the_contract(name, profile, elsewhere, same_constants):
    fuzz(name, profile, elsewhere)


@pytest.fixture
def same_constants(monkeypatch):
    """Hypothesis also draws constants of the modules that happen to be loaded; here they are those of no module."""
    providers = import_module("hypothesis.internal.conjecture.providers")
    none = providers.Constants(**dict.fromkeys(("integers", "floats", "bytes", "strings"), ()))
    monkeypatch.setattr(providers, "_get_local_constants", lambda: none)
