"""The four of notebook 18, as what reads a text: static, left to right, shallow both ways, deep both ways.

static           a vector for each piece (skip-gram), whatever stands beside it
left_to_right    GPT
right_to_left    the same, from behind; only a half of the next but one
shallow          BiLM: an LSTM from either side, side by side (ELMo)
shallow_blocks   the two GPTs side by side: deep's own blocks, but no layer sees both sides
deep             the BERT of the family race, `plain`
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import torch
from torch import Tensor, nn

from course_utils.before import GPT, BiLM, WordVectors, train_skip_gram
from course_utils.before.lstm_lm import turned
from course_utils.config import BertConfig
from course_utils.datasets.batching import PretrainingBatches, seeded
from course_utils.training.device import device_of, inputs_on
from course_utils.training.fast import speed_up
from experiments.family import flops
from experiments.family.held import HeldOut
from experiments.family.members import sentence_rows, with_waves
from experiments.family.pretraining import Racer
from experiments.family.race import LOOKED_AT, Race
from experiments.family.text import RaceText, true_tokens


@dataclass(frozen=True)
class Words:
    """Rows of true tokens."""

    input_ids: Tensor  # int64 (B, T)
    attention_mask: Tensor  # int64 (B, T)

    def inputs(self) -> dict[str, Tensor]:
        return {"input_ids": self.input_ids, "attention_mask": self.attention_mask}


class Unmasked:
    """The rows of a stream as they were before anything was masked."""

    def __init__(self, rows: PretrainingBatches) -> None:
        self.rows, self.batches_per_epoch = rows, rows.batches_per_epoch

    def __call__(self, number: int) -> Words:
        batch = self.rows(number)
        return Words(true_tokens(batch), batch.attention_mask)


class LanguageModel(nn.Module):
    """A GPT that tells each token from those before it: of the row, or of the row turned round (and back again)."""

    def __init__(self, gpt: GPT, *, backwards: bool = False) -> None:
        super().__init__()
        self.gpt, self.backwards = gpt, backwards
        self.config = gpt.config

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> SimpleNamespace:
        """The loss at every token, and hidden_states at the places of the tokens given."""
        real = attention_mask.bool()
        ids = turned(input_ids, real) if self.backwards else input_ids
        output = self.gpt(ids, attention_mask, labels=ids if self.training else None)
        states = output.hidden_states
        if self.backwards:
            states = tuple(turned(state, real) for state in states)
        return SimpleNamespace(loss=output.loss, logits=output.logits, ids=ids, hidden_states=states)


class SideBySide(nn.Module):
    """Two models that read the same pieces; a token's vector is both of theirs."""

    def __init__(self, first: nn.Module, second: nn.Module) -> None:
        super().__init__()
        self.first, self.second = first, second
        self.config = first.config

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> SimpleNamespace:
        pairs = zip(
            self.first(input_ids, attention_mask).hidden_states,
            self.second(input_ids, attention_mask).hidden_states,
        )
        return SimpleNamespace(hidden_states=tuple(torch.cat(pair, -1) for pair in pairs))


class Static(nn.Module):
    """A table of vectors (V, C): no piece knows of another."""

    def __init__(self, vectors: Tensor, config: BertConfig) -> None:
        super().__init__()
        self.token = nn.Embedding.from_pretrained(vectors.clone(), freeze=False)
        self.config = SimpleNamespace(
            num_hidden_layers=0, max_position_embeddings=config.max_position_embeddings
        )

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> SimpleNamespace:
        return SimpleNamespace(hidden_states=(self.token(input_ids),))


def piece_vectors(race: Race, text: RaceText, seed: int) -> tuple[WordVectors, Tensor]:
    """Skip-gram on the rows that the others read, in a pass: the vectors, and a table (V, C) with 0 for the unseen."""
    rows = Unmasked(sentence_rows(race, text, seed))
    pieces = sorted(text.tokenizer.vocab, key=text.tokenizer.vocab.__getitem__)
    special = text.special.tolist()
    sentences = []
    for number in range(race.settings.steps):
        batch = rows(number)
        for ids, real in zip(batch.input_ids.tolist(), batch.attention_mask.tolist()):
            sentences.append([pieces[one] for one, here in zip(ids, real) if here and not special[one]])
    vectors = train_skip_gram(
        sentences, dimensions=race.settings.hidden, epochs=1, min_count=1, generator=seeded(seed, 3)
    )
    table = torch.zeros(len(pieces), race.settings.hidden)
    for piece, row in vectors.index.items():
        table[text.tokenizer.vocab[piece]] = vectors.vectors[row]
    return vectors, table


@torch.no_grad()
def told(model: nn.Module, held: HeldOut) -> dict[str, float]:
    """Loss of a token of held-out text by a language model: not that of a masked word, which knows both sides."""
    rows, total, count = Unmasked(held.sentences), 0.0, 0
    training = model.training
    model.train()  # so that a loss is computed; nothing is dropped
    for number in range(min(LOOKED_AT, rows.batches_per_epoch)):
        batch = rows(number)
        pairs = int(batch.attention_mask[:, 1:].sum())
        total += float(model(**inputs_on(device_of(model), batch.inputs())).loss) * pairs
        count += pairs
    model.train(training)
    return {"language_model_loss": total / count}


def language_model(race: Race, text: RaceText, held: HeldOut, seed: int, *, backwards: bool) -> Racer:
    gpt = with_waves(GPT(race.config, generator=seeded(seed)), race.settings.start_std)
    model = speed_up(LanguageModel(gpt, backwards=backwards))
    return Racer(
        model,
        Unmasked(sentence_rows(race, text, seed)),
        lambda batch: flops.causal(race.config, *batch.input_ids.shape),
        lambda model: told(model, held),
    )


def shallow(race: Race, text: RaceText, held: HeldOut, seed: int) -> Racer:
    """BiLM; its loss is the sum of both directions', twice that of one."""
    model = BiLM.from_config(race.config, generator=seeded(seed))
    return Racer(
        model,
        Unmasked(sentence_rows(race, text, seed)),
        lambda batch: flops.bilm(race.config, *batch.input_ids.shape, int(batch.attention_mask[:, 1:].sum())),
        lambda model: told(model, held),
    )


READERS: dict[str, Callable[..., Any]] = {
    "left_to_right": lambda *given: language_model(*given, backwards=False),
    "right_to_left": lambda *given: language_model(*given, backwards=True),
    "shallow": shallow,
}
