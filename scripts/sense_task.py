"""The third task of sense tuning: homonyms of known sense, some hidden, and a head that chooses among their senses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from course_utils.contextual.words import occurrences
from course_utils.datasets.batching import Batch, pad, seeded
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
        return SenseBatch(*(getattr(self, field.name).to(device) for field in fields(self)))


def sense_examples(
    tokenizer: WordPieceTokenizer,
    folder: Folders = CORPUS,
    *,
    max_length: int = 64,
    labels: int = 0,
    seed: int = 0,
) -> list[Example]:
    """Every homonym that stands free in a file that names its sense and is there a piece of its own.

    Where the tokenizer glues it to its particle (배를) or cuts it in two, it does not count.

    Args:
        tokenizer: its vocabulary should keep homonyms apart from their particles (see datasets.vocabulary).
        folder: the corpus, or several folders.
        max_length: longer sentences are left out.
        labels: number of sentences to learn a sense from, drawn and spread over its documents; fewer where it has
            fewer, and all for 0. Those of a smaller number are among those of a larger one.
        seed: of that draw.
    """
    examples = []
    for label, (word, sense) in enumerate(CLASSES):
        usable = []  # a document, its sentences, the examples of each
        for document in sense_documents(word, sense, folder):
            found = (_in_sentence(tokenizer, sentence, word, label, max_length) for sentence in document)
            usable.append([those for those in found if those])
        if labels:
            usable = [[those] for those in _spread(usable, generator=seeded(seed, label))[:labels]]
        examples += [example for document in usable for those in document for example in those]
    return examples


def _in_sentence(
    tokenizer: WordPieceTokenizer, sentence: str, word: str, label: int, max_length: int
) -> list[Example]:
    encoding = tokenizer.encode(sentence, max_length=None)
    ids = list(encoding.input_ids)
    if len(ids) > max_length:
        return []
    spans = [span for span in occurrences(sentence, word) if span in encoding.offsets]
    return [Example(ids, encoding.offsets.index(span), label) for span in spans]


def _spread(documents: list[list], *, generator: torch.Generator) -> list:
    """All sentences in random order: first one of each document, then a second of each, and so on."""
    shuffled = [
        [document[place] for place in torch.randperm(len(document), generator=generator).tolist()]
        for document in documents
    ]
    order = torch.randperm(len(documents), generator=generator).tolist()
    turns = range(max(map(len, documents), default=0))
    return [shuffled[which][turn] for turn in turns for which in order if turn < len(shuffled[which])]


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


class BothBatches(NamedTuple):
    """One step's input of ThreeTasks."""

    usual: Batch
    senses: SenseBatch

    def inputs(self) -> dict[str, Batch | SenseBatch]:
        return self._asdict()


class SenseHead(nn.Linear):
    """Scores of the senses of the homonym at hand: a linear layer of which the other homonyms' senses are shut."""

    def __init__(self, hidden_size: int) -> None:
        super().__init__(hidden_size, len(CLASSES))
        nn.init.zeros_(self.weight)
        nn.init.zeros_(self.bias)
        words = [word for word, _ in CLASSES]
        same_word = torch.tensor([[one == other for other in words] for one in words])  # (K, K)
        self.register_buffer("same_word", same_word, persistent=False)

    def loss(self, hidden_states: Tensor, batch: SenseBatch) -> Tensor:
        """float (B, T, C) -> scalar: mean of −log p(sense)."""
        rows = torch.arange(len(batch.places), device=hidden_states.device)
        at_word = hidden_states[rows, batch.places]  # (B, C)
        logits = self(at_word).float().masked_fill(~self.same_word[batch.labels], -torch.inf)  # (B, K)
        return F.cross_entropy(logits, batch.labels)


class Losses(NamedTuple):
    """Scalars."""

    loss: Tensor
    mlm_loss: Tensor
    sense_loss: Tensor


class ThreeTasks(nn.Module):
    """A BertForPreTraining and the head of the third task; its loss is the sum of all three."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model
        self.head = SenseHead(model.config.hidden_size)

    def forward(self, usual: Batch, senses: SenseBatch) -> Losses:
        """One batch of the two usual tasks, one of the third."""
        output = self.model(**usual.inputs())
        states = self.model.bert(senses.input_ids, senses.attention_mask).last_hidden_state  # (B, T, C)
        sense_loss = self.head.loss(states, senses)
        return Losses(output.loss + sense_loss, output.mlm_loss, sense_loss)
