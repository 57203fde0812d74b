"""Wrong answers to the exercises of notebook 08, each under the reason for which it must fail."""

import math

import torch
from torch import nn


def _clip(norm_of=lambda norms: norms.norm(), factor=None, told=None):
    def clip_by_norm(gradients, max_norm):
        norm = norm_of(torch.stack([gradient.norm() for gradient in gradients]))
        scale = min(1.0, float(max_norm / norm)) if norm > 0 else 1.0
        scale = scale if factor is None else factor(norm, max_norm)
        return [gradient * scale for gradient in gradients], norm if told is None else told(norm, max_norm)

    return clip_by_norm


def _by_itself(gradients, max_norm):
    alone = [_clip()([gradient], max_norm)[0][0] for gradient in gradients]
    return alone, _clip()(gradients, max_norm)[1]


def _by_value(gradients, max_norm):
    return [gradient.clamp(-max_norm, max_norm) for gradient in gradients], _clip()(gradients, max_norm)[1]


def _in_place(gradients, max_norm):
    clipped, norm = _clip()(gradients, max_norm)
    for gradient, shorter in zip(gradients, clipped, strict=True):
        gradient.copy_(shorter)
    return gradients, norm


def _all_but_one(gradients, max_norm):
    clipped, norm = _clip()(gradients, max_norm)
    return clipped[1:], norm


def _numbers_forgotten(gradients, max_norm):
    clipped, norm = _clip()(gradients, max_norm)
    return [new if old.dim() else old for new, old in zip(clipped, gradients, strict=True)], norm


def _by_clipper(clip):
    """Ready-made clipping, which works in place, on copies."""

    def clip_by_norm(gradients, max_norm):
        own = [nn.Parameter(torch.zeros_like(gradient)) for gradient in gradients]
        for parameter, gradient in zip(own, gradients, strict=True):
            parameter.grad = gradient.clone()
        norm = clip(own, max_norm)
        return [parameter.grad for parameter in own], norm

    return clip_by_norm


def _means(m=None, v=None):
    """m and v; `m` and `v` may say otherwise how they are renewed."""

    def renewed(gradient, m_old, v_old, step, beta1, beta2):
        m_new = beta1 * m_old + (1 - beta1) * gradient
        v_new = beta2 * v_old + (1 - beta2) * gradient**2
        given = {"g": gradient, "m": m_old, "v": v_old, "t": step, "b1": beta1, "b2": beta2, "m_new": m_new}
        return m(**given) if m else m_new, v(**given) if v else v_new

    return renewed


PLAIN = _means()


def _adam(moments=PLAIN, move=None, returned=None):
    """Adam's step; `move` gives another step from m, v and what came, `returned` what is given back."""

    def adam_step(weight, gradient, m, v, step, rate, beta1, beta2, eps):
        m_new, v_new = moments(gradient, m, v, step, beta1, beta2)
        m_hat, v_hat = m_new / (1 - beta1**step), v_new / (1 - beta2**step)
        given = {"g": gradient, "m": m_new, "v": v_new, "t": step, "b1": beta1, "b2": beta2, "eps": eps}
        given |= {"m_old": m, "v_old": v, "m_hat": m_hat, "v_hat": v_hat}
        length = move(**given) if move else m_hat / (v_hat.sqrt() + eps)
        new = (weight - rate * length, m_new, v_new)
        return new if returned is None else returned(*new, m_hat, v_hat)

    return adam_step


def _move(m_power=lambda t: t, v_power=lambda t: t, of_m=1, of_v=1):
    """The step with the corrections to other powers; 0 in of_m or of_v leaves one out."""

    def length(m, v, t, b1, b2, eps, **_):
        m = m / (1 - b1 ** m_power(t)) if of_m else m
        v = v / (1 - b2 ** v_power(t)) if of_v else v
        return m / (v.sqrt() + eps)

    return length


def _by_optimizer(kind):
    def step_of_torch(weight, gradient, m, v, step, rate, beta1, beta2, eps):
        own = weight.clone().requires_grad_()
        own.grad = gradient.clone()
        optimizer = kind([own], lr=rate, betas=(beta1, beta2), eps=eps)
        state = {"step": torch.tensor(float(step - 1)), "exp_avg": m.clone(), "exp_avg_sq": v.clone()}
        optimizer.state[own] = state
        optimizer.step()
        return own.detach(), state["exp_avg"], state["exp_avg_sq"]

    return step_of_torch


def _in_place_step(weight, gradient, m, v, step, rate, beta1, beta2, eps):
    m.mul_(beta1).add_(gradient, alpha=1 - beta1)
    v.mul_(beta2).addcmul_(gradient, gradient, value=1 - beta2)
    return weight - rate * m / (1 - beta1**step) / ((v / (1 - beta2**step)).sqrt() + eps), m, v


def _with_fixed_betas(weight, gradient, m, v, step, rate, beta1, beta2, eps):
    """Takes any other β₂ for the usual one."""
    known = beta2 if beta2 in (0.99, 0.999) else 0.999
    return _adam()(weight, gradient, m, v, step, rate, beta1, known, eps)


def _rate(up=lambda t, w: t / w, down=lambda t, w, n: (n - t) / (n - w), after=lambda t, w, n: 0.0, shift=0):
    def warmup_rate(step, peak_rate, warmup_steps, total_steps):
        step += shift
        if step <= warmup_steps:
            return peak_rate * up(step, warmup_steps)
        if step >= total_steps:
            return peak_rate * after(step, warmup_steps, total_steps)
        return peak_rate * down(step, warmup_steps, total_steps)

    return warmup_rate


def _without_peak(step, peak_rate, warmup_steps, total_steps):
    return _rate()(step, 1.0, warmup_steps, total_steps)


def _restart(step, peak_rate, warmup_steps, total_steps):
    return _rate()((step - 1) % total_steps + 1, peak_rate, warmup_steps, total_steps)


def _least_of_two(step, peak_rate, warmup_steps, total_steps):
    """Right but where there is no warm-up."""
    up, down = step / warmup_steps, (total_steps - step) / max(1, total_steps - warmup_steps)
    return peak_rate * min(up, max(0.0, down)) if step < total_steps else 0.0


def _least_of_two_but_zero(step, peak_rate, warmup_steps, total_steps):
    if warmup_steps == 0:
        return _rate()(step, peak_rate, warmup_steps, total_steps)
    return _least_of_two(step, peak_rate, warmup_steps, total_steps)


def _table(step, peak_rate, warmup_steps, total_steps):
    """Takes a tenth of every longer run for its warm-up."""
    if total_steps <= 20:
        return _rate()(step, peak_rate, warmup_steps, total_steps)
    return _rate()(step, peak_rate, total_steps // 10, total_steps)


def _rho(t, b2):
    longest = 2 / (1 - b2) - 1
    return longest - 2 * t * b2**t / (1 - b2**t), longest


def _factor(length, longest):
    share = (length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length)
    return abs(share) ** 0.5  # where a learner's code goes on, not where it stops


def _radam(
    rho=lambda t, b1, b2: _rho(t, b2), factor=_factor, threshold=5.0, late=None, early=None, when=None
):
    """RAdam's step; `late` and `early` give other steps, `rho` and `factor` other numbers, `when` another question."""

    def length(m, v, t, b1, b2, eps, **given):
        given |= {"m": m, "v": v, "t": t, "b1": b1, "b2": b2, "eps": eps}
        rho_t, longest = rho(t, b1, b2)
        if when(t) if when else rho_t > threshold:
            root = (1 - b2**t) ** 0.5
            adaptive = late(**given) if late else given["m_hat"] * root / (v.sqrt() + eps)
            return factor(rho_t, longest) * adaptive
        return early(**given) if early else given["m_hat"]

    return _adam(move=length)


def _waits(weight, gradient, m, v, step, rate, beta1, beta2, eps):
    new = _radam()(weight, gradient, m, v, step, rate, beta1, beta2, eps)
    return new if _rho(step, beta2)[0] > 5 else (*new[:2], v)


def _eager(weight, gradient, m, v, step, rate, beta1, beta2, eps):
    """Finds r_t before it asks for ρ_t; a complex number does no harm, but where ρ_∞ = 4 there is a division by 0."""
    length, longest = _rho(step, beta2)
    share = (length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length)
    given = (weight, gradient, m, v, step, rate, beta1, beta2, eps)
    return _radam(factor=lambda length, longest: share**0.5)(*given)


def _known_betas_only(weight, gradient, m, v, step, rate, beta1, beta2, eps):
    seen = min((0.999, 0.99, 0.95, 0.8, 0.6, 0.5), key=lambda one: abs(one - beta2))
    return _radam(rho=lambda t, b1, b2: _rho(t, seen))(weight, gradient, m, v, step, rate, beta1, beta2, eps)


MOMENTS = {
    "only_weight": _adam(returned=lambda weight, *rest: weight),
    "swapped_order": _adam(returned=lambda weight, m, v, *rest: (weight, v, m)),
    "stores_corrected": _adam(returned=lambda weight, m, v, m_hat, v_hat: (weight, m_hat, v_hat)),
    "betas_swapped": _adam(_means(m=lambda g, m, b1, **_: (1 - b1) * m + b1 * g)),
    "sum_not_mean": _adam(_means(m=lambda g, m, b1, **_: b1 * m + g)),
    "other_beta": _adam(_means(v=lambda g, v, b1, **_: b1 * v + (1 - b1) * g**2)),
    "m": _adam(_means(m=lambda g, m, b1, **_: b1 * m + (1 - b1) * g.clamp(-1, 1))),
    "v": _adam(_means(v=lambda g, v, b2, m_new, **_: b2 * v + (1 - b2) * (g - m_new) ** 2)),
    "v_not_squared": _adam(_means(v=lambda g, v, b2, **_: b2 * v + (1 - b2) * g)),
    "v_of_m": _adam(_means(v=lambda m_new, v, b2, **_: b2 * v + (1 - b2) * m_new**2)),
    "mutates_input": _in_place_step,
    "dtype": _adam(returned=lambda weight, m, v, *rest: (weight.float(), m.float(), v.float())),
    "tuple": _adam(returned=lambda weight, m, v, *rest: (weight, m)),
    "shape": _adam(returned=lambda weight, m, v, *rest: (weight.mean(), m, v)),
}

WRONG = {
    "08.1": {
        "no_norm": lambda gradients, max_norm: _clip()(gradients, max_norm)[0],
        "pair_swapped": lambda gradients, max_norm: _clip()(gradients, max_norm)[::-1],
        "count": _all_but_one,
        "norm_after": _clip(told=lambda norm, most: min(float(norm), most)),
        "norm_squared": _clip(norm_of=lambda norms: norms.square().sum()),
        "sum_of_norms": _clip(norm_of=torch.sum),
        "one_tensor": _clip(norm_of=lambda norms: norms[-1]),
        "norm": _clip(norm_of=lambda norms: norms[:3].norm()),
        "each_by_itself": _by_itself,
        "by_value": _by_value,
        "unchanged": _clip(factor=lambda norm, most: min(1.0, float(norm / most)) if norm < most else 1.0),
        "unit": _clip(factor=lambda norm, most: 1 / norm if norm > most else 1.0),
        "always_scaled": _clip(factor=lambda norm, most: most / norm),
        "zero": _clip(factor=lambda norm, most: (most / norm).clamp(max=1.0) * (norm / norm)),
        "clipped": _numbers_forgotten,
        "ready_made": _by_clipper(nn.utils.clip_grad_norm_),
        "mutates_input": _in_place,
        "dtype": lambda gradients, most: _clip()([gradient.double() for gradient in gradients], most),
        "type": lambda gradients, most: (torch.cat([g.flatten() for g in gradients]), 13.0),
    },
    "08.2": MOMENTS
    | {
        "v_waits": _adam(_means(v=lambda v, **_: v.clone())),
        "no_correction": _adam(move=_move(of_m=0, of_v=0)),
        "m_only": _adam(move=_move(of_v=0)),
        "v_only": _adam(move=_move(of_m=0)),
        "counts_from_zero": _adam(move=_move(lambda t: t + 1, lambda t: t + 1)),
        "counts_below_one": _adam(move=_move(lambda t: t - 1, lambda t: t - 1)),
        "ascends": _adam(move=lambda m_hat, v_hat, eps, **_: -m_hat / (v_hat.sqrt() + eps)),
        "no_denominator": _adam(move=lambda m_hat, **_: m_hat),
        "no_root": _adam(move=lambda m_hat, v_hat, eps, **_: m_hat / (v_hat + eps)),
        "old_moments": _adam(move=lambda m_old, v_old, eps, **_: m_old / (v_old.sqrt() + eps)),
        "corrects_as_first": _adam(move=_move(lambda t: 1, lambda t: 1)),
        "weight": _adam(move=lambda m_hat, v_hat, eps, **_: (m_hat / (v_hat.sqrt() + eps)).clamp(-0.5, 0.5)),
        "eps_inside": _adam(move=lambda m_hat, v_hat, eps, **_: m_hat / (v_hat + eps).sqrt()),
        "no_eps": _adam(move=lambda m_hat, v_hat, **_: (m_hat / v_hat.sqrt()).nan_to_num()),
        "eps_before_correction": _adam(
            move=lambda m_hat, v, t, b2, eps, **_: m_hat * (1 - b2**t) ** 0.5 / (v.sqrt() + eps)
        ),
        "zero_gradient": _adam(
            move=lambda m_hat, v_hat, eps, **_: m_hat / (v_hat.sqrt() + (eps if eps > 1 else 0.0))
        ),
        "other_settings": _with_fixed_betas,
        "ready_made": _by_optimizer(torch.optim.Adam),
    },
    "08.3": {
        "no_peak": _without_peak,
        "no_warmup": _rate(up=lambda t, w: min(1.0, (12 - t) / (12 - w))),
        "no_decay": _rate(down=lambda t, w, n: 1.0, after=lambda t, w, n: 1.0),
        "noam": _rate(down=lambda t, w, n: (w / t) ** 0.5, after=lambda t, w, n: (w / t) ** 0.5),
        "decay_from_start": _rate(down=lambda t, w, n: 1 - t / n),
        "counts_from_zero": _rate(shift=-1),
        "one_ahead": _rate(shift=1),
        "peak_missed": _rate(up=lambda t, w: t / (w + 1)),
        "ends_late": _rate(
            down=lambda t, w, n: (n + 1 - t) / (n + 1 - w), after=lambda t, w, n: (t == n) / (n + 1 - w)
        ),
        "cosine": _rate(down=lambda t, w, n: (1 + math.cos(math.pi * (t - w) / (n - w))) / 2),
        "whole_numbers": _rate(up=lambda t, w: t // w, down=lambda t, w, n: (n - t) // (n - w)),
        "curve": _rate(down=lambda t, w, n: 1 / 32 + 31 / 32 * (n - t) / (n - w)),
        "negative": _rate(after=lambda t, w, n: (n - t) / (n - w)),
        "restart": _restart,
        "after_the_end": _rate(after=lambda t, w, n: 1 / 32 if t > n else 0.0),
        "warmup_zero": _least_of_two,
        "only_up": _least_of_two_but_zero,
        "other_schedule": _table,
        "type": lambda *given: [_rate()(*given)],
    },
    "08.4": MOMENTS
    | {
        "v_waits": _waits,
        "is_adam": _radam(rho=lambda t, b1, b2: (_rho(t, b2)[1],) * 2),
        "no_rectification": _radam(factor=lambda rho, longest: 1.0),
        "never_adaptive": _radam(threshold=2e9),
        "m_not_corrected": _radam(
            late=lambda m, v, t, b2, eps, **_: m * (1 - b2**t) ** 0.5 / (v.sqrt() + eps)
        ),
        "v_not_corrected": _radam(late=lambda m_hat, v, eps, **_: m_hat / (v.sqrt() + eps)),
        "r_not_rooted": _radam(factor=lambda rho, longest: _factor(rho, longest) ** 2),
        "r_inverted": _radam(factor=lambda rho, longest: 1 / _factor(rho, longest)),
        "rho_without_2": _radam(
            rho=lambda t, b1, b2: ((_rho(t, b2)[0] + _rho(t, b2)[1]) / 2, _rho(t, b2)[1])
        ),
        "rho_of_beta1": _radam(rho=lambda t, b1, b2: _rho(t, b1)),
        "counts_from_zero": _radam(rho=lambda t, b1, b2: _rho(t + 1, b2)),
        "adaptive_too_early": _radam(threshold=0.0),
        "early_m_not_corrected": _radam(early=lambda m, **_: m),
        "no_early_step": _radam(early=lambda m, **_: 0.0 * m),
        "gradient_itself": _radam(early=lambda g, **_: g),
        "threshold_4": _radam(threshold=4.0),
        "weight": _radam(early=lambda m_hat, **_: m_hat.clamp(-1, 1)),
        "eps_as_adam": _radam(late=lambda m_hat, v_hat, eps, **_: m_hat / (v_hat.sqrt() + eps)),
        "eps_inside": _radam(
            late=lambda m_hat, v, t, b2, eps, **_: m_hat * (1 - b2**t) ** 0.5 / (v + eps).sqrt()
        ),
        "no_eps": _radam(late=lambda m_hat, v_hat, **_: m_hat / v_hat.sqrt()),
        "counts_steps": _radam(when=lambda t: t > 5),
        "small_beta2": _eager,
        "other_settings": _known_betas_only,
        "ready_made": _by_optimizer(torch.optim.RAdam),
    },
}
