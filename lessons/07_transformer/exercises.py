"""Exercises of notebook 07: the Transformer."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from course_utils.exercises.changes import after_calling, changes_of
from course_utils.exercises.core import Departure, Exercise, call, number, told_apart
from course_utils.seq2seq import smoothed_cross_entropy


# ---- 07.1
def shift_right(target_ids: Tensor, pad_token_id: int) -> tuple[Tensor, Tensor]:
    labels = target_ids[:, 1:]  # (B, T_q): each place's next token
    return target_ids[:, :-1], labels.masked_fill(labels == pad_token_id, -100)


INPUTS = "target_ids[:, :-1]"
LABELS = "labels.masked_fill(labels == pad_token_id, -100)"


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
    mistakes=changes_of(
        shift_right,
        {
            "not_cut": [
                {INPUTS: "target_ids", LABELS: "target_ids"},
                {INPUTS: "target_ids"},
                {LABELS: "target_ids"},
            ],
            "swapped": lambda ids, pad: shift_right(ids, pad)[::-1],
            "ignored_in_input": {
                "labels = t": "target_ids = target_ids.where(target_ids != pad_token_id, -100)\n    labels = t"
            },
            "copies": [{"[:, 1:]": "[:, :-1]"}, {INPUTS: "target_ids[:, 1:]"}],
            "wrong_way": [
                {"= target_ids[:, 1:]": f"= {INPUTS}", f"return {INPUTS}": "return target_ids[:, 1:]"},
                {INPUTS: "target_ids[:, 1:]", LABELS: INPUTS},
            ],
            "eos_replaced": {INPUTS: f"{INPUTS}.masked_fill({INPUTS} == 2, pad_token_id)"},
            "pads_counted": {LABELS: "labels"},
            "mask_of_input": {"labels == pad": f"{INPUTS} == pad"},
            "eos_ignored": {LABELS: f"{LABELS}.masked_fill(labels == 2, -100)"},
            "value": {"-100": "-1"},
            "zero_is_padding": {"labels == pad_token_id": "labels == 0"},
            "other_ids": {  # makes the input out of the labels and a <bos> that it knows by heart
                INPUTS: "torch.cat([torch.ones_like(target_ids[:, :1]), target_ids[:, 1:-1]], dim=1)"
            },
            "mutates_input": {"return": "labels[labels == pad_token_id] = -100\n    return"},
        },
    ),
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


FILLED, ERASED = "scores.masked_fill(~allowed, lowest)", ".masked_fill(~allowed, 0.0)"
ALLOWED = "source_mask[:, None, :]"
UNMASKED = {FILLED: "scores", ERASED: ""}
PAST_ONLY = {FILLED: "scores.masked_fill(~(allowed & torch.ones(scores.shape[-2:]).tril().bool()), lowest)"}


def swapped(one, other):
    return {one: "aside", other: one, "aside": other}


def from_sides(sides):
    """With the source's mask, with none, and with a causal one."""
    return [sides, sides | UNMASKED, sides | PAST_ONLY | {ERASED: ""}]


def raised_by(penalty):
    return {FILLED: f"(scores + torch.where(allowed, 0.0, {penalty}).to(scores))"}


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
    mistakes=changes_of(
        cross_attention,
        {
            "keys_from_decoder": {"encoded @ key": "hidden_states @ key"},
            "values_from_decoder": {"encoded @ value": "hidden_states @ value"},
            "self_attention": from_sides({"encoded @": "hidden_states @"}),
            "roles_swapped": from_sides(swapped("hidden_states @", "encoded @")),
            "only_encoder": from_sides({"hidden_states @": "encoded @"}),
            "weights_swapped": [
                swapped("query_weight.T", "key_weight.T"),
                swapped("key_weight.T", "value_weight.T"),
            ],
            "not_transposed": {"_weight.T": "_weight"},
            "no_scale": {" / math.sqrt(query.shape[-1])": ""},
            "scale_by_hidden_size": {"sqrt(query.shape": "sqrt(hidden_states.shape"},
            "divides_by_d": {"math.sqrt(query.shape[-1])": "query.shape[-1]"},
            "no_mask": UNMASKED,
            "inverted": {ALLOWED: f"~{ALLOWED}"},
            "after_softmax": {FILLED: "scores"},
            "zero_scores": {FILLED: "(scores * allowed)", ERASED: ""},
            "no_softmax": {".softmax(dim=-1)": ""},
            "softmax_over_queries": {"softmax(dim=-1)": "softmax(dim=-2)"},
            "causal": PAST_ONLY,
            "masks_queries": [{ALLOWED: "source_mask[:, :, None]"} | more for more in ({}, {ERASED: ""})],
            "other_lengths_raised": {"key =": "encoded = encoded.view(hidden_states.shape)\n    key ="},
            "mask_without_axis": {ALLOWED: "source_mask"},
            "padding_leaks": raised_by("-9.0"),
            "in_float32": lambda *given: cross_attention(*(one.float() for one in given[:5]), given[5]).to(
                given[0]
            ),
            "underflow": {
                ".softmax(dim=-1)": ".exp()",
                "weights @": "weights / weights.sum(dim=-1, keepdim=True).clamp(min=1e-30) @",
            },
            "filling_not_low": [{"torch.finfo(scores.dtype).min": low} for low in ("-1e4", "-50", "-1e6")],
            "empty_source": {ERASED: ""},
            "nan_gradient": raised_by("-torch.inf") | {ERASED: ".nan_to_num()"},
            "gradient": {"encoded @ value": "encoded.detach() @ value"},
            "ready_made": after_calling(
                cross_attention, "torch.nn.functional:scaled_dot_product_attention", *torch.ones(3, 1, 2, 2)
            ),
        },
    ),
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


ROWS = "logits, labels = logits[counted], labels[counted]"
ALL_ROWS = {ROWS: "labels = labels.clamp(min=0)"}  # also those that do not count
OF_ALL = "log_probabilities.masked_fill(~possible, 0.0).sum(dim=-1) / possible.sum(dim=-1)"
LOSSES = "-(1 - epsilon) * of_label - epsilon * of_all"
MEAN = "losses.sum() / max(len(losses), 1)"


def before(step):
    return {"counted =": f"{step}\n    counted ="}


def without_any(zero):
    """What is given where no label counts."""
    return before(f"if (labels == -100).all():\n        return {zero}")


def divergence(logits, labels, epsilon):
    logits, labels = logits[labels != -100], labels[labels != -100]
    size = logits.shape[-1]
    q = torch.full_like(logits, epsilon / size).scatter(-1, labels[:, None], 1 - epsilon + epsilon / size)
    return F.kl_div(logits.log_softmax(-1), q, reduction="batchmean")


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
    mistakes=changes_of(
        smoothed_loss,
        {
            "plain": lambda logits, labels, epsilon: F.cross_entropy(logits, labels),
            "over_wrong_words": {OF_ALL: "(log_probabilities.sum(-1) - of_label) / (logits.shape[-1] - 1)"},
            "kl": divergence,
            "sum": {MEAN: "losses.sum()"},
            "no_v": {OF_ALL: "log_probabilities.sum(dim=-1)"},
            "epsilon_swapped": before("epsilon = 1 - epsilon"),
            "added": {"(1 - epsilon) * of_label": "of_label", OF_ALL: "log_probabilities.mean(dim=-1)"},
            "not_log_softmax": {"logits.log_softmax(dim=-1)": "logits"},
            "smoothed_prediction": {
                LOSSES: "-((1 - epsilon) * of_label.exp() + epsilon / logits.shape[-1]).log()"
            },
            "negative": {MEAN: f"-{MEAN}"},
            "mean_over_all": {"max(len(losses), 1)": "len(counted)"},
            "ignored_counted": before("labels = labels.clamp(min=0)"),
            "ignored_smoothed": [
                ALL_ROWS | {"[:, 0]": "[:, 0] * counted", "max(len(losses), 1)": "counted.sum()"},
                lambda logits, labels, epsilon: (
                    (1 - epsilon) * F.cross_entropy(logits, labels)
                    - epsilon * logits.log_softmax(dim=-1).mean()
                ),
            ],
            "value": {MEAN: f"{MEAN} / math.log(2)"},  # in bits
            "underflow": {"log_softmax(dim=-1)": "softmax(dim=-1).log()"},
            "in_float32": {"logits.log_softmax(dim=-1)": "logits.float().log_softmax(dim=-1).to(logits)"},
            "none_counted": lambda logits, labels, epsilon: F.cross_entropy(
                logits, labels, label_smoothing=epsilon
            ),
            "ignored_logits": ALL_ROWS | {MEAN: "(losses * counted).sum() / counted.sum().clamp(min=1)"},
            "none_counted_strange": without_any("(logits * 0).sum()"),
            "impossible": {OF_ALL: "log_probabilities.mean(dim=-1)"},
            "impossible_counted": {"/ possible.sum(dim=-1)": "/ logits.shape[-1]"},
            "other_losses": before("logits = logits.masked_fill(logits[:1].isneginf(), -torch.inf)"),
            "gradient": {"epsilon * of_all": "epsilon * of_all.detach()"},
            "none_counted_cut": without_any("logits.new_zeros(())"),
            "none_counted_nan_gradient": without_any("0 * (0 * logits.nan_to_num(0, 0, 0)).sum().sqrt()"),
            "ignored_logits_nan_gradient": ALL_ROWS
            | {MEAN: "losses[counted].sum() / max(int(counted.sum()), 1)"},
            "impossible_nan_gradient": {
                LOSSES: f"{LOSSES} + 0 * (log_probabilities * log_probabilities.exp()).nan_to_num().sum(-1)"
            },
            "ready_made": lambda logits, labels, epsilon: smoothed_cross_entropy(
                logits, labels, smoothing=epsilon
            ),
        },
    ),
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


def one_of_each(found, beam, beam_size):
    """The best that each hypothesis goes on as, by itself."""
    if len(beam) > 1:
        found = {ids[:-1]: (ids, total) for ids, total in sorted(found, key=lambda pair: pair[1])}.values()
    return sorted(found, key=lambda pair: -pair[1])[:beam_size]


def all_worse_today(beam, ended, beam_size, length, alpha):
    """Whether what is open has no better score now than the best that have ended."""
    scores = sorted((total / ((5 + len(ids)) / 6) ** alpha for ids, total in ended), reverse=True)
    now = max((total for _, total in beam), default=-math.inf) / ((5 + length) / 6) ** alpha
    return len(scores) >= beam_size and now <= scores[beam_size - 1]


def keeping(width):
    return {"[:beam_size]  # of all": f"[:{width}]  # of all"}


def stopping(when):
    return {"    scored": f"        if {when}:\n            break\n    scored"}


SCORE = "total / ((5 + len(ids)) / 6) ** alpha"
UNCUT = {"-pair[1])[:beam_size]\n": "-pair[1])\n"}

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
    mistakes=changes_of(
        search_with_beam,
        {
            "greedy": {"[:beam_size]": "[:1]"},
            "only_best": lambda *given: search_with_beam(*given)[:1],
            "stops_early": stopping("ended"),
            "each_alone": {
                "sorted(found, key=lambda pair: -pair[1])[:beam_size]": "one_of_each(found, beam, beam_size)"
            },
            "cut_lost": {" or length == max_length": ""},
            "stops_when_full": stopping("len(ended) >= beam_size"),
            "ranked_before": {"in ended]": "in sorted(ended, key=lambda pair: -pair[1])[:beam_size]]"},
            # What has ended stays in the beam, and competes for its places.
            "ended_lost": {"sorted(found,": "sorted(found + ended,", "ended +=": "ended ="},
            "place_lost": keeping("max(beam_size - len(ended), 0)"),
            # So that as many stay open whatever ends, as in libraries.
            "twice_as_many": keeping("2 * beam_size")
            | {
                "in found if pair[0][-1] == end": "in found[:beam_size] if pair[0][-1] == end",
                "!= end]": "!= end][:beam_size]",
            },
            "stops_by_today": stopping("all_worse_today(beam, ended, beam_size, length, alpha)"),
            "too_wide": keeping("(beam_size if beam_size > 1 else 10**6)"),
            "too_many": UNCUT,
            "order": lambda *given: search_with_beam(*given)[::-1],
            "last_token": {SCORE: "next_log_probabilities(ids[:-1])[ids[-1]]"},
            "no_penalty": {SCORE: "total"},
            "multiplied": {"total / ": "total * "},
            "mean": [{SCORE: "total / len(ids)"}, {SCORE: "total / len(ids) ** alpha"}],
            "end_not_counted": {"5 + len(ids)": "4 + len(ids)"},
            "no_six": {") / 6)": "))"},
            "alpha_unused": {" ** alpha": ""},
            "probability": {SCORE: "math.exp(total)"},
            "score": {"** alpha": "** (alpha**2 + 0.3)"},
            "pairs": lambda *given: [ids for ids, _ in search_with_beam(*given)],
            "too_long": {
                "for length in range(1, max_length + 1):": "while beam:",
                " or length == max_length": "",
            }
            | UNCUT,
            "goes_on_after_end": {"pair[0][-1] == end or ": "", " if pair[0][-1] != end": ""},
            "not_ended": lambda *given: [(ids[:-1], score) for ids, score in search_with_beam(*given)],
            "no_token": lambda *given: [((-1, *ids[1:]), score) for ids, score in search_with_beam(*given)],
            "impossible": {"if more > -math.inf": ""},
            "found": {"if more > -math.inf": "if more > -math.inf and (*ids, token) != (0,)"},
            "other_searches_found": {"beam, ended =": "end = 0\n    beam, ended ="},
        },
    ),
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
