"""Which of four endings fits a situation: the form of SWAG (Zellers et al. 2018; Devlin et al. 2019, section 4.4).

    [CLS] situation [SEP] ending [SEP]        four rows, a score each, softmax over the four, accuracy

data/situations.tsv was written for this course. The four situations of a subject have the same four endings, each right
once: whoever looks at endings alone is right in one of four, whatever they have learned, and so is chance.

Letters: B situations, T tokens.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import torch

from course_utils.config import BertConfig
from course_utils.heads import BertForMultipleChoice
from course_utils.heads.base import BertWithHead
from course_utils.support.given import shown
from course_utils.support.paths import DATA
from course_utils.tasks.collate import TaskBatch, choice_batch
from course_utils.tasks.data import PARTS
from course_utils.tasks.metrics import accuracy
from course_utils.tasks.rows import Row, tsv_rows
from course_utils.tasks.task import Example, Task
from course_utils.tokenization import Encoding, WordPieceTokenizer
from course_utils.training.device import device_of, fast_precision, inputs_on

ENDINGS = ("right", "wrong1", "wrong2", "wrong3")
GROUPS = 32  # of a forward pass
MAX_LENGTH = 64  # tokens of a row


class Situation(NamedTuple):
    """A situation, four endings, and which of them is right."""

    subject: int
    text: str
    endings: tuple[str, ...]
    right: int  # its place among the endings


def read_situations(path: str | Path = DATA / "situations.tsv") -> dict[str, list[Situation]]:
    """The situations of each part, in the order of the file; no subject stands in two parts.

    In the file the right ending comes first. Here the four are sorted by their letters: so whoever takes the first one,
    or the first of equally good ones, is right no more often than by chance.

    Args:
        path: columns subject (a number), part, situation, right, wrong1, wrong2, wrong3.

    Returns:
        "train", "validation" and "test" -> situations.

    Raises:
        FileNotFoundError: if there is no such file.
        ValueError: if path is none, a column is missing, or a row broken; the row's number is told.
    """
    found: dict[str, list[Situation]] = {part: [] for part in PARTS}
    parts: dict[int, str] = {}
    for row in tsv_rows(path, ("subject", "part", "situation", *ENDINGS)):
        situation, part = _situation(row), row.one_of("part", PARTS)
        before = parts.setdefault(situation.subject, part)
        if before != part:
            raise ValueError(
                f"{row.where}: subject {situation.subject} must be in one part, and is in {before} and {part}"
            )
        found[part].append(situation)
    return found


def _situation(row: Row) -> Situation:
    subject = row.text("subject")
    if not (subject.isascii() and subject.isdigit() and len(subject) < 10):
        raise row.bad("subject", "a number", subject)
    given = [row.text(column) for column in ENDINGS]
    endings = tuple(sorted(given))
    if len(set(endings)) < len(endings):
        raise ValueError(f"{row.where}: the four endings must differ, and two are the same")
    return Situation(int(subject), row.text("situation"), endings, endings.index(given[0]))


class Situations(Task):
    """Situations with endings, one of which is right; a batch is (B, 4, T)."""

    metric = "accuracy"
    record = Situation
    model_class = BertForMultipleChoice

    def encode(self, source: Situation) -> list[Encoding]:
        """A row for each ending: [CLS] situation [SEP] ending [SEP], the longer one cut at its end."""
        return [
            self.tokenizer.encode(source.text, ending, max_length=self.max_length)
            for ending in source.endings
        ]

    def head(self, config: BertConfig, generator: torch.Generator | None) -> BertWithHead:
        """One score from the pooled [CLS] of a row."""
        return BertForMultipleChoice(config, generator=generator)

    def batch(self, examples: Sequence[Example]) -> TaskBatch:
        """input_ids, attention_mask and token_type_ids (B, 4, T), labels (B,); see Task.batch."""
        found = self.check_examples(examples)
        right = [example.source.right for example in found]
        return choice_batch(
            [example.windows for example in found], right, pad_id=self.tokenizer.vocab["[PAD]"]
        )

    @torch.no_grad()
    def predict(self, model: BertWithHead, examples: Sequence[Example]) -> list[int]:
        """The place of the ending with the highest score, of each; see Task.predict."""
        if not isinstance(model, BertForMultipleChoice):
            raise ValueError(f"model must be a BertForMultipleChoice, got {shown(model)}")
        found, device, was_training = self.check_examples(examples), device_of(model), model.training
        precision, said = fast_precision(device), []
        model.eval()
        try:
            for start in range(0, len(found), GROUPS):
                inputs = self.batch(found[start : start + GROUPS]).inputs()
                del inputs["labels"]
                with torch.autocast(device.type, dtype=precision, enabled=precision != torch.float32):
                    logits = model(**inputs_on(device, inputs)).logits  # (B, 4)
                said += logits.float().argmax(dim=-1).tolist()
        finally:
            model.train(was_training)
        return said

    def _measure(self, predicted: list[int], sources: list[Situation]) -> dict[str, float]:
        return {"accuracy": accuracy(predicted, [source.right for source in sources])}

    def _check(self, where: str, source: Situation) -> None:
        super()._check(where, source)
        if not 0 <= source.right < len(source.endings):
            raise ValueError(f"the right ending of {where} must be one of {len(source.endings)}")


class EndingsAlone(Situations):
    """The control: the same choice without the situation, [CLS] ending [SEP]. What it learns is bias of the endings."""

    def encode(self, source: Situation) -> list[Encoding]:
        """A row for each ending, alone."""
        return [self.tokenizer.encode(ending, max_length=self.max_length) for ending in source.endings]


def load_situations(
    tokenizer: WordPieceTokenizer,
    *,
    max_length: int = MAX_LENGTH,
    parts: Mapping[str, Sequence[Situation]] | None = None,
) -> Situations:
    """The task, for fine_tuning.fine_tune.

    Args:
        tokenizer: that of the model.
        max_length: the most tokens of a row, special ones included.
        parts: "train", "validation" and "test" -> situations; None reads the file.

    Raises:
        ValueError: if a record is no situation, or another argument does not fit.
    """
    found = read_situations() if parts is None else parts
    return Situations("situations", found, tokenizer, max_length=max_length)


def load_endings(
    tokenizer: WordPieceTokenizer,
    *,
    max_length: int = MAX_LENGTH,
    parts: Mapping[str, Sequence[Situation]] | None = None,
) -> EndingsAlone:
    """The control, with the same arguments as load_situations.

    Raises:
        ValueError: as load_situations.
    """
    found = read_situations() if parts is None else parts
    return EndingsAlone("endings", found, tokenizer, max_length=max_length)
