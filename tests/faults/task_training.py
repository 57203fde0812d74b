"""Tasks as the training loop sees them, fine-tuning, and what its measurements come to."""

from __future__ import annotations

import copy
from functools import cache
from typing import Any

from course_utils.bert import BertModel
from course_utils.heads.base import BertWithHead
from course_utils.tasks import (
    fine_tuning,
    forms,
    forms_tags,
    layer_rates,
    measurements,
    row_logits,
    summaries,
)
from course_utils.tasks.data import Question, SentencePair
from course_utils.tasks.measurements import Measurement
from course_utils.tasks.reviews import LabelledReview
from course_utils.tasks.tags import TaggedSentence, bio_tags
from course_utils.tasks.task import Example, Task
from tests.faults.models import CONFIG, tokenizer
from tests.faults.registry import case
from tests.faults.strategies import Kept, generator
from tests.faults.words import SENTENCES


def records() -> dict[str, list[Any]]:
    reviews = [LabelledReview(sentence, number % 2) for number, sentence in enumerate(SENTENCES * 2)]
    return {"train": reviews, "validation": reviews[:3], "test": reviews[3:]}


@cache
def task() -> Task:
    return forms.load_task("reviews", tokenizer(), parts=records(), max_length=11)


@cache
def model() -> BertWithHead:
    return task().new_model(CONFIG, generator=generator()).eval()


@cache
def bert() -> BertModel:
    return BertModel(CONFIG, generator=generator()).eval()


def asked(**more: Any) -> dict[str, Any]:
    return {"model": model(), "examples": task().parts["test"], **more}


for name, source in {
    "reviews": LabelledReview(SENTENCES[0], 1),
    "pairs": SentencePair(SENTENCES[0], SENTENCES[1], 2.5),
    "names": bio_tags(SENTENCES[0], [(0, "배", "OG")]),
    "parts_of_speech": TaggedSentence("배를 타고", ("배를", "타고"), (0, 3), ("NOUN", "VERB")),
    "questions": Question("a", "", SENTENCES[0], SENTENCES[2], "바다", 6),
}.items():
    case(
        forms.load_task,
        lambda name=name, source=source: {
            "name": name,
            "tokenizer": tokenizer(),
            "parts": {part: [source, source] for part in ("train", "validation", "test")},
            "max_length": 31,
        },
        part=f"#{name}",
    )
case(forms.draw, lambda: {"task": task(), "size": 4, "seed": 3})
case(
    forms_tags.places,
    lambda: {"source": TaggedSentence("배를 타고", ("배를", "타고"), (0, 3), ("NOUN", "VERB"))},
)
case(
    Example,
    lambda: {"source": SENTENCES[0]},
    call=lambda source: Example(source, lambda text: [tokenizer().encode(text)]).row,
    also=(tokenizer().encode,),
)
case(Task, lambda: asked(threshold=None), call=lambda **given: task().measure(**given), also=(Task.measure,))
case(
    Task,
    lambda: {"examples": task().parts["train"]},
    call=lambda examples: task().batch(examples),
    part="#batch",
)
case(
    Task,
    lambda: {"config": CONFIG},
    call=lambda config: task().new_model(config, generator=generator()),
    also=(Task.new_model,),
    part="#new_model",
)
case(
    Task,
    lambda: {"bert": bert()},
    call=lambda bert: task().with_encoder(bert, generator=generator()),
    also=(Task.with_encoder,),
    part="#with_encoder",
)
case(
    row_logits.row_logits,
    lambda: {"model": model(), "rows": [example.row for example in task().parts["test"]], "pad_id": 0},
)
case(layer_rates.layer_shares, lambda: {"num_layers": 3, "layer_decay": 0.7, "frozen": 1})
case(layer_rates.layered_adamw, lambda: {"model": model(), "layer_decay": 0.7, "frozen": 1})
case(layer_rates.parts_from_below, lambda: {"model": model()})
case(
    fine_tuning.TaskBatches,
    lambda: {"task": task(), "examples": task().parts["train"], "batch_size": 2, "seed": 0, "number": 5},
    call=lambda number, **given: fine_tuning.TaskBatches(**given)(number),
    also=(fine_tuning.TaskBatches.__call__,),
)
case(
    fine_tuning.fine_tune,
    lambda: {
        "model": model(),
        "batches": fine_tuning.TaskBatches(task(), task().parts["train"]),
        "updates": Kept(2),  # as many as are asked for
        "peak_rate": 1e-3,
        "layer_decay": 0.9,
        "frozen": 1,
        "dropout": 0.1,
        "seed": 0,
        "looks": 1,
        "measure": lambda model: 0.5,
    },
    call=lambda model, **given: fine_tuning.fine_tune(copy.deepcopy(model), **given),
    few=True,
)


def measured() -> list[Measurement]:
    starts = [("pre-trained", 0.1), ("pre-trained", 0.2), ("baseline", 0.0)]
    return [
        Measurement(
            "reviews", start, 100, seed, rate, 16, 4, {"accuracy": rate}, {"accuracy": 0.5 + seed / 10}
        )
        for start, rate in starts
        for seed in (0, 1)
    ]


CHOSEN = {"task": "reviews", "start": "pre-trained", "labels": 100}
case(measurements.Measurement, lambda: dict(zip(vars(measured()[0]), vars(measured()[0]).values())))
case(measurements.checked, lambda: {"measurements": measured()})
case(measurements.main_value, lambda: {"measures": {"accuracy": 0.5, "f1": 0.3}})
for read in (measurements.read_measurements, measurements.read_file):
    case(read, lambda: {"path": "absent.json"}, part="#absent")
case(summaries.estimate, lambda: {"values": [0.5, 0.7, 0.6]})
case(summaries.best_setting, lambda: {"measurements": measured(), **CHOSEN})
case(summaries.summary, lambda: {"measurements": measured(), **CHOSEN})
case(summaries.gain, lambda: {"measurements": measured(), **CHOSEN, "other": "baseline"})
case(summaries.table, lambda: {"measurements": measured()})
