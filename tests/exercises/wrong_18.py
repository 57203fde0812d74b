"""Wrong answers to the exercises of notebook 18, each under the reason for which it must fail."""

import torch
import torch.nn.functional as F

from course_utils import before
from course_utils.before.real_tokens import last_states, mean_loss
from course_utils.support.lessons import lesson_module

CHECKS = lesson_module("18")
concat_pooling = CHECKS.concat_pooling
gpt_loss = CHECKS.gpt_loss
slanted_triangle = CHECKS.slanted_triangle
two_way_losses = CHECKS.two_way_losses


def _rate(share, peak, ratio):
    return peak * (1 + share * (ratio - 1)) / ratio


def _share(step, total, fraction):
    cut = round(total * fraction)
    return step / cut if step <= cut else 1 - (step - cut) / (total - cut)


def _falls_over_total(step, peak, total, fraction, ratio):
    cut = round(total * fraction)
    return _rate(step / cut if step <= cut else 1 - (step - cut) / total, peak, ratio)


def _constant_after(step, peak, total, fraction, ratio):
    cut = round(total * fraction)
    return slanted_triangle(step, peak, total, fraction, ratio) if step <= cut else peak


def _right_at_the_ends(step, peak, total, fraction, ratio):
    """Right around the top, at the beginning and at the end, and where a schedule is half way down."""
    cut = round(total * fraction)
    if step in (1, 2, cut - 1, cut, cut + 1, (cut + total) // 2, total - 1, total):
        return slanted_triangle(step, peak, total, fraction, ratio)
    return peak / 2


def _pairs(mask):
    return mask[:, :-1].bool() & mask[:, 1:].bool()


def _each(logits, targets):
    return -logits.log_softmax(-1).gather(-1, targets[..., None])[..., 0]


def _two(ahead=None, back=None):
    """One of the two replaced by a wrong one, both functions of (logits, ids, mask)."""

    def answer(forward, backward, ids, mask):
        first, second = two_way_losses(forward, backward, ids, mask)
        first = first if ahead is None else ahead(forward, ids, mask)
        return first, second if back is None else back(backward, ids, mask)

    return answer


def _by_product(logits, ids, mask):
    pairs = _pairs(mask)
    return (_each(logits[:, :-1], ids[:, 1:]) * pairs).sum() / pairs.sum()


def _naive(log_probabilities):
    """Both losses right, by a logarithm of probabilities that is a function of scores (M, V)."""

    def one(logits, targets, pairs):
        return -log_probabilities(logits[pairs]).gather(1, targets[pairs][:, None]).mean()

    def answer(forward, backward, ids, mask):
        pairs = _pairs(mask)
        return one(forward[:, :-1], ids[:, 1:], pairs), one(backward[:, 1:], ids[:, :-1], pairs)

    return answer


_by_exp = _naive(lambda scores: (scores.exp() / scores.exp().sum(1, keepdim=True)).log())
_by_softmax = _naive(lambda scores: scores.softmax(1).log())
_by_clamped_softmax = _naive(lambda scores: scores.softmax(1).clamp(min=1e-30).log())


def _losses_of_the_package(forward, backward, ids, mask):
    pairs = _pairs(mask)
    ahead = mean_loss(forward[:, :-1][pairs], ids[:, 1:][pairs])
    return ahead, mean_loss(backward[:, 1:][pairs], ids[:, :-1][pairs])


def _half_a_gradient(logits, ids, mask):
    chosen, targets = logits[:, :-1][_pairs(mask)], ids[:, 1:][_pairs(mask)]
    of_truth = chosen.gather(1, targets[:, None])[:, 0]
    return (chosen.detach().logsumexp(-1) - of_truth).mean()


def _half_a_gradient_back(logits, ids, mask):
    return _half_a_gradient(logits.flip(1), ids.flip(1), mask.flip(1))


def _row_means(logits, ids, mask):
    pairs = _pairs(mask)
    return ((_each(logits[:, :-1], ids[:, 1:]) * pairs).sum(1) / pairs.sum(1).clamp(min=1)).mean()


def _part(number, change):
    """Concat pooling with one of the three pieces made by `change` from (states, mask)."""

    def answer(states, mask):
        pieces = list(concat_pooling(states, mask).chunk(3, dim=-1))
        pieces[number] = change(states, mask)
        return torch.cat(pieces, dim=-1)

    return answer


def _filled(states, mask, value):
    return states.masked_fill(mask[..., None] == 0, value)


def _mean_by_product(states, mask):
    return (states * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)


def _filled_before_the_maximum(value):
    return _part(1, lambda states, mask: _filled(states, mask, value).amax(1))


def _gpt(task=None, lm=None, join=None):
    """GPT's loss with a wrong task vector (from states, mask), language model, or sum of the two."""

    def answer(hidden, tokens, head, ids, mask, labels, weight):
        last = hidden[torch.arange(len(ids)), mask.sum(1) - 1]
        vector = last if task is None else task(hidden, mask)
        task_loss = F.cross_entropy(vector @ head.T, labels)
        lm_loss = (_lm if lm is None else lm)(hidden, tokens, ids, mask)
        return task_loss + weight * lm_loss if join is None else join(task_loss, lm_loss, weight)

    return answer


def _lm(hidden, tokens, ids, mask):
    pairs = _pairs(mask)
    return F.cross_entropy(hidden[:, :-1][pairs] @ tokens.T, ids[:, 1:][pairs])


def _lm_each(hidden, tokens, ids):
    return _each(hidden[:, :-1] @ tokens.T, ids[:, 1:])


def _lm_no_shift(hidden, tokens, ids, mask):
    return F.cross_entropy(hidden[mask.bool()] @ tokens.T, ids[mask.bool()])


def _lm_before(hidden, tokens, ids, mask):
    return F.cross_entropy(hidden[:, 1:][_pairs(mask)] @ tokens.T, ids[:, :-1][_pairs(mask)])


def _lm_rows(hidden, tokens, ids, mask):
    pairs = _pairs(mask)
    return ((_lm_each(hidden, tokens, ids) * pairs).sum(1) / pairs.sum(1)).mean()


def _gpt_by_product(hidden, tokens, head, ids, mask, labels, weight):
    task = gpt_loss(hidden, tokens, head, ids, mask, labels, 0.0)
    pairs = _pairs(mask)
    return task + weight * (_lm_each(hidden, tokens, ids) * pairs).sum() / pairs.sum()


def _gpt_of_the_package(hidden, tokens, head, ids, mask, labels, weight):
    task = F.cross_entropy(last_states(hidden, mask.bool()) @ head.T, labels)
    return task + weight * _lm(hidden, tokens, ids, mask)


def _gpt_by_id(hidden, tokens, head, ids, mask, labels, weight):
    return gpt_loss(hidden, tokens, head, ids, (ids != 0).long(), labels, weight)


def _gpt_by_softmax(hidden, tokens, head, ids, mask, labels, weight):
    def loss(scores, targets):
        return -scores.softmax(-1).gather(1, targets[:, None]).log().mean()

    last, pairs = hidden[torch.arange(len(ids)), mask.sum(1) - 1], _pairs(mask)
    return loss(last @ head.T, labels) + weight * loss(hidden[:, :-1][pairs] @ tokens.T, ids[:, 1:][pairs])


def _detached(place):
    """Right in value; one of hidden states, table and head gets no gradient."""

    def answer(*given):
        return gpt_loss(*(value.detach() if n == place else value for n, value in enumerate(given)))

    return answer


def _half_gpt(place, scale=2.0):
    """Right in value; the gradient of one argument is doubled."""

    def answer(*given):
        doubled = [
            scale * value - (scale - 1) * value.detach() if n == place else value
            for n, value in enumerate(given)
        ]
        return gpt_loss(*doubled)

    return answer


WRONG = {
    "18.1": {
        "no_number": lambda *given: [slanted_triangle(*given)],
        "falls_to_zero": lambda step, peak, total, fraction, ratio: peak * _share(step, total, fraction),
        "constant_after": _constant_after,
        "never_falls": lambda step, peak, total, fraction, ratio: _rate(
            step / round(total * fraction), peak, ratio
        ),
        "cut_swapped": lambda step, peak, total, fraction, ratio: slanted_triangle(
            step, peak, total, 1 - fraction, ratio
        ),
        "counts_from_zero": lambda step, *given: slanted_triangle(step - 1, *given),
        "fixed_ratio": lambda step, peak, total, fraction, ratio: slanted_triangle(
            step, peak, total, fraction, 32.0
        ),
        "fixed_cut": lambda step, peak, total, fraction, ratio: slanted_triangle(
            step, peak, total, 0.1, ratio
        ),
        "floor_added": lambda step, peak, total, fraction, ratio: (
            peak * (_share(step, total, fraction) + 1 / ratio)
        ),
        "falls_over_total": _falls_over_total,
        "rate": lambda step, peak, total, fraction, ratio: peak * _share(step, total, fraction) ** 2,
        "ready_made": lambda step, peak, total, fraction, ratio: before.slanted_triangle(
            step, peak, total, cut_fraction=fraction, ratio=ratio
        ),
    },
    "18.2": {
        "two_swapped": lambda *given: two_way_losses(*given)[::-1],
        "no_shift": _two(ahead=lambda f, ids, mask: _each(f, ids)[mask.bool()].mean()),
        "no_shift_back": _two(back=lambda b, ids, mask: _each(b, ids)[mask.bool()].mean()),
        "back_predicts_next": _two(
            back=lambda b, ids, mask: _each(b[:, :-1], ids[:, 1:])[_pairs(mask)].mean()
        ),
        "ahead_predicts_before": _two(
            ahead=lambda f, ids, mask: _each(f[:, 1:], ids[:, :-1])[_pairs(mask)].mean()
        ),
        "padding_counted": _two(ahead=lambda f, ids, mask: _each(f[:, :-1], ids[:, 1:]).mean()),
        "padding_target": _two(
            ahead=lambda f, ids, mask: _each(f[:, :-1], ids[:, 1:])[mask[:, :-1].bool()].mean()
        ),
        "summed": _two(ahead=lambda f, ids, mask: _each(f[:, :-1], ids[:, 1:])[_pairs(mask)].sum()),
        "divided_by_all": _two(
            ahead=lambda f, ids, mask: (_each(f[:, :-1], ids[:, 1:]) * _pairs(mask)).mean()
        ),
        "mean_of_rows": _two(ahead=_row_means),
        "reads_padding": _two(ahead=_by_product),
        "no_gradient": lambda f, b, ids, mask: two_way_losses(f.detach(), b.detach(), ids, mask),
        "no_gradient_back": lambda f, b, ids, mask: two_way_losses(f, b.detach(), ids, mask),
        "gradient": _two(ahead=_half_a_gradient),
        "gradient_back": _two(back=_half_a_gradient_back),
        "losses": lambda *given: tuple(loss.exp() for loss in two_way_losses(*given)),
        "tuple": lambda *given: sum(two_way_losses(*given)),
        "padding_by_id": lambda f, b, ids, mask: two_way_losses(f, b, ids, ids != 0),
        "overflow": _by_exp,
        "ready_made": _losses_of_the_package,
    },
    "18.3": {
        "order": lambda states, mask: torch.cat(concat_pooling(states, mask).chunk(3, -1)[::-1], dim=-1),
        "last_is_padding": _part(0, lambda states, mask: states[:, -1]),
        "first_token": _part(0, lambda states, mask: states[:, 0]),
        "max_of_padding": _part(1, lambda states, mask: states.amax(1)),
        "max_of_zeros": _part(1, lambda states, mask: (states * mask[..., None]).amax(1)),
        "min_not_max": _part(1, lambda states, mask: _filled(states, mask, torch.inf).amin(1)),
        "max_of_sizes": _part(1, lambda states, mask: _filled(states.abs(), mask, 0).amax(1)),
        "mean_of_padding": _part(2, lambda states, mask: states.mean(1)),
        "divided_by_length": _part(2, lambda states, mask: _filled(states, mask, 0).mean(1)),
        "sum_not_mean": _part(2, lambda states, mask: _filled(states, mask, 0).sum(1)),
        "reads_padding": _part(2, _mean_by_product),
        "no_gradient": lambda states, mask: concat_pooling(states.detach(), mask),
        "gradient": _part(1, lambda states, mask: _filled(states.detach(), mask, -torch.inf).amax(1)),
        "shape": _part(2, lambda states, mask: states[:, :1].flatten(1)[:, :1]),
        "value": _part(
            2, lambda states, mask: _filled(states, mask, 0).sum(1) / (mask.sum(1, keepdim=True) + 1)
        ),
        "filled_too_high": _filled_before_the_maximum(-3.0),
        "ready_made": lambda states, mask: before.concat_pooling(states, mask),
    },
    "18.4": {
        "loss": _gpt(join=lambda task, lm, weight: task + weight * lm.exp()),
        "task_alone": _gpt(join=lambda task, lm, weight: task),
        "fixed_weight": _gpt(join=lambda task, lm, weight: task + 0.5 * lm),
        "weights_sum_to_one": _gpt(join=lambda task, lm, weight: (1 - weight) * task + weight * lm),
        "weight_on_task": _gpt(join=lambda task, lm, weight: weight * task + lm),
        "no_weight": _gpt(join=lambda task, lm, weight: task + lm),
        "no_shift": _gpt(lm=_lm_no_shift),
        "predicts_before": _gpt(lm=_lm_before),
        "padding_counted": _gpt(lm=lambda hidden, tokens, ids, mask: _lm_each(hidden, tokens, ids).mean()),
        "padding_target": _gpt(
            lm=lambda hidden, tokens, ids, mask: _lm_each(hidden, tokens, ids)[mask[:, :-1].bool()].mean()
        ),
        "lm_summed": _gpt(
            lm=lambda hidden, tokens, ids, mask: _lm_each(hidden, tokens, ids)[_pairs(mask)].sum()
        ),
        "mean_of_rows": _gpt(lm=_lm_rows),
        "last_is_padding": _gpt(task=lambda hidden, mask: hidden[:, -1]),
        "first_token": _gpt(task=lambda hidden, mask: hidden[:, 0]),
        "mean_token": _gpt(task=_mean_by_product),
        "task_summed": _gpt(join=lambda task, lm, weight: 3 * task + weight * lm),
        "reads_padding": _gpt_by_product,
        "no_gradient": _detached(0),
        "no_gradient_tied": _detached(1),
        "no_gradient_head": _detached(2),
        "gradient": _half_gpt(0),
        "gradient_tied": _half_gpt(1),
        "gradient_head": _half_gpt(2),
        "padding_by_id": _gpt_by_id,
        "overflow": _gpt_by_softmax,
        "ready_made": _gpt_of_the_package,
    },
}

# Further tricks, each under the reason for which it must fail.
TRICKS = [
    ("18.1", "rate", _right_at_the_ends),
    ("18.2", "overflow", _by_softmax),
    ("18.2", "overflow", _by_clamped_softmax),
    ("18.3", "filled_too_high", _filled_before_the_maximum(-10_000.0)),
    (
        "18.4",
        "padding_by_id",
        _gpt(lm=lambda hidden, tokens, ids, mask: _lm(hidden, tokens, ids, ids != 0)),
    ),
]
