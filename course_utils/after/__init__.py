"""What was changed after BERT, each as the difference to it: DistilBERT, TinyBERT, MT-DNN."""

from course_utils.after.distilbert import DistilBertForMaskedLM, DistilBertModel
from course_utils.after.distillation import DistillationLoss, every_other_layer
from course_utils.after.layerwise import LayerwiseLoss
from course_utils.after.multitask import MultiTaskModel, shuffled_batches
from course_utils.after.soft_targets import cosine_loss, soft_target_loss
from course_utils.after.tinybert import (
    attention_score_loss,
    attention_scores,
    hidden_loss,
    layer_map,
    prediction_loss,
)

__all__ = [
    "DistilBertForMaskedLM",
    "DistilBertModel",
    "DistillationLoss",
    "LayerwiseLoss",
    "MultiTaskModel",
    "attention_score_loss",
    "attention_scores",
    "cosine_loss",
    "every_other_layer",
    "hidden_loss",
    "layer_map",
    "prediction_loss",
    "shuffled_batches",
    "soft_target_loss",
]
