"""Right answers to the exercises of notebook 08, in forms that learners write."""

import math

import numpy as np
import torch

from tests.exercises.audit import forms


# ---- 08.1
def one_vector(gradients, max_norm):
    norm = torch.cat([gradient.reshape(-1) for gradient in gradients]).pow(2).sum().sqrt().item()
    if norm <= max_norm:
        return gradients, norm
    return tuple(max_norm * gradient / norm for gradient in gradients), norm


def with_tiny(gradients, max_norm):
    norm = math.sqrt(sum(float(gradient.square().sum()) for gradient in gradients))
    factor = min(1.0, max_norm / (norm + 1e-6))
    return [factor * gradient for gradient in gradients], norm


def norm_of_norms(gradients, max_norm):
    norm = torch.stack([gradient.norm() for gradient in gradients]).norm()
    factor = max_norm / norm if norm > max_norm else 1.0
    return [gradient * factor for gradient in gradients], norm


def in_numpy(gradients, max_norm):
    flat = np.concatenate([gradient.numpy().ravel() for gradient in gradients])
    norm = np.sqrt((flat * flat).sum())  # np.float32
    factor = max_norm / norm if norm > max_norm else 1.0
    return [torch.as_tensor(gradient.numpy() * factor, dtype=gradient.dtype) for gradient in gradients], norm


def one_element_tensors(gradients, max_norm):
    """A factor of shape (1,) makes (1,) of a number, too; the length has the shape (1, 1)."""
    norm = torch.cat([gradient.reshape(1, -1) for gradient in gradients], 1).norm(dim=1, keepdim=True)
    factor = (max_norm / (norm[0] + 1e-6)).clamp(max=1.0)
    return [gradient * factor for gradient in gradients], norm


def total_norm(gradients, max_norm):
    norm = torch.nn.utils.get_total_norm(gradients)
    return [gradient * min(max_norm / max(float(norm), 1e-12), 1.0) for gradient in gradients], float(norm)


# ---- 08.2
def each_in_its_place(weight, gradient, m, v, step, rate, beta1, beta2, eps, decay):
    weight, m, v = weight.clone(), m.clone(), v.clone()
    weight.mul_(1 - rate * decay)
    m.mul_(beta1).add_(gradient, alpha=1 - beta1)
    v.mul_(beta2).addcmul_(gradient, gradient, value=1 - beta2)
    denominator = (v.sqrt() / math.sqrt(1 - beta2**step)).add_(eps)
    return weight.addcdiv_(m, denominator, value=-rate / (1 - beta1**step)), m, v


def lerped(weight, gradient, m, v, step, rate, beta1, beta2, eps, decay):
    m, v = torch.lerp(gradient, m, beta1), v.lerp(gradient.square(), 1 - beta2)
    root = math.sqrt(1 - beta2**step)
    moved = rate * root / (1 - beta1**step) * m / (v.sqrt() + eps * root)
    return [weight - rate * decay * weight - moved, m, v]


def adamw_in_numpy(weight, gradient, m, v, step, rate, beta1, beta2, eps, decay):
    theta, g, m, v = (tensor.numpy() for tensor in (weight, gradient, m, v))
    m, v = beta1 * m + (1 - beta1) * g, beta2 * v + (1 - beta2) * g * g
    theta = (1 - rate * decay) * theta
    theta = theta - rate * (m / (1 - beta1**step)) / (np.sqrt(v / (1 - beta2**step)) + eps)
    return tuple(torch.as_tensor(one, dtype=weight.dtype) for one in (theta, m, v))


def as_in_the_paper(weight, gradient, m, v, step, rate, beta1, beta2, eps, decay):
    m = m + (1 - beta1) * (gradient - m)
    v = v + (1 - beta2) * (gradient * gradient - v)
    m_hat, v_hat = m / (1 - pow(beta1, step)), v / (1 - pow(beta2, step))
    return weight - rate * (m_hat / (torch.sqrt(v_hat) + eps) + decay * weight), m, v


def corrections_in_float32(weight, gradient, m, v, step, rate, beta1, beta2, eps, decay):
    beta1, beta2 = torch.tensor(beta1), torch.tensor(beta2)
    m = beta1 * m + (1 - beta1) * gradient
    v = beta2 * v + (1 - beta2) * gradient**2
    m_hat, v_hat = m / (1 - beta1**step), v / (1 - beta2**step)
    return weight * (1 - rate * decay) - rate * m_hat / (v_hat**0.5 + eps), m, v


def entry_after_entry(weight, gradient, m, v, step, rate, beta1, beta2, eps, decay):
    new = [torch.empty_like(weight).flatten() for _ in range(3)]
    entries = zip(*(one.flatten().tolist() for one in (weight, gradient, m, v)), strict=True)
    for place, (w, g, mean, square) in enumerate(entries):
        mean, square = beta1 * mean + (1 - beta1) * g, beta2 * square + (1 - beta2) * g * g
        length = mean / (1 - beta1**step) / (math.sqrt(square / (1 - beta2**step)) + eps)
        for part, value in zip(new, (w - rate * decay * w - rate * length, mean, square), strict=True):
            part[place] = value
    return tuple(part.view_as(weight) for part in new)


# ---- 08.3
def between_two_points(step, peak_rate, warmup_steps, total_steps):
    ends = ([0, warmup_steps, total_steps], [0.0, peak_rate, 0.0])
    if warmup_steps == 0:
        ends = ([0, total_steps], [peak_rate, 0.0])
    if warmup_steps == total_steps:
        ends = ([0, total_steps, total_steps + 1e-9], [0.0, peak_rate, 0.0])
    return np.interp(step, *ends)


def ternary(step, peak_rate, warmup_steps, total_steps):
    return (
        peak_rate * step / warmup_steps
        if step <= warmup_steps
        else max(0.0, peak_rate * (total_steps - step) / (total_steps - warmup_steps))
        if total_steps > warmup_steps
        else 0.0
    )


def share_of_the_peak(step, peak_rate, warmup_steps, total_steps):
    if step > total_steps:
        share = 0
    elif step < warmup_steps:
        share = step / warmup_steps
    elif warmup_steps == total_steps:
        share = 1
    else:
        share = 1 - (step - warmup_steps) / (total_steps - warmup_steps)
    return share * peak_rate


def in_tensors(step, peak_rate, warmup_steps, total_steps):
    step = torch.tensor(step, dtype=torch.float64)
    up = step / max(warmup_steps, 1)
    down = ((total_steps - step) / max(total_steps - warmup_steps, 1)).clamp(min=0)
    return peak_rate * torch.where(step <= warmup_steps, up, down)


def in_float32(*given):
    return np.float32(ternary(*given))


def one_number_in_a_tensor(*given):
    return torch.tensor([share_of_the_peak(*given)], dtype=torch.float64)


# ---- 08.4
def lengths(step, beta2):
    longest = 2 / (1 - beta2) - 1
    return longest - 2 * step * beta2**step / (1 - beta2**step), longest


def with_root(weight, gradient, m, v, step, rate, beta1, beta2, eps):
    m, v = beta1 * m + (1 - beta1) * gradient, beta2 * v + (1 - beta2) * gradient * gradient
    rho, longest = lengths(step, beta2)
    m_hat, root = m / (1 - beta1**step), math.sqrt(1 - beta2**step)
    if rho > 5.0:
        share = (rho - 4) / (longest - 4) * (rho - 2) / (longest - 2) * longest / rho
        return weight - rate * math.sqrt(share) * m_hat / (v.sqrt() / root + eps / root), m, v
    return weight.sub(m_hat, alpha=rate), m, v


def my_rectification(step, beta2):
    """The notebook's own: r_t, or None up to ρ_t = 5."""
    length, longest = lengths(step, beta2)
    if length <= 5:
        return None
    return ((length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length)) ** 0.5


def with_the_notebook(weight, gradient, m, v, step, rate, beta1, beta2, eps):
    beta1, beta2 = torch.tensor(beta1), torch.tensor(beta2)  # float32
    m = beta1 * m + (1 - beta1) * gradient
    v = beta2 * v + (1 - beta2) * gradient.square()
    r = my_rectification(step, beta2)
    length = m / (1 - beta1**step)
    if r is not None:
        length = r * length * (1 - beta2**step) ** 0.5 / (v.sqrt() + eps)
    return weight - rate * length, m, v


def radam_in_place(weight, gradient, m, v, step, rate, beta1, beta2, eps):
    weight, m, v = weight.clone(), m.clone(), v.clone()
    m.mul_(beta1).add_(gradient, alpha=1 - beta1)
    v.mul_(beta2).addcmul_(gradient, gradient, value=1 - beta2)
    r = my_rectification(step, beta2)
    size = rate / (1 - beta1**step)
    if r is None:
        return weight.add_(m, alpha=-size), m, v
    return weight.addcdiv_(m, v.sqrt().add_(eps), value=-size * r * math.sqrt(1 - beta2**step)), m, v


def radam_lerped(weight, gradient, m, v, step, rate, beta1, beta2, eps):
    m, v = m.lerp(gradient, 1 - beta1), torch.lerp(gradient.square(), v, beta2)
    factor = my_rectification(step, beta2)
    denominator = 1.0 if factor is None else (v.sqrt() + eps) / (1 - beta2**step) ** 0.5
    return [weight - rate * (factor or 1.0) * (m / (1 - beta1**step)) / denominator, m, v]


def radam_in_numpy(weight, gradient, m, v, step, rate, beta1, beta2, eps):
    new = with_root(*(one.double() for one in (weight, gradient, m, v)), step, rate, beta1, beta2, eps)
    return tuple(torch.from_numpy(np.asarray(one.numpy())).to(weight.dtype) for one in new)


def chosen_by_where(weight, gradient, m, v, step, rate, beta1, beta2, eps):
    m, v = beta1 * m + (1 - beta1) * gradient, beta2 * v + (1 - beta2) * gradient**2
    length, longest = lengths(step, beta2)
    m_hat = m / (1 - beta1**step)
    above, below = (length - 4) * (length - 2) * longest, (longest - 4) * (longest - 2) * length
    r = math.sqrt(max(above, 0.0) / below) if below else 0.0
    adaptive = r * m_hat * (1 - beta2**step) ** 0.5 / (v.sqrt() + eps)
    return weight - rate * torch.where(torch.tensor(length > 5), adaptive, m_hat), m, v


RIGHT = {
    "08.1": forms(one_vector, with_tiny, norm_of_norms, in_numpy, one_element_tensors, total_norm),
    "08.2": forms(
        each_in_its_place, lerped, adamw_in_numpy, as_in_the_paper, corrections_in_float32, entry_after_entry
    ),
    "08.3": forms(
        between_two_points, ternary, share_of_the_peak, in_tensors, in_float32, one_number_in_a_tensor
    ),
    "08.4": forms(
        with_root, with_the_notebook, radam_in_place, radam_lerped, radam_in_numpy, chosen_by_where
    ),
}
