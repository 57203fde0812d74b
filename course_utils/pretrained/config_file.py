"""config.json of the Hugging Face layout <-> BertConfig."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from course_utils.config import BertConfig
from course_utils.pretrained.errors import ConfigError, MissingFile, UnsupportedModel
from course_utils.support.foreign_json import entry, read_object
from course_utils.support.given import listed, shown

# Their names of an activation -> ours, and back. All three gelu_… are the tanh form.
ACTIVATION_NAMES = {
    "gelu": "gelu",
    "gelu_python": "gelu",
    "gelu_new": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "gelu_python_tanh": "gelu_tanh",
    "relu": "relu",
}
STORED_ACTIVATIONS = {"gelu": "gelu", "gelu_tanh": "gelu_new", "relu": "relu"}

FIELDS = tuple(asdict(BertConfig()))
# The first published files (2018) lack it; the code that wrote them used this value.
OLD_DEFAULTS = {"layer_norm_eps": 1e-12}

# Not a setting of BERT: how many tokens vocab.txt has. The reference reads over it.
TOKENS = "tokenizer_vocab_size"

# Settings that would make it a different model, and the one value that BERT has.
MUST_BE = {
    "model_type": "bert",
    "position_embedding_type": "absolute",
    "is_decoder": False,
    "add_cross_attention": False,
    "is_encoder_decoder": False,
}


def read_json(path: Path) -> dict[str, Any]:
    """The object in a JSON file of a model folder; MissingFile or BadJSON if there is none."""
    try:
        return read_object(path)
    except FileNotFoundError:
        raise MissingFile(f"{path.parent} has no {path.name}: a model folder needs one") from None


def config_from_dict(settings: dict[str, Any], *, source: str = "config.json") -> BertConfig:
    """The settings of a config.json -> BertConfig; UnsupportedModel or ConfigError where they make none.

    Args:
        settings: the JSON object.
        source: what a message calls the file.
    """
    for key, wanted in MUST_BE.items():
        if settings.get(key, wanted) not in (wanted, None):
            told = f"{key} is {shown(settings[key])}, and this course's BERT knows only {wanted!r}"
            raise UnsupportedModel(f"{source}: {told}")
    if missing := [name for name in FIELDS if name not in settings and name not in OLD_DEFAULTS]:
        raise ConfigError(f"{source} lacks {listed(missing, 3)} of BERT's settings; add them")
    values = {name: settings.get(name, OLD_DEFAULTS.get(name)) for name in FIELDS}
    activation = entry(settings, "hidden_act", str, source=source)
    if activation not in ACTIVATION_NAMES:
        told = (
            f"hidden_act is {shown(activation)}, and this course's BERT knows only {listed(ACTIVATION_NAMES)}"
        )
        raise UnsupportedModel(f"{source}: {told}")
    values["hidden_act"] = ACTIVATION_NAMES[activation]
    try:
        return BertConfig(**values)
    except ValueError as error:
        raise ConfigError(f"{source}: {error}") from None


def config_to_dict(
    config: BertConfig,
    architecture: str,
    *,
    num_labels: int | None = None,
    kept: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """BertConfig -> the settings of a config.json that `transformers` reads.

    Args:
        config: see BertConfig.
        architecture: the class of the model; ours bear the reference's names.
        num_labels: of a classification head.
        kept: what the config.json it was loaded from says. What the model itself tells is not taken from it, nor are
            labels of another number, nor the type of its weights, which the new file tells.
    """
    kept = {key: value for key, value in (kept or {}).items() if key not in ("dtype", "torch_dtype")}
    settings = kept | {"architectures": [architecture], **MUST_BE, **asdict(config)}
    settings["hidden_act"] = STORED_ACTIVATIONS[config.hidden_act]
    names = kept.get("id2label")
    if num_labels is not None and not (isinstance(names, dict) and len(names) == num_labels):
        settings["id2label"] = {str(index): f"LABEL_{index}" for index in range(num_labels)}
        settings["label2id"] = {f"LABEL_{index}": index for index in range(num_labels)}
    return settings
