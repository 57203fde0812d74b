"""Wrong answers to the exercises of notebook 07, each under the reason for which it must fail."""

import math

import torch
import torch.nn.functional as F

from course_utils.seq2seq import beam_search

# ---- 07.1


def _labels(ids, pad):
    return ids[:, 1:].masked_fill(ids[:, 1:] == pad, -100)


def _pads_of_input(ids, pad):
    return ids[:, :-1], ids[:, 1:].masked_fill(ids[:, :-1] == pad, -100)


def _no_end(ids, pad):
    """Leaves <eos> out of the input, as if shorter rows were cut like the longest."""
    last = ids == 2
    return ids.masked_fill(last, pad)[:, :-1], _labels(ids, pad)


def _written_into_a_slice(ids, pad):
    labels = ids[:, 1:]
    labels[labels == pad] = -100
    return ids[:, :-1], labels


def _rolled(ids, pad):
    labels = ids.roll(-1, dims=1)
    return ids, labels.masked_fill(labels == pad, -100)


def _ignored_everywhere(ids, pad):
    ids = ids.masked_fill(ids == pad, -100)
    return ids[:, :-1], ids[:, 1:]


def _end_ignored(ids, pad):
    labels = _labels(ids, pad)
    following = torch.cat([labels[:, 1:], torch.full_like(labels[:, :1], -100)], dim=1)
    return ids[:, :-1], labels.masked_fill(following == -100, -100)


def _begins_with_one(ids, pad):
    """Makes the input out of the labels and a <bos> that it knows by heart."""
    return torch.cat([torch.ones_like(ids[:, :1]), ids[:, 1:-1]], dim=1), _labels(ids, pad)


# ---- 07.2


def _attention(
    query_from="decoder",
    key_from="encoder",
    value_from="encoder",
    scale=lambda query, hidden: math.sqrt(query.shape[-1]),
    order=(0, 1, 2),
    mask=lambda scores, allowed: scores.masked_fill(~allowed, torch.finfo(scores.dtype).min),
    erase=lambda weights, allowed: weights.masked_fill(~allowed, 0.0),
    axis=lambda source_mask: source_mask[:, None, :],
    softmax=lambda scores: scores.softmax(dim=-1),
    transpose=True,
):
    def cross_attention(hidden_states, encoded, query_weight, key_weight, value_weight, source_mask):
        given = [query_weight, key_weight, value_weight]
        weights = [given[place].T if transpose else given[place] for place in order]
        sides = {"decoder": hidden_states, "encoder": encoded, "nothing learned": encoded.detach()}
        query, key, value = (
            sides[side] @ weight for side, weight in zip((query_from, key_from, value_from), weights)
        )
        allowed = axis(source_mask)
        scores = query @ key.mT / scale(query, hidden_states)
        return erase(softmax(mask(scores, allowed)), allowed) @ value

    return cross_attention


def _same(scores, allowed):
    return scores


def _causal(scores, allowed):
    past = torch.ones(scores.shape[-2:]).tril().bool()
    return scores.masked_fill(~(allowed & past), torch.finfo(scores.dtype).min)


def _minus_infinity(scores, allowed):
    return scores + torch.where(allowed, 0.0, -math.inf).to(scores.dtype)


def _small_penalty(scores, allowed):
    return scores + torch.where(allowed, 0.0, -100.0).to(scores.dtype)


def _plain_exponentials(scores):
    """A softmax by hand that does not subtract the largest score: all powers of low scores are 0."""
    powers = scores.exp()
    return powers / powers.sum(dim=-1, keepdim=True).clamp(min=1e-30)


def _without_gradient(*given):
    with torch.no_grad():
        return _attention()(*given)


def _same_lengths(hidden_states, encoded, *rest):
    batch, length, size = hidden_states.shape
    return _attention()(hidden_states, encoded.view(batch, length, size), *rest)


def _in_float32(*given):
    return _attention()(*(one if one.dtype == torch.bool else one.float() for one in given))


# ---- 07.3


def _loss(
    share=lambda of_label, losses, epsilon: (1 - epsilon) * of_label + epsilon * losses.mean(-1),
    mean=lambda losses: losses.sum() / max(len(losses), 1),
    losses_of=lambda logits: -logits.log_softmax(dim=-1),
):
    def smoothed_loss(logits, labels, epsilon):
        logits, labels = logits[labels != -100], labels[labels != -100]
        losses = losses_of(logits)
        return mean(share(losses.gather(-1, labels[:, None])[:, 0], losses, epsilon))

    return smoothed_loss


def _possible_mean(losses):
    possible = losses < math.inf
    return losses.masked_fill(~possible, 0.0).sum(-1) / possible.sum(-1)


def _right_share(of_label, losses, epsilon):
    return (1 - epsilon) * of_label + epsilon * _possible_mean(losses)


def _over_wrong_words(of_label, losses, epsilon):
    return (1 - epsilon) * of_label + epsilon * (losses.sum(-1) - of_label) / (losses.shape[-1] - 1)


def _divergence(logits, labels, epsilon):
    logits, labels = logits[labels != -100], labels[labels != -100]
    size = logits.shape[-1]
    q = torch.full_like(logits, epsilon / size).scatter(-1, labels[:, None], 1 - epsilon + epsilon / size)
    return F.kl_div(logits.log_softmax(-1), q, reduction="batchmean")


def _all_counted(logits, labels, epsilon):
    return _loss(_right_share)(logits, labels.clamp(min=0), epsilon)


def _label_erased(logits, labels, epsilon):
    """Erases the label's share where nothing is to be learned, and forgets that of the other words."""
    losses = -logits.log_softmax(dim=-1)
    of_label = losses.gather(-1, labels.clamp(min=0)[:, None])[:, 0].masked_fill(labels == -100, 0.0)
    return ((1 - epsilon) * of_label + epsilon * losses.mean(-1)).sum() / (labels != -100).sum()


def _over_all_rows(logits, labels, epsilon):
    return _loss(_right_share, torch.sum)(logits, labels, epsilon) / len(labels)


def _zero_by_hand(logits, labels, epsilon):
    if (labels == -100).all():
        return logits.new_zeros(())
    return _loss(_right_share)(logits, labels, epsilon)


def _zeroed_nan(logits, labels, epsilon):
    """0/0 in the forward pass, wiped out afterwards."""
    return _loss(_right_share, lambda losses: losses.sum() / len(losses))(
        logits, labels, epsilon
    ).nan_to_num()


def _kept_from_nan(logits, labels, epsilon):
    """0 where nothing counts, and NaN on the way back: the square root of 0."""
    right = _loss(_right_share)(logits, labels, epsilon)
    return right if (labels != -100).any() else (logits * 0).sum().sqrt() * 0 + right


def _multiplied(logits, labels, epsilon):
    """Removes what does not count by a factor 0."""
    losses = -logits.log_softmax(dim=-1)
    of_label = losses.gather(-1, labels.clamp(min=0)[:, None])[:, 0]
    counted = (labels != -100).to(logits.dtype)
    return (_right_share(of_label, losses, epsilon) * counted).sum() / counted.sum().clamp(min=1)


def _chosen_afterwards(logits, labels, epsilon):
    """Right in the forward pass; on the way back the softmax of a strange row meets a gradient of 0."""
    losses = -logits.log_softmax(dim=-1)
    counted = labels != -100
    of_label = losses.gather(-1, labels.clamp(min=0)[:, None])[:, 0]
    chosen = _right_share(of_label, losses, epsilon)[counted]
    return chosen.sum() / max(len(chosen), 1)


def _impossible_counted(of_label, losses, epsilon):
    zeroed = losses.masked_fill(losses == math.inf, 0.0)
    return (1 - epsilon) * of_label + epsilon * zeroed.mean(-1)


def _through_probabilities(of_label, losses, epsilon):
    """Right in the forward pass; the gradient of 0·log 0 is 0·inf."""
    return _right_share(of_label, losses, epsilon) + 0 * (losses * (-losses).exp()).nan_to_num().sum(-1)


def _detached(of_label, losses, epsilon):
    return (1 - epsilon) * of_label + epsilon * _possible_mean(losses).detach()


def _without_loss_gradient(logits, labels, epsilon):
    return _loss(_right_share)(logits.detach(), labels, epsilon)


def _first_row_decides(logits, labels, epsilon):
    """Takes the words that are possible from the first row, for all."""
    counted = labels != -100
    logits, labels = logits[counted], labels[counted]
    number = (logits > -math.inf).sum(-1)[:1]
    losses = -logits.log_softmax(dim=-1)
    mean = losses.masked_fill(losses == math.inf, 0.0).sum(-1) / number
    rows = (1 - epsilon) * losses.gather(-1, labels[:, None])[:, 0] + epsilon * mean
    return rows.sum() / max(len(rows), 1)


def _clipped(logits, labels, epsilon):
    """The right loss; the gradient is cut off where a probability is small."""
    right = _loss(_right_share)(logits, labels, epsilon)
    small = logits.softmax(dim=-1) < 0.04
    again = _loss(_right_share)(
        torch.where(small & (logits > -math.inf), logits.detach(), logits), labels, epsilon
    )
    return again + (right - again).detach()


# ---- 07.4


def _continued(model, beam):
    return [((*ids, token), total + more) for ids, total in beam for token, more in enumerate(model(ids))]


def _possible(found):
    return [pair for pair in found if pair[1] > -math.inf]


def _best(found, number):
    return sorted(found, key=lambda pair: -pair[1])[:number]


def _scored(total, length, alpha, steps):
    return total / ((5 + length) / 6) ** alpha


def _beam(
    score=_scored,
    width=lambda beam_size, ended: beam_size,
    stop=lambda beam_size, ended: False,
    finish=lambda scored, beam_size: _best(scored, beam_size),
    keep=lambda found, beam, width: _best(found, width),
    allowed=_possible,
    cut=True,
    longer=0,
):
    def search_with_beam(model, beam_size, end, max_length, alpha):
        beam, ended = [((), 0.0)], []
        for length in range(1, max_length + longer + 1):
            found = keep(allowed(_continued(model, beam)), beam, width(beam_size, ended))
            last = length == max_length + longer and cut
            ended += [pair for pair in found if pair[0][-1] == end or last]
            beam = [pair for pair in found if pair[0][-1] != end]
            if stop(beam_size, ended):
                break
        steps = {ids: [model(ids[:place])[token] for place, token in enumerate(ids)] for ids, _ in ended}
        return finish([(ids, score(total, len(ids), alpha, steps[ids])) for ids, total in ended], beam_size)

    return search_with_beam


def _greedy(model, beam_size, end, max_length, alpha):
    return _beam()(model, 1, end, max_length, alpha)


def _one_of_each(found, beam, width):
    if len(beam) == 1:
        return _best(found, width)
    best = {}
    for ids, total in found:
        best[ids[:-1]] = max(best.get(ids[:-1], ((), -math.inf)), (ids, total), key=lambda pair: pair[1])
    return _best(best.values(), width)


def _cut_before_the_penalty(model, beam_size, end, max_length, alpha):
    logs = _beam(score=lambda total, *rest: total)(model, beam_size, end, max_length, alpha)
    return _best([(ids, _scored(total, len(ids), alpha, ())) for ids, total in logs], beam_size)


def _in_one_list(model, beam_size, end, max_length, alpha):
    """Ended hypotheses stay in the beam, and compete for its places."""
    beam = [((), 0.0)]
    for _ in range(max_length):
        over = [pair for pair in beam if pair[0][-1:] == (end,)]
        going = [pair for pair in beam if pair[0][-1:] != (end,)]
        beam = _best(_possible(_continued(model, going)) + over, beam_size)
    return _best([(ids, _scored(total, len(ids), alpha, ())) for ids, total in beam], beam_size)


def _exhaustive(model, beam_size, end, max_length, alpha):
    wide = _beam()(model, 10**6, end, max_length, alpha)
    return wide[:beam_size]


def _exhaustive_for_one(model, beam_size, end, max_length, alpha):
    return (_exhaustive if beam_size == 1 else _beam())(model, beam_size, end, max_length, alpha)


def _by_score_of_today(model, beam_size, end, max_length, alpha):
    beam, ended = [((), 0.0)], []
    for length in range(1, max_length + 1):
        found = _best(_possible(_continued(model, beam)), beam_size)
        over = [pair for pair in found if pair[0][-1] == end or length == max_length]
        ended = _best(ended + [(ids, _scored(total, length, alpha, ())) for ids, total in over], beam_size)
        beam = [pair for pair in found if pair[0][-1] != end]
        now = max((_scored(total, length, alpha, ()) for _, total in beam), default=-math.inf)
        if len(ended) == beam_size and now <= ended[-1][1]:
            break
    return ended


def _never_ends(model, beam_size, end, max_length, alpha):
    beam, ended = [((), 0.0)], []
    while beam:
        found = _best(_possible(_continued(model, beam)), beam_size)
        ended += [pair for pair in found if pair[0][-1] == end]
        beam = [pair for pair in found if pair[0][-1] != end]
    return ended


def _goes_on(model, beam_size, end, max_length, alpha):
    beam = [((), 0.0)]
    for _ in range(max_length):
        beam = _best(_possible(_continued(model, beam)), beam_size)
    return _best([(ids, _scored(total, len(ids), alpha, ())) for ids, total in beam], beam_size)


def _by_package(model, beam_size, end, max_length, alpha):
    """Dresses the function up as a model, and lets the package search."""
    size = len(model(()))  # V, which <bos> is the number of

    def dressed(source_ids, target_ids):
        rows = [
            [model(tuple(ids[1:place])) for place in range(1, len(ids) + 1)] for ids in target_ids.tolist()
        ]
        return torch.tensor(rows, dtype=torch.float64)  # (B, T_q, V)

    nowhere = torch.zeros(1, 1, dtype=torch.long)
    given = dict(bos_token_id=size, eos_token_id=end, max_length=max_length)
    found = beam_search(dressed, nowhere, beam_size=beam_size, length_penalty=alpha, **given)
    return [(tuple(ids), _scored(total, len(ids), alpha, ())) for ids, total in found[0]]


def _with_start(model, beam_size, end, max_length, alpha):
    found = _beam()(model, beam_size, end, max_length - 1, alpha) if max_length > 1 else []
    return [((-1, *ids), score) for ids, score in found]


def _of_end_zero(model, beam_size, end, max_length, alpha):
    """Knows by heart that the end is token 0."""
    return (
        _beam()(model, beam_size, 0, max_length, alpha)
        if end == 0
        else _greedy(model, 1, end, max_length, alpha)
    )


def _without_end(scored, beam_size):
    return [(ids[:-1], score) for ids, score in _best(scored, beam_size)]


WRONG = {
    "07.1": {
        "wrong_way": lambda ids, pad: (ids[:, 1:], ids[:, :-1].masked_fill(ids[:, :-1] == pad, -100)),
        "copies": lambda ids, pad: (ids[:, :-1], ids[:, :-1].masked_fill(ids[:, :-1] == pad, -100)),
        "not_cut": _rolled,
        "swapped": lambda ids, pad: (_labels(ids, pad), ids[:, :-1]),
        "ignored_in_input": _ignored_everywhere,
        "eos_replaced": _no_end,
        "pads_counted": lambda ids, pad: (ids[:, :-1], ids[:, 1:]),
        "mask_of_input": _pads_of_input,
        "eos_ignored": _end_ignored,
        "zero_is_padding": lambda ids, pad: (ids[:, :-1], _labels(ids, 0)),
        "other_ids": _begins_with_one,
        "mutates_input": _written_into_a_slice,
        "shape": lambda ids, pad: (ids[:, :-2], _labels(ids, pad)[:, 1:]),  # two steps ahead
        "dtype": lambda ids, pad: (ids[:, :-1], _labels(ids, pad).float()),
        "tuple": lambda ids, pad: ids[:, :-1],
    },
    "07.2": {
        "keys_from_decoder": _attention(key_from="decoder"),
        "values_from_decoder": _attention(value_from="decoder"),
        "self_attention": _attention(key_from="decoder", value_from="decoder", mask=_causal, erase=_same),
        "roles_swapped": _attention("encoder", "decoder", "decoder"),
        "only_encoder": _attention("encoder"),
        "weights_swapped": _attention(order=(1, 0, 2)),
        "not_transposed": _attention(transpose=False),
        "no_scale": _attention(scale=lambda query, hidden: 1.0),
        "scale_by_hidden_size": _attention(scale=lambda query, hidden: math.sqrt(hidden.shape[-1])),
        "no_mask": _attention(mask=_same, erase=_same),
        "inverted": _attention(axis=lambda source_mask: ~source_mask[:, None, :]),
        "after_softmax": _attention(mask=_same),
        "zero_scores": _attention(mask=lambda scores, allowed: scores * allowed, erase=_same),
        "no_softmax": _attention(softmax=lambda scores: scores),
        "softmax_over_queries": _attention(softmax=lambda scores: scores.softmax(dim=-2)),
        "causal": _attention(mask=_causal),
        "masks_queries": _attention(axis=lambda source_mask: source_mask[:, :, None]),
        "other_lengths": _same_lengths,
        "mask_without_axis": _attention(axis=lambda source_mask: source_mask),
        "padding_leaks": _attention(mask=_small_penalty, erase=_same),
        "filling_not_low": _attention(mask=lambda scores, allowed: scores.masked_fill(~allowed, -1e4)),
        "underflow": _attention(softmax=_plain_exponentials),
        "empty_source": _attention(mask=_minus_infinity, erase=_same),
        "nan_gradient": _attention(mask=_minus_infinity, erase=lambda weights, allowed: weights.nan_to_num()),
        "gradient": _attention(key_from="nothing learned", value_from="nothing learned"),
        "no_gradient": _without_gradient,
        "dtype": _in_float32,
        "type": lambda *given: (_attention()(*given), given[-1]),
    },
    "07.3": {
        "plain": lambda logits, labels, epsilon: F.cross_entropy(logits, labels),
        "over_wrong_words": _loss(_over_wrong_words),
        "kl": _divergence,
        "sum": _loss(_right_share, torch.sum),
        "no_v": _loss(lambda of_label, losses, epsilon: (1 - epsilon) * of_label + epsilon * losses.sum(-1)),
        "epsilon_swapped": _loss(
            lambda of_label, losses, epsilon: epsilon * of_label + (1 - epsilon) * losses.mean(-1)
        ),
        "added": _loss(lambda of_label, losses, epsilon: of_label + epsilon * losses.mean(-1)),
        "not_log_softmax": _loss(losses_of=lambda logits: -logits),
        "smoothed_prediction": _loss(
            lambda of_label, losses, epsilon: (
                -((1 - epsilon) * (-of_label).exp() + epsilon / losses.shape[-1]).log()
            )
        ),
        "negative": lambda *given: -_loss(_right_share)(*given),
        "mean_over_all": _over_all_rows,
        "ignored_counted": _all_counted,
        "ignored_smoothed": _label_erased,
        "gradient": _loss(_detached),
        "no_gradient": _without_loss_gradient,
        "underflow": _loss(_right_share, losses_of=lambda logits: -logits.softmax(dim=-1).log()),
        "none_counted": lambda logits, labels, epsilon: F.cross_entropy(
            logits, labels, label_smoothing=epsilon
        ),
        "none_counted_cut": _zero_by_hand,
        "none_counted_gradient": _kept_from_nan,
        "ignored_logits": _multiplied,
        "ignored_gradient": _chosen_afterwards,
        "impossible": _loss(),
        "impossible_counted": _loss(_impossible_counted),
        "impossible_gradient": _loss(_through_probabilities),
        "other_losses": _first_row_decides,
        "other_gradients": _clipped,
        "shape": _loss(_right_share, lambda losses: losses),
        "dtype": lambda logits, *rest: _loss(_right_share)(logits.float(), *rest),
        "type": lambda *given: _loss(_right_share)(*given).item(),
        "value": lambda *given: _loss(_right_share)(*given) / math.log(2),  # in bits
    },
    "07.4": {
        "greedy": _greedy,
        "each_alone": _beam(keep=_one_of_each),
        "cut_lost": _beam(cut=False),
        "stops_early": _beam(stop=lambda beam_size, ended: bool(ended)),
        "stops_when_full": _beam(stop=lambda beam_size, ended: len(ended) >= beam_size),
        "stops_by_today": _by_score_of_today,
        "ranked_before": _cut_before_the_penalty,
        "ended_lost": _in_one_list,
        "place_lost": _beam(width=lambda beam_size, ended: max(beam_size - len(ended), 0)),
        "too_wide": _exhaustive_for_one,
        "too_many": _beam(finish=lambda scored, beam_size: _best(scored, len(scored))),
        "order": _beam(finish=lambda scored, beam_size: _best(scored, beam_size)[::-1]),
        "too_long": _never_ends,
        "goes_on_after_end": _goes_on,
        "not_ended": _beam(finish=_without_end),
        "no_token": _with_start,
        "ready_made": _by_package,
        "impossible": _beam(allowed=lambda found: found),
        "last_token": _beam(score=lambda total, length, alpha, steps: steps[-1]),
        "no_penalty": _beam(score=lambda total, length, alpha, steps: total),
        "multiplied": _beam(score=lambda total, length, alpha, steps: total * ((5 + length) / 6) ** alpha),
        "mean": _beam(score=lambda total, length, alpha, steps: total / length),
        "end_not_counted": _beam(score=lambda total, length, *rest: _scored(total, length - 1, *rest)),
        "no_six": _beam(score=lambda total, length, alpha, steps: total / (5 + length) ** alpha),
        "alpha_unused": _beam(score=lambda total, length, alpha, steps: _scored(total, length, 1.0, steps)),
        "probability": _beam(score=lambda total, length, alpha, steps: math.exp(total)),
        "score": _beam(
            score=lambda total, length, alpha, steps: _scored(total, length, alpha**2 + 0.3, steps)
        ),
        "pairs": lambda *given: [ids for ids, _ in _beam()(*given)],
        "only_best": lambda model, beam_size, *rest: _beam()(model, beam_size, *rest)[:1],
        "found": _beam(allowed=lambda found: [pair for pair in _possible(found) if pair[0] != (0,)]),
        "other_searches": _of_end_zero,
    },
}
