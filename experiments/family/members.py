"""The members of the family race (notebook 19): what each changes in BERT; text, sizes and updates are the same.

bert             sentence pairs and the next sentence; the text is read three to four times, masks drawn anew each time
no_next          … without the question for the next sentence, on the same rows
full             … with rows of text as it runs on
large_batch      … with twice as many rows an update
roberta          full rows, large batch
static_tenth     bert on a tenth of the text, which is read many times: the same masks each time
dynamic_tenth    … masks drawn anew each time
plain            masked words in single sentences and nothing else: the BERT of notebook 18
albert           sentence order, E = C/4, one layer used L times
electra          plain's rows; a generator of half the width, loss at every token
spanbert         full's rows; spans, and a boundary objective
teacher          plain with twice as many layers
distil           plain's size, from every other layer of the teacher; soft targets, masked words, cosine
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import nn

from course_utils.after import StaticMasks
from course_utils.bert import BertModel
from course_utils.config import BertConfig
from course_utils.datasets.batching import Batch, PretrainingBatches, seeded
from course_utils.datasets.pretraining import IGNORE
from course_utils.heads import BertForPreTraining
from course_utils.positional import sinusoidal_encoding
from course_utils.training.fast import speed_up
from experiments.family import flops
from experiments.family.held import HeldOut, MaskedWords
from experiments.family.pretraining import Racer
from experiments.family.race import Race, bert_config
from experiments.family.text import Documents, RaceText

# Rows of text as it runs on hold 40.2 real tokens on average, rows of a pair 36.1.
FULL_SHARE = 0.9
LARGER = 2  # times as many rows; RoBERTa has up to 32 times as many as BERT


@dataclass
class Ready:
    """A member before its first update."""

    racer: Racer
    # Of a model like racer.model -> what holds `.bert`, the encoder that a task is tuned from, and perhaps `.mlm`.
    part: Callable[[nn.Module], nn.Module] = lambda model: model

    def bert(self, model: nn.Module) -> BertModel:
        """The encoder that a task is tuned from."""
        return self.part(model).bert

    def masked(self, model: nn.Module) -> MaskedWords | None:
        part = self.part(model)
        return MaskedWords(part.bert, part.mlm) if hasattr(part, "mlm") else None


def with_waves(model: nn.Module, std: float) -> nn.Module:
    """Let position embeddings start as sinusoids of the other weights' size, as training.settings.new_model does."""
    for name, parameter in model.named_parameters():
        if "position" in name and parameter.dim() == 2:
            with torch.no_grad():
                parameter.copy_(sinusoidal_encoding(*parameter.shape) * std * 2**0.5)
    return model


def places(batch: Any) -> int:
    """M: labelled tokens of a batch."""
    return int((batch.labels != IGNORE).sum())


def of_bert(
    race: Race, held: HeldOut, batches: Callable, seed: int, config: BertConfig | None = None
) -> Ready:
    """A BertForPreTraining on a stream of rows; where the rows have no pairs, it learns masked words alone."""
    config = race.config if config is None else config
    model = speed_up(with_waves(BertForPreTraining(config, generator=seeded(seed)), config.initializer_range))

    def cost(batch: Any) -> int:
        rows, tokens = batch.input_ids.shape
        paired = batch.next_sentence_label is not None
        return flops.bert(config, rows, tokens, places(batch), pairs=paired)

    return Ready(Racer(model, batches, cost, looking(held)))


def looking(
    held: HeldOut, part: Callable[[nn.Module], nn.Module] = lambda model: model
) -> Callable[[nn.Module], dict[str, float]]:
    """What a look measures: the masked words of the part of a model that holds `.bert` and `.mlm`."""
    return lambda model: held.look(MaskedWords(part(model).bert, part(model).mlm))


def on_rows(rows: Callable[[Race, RaceText, int], Callable[[int], Batch]]) -> Callable[..., Ready]:
    """A member that is a BERT on rows of its own, from race, text and seed."""
    return lambda race, text, held, seed: of_bert(race, held, rows(race, text, seed), seed)


def pairs(race: Race, documents: Documents, text: RaceText, seed: int, times: int = 1) -> PretrainingBatches:
    """BERT's rows, so many times as many."""
    return text.pairs(documents, batch_size=times * race.settings.batch_size, seed=seed)


def full_rows(race: Race, text: RaceText, seed: int, times: int = 1) -> PretrainingBatches:
    """Rows of text as it runs on, about as many tokens an update as with pairs, or so many times as many."""
    rows = round(FULL_SHARE * race.settings.batch_size)
    return text.full(text.train, batch_size=times * rows, seed=seed)


def without_next(race: Race, text: RaceText, seed: int) -> Callable[[int], Batch]:
    """BERT's rows without their question; half of them still hold two sentences that do not follow each other."""
    rows = pairs(race, text.train, text, seed)
    return lambda number: replace(rows(number), next_sentence_label=None)


bert = on_rows(lambda race, text, seed: pairs(race, text.train, text, seed))
no_next = on_rows(without_next)
full = on_rows(full_rows)
large_batch = on_rows(lambda race, text, seed: pairs(race, text.train, text, seed, LARGER))
roberta = on_rows(lambda race, text, seed: full_rows(race, text, seed, LARGER))
static_tenth = on_rows(lambda race, text, seed: StaticMasks(pairs(race, text.tenth, text, seed), copies=1))
dynamic_tenth = on_rows(lambda race, text, seed: pairs(race, text.tenth, text, seed))
plain = on_rows(lambda race, text, seed: sentence_rows(race, text, seed))


def teacher(race: Race, text: RaceText, held: HeldOut, seed: int) -> Ready:
    """plain with twice as many layers."""
    config = bert_config(race.settings, num_hidden_layers=2 * race.settings.layers)
    return of_bert(race, held, sentence_rows(race, text, seed), seed, config)


def sentence_rows(race: Race, text: RaceText, seed: int) -> PretrainingBatches:
    """A sentence a row, twice as many rows: about as many tokens as with pairs."""
    return text.sentences(text.train, batch_size=2 * race.settings.batch_size, seed=seed)
