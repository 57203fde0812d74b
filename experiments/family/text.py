"""The text of the races: split once, cut by one vocabulary, and made into rows in the three ways that members want."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import torch
from torch import Tensor

from course_utils.after import full_sentences, sentence_order_pairs
from course_utils.datasets.batching import Batch, PretrainingBatches, batches_by_length, seeded
from course_utils.datasets.pretraining import IGNORE, Pair
from course_utils.tokenization import WordPieceTokenizer
from course_utils.training.settings import Settings
from scripts.pretraining.text import prepare_text

Documents = list[list[list[int]]]


@dataclass(frozen=True)
class RaceText:
    """Encoded documents to learn from, and held-out ones; the tokenizer was learned from the former."""

    settings: Settings
    tokenizer: WordPieceTokenizer
    train: Documents
    held_out: Documents

    @property
    def vocab_size(self) -> int:
        return len(self.tokenizer.vocab)

    @cached_property
    def special(self) -> Tensor:
        """bool (V,): tokens that nobody is to predict."""
        return PretrainingBatches(self.held_out, self.tokenizer).is_special

    @property
    def tenth(self) -> Documents:
        """Every tenth document to learn from: it is read ten times as often in a run as all of them."""
        return self.train[::10]

    def pairs(self, documents: Documents, *, batch_size: int, seed: int) -> PretrainingBatches:
        """BERT's rows: [CLS] A [SEP] B [SEP], B the next sentence or another one."""
        return self._stream(documents, batch_size, seed)

    def in_order(self, documents: Documents, *, batch_size: int, seed: int) -> PretrainingBatches:
        """ALBERT's rows: neighbours in order or swapped."""
        return self._stream(documents, batch_size, seed, InOrder)

    def sentences(self, documents: Documents, *, batch_size: int, seed: int) -> PretrainingBatches:
        return self._stream([[one] for document in documents for one in document], batch_size, seed)

    def full(self, documents: Documents, *, batch_size: int, seed: int) -> PretrainingBatches:
        """RoBERTa's rows: the text as it runs on, filled up to the longest row; [SEP] between documents."""
        room = self.settings.max_length - 2
        packed = full_sentences(documents, room=room, separator_id=self.tokenizer.vocab["[SEP]"])
        return self._stream([[row] for row in packed], batch_size, seed)

    def _stream(
        self, documents: Documents, batch_size: int, seed: int, kind: type = PretrainingBatches
    ) -> PretrainingBatches:
        return kind(
            documents,
            self.tokenizer,
            batch_size=batch_size,
            max_length=self.settings.max_length,
            whole_words=self.settings.whole_words,
            mask_rate=self.settings.mask_rate,
            seed=seed,
        )


def race_text(settings: Settings, vocabulary: Path) -> RaceText:
    """Read, split and encode; the vocabulary is learned once and then read."""
    text = prepare_text(settings, vocabulary)
    return RaceText(settings, text.tokenizer, text.train, text.held_out)


class InOrder(PretrainingBatches):
    """ALBERT's rows: B follows A, or the two are swapped; the label says which (Lan et al. 2020, section 3.1)."""

    def _draw_epoch(self, epoch: int) -> list[list[Pair]]:
        generator = seeded(self.seed, epoch)
        pairs = sentence_order_pairs(self.documents, generator=generator)
        batches = []
        for kind in ([one for one in pairs if one.second], [one for one in pairs if not one.second]):
            lengths = [len(one.first) + len(one.second or ()) for one in kind]
            rows = batches_by_length(lengths, self.batch_size, generator=generator)
            batches += [[kind[row] for row in chosen] for chosen in rows]
        return [batches[place] for place in torch.randperm(len(batches), generator=generator).tolist()]


def true_tokens(batch: Batch) -> Tensor:
    """The ids before anything was masked: int64 (B, T)."""
    return torch.where(batch.labels == IGNORE, batch.input_ids, batch.labels)
