"""Right answers to the exercises of notebook 18, in forms that learners write."""

import numpy as np
import torch
import torch.nn.functional as F

from tests.exercises.audit import forms


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


def lower_of_two(step, peak, total, cut_fraction, ratio):
    cut = round(total * cut_fraction)
    p = min(step / cut, (total - step) / (total - cut))
    return peak / ratio + p * (peak - peak / ratio)


def step_by_step(step, peak, total, cut_fraction, ratio):
    cut, low = round(total * cut_fraction), peak / ratio
    rate = low
    for now in range(1, step + 1):
        rate += (peak - low) / cut if now <= cut else -(peak - low) / (total - cut)
    return rate


def rate_as_tensor(step, peak, total, cut_fraction, ratio):
    return torch.tensor(between_two_lines(step, peak, total, cut_fraction, ratio))


def interpolated(step, peak, total, cut_fraction, ratio):
    places = [0, round(total * cut_fraction), total]
    return np.interp(step, places, [peak / ratio, peak, peak / ratio])


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


def as_in_the_notebook(forward_logits, backward_logits, input_ids, attention_mask):
    """Section 3's own, with the real pairs picked at the end."""
    real = attention_mask[:, 1:].bool()
    ahead = forward_logits[:, :-1].log_softmax(dim=-1).gather(-1, input_ids[:, 1:, None])[..., 0]
    back = backward_logits[:, 1:].log_softmax(dim=-1).gather(-1, input_ids[:, :-1, None])[..., 0]
    return -ahead[real].mean(), -back[real].mean()


def filled_then_summed(forward_logits, backward_logits, input_ids, attention_mask):
    real = attention_mask[:, 1:].bool()

    def loss(logits, targets):
        of_truth = logits.gather(-1, targets[..., None])[..., 0]
        return torch.where(real, logits.logsumexp(-1) - of_truth, 0.0).sum() / real.sum()

    return loss(forward_logits[:, :-1], input_ids[:, 1:]), loss(backward_logits[:, 1:], input_ids[:, :-1])


def one_hot(forward_logits, backward_logits, input_ids, attention_mask):
    pairs = attention_mask[:, 1:].bool()
    losses = []
    for logits, targets in (
        (forward_logits[:, :-1], input_ids[:, 1:]),
        (backward_logits[:, 1:], input_ids[:, :-1]),
    ):
        logits = logits[pairs]
        wanted = F.one_hot(targets[pairs], logits.shape[-1]).to(logits.dtype)
        losses.append(-(wanted * logits.log_softmax(-1)).sum(-1).mean())
    return tuple(losses)


def row_by_row(hidden_states, attention_mask):
    rows = [states[: int(mask.sum())] for states, mask in zip(hidden_states, attention_mask)]
    return torch.stack([torch.cat([row[-1], row.max(dim=0).values, row.mean(dim=0)]) for row in rows])


def with_a_number_low_enough(hidden_states, attention_mask):
    count, real = attention_mask.sum(dim=1), (attention_mask == 1)[..., None]
    final = hidden_states.take_along_dim((count - 1)[:, None, None], dim=1)[:, 0]
    highest = torch.where(real, hidden_states, -1e9).amax(dim=1)
    return torch.cat([final, highest, torch.where(real, hidden_states, 0.0).sum(dim=1) / count[:, None]], -1)


def nan_mean(hidden_states, attention_mask):
    real = attention_mask[..., None].bool()
    last = hidden_states[range(len(hidden_states)), attention_mask.sum(1) - 1]
    lowest = torch.finfo(hidden_states.dtype).min
    return torch.hstack(
        [
            last,
            hidden_states.masked_fill(~real, lowest).max(dim=1).values,
            hidden_states.masked_fill(~real, torch.nan).nanmean(dim=1),
        ]
    )


def last_by_argmax(hidden_states, attention_mask):
    places = attention_mask * torch.arange(attention_mask.shape[1])
    last = torch.stack([states[place] for states, place in zip(hidden_states, places.argmax(1))])
    hidden = [states[mask == 1] for states, mask in zip(hidden_states, attention_mask)]
    highest = torch.stack([states.amax(0) for states in hidden])
    return torch.cat([last, highest, torch.stack([states.mean(0) for states in hidden])], dim=1)


def coordinate_by_coordinate(hidden_states, attention_mask):
    rows = []
    for states, mask in zip(hidden_states, attention_mask):
        columns = states[: mask.sum()].T
        rows.append(
            torch.cat([columns[:, -1], torch.stack([column.max() for column in columns]), columns.mean(1)])
        )
    return torch.stack(rows)


def shares_of_the_mean(hidden_states, attention_mask):
    real = attention_mask.to(hidden_states.dtype)
    shares = real / real.sum(1, keepdim=True)
    clean = torch.where(real[..., None] > 0, hidden_states, 0)
    average = torch.einsum("bt,btc->bc", shares, clean)
    last = clean.gather(1, (real.sum(1).long() - 1)[:, None, None].expand(-1, 1, clean.shape[-1])).squeeze(1)
    highest = torch.where(real[..., None] > 0, hidden_states, -torch.inf).amax(1)
    return torch.cat((last, highest, average), dim=-1)


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


def ignored(hidden, token_weight, class_weight, input_ids, attention_mask, labels, lm_weight):
    targets = input_ids.masked_fill(attention_mask == 0, -100)[:, 1:]
    lm = F.cross_entropy((hidden[:, :-1] @ token_weight.T).transpose(1, 2), targets)
    final = torch.stack([row[mask.sum() - 1] for row, mask in zip(hidden, attention_mask)])
    return F.cross_entropy(F.linear(final, class_weight), labels) + lm_weight * lm


def by_log_softmax(hidden, token_weight, class_weight, input_ids, attention_mask, labels, lm_weight):
    rows = torch.arange(len(labels))
    task = (hidden[rows, attention_mask.sum(1) - 1] @ class_weight.T).log_softmax(-1)[rows, labels]
    real = attention_mask[:, 1:] == 1
    logs = (hidden[:, :-1] @ token_weight.T).log_softmax(-1)
    return -task.mean() - lm_weight * logs.gather(-1, input_ids[:, 1:, None])[..., 0][real].mean()


def weighed_sum(hidden, token_weight, class_weight, input_ids, attention_mask, labels, lm_weight):
    real = attention_mask[:, 1:].bool()
    each = F.cross_entropy(
        torch.einsum("btc,vc->bvt", hidden[:, :-1], token_weight), input_ids[:, 1:], reduction="none"
    )
    final = hidden.gather(1, (attention_mask.sum(1) - 1)[:, None, None].expand(-1, 1, hidden.shape[-1]))[:, 0]
    return F.cross_entropy(final @ class_weight.T, labels) + lm_weight * torch.where(real, each, 0).sum() / (
        real.sum()
    )


def by_exponents(hidden, token_weight, class_weight, input_ids, attention_mask, labels, lm_weight):
    task_loss = torch.nn.CrossEntropyLoss()(
        hidden[torch.arange(len(labels)), attention_mask.sum(1) - 1] @ class_weight.mT, labels
    )
    pairs = (attention_mask[:, :-1] * attention_mask[:, 1:]).bool()
    scores = (hidden @ token_weight.mT)[:, :-1][pairs]
    of_truth = scores.take_along_dim(input_ids[:, 1:][pairs][:, None], dim=1)[:, 0]
    return task_loss + (scores.logsumexp(dim=1) - of_truth).mean() * lm_weight


RIGHT = {
    "18.1": forms(
        between_two_lines, as_in_the_paper, lower_of_two, step_by_step, rate_as_tensor, interpolated
    ),
    "18.2": forms(pair_by_pair, by_ignore_index, as_in_the_notebook, filled_then_summed, one_hot)
    | {"float32": lambda f, b, ids, mask: tuple(loss.float() for loss in one_hot(f, b, ids, mask))},
    "18.3": forms(
        row_by_row,
        with_a_number_low_enough,
        nan_mean,
        last_by_argmax,
        coordinate_by_coordinate,
        shares_of_the_mean,
    ),
    "18.4": forms(
        one_row_after_another, filled_where_padding_is, ignored, by_log_softmax, weighed_sum, by_exponents
    ),
}
