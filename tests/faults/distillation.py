"""What came after BERT and makes it smaller, or trains it on several tasks: DistilBERT, TinyBERT, MT-DNN."""

from __future__ import annotations

from functools import cache
from typing import Any

import torch
from torch import nn

from course_utils import after, heads
from course_utils.bert import BertModel
from tests.faults.registry import case
from tests.faults.strategies import generator
from tests.faults.textbook import CONFIG, IDS, inputs


def ids() -> dict[str, Any]:
    """input_ids, attention_mask and token_type_ids."""
    return {name: given for name, given in inputs().items() if name != "output_attentions"}


def labels() -> torch.Tensor:
    return torch.tensor([[-100, 5, 16], [-100, 3, -100]])


@cache
def teacher() -> heads.BertForMaskedLM:
    return heads.BertForMaskedLM(CONFIG, generator=generator()).eval()


@cache
def student() -> after.DistilBertForMaskedLM:
    return after.every_other_layer(teacher()).eval()


def mask() -> torch.Tensor:
    return (torch.tensor(IDS) > 0).long()  # (2, 3)


case(
    after.DistilBertModel,
    lambda: ids() | {"output_attentions": True},
    call=lambda **given: student().bert(**given),
    also=(BertModel.forward,),
)
case(
    after.DistilBertForMaskedLM,
    lambda: inputs() | {"labels": labels()},
    call=lambda **given: student()(**given),
    also=(after.DistilBertForMaskedLM.forward,),
)
case(
    after.soft_target_loss,
    lambda: {
        "student_logits": torch.randn(2, 5),
        "teacher_logits": torch.randn(2, 5),
        "temperature": 2.0,
    },
)
case(
    after.cosine_loss,
    lambda: {
        "student_hidden": torch.randn(2, 3, 5),
        "teacher_hidden": torch.randn(2, 3, 5),
        "attention_mask": mask(),
    },
)
case(after.every_other_layer, lambda: {"teacher": teacher()})
case(
    after.DistillationLoss,
    lambda: ids() | {"labels": labels()},
    call=lambda **given: after.DistillationLoss(student(), teacher())(**given),
    also=(after.DistillationLoss.forward,),
)
case(
    after.DistillationLoss,
    lambda: {
        "student": student(),
        "teacher": teacher(),
        "temperature": 3.0,
        "soft_weight": 5.0,
        "masked_weight": 2.0,
        "cosine_weight": 0.5,
    },
    part="#weights",
)
case(after.layer_map, lambda: {"student_layers": 4, "teacher_layers": 12})
case(
    after.attention_scores,
    lambda: {"bert": teacher().bert, "hidden_states": [torch.randn(2, 3, 6) for _ in range(3)]},
)
case(
    after.attention_score_loss,
    lambda: {
        "student_scores": torch.randn(2, 5, 3, 3),
        "teacher_scores": torch.randn(2, 5, 3, 3),
        "attention_mask": mask(),
    },
)
case(
    after.hidden_loss,
    lambda: {
        "student_hidden": torch.randn(2, 3, 5),
        "teacher_hidden": torch.randn(2, 3, 7),
        "projection": nn.Linear(5, 7, bias=False),
        "attention_mask": mask(),
    },
)
case(
    after.prediction_loss,
    lambda: {
        "student_logits": torch.randn(2, 5),
        "teacher_logits": torch.randn(2, 5),
        "temperature": 1.0,
    },
)
case(
    after.LayerwiseLoss,
    ids,
    call=lambda **given: after.LayerwiseLoss(teacher(), teacher())(**given),
    also=(after.LayerwiseLoss.forward,),
)
case(
    after.LayerwiseLoss,
    lambda: {
        "student": student(),
        "teacher": teacher(),
        "weights": [1.0, 0.5, 0.0],
        "temperature": 2.0,
    },
    part="#weights",
)


@cache
def models() -> dict[str, heads.BertForSequenceClassification]:
    return {
        name: heads.BertForSequenceClassification(CONFIG, generator=generator()) for name in ("one", "two")
    }


case(
    after.MultiTaskModel,
    lambda: {"encoder": BertModel(CONFIG, generator=generator()), "models": models()},
)
case(
    after.MultiTaskModel,
    lambda: {"task": "one", **ids(), "labels": torch.tensor([0, 1])},
    call=lambda **given: after.MultiTaskModel(BertModel(CONFIG), models())(**given),
    also=(after.MultiTaskModel.forward,),
    part="#forward",
)
case(after.shuffled_batches, lambda: {"sizes": {"one": 7, "two": 3}, "batch_size": 2})
