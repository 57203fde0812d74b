"""What the training loop sees of a task: examples, a model with the head of its form, batches, predictions, measures.

forms_text.py, forms_tags.py and forms_questions.py say the rest, each for its form; forms.py loads a task by its name.

Letters: B rows, T tokens, K labels.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import torch
from torch import Tensor

from course_utils.bert import BertModel
from course_utils.config import BertConfig
from course_utils.heads.base import BertWithHead
from course_utils.positional import sinusoidal_encoding
from course_utils.support.given import mapping, several, shown, whole_number
from course_utils.tasks.collate import TaskBatch, pad_rows
from course_utils.tasks.data import PARTS
from course_utils.tasks.windows import LONGEST
from course_utils.tokenization import Encoding, WordPieceTokenizer
from course_utils.tokenization.wordpiece import check_tokenizer
from course_utils.training.device import device_of, fast_precision, inputs_on

ROWS = 128  # of a forward pass without gradients


class Example:
    """A record of a task's data, and what a model reads of it.

    Encoding 16,000 reviews takes seconds, and most runs look at a few: each is encoded when it is first asked for.

    Args:
        source: what the reader of data.py gave.
        encode: source -> its rows.

    Attributes:
        source: as given.
    """

    def __init__(self, source: Any, encode: Callable[[Any], Sequence[Encoding]]) -> None:
        self.source, self._encode = source, encode

    @cached_property
    def windows(self) -> list[Encoding]:
        """All rows: of a question one for each window of its passage, of anything else one."""
        return list(self._encode(self.source))

    @property
    def row(self) -> Encoding:
        """The first row: but for a long passage, the only one."""
        return self.windows[0]


class Task:
    """One task. Its form, a subclass, says how a source is encoded, batched and judged.

    Args:
        name: see forms.TASKS.
        parts: "train", "validation" and "test" -> records, as the task's reader in data.py gives them.
        tokenizer: gives the pieces.
        max_length: the most tokens of a row, special ones included.

    Attributes:
        name, tokenizer, max_length: as given.
        metric: name of the main measure: more is better.
        labels: names of its K labels; () where none are named.
        parts: the same parts -> Examples.

    Raises:
        ValueError: if a part is missing or holds what is no such record, or another argument does not fit.
    """

    metric: str
    labels: tuple[str, ...] = ()
    record: type  # of data.py
    model_class: type[BertWithHead]

    def __init__(
        self,
        name: str,
        parts: Mapping[str, Sequence[Any]],
        tokenizer: WordPieceTokenizer,
        *,
        max_length: int,
    ) -> None:
        check_tokenizer(tokenizer)
        self.name, self.tokenizer = name, tokenizer
        self.max_length = whole_number("max_length", max_length, least=8, most=LONGEST)
        parts = mapping("parts", parts, "from the name of a part to its records")
        if missing := [part for part in PARTS if part not in parts]:
            raise ValueError(f"parts must have {', '.join(PARTS)}, and lacks {', '.join(missing)}")
        self.parts = {
            part: [Example(source, self.encode) for source in several(part, parts[part], "records")]
            for part in PARTS
        }
        for part, examples in self.parts.items():
            for row, example in enumerate(examples):
                self._check(f"record {row} of {part}", example.source)

    def encode(self, source: Any) -> list[Encoding]:
        """The rows of a record; see Example.windows."""
        raise NotImplementedError

    def class_of(self, example: Example) -> str | None:
        """The label that a draw is balanced over; None where there is none."""
        return None

    def head(self, config: BertConfig, generator: torch.Generator | None) -> BertWithHead:
        """The model of this form with fresh weights."""
        raise NotImplementedError

    def new_model(self, config: BertConfig, *, generator: torch.Generator | None = None) -> BertWithHead:
        """The model from scratch. Its position embeddings begin as sinusoids of the other weights' size, as those of
        the course's own pre-training do (training/start.py).

        Args:
            config: of the BertModel in it.
            generator: source of the start values, those of the head last.

        Raises:
            ValueError: if config is none, has too few positions for max_length, or too few ids for the tokenizer.
        """
        if not isinstance(config, BertConfig):
            raise ValueError(f"config must be a BertConfig, got {shown(config)}")
        for needed, there, what in (
            (self.max_length, config.max_position_embeddings, "positions"),
            (max(self.tokenizer.vocab.values()) + 1, config.vocab_size, "ids"),
        ):
            if needed > there:
                raise ValueError(f"config must have {needed} {what} for the task {self.name}, got {there}")
        model = self.head(config, generator)
        waves = sinusoidal_encoding(config.max_position_embeddings, config.hidden_size)
        with torch.no_grad():  # a sine's root mean square is 1/√2
            model.bert.embeddings.position.embedding.weight.copy_(waves * config.initializer_range * 2**0.5)
        return model

    def with_encoder(self, bert: BertModel, *, generator: torch.Generator | None = None) -> BertWithHead:
        """The model with a copy of a pre-trained BertModel inside; its head is that of new_model, by the same draws.

        Args:
            bert: stays as it is. A pooler is left out where the head does not look at it, and new where bert has none.
            generator: source of the head's start values.

        Raises:
            ValueError: if bert is no BertModel; as new_model.
        """
        if not isinstance(bert, BertModel):
            raise ValueError(f"bert must be a BertModel, got {shown(bert)}")
        model = self.new_model(bert.config, generator=generator)
        new_pooler, model.bert = model.bert.pooler, copy.deepcopy(bert)
        if not model.needs_pooler:
            model.bert.pooler = None
        elif bert.pooler is None:
            model.bert.pooler = new_pooler
        return model.to(device_of(bert))

    def batch(self, examples: Sequence[Example]) -> TaskBatch:
        """Examples as the model's arguments, with labels.

        Raises:
            ValueError: if there is no example, or one is none.
        """
        raise NotImplementedError

    def predict(self, model: BertWithHead, examples: Sequence[Example]) -> list[Any]:
        """What the model says of each, in the order of the examples.

        Raises:
            ValueError: if an example is none, or the model has another head.
        """
        raise NotImplementedError

    def measure(
        self, model: BertWithHead, examples: Sequence[Example], *, threshold: float | None = None
    ) -> dict[str, float]:
        """How good the predictions are, `metric` first.

        Args:
            model: with the head of this task.
            examples: at least one, or two where the measure is a correlation.
            threshold: of questions alone, see forms_questions.py.

        Raises:
            ValueError: if there is no example, one is none, the model has another head, or threshold does not fit.
        """
        if threshold is not None:
            raise ValueError(f"threshold must be None for the task {self.name}, got {shown(threshold)}")
        return self._measure(self.predict(model, examples), [example.source for example in examples])

    def _measure(self, predicted: list[Any], sources: list[Any]) -> dict[str, float]:
        raise NotImplementedError

    def _check(self, where: str, source: Any) -> None:
        """Refuse a record of another kind."""
        if not isinstance(source, self.record):
            raise ValueError(f"{where} must be a {self.record.__name__}, got {shown(source)}")

    def check_examples(self, examples: Sequence[Example]) -> list[Example]:
        """The examples, if there is one and all are of this task.

        Raises:
            ValueError: if not.
        """
        found = several("examples", examples, "examples of a task")
        for example in found:
            if not isinstance(example, Example) or not isinstance(example.source, self.record):
                raise ValueError(f"examples must be those of the task {self.name}, got {shown(example)}")
        if not found:
            raise ValueError("examples must hold at least one, got none")
        return found

    def _logits(self, model: BertWithHead, examples: Sequence[Example], labels: int) -> list[list[Tensor]]:
        """Of each example the logits of its rows, each (K,) or (T, K), where K must be `labels`."""
        if not isinstance(model, self.model_class):
            raise ValueError(f"model must be a {self.model_class.__name__}, got {shown(model)}")
        found = self.check_examples(examples)
        rows = [row for example in found for row in example.windows]
        pad_id = self.tokenizer.vocab["[PAD]"]
        logits = row_logits(model, rows, pad_id=pad_id)
        if logits[0].shape[-1] != labels:
            raise ValueError(
                f"model must give {labels} logits for the task {self.name}, got {logits[0].shape[-1]}"
            )
        remaining = iter(logits)
        return [[next(remaining) for _ in example.windows] for example in found]


@torch.no_grad()
def row_logits(model: BertWithHead, rows: Sequence[Encoding], *, pad_id: int) -> list[Tensor]:
    """What a model says of each row, in eval mode; its mode is as before afterwards.

    Rows of similar length share a forward pass, so little of it is padding.

    Args:
        model: any with a head of this package.
        rows: encoded texts or pairs.
        pad_id: id of [PAD].

    Returns:
        float32 logits on the processor, in the order of the rows: (K,), or (T, K) without padding.

    Raises:
        ValueError: if model is none, or a row is none.
    """
    if not isinstance(model, BertWithHead):
        raise ValueError(f"model must be a BertModel with a head, got {shown(model)}")
    rows = several("rows", rows, "encoded texts")
    device, was_training = device_of(model), model.training
    precision = fast_precision(device)
    order = sorted(range(len(rows)), key=lambda number: len(rows[number]))
    found: dict[int, Tensor] = {}
    model.eval()
    try:
        for start in range(0, len(order), ROWS):
            chosen = order[start : start + ROWS]
            inputs = inputs_on(device, pad_rows([rows[number] for number in chosen], pad_id=pad_id))
            with torch.autocast(device.type, dtype=precision, enabled=precision != torch.float32):
                logits = model(**inputs).logits
            found |= zip(chosen, logits.float().cpu())
    finally:
        model.train(was_training)
    cut = [found[number] for number in range(len(rows))]
    return [one if one.dim() == 1 else one[: len(row)] for one, row in zip(cut, rows)]
