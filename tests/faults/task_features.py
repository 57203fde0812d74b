"""Frozen vectors, probes on them, and what tasks come to without a model."""

from __future__ import annotations

import copy
from functools import cache
from typing import Any

import torch

from course_utils.tasks import (
    baselines,
    baselines_pairs,
    baselines_questions,
    controls,
    features,
    particles,
    probe_models,
    probes,
    table7,
)
from course_utils.tasks.data import Question, SentencePair
from course_utils.tasks.forms import load_task
from course_utils.tasks.reviews import BAD, GOOD, LabelledReview
from course_utils.tasks.tags import bio_tags
from course_utils.tasks.task import Task
from tests.faults.models import inside, model, room, tokenizer
from tests.faults.registry import case
from tests.faults.strategies import generator
from tests.faults.words import SENTENCES

PARTS = ("train", "validation", "test")

# --- vectors


def vectors() -> features.Features:
    return features.layer_vectors(model(), tokenizer(), SENTENCES)


def cached(cache: Any, **given: Any) -> features.Features:
    return features.layer_vectors(cache=inside(cache), **given)


case(
    features.layer_vectors,
    lambda: {
        "model": model(),
        "tokenizer": tokenizer(),
        "sentences": [*SENTENCES],
        "words": "first",
        "max_length": 7,
        "batch_size": 2,
    },
)
case(
    features.layer_vectors,
    lambda: {
        "model": model(),
        "tokenizer": tokenizer(),
        "sentences": [*SENTENCES],
        "cache": f"{room().name}/vectors",
    },
    call=cached,
    part="#cache",
    few=True,
)
case(features.sentence_vectors, lambda: {"features": vectors(), "how": "mean", "layer": 1})
case(table7.combine, lambda: {"vectors": torch.randn(5, 3, 2), "how": "sum of last four"})

# --- probes


def parts(make: Any) -> dict[str, Any]:
    return {part: make() for part in PARTS}


def sentences() -> dict[str, Any]:
    return {
        "features": parts(lambda: [torch.randn(2, 3), torch.randn(1, 3)]),
        "labels": parts(lambda: [[0, 1], [-100]]),
    }


case(
    probe_models.LinearProbe,
    lambda: {"hidden_size": 3, "num_labels": 2, "vectors": torch.randn(5, 3)},
    call=lambda vectors, **given: probe_models.LinearProbe(**given)(vectors),
    also=(probe_models.LinearProbe.forward,),
)
case(
    probe_models.LearnedMix,
    lambda: {"num_layers": 3, "layers": torch.randn(3, 5, 2)},
    call=lambda layers, **given: probe_models.LearnedMix(**given)(layers),
    also=(probe_models.LearnedMix.forward,),
)
case(
    probe_models.BiLSTMTagger,
    lambda: {
        "input_size": 3,
        "hidden_size": 5,
        "num_labels": 2,
        "num_layers": 2,
        "vectors": torch.randn(2, 4, 3),
        "lengths": torch.tensor([4, 1]),
    },
    call=lambda vectors, lengths, **given: probe_models.BiLSTMTagger(**given)(vectors, lengths),
    also=(probe_models.BiLSTMTagger.forward,),
)
FITTED = {"epochs": 2, "seed": 1}


def fitted(probe: Any, mix: Any = None, **given: Any) -> probes.ProbeScore:
    return probes.fit_probe(copy.deepcopy(probe), mix=copy.deepcopy(mix), **given)


case(
    probes.fit_probe,
    lambda: {
        "probe": probe_models.LinearProbe(3, 2),
        "features": parts(lambda: torch.randn(5, 3)),
        "labels": parts(lambda: torch.tensor([0, 1, 0, 1, -100])),
        "rate": [0.1, 0.01],
        **FITTED,
    },
    call=fitted,
)
case(
    probes.fit_probe,
    lambda: {"probe": probe_models.BiLSTMTagger(3, 5, 2), **sentences(), "rate": 0.1, **FITTED},
    call=fitted,
    part="#sentences",
)
case(
    probes.fit_probe,
    lambda: (
        {
            "probe": probe_models.LinearProbe(3, 2),
            "mix": probe_models.LearnedMix(2),
            "features": parts(lambda: [torch.randn(2, 2, 3), torch.randn(2, 1, 3)]),
            "labels": sentences()["labels"],
        }
        | FITTED
    ),
    call=fitted,
    part="#mix",
)
case(
    controls.control_labels,
    lambda: {"words": ["배를", "배"], "num_labels": 3, "seed": 1, "weights": [2.0, 1.0, 0.5]},
)
case(controls.selectivity, lambda: {"task": 0.9, "control": 0.3})
case(controls.anisotropy, lambda: {"vectors": torch.randn(5, 3, generator=generator())})

# --- baselines

RECORDS = {
    "reviews": [LabelledReview(text, label) for text, label in zip(SENTENCES, (GOOD, BAD, BAD))],
    "pairs": [SentencePair(SENTENCES[0], SENTENCES[1], 2.5), SentencePair("배", "배", 5.0)],
    "names": [bio_tags("부산에 배가 온다.", [(0, "부산", "LC")]), bio_tags(SENTENCES[1], [])],
    "questions": [
        Question("1", "배", SENTENCES[0], "배를 타고 어디로 가?", "바다", 6),
        Question("1", "배", SENTENCES[0], "누가 가?", None, None),
    ],
}


@cache
def task(name: str) -> Task:
    records = tagged() if name == "parts_of_speech" else RECORDS[name]
    return load_task(name, tokenizer(), parts=dict.fromkeys(PARTS, records))


def tagged() -> list:
    return [
        sentence._replace(tags=tuple(("NOUN", "VERB")[place % 2] for place in range(len(sentence.words))))
        for sentence in RECORDS["names"]
    ]


for make, names in {
    baselines.baseline: ["reviews", "pairs", "names", "parts_of_speech", "questions"],
    baselines.majority: ["reviews", "pairs", "names", "questions"],
    baselines.naive_bayes: ["reviews"],
    baselines.ngram_cosine: ["pairs"],
    baselines.name_dictionary: ["names"],
    baselines.most_frequent_tag: ["parts_of_speech"],
    baselines.tag_by_ending: ["parts_of_speech"],
    baselines.nearest_sentence: ["questions"],
}.items():
    for name in names:
        case(
            make,
            lambda name=name: {
                "task": task(name),
                "examples": task(name).parts["train"],
                "asked": task(name).parts["test"],
            },
            call=lambda asked, make=make, **given: make(**given).measure(asked),
            also=(baselines.Baseline.measure,),
            part="" if len(names) == 1 else f"#{name}",
        )
case(baselines_pairs.tfidf_cosine, lambda: {"texts": [*SENTENCES]})
case(baselines_pairs.ngrams, lambda: {"text": SENTENCES[0]})
case(baselines_questions.sentences_of, lambda: {"passage": " ".join(SENTENCES)})
case(baselines_questions.content_words, lambda: {"text": SENTENCES[0]})
case(particles.without_particle, lambda: {"word": "부산에서"})
