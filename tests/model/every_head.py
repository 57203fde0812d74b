"""A small BERT, a batch for it, and the heads that the course offers: what tests of models go through."""

import torch

# Hidden size, heads, feed-forward width and vocabulary all odd or prime: a swapped axis cannot pass.
SIZES = dict(
    vocab_size=101,
    hidden_size=44,
    num_hidden_layers=3,
    num_attention_heads=11,
    intermediate_size=53,
    max_position_embeddings=47,
    layer_norm_eps=1e-3,  # that can be seen
)
B, T = 5, 13

HEADS = [
    "BertForPreTraining",
    "BertForMaskedLM",
    "BertForNextSentencePrediction",
    "BertForSequenceClassification",
    "BertForTokenClassification",
    "BertForQuestionAnswering",
    "BertForMultipleChoice",
]


def batch():
    """Ids, mask with padding on the right, on the left, in the middle and nowhere, and both segments."""
    ids = torch.randint(1, 101, (B, T), generator=torch.Generator().manual_seed(1))
    mask = torch.ones(B, T, dtype=torch.long)
    mask[1, 9:], mask[2, :4], mask[3, 5:7] = 0, 0, 0
    segments = (torch.arange(T) >= 6).long().expand(B, T).contiguous()
    return ids, mask, segments


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
