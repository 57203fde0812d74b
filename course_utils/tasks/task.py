"""What the training loop sees of a task: examples, a model with the head of its form, batches, predictions, measures.

forms_text.py, forms_tags.py and forms_questions.py say the rest, each for its form; forms.py loads a task by its name.

Letters: B rows, T tokens, K labels.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any

import torch
from torch import Tensor

from course_utils.bert import BertModel
from course_utils.config import BertConfig
from course_utils.heads.base import BertWithHead
from course_utils.initialization import init_weights
from course_utils.positional import sinusoidal_encoding
from course_utils.support.given import mapping, several, shown, whole_number
from course_utils.tasks.collate import TaskBatch
from course_utils.tasks.data import PARTS
from course_utils.tasks.row_logits import row_logits
from course_utils.tasks.windows import LONGEST
from course_utils.tokenization import Encoding, WordPieceTokenizer
from course_utils.tokenization.wordpiece import check_tokenizer
from course_utils.training.device import device_of


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
        the course's own pre-training do (training/settings.py).

        Args:
            config: of the BertModel in it.
            generator: source of the start values, those of the head last.

        Raises:
            ValueError: if config is none, has too few positions for max_length, or too few ids for the tokenizer.
        """
        self._check_config(config)
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
        self._check_config(bert.config)
        with torch.device("meta"):  # of an encoder that is not kept nothing need be drawn
            model = self.head(bert.config, None)
        if (model.needs_pooler and bert.pooler is None) or not isinstance(generator, torch.Generator):
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

    def _check_config(self, config: BertConfig) -> None:
        """Refuse one that is too small for the task."""
        if not isinstance(config, BertConfig):
            raise ValueError(f"config must be a BertConfig, got {shown(config)}")
        for needed, there, what in (
            (self.max_length, config.max_position_embeddings, "positions"),
            (max(self.tokenizer.vocab.values()) + 1, config.vocab_size, "ids"),
        ):
            if needed > there:
                raise ValueError(f"config must have {needed} {what} for the task {self.name}, got {there}")

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


@lru_cache(maxsize=8)
def _after_the_encoder(config: BertConfig, pooler: bool, before: bytes) -> Tensor:
    """A generator's state, `before` first, when a BertModel's start values have been drawn: a head's are next.

    To draw 6 million of them takes 0.3 s, and a notebook trains a dozen heads from the same seed.
    """
    generator = torch.Generator()
    generator.set_state(torch.tensor(list(before), dtype=torch.uint8))
    BertModel(config, pooler=pooler, generator=generator)
    return generator.get_state()
