"""Wrong answers to the exercises of notebook 11, each under the reason for which it must fail."""

import torch
import torch.nn.functional as F

from course_utils.support.lessons import lesson_module

CHECKS = lesson_module("11")
pool = CHECKS.pool
sense_separation = CHECKS.sense_separation


def _separation(offset=1, self_pairs=False, unit=True, sign=1.0, parts="both"):
    def sense_separation(hidden_states, word_index, senses):
        vectors = hidden_states[torch.arange(len(senses)), word_index + offset]
        if unit:
            vectors = F.normalize(vectors, dim=-1)
        table = vectors @ vectors.T
        same = senses[:, None] == senses
        counted = same if self_pairs else same & ~torch.eye(len(senses), dtype=torch.bool)
        within, across = table[counted].mean(), table[~same].mean()
        return {"both": sign * (within - across), "within": within, "across": across}[parts]

    return sense_separation


def _centres(hidden_states, word_index, senses):
    vectors = hidden_states[torch.arange(len(senses)), word_index + 1]
    first, second = (vectors[senses == sense].mean(dim=0) for sense in senses.unique())
    return 1 - F.cosine_similarity(first, second, dim=0)


def _first_or_not(hidden_states, word_index, senses):
    """Right for two senses: knows only the first sentence's sense and "another"."""
    return sense_separation(hidden_states, word_index, senses == senses[0])


def _per_sense(hidden_states, word_index, senses):
    vectors = F.normalize(hidden_states[torch.arange(len(senses)), word_index + 1], dim=-1)
    table, within = vectors @ vectors.T, []
    for sense in senses.unique():
        one = table[senses == sense][:, senses == sense]
        within.append((one.sum() - len(one)) / (len(one) * (len(one) - 1)))
    return torch.stack(within).mean() - table[senses[:, None] != senses].mean()


def _straight_through(hidden, weight, bias):
    linear = hidden[:, 0] @ weight.T + bias
    return linear + (linear.tanh() - linear).detach()


def _tanh_by_exp(hidden, weight, bias):
    grown = torch.exp(2 * (hidden[:, 0] @ weight.T + bias))
    return (grown - 1) / (grown + 1)


def _no_cosine_of_one(hidden_states, word_index, senses):
    """Takes every cosine of 1 for a sentence with itself."""
    vectors = F.normalize(hidden_states[torch.arange(len(senses)), word_index + 1], dim=-1)
    table, same = vectors @ vectors.T, senses[:, None] == senses
    return table[same & (table < 0.9999)].mean() - table[~same].mean()


def _never_divides_by_little(hidden_states, word_index, senses):
    vectors = hidden_states[torch.arange(len(senses)), word_index + 1]
    table = F.cosine_similarity(vectors[:, None], vectors, dim=-1, eps=1e-2)
    same = senses[:, None] == senses
    within = table[same & ~torch.eye(len(senses), dtype=torch.bool)].mean()
    return within - table[~same].mean()


def _by_pairs(departs):
    def first_departure(ours, theirs, atol):
        found = _departing(ours, theirs, lambda mine, expected: departs(mine, expected, atol))
        return found[0] if found else -1

    return first_departure


def _departing(ours, theirs, departs):
    return [stage for stage, pair in enumerate(zip(ours, theirs, strict=True)) if departs(*pair)]


def _detective(departs, choose=lambda found: found[0], none=-1):
    def first_departure(ours, theirs, atol):
        found = _departing(ours, theirs, lambda mine, expected: departs(mine - expected, atol))
        return choose(found) if found else none

    return first_departure


def _right(difference, atol):
    return not difference.abs().max() <= atol


def _largest(ours, theirs, atol):
    sizes = [(mine - expected).abs().max().item() for mine, expected in zip(ours, theirs, strict=True)]
    return sizes.index(max(sizes)) if max(sizes) > atol else -1


WRONG = {
    "11.1": {
        "no_tanh": lambda hidden, weight, bias: hidden[:, 0] @ weight.T + bias,
        "mean_over_tokens": lambda hidden, weight, bias: torch.tanh(hidden.mean(dim=1) @ weight.T + bias),
        "last_token": lambda hidden, weight, bias: torch.tanh(hidden[:, -1] @ weight.T + bias),
        "max_over_tokens": lambda hidden, weight, bias: torch.tanh(hidden.amax(dim=1) @ weight.T + bias),
        "not_transposed": lambda hidden, weight, bias: torch.tanh(hidden[:, 0] @ weight + bias),
        "no_bias": lambda hidden, weight, bias: torch.tanh(hidden[:, 0] @ weight.T),
        "tanh_too_early": lambda hidden, weight, bias: torch.tanh(hidden[:, 0]) @ weight.T + bias,
        "no_gradient": lambda hidden, weight, bias: pool(hidden, weight.detach(), bias),
        "gradient": _straight_through,
        "one_sentence": lambda hidden, weight, bias: pool(hidden, weight, bias).squeeze(0),
        "one_token": lambda hidden, weight, bias: pool(hidden, weight, bias) * (hidden.shape[1] > 1),
        "single_precision": lambda *given: pool(*(one.float() for one in given)).to(given[0].dtype),
        "cut_off": lambda hidden, weight, bias: pool(hidden, weight, bias.detach()),
        "overflow": _tanh_by_exp,
    },
    "11.2": {
        "cls_offset": _separation(offset=0),
        "self_pairs": _separation(self_pairs=True),
        "dot_products": _separation(unit=False),
        "wrong_way": _separation(sign=-1.0),
        "only_within": _separation(parts="within"),
        "only_across": _separation(parts="across"),
        "centres": _centres,
        "two_senses": _first_or_not,
        "per_sense": _per_sense,
        "more_senses": lambda hidden, places, senses: sense_separation(hidden[:7], places[:7], senses[:7]),
        "equal_vectors": _no_cosine_of_one,
        "scale": _never_divides_by_little,
    },
    "11.3": {
        "zero_when_same": _detective(_right, none=0),
        "length_when_same": _detective(_right, none=5),
        "counts_from_one": _detective(_right, lambda found: found[0] + 1),
        "stage": _detective(_right, lambda found: found[0] - 1),  # the embeddings not counted
        "last": _detective(_right, lambda found: found[-1]),
        "largest": _largest,
        "signed": _detective(lambda difference, atol: bool(difference.max() > atol)),
        "exact": _detective(lambda difference, atol: bool((difference != 0).any())),
        "mean": _detective(lambda difference, atol: not difference.abs().mean() <= atol),
        "overlooked": _by_pairs(lambda mine, expected, atol: _right(mine[0] - expected[0], atol)),
        "adds_up": _detective(lambda difference, atol: not difference.norm() <= atol),
        "at_limit": _detective(lambda difference, atol: not difference.abs().max() < atol),
        "relative": _by_pairs(lambda mine, expected, atol: not torch.allclose(mine, expected, atol=atol)),
        "misses_nan": _detective(lambda difference, atol: bool(difference.abs().max() > atol)),
        "nan_of_both": _by_pairs(
            lambda a, b, atol: not torch.allclose(a, b, rtol=0, atol=atol, equal_nan=True)
        ),
        "nan_of_theirs": _by_pairs(lambda a, b, atol: bool(a.isnan().any() or (a - b).abs().max() > atol)),
        "slack": _detective(lambda difference, atol: not difference.abs().max() <= 1.01 * atol),
        "infinite": _detective(
            lambda difference, atol: not difference.nan_to_num(1.0, 0, 0).abs().max() <= atol
        ),
        "more_stages": _detective(lambda difference, atol: _right(difference.flatten()[:30], atol)),
        "fine": _by_pairs(lambda mine, expected, atol: _right(mine.float() - expected.float(), atol)),
        "fixed_limit": _detective(lambda difference, atol: not difference.abs().max() <= 1e-5),
        "kind": _detective(_right, lambda found: float(found[0]), none=-1.0),
    },
}
