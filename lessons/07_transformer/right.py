"""Right answers to the exercises of notebook 07, in forms that learners write."""

import heapq
import math

import numpy as np
import torch
import torch.nn.functional as F

from tests.exercises.audit import forms


# ---- 07.1
def cloned(target_ids, pad_token_id):
    labels = target_ids[:, 1:].clone()
    labels[labels == pad_token_id] = -100
    return target_ids[:, :-1], labels


def row_by_row(target_ids, pad_token_id):
    inputs = [ids[:-1] for ids in target_ids.tolist()]
    labels = [[-100 if token == pad_token_id else token for token in ids[1:]] for ids in target_ids.tolist()]
    return [torch.tensor(inputs), torch.tensor(labels)]


def rolled(target_ids, pad_token_id):
    labels = target_ids.roll(-1, dims=1)[:, :-1]
    return target_ids[:, :-1].contiguous(), torch.where(labels == pad_token_id, -100, labels)


def in_numpy(target_ids, pad_token_id):
    ids = target_ids.numpy()
    labels = np.where(ids[:, 1:] == pad_token_id, -100, ids[:, 1:])
    return torch.from_numpy(ids[:, :-1].copy()), torch.from_numpy(labels)


def by_arithmetic(target_ids, pad_token_id):
    labels = target_ids[:, 1:]
    padding = (labels == pad_token_id).long()
    return target_ids[:, :-1], labels * (1 - padding) - 100 * padding


def masked_first(target_ids, pad_token_id):
    length = target_ids.shape[1] - 1
    hidden = target_ids.masked_fill(target_ids.eq(pad_token_id), -100)
    return target_ids.narrow(1, 0, length), hidden.narrow(1, 1, length)


# ---- 07.2
def projected(hidden_states, encoded, query_weight, key_weight, value_weight):
    return (
        F.linear(hidden_states, query_weight),
        F.linear(encoded, key_weight),
        F.linear(encoded, value_weight),
    )


def attended(hide, softmax=lambda scores: scores.softmax(dim=-1), erase=None):
    """With the scores hidden, and the weights erased, in one way or another."""

    def cross_attention(*given):
        query, key, value = projected(*given[:5])
        allowed = given[5][:, None]
        scores = query @ key.mT / math.sqrt(query.shape[-1])
        weights = softmax(hide(scores, allowed))
        weights = erase(weights, allowed) if erase else weights.masked_fill(~allowed, 0.0)
        return weights @ value

    return cross_attention


def by_einsum(hidden_states, encoded, query_weight, key_weight, value_weight, source_mask):
    query = torch.einsum("bqc,dc->bqd", hidden_states, query_weight)
    key = torch.einsum("bkc,dc->bkd", encoded, key_weight)
    scores = torch.einsum("bqd,bkd->bqk", query, key) * query.shape[-1] ** -0.5
    hidden = ~source_mask.unsqueeze(1).expand_as(scores)
    weights = torch.softmax(scores.masked_fill(hidden, -math.inf), dim=-1).masked_fill(hidden, 0.0)
    return torch.einsum("bqk,bkc,dc->bqd", weights, encoded, value_weight)


def own_exponentials(*given):
    query, key, value = projected(*given[:5])
    scores = query / math.sqrt(query.shape[-1]) @ key.mT
    scores = scores.masked_fill(~given[5][:, None], torch.finfo(scores.dtype).min)
    powers = (scores - scores.amax(-1, keepdim=True).detach()).exp() * given[5][:, None]
    return powers @ value / powers.sum(-1, keepdim=True).clamp(min=1e-30)


def sentence_by_sentence(*given):
    contexts = []
    for states, encoded, seen in zip(given[0], given[1], given[5], strict=True):
        query, key, value = projected(states, encoded[seen], *given[2:5])
        contexts.append((query @ key.T / math.sqrt(query.shape[-1])).softmax(dim=-1) @ value)
    return torch.stack(contexts)


def safe_mask(*given):
    """Lets a source without any token be seen whole, and erases what comes of it."""
    query, key, value = projected(*given[:5])
    seen = given[5].any(-1, keepdim=True)
    allowed = (given[5] | ~seen)[:, None]
    scores = (query @ key.mT / query.shape[-1] ** 0.5).masked_fill(~allowed, -math.inf)
    return scores.softmax(-1) @ value * seen[:, None]


# ---- 07.3
def cross_entropy_of_the_possible(logits, labels, epsilon):
    total = logits[:0].sum()
    for row, label in zip(logits, labels.tolist(), strict=True):
        if label != -100:
            possible = row > -math.inf
            place = possible[:label].sum()
            total = total + F.cross_entropy(row[possible], place, label_smoothing=epsilon)
    return total / max(int((labels != -100).sum()), 1)


def with_q(logits, labels, epsilon):
    chosen = labels != -100
    logits, labels = logits[chosen], labels[chosen]
    possible = logits.isfinite()
    q = epsilon * possible / possible.sum(-1, keepdim=True)
    q = q + (1 - epsilon) * F.one_hot(labels, logits.shape[-1])
    log_p = logits.masked_fill(~possible, 0.0) - logits.logsumexp(-1, keepdim=True)
    return -(q * log_p).sum() / chosen.sum().clamp(min=1)


def emptied(logits, labels, epsilon):
    """Puts zeros where nothing counts, before anything is computed."""
    counted = labels != -100
    log_p = torch.where(counted[:, None], logits, torch.zeros_like(logits)).log_softmax(dim=-1)
    possible = log_p > -math.inf
    means = torch.where(possible, log_p, torch.zeros_like(log_p)).sum(-1) / possible.sum(-1)
    of_label = log_p.gather(-1, labels.clamp(min=0)[:, None])[:, 0].masked_fill(~counted, 0.0)
    losses = (1 - epsilon) * of_label + epsilon * means
    return -losses.masked_fill(~counted, 0.0).sum() / counted.sum().clamp(min=1)


def chosen(logits, labels):
    return logits[labels != -100], labels[labels != -100]


def row_after_row(logits, labels, epsilon):
    logits, labels = chosen(logits, labels)
    losses = [logits.sum() * 0] if not len(labels) else []
    for row, label in zip(logits, labels):
        log_p = row - row.logsumexp(0)
        losses.append(-(1 - epsilon) * log_p[label] - epsilon * log_p[row > -math.inf].mean())
    return torch.stack(losses).mean()


def cross_entropy_and_mean(logits, labels, epsilon):
    logits, labels = chosen(logits, labels)
    log_p = F.log_softmax(logits, dim=-1)
    possible = torch.isfinite(log_p)
    mean = log_p.where(possible, 0.0).sum(-1) / possible.sum(-1)
    hard = F.nll_loss(log_p, labels, reduction="sum")
    return ((1 - epsilon) * hard - epsilon * mean.sum()) / max(labels.numel(), 1)


def zero_wiped(logits, labels, epsilon):
    """0/0 where nothing counts, wiped out; no gradient meets it."""
    logits, labels = chosen(logits, labels)
    log_p = logits.log_softmax(dim=-1)
    possible = log_p > -math.inf
    means = log_p.masked_fill(~possible, 0.0).sum(-1) / possible.sum(-1)
    of_label = log_p[torch.arange(len(labels)), labels]
    return (-(1 - epsilon) * of_label - epsilon * means).mean().nan_to_num()


# ---- 07.4
def penalty(length, alpha):
    return ((5 + length) / 6) ** alpha


def scored_at_once(next_log_probabilities, beam_size, end, max_length, alpha):
    """Knows the score of what ends when it ends; stops when nothing open can still win."""
    beam, ended = {(): 0.0}, []
    for length in range(1, max_length + 1):
        found = {
            (*ids, token): total + more
            for ids, total in beam.items()
            for token, more in enumerate(next_log_probabilities(ids))
            if math.isfinite(more)
        }
        best = heapq.nlargest(beam_size, found.items(), key=lambda pair: pair[1])
        ended += [
            (ids, total / penalty(length, alpha))
            for ids, total in best
            if ids[-1] == end or length == max_length
        ]
        ended = heapq.nlargest(beam_size, ended, key=lambda pair: pair[1])
        beam = dict(pair for pair in best if pair[0][-1] != end)
        best_hope = max(beam.values(), default=-math.inf) / penalty(max_length, alpha)
        if not beam or (len(ended) == beam_size and best_hope <= ended[-1][1]):
            break
    return ended


def with_lists(next_log_probabilities, beam_size, end, max_length, alpha):
    beam, ended = [([], torch.zeros((), dtype=torch.float64))], []
    while beam:
        found = []
        for ids, total in beam:
            for token, more in enumerate(torch.tensor(next_log_probabilities(ids), dtype=torch.float64)):
                if total + more != -torch.inf:
                    found.append(([*ids, token], total + more))
        found.sort(key=lambda pair: float(pair[1]), reverse=True)
        beam = []
        for ids, total in found[:beam_size]:
            over = ids[-1] == end or len(ids) == max_length
            (ended if over else beam).append((ids, total))
    ended = [(ids, total / penalty(len(ids), alpha)) for ids, total in ended]
    return sorted(ended, key=lambda pair: -float(pair[1]))[:beam_size]


def search(next_log_probabilities, beam_size, end, max_length, alpha):
    """In two lists, without a count of the steps."""
    going, ended = [(0.0, ())], []
    while going:
        step = []
        for total, ids in going:
            step += [(total + more, (*ids, token)) for token, more in enumerate(next_log_probabilities(ids))]
        step = [pair for pair in sorted(step, reverse=True) if pair[0] != -math.inf][:beam_size]
        going = [(total, ids) for total, ids in step if ids[-1] != end and len(ids) < max_length]
        ended += [pair for pair in step if pair not in going]
    scored = sorted(((total / penalty(len(ids), alpha), ids) for total, ids in ended), reverse=True)
    return [(ids, score) for score, ids in scored[:beam_size]]


def by_topk(next_log_probabilities, beam_size, end, max_length, alpha):
    beam, ended = [((), 0.0)], []
    for length in range(1, max_length + 1):
        if not beam:
            break
        totals = torch.tensor(
            [[total + more for more in next_log_probabilities(ids)] for ids, total in beam],
            dtype=torch.float64,
        )
        best, places = totals.flatten().topk(min(beam_size, totals.numel()))
        parents, tokens = places // totals.shape[1], places % totals.shape[1]
        found = [
            ((*beam[parent][0], token), total)
            for total, parent, token in zip(best.tolist(), parents.tolist(), tokens.tolist())
            if total > -math.inf
        ]
        beam = []
        for ids, total in found:
            if ids[-1] == end or length == max_length:
                ended.append((ids, total / penalty(length, alpha)))
            else:
                beam.append((ids, total))
    ended.sort(key=lambda pair: pair[1], reverse=True)
    return ended[:beam_size]


def in_float32(next_log_probabilities, *rest):
    return [(ids, np.float32(score)) for ids, score in search(next_log_probabilities, *rest)]


def asks_once_more(next_log_probabilities, *rest):
    """Asks about what has ended, and about what is full, and pays no heed to the answers."""
    return [pair for pair in search(next_log_probabilities, *rest) if next_log_probabilities(pair[0])]


RIGHT = {
    "07.1": forms(cloned, row_by_row, rolled, in_numpy, by_arithmetic, masked_first),
    "07.2": forms(by_einsum, own_exponentials, sentence_by_sentence, safe_mask)
    | {
        "minus infinity, erased": attended(lambda scores, allowed: scores.masked_fill(~allowed, -math.inf)),
        "lowest, where": attended(
            lambda scores, allowed: torch.where(allowed, scores, torch.finfo(scores.dtype).min),
            erase=lambda weights, allowed: weights * allowed,
        ),
    },
    "07.3": forms(
        cross_entropy_of_the_possible, with_q, emptied, row_after_row, cross_entropy_and_mean, zero_wiped
    ),
    "07.4": forms(scored_at_once, with_lists, search, by_topk, in_float32, asks_once_more),
}
