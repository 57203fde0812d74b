"""Notebook 18: other right answers pass, and cheap tricks do not."""

import pytest
import torch
import torch.nn.functional as F

from course_utils.exercises import exercise
from tests.exercises.wrong_18 import TRICKS

# ---- other right answers


def between_two_lines(step, peak, total, cut_fraction, ratio):
    cut, low = int(total * cut_fraction), peak / ratio
    if step <= cut:
        return low + (peak - low) * step / cut
    return low + (peak - low) * (total - step) / (total - cut)


def as_in_the_paper(step, peak, total, cut_fraction, ratio):
    """Howard and Ruder 2018, equation 3."""
    cut = int(total * cut_fraction)
    share = step / cut if step < cut else 1 - (step - cut) / (cut * (1 / cut_fraction - 1))
    return peak * (1 + share * (ratio - 1)) / ratio


def pair_by_pair(forward_logits, backward_logits, input_ids, attention_mask):
    ahead, back = [], []
    for row, length in enumerate(attention_mask.sum(dim=1).tolist()):
        for place in range(length - 1):
            ahead.append(-forward_logits[row, place].log_softmax(0)[input_ids[row, place + 1]])
            back.append(-backward_logits[row, place + 1].log_softmax(0)[input_ids[row, place]])
    return torch.stack(ahead).mean(), torch.stack(back).mean()


def by_ignore_index(forward_logits, backward_logits, input_ids, attention_mask):
    alone = attention_mask[:, 1:] == 0
    ahead, back = (targets.masked_fill(alone, -100) for targets in (input_ids[:, 1:], input_ids[:, :-1]))
    return [
        F.cross_entropy(forward_logits[:, :-1].transpose(1, 2), ahead),
        F.cross_entropy(backward_logits[:, 1:].transpose(1, 2), back),
    ]


def less_the_highest(forward_logits, backward_logits, input_ids, attention_mask):
    def loss(scores, targets):
        scores = scores - scores.amax(-1, keepdim=True)
        return (scores.exp().sum(-1).log() - scores.gather(-1, targets[:, None])[:, 0]).mean()

    pairs = (attention_mask[:, 1:] * attention_mask[:, :-1]).bool()
    ahead = loss(forward_logits[:, :-1][pairs], input_ids[:, 1:][pairs])
    return ahead, loss(backward_logits[:, 1:][pairs], input_ids[:, :-1][pairs])


def row_by_row(hidden_states, attention_mask):
    rows = [states[: int(mask.sum())] for states, mask in zip(hidden_states, attention_mask)]
    return torch.stack([torch.cat([row[-1], row.max(dim=0).values, row.mean(dim=0)]) for row in rows])


def with_a_number_low_enough(hidden_states, attention_mask):
    count, real = attention_mask.sum(dim=1), (attention_mask == 1)[..., None]
    final = hidden_states.take_along_dim((count - 1)[:, None, None], dim=1)[:, 0]
    highest = torch.where(real, hidden_states, -1e9).amax(dim=1)
    return torch.cat([final, highest, torch.where(real, hidden_states, 0.0).sum(dim=1) / count[:, None]], -1)


def one_row_after_another(hidden, token_weight, class_weight, input_ids, attention_mask, labels, lm_weight):
    task, lm = [], []
    for row, length in enumerate(attention_mask.sum(dim=1).tolist()):
        task.append(-(class_weight @ hidden[row, length - 1]).log_softmax(0)[labels[row]])
        scores = (hidden[row, : length - 1] @ token_weight.T).log_softmax(-1)
        lm.append(-scores.gather(1, input_ids[row, 1:length, None]))
    return torch.stack(task).mean() + lm_weight * torch.cat(lm).mean()


def filled_where_padding_is(hidden, token_weight, class_weight, input_ids, attention_mask, labels, lm_weight):
    final = hidden[torch.arange(len(labels)), attention_mask.sum(dim=1) - 1]
    alone = attention_mask[:, 1:] == 0
    scores = (hidden[:, :-1] @ token_weight.T).masked_fill(alone[..., None], 0.0)
    lm = F.cross_entropy(scores.flatten(0, 1), input_ids[:, 1:].masked_fill(alone, -100).flatten())
    return F.cross_entropy(final @ class_weight.T, labels) + lm_weight * lm


RIGHT = [
    ("18.1", between_two_lines),
    ("18.1", as_in_the_paper),
    ("18.2", pair_by_pair),
    ("18.2", by_ignore_index),
    ("18.2", less_the_highest),
    ("18.3", row_by_row),
    ("18.3", with_a_number_low_enough),
    ("18.4", one_row_after_another),
    ("18.4", filled_where_padding_is),
]


@pytest.mark.parametrize(("id", "answer"), RIGHT, ids=lambda value: getattr(value, "__name__", value))
def test_another_right_answer_passes(id, answer):
    verdict = exercise(id).judge(answer)
    assert verdict.status == "passed", verdict.message


# ---- what a check must not forget to ask


@pytest.mark.parametrize(("id", "reason", "answer"), TRICKS)
def test_a_trick_fails(id, reason, answer):
    assert exercise(id).judge(answer).reason == reason
