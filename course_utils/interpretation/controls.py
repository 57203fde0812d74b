"""Controls for a finding about attention: a model that has learned nothing, a sentence whose order is lost."""

from __future__ import annotations

import copy

import torch
from torch import nn

from course_utils.initialization import init_weights

ENDS = ".?!…\"'”’)"  # punctuation that closes a sentence


def random_model(model: nn.Module, *, generator: torch.Generator) -> nn.Module:
    """A model of the same architecture with weights as before training, N(0, initializer_range²).

    What it shows comes from the architecture and the positions of the tokens alone, not from anything learned.

    Args:
        model: any BERT with a config; left as it is.
        generator: source of the weights.

    Returns:
        a new model in eval mode.
    """
    fresh = copy.deepcopy(model).eval()
    with torch.no_grad():
        init_weights(fresh, std=fresh.config.initializer_range, generator=generator)
    return fresh


def shuffled_words(sentence: str, *, generator: torch.Generator) -> str:
    """The words of a sentence in another order; the punctuation at its end stays there.

    Args:
        sentence: at least two different words, blanks between them.
        generator: source of the order; an order that changes nothing is drawn again.
    """
    body = sentence.strip().rstrip(ENDS)
    end = sentence.strip()[len(body) :]
    words = body.split()
    if len(set(words)) < 2:
        raise ValueError(f"at least two different words are needed, got {sentence!r}")
    mixed = words
    while mixed == words:
        mixed = [words[place] for place in torch.randperm(len(words), generator=generator)]
    return " ".join(mixed) + end
