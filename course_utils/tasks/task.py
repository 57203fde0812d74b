"""What the training loop sees of a task: examples, a model with the head of its form, batches, predictions, measures.

texts.py, tags.py, questions.py and choices.py say the rest, each for its form; load.py loads a task by its name.

Letters: B rows, T tokens of the longest row, N choices, K labels.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import torch
from torch import Tensor

from course_utils.bert import BertModel
from course_utils.config import BertConfig
from course_utils.datasets.batching import pad
from course_utils.heads.base import BertWithHead
from course_utils.initialization import Undrawn, init_weights
from course_utils.positional import sinusoidal_encoding
from course_utils.support.memory import give_back
from course_utils.tasks.data import PARTS
from course_utils.tokenization import Encoding, WordPieceTokenizer
from course_utils.training.device import device_of, fast_precision, inputs_on

ROWS = 32  # of a forward pass: with 128, a kernel peaked higher here than while it trained


class Example:
    """A record of a task's data, and what a model reads of it.

    Encoding 16,000 reviews takes seconds, and most runs look at a few: each is encoded when it is first asked for.

    Args:
        source: what the reader of data.py gave.
        encode: source -> its rows.
    """

    def __init__(self, source: Any, encode: Callable[[Any], Sequence[Encoding]]) -> None:
        self.source, self._encode = source, encode

    @cached_property
    def windows(self) -> list[Encoding]:
        """All rows: one for each window of a passage, for each ending of a situation, of anything else one."""
        return list(self._encode(self.source))

    @property
    def row(self) -> Encoding:
        """The first row: of a text or a pair, the only one."""
        return self.windows[0]


@dataclass(frozen=True)
class TaskBatch:
    """B rows of T tokens with their labels; for choices (B, N, T)."""

    input_ids: Tensor  # int64 (B, T)
    attention_mask: Tensor  # int64 (B, T), 1 = real, 0 = padding
    token_type_ids: Tensor  # int64 (B, T), 1 = second text
    labels: dict[str, Tensor]  # under the names of the head's arguments

    def inputs(self) -> dict[str, Tensor]:
        """Everything as keyword arguments."""
        texts = {name: getattr(self, name) for name in ("input_ids", "attention_mask", "token_type_ids")}
        return texts | self.labels


class Task:
    """One task. Its form, a subclass, says how a source is encoded, batched and judged.

    Args:
        name: see load.TASKS.
        parts: "train", "validation" and "test" -> records, as the task's reader in data.py gives them.
        tokenizer: gives the pieces.
        max_length: the most tokens of a row, special ones included.

    Attributes:
        name, tokenizer, max_length: as given.
        metric: name of the main measure: more is better.
        labels: names of its K labels; () where none are named.
        parts: the same parts -> Examples.
    """

    metric: str
    labels: tuple[str, ...] = ()
    model_class: type[BertWithHead]

    def __init__(
        self, name: str, parts: Mapping[str, Sequence[Any]], tokenizer: WordPieceTokenizer, *, max_length: int
    ) -> None:
        self.name, self.tokenizer, self.max_length = name, tokenizer, max_length
        self.parts = {part: [Example(source, self.encode) for source in parts[part]] for part in PARTS}
        for part, examples in self.parts.items():
            for row, example in enumerate(examples):
                if not self.fits(example.source):
                    raise ValueError(f"record {row} of {part} has a label that {name} does not know")

    @property
    def num_logits(self) -> int:
        """How many a row or a token has: K."""
        return len(self.labels)

    def fits(self, source: Any) -> bool:
        """Whether the task knows the labels of a record."""
        return True

    def encode(self, source: Any) -> list[Encoding]:
        """The rows of a record: [CLS] text [SEP], cut at its end, where the form says nothing else."""
        return [self.tokenizer.encode(source.text, max_length=self.max_length)]

    def class_of(self, example: Example) -> str | None:
        """The label that a draw is balanced over; None where there is none."""
        return None

    def head(self, config: BertConfig, generator: torch.Generator | None) -> BertWithHead:
        """The model of this form with fresh weights."""
        return self.model_class(config, self.num_logits, generator=generator)

    def new_model(self, config: BertConfig, *, generator: torch.Generator | None = None) -> BertWithHead:
        """The model from scratch. Its position embeddings begin as sinusoids of the other weights' size, as those of
        the course's own pre-training do (training/settings.py).

        Args:
            config: of the BertModel in it.
            generator: source of the start values, those of the head last.
        """
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
        """
        with torch.device("meta"), Undrawn():  # of an encoder that is not kept nothing need be drawn
            model = self.head(bert.config, None)
        if (model.needs_pooler and bert.pooler is None) or generator is None:
            model = self.new_model(bert.config, generator=generator)
        else:
            before = bytes(generator.get_state().numpy())
            generator.set_state(_after_the_encoder(bert.config, model.needs_pooler, before))
            for part in (part for part in model.children() if part is not model.bert):
                init_weights(
                    part.to_empty(device="cpu"), std=bert.config.initializer_range, generator=generator
                )
        new_pooler, model.bert = model.bert.pooler, copy.deepcopy(bert)
        if not model.needs_pooler:
            model.bert.pooler = None
        elif bert.pooler is None:
            model.bert.pooler = new_pooler
        return model.to(device_of(bert))

    def batch(self, examples: Sequence[Example]) -> TaskBatch:
        """Examples as the model's arguments, with labels."""
        raise NotImplementedError

    def predict(self, model: BertWithHead, examples: Sequence[Example]) -> list[Any]:
        """What the model says of each, in the order of the examples."""
        raise NotImplementedError

    def scores(self, predicted: Sequence[Any], sources: Sequence[Any]) -> dict[str, float]:
        """How good predictions are, `metric` first; a baseline is judged by it, too."""
        raise NotImplementedError

    def measure(
        self, model: BertWithHead, examples: Sequence[Example], *, threshold: float | None = None
    ) -> dict[str, float]:
        """How good the model's predictions are, `metric` first.

        Args:
            model: with the head of this task.
            examples: at least one, or two where the measure is a correlation.
            threshold: of questions alone, see questions.py.
        """
        return self.scores(self.predict(model, examples), [example.source for example in examples])

    def _batch(self, rows: Sequence[Encoding], **labels: Tensor) -> TaskBatch:
        return TaskBatch(**pad_rows(rows, pad_id=self.tokenizer.vocab["[PAD]"]), labels=labels)

    def _logits(self, model: BertWithHead, examples: Sequence[Example]) -> list[list[Tensor]]:
        """Of each example the logits of its rows, each (K,) or (T, K)."""
        wrong = ValueError(
            f"model must be a {self.model_class.__name__} of {self.num_logits} logits for the task {self.name}"
        )
        if not isinstance(model, self.model_class):
            raise wrong
        rows = [row for example in examples for row in example.windows]
        logits = row_logits(model, rows, pad_id=self.tokenizer.vocab["[PAD]"])
        give_back()
        if any(one.shape[-1] != self.num_logits for one in logits):
            raise wrong
        remaining = iter(logits)
        return [[next(remaining) for _ in example.windows] for example in examples]


def pad_rows(rows: Sequence[Encoding], *, pad_id: int) -> dict[str, Tensor]:
    """Single texts or pairs -> input_ids, attention_mask and token_type_ids, int64 (B, T) each.

    Args:
        rows: B of them, at least one.
        pad_id: id of [PAD].
    """
    return {
        "input_ids": pad([row.input_ids for row in rows], pad_id),
        "attention_mask": pad([row.attention_mask for row in rows], 0),
        "token_type_ids": pad([row.token_type_ids for row in rows], 0),
    }


@torch.no_grad()
def row_logits(model: BertWithHead, rows: Sequence[Encoding], *, pad_id: int) -> list[Tensor]:
    """What a model says of each row, in eval mode; its mode is as before afterwards.

    Rows of similar length share a forward pass, so little of it is padding.

    Args:
        model: any with a head that takes single rows.
        rows: encoded texts or pairs.
        pad_id: id of [PAD].

    Returns:
        float32 logits on the processor, in the order of the rows: (K,), or (T, K) without padding.
    """
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


@lru_cache(maxsize=8)
def _after_the_encoder(config: BertConfig, pooler: bool, before: bytes) -> Tensor:
    """A generator's state, `before` first, when a BertModel's start values have been drawn: a head's are next.

    To draw 6 million of them takes 0.3 s, and a notebook trains a dozen heads from the same seed.
    """
    generator = torch.Generator()
    generator.set_state(torch.tensor(list(before), dtype=torch.uint8))
    BertModel(config, pooler=pooler, generator=generator)
    return generator.get_state()
