"""A tag for each word, told at its first piece (Devlin et al. 2019, figure 4 d, section 5.3).

    [CLS] 부산 ##에서 왔다 [SEP]        K logits for each token; −100 but at first pieces

A word without a piece of its own (cut off, or joined to the word before it: words.first_pieces) is not learned. It is
judged all the same, with what is said of a word about which nothing is known: O of names, "" of parts of speech.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from course_utils.datasets.batching import pad
from course_utils.heads import IGNORE, BertForTokenClassification
from course_utils.heads.base import BertWithHead
from course_utils.tasks.data import PARTS_OF_SPEECH
from course_utils.tasks.metrics import accuracy, entity_f1
from course_utils.tasks.task import Example, Task, TaskBatch
from course_utils.tasks.words import NAME_TAGS, TaggedSentence, label_ids, piece_labels, places, word_labels

Tags = Sequence[str]


class TagTask(Task):
    """A sentence with one of K tags for each word: K logits for each token."""

    model_class = BertForTokenClassification
    unknown: str  # said of a word without a piece of its own

    def fits(self, source: TaggedSentence) -> bool:
        return set(source.tags) <= set(self.labels)

    def batch(self, examples: Sequence[Example]) -> TaskBatch:
        """labels int64 (B, T), −100 where there is none; see Task.batch."""
        labels = [
            piece_labels(example.row, places(example.source), label_ids(example.source.tags, self.labels))
            for example in examples
        ]
        return self._batch([example.row for example in examples], labels=pad(labels, IGNORE))

    def predict(self, model: BertWithHead, examples: Sequence[Example]) -> list[list[str]]:
        """A tag for each word of each sentence; see Task.predict."""
        logits = self._logits(model, examples)
        return [self._tags(example, row.argmax(-1).tolist()) for example, (row,) in zip(examples, logits)]

    def _tags(self, example: Example, best: list[int]) -> list[str]:
        found = word_labels(example.row, places(example.source), best)
        return [self.unknown if label is None else self.labels[label] for label in found]


class Names(TagTask):
    """Names of people, places, … as BIO tags."""

    metric = "entity_f1"
    labels = NAME_TAGS
    unknown = "O"

    def scores(self, predicted: Sequence[Tags], sources: Sequence[TaggedSentence]) -> dict[str, float]:
        tags = [source.tags for source in sources]
        return {"entity_f1": entity_f1(predicted, tags), "accuracy": _of_words(predicted, tags)}


class PartsOfSpeech(TagTask):
    """The part of speech of each word."""

    metric = "accuracy"
    labels = PARTS_OF_SPEECH
    unknown = ""

    def scores(self, predicted: Sequence[Tags], sources: Sequence[TaggedSentence]) -> dict[str, float]:
        return {"accuracy": _of_words(predicted, [source.tags for source in sources])}


def _of_words(predicted: Sequence[Tags], tags: Sequence[Tags]) -> float:
    """The share of words whose tag is right."""
    return accuracy(list(chain(*predicted)), list(chain(*tags)))
