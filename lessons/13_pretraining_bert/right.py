"""Right answers to the exercises of notebook 13, in forms that learners write."""

import math

import numpy as np
import torch

from tests.exercises.audit import forms


def entropy_by_loop(counts):
    total, entropy = sum(counts), 0.0
    for count in counts:
        if count:
            entropy -= count / total * math.log(count / total)
    return entropy


def entropy_by_torch(dtype, item=True):
    def entropy(counts):
        counts = torch.tensor(counts, dtype=dtype)
        shares = counts[counts > 0] / counts.sum()
        found = -(shares * shares.log()).sum()
        return found.item() if item else found

    return entropy


def entropy_by_numpy(counts):
    shares = np.array(counts) / np.sum(counts)
    shares = shares[shares > 0]
    return -np.sum(shares * np.log(shares))


def entropy_of_logs(counts):
    """log of the total, less the mean of log(count)."""
    total = sum(counts)
    return math.log(total) - sum(count * math.log(count) for count in counts if count) / total


def entropy_by_cross_entropy(counts):
    """Against itself, as a mean over all tokens of the text."""
    shares = torch.tensor([count for count in counts if count], dtype=torch.float64)
    shares = shares / shares.sum()
    return torch.nn.functional.cross_entropy(shares.log(), shares)


def clip_by_cat(gradients, most):
    norm = torch.cat([gradient.flatten() for gradient in gradients]).norm()
    return [gradient * (most / norm) if norm > most else gradient for gradient in gradients]


def clip_like_torch(gradients, most):
    norm = torch.cat([gradient.flatten() for gradient in gradients]).norm(keepdim=True)  # (1,)
    factor = (most / (norm + 1e-6)).clamp(max=1.0)
    return [gradient * factor for gradient in gradients]


def clip_by_loop(gradients, most):
    total = 0.0
    for gradient in gradients:
        total += (gradient**2).sum().item()
    norm = math.sqrt(total)
    if norm <= most:
        return gradients
    result = []
    for gradient in gradients:
        result.append(gradient * most / norm)
    return result


def clip_by_vector_norm(gradients, most):
    norms = [torch.linalg.vector_norm(gradient.double()) for gradient in gradients]
    norm = float(torch.linalg.vector_norm(torch.stack(norms)))
    return tuple(gradient / max(1.0, norm / most) for gradient in gradients)


def clip_copies(gradients, most):
    copies = [gradient.clone() for gradient in gradients]
    norm = math.sqrt(sum(float(torch.dot(copy.flatten(), copy.flatten())) for copy in copies))
    if norm > most:
        for copy in copies:
            copy.mul_(most / norm)
    return copies


def clip_by_numpy(gradients, most):
    arrays = [gradient.numpy() for gradient in gradients]
    norm = np.sqrt(sum((array.astype(np.float64) ** 2).sum() for array in arrays))
    return [
        torch.from_numpy(np.asarray(array * min(1.0, most / max(norm, 1e-12)), array.dtype))
        for array in arrays
    ]


def adamw(last):
    """The averages first; the last line in another way."""

    def step(parameter, gradient, mean, square, count, rate, decay):
        mean = mean * 0.9 + gradient * (1 - 0.9)
        square = square * 0.999 + gradient.square() * (1 - 0.999)
        return last(parameter, mean, square, count, rate, decay), mean, square

    return step


def decay_first(parameter, mean, square, count, rate, decay):
    """As torch does it: shrink, then step."""
    parameter = parameter * (1 - rate * decay)
    denominator = square.sqrt() / math.sqrt(1 - 0.999**count) + 1e-6
    return parameter - rate / (1 - 0.9**count) * mean / denominator


def in_two_parts(parameter, mean, square, count, rate, decay):
    hat, square_hat = mean / (1 - pow(0.9, count)), square / (1 - pow(0.999, count))
    return parameter - rate * hat / (torch.sqrt(square_hat) + 1e-6) - rate * decay * parameter


def adamw_with_lerp(parameter, gradient, mean, square, count, rate, decay):
    mean = torch.lerp(mean, gradient, 0.1)
    square = torch.lerp(square, gradient * gradient, 0.001)
    first, second = 1 - torch.tensor(0.9) ** count, 1 - torch.tensor(0.999) ** count  # float32
    step = mean / first / ((square / second) ** 0.5 + 1e-6)
    return [parameter - rate * (step + decay * parameter), mean, square]


def adamw_in_place(parameter, gradient, mean, square, count, rate, decay):
    mean, square, parameter = mean.clone(), square.clone(), parameter.clone()
    mean.mul_(0.9).add_(gradient, alpha=0.1)
    square.mul_(0.999).addcmul_(gradient, gradient, value=0.001)
    denominator = (square / (1 - 0.999**count)).sqrt().add_(1e-6)
    parameter.mul_(1 - rate * decay).addcdiv_(mean / (1 - 0.9**count), denominator, value=-rate)
    return parameter, mean, square


def adamw_by_numpy(parameter, gradient, mean, square, count, rate, decay):
    p, g, m, s = (part.numpy() for part in (parameter, gradient, mean, square))
    m, s = 0.9 * m + 0.1 * g, 0.999 * s + 0.001 * g**2
    step = m / (1 - 0.9**count) / (np.sqrt(s / (1 - 0.999**count)) + 1e-6)
    return tuple(torch.from_numpy(part) for part in (p - rate * (step + decay * p), m, s))


def adamw_by_number(parameter, gradient, mean, square, count, rate, decay):
    rows = []
    for p, g, m, s in zip(*(part.flatten().tolist() for part in (parameter, gradient, mean, square))):
        m, s = 0.9 * m + 0.1 * g, 0.999 * s + 0.001 * g * g
        step = m / (1 - 0.9**count) / (math.sqrt(s / (1 - 0.999**count)) + 1e-6)
        rows.append((p - rate * (step + decay * p), m, s))
    return tuple(torch.tensor(part, dtype=parameter.dtype).view_as(parameter) for part in zip(*rows))


RIGHT = {
    "13.1": forms(entropy_by_loop, entropy_by_numpy, entropy_of_logs, entropy_by_cross_entropy)
    | {"float32": entropy_by_torch(torch.float32), "a tensor": entropy_by_torch(torch.float64, item=False)},
    "13.2": forms(
        clip_by_cat, clip_like_torch, clip_by_loop, clip_by_vector_norm, clip_copies, clip_by_numpy
    ),
    "13.3": forms(adamw_with_lerp, adamw_in_place, adamw_by_numpy, adamw_by_number)
    | {"decay first": adamw(decay_first), "two parts": adamw(in_two_parts)},
}
