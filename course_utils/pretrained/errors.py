"""What can be wrong with a model on disk: one class each, so that a caller can tell them apart.

All are ValueError or FileNotFoundError, and each message says what was expected, what was found, and what to do.
"""

from __future__ import annotations


class ModelNotFound(FileNotFoundError):
    """No model of that name in any of the places looked at."""


class MissingFile(FileNotFoundError):
    """A model folder lacks a file."""


class CacheError(OSError):
    """What was fetched cannot be kept: no room, or no folder that can be written."""


class PickleRefused(ValueError):
    """The weights are a pickle, which can run any code when it is opened."""


class DamagedFile(ValueError):
    """A file is cut off or is not what its name says."""


class ChecksumMismatch(ValueError):
    """The sha256 of a file is not the published one."""


class ConfigError(ValueError):
    """config.json or tokenizer_config.json lacks a key or holds an impossible value."""


class UnsupportedModel(ValueError):
    """A sound model, but not a BERT as in the paper."""


class TensorMismatch(ValueError):
    """Tensors are missing, too many, or of another shape than the configuration says."""
