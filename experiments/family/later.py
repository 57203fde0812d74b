"""Members of the family race that are more than a BERT on other rows: ALBERT, ELECTRA, SpanBERT, DistilBERT."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch import Tensor, nn

from course_utils.after import (
    AlbertConfig,
    AlbertForPreTraining,
    DistillationLoss,
    Electra,
    ElectraConfig,
    SpanBertForPreTraining,
    corrupt_spans,
    every_other_layer,
    mask_spans,
)
from course_utils.datasets.batching import Batch, PretrainingBatches, seeded
from course_utils.heads import BertForPreTraining
from course_utils.training.device import device_of, inputs_on
from course_utils.training.fast import speed_up
from experiments.family import flops
from experiments.family.held import HeldOut, MaskedWords
from experiments.family.members import Ready, full_rows, looking, places, sentence_rows, with_waves
from experiments.family.pretraining import Racer
from experiments.family.race import LOOKED_AT, Race, bert_config
from experiments.family.text import RaceText, true_tokens


class Called(nn.Module):
    """A model that is called with a Batch: `call` has the inputs without the label of pairs, and that label."""

    def __init__(
        self, model: nn.Module, call: Callable[[nn.Module, dict[str, Tensor], Tensor | None], Any]
    ) -> None:
        super().__init__()
        self.model, self.call = model, call

    def forward(self, next_sentence_label: Tensor | None = None, **inputs: Tensor) -> Any:
        return self.call(self.model, inputs, next_sentence_label)


def albert(race: Race, text: RaceText, held: HeldOut, seed: int) -> Ready:
    """bert's width and depth with a third of its parameters. It computes as much but for the embeddings."""
    config = AlbertConfig(**asdict(race.config), embedding_size=race.settings.hidden // 4)
    model = Called(
        AlbertForPreTraining(config, generator=seeded(seed)),
        lambda albert, inputs, order: albert(**inputs, sentence_order_label=order),
    )
    speed_up(with_waves(model, config.initializer_range))
    rows = text.in_order(text.train, batch_size=race.settings.batch_size, seed=seed)

    def cost(batch: Batch) -> int:
        pairs = batch.next_sentence_label is not None
        return flops.albert(config, *batch.input_ids.shape, places(batch), pairs=pairs)

    return Ready(Racer(model, rows, cost, looking(held, inside)), inside)


def inside(model: Called) -> nn.Module:
    """What is trained."""
    return model.model


def electra(race: Race, text: RaceText, held: HeldOut, seed: int) -> Ready:
    """What is tuned afterwards is the discriminator; the masked words are those of the generator, which is smaller."""
    config = ElectraConfig(**asdict(race.config), embedding_size=race.settings.hidden)
    model = Called(  # what its generator says is drawn by torch's global generator
        Electra(config, divisor=2, generator=seeded(seed)),
        lambda electra, inputs, _: electra(**inputs, generator=torch.default_generator),
    )
    speed_up(with_waves(model, config.initializer_range))
    small = config.smaller(2)

    def measures(model: nn.Module) -> dict[str, float]:
        guess = model.model.generator
        found = held.look(MaskedWords(guess.bert, guess.mlm))
        return {"generator_masked_loss": found["masked_loss"], **detection(model.model, held)}

    return Ready(
        Racer(
            model,
            sentence_rows(race, text, seed),
            lambda batch: flops.electra(config, small, *batch.input_ids.shape, places(batch)),
            measures,
        ),
        lambda model: model.model.discriminator,
    )


@torch.no_grad()
def detection(model: Electra, held: HeldOut, *, most: int = LOOKED_AT) -> dict[str, float]:
    """How well replaced tokens of held-out text are found; tokens are drawn from a seed of its own."""
    total, real, right, replaced = 0.0, 0, 0, 0
    generator = seeded(7)
    training = model.training
    model.eval()
    for number in range(min(most, held.sentences.batches_per_epoch)):
        inputs = inputs_on(device_of(model), held.sentences(number).inputs())
        inputs.pop("next_sentence_label")
        output = model(**inputs, generator=generator)
        known = output.replaced >= 0
        total += float(output.discriminator_loss) * int(known.sum())
        right += int(((output.logits > 0) == (output.replaced == 1))[known].sum())
        real += int(known.sum())
        replaced += int((output.replaced == 1).sum())
    model.train(training)
    return {
        "detection_loss": total / real,
        "detection_accuracy": right / real,
        "replaced_share": replaced / real,
    }


@dataclass(frozen=True)
class SpanBatch:
    """A Batch whose masks are spans."""

    input_ids: Tensor
    attention_mask: Tensor
    token_type_ids: Tensor
    labels: Tensor
    spans: Tensor
    next_sentence_label = None  # nobody asks

    def inputs(self) -> dict[str, Tensor]:
        return dict(vars(self))


class InSpans:
    """Rows masked anew, in spans."""

    def __init__(self, rows: PretrainingBatches, text: RaceText, seed: int) -> None:
        self.rows, self.text, self.seed = rows, text, seed
        self.batches_per_epoch = rows.batches_per_epoch

    def __call__(self, number: int) -> SpanBatch:
        batch: Batch = self.rows(number)
        true, generator = true_tokens(batch), seeded(self.seed, number, 2)
        can_choose = ~self.text.special[true]
        rows = self.rows
        spans = mask_spans(can_choose, rows.continues[true], generator=generator, rate=rows.mask_rate)
        ids = {"mask_id": rows.mask_id, "first_id": rows.first_id, "vocab_size": rows.vocab_size}
        input_ids, labels = corrupt_spans(true, spans, **ids, generator=generator)
        return SpanBatch(input_ids, batch.attention_mask, batch.token_type_ids, labels, spans.places)


def spanbert(race: Race, text: RaceText, held: HeldOut, seed: int) -> Ready:
    """Its held-out words are masked one by one, as everybody's: not what it was trained for."""
    model = SpanBertForPreTraining(race.config, generator=seeded(seed))
    waves = model.boundary.position.weight.detach().clone()
    speed_up(with_waves(model, race.settings.start_std))
    with torch.no_grad():
        model.boundary.position.weight.copy_(waves)  # these are no places of a row
    rows = InSpans(full_rows(race, text, seed), text, seed)
    return Ready(
        Racer(
            model,
            rows,
            lambda batch: flops.spanbert(race.config, *batch.input_ids.shape, places(batch)),
            looking(held),
        )
    )


def distil(
    race: Race,
    text: RaceText,
    held: HeldOut,
    seed: int,
    *,
    taught: Callable[[], tuple[dict, int]],
    device: torch.device,
) -> Ready:
    """A student of plain's size.

    Args:
        taught: gives the teacher's weights, and the FLOPs that its own training took: they count.
        device: where the teacher is asked; it is no part of the model that is trained, and not moved with it.
    """
    config = bert_config(race.settings, num_hidden_layers=2 * race.settings.layers)
    master = BertForPreTraining(config)
    weights, spent = taught()
    master.load_state_dict(weights)
    student = every_other_layer(master)
    model = Called(
        DistillationLoss(speed_up(student), speed_up(master.eval().to(device))),
        lambda lesson, inputs, _: lesson(**inputs),
    )

    def pupil(model: Called) -> nn.Module:
        return model.model.student

    return Ready(
        Racer(
            model,
            sentence_rows(race, text, seed),
            lambda batch: flops.distillation(race.config, config, *batch.input_ids.shape),
            looking(held, pupil),
            spent=spent,
        ),
        pupil,
    )
