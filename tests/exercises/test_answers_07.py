"""Exercises of notebook 07: other right ways to answer, and searches held against the package's."""

import heapq
import itertools
import math

import pytest
import torch
import torch.nn.functional as F

from course_utils.attention import scaled_dot_product_attention
from course_utils.exercises import exercise
from course_utils.seq2seq import beam_search
from course_utils.seq2seq.smoothing import smoothed_cross_entropy
from course_utils.support.lessons import lesson_module

CHECKS = lesson_module("07")
Chain = CHECKS.Chain
search_with_beam = CHECKS.search_with_beam

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


# ---- 07.2


def projected(hidden_states, encoded, query_weight, key_weight, value_weight):
    return (
        F.linear(hidden_states, query_weight),
        F.linear(encoded, key_weight),
        F.linear(encoded, value_weight),
    )


def by_package(*given):
    return scaled_dot_product_attention(*projected(*given[:5]), given[5][:, None])[0]


def by_torch(*given):
    mask = given[5][:, None]
    context = F.scaled_dot_product_attention(
        *projected(*given[:5]), attn_mask=mask | ~mask.any(-1, keepdim=True)
    )
    return context * mask.any(-1, keepdim=True)


def minus_infinity(*given):
    query, key, value = projected(*given[:5])
    scores = torch.einsum("bqd,bkd->bqk", query, key) * query.shape[-1] ** -0.5
    weights = scores.masked_fill(~given[5][:, None], -math.inf).softmax(dim=-1)
    return weights.masked_fill(~given[5][:, None], 0.0) @ value


def by_hand(*given):
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


# ---- 07.3


def by_smoothing(logits, labels, epsilon):
    return smoothed_cross_entropy(logits, labels, smoothing=epsilon)


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


# ---- 07.4


def scored_at_once(next_log_probabilities, beam_size, end, max_length, alpha):
    """Knows the score of what ends when it ends; stops when nothing open can still win."""
    score = lambda total, length: total / ((5 + length) / 6) ** alpha  # noqa: E731
    beam, ended = {(): 0.0}, []
    for length in range(1, max_length + 1):
        found = {
            (*ids, token): total + more
            for ids, total in beam.items()
            for token, more in enumerate(next_log_probabilities(ids))
            if math.isfinite(more)
        }
        best = heapq.nlargest(beam_size, found.items(), key=lambda pair: score(pair[1], length))
        ended += [
            (ids, score(total, length)) for ids, total in best if ids[-1] == end or length == max_length
        ]
        ended = heapq.nlargest(beam_size, ended, key=lambda pair: pair[1])
        beam = dict(pair for pair in best if pair[0][-1] != end)
        if not beam or (len(ended) == beam_size and score(max(beam.values()), max_length) <= ended[-1][1]):
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
    ended = [(ids, total / ((5 + len(ids)) / 6) ** alpha) for ids, total in ended]
    return sorted(ended, key=lambda pair: -float(pair[1]))[:beam_size]


def asks_once_more(next_log_probabilities, beam_size, end, max_length, alpha):
    """Asks about what has ended, and about what is full, and pays no heed to the answers."""
    found = search_with_beam(next_log_probabilities, beam_size, end, max_length, alpha)
    return [pair for pair in found if next_log_probabilities(pair[0])]


RIGHT = {
    "07.1": [cloned, row_by_row, rolled],
    "07.2": [by_package, by_torch, minus_infinity, by_hand, sentence_by_sentence],
    "07.3": [by_smoothing, cross_entropy_of_the_possible, with_q, emptied],
    "07.4": [scored_at_once, with_lists, asks_once_more],
}


@pytest.mark.parametrize(
    ("id", "answer"),
    [pytest.param(id, answer, id=answer.__name__) for id, answers in RIGHT.items() for answer in answers],
)
def test_another_right_way_passes(id, answer):
    assert exercise(id).judge(answer).message == exercise(id).judge(exercise(id).reference).message


@pytest.mark.parametrize("filling", [-50.0, -400.0, -1e4, -1e6])
def test_a_filling_that_real_scores_can_lie_below_is_named(filling):
    def filled(*given):
        query, key, value = projected(*given[:5])
        scores = query @ key.mT / math.sqrt(query.shape[-1])
        weights = scores.masked_fill(~given[5][:, None], filling).softmax(dim=-1)
        return weights.masked_fill(~given[5][:, None], 0.0) @ value

    assert exercise("07.2").judge(filled).reason == "filling_not_low"


def test_a_softmax_by_hand_that_gives_nan_for_low_scores_is_named():
    def unshifted(*given):
        query, key, value = projected(*given[:5])
        scores = query @ key.mT / math.sqrt(query.shape[-1])
        powers = scores.masked_fill(~given[5][:, None], torch.finfo(scores.dtype).min).exp()
        empty = ~given[5].any(dim=-1)[:, None, None]
        return powers @ value / powers.sum(-1, keepdim=True).masked_fill(empty, 1.0)

    assert exercise("07.2").judge(unshifted).reason == "underflow"


@pytest.mark.parametrize("alpha", [0.0, 0.6, 2.0])
def test_the_search_is_the_one_of_the_package(alpha):
    for seed, beam_size in itertools.product(range(5), (1, 2, 3, 7)):
        chain = Chain(end=1, max_length=5, size=3, seed=seed)

        def model(source_ids, target_ids, chain=chain):
            rows = [
                [chain.after(tuple(ids[1:end])) for end in range(1, len(ids) + 1)]
                for ids in target_ids.tolist()
            ]
            return torch.tensor(rows, dtype=torch.float64)  # (B, T_q, V)

        given = dict(bos_token_id=0, eos_token_id=1, max_length=5)
        (expected,) = beam_search(
            model, torch.zeros(1, 1).long(), beam_size=beam_size, length_penalty=alpha, **given
        )
        found = search_with_beam(chain, beam_size, 1, 5, alpha)
        assert [list(ids) for ids, _ in found] == [ids for ids, _ in expected]
        totals = [score * ((5 + len(ids)) / 6) ** alpha for ids, score in found]
        assert totals == pytest.approx([total for _, total in expected])
