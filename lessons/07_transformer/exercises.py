"""Exercises of notebook 07: the Transformer."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from course_utils.exercises.core import Departure, Exercise, Several, call, number, told_apart
from course_utils.seq2seq import smoothed_cross_entropy


# ---- 07.1
def shift_right(target_ids: Tensor, pad_token_id: int) -> tuple[Tensor, Tensor]:
    labels = target_ids[:, 1:]  # (B, T_q): each place's next token
    return target_ids[:, :-1], labels.masked_fill(labels == pad_token_id, -100)


def shifted_by(make):
    """From the ids, the right input, the right labels and the padding."""
    return lambda ids, pad: make(ids, *shift_right(ids, pad), pad)


def own_bos(ids, inputs, labels, pad):
    """Makes the input out of the labels and a <bos> that it knows by heart."""
    return torch.cat([torch.ones_like(ids[:, :1]), ids[:, 1:-1]], dim=1), labels


def written_into_a_slice(ids, pad):
    labels = ids[:, 1:]
    labels[labels == pad] = -100
    return ids[:, :-1], labels


def sentences(batch, length, pad):
    """<bos> and <eos> at least, more padding than needed, and no word with the id of padding."""
    ids = torch.randint(max(pad - 9, 0), pad + 10, (batch, length))
    used = torch.randint(2, max(length - 1, 3), (batch, 1))
    return (ids + (ids >= pad)).where(torch.arange(length) < used, pad), pad


def of_a_row(found):
    """The first row whose labels are wrong, else whose input is."""
    if found.kind != "value":
        return {}
    rights, yours = found.right, [torch.as_tensor(part) for part in found.yours]
    departs = [(one != other).any(dim=1) for one, other in zip(rights, yours)]
    row = int((departs[1] if departs[1].any() else departs[0]).int().argmax())
    names = ("expected_inputs", "expected", "inputs", "labels")
    facts = dict(zip(names, (part[row].tolist() for part in (*rights, *yours))))
    return facts | {"ids": found.given[0][row].tolist()}


SHIFT_RIGHT = Exercise(
    "07.1",
    level="warm-up",
    reference=shift_right,
    parts={"inputs": 0, "labels": 1},
    cases={
        "by_hand": lambda: (torch.tensor([[1, 5, 6, 7, 2], [1, 8, 2, 0, 0]]), 0),
        "other_ids": lambda: [
            (torch.tensor([[9, 0, 4, 8, 3, 3], [9, 2, 5, 0, 6, 8]]), 3),  # 0 is a word
            *(sentences(*sizes) for sizes in [(1, 2, 0), (7, 11, 5), (3, 5, 2**24), (5, 3, 2**40)]),
        ],
    },
    mistakes={
        "not_cut": Several(
            lambda ids, pad: (ids, ids),
            lambda ids, pad: (ids, shift_right(ids, pad)[1]),
            lambda ids, pad: (ids[:, :-1], ids),
        ),
        "swapped": lambda ids, pad: shift_right(ids, pad)[::-1],
        "ignored_in_input": lambda ids, pad: shift_right(ids.masked_fill(ids == pad, -100), pad),
        "copies": Several(
            shifted_by(lambda ids, inputs, labels, pad: (inputs, inputs.masked_fill(inputs == pad, -100))),
            shifted_by(lambda ids, inputs, labels, pad: (ids[:, 1:], labels)),
        ),
        "wrong_way": Several(
            lambda ids, pad: (ids[:, 1:], ids[:, :-1].masked_fill(ids[:, :-1] == pad, -100)),
            lambda ids, pad: (ids[:, 1:], ids[:, :-1]),
        ),
        "eos_replaced": shifted_by(
            lambda ids, inputs, labels, pad: (inputs.masked_fill(inputs == 2, pad), labels)
        ),
        "pads_counted": lambda ids, pad: (ids[:, :-1], ids[:, 1:]),
        "mask_of_input": lambda ids, pad: (ids[:, :-1], ids[:, 1:].masked_fill(ids[:, :-1] == pad, -100)),
        "eos_ignored": shifted_by(
            lambda ids, inputs, labels, pad: (inputs, labels.masked_fill(labels == 2, -100))
        ),
        "value": lambda ids, pad: (ids[:, :-1], ids[:, 1:].masked_fill(ids[:, 1:] == pad, -1)),
        "zero_is_padding": lambda ids, pad: (ids[:, :-1], shift_right(ids, 0)[1]),
        "other_ids": shifted_by(own_bos),
        "mutates_input": written_into_a_slice,
    },
    facts={
        "*": of_a_row,
        "not_cut": lambda found: {
            "expected": tuple(found.right[0].shape),
            "inputs": tuple(found.yours[0].shape),
            "labels": tuple(found.yours[1].shape),
        },
    },
)


# ---- 07.2
def cross_attention(hidden_states, encoded, query_weight, key_weight, value_weight, source_mask):
    query = hidden_states @ query_weight.T  # (B, T_q, D): the decoder asks
    key = encoded @ key_weight.T  # (B, T_k, D): the encoder's output answers,
    value = encoded @ value_weight.T  # (B, T_k, D): with both
    allowed = source_mask[:, None, :]  # (B, 1, T_k): the mask hides keys
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])  # (B, T_q, T_k)
    lowest = torch.finfo(scores.dtype).min  # finite: a row without any key meets no NaN
    weights = scores.masked_fill(~allowed, lowest).softmax(dim=-1).masked_fill(~allowed, 0.0)
    return weights @ value  # (B, T_q, D)


def filled(scores, allowed):
    return scores.masked_fill(~allowed, torch.finfo(scores.dtype).min)


def filled_with(filling):
    return lambda scores, allowed: scores.masked_fill(~allowed, filling)


def raised_by(penalty):
    return lambda scores, allowed: scores + torch.where(allowed, 0.0, penalty).to(scores.dtype)


def past_only(scores, allowed):
    return filled(scores, allowed & torch.ones(scores.shape[-2:]).tril().bool())


def untouched(scores, allowed):
    return scores


def attending(
    sides=("decoder", "encoder", "encoder"),  # where queries, keys and values come from
    order=(0, 1, 2),
    transpose=True,
    scale=lambda query, hidden: math.sqrt(query.shape[-1]),
    axis=lambda source_mask: source_mask[:, None, :],
    mask=filled,
    softmax=lambda scores: scores.softmax(dim=-1),
    erase=lambda weights, allowed: weights.masked_fill(~allowed, 0.0),
):
    """Cross-attention with one thing done in another way."""

    def wrong(hidden_states, encoded, query_weight, key_weight, value_weight, source_mask):
        given = query_weight, key_weight, value_weight
        weights = [given[place].T if transpose else given[place] for place in order]
        states = {"decoder": hidden_states, "encoder": encoded, "cut off": encoded.detach()}
        query, key, value = (states[side] @ weight for side, weight in zip(sides, weights))
        allowed = axis(source_mask)
        return erase(softmax(mask(query @ key.mT / scale(query, hidden_states), allowed)), allowed) @ value

    return wrong


def from_sides(*sides):
    """With the source's mask, with none, and with a causal one."""
    unerased = [attending(sides, mask=mask, erase=untouched) for mask in (untouched, past_only)]
    return Several(attending(sides), *unerased)


def unshifted(scores):
    powers = scores.exp()
    return powers / powers.sum(dim=-1, keepdim=True).clamp(min=1e-30)


def as_long_as_the_target(hidden_states, encoded, *rest):
    batch, length, size = hidden_states.shape
    return cross_attention(hidden_states, encoded.view(batch, length, size), *rest)


def by_torch_attention(hidden_states, encoded, query_weight, key_weight, value_weight, source_mask):
    mask = source_mask[:, None]
    seen = mask.any(-1, keepdim=True)
    given = hidden_states @ query_weight.T, encoded @ key_weight.T, encoded @ value_weight.T
    return F.scaled_dot_product_attention(*given, attn_mask=mask | ~seen) * seen


def by_hand_attention():
    """Three tokens on either side, the source's last one padding; the weights of attention are 1/4, 1/2 and 3/4.

    The values of the first two source tokens are [0, 4] and [8, 0].
    """
    hidden_states = torch.tensor([[[2.0, 1.0], [0.0, -1.0], [1.0, 0.0]]])
    encoded = torch.tensor([[[1.0, 0.0], [0.0, 1.0], [-1.0, 2.0]]])
    query_weight = math.sqrt(2) * math.log(3) * torch.eye(2)  # scores differ by log 3, shares by the factor 3
    key_weight, value_weight = torch.tensor([[1.0, 1.0], [0.0, 1.0]]), torch.tensor([[0.0, 8.0], [4.0, 0.0]])
    return hidden_states, encoded, query_weight, key_weight, value_weight, torch.tensor([[True, True, False]])


def wide_and_narrow():
    """C = 4 and D = 1: the scores are log 3 and 0, then 0 and 0; the values 8 and 4."""
    first, second = torch.eye(4)[:2]
    tokens = torch.stack([first, second])[None]  # of both sides
    weights = math.log(3) * first[None], first[None], 8 * first[None] + 4 * second[None]
    return tokens, tokens, *weights, torch.tensor([[True, True]])


def drawn_attention(batch, length, source_length, size, width, mask=None):
    shapes = [(batch, length, size), (batch, source_length, size), *[(width, size)] * 3]
    used = torch.randint(1, source_length + 1, (batch, 1))
    mask = torch.arange(source_length) < used if mask is None else mask  # (B, T_k)
    return *(torch.randn(shape, dtype=torch.float64) for shape in shapes), mask


def loud_padding():
    hidden_states, encoded, *rest, mask = drawn_attention(3, 5, 7, 3, 2)
    return hidden_states, torch.where(mask[..., None], encoded, 1e3), *rest, mask


def cancelling():
    """Scores log 3 and 0 after 2³⁰ has cancelled out: the second value is 0, the first √2·log 3."""
    encoded = torch.full((1, 2, 2), 2.0**30, dtype=torch.float64)
    encoded[0, 0, 0] += math.sqrt(2) * math.log(3)
    apart = torch.tensor([[1.0, -1.0], [0.0, 0.0]], dtype=torch.float64)
    unit = torch.eye(2, dtype=torch.float64)
    return torch.tensor([[[1.0, -1.0]]]).double(), encoded, unit, unit, apart, torch.tensor([[True, True]])


def low_scores(number_of_tokens):
    """Scores of log 3 − 3·10⁶ and −3·10⁶ mix the values 8 and 4 as 3 : 1; beside a masked 0, a filling of −10⁴ wins."""
    tokens = torch.eye(3, 2, dtype=torch.float64)[None]  # the last one is padding
    key_weight = torch.tensor([[math.log(3) - 3e6, -3e6]], dtype=torch.float64)
    value_weight = torch.tensor([[8.0, 4.0]], dtype=torch.float64)
    mask = torch.tensor([[True, True, False]])[:, :number_of_tokens]
    return tokens[:, :1], tokens[:, :number_of_tokens], tokens[0, :1], key_weight, value_weight, mask


CROSS_ATTENTION = Exercise(
    "07.2",
    level="core",
    reference=cross_attention,
    cases={
        "by_hand": by_hand_attention,
        "wide": wide_and_narrow,
        # As many sentences as target tokens; then the source is longer, or shorter, or one token.
        "other_lengths square": lambda: drawn_attention(3, 3, 7, 5, 11),
        "other_lengths": lambda: [
            drawn_attention(*sizes) for sizes in [(2, 5, 3, 7, 2), (1, 1, 1, 1, 1), (1, 2, 307, 3, 2)]
        ],
        "padding_leaks": loud_padding,
        "in_float32": cancelling,
        "underflow": lambda: low_scores(2),
        "filling_not_low": lambda: low_scores(3),
        "empty_source": lambda: drawn_attention(
            2, 3, 5, 7, 2, torch.tensor([[True, False, True, True, False], [False] * 5])
        ),
    },
    mistakes={
        "keys_from_decoder": attending(("decoder", "decoder", "encoder")),
        "values_from_decoder": attending(("decoder", "encoder", "decoder")),
        "self_attention": from_sides("decoder", "decoder", "decoder"),
        "roles_swapped": from_sides("encoder", "decoder", "decoder"),
        "only_encoder": from_sides("encoder", "encoder", "encoder"),
        "weights_swapped": Several(attending(order=(1, 0, 2)), attending(order=(0, 2, 1))),
        "not_transposed": attending(transpose=False),
        "no_scale": attending(scale=lambda query, hidden: 1.0),
        "scale_by_hidden_size": attending(scale=lambda query, hidden: math.sqrt(hidden.shape[-1])),
        "divides_by_d": attending(scale=lambda query, hidden: query.shape[-1]),
        "no_mask": attending(mask=untouched, erase=untouched),
        "inverted": attending(axis=lambda source_mask: ~source_mask[:, None, :]),
        "after_softmax": attending(mask=untouched),
        "zero_scores": attending(mask=lambda scores, allowed: scores * allowed, erase=untouched),
        "no_softmax": attending(softmax=lambda scores: scores),
        "softmax_over_queries": attending(softmax=lambda scores: scores.softmax(dim=-2)),
        "causal": attending(mask=past_only),
        "masks_queries": Several(
            attending(axis=lambda source_mask: source_mask[:, :, None]),
            attending(axis=lambda source_mask: source_mask[:, :, None], erase=untouched),
        ),
        "other_lengths_raised": as_long_as_the_target,
        "mask_without_axis": attending(axis=lambda source_mask: source_mask),
        "padding_leaks": attending(mask=raised_by(-9.0)),
        "in_float32": lambda *given: cross_attention(*(one.float() for one in given[:5]), given[5]).to(
            given[0]
        ),
        "underflow": attending(softmax=unshifted),
        "filling_not_low": Several([attending(mask=filled_with(low)) for low in (-1e4, -50.0, -400.0, -1e6)]),
        "empty_source": attending(erase=untouched),
        "nan_gradient": attending(
            mask=raised_by(-math.inf), erase=lambda weights, allowed: weights.nan_to_num()
        ),
        "gradient": attending(("decoder", "encoder", "cut off")),
        "ready_made": by_torch_attention,
    },
    signs={"not_finite": lambda found: found.case.startswith("other") and not found.yours.isfinite().all()},
    facts={
        "other_lengths_raised": lambda found: {
            "length": found.given[0].shape[1],
            "source_length": found.given[1].shape[1],
        },
        "mask_without_axis": lambda found: {
            "mask": tuple(found.given[5].shape),
            "scores": (*found.given[0].shape[:2], found.given[1].shape[1]),
        },
    },
    forbids=(
        "course_utils.attention",
        "course_utils.seq2seq",
        "scaled_dot_product_attention",
        "multi_head_attention_forward",
        "_native_multi_head_attention",
    ),
)


# ---- 07.3
def smoothed_loss(logits: Tensor, labels: Tensor, epsilon: float) -> Tensor:
    counted = labels != -100
    logits, labels = logits[counted], labels[counted]  # (N', V), (N',): the rest is not even multiplied by 0
    log_probabilities = logits.log_softmax(dim=-1)
    of_label = log_probabilities.gather(-1, labels[:, None])[:, 0]  # (N',)
    possible = logits > -torch.inf
    # 0 in place of −inf, before anything is multiplied by it
    of_all = log_probabilities.masked_fill(~possible, 0.0).sum(dim=-1) / possible.sum(dim=-1)  # (N',)
    losses = -(1 - epsilon) * of_label - epsilon * of_all
    return losses.sum() / max(len(losses), 1)


def mean_of_the_possible(losses):
    possible = losses < math.inf
    return losses.masked_fill(~possible, 0.0).sum(-1) / possible.sum(-1)


def shared(of_label, losses, epsilon):
    return (1 - epsilon) * of_label + epsilon * mean_of_the_possible(losses)


def loss_by(
    share=shared,
    mean=lambda losses: losses.sum() / max(len(losses), 1),
    losses_of=lambda logits: -logits.log_softmax(dim=-1),
):
    """The loss with one thing done in another way."""

    def wrong(logits, labels, epsilon):
        logits, labels = logits[labels != -100], labels[labels != -100]
        losses = losses_of(logits)  # (N', V)
        return mean(share(losses.gather(-1, labels[:, None])[:, 0], losses, epsilon))

    return wrong


def spread(of_all):
    """The share of ε by another rule: (the label's losses, all words' losses) -> what takes the place of their mean."""
    return loss_by(
        lambda of_label, losses, epsilon: (1 - epsilon) * of_label + epsilon * of_all(of_label, losses)
    )


def over_all_rows(share, mean):
    """Computes the losses of all rows, also of those that do not count; `mean` makes one of them."""

    def wrong(logits, labels, epsilon):
        losses, counted = -logits.log_softmax(dim=-1), labels != -100
        of_label = losses.gather(-1, labels.clamp(min=0)[:, None])[:, 0]
        return mean(share(of_label, losses, epsilon, counted), counted)

    return wrong


def only_label_erased(of_label, losses, epsilon, counted):
    return (1 - epsilon) * of_label.masked_fill(~counted, 0.0) + epsilon * losses.mean(-1)


def in_all_rows(of_label, losses, epsilon, counted):
    return shared(of_label, losses, epsilon)


def divergence(logits, labels, epsilon):
    logits, labels = logits[labels != -100], labels[labels != -100]
    size = logits.shape[-1]
    q = torch.full_like(logits, epsilon / size).scatter(-1, labels[:, None], 1 - epsilon + epsilon / size)
    return F.kl_div(logits.log_softmax(-1), q, reduction="batchmean")


def zero_by_hand(zero):
    def wrong(logits, labels, epsilon):
        return zero(logits) if (labels == -100).all() else smoothed_loss(logits, labels, epsilon)

    return wrong


def by_hand_loss():
    """Probabilities [1/2, 1/4, 1/8, 1/8] and [1/8, 1/8, 1/4, 1/2], so −log p is log 2 times 1, 2 or 3.

    Its mean over the four words is 2.25.
    """
    logits = torch.tensor([[4.0, 2.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 2.0, 4.0]]).double().log()
    return logits, torch.tensor([0, -100, 2]), 0.2  # (0.8·1.5 + 0.2·2.25)·log 2


def drawn_loss(rows, size, epsilon):
    """Some words are impossible in some rows."""
    labels = torch.randint(size, (rows,))
    impossible = (torch.rand(rows, size) < 0.2) & (torch.arange(size) != labels[:, None])
    logits = (3 * torch.randn(rows, size, dtype=torch.float64)).masked_fill(impossible, -torch.inf)
    labels[1::3] = -100
    return logits, labels, epsilon


STRANGE = (1e30, torch.inf, -torch.inf, torch.nan)


def zero_cut_off(answer):
    """Where nothing counts, loss.backward() must have a way to go."""
    logits = torch.randn(3, 5, requires_grad=True)
    return not call(answer, logits, torch.full((3,), -100), 0.1).requires_grad


SMOOTHED_LOSS = Exercise(
    "07.3",
    level="core",
    reference=smoothed_loss,
    cases={
        "by_hand": by_hand_loss,
        # −log p is 200, 0, 200, 200: the loss is 0.8·200 + 0.2·150
        "underflow": lambda: (torch.tensor([[0.0, 200.0, 0.0, 0.0]]), torch.tensor([0]), 0.2),
        "in_float32": lambda: (  # 2²⁶ cancels out, and log 4/3 is left
            torch.tensor([[2.0**26 + math.log(3), 2.0**26]], dtype=torch.float64),
            torch.tensor([0]),
            0.0,
        ),
        "none_counted": lambda: (torch.randn(3, 5), torch.full((3,), -100), 0.1),
        "ignored_logits": lambda: [
            (torch.tensor([[math.log(3), 0.0], [strange, strange]]), torch.tensor([0, -100]), 0.0)
            for strange in STRANGE
        ],
        "none_counted_strange": lambda: [
            (torch.tensor([[strange, 0.0]]), torch.tensor([-100]), 0.1) for strange in STRANGE
        ],
        # p = [1/2, 1/4, 1/4, 0]: q spreads its share over three words, and the loss is (0.7·1 + 0.3·5/3)·log 2
        "impossible": lambda: (
            torch.tensor([[math.log(2), 0.0, 0.0, -torch.inf]], dtype=torch.float64),
            torch.tensor([0]),
            0.3,
        ),
        "other_losses": lambda: [
            drawn_loss(*sizes)
            for sizes in [(7, 11, 0.1), (13, 3, 0.5), (5, 2, 0.0), (3, 7, 1.0), (1, 1, 0.1), (307, 5, 0.1)]
        ],
    },
    mistakes={
        "plain": lambda logits, labels, epsilon: F.cross_entropy(logits, labels),
        "over_wrong_words": spread(lambda own, losses: (losses.sum(-1) - own) / (losses.shape[-1] - 1)),
        "kl": divergence,
        "sum": loss_by(mean=torch.sum),
        "no_v": spread(lambda own, losses: losses.sum(-1)),
        "epsilon_swapped": loss_by(lambda of_label, losses, epsilon: shared(of_label, losses, 1 - epsilon)),
        "added": loss_by(lambda of_label, losses, epsilon: of_label + epsilon * losses.mean(-1)),
        "not_log_softmax": loss_by(losses_of=lambda logits: -logits),
        "smoothed_prediction": loss_by(
            lambda of_label, losses, epsilon: (
                -((1 - epsilon) * (-of_label).exp() + epsilon / losses.shape[-1]).log()
            )
        ),
        "negative": lambda *given: -smoothed_loss(*given),
        "mean_over_all": lambda logits, labels, epsilon: (
            loss_by(mean=torch.sum)(logits, labels, epsilon) / len(labels)
        ),
        "ignored_counted": lambda logits, labels, epsilon: smoothed_loss(
            logits, labels.clamp(min=0), epsilon
        ),
        "ignored_smoothed": Several(
            over_all_rows(only_label_erased, lambda losses, counted: losses.sum() / counted.sum()),
            lambda logits, labels, epsilon: (
                (1 - epsilon) * F.cross_entropy(logits, labels) - epsilon * logits.log_softmax(dim=-1).mean()
            ),
        ),
        "value": lambda *given: smoothed_loss(*given) / math.log(2),  # in bits
        "underflow": loss_by(losses_of=lambda logits: -logits.softmax(dim=-1).log()),
        "in_float32": lambda logits, labels, epsilon: smoothed_loss(logits.float(), labels, epsilon).to(
            logits
        ),
        "none_counted": lambda logits, labels, epsilon: F.cross_entropy(
            logits, labels, label_smoothing=epsilon
        ),
        "ignored_logits": over_all_rows(
            in_all_rows, lambda losses, counted: (losses * counted).sum() / counted.sum().clamp(min=1)
        ),
        "none_counted_strange": zero_by_hand(lambda logits: (logits * 0).sum()),
        "impossible": spread(lambda own, losses: losses.mean(-1)),
        "impossible_counted": spread(
            lambda own, losses: losses.masked_fill(losses == math.inf, 0.0).mean(-1)
        ),
        "other_losses": lambda logits, labels, epsilon: smoothed_loss(
            logits.masked_fill(logits[:1].isneginf(), -torch.inf), labels, epsilon
        ),
        "gradient": spread(lambda own, losses: mean_of_the_possible(losses).detach()),
        "none_counted_cut": zero_by_hand(lambda logits: logits.new_zeros(())),
        "none_counted_nan_gradient": zero_by_hand(
            lambda logits: 0 * (0 * logits.nan_to_num(0, 0, 0)).sum().sqrt()
        ),
        "ignored_logits_nan_gradient": over_all_rows(
            in_all_rows, lambda losses, counted: losses[counted].sum() / max(int(counted.sum()), 1)
        ),
        "impossible_nan_gradient": loss_by(
            lambda of_label, losses, epsilon: (
                shared(of_label, losses, epsilon) + 0 * (losses * (-losses).exp()).nan_to_num().sum(-1)
            )
        ),
        "ready_made": lambda logits, labels, epsilon: smoothed_cross_entropy(
            logits, labels, smoothing=epsilon
        ),
    },
    properties={"none_counted_cut": zero_cut_off},
    forbids=("course_utils.seq2seq",),
)


# ---- 07.4

Found = list[tuple[tuple[int, ...], float]]


def search_with_beam(next_log_probabilities, beam_size, end, max_length, alpha):
    beam, ended = [((), 0.0)], []  # pairs (ids, log P)
    for length in range(1, max_length + 1):
        found = [
            ((*ids, token), total + more)
            for ids, total in beam
            for token, more in enumerate(next_log_probabilities(ids))
            if more > -math.inf
        ]
        found = sorted(found, key=lambda pair: -pair[1])[:beam_size]  # of all beams together
        ended += [pair for pair in found if pair[0][-1] == end or length == max_length]
        beam = [pair for pair in found if pair[0][-1] != end]  # whose places are free again
    scored = [(ids, total / ((5 + len(ids)) / 6) ** alpha) for ids, total in ended]
    return sorted(scored, key=lambda pair: -pair[1])[:beam_size]


@dataclass(frozen=True)
class Chain:
    """A toy that writes: the next token's log-probabilities after a beginning. It ends what gets too long."""

    end: int
    max_length: int
    probabilities: dict[tuple[int, ...], list[float]] = field(default_factory=dict)  # after these beginnings
    size: int = 3  # V
    seed: int = 0  # of those after all others
    late: float = 0.0  # how much they keep the end back

    def __call__(self, ids: Any) -> list[float]:
        ids = tuple(int(token) for token in ids)
        if len(ids) > self.max_length + 9:
            never = f"len(ids) = {len(ids)}, max_length = {self.max_length}"  # an answer that never stops
            raise RuntimeError(never)
        if len(ids) > self.max_length + 2:
            return [0.0 if token == self.end else -math.inf for token in range(self.size)]
        seed = 1000 * self.seed + sum((7 * place + 1) * token for place, token in enumerate(ids, start=1))
        drawn = torch.randn(self.size, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
        drawn[self.end] -= self.late
        probabilities = self.probabilities.get(ids, drawn.softmax(dim=-1).tolist())
        return [math.log(p) if p else -math.inf for p in probabilities]

    def steps(self, ids: tuple[int, ...]) -> list[float]:
        """The log-probability of each of these tokens, after those before it."""
        return [self(ids[:place])[token] for place, token in enumerate(ids)]


# Token 0 is the end. What is not listed is drawn, and does not matter.
GREEDY_LOSES = {  # P(2, 0) = 0.4·0.9 = 0.36, P(1, 1, 0) = 0.5·0.45·0.8 = 0.18
    (): [0.1, 0.5, 0.4],
    (1,): [0.3, 0.45, 0.25],
    (2,): [0.9, 0.06, 0.04],
    (1, 1): [0.8, 0.15, 0.05],
}
# P(1, 0) = 0.6·0.5 = 0.3, P(1, 1) = 0.6·0.4 = 0.24, P(2, 0) = 0.3·0.4 = 0.12
ONE_PARENT = {(): [0.1, 0.6, 0.3], (1,): [0.5, 0.4, 0.1], (2,): [0.4, 0.35, 0.25]}
# With α = 1 the scores of (0), (1, 0) and (1, 1, 0) are −1.05, −1.122 and −1.025: the last to end is the best.
LATE_WINNER = {(): [0.35, 0.6, 0.05], (1,): [0.45, 0.5, 0.05], (1, 1): [0.85, 0.1, 0.05]}
# (0) ends with 0.2, while (1, 2) and (1, 1) have 0.385 and 0.28; later P(1, 1, 0) = 0.252 and P(1, 2, 1) = 0.154.
EARLY_END = {(): [0.2, 0.7, 0.1], (1,): [0.05, 0.4, 0.55], (1, 1): [0.9, 0.05, 0.05], (1, 2): [0.3, 0.4, 0.3]}
THIRD_ENDS = {  # (0) has ended with 0.3; (2, 0) would have 0.2·0.95 = 0.19, and P(1, 1, 0) is 0.144
    (): [0.3, 0.5, 0.2],
    (1,): [0.3, 0.36, 0.34],
    (2,): [0.95, 0.03, 0.02],
    (1, 1): [0.8, 0.1, 0.1],
    (1, 2): [0.6, 0.2, 0.2],
}
# (1, 0) has log 0.33 ÷ (7/6) = −0.95, (0) −1.05, and (1, 1), which is open, log 0.24 ÷ (7/6) = −1.223; but what
# becomes of it, (1, 1, 1, 1, 0), has log 0.2259 ÷ (10/6) = −0.893.
PATIENT = {
    (): [0.35, 0.6, 0.05],
    (1,): [0.55, 0.4, 0.05],
    (1, 1): [0.01, 0.98, 0.01],
    (1, 1, 1): [0.01, 0.98, 0.01],
    (1, 1, 1, 1): [0.98, 0.01, 0.01],
}
IMPOSSIBLE = {(): [0.0, 1.0, 0.0], (1,): [0.7, 0.0, 0.3]}
OTHER_SEARCHES = [  # beam_size, end, V, max_length, alpha, late
    (1, 2, 3, 5, 0.6, 0.0),
    (2, 3, 5, 5, 0.6, 0.0),  # drawn from 18: who stops when the best is certain loses the second best
    (3, 4, 5, 7, 1.0, 1.0),
    (4, 1, 2, 6, 2.0, 1.0),
    (5, 0, 7, 3, 0.0, 0.0),
    (9, 1, 3, 2, 0.3, 0.0),
    (2, 1, 3, 1, 1.0, 0.0),
    (3, 2, 4, 13, 1.5, 3.0),
]


def of_chain(probabilities, max_length, beam_size, alpha):
    return lambda: (Chain(0, max_length, probabilities), beam_size, 0, max_length, alpha)


def other_searches():
    return [
        (Chain(end, max_length, size=size, seed=seed, late=late), beam_size, end, max_length, alpha)
        for seed, (beam_size, end, size, max_length, alpha, late) in enumerate(OTHER_SEARCHES, start=17)
    ]


def pairs(result: Any) -> Found:
    """Pairs of a tuple of ids and a score; a list of ids, and tensors of one number, will do."""
    if not isinstance(result, list | tuple):
        raise TypeError
    return [(tuple(int(token) for token in ids), float(score)) for ids, score in result]


def searched(result: Any, right: Found) -> Departure | None:
    """Where other texts are found, the texts; else where a score differs, the first."""
    try:
        found = pairs(result)
    except (TypeError, ValueError, RuntimeError):
        one = result[0] if isinstance(result, list | tuple) and result else result
        plain = isinstance(one, tuple) and all(isinstance(part, int | float) for part in one)
        return Departure("pairs", "[(ids, score), …]", one if plain else type(one).__name__)
    right = pairs(right)
    mine, wanted = ([ids for ids, _ in texts] for texts in (found, right))
    if mine != wanted:
        return Departure("found", told(*wanted), told(*mine))
    for (_, one), (_, other) in zip(found, right):
        if not abs(one - other) < 1e-5:
            return Departure("score", *told_apart(other, one))
    return None


def told(*texts: tuple[int, ...]) -> str:
    """Texts as a learner reads them: "(2, 0), (0)"; one token without the comma that Python asks for."""
    return ", ".join("(" + ", ".join(map(str, ids)) + ")" for ids in texts) or "[]"


def of_score(found):
    """Of the first text whose score is wrong for it."""
    if found.kind == "pairs":
        return {}
    chain, _, _, _, alpha = found.given
    for ids, score in pairs(found.yours):
        total = sum(chain.steps(ids))
        right = total / ((5 + len(ids)) / 6) ** alpha
        if abs(score - right) > 1e-5:
            facts = {"ids": told(ids), "length": len(ids), "total": number(total)}
            return facts | dict(zip(("due", "scored"), told_apart(right, score)))
    return {}


def text_where(holds):
    """A sign that holds where one of the texts that were found is such, and the facts of it: (chain, ids) -> bool."""

    def sign(found):
        return any(holds(found.given[0], ids) for ids, _ in pairs(found.yours))

    def facts(found):
        chosen = [ids for ids, _ in pairs(found.yours) if holds(found.given[0], ids)]
        return {"ids": told(chosen[0]), "size": found.given[0].size} if chosen else {}

    return sign, facts


TEXTS = {
    "too_long": text_where(lambda chain, ids: len(ids) > chain.max_length),
    "goes_on_after_end": text_where(lambda chain, ids: chain.end in ids[:-1]),
    "no_token": text_where(lambda chain, ids: not all(0 <= token < chain.size for token in ids)),
    "not_ended": text_where(
        lambda chain, ids: not ids or (ids[-1] != chain.end and len(ids) < chain.max_length)
    ),
    "impossible": text_where(lambda chain, ids: -math.inf in chain.steps(ids)),
}


def continued(model, beam):
    found = [((*ids, token), total + more) for ids, total in beam for token, more in enumerate(model(ids))]
    return [pair for pair in found if pair[1] > -math.inf]


def best(found, size):
    return sorted(found, key=lambda pair: -pair[1])[:size]


def penalised(total, length, alpha, steps=()):
    return total / ((5 + length) / 6) ** alpha


def beam_with(
    score=penalised,
    width=lambda beam_size, ended: beam_size,
    stop=lambda beam_size, ended: False,
    finish=best,
    keep=lambda found, beam, width: best(found, width),
    more=continued,
    cut=True,
):
    """A beam search with one thing done in another way."""

    def wrong(model, beam_size, end, max_length, alpha):
        beam, ended = [((), 0.0)], []
        for length in range(1, max_length + 1):
            found = keep(more(model, beam), beam, width(beam_size, ended))
            ended += [pair for pair in found if pair[0][-1] == end or (length == max_length and cut)]
            beam = [pair for pair in found if pair[0][-1] != end]
            if stop(beam_size, ended):
                break
        steps = {ids: [model(ids[:place])[token] for place, token in enumerate(ids)] for ids, _ in ended}
        return finish([(ids, score(total, len(ids), alpha, steps[ids])) for ids, total in ended], beam_size)

    return wrong


def scored_by(*scores):
    return Several([beam_with(score=score) for score in scores])


def also_the_impossible(model, beam):
    return [((*ids, token), total + more) for ids, total in beam for token, more in enumerate(model(ids))]


def one_of_each(found, beam, width):
    if len(beam) == 1:
        return best(found, width)
    of_parent = {}
    for ids, total in sorted(found, key=lambda pair: pair[1]):
        of_parent[ids[:-1]] = ids, total
    return best(of_parent.values(), width)


def cut_before_the_penalty(model, beam_size, end, max_length, alpha):
    texts = search_with_beam(model, beam_size, end, max_length, 0.0)
    return best([(ids, penalised(total, len(ids), alpha)) for ids, total in texts], beam_size)


def in_one_list(model, beam_size, end, max_length, alpha):
    """Ended hypotheses stay in the beam, and compete for its places."""
    beam = [((), 0.0)]
    for _ in range(max_length):
        over = [pair for pair in beam if pair[0][-1:] == (end,)]
        beam = best(continued(model, [pair for pair in beam if pair not in over]) + over, beam_size)
    return best([(ids, penalised(total, len(ids), alpha)) for ids, total in beam], beam_size)


def twice_as_many(model, beam_size, end, max_length, alpha):
    """Looks at 2K, so that K stay open whatever ends; as libraries do."""
    beam, ended = [((), 0.0)], []
    for _ in range(max_length):
        found = best(continued(model, beam), 2 * beam_size)
        ended += [pair for pair in found[:beam_size] if pair[0][-1] == end]
        beam = [pair for pair in found if pair[0][-1] != end][:beam_size]
    return best([(ids, penalised(total, len(ids), alpha)) for ids, total in ended + beam], beam_size)


def stops_by_scores_of_today(model, beam_size, end, max_length, alpha):
    beam, ended = [((), 0.0)], []
    for length in range(1, max_length + 1):
        found = best(continued(model, beam), beam_size)
        over = [pair for pair in found if pair[0][-1] == end or length == max_length]
        ended = best(ended + [(ids, penalised(total, length, alpha)) for ids, total in over], beam_size)
        beam = [pair for pair in found if pair[0][-1] != end]
        now = max((penalised(total, length, alpha) for _, total in beam), default=-math.inf)
        if len(ended) == beam_size and now <= ended[-1][1]:
            break
    return ended


def without_a_limit(model, beam_size, end, max_length, alpha):
    beam, ended = [((), 0.0)], []
    while beam:
        found = best(continued(model, beam), beam_size)
        ended += [pair for pair in found if pair[0][-1] == end]
        beam = [pair for pair in found if pair[0][-1] != end]
    return best([(ids, penalised(total, len(ids), alpha)) for ids, total in ended], 10**6)


def past_the_end(model, beam_size, end, max_length, alpha):
    beam = [((), 0.0)]
    for _ in range(max_length):
        beam = best(continued(model, beam), beam_size)
    return [(ids, penalised(total, len(ids), alpha)) for ids, total in beam]


SEARCH_WITH_BEAM = Exercise(
    "07.4",
    level="stretch",
    reference=search_with_beam,
    gradients=False,
    compare=searched,
    cases={
        "greedy": of_chain(GREEDY_LOSES, 3, 2, 0.0),
        "each_alone": of_chain(ONE_PARENT, 2, 2, 0.0),
        "stops_when_full": of_chain(LATE_WINNER, 4, 2, 1.0),
        "ended_lost": of_chain(EARLY_END, 3, 2, 0.0),
        "twice_as_many": of_chain(THIRD_ENDS, 3, 2, 0.0),
        "stops_by_today": of_chain(PATIENT, 5, 2, 1.0),
        "too_wide": of_chain(GREEDY_LOSES, 3, 1, 0.0),  # (2) is dropped at the first step, and (2, 0) with it
        "impossible": of_chain(IMPOSSIBLE, 2, 3, 0.0),
        "other_searches": other_searches,
    },
    mistakes={
        "greedy": lambda model, beam_size, *rest: search_with_beam(model, 1, *rest),
        "only_best": lambda *given: search_with_beam(*given)[:1],
        "stops_early": beam_with(stop=lambda beam_size, ended: bool(ended)),
        "each_alone": beam_with(keep=one_of_each),
        "cut_lost": beam_with(cut=False),
        "stops_when_full": beam_with(stop=lambda beam_size, ended: len(ended) >= beam_size),
        "ranked_before": cut_before_the_penalty,
        "ended_lost": in_one_list,
        "place_lost": beam_with(width=lambda beam_size, ended: max(beam_size - len(ended), 0)),
        "twice_as_many": twice_as_many,
        "stops_by_today": stops_by_scores_of_today,
        "too_wide": lambda model, beam_size, *rest: search_with_beam(
            model, beam_size if beam_size > 1 else 10**6, *rest
        )[:beam_size],
        "too_many": beam_with(finish=lambda scored, beam_size: best(scored, len(scored))),
        "order": lambda *given: search_with_beam(*given)[::-1],
        "last_token": scored_by(lambda total, length, alpha, steps: steps[-1]),
        "no_penalty": scored_by(lambda total, *rest: total),
        "multiplied": scored_by(lambda total, length, alpha, steps: total * ((5 + length) / 6) ** alpha),
        "mean": scored_by(
            lambda total, length, alpha, steps: total / length,
            lambda total, length, alpha, steps: total / length**alpha,
        ),
        "end_not_counted": scored_by(lambda total, length, *rest: penalised(total, length - 1, *rest)),
        "no_six": scored_by(lambda total, length, alpha, steps: total / (5 + length) ** alpha),
        "alpha_unused": scored_by(lambda total, length, alpha, steps: penalised(total, length, 1.0)),
        "probability": scored_by(lambda total, *rest: math.exp(total)),
        "score": scored_by(lambda total, length, alpha, steps: penalised(total, length, alpha**2 + 0.3)),
        "pairs": lambda *given: [ids for ids, _ in search_with_beam(*given)],
        "too_long": without_a_limit,
        "goes_on_after_end": past_the_end,
        "not_ended": lambda *given: [(ids[:-1], score) for ids, score in search_with_beam(*given)],
        "no_token": lambda *given: [((-1, *ids[1:]), score) for ids, score in search_with_beam(*given)],
        "impossible": beam_with(more=also_the_impossible),
        "found": beam_with(
            more=lambda model, beam: [pair for pair in continued(model, beam) if pair[0] != (0,)]
        ),
        "other_searches_found": lambda model, beam_size, end, *rest: search_with_beam(
            model, beam_size, 0, *rest
        ),
    },
    signs={
        **{reason: sign for reason, (sign, _) in TEXTS.items()},
        "too_many": lambda found: len(pairs(found.yours)) > found.given[1],
        "order": lambda found: (
            [ids for ids, _ in pairs(found.yours)] != [ids for ids, _ in found.right]
            and sorted(ids for ids, _ in pairs(found.yours)) == sorted(ids for ids, _ in found.right)
        ),
    },
    facts={
        **{reason: facts for reason, (_, facts) in TEXTS.items()},
        "*": of_score,
        "too_many": lambda found: {"actual": len(found.yours)},
        "other_searches_found": lambda found: {"size": found.given[0].size},
    },
    forbids=("course_utils.seq2seq",),
)

EXERCISES = [SHIFT_RIGHT, CROSS_ATTENTION, SMOOTHED_LOSS, SEARCH_WITH_BEAM]
