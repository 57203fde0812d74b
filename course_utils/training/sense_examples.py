"""Homonyms of known sense in their sentences, and batches of them in which words are hidden."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import NamedTuple

import torch
from torch import Tensor

from course_utils.contextual.words import occurrences
from course_utils.datasets.batching import pad
from course_utils.datasets.corpus import CORPUS, HOMONYMS, Folders, sense_documents
from course_utils.tokenization import WordPieceTokenizer

CLASSES = [(word, sense) for word, (_, senses) in HOMONYMS.items() for sense in senses]
WORD_HIDDEN = 0.5  # how often the homonym is behind [MASK]
CONTEXT_HIDDEN = 0.15  # of the other pieces


class Example(NamedTuple):
    """A homonym of known sense in its sentence."""

    ids: list[int]  # with [CLS] and [SEP]
    place: int  # of the homonym's piece
    label: int  # number in CLASSES


@dataclass(frozen=True)
class SenseBatch:
    """B sentences of T tokens."""

    input_ids: Tensor  # int64 (B, T)
    attention_mask: Tensor  # int64 (B, T)
    places: Tensor  # int64 (B,)
    labels: Tensor  # int64 (B,)

    def to(self, device: torch.device) -> SenseBatch:
        """The same on a device."""
        return SenseBatch(*(getattr(self, field.name).to(device) for field in fields(self)))


def sense_examples(
    tokenizer: WordPieceTokenizer, folder: Folders = CORPUS, *, max_length: int = 64
) -> list[Example]:
    """Every homonym that stands free in a file that names its sense and is there a piece of its own.

    Where the tokenizer glues it to its particle (배를) or cuts it in two, it does not count.

    Args:
        tokenizer: its vocabulary should keep homonyms apart from their particles (see datasets.vocabulary).
        folder: the corpus, or several folders.
        max_length: longer sentences are left out.
    """
    examples = []
    for label, (word, sense) in enumerate(CLASSES):
        for document in sense_documents(word, sense, folder):
            for sentence in document:
                encoding = tokenizer.encode(sentence, max_length=None)
                if len(encoding.input_ids) > max_length:
                    continue
                for span in occurrences(sentence, word):
                    if span in encoding.offsets:
                        place = encoding.offsets.index(span)
                        examples.append(Example(list(encoding.input_ids), place, label))
    return examples


def sense_batch(
    examples: Sequence[Example], tokenizer: WordPieceTokenizer, *, generator: torch.Generator
) -> SenseBatch:
    """Pad, and hide homonyms and context by the generator's draws."""
    input_ids = pad([example.ids for example in examples], tokenizer.vocab["[PAD]"])  # (B, T)
    real = pad([[1] * len(example.ids) for example in examples], 0)
    places = torch.tensor([example.place for example in examples])  # (B,)
    rows = torch.arange(len(examples))
    special = torch.tensor([tokenizer.vocab[token] for token in ("[PAD]", "[CLS]", "[SEP]")])
    hidden = (torch.rand(input_ids.shape, generator=generator) < CONTEXT_HIDDEN) & ~torch.isin(
        input_ids, special
    )
    hidden[rows, places] = torch.rand(len(examples), generator=generator) < WORD_HIDDEN
    input_ids = input_ids.masked_fill(hidden, tokenizer.vocab["[MASK]"])
    return SenseBatch(input_ids, real, places, torch.tensor([example.label for example in examples]))
