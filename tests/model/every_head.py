"""The heads that the course offers, by name: what the tests of the heads and of speed_up go through."""

import torch

HEADS = [
    "BertForPreTraining",
    "BertForMaskedLM",
    "BertForNextSentencePrediction",
    "BertForSequenceClassification",
    "BertForTokenClassification",
    "BertForQuestionAnswering",
    "BertForMultipleChoice",
]


def in_its_form(name, inputs):
    """Rows (B, T) as the head takes them: for a choice three a group, (B, 3, T), of which no two are alike."""
    if name != "BertForMultipleChoice":
        return inputs
    return tuple(torch.stack([rows, rows.flip(0), rows.roll(1, 0)], dim=1) for rows in inputs)
