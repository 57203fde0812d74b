"""What is measured on tasks: labels, numbers, answers, entities."""

from __future__ import annotations

import torch

from course_utils.tasks import metrics
from course_utils.tasks.answers import normalize_answer
from course_utils.tasks.entities import entities
from tests.faults.registry import case
from tests.faults.strategies import Kept

LABELS = {"predictions": [1, 0, 1], "references": [1, 1, 0]}
SCORES = {"predictions": [0.5, 3.0, 2.0], "references": [1.0, 5.0, 0.0]}
TAGS = {"predictions": [["B-PS", "I-PS"], ["O"]], "references": [["B-PS", "O"], ["B-LC"]]}
WHOLE = {"predictions": [["B-PS", "E-PS"], ["O"]], "references": [["S-PS", "O"], ["S-LC"]]}
ANSWER = {"prediction": "세종 대왕이", "answers": ["세종 대왕", "세종"]}


def tensors(given: dict) -> dict[str, torch.Tensor]:
    return {name: torch.tensor(values) for name, values in given.items()}


for metric, good in [
    (metrics.accuracy, LABELS),
    (metrics.f1, LABELS),
    (metrics.matthews, LABELS),
    (metrics.pearson, SCORES),
    (metrics.spearman, SCORES),
]:
    case(metric, lambda good=good: dict(good))
    case(metric, lambda good=good: tensors(good), part="#tensor")
case(metrics.accuracy, lambda: {"predictions": ["전라"], "references": ["제주"]}, part="#texts")
for metric in (metrics.exact_match, metrics.span_f1):
    case(metric, lambda: dict(ANSWER))
    case(metric, lambda: ANSWER | {"normalize": normalize_answer}, part="#normalize")
case(normalize_answer, lambda: {"text": "「세종」 대왕 the 1st, A형"})
case(entities, lambda: {"tags": ["B-PS", "I-PS", "O"], "scheme": "BIO"})
case(entities, lambda: {"tags": ["B-PS", "E-PS", "S-LC"], "scheme": Kept("BIOES")}, part="#bioes")
case(metrics.entity_f1, lambda: TAGS | {"scheme": "BIO"})
case(metrics.entity_f1, lambda: WHOLE | {"scheme": Kept("BIOES")}, part="#bioes")
