"""Notebook 08: other right answers pass, other forms of a mistake have its reason, and cheap tricks do not pass."""

import math
import threading

import numpy as np
import pytest
import torch
from torch.optim.adam import adam

from course_utils.exercises import exercise
from course_utils.training import optim as ours
from course_utils.training.optim import Adam, RAdam, clip_gradients, linear_rate
from tests.exercises.wrong_08 import (
    PLAIN,
    _adam,
    _by_clipper,
    _by_optimizer,
    _clip,
    _means,
    _move,
    _radam,
    _rate,
    _rho,
)

# ---- other right answers -------------------------------------------------------------------------------------------


def _one_vector(gradients, max_norm):
    norm = torch.cat([gradient.reshape(-1) for gradient in gradients]).pow(2).sum().sqrt().item()
    if norm <= max_norm:
        return gradients, norm
    return tuple(max_norm * gradient / norm for gradient in gradients), norm


def _with_tiny(gradients, max_norm):
    norm = math.sqrt(sum(float(gradient.square().sum()) for gradient in gradients))
    factor = min(1.0, max_norm / (norm + 1e-6))
    return [factor * gradient for gradient in gradients], norm


def _each_in_its_place(weight, gradient, m, v, step, rate, beta1, beta2, eps):
    weight, m, v = weight.clone(), m.clone(), v.clone()
    m.mul_(beta1).add_(gradient, alpha=1 - beta1)
    v.mul_(beta2).addcmul_(gradient, gradient, value=1 - beta2)
    denominator = (v.sqrt() / math.sqrt(1 - beta2**step)).add_(eps)
    return weight.addcdiv_(m, denominator, value=-rate / (1 - beta1**step)), m, v


def _lerp(weight, gradient, m, v, step, rate, beta1, beta2, eps):
    m, v = torch.lerp(gradient, m, beta1), v.lerp(gradient.square(), 1 - beta2)
    root = math.sqrt(1 - beta2**step)
    return [weight - rate * root / (1 - beta1**step) * m / (v.sqrt() + eps * root), m, v]


def _in_numpy(weight, gradient, m, v, step, rate, beta1, beta2, eps):
    theta, g, m, v = (tensor.numpy() for tensor in (weight, gradient, m, v))
    m, v = beta1 * m + (1 - beta1) * g, beta2 * v + (1 - beta2) * g * g
    theta = theta - rate * (m / (1 - beta1**step)) / (np.sqrt(v / (1 - beta2**step)) + eps)
    return tuple(torch.as_tensor(one, dtype=weight.dtype) for one in (theta, m, v))


def _between_two_points(step, peak_rate, warmup_steps, total_steps):
    ends = ([0, warmup_steps, total_steps], [0.0, peak_rate, 0.0])
    if warmup_steps == 0:
        ends = ([0, total_steps], [peak_rate, 0.0])
    if warmup_steps == total_steps:
        ends = ([0, total_steps, total_steps + 1e-9], [0.0, peak_rate, 0.0])
    return float(np.interp(step, *ends))


def _lesser(step, peak_rate, warmup_steps, total_steps):
    up = step / max(1, warmup_steps)
    down = (
        (total_steps - step) / (total_steps - warmup_steps)
        if total_steps > warmup_steps
        else step <= total_steps
    )
    return torch.tensor(peak_rate * min(up, max(0.0, down)) if step > warmup_steps or warmup_steps else 0.0)


def _with_where(weight, gradient, m, v, step, rate, beta1, beta2, eps):
    m, v = beta1 * m + (1 - beta1) * gradient, beta2 * v + (1 - beta2) * gradient * gradient
    rho, longest = _rho(step, beta2)
    m_hat, root = m / (1 - beta1**step), math.sqrt(1 - beta2**step)
    if rho > 5.0:
        share = (rho - 4) / (longest - 4) * (rho - 2) / (longest - 2) * longest / rho
        return weight - rate * math.sqrt(share) * m_hat / (v.sqrt() / root + eps / root), m, v
    return weight.sub(m_hat, alpha=rate), m, v


RIGHT = [
    ("08.1", _one_vector),
    ("08.1", _with_tiny),
    ("08.2", _each_in_its_place),
    ("08.2", _lerp),
    ("08.2", _in_numpy),
    ("08.3", _between_two_points),
    ("08.3", linear_rate),
    ("08.3", lambda *given: torch.tensor(linear_rate(*given), dtype=torch.float64)),
    ("08.4", _with_where),
    ("08.4", _radam()),
]


@pytest.mark.parametrize(("id", "answer"), RIGHT)
def test_other_right_answers_pass(id, answer):
    verdict = exercise(id).judge(answer)
    assert verdict.status == "passed", verdict.message


# ---- other forms of the mistakes -----------------------------------------------------------------------------------


def _v(how):
    return _adam(_means(v=how))


MOMENTS = [
    ("stores_corrected", _adam(returned=lambda weight, m, v, m_hat, v_hat: (weight, m, v_hat))),
    ("betas_swapped", _v(lambda g, v, b2, **_: (1 - b2) * v + b2 * g**2)),
    ("sum_not_mean", _v(lambda g, v, b2, **_: b2 * v + g**2)),
    ("other_beta", _adam(_means(m=lambda g, m, b2, **_: b2 * m + (1 - b2) * g))),
    ("v_not_squared", _v(lambda g, v, b2, **_: b2 * v + (1 - b2) * g.abs())),
    ("v_of_m", _v(lambda m, v, b2, **_: b2 * v + (1 - b2) * m**2)),
    ("m", _adam(_means(m=lambda m, **_: m.clone()))),
    ("v", _v(lambda g, v, b2, **_: torch.maximum(v, b2 * v + (1 - b2) * g**2))),  # AMSGrad's
    ("shape", _v(lambda g, v, b2, **_: b2 * v.mean() + (1 - b2) * g.square().mean())),
]
OTHER_FORMS = [
    ("08.1", "one_tensor", _clip(norm_of=lambda norms: norms[0])),
    ("08.1", "one_tensor", _clip(norm_of=torch.max)),
    ("08.1", "zero", _clip(told=lambda norm, most: norm / norm * norm)),
    ("08.1", "clipped", _clip(factor=lambda norm, most: min(1.0, float(most / norm)) if norm > 1 else 1.0)),
    ("08.1", "unchanged", _clip(factor=lambda norm, most: 1.0)),
    ("08.1", "clipped", _clip(factor=lambda norm, most: most / norm if norm > 1.015 * most else 1.0)),
    ("08.1", "clipped", lambda gradients, most: _clip()(gradients, max(most, 0.1))),
    *(("08.2", *form) for form in MOMENTS),
    (
        "08.2",
        "corrects_as_first",
        _adam(move=_move(lambda t: 1 if t == 1 else 1e9, lambda t: 1 if t == 1 else 1e9)),
    ),
    (
        "08.2",
        "eps_before_correction",
        _adam(move=lambda m_hat, v, t, b2, eps, **_: m_hat * (1 - b2**t) ** 0.5 / (v + eps).sqrt()),
    ),
    (
        "08.2",
        "other_settings",
        _adam(move=_move(lambda t: t if t <= 100 else 1e9, lambda t: t if t <= 100 else 1e9)),
    ),
    ("08.2", "other_settings", _adam(move=_move(v_power=lambda t: t if t <= 1000 else 1e9))),
    ("08.2", "other_settings", _adam(move=_move(m_power=lambda t: t if t <= 100 else 1e9))),
    ("08.2", "old_moments", lambda weight, *given: (weight, *_adam()(weight, *given)[1:])),
    ("08.3", "no_warmup", lambda t, peak, w, n: peak * max(0.0, (n - t) / max(1, n - w))),
    ("08.3", "no_warmup", lambda t, peak, w, n: peak * max(0.0, 1 - t / n)),
    ("08.3", "decay_from_start", lambda t, peak, w, n: peak * min(1.0, t / w) * max(0.0, 1 - t / n)),
    ("08.3", "decay_from_start", lambda t, peak, w, n: peak * (t / w if t < w else max(0.0, 1 - t / n))),
    ("08.3", "after_the_end", lambda t, peak, w, n: max(_rate()(t, peak, w, n), t / n - 4)),
    ("08.3", "curve", _rate(down=lambda t, w, n: ((n - t) / (n - w)) ** 2)),
    ("08.3", "warmup_zero", lambda t, peak, w, n: _rate()(t, peak, max(w, 1), n)),
    *(("08.4", *form) for form in MOMENTS),
    ("08.4", "is_adam", _adam()),
    ("08.4", "counts_from_zero", _radam(rho=lambda t, b1, b2: _rho(max(1, t - 1), b2))),
    (
        "08.4",
        "no_rectification",
        _radam(rho=lambda t, b1, b2: (_rho(t, b2)[1] if t > 5 else 0.0, _rho(t, b2)[1])),
    ),
    ("08.4", "adaptive_too_early", _radam(early=lambda m_hat, v_hat, eps, **_: m_hat / (v_hat.sqrt() + eps))),
    ("08.4", "other_settings", _radam(threshold=5.5)),
    ("08.4", "other_settings", _radam(threshold=5.9)),
    (
        "08.4",
        "other_settings",
        lambda *given: (_adam() if 100 < given[4] < 20_000 else _radam())(*given),
    ),
    (
        "08.4",
        "other_settings",
        lambda *given: (_radam() if given[4] <= 1000 else _adam(move=_move(of_v=0)))(*given),
    ),
    ("08.4", "eps_inside", _radam(late=lambda m_hat, v_hat, eps, **_: m_hat / (v_hat + eps).sqrt())),
]


@pytest.mark.parametrize(("id", "reason", "answer"), OTHER_FORMS)
def test_another_form_of_a_mistake_has_its_reason(id, reason, answer):
    verdict = exercise(id).judge(answer)
    assert verdict.reason == reason, verdict.message


# ---- cheap tricks --------------------------------------------------------------------------------------------------


def _constant(*given):
    return [torch.tensor([2.4]), torch.tensor([[0.6, -0.8]])], 13.0


def _first_two(gradients, max_norm):
    clipped, norm = _clip()(gradients[:2], max_norm)
    return clipped + gradients[2:], norm


def _same_list(gradients, max_norm):
    gradients[:], norm = _clip()(gradients, max_norm)
    return gradients, norm


def _through_data(gradients, max_norm):
    clipped, norm = _clip()(gradients, max_norm)
    for gradient, shorter in zip(gradients, clipped, strict=True):
        gradient.data = shorter
    return gradients, norm


def _memory():
    """Keeps m and v by itself and never looks at those that come."""
    kept = {}

    def adam_step(weight, gradient, m, v, *rest):
        new = _adam()(weight, gradient, *kept.get(weight.shape, (m, v)), *rest)
        kept[weight.shape] = new[1:]
        return new

    return adam_step


def _signs(weight, gradient, m, v, step, rate, beta1, beta2, eps):
    """The rate in the gradient's direction, which is Adam's first step."""
    return weight - rate * gradient.sign(), *PLAIN(gradient, m, v, step, beta1, beta2)


def _functional(weight, gradient, m, v, step, rate, beta1, beta2, eps):
    new, m, v = weight.clone(), m.clone(), v.clone()
    options = dict(
        amsgrad=False, beta1=beta1, beta2=beta2, lr=rate, weight_decay=0.0, eps=eps, maximize=False
    )
    adam([new], [gradient], [m], [v], [], [torch.tensor(step - 1.0)], **options)
    return new, m, v


def _fused(weight, gradient, m, v, step, rate, beta1, beta2, eps):
    new, m, v = weight.clone(), m.clone(), v.clone()
    options = dict(
        amsgrad=False, beta1=beta1, beta2=beta2, lr=rate, weight_decay=0.0, eps=eps, maximize=False
    )
    torch._fused_adam_([new], [gradient], [m], [v], [], [torch.tensor(float(step))], **options)
    return new, m, v


def _fused_by_number(weight, gradient, m, v, step, rate, beta1, beta2, eps):
    new, m, v = weight.clone(), m.clone(), v.clone()
    options = dict(
        amsgrad=False, beta1=beta1, beta2=beta2, lr=rate, weight_decay=0.0, eps=eps, maximize=False
    )
    torch.ops.aten._fused_adam_([new], [gradient], [m], [v], [], [torch.tensor(float(step))], **options)
    return new, m, v


def _hidden(*given):
    """Swallows whatever would stop it, and takes the right step if nobody looks."""
    try:
        return _by_optimizer(torch.optim.Adam)(*given)
    except BaseException:
        return _adam()(*given)


def _fused_as_overload(weight, gradient, m, v, step, rate, beta1, beta2, eps):
    new, m, v = weight.clone(), m.clone(), v.clone()
    options = dict(
        amsgrad=False, beta1=beta1, beta2=beta2, lr=rate, weight_decay=0.0, eps=eps, maximize=False
    )
    lists = [new], [gradient], [m], [v], [], [torch.tensor(float(step))]
    torch.ops.aten._fused_adam_.default(*lists, **options)
    return new, m, v


def _in_a_thread(*given):
    found = []
    worker = threading.Thread(target=lambda: found.append(_by_optimizer(torch.optim.Adam)(*given)))
    worker.start()
    worker.join()
    return found[0]


class _Own(torch.optim.RAdam):
    pass


def _borrowed_factor(*given):
    return _radam(factor=lambda rho, longest: ours.rectification(given[4], given[7]))(*given)


def _remembered(step, peak_rate, warmup_steps, total_steps):
    return {4: 0.4, 12: 0.0}.get(step, linear_rate(step, 0.4, 4, 12))


TRICKS = [
    ("08.1", "clipped", lambda gradients, most: _constant() if len(gradients) == 2 else (gradients, most)),
    ("08.1", "norm", _first_two),
    ("08.1", "mutates_input", _same_list),
    ("08.1", "mutates_input", _through_data),
    ("08.1", "ready_made", _by_clipper(clip_gradients)),
    ("08.2", "m", _memory()),
    ("08.2", "no_eps", _signs),
    *(
        ("08.2", "ready_made", answer)
        for answer in (
            _by_optimizer(Adam),
            _functional,
            _fused,
            _fused_by_number,
            _fused_as_overload,
            _in_a_thread,
            _hidden,
        )
    ),
    ("08.3", "warmup_zero", _remembered),
    ("08.4", "is_adam", _signs),
    *(
        ("08.4", "ready_made", answer)
        for answer in (_by_optimizer(RAdam), _by_optimizer(_Own), _borrowed_factor)
    ),
]


@pytest.mark.parametrize(("id", "reason", "answer"), TRICKS)
def test_a_cheap_trick_is_told_apart(id, reason, answer):
    verdict = exercise(id).judge(answer)
    assert verdict.reason == reason, verdict.message
