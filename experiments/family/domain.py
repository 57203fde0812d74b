"""A model of general text goes on with film reviews (notebook 19): what is learned, and what is forgotten.

base       plain, as the family race left it
domain     … as many updates again on the texts of reviews to learn from (their labels are not looked at)
longer     … as many updates again on the general text: what more updates do by themselves
reviews    from random weights, on the reviews alone, as many updates as domain makes in both stages
"""

from __future__ import annotations

from collections.abc import Callable

from torch import nn

from course_utils.datasets.batching import PretrainingBatches, encode_documents
from course_utils.training.measures import measure
from experiments.family.held import ROWS, HeldOut, MaskedWords
from experiments.family.pretraining import Racer
from experiments.family.race import LOOKED_AT, Race
from experiments.family.tasks import task_of
from experiments.family.text import RaceText


def review_texts(text: RaceText, part: str) -> list[list[int]]:
    examples = task_of("reviews", text.tokenizer).parts[part]
    documents = encode_documents([[example.source.text] for example in examples], text.tokenizer)
    return [sentence for document in documents for sentence in document]


def review_rows(race: Race, text: RaceText, part: str, *, batch_size: int, seed: int) -> PretrainingBatches:
    """Reviews as rows of masked words."""
    return text.sentences([review_texts(text, part)], batch_size=batch_size, seed=seed)


def both(held: HeldOut, reviews: PretrainingBatches) -> Callable[[nn.Module], dict[str, float]]:
    """Loss of a masked word in held-out general text, and in reviews of films that are not among those learned from."""

    def measures(model: nn.Module) -> dict[str, float]:
        words = MaskedWords(model.bert, model.mlm)
        found = measure(words, reviews, most=LOOKED_AT)
        return {**held.look(words), "review_masked_loss": found["held_out_mlm_loss"]}

    return measures


def going_on(race: Race, text: RaceText, held: HeldOut, ready: Racer, seed: int, *, reviews: bool) -> Racer:
    """The same model on other rows: reviews, or those of the general text that follow."""
    rows = 2 * race.settings.batch_size
    if reviews:
        batches: Callable = review_rows(race, text, "train", batch_size=rows, seed=seed)
    else:
        earlier, steps = ready.batches, race.settings.steps

        def batches(number: int):
            return earlier(number + steps)

    asked = review_rows(race, text, "validation", batch_size=ROWS, seed=1)
    return Racer(ready.model, batches, ready.flops, both(held, asked))
