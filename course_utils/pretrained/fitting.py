"""Do the settings, the vocabulary and the weights of a folder belong together, and are they whole?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from torch import Tensor

from course_utils.config import BertConfig
from course_utils.pretrained.config_file import TOKENS
from course_utils.pretrained.errors import DamagedFile, TensorMismatch
from course_utils.pretrained.tokenizer_files import VOCABULARY
from course_utils.support.foreign_json import entry
from course_utils.tokenization import WordPieceTokenizer

PADDED = 128  # some models have a few vectors more than tokens: up to a multiple of 8, 64 or 128


def check_vocabulary(size: int, config: BertConfig, source: str) -> None:
    """Refuse more tokens than the model has vectors; `source` has them."""
    if size > config.vocab_size:
        raise TensorMismatch(
            f"{source} has {size} tokens, but the model has vectors for {config.vocab_size} only"
        )


def check_whole_vocabulary(
    tokenizer: WordPieceTokenizer, config: BertConfig, settings: dict[str, Any], folder: Path
) -> None:
    """Refuse a vocab.txt that was cut short: what stood after the cut would be [UNK], and nothing would say so.

    A config.json of ours tells how many tokens there must be; another one, how many at most. (A tokenizer.json that was
    cut is no JSON.)

    Args:
        tokenizer: of the folder.
        config, settings: of config.json, the second as it stands there.
        folder: for the message.
    """
    lines, size = len(tokenizer.word_pieces), len(tokenizer.vocab)
    file = folder / VOCABULARY
    check_vocabulary(size, config, str(file if file.is_file() else folder))
    stored = entry(settings, TOKENS, int, None, source=str(folder / "config.json"))
    if not file.is_file():
        return
    if stored not in (None, lines):
        raise DamagedFile(
            f"{file} must have the {stored} tokens it was saved with, got {lines}; fetch it again"
        )
    if stored is None and size + PADDED <= (most := config.vocab_size):
        told = f"{file} must have about as many tokens as the model has vectors, {most}, got {size}; fetch it again"
        raise DamagedFile(told)


def check_layers(config: BertConfig, tensors: dict[str, Tensor], folder: Path) -> None:
    """Compare the number of layers with that of the tensors (under their plain names) before a model is built: one of
    20,000 would take a minute.
    """
    layers = len({name.split(".")[2] for name in tensors if name.startswith("encoder.layer.")})
    if layers != config.num_hidden_layers:
        told = f"num_hidden_layers is {config.num_hidden_layers} in config.json, but the weights have {layers} layers"
        raise TensorMismatch(f"{folder}: {told}")


def check_finite(tensors: dict[str, Tensor], folder: Path) -> None:
    """Refuse NaN and infinity in tensors as they go into the model: in float16 some numbers of a file are infinite."""
    for name, tensor in tensors.items():
        # The least and the greatest are NaN where one number is: 12 ms for MiniLM; to ask each number takes 200.
        if not all(end.isfinite() for end in tensor.aminmax()):
            told = f"{name} must hold finite numbers, got NaN or infinity in {tensor.dtype}; fetch it again"
            raise DamagedFile(f"{folder}: {told}")
