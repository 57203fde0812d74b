"""Wrong answers to the exercises of notebook 13, each under the reason for which it must fail."""

import math

import torch

from course_utils.support.lessons import lesson_module

CHECKS = lesson_module("13")
adamw_step = CHECKS.adamw_step
clip_gradients = CHECKS.clip_gradients
unigram_entropy = CHECKS.unigram_entropy


def _shares(counts):
    return [count / sum(counts) for count in counts if count]


def _with_zeros(counts):
    shares = torch.tensor(counts) / sum(counts)
    return -(shares * shares.log()).sum().item()  # 0 · −∞


def _norm(gradients):
    return sum((gradient**2).sum() for gradient in gradients) ** 0.5


def _update(change):
    """AdamW with one line of it changed: change(parameter, mean, square, count, rate, decay) -> the new parameter."""

    def answer(parameter, gradient, mean, square, count, rate, decay):
        mean, square = 0.9 * mean + 0.1 * gradient, 0.999 * square + 0.001 * gradient**2
        return change(parameter, mean, square, count, rate, decay), mean, square

    return answer


def _step(mean, square, count):
    return (mean / (1 - 0.9**count)) / ((square / (1 - 0.999**count)).sqrt() + 1e-6)


def _no_correction(parameter, mean, square, count, rate, decay):
    return parameter - rate * (mean / (square.sqrt() + 1e-6) + decay * parameter)


def _epsilon_inside(parameter, mean, square, count, rate, decay):
    step = (mean / (1 - 0.9**count)) / (square / (1 - 0.999**count) + 1e-6).sqrt()
    return parameter - rate * (step + decay * parameter)


def _decay_in_gradient(parameter, gradient, mean, square, count, rate, decay):
    return adamw_step(parameter, gradient + decay * parameter, mean, square, count, rate, 0.0)


def _stores_corrected(parameter, gradient, mean, square, count, rate, decay):
    now, mean, square = adamw_step(parameter, gradient, mean, square, count, rate, decay)
    return now, mean / (1 - 0.9**count), square / (1 - 0.999**count)


def _absolute(parameter, gradient, mean, square, count, rate, decay):
    now, mean, _ = adamw_step(parameter, gradient, mean, square, count, rate, decay)
    return now, mean, 0.999 * square + 0.001 * gradient.abs()


def _corrects_early(parameter, mean, square, count, rate, decay):
    step = _step(mean, square, count) if count < 100 else mean / (square.sqrt() + 1e-6)
    return parameter - rate * (step + decay * parameter)


def _corrects_mean(parameter, mean, square, count, rate, decay):
    return parameter - rate * (mean / (1 - 0.9**count) / (square.sqrt() + 1e-6) + decay * parameter)


def _decays_vectors(parameter, mean, square, count, rate, decay):
    return parameter - rate * (_step(mean, square, count) + (decay if parameter.dim() < 2 else 0) * parameter)


def _swapped(parameter, gradient, mean, square, count, rate, decay):
    now, _, square = adamw_step(parameter, gradient, mean, square, count, rate, decay)
    return now, 0.1 * mean + 0.9 * gradient, square


WRONG = {
    "13.1": {
        "sign": lambda counts: -unigram_entropy(counts),
        "bits": lambda counts: unigram_entropy(counts) / math.log(2),
        "perplexity": lambda counts: math.exp(unigram_entropy(counts)),
        "not_finite": _with_zeros,
        "not_weighted": lambda counts: -sum(map(math.log, _shares(counts))) / len(_shares(counts)),
        "uniform": lambda counts: math.log(len(counts)),
        "drops_rare": lambda counts: -sum(p * math.log(p) for p in _shares(counts) if p > 0.01),
        "first_few": lambda counts: unigram_entropy(counts[:13]),
        "value": lambda counts: 1 - sum(share**2 for share in _shares(counts)),  # Gini's measure
        "no_number": lambda counts: [unigram_entropy(counts)],
    },
    "13.2": {
        "tensor_by_tensor": lambda gradients, most: [clip_gradients([g], most)[0] for g in gradients],
        "element_by_element": lambda gradients, most: [g.clamp(-most, most) for g in gradients],
        "scaled_up": lambda gradients, most: [g * most / (_norm(gradients) + 1e-6) for g in gradients],
        "unchanged": lambda gradients, most: gradients,
        "squared": lambda gradients, most: [
            g * (most / _norm(gradients) ** 2 if _norm(gradients) > most else 1) for g in gradients
        ],
        "not_finite": lambda gradients, most: [
            g / _norm(gradients) * min(float(_norm(gradients)), most) for g in gradients
        ],
        "only_above_one": lambda gradients, most: (
            clip_gradients(gradients, most) if _norm(gradients) > 1 else gradients
        ),
        "unchanged_if_short": lambda gradients, most: (
            clip_gradients(gradients, most) if _norm(gradients) > most + 1e-2 else gradients
        ),
        "some_tensors": lambda gradients, most: [
            gradient * min(1.0, most / max(float(_norm(gradients[:4])), 1e-9)) for gradient in gradients
        ],
        "unit": lambda gradients, most: [
            g / _norm(gradients) if _norm(gradients) > most else g for g in gradients
        ],
        "only_far_above": lambda gradients, most: (
            clip_gradients(gradients, most) if _norm(gradients) > 1.5 * most else gradients
        ),
        "value": lambda gradients, most: [g / 2 for g in gradients],
        "mutates_input": lambda gradients, most: [
            g.mul_(most / _norm(gradients) if _norm(gradients) > most else 1) for g in gradients
        ],
    },
    "13.3": {
        "no_correction": _update(_no_correction),
        "stops_correcting": _update(_corrects_early),
        "square_not_corrected": _update(_corrects_mean),
        "no_decay_in_matrices": _update(_decays_vectors),
        "epsilon_inside": _update(_epsilon_inside),
        "counts_from_zero": _update(
            lambda p, m, s, n, rate, decay: p - rate * (_step(m, s, n + 1) + decay * p)
        ),
        "decay_in_gradient": _decay_in_gradient,
        "decay_without_rate": _update(lambda p, m, s, n, rate, decay: p - rate * _step(m, s, n) - decay * p),
        "no_decay": _update(lambda p, m, s, n, rate, decay: p - rate * _step(m, s, n)),
        "step_cut": _update(
            lambda p, m, s, n, rate, decay: p - rate * (_step(m, s, n).clamp(-5, 5) + decay * p)
        ),
        "uphill": _update(lambda p, m, s, n, rate, decay: p + rate * (_step(m, s, n) + decay * p)),
        "stores_corrected": _stores_corrected,
        "mean": _swapped,
        "square": _absolute,
        "parameter": _update(lambda p, m, s, n, rate, decay: p - 2 * rate * _step(m, s, n)),
    },
}
