"""A model folder -> model and tokenizer, and back."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from course_utils import heads
from course_utils.bert import BertModel
from course_utils.config import BertConfig
from course_utils.initialization import Undrawn
from course_utils.pretrained.checkpoints import put_readout
from course_utils.pretrained.config_file import TOKENS, config_from_dict, config_to_dict, read_json
from course_utils.pretrained.errors import ConfigError, TensorMismatch, UnsupportedModel
from course_utils.pretrained.fitting import (
    check_finite,
    check_layers,
    check_vocabulary,
    check_whole_vocabulary,
)
from course_utils.pretrained.name_map import (
    COPIES,
    OPTIONAL_PARTS,
    POSITION_IDS,
    plain_name,
    reference_name,
    stored_name,
)
from course_utils.pretrained.sources import find_model
from course_utils.pretrained.tokenizer_files import SETTINGS, VOCABULARY, load_tokenizer, tokenizer_settings
from course_utils.pretrained.weights import FLOATS, WEIGHTS, read_weights, write_weights
from course_utils.support.files import write_atomically
from course_utils.support.folders import is_leftover, remove_folder
from course_utils.support.foreign_json import entry
from course_utils.support.given import listed, one_line, shown
from course_utils.tokenization import WordPieceTokenizer
from course_utils.tokenization.vocab import save_vocab

# The files that save_pretrained writes. A folder with just these is replaced by another save; any other is its owner's.
SAVED = {"config.json", VOCABULARY, SETTINGS, WEIGHTS}

MODEL_CLASSES: dict[str, Callable[..., nn.Module]] = {
    cls.__name__: cls
    for cls in (
        BertModel,
        heads.BertForPreTraining,
        heads.BertForMaskedLM,
        heads.BertForNextSentencePrediction,
        heads.BertForSequenceClassification,
        heads.BertForTokenClassification,
        heads.BertForQuestionAnswering,
        heads.BertForMultipleChoice,
    )
}
WITH_LABELS = (heads.BertForSequenceClassification, heads.BertForTokenClassification)
WITH_CLASSIFIER = (*WITH_LABELS, heads.BertForMultipleChoice)


def load_pretrained(
    name: str | Path | None = None,
    *,
    model_class: type[nn.Module] | None = None,
    dtype: torch.dtype = torch.float32,
    device: torch.device | str | None = None,
) -> tuple[nn.Module, WordPieceTokenizer]:
    """Load a BERT and its tokenizer, wholly or not at all; the model comes in eval mode.

    Args:
        name: "course-bert" (None means it: pre-trained, never shown the label of a sense) or "course-bert-senses" (the
            same after sense tuning); a folder in the Hugging Face layout; or a name on the hub such as
            "sentence-transformers/all-MiniLM-L6-v2" (see sources.find_model for where it is looked for).
        model_class: BertModel or a class of course_utils.heads. None means the one whose heads the file holds. A class
            with fewer parts than the file (BertModel from a pre-training checkpoint) leaves those parts out.
        dtype: type of the parameters, whatever the file stores.
        device: where they lie, such as "cuda"; None means the processor.

    Returns:
        model, tokenizer. What the folder's settings say besides (names of labels, …) stands in `kept_settings` of both,
        and save_pretrained writes it again.

    What is wrong with a folder or a name is one of course_utils.pretrained.errors.
    """
    source = find_model(name)
    settings = read_json(source.folder / "config.json")
    config = config_from_dict(settings, source=str(source.folder / "config.json"))
    tokenizer = load_tokenizer(source.folder, source.checksums.get(VOCABULARY))
    check_whole_vocabulary(tokenizer, config, settings, source.folder)
    tensors = read_weights(source.folder, source.checksums)
    model = _build_model(config, settings, tensors, model_class, dtype, source.folder)
    if source.checkpoint:
        put_readout(model, source.checkpoint)
    model.kept_settings = settings
    return model.eval().to(device), tokenizer


def save_pretrained(
    model: nn.Module, tokenizer: WordPieceTokenizer, folder: str | Path, *, dtype: torch.dtype | None = None
) -> None:
    """Save a BERT and its tokenizer so that load_pretrained and `transformers` open them, wholly or not at all.

    All files are written to a folder beside it, which then takes its place: when that fails (disk full, power cut while
    writing), what was there before is still there. An empty folder of that name is replaced, and so is a model that was
    saved here before; a folder that holds anything else, a downloaded model's further files among it, is left alone.

    Args:
        model: BertModel or a class of course_utils.heads.
        tokenizer: its vocabulary may be smaller than the model's, not larger.
        folder: where to; parent folders are created.
        dtype: type in the file, such as torch.float16; None means the model's own.
    """
    folder = Path(os.path.expanduser(folder))
    model = getattr(model, "_orig_mod", model)  # what torch.compile wraps
    architecture = type(model).__name__
    if MODEL_CLASSES.get(architecture) is not type(model):
        raise ValueError(f"model must be one of {listed(list(MODEL_CLASSES))}, got {architecture}")
    if dtype is not None and dtype not in FLOATS:
        raise ValueError(f"dtype must be one of {listed([str(t) for t in FLOATS])}, got {dtype}")
    check_vocabulary(len(tokenizer.vocab), model.config, "the tokenizer")
    words = tokenizer_settings(tokenizer, model.config)
    has_head = not isinstance(model, BertModel)
    tensors = {
        # A copy each: layers that share their parameters are stored one by one, as their names are.
        stored_name(ours, has_head=has_head): tensor.detach()
        .to("cpu", dtype or tensor.dtype, copy=True)
        .contiguous()
        for ours, tensor in model.state_dict().items()
    }
    kept = getattr(model, "kept_settings", {})
    settings = config_to_dict(
        model.config, architecture, num_labels=getattr(model, "num_labels", None), kept=kept
    )
    settings[TOKENS] = len(tokenizer.word_pieces)

    def write(into: Path) -> None:
        write_weights(into / WEIGHTS, tensors)
        save_vocab(tokenizer.word_pieces, into / VOCABULARY)
        _write_json(into / "config.json", settings)
        _write_json(into / SETTINGS, words)

    _replace_folder(folder.resolve(), write)


# --- the model -------------------------------------------------------------------------------------------------


def _build_model(
    config: BertConfig,
    settings: dict[str, Any],
    stored: dict[str, Tensor],
    model_class: type[nn.Module] | None,
    dtype: torch.dtype,
    folder: Path,
) -> nn.Module:
    """Account for every tensor of both sides, then put them into a new model."""
    tensors = _plain_tensors(stored, folder)
    chosen = model_class or _class_for(tensors, settings, folder)
    check_layers(config, tensors, folder)
    try:
        with torch.device("meta"), Undrawn():  # no memory and no random numbers for what is replaced at once
            model = _empty_model(chosen, config, tensors)
    except ValueError as error:  # an initializer_range of 0
        raise ConfigError(f"{folder / 'config.json'}: {error}") from None
    except (RuntimeError, TypeError):  # torch's own words go on for forty lines
        raise ConfigError(f"{folder / 'config.json'}: no tensor can be as large as its sizes say") from None
    wanted = {ours: reference_name(ours) for ours in model.state_dict()}
    # Any file may hold a pooler that the head does not use; other parts are left out only on request.
    left_out = OPTIONAL_PARTS if model_class else ("pooler.",)
    missing = [name for name in wanted.values() if name not in tensors]
    unknown = [name for name in set(tensors) - set(wanted.values()) if not name.startswith(left_out)]
    if missing or unknown:
        raise TensorMismatch(
            f"{folder}: the tensors must be those of {chosen.__name__}"
            + (f"; missing: {listed(missing, letters=75)}" if missing else "")
            + (f"; unknown: {listed(unknown, letters=75)}" if unknown else "")
        )
    for ours, empty in model.state_dict().items():
        found = tensors[wanted[ours]]
        if found.shape != empty.shape:
            told = f"must have shape {tuple(empty.shape)} by config.json, got {tuple(found.shape)}"
            raise TensorMismatch(f"{folder}: {wanted[ours]} {told}")
    values = {ours: tensors[name].to(dtype) for ours, name in wanted.items()}
    check_finite({wanted[ours]: tensor for ours, tensor in values.items()}, folder)
    model.load_state_dict(values, assign=True)
    return model


def _plain_tensors(stored: dict[str, Tensor], folder: Path) -> dict[str, Tensor]:
    """The tensors of a file under their plain names, without those that carry nothing of their own."""
    tensors: dict[str, Tensor] = {}
    for name, tensor in stored.items():
        plain = plain_name(name)
        if plain in tensors:
            raise TensorMismatch(
                f"{folder}: two tensors are both {one_line(plain)}; one of the names is {one_line(name)}"
            )
        tensors[plain] = tensor
    positions = tensors.pop(POSITION_IDS, None)
    if positions is not None and positions.flatten().tolist() != list(range(positions.numel())):
        raise UnsupportedModel(f"{folder}: other positions than 0, 1, 2, … are not supported: {POSITION_IDS}")
    for copy, original in COPIES.items():
        if copy not in tensors:
            continue
        tensor = tensors.pop(copy)
        if not torch.equal(tensor, tensors.setdefault(original, tensor)):
            raise UnsupportedModel(f"{folder}: an untied decoder is not supported: {copy}")
    return tensors


def _class_for(tensors: dict[str, Tensor], settings: dict[str, Any], folder: Path) -> type[nn.Module]:
    """The class whose heads the file holds; where the tensors alone do not tell, config.json does."""

    def holds(part: str) -> bool:
        return any(name.startswith(part) for name in tensors)

    named = (entry(settings, "architectures", list, None, source=str(folder / "config.json")) or [None])[0]
    if named is not None and named not in tuple(MODEL_CLASSES):
        told = f"the architecture is {shown(named)}, and only BertModel and course_utils.heads are known here"
        told += "; model_class=BertModel loads it without its head"
        raise UnsupportedModel(f"{folder / 'config.json'}: {told}")
    masked, following = holds("cls.predictions."), holds("cls.seq_relationship.")
    if masked or following:
        if not masked:
            return heads.BertForNextSentencePrediction
        return heads.BertForPreTraining if following else heads.BertForMaskedLM
    if holds("qa_outputs."):
        return heads.BertForQuestionAnswering
    if holds("classifier."):
        if MODEL_CLASSES.get(named) not in WITH_CLASSIFIER:
            told = "holds a classifier, but its config.json does not say in architectures of what; give model_class"
            raise UnsupportedModel(f"{folder} {told}")
        return MODEL_CLASSES[named]
    return BertModel


def _empty_model(chosen: type[nn.Module], config: BertConfig, tensors: dict[str, Tensor]) -> nn.Module:
    if chosen is BertModel:
        return BertModel(config, pooler=any(name.startswith("pooler.") for name in tensors))
    if chosen in WITH_LABELS and "classifier.weight" in tensors:
        return chosen(config, num_labels=max(1, len(tensors["classifier.weight"])))
    return chosen(config)


# --- writing ---------------------------------------------------------------------------------------------------


def _write_json(path: Path, content: dict[str, Any]) -> None:
    write_atomically(path, json.dumps(content, indent=2, ensure_ascii=False) + "\n")


def _replace_folder(folder: Path, write: Callable[[Path], None]) -> None:
    """Let `write` fill a new folder, then put it in the place of the old one."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    _put_back(folder)
    _check_replaceable(folder)
    mark = secrets.token_hex(4)
    new, old = (folder.with_name(f".{folder.name}.{mark}.{state}") for state in ("new", "old"))
    new.mkdir()
    try:
        write(new)
        if folder.exists():
            folder.rename(old)
        try:
            new.rename(folder)
        except BaseException:
            if old.exists():
                old.rename(folder)
            raise
    finally:
        if new.is_dir():
            remove_folder(new, SAVED)
        if folder.is_dir() and old.is_dir():
            remove_folder(old, SAVED)


def _put_back(folder: Path) -> None:
    """Give a model its name again that a killed process had moved aside and not replaced yet."""
    if folder.exists():
        return
    aside = [
        path
        for path in folder.parent.iterdir()
        if is_leftover(path.name, [folder.name], "old") and SAVED == {entry.name for entry in path.iterdir()}
    ]
    if aside:
        max(aside, key=lambda path: path.stat().st_mtime).rename(folder)


def _check_replaceable(folder: Path) -> None:
    """ValueError unless nothing is lost when another folder takes the place of this one."""
    told = one_line(str(folder), 120)
    if folder in (here := Path.cwd(), *here.parents):
        raise ValueError(f"{told} is the working directory, or holds it, and cannot be replaced")
    if not folder.exists():
        return
    entries = list(folder.iterdir()) if folder.is_dir() else [folder]
    found = {entry.name for entry in entries}
    foreign = sorted(entry.name for entry in entries if entry.name not in SAVED or entry.is_dir())
    if foreign:
        lost = listed(foreign, letters=99)
        raise ValueError(
            f"{told} holds what save_pretrained does not write ({lost}) and would be lost; choose another"
        )
    if found and (lacking := sorted(SAVED - found)):
        told += f" holds {listed(found)} and is no model that save_pretrained wrote, which has {listed(lacking)}, too"
        raise ValueError(f"{told}; choose another folder")
