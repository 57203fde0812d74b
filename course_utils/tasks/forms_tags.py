"""A tag for each word, told at its first piece (Devlin et al. 2019, figure 4 d, section 5.3).

    [CLS] 부산 ##에서 왔다 [SEP]        K logits for each token; −100 but at first pieces

A word without a piece of its own (cut off, or joined to the word before it: labels.first_pieces) is not learned. It is
judged all the same, with what is said of a word about which nothing is known: O of names, "" of parts of speech.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import torch

from course_utils.config import BertConfig
from course_utils.heads import BertForTokenClassification
from course_utils.heads.base import BertWithHead
from course_utils.tasks.collate import TaskBatch, tag_batch
from course_utils.tasks.data import PARTS_OF_SPEECH
from course_utils.tasks.labels import Place, label_ids, piece_labels, word_labels
from course_utils.tasks.metrics import accuracy, entity_f1
from course_utils.tasks.tags import NAME_TAGS, TaggedSentence
from course_utils.tasks.task import Example, Task
from course_utils.tokenization import Encoding


class TagTask(Task):
    """A sentence with one of K tags for each word."""

    record = TaggedSentence
    model_class = BertForTokenClassification
    unknown: str  # said of a word without a piece of its own

    def encode(self, source: TaggedSentence) -> list[Encoding]:
        """[CLS] text [SEP], cut at its end."""
        return [self.tokenizer.encode(source.text, max_length=self.max_length)]

    def head(self, config: BertConfig, generator: torch.Generator | None) -> BertWithHead:
        """K logits for each token."""
        return BertForTokenClassification(config, len(self.labels), generator=generator)

    def batch(self, examples: Sequence[Example]) -> TaskBatch:
        """See Task.batch."""
        found = self.check_examples(examples)
        labels = [
            piece_labels(example.row, places(example.source), label_ids(example.source.tags, self.labels))
            for example in found
        ]
        rows = [example.row for example in found]
        return tag_batch(rows, labels, pad_id=self.tokenizer.vocab["[PAD]"], num_labels=len(self.labels))

    def predict(self, model: BertWithHead, examples: Sequence[Example]) -> list[list[str]]:
        """A tag for each word of each sentence; see Task.predict."""
        logits = self._logits(model, examples, len(self.labels))
        return [self._tags(example, row.argmax(-1).tolist()) for example, (row,) in zip(examples, logits)]

    def _tags(self, example: Example, best: list[int]) -> list[str]:
        found = word_labels(example.row, places(example.source), best)
        return [self.unknown if label is None else self.labels[label] for label in found]

    def _check(self, where: str, source: TaggedSentence) -> None:
        super()._check(where, source)
        if wrong := set(source.tags).difference(self.labels):
            raise ValueError(f"the tags of {where} must be those of {self.name}, got {sorted(wrong)[0]!r}")


class Names(TagTask):
    """Names of people, places, … as BIO tags."""

    metric = "entity_f1"
    labels = NAME_TAGS
    unknown = "O"

    def _measure(self, predicted: list[list[str]], sources: list[TaggedSentence]) -> dict[str, float]:
        tags = [list(source.tags) for source in sources]
        return {"entity_f1": entity_f1(predicted, tags), "accuracy": _of_words(predicted, tags)}


class PartsOfSpeech(TagTask):
    """The part of speech of each word."""

    metric = "accuracy"
    labels = PARTS_OF_SPEECH
    unknown = ""

    def _measure(self, predicted: list[list[str]], sources: list[TaggedSentence]) -> dict[str, float]:
        return {"accuracy": _of_words(predicted, [source.tags for source in sources])}


def _of_words(predicted: Sequence[Sequence[str]], tags: Sequence[Sequence[str]]) -> float:
    """The share of words whose tag is right."""
    return accuracy(list(chain(*predicted)), list(chain(*tags)))


def places(source: TaggedSentence) -> list[Place]:
    """(start, end) of each word in characters of the text."""
    return [(start, start + len(word)) for start, word in zip(source.starts, source.words)]
