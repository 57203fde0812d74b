"""Numbers and batches: pre-training data, static vectors, rates, measures, patterns."""

from __future__ import annotations

from typing import Any

import torch

from course_utils import contextual, interpretation
from course_utils.before import word2vec
from course_utils.contextual.baselines import fit_naive_bayes
from course_utils.contextual.evaluation import wilson_interval
from course_utils.contextual.measures import similarities
from course_utils.contextual.senses import fit_senses
from course_utils.datasets.batching import batches_by_length, pad
from course_utils.datasets.pretraining import choose_tokens, choose_words, corrupt, sentence_pairs
from course_utils.datasets.vocabulary import train_vocabulary
from course_utils.pretrained.name_map import reference_name
from course_utils.schedules import slanted_triangle
from course_utils.training.adam import Adam, AdamW
from course_utils.training.clipping import clip_gradients
from course_utils.training.optim import (
    RAdam,
    adamw,
    linear_rate,
    noam_rate,
    parameter_groups,
)
from course_utils.training.radam import average_length, rectification
from course_utils.training.settings import Settings
from course_utils.training.sgd import SGD
from course_utils.training.text import split_documents
from tests.faults.registry import case
from tests.faults.strategies import Kept, generator
from tests.faults.words import SENTENCES

adamw(torch.nn.Linear(2, 3))  # the first one loads what takes seconds
ROWS = [[2, 5, 7, 3], [2, 9, 3]]


def chosen() -> torch.Tensor:
    return torch.tensor([[False, True, True], [False, True, False]])


def weights() -> torch.Tensor:
    return torch.rand(2, 3, 5, 5).softmax(-1)


def with_gradients(params: Any) -> Any:
    """A copy of each tensor in a list, with a gradient where there can be one: a step changes them."""
    if not isinstance(params, list):
        return params
    found = [one.detach().clone() if isinstance(one, torch.Tensor) else one for one in params]
    for one in found:
        if isinstance(one, torch.Tensor) and one.is_floating_point():
            one.grad = torch.ones_like(one)
    return found


def tensors() -> list[torch.Tensor]:
    return [torch.randn(3, 5), torch.randn(2)]


ADAM = {"lr": 1e-3, "betas": (0.9, 0.99), "eps": 1e-8, "weight_decay": 0.01}
for kind, settings in {
    SGD: {"lr": 0.1, "momentum": 0.9, "weight_decay": 0.01},
    Adam: ADAM,
    AdamW: ADAM,
    RAdam: ADAM,
}.items():
    case(
        kind,
        lambda settings=settings: {"params": tensors(), **settings},
        call=lambda params, kind=kind, **given: kind(with_gradients(params), **given).step(),
        also=(kind.step,),
    )
case(
    clip_gradients,
    lambda: {"parameters": tensors(), "max_norm": 1.0},
    call=lambda parameters, max_norm: clip_gradients(with_gradients(parameters), max_norm),
)
case(average_length, lambda: {"step": 7, "beta2": 0.999})
case(rectification, lambda: {"step": 7, "beta2": 0.999})
case(slanted_triangle, lambda: {"step": 3, "peak": 0.01, "total": 20, "cut_fraction": 0.1, "ratio": 32.0})
case(noam_rate, lambda: {"step": 3, "hidden_size": 64, "warmup": 5})
case(linear_rate, lambda: {"step": 3, "peak": 1e-3, "warmup": 5, "total": 11})
case(parameter_groups, lambda: {"model": Kept(torch.nn.Linear(2, 3)), "weight_decay": 0.01})
case(adamw, lambda: {"model": Kept(torch.nn.Linear(2, 3)), "learning_rate": 1e-3, "weight_decay": 0.01})
case(
    Settings,
    lambda: {
        "vocab_size": 8000,
        "layers": 2,
        "hidden": 64,
        "heads": 2,
        "dropout": 0.1,
        "steps": 7,
        "warmup": 2,
    },
)
case(split_documents, lambda: {"documents": [[text] for text in SENTENCES * 3], "one_in": 3, "seed": 1})
case(reference_name, lambda: {"ours": "encoder.layers.0.attention.query.weight"})
case(batches_by_length, lambda: {"lengths": [3, 5, 2], "batch_size": 2, "generator": Kept(generator())})
case(pad, lambda: {"rows": [list(row) for row in ROWS], "value": 0})
case(choose_tokens, lambda: {"can_choose": chosen(), "generator": Kept(generator()), "rate": 0.15})
case(
    choose_words,
    lambda: {"can_choose": chosen(), "continues": ~chosen(), "generator": Kept(generator()), "rate": 0.15},
)
case(
    corrupt,
    lambda: {
        "input_ids": torch.tensor([[2, 5, 6], [2, 7, 3]]),
        "chosen": chosen(),
        "mask_id": 4,
        "first_id": 5,
        "vocab_size": 17,
        "generator": Kept(generator()),
    },
)
case(sentence_pairs, lambda: {"documents": [ROWS, [[2, 3]], ROWS], "generator": Kept(generator())})
case(train_vocabulary, lambda: {"sentences": SENTENCES * 9, "size": 50})
case(word2vec.keep_probability, lambda: {"counts": torch.tensor([7, 5, 3]), "threshold": 1e-3})
case(word2vec.noise_distribution, lambda: {"counts": torch.tensor([7, 5, 3])})
case(
    word2vec.negative_sampling_loss,
    lambda: {"centres": torch.randn(2, 3), "contexts": torch.randn(2, 3), "negatives": torch.randn(2, 5, 3)},
)
case(
    word2vec.window_pairs,
    lambda: {
        "tokens": torch.tensor([1, 2, 3, 4]),
        "sentence": torch.tensor([0, 0, 1, 1]),
        "window": 2,
        "generator": Kept(generator()),
    },
)
case(
    word2vec.train_skip_gram,
    lambda: {
        "sentences": [text.split() for text in SENTENCES * 3],
        "dimensions": 3,
        "window": 2,
        "epochs": 1,
        "min_count": 1,
        "generator": Kept(generator()),
    },
)
case(similarities, lambda: {"vectors": torch.randn(5, 3)})
case(contextual.separation, lambda: {"vectors": torch.randn(4, 3), "senses": ["배", "눈", "배", "눈"]})
case(
    contextual.neighbour_accuracy, lambda: {"vectors": torch.randn(4, 3), "senses": ["배", "눈", "배", "눈"]}
)
case(wilson_interval, lambda: {"right": 3, "number": 7, "z": 1.96})
case(fit_naive_bayes, lambda: {"examples": {"a": [["배", "를"]], "b": [["배"]]}, "smoothing": 0.3})
case(
    fit_senses,
    lambda: {
        "points": {"a": torch.randn(5, 3), "b": torch.randn(4, 3)},
        "shrinkage": 0.3,
        "temperature": 1.0,
    },
)
case(interpretation.rollout, lambda: {"weights": weights()})
case(
    interpretation.head_patterns,
    lambda: {"tokens": ["[CLS]", "배", "##를", "배", "[SEP]"], "weights": weights()},
)
case(interpretation.mean_patterns, lambda: {"sentences": [(["배", "를"], torch.full((2, 2), 0.5))]})
