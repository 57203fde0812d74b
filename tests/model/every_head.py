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


def targets(name):
    """Labels for five rows of 13 tokens; −100 in most places, and each row has another number of targets."""
    generator = torch.Generator().manual_seed(2)
    chosen = torch.rand(5, 13, generator=generator) < 0.3
    chosen[1, 9:], chosen[2, :4] = False, False  # padding
    labels = torch.randint(0, 101, (5, 13), generator=generator).masked_fill(~chosen, -100)
    labels[0, 3] = 0  # token 0 is a label like any other
    is_next = torch.tensor([0, 1, 1, 0, 1])
    return {
        "BertForPreTraining": {"labels": labels, "next_sentence_label": is_next},
        "BertForMaskedLM": {"labels": labels},
        "BertForNextSentencePrediction": {"next_sentence_label": is_next},
        "BertForSequenceClassification": {"labels": is_next},
        "BertForTokenClassification": {"labels": labels.where(labels == -100, labels % 2)},
        "BertForQuestionAnswering": {
            "start_positions": torch.tensor([0, 3, 5, 12, 2]),
            "end_positions": torch.tensor([1, 8, 5, 12, 4]),
        },
        "BertForMultipleChoice": {"labels": torch.tensor([0, 2, 1, 1, 0])},
    }[name]
