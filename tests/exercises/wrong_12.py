"""Wrong answers to the exercises of notebook 12, each under the reason for which it must fail."""

import random

import torch
import torch.nn.functional as F

from course_utils.support.lessons import lesson_module

CHECKS = lesson_module("12")
apply_fates = CHECKS.apply_fates
masked_lm_loss = CHECKS.masked_lm_loss
sentence_pairs = CHECKS.sentence_pairs


def _fates(low="mask", middle="random", high="keep", everywhere=False, cuts=(0.8, 0.9), label=None):
    def answer(input_ids, chosen, fate, random_ids, mask_id):
        ways = {"mask": torch.full_like(input_ids, mask_id), "random": random_ids, "keep": input_ids}
        changed = torch.where(
            fate < cuts[0], ways[low], torch.where(fate < cuts[1], ways[middle], ways[high])
        )
        corrupted = changed if everywhere else torch.where(chosen, changed, input_ids)
        labels = input_ids.masked_fill(~chosen, -100)
        if label is not None:
            labels = label(input_ids, chosen, corrupted, mask_id)
        return corrupted, labels

    return answer


def _edges(mask_edge=False, random_edge=False, fixed=None):
    """80-10-10 with one of its edges on the wrong side, or another number for [MASK]."""

    def answer(input_ids, chosen, fate, random_ids, mask_id):
        low = fate <= 0.8 if mask_edge else fate < 0.8
        high = fate > 0.9 if random_edge else fate >= 0.9
        changed = torch.where(low, fixed or mask_id, torch.where(high, input_ids, random_ids))
        return torch.where(chosen, changed, input_ids), input_ids.masked_fill(~chosen, -100)

    return answer


def _label_unless_same_random(input_ids, chosen, fate, random_ids, mask_id):
    corrupted, labels = apply_fates(input_ids, chosen, fate, random_ids, mask_id)
    return corrupted, labels.masked_fill((corrupted == input_ids) & (fate < 0.9), -100)


def _label(function):
    return _fates(label=function)


def _in_place(input_ids, chosen, fate, random_ids, mask_id):
    corrupted, labels = apply_fates(input_ids, chosen, fate, random_ids, mask_id)
    input_ids.copy_(corrupted)
    return corrupted, labels


def _each(logits, labels):
    return -logits.log_softmax(-1).gather(-1, labels.clamp(min=0)[..., None])[..., 0]


def _mean_of_rows(logits, labels):
    chosen = labels != -100
    return ((_each(logits, labels) * chosen).sum(1) / chosen.sum(1).clamp(min=1)).mean()


def _by_product(logits, labels):
    chosen = labels != -100
    return (_each(logits, labels) * chosen).sum() / chosen.sum().clamp(min=1)


def _half_a_gradient(logits, labels):
    chosen = logits[labels != -100]
    of_truth = chosen.gather(1, labels[labels != -100][:, None])[:, 0]
    return (chosen.detach().logsumexp(-1) - of_truth).sum() / max(1, len(chosen))


def _by_exp(logits, labels):
    chosen = labels != -100
    powers = logits[chosen].exp()
    shares = (powers / powers.sum(-1, keepdim=True)).gather(-1, labels[chosen][:, None])
    return -shares.log().sum() / max(1, len(shares))


def _pairs(crossing=False, flipped=False, negatives="elsewhere", label=1, last=True):
    def answer(documents, coins, draw):
        next_label, pairs = (1, []) if flipped else (0, [])
        groups = [[s for own in documents for s in own]] if crossing else documents
        for own in groups:
            for first, following in zip(own, own[1:] if last else own[1:-1]):
                if coins[len(pairs) % len(coins)]:
                    pairs.append((first, following, next_label))
                    continue
                candidates = {
                    "elsewhere": [s for o in documents if o is not own for s in o],
                    "anywhere": [s for o in documents for s in o if s != following],
                    "first": [o[0] for o in documents if o is not own and o[0] != following],
                }[negatives]
                pairs.append((first, candidates[draw(len(candidates))], label))
        return pairs

    return answer


def _one_coin(documents, coins, draw):
    return sentence_pairs(documents, [coins[0]] * len(coins), draw)


def _own_counter():
    drawn = -1

    def draw(count):
        nonlocal drawn
        drawn += 1
        return drawn % count

    return lambda documents, coins, _: sentence_pairs(documents, coins, draw)


def _one_step_on(documents, coins, draw):
    """Meets the true next sentence by going one further, which may be the same sentence again."""
    pairs = []
    for own in documents:
        elsewhere = [s for other in documents if other is not own for s in other]
        for first, following in zip(own, own[1:]):
            place = 0 if coins[len(pairs)] else draw(len(elsewhere))
            place = (place + 1) % len(elsewhere) if elsewhere[place] == following else place
            pairs.append((first, following, 0) if coins[len(pairs)] else (first, elsewhere[place], 1))
    return pairs


def _without_equal_documents(documents, coins, draw):
    pairs = []
    for own in documents:
        elsewhere = [s for other in documents if other != own for s in other]
        for first, following in zip(own, own[1:]):
            wrong = [s for s in elsewhere if s != following]
            taken = coins[len(pairs)]
            pairs.append((first, following, 0) if taken else (first, wrong[draw(len(wrong))], 1))
    return pairs


def _slipping(documents, coins, draw):
    """Takes the next sentences from a queue, and only when the coin says so: after a negative they slip."""
    queue = [following for own in documents for following in own[1:]]
    pairs = sentence_pairs(documents, coins, draw)
    return [(first, second if label else queue.pop(0), label) for first, second, label in pairs]


def _swapped(documents, coins, draw):
    return [(second, first, label) for first, second, label in sentence_pairs(documents, coins, draw)]


def _first_five_documents(documents, coins, draw):
    pairs = []
    for own in documents:
        elsewhere = [sentence for other in documents[:5] if other is not own for sentence in other]
        for first, following in zip(own, own[1:]):
            wrong = [sentence for sentence in elsewhere if sentence != following]
            coin = coins[len(pairs)]
            pairs.append((first, following, 0) if coin else (first, wrong[draw(len(wrong))], 1))
    return pairs


def _draws_for_show(documents, coins, draw):
    """Calls draw, and lets another generator decide."""

    def own(count):
        draw(count)
        return random.randrange(count)

    return sentence_pairs(documents, coins, own)


WRONG = {
    "12.1": {
        "not_only_chosen": _fates(everywhere=True),
        "only_masks": _fates(middle="mask", high="mask"),
        "no_random": _fates(middle="keep"),
        "never_kept": _fates(high="random"),
        "kept_masked": _fates(high="mask"),
        "random_kept_swapped": _fates(middle="keep", high="random"),
        "wrong_side": _fates(low="random", middle="mask", cuts=(0.1, 0.9)),
        "corrupted": _fates(cuts=(0.8, 0.93)),
        "masked_at_edge": _edges(mask_edge=True),
        "random_at_edge": _edges(random_edge=True),
        "fixed_mask_id": _edges(fixed=4),
        "rounded": lambda ids, chosen, fate, randoms, mask: apply_fates(
            ids, chosen, fate.mul(100).round() / 100, randoms, mask
        ),
        "zero_fate_kept": lambda ids, chosen, fate, randoms, mask: (
            apply_fates(ids, chosen & (fate > 0), fate, randoms, mask)[0],
            ids.masked_fill(~chosen, -100),
        ),
        "label_not_of_mask": lambda ids, chosen, fate, randoms, mask: (
            apply_fates(ids, chosen, fate, randoms, mask)[0],
            ids.masked_fill(~chosen | (ids == mask), -100),
        ),
        "label_corrupted": _label(lambda ids, chosen, corrupted, mask: corrupted.masked_fill(~chosen, -100)),
        "label_everywhere": _label(lambda ids, chosen, corrupted, mask: ids.clone()),
        "label_only_changed": _label(
            lambda ids, chosen, corrupted, mask: ids.masked_fill(corrupted == ids, -100)
        ),
        "label_only_masked": _label(
            lambda ids, chosen, corrupted, mask: ids.masked_fill(corrupted != mask, -100)
        ),
        "label_same_random": _label_unless_same_random,
        "label_zero": _label(lambda ids, chosen, corrupted, mask: ids.masked_fill(~chosen, 0)),
        "label_minus_one": _label(lambda ids, chosen, corrupted, mask: ids.masked_fill(~chosen, -1)),
        "label_inverted": _label(lambda ids, chosen, corrupted, mask: ids.masked_fill(chosen, -100)),
        "labels": _label(lambda ids, chosen, corrupted, mask: ids.masked_fill(~chosen, -99)),
        "mutates_input": _in_place,
    },
    "12.2": {
        "all_positions": lambda logits, labels: _each(logits, labels).mean(),
        "divided_by_all": lambda logits, labels: (_each(logits, labels) * (labels != -100)).mean(),
        "sum_not_mean": lambda logits, labels: (_each(logits, labels) * (labels != -100)).sum(),
        "mean_of_rows": _mean_of_rows,
        "drops_token_zero": lambda logits, labels: F.cross_entropy(
            logits.flatten(0, 1), labels.clamp(min=0).flatten(), ignore_index=0
        ),
        "no_log": lambda logits, labels: (
            masked_lm_loss(logits, labels) * 0
            - logits.softmax(-1)[labels != -100].gather(-1, labels[labels != -100][:, None]).mean()
        ),
        "sign": lambda logits, labels: -masked_lm_loss(logits, labels),
        "softmax_twice": lambda logits, labels: F.cross_entropy(
            logits.softmax(-1)[labels != -100], labels[labels != -100]
        ),
        "nothing_chosen": lambda logits, labels: F.cross_entropy(logits.flatten(0, 1), labels.flatten()),
        "overflow": _by_exp,
        "reads_ignored": _by_product,
        "sizes": lambda logits, labels: masked_lm_loss(logits[..., :7], labels.clamp(max=6)),
        "nothing_gradient": lambda logits, labels: (
            F.cross_entropy(logits.flatten(0, 1), labels.flatten())
            if (labels != -100).any()
            else logits.new_zeros(())
        ),
        "no_gradient": lambda logits, labels: masked_lm_loss(logits, labels).detach(),
        "gradient": _half_a_gradient,
    },
    "12.3": {
        "across_documents": _pairs(crossing=True),
        "count": _pairs(last=False),
        "label_flipped": _pairs(flipped=True, label=0),
        "next": _swapped,
        "true_next": _pairs(),
        "same_document": _pairs(negatives="anywhere"),
        "negative_label": _pairs(negatives="first", label=0),
        "never_drawn": _pairs(negatives="first"),
        "coins": _one_coin,
        "mixed": _slipping,
        "undrawn": _own_counter(),
        "two_clashes": _one_step_on,
        "few_documents": _first_five_documents,
        "ignores_draw": _draws_for_show,
        "copy_left_out": _without_equal_documents,
    },
}
