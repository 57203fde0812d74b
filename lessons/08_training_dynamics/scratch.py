"""What notebook 08 builds by hand: a step with momentum, a step of Adam, RAdam's factor, Noam's rate."""

import torch
from torch import nn

from course_utils.training.optim import SGD, Adam
from tests.scratch.registry import Scratch

NOTEBOOK = "08_training_dynamics"


def momentum_step(weight, gradient, buffer, rate, momentum):
    parameter = nn.Parameter(weight.detach().clone())
    optimizer = SGD([parameter], lr=rate, momentum=momentum)
    optimizer.state[parameter]["momentum_buffer"] = buffer.detach().clone()
    parameter.grad = gradient.detach().clone()
    optimizer.step()
    return parameter.detach(), optimizer.state[parameter]["momentum_buffer"]


def adam_step(weight, gradient, m, v, step, rate, beta1, beta2, eps):
    parameter = nn.Parameter(weight.detach().clone())
    optimizer = Adam([parameter], lr=rate, betas=(beta1, beta2), eps=eps)
    state = optimizer.state[parameter]
    state["step"] = torch.tensor(step - 1.0)
    state["exp_avg"], state["exp_avg_sq"] = m.detach().clone(), v.detach().clone()
    parameter.grad = gradient.detach().clone()
    optimizer.step()
    return parameter.detach(), state["exp_avg"], state["exp_avg_sq"]


def drawn(generator, count):
    """So many tensors of one shape, for each of several shapes and types."""
    for shape, dtype in (((7, 13), torch.float32), ((1,), torch.float64), ((3, 5, 11), torch.float64)):
        yield [torch.randn(shape, generator=generator, dtype=dtype) for _ in range(count)]


def momentum_cases(generator):
    for rate, momentum in ((0.3, 0.9), (1e-3, 0.5), (2.0, 0.99)):
        for weight, gradient, buffer in drawn(generator, 3):
            yield weight, gradient, buffer, rate, momentum


def adam_cases(generator):
    settings = (1, 0.1, 0.9, 0.999, 1e-8), (2, 3e-3, 0.8, 0.97, 0.1), (1009, 1.0, 0.9, 0.95, 1e-6)
    for step, rate, beta1, beta2, eps in settings:
        for weight, gradient, m, v in drawn(generator, 4):
            yield weight, 5 * gradient, m, v.square(), step, rate, beta1, beta2, eps


def rectification_cases(generator):
    for beta2 in (0.999, 0.98, 0.9):
        for step in (7, 11, 101, 1009, 10007):
            yield step, beta2
    yield 6, 0.999  # the first that is not None


def noam_cases(generator):
    for hidden_size, warmup in ((512, 4000), (31, 7), (1, 1)):
        for step in (1, warmup, warmup + 1, 2 * warmup + 1, 100_003):
            yield step, hidden_size, warmup


ENTRIES = [
    # What an optimiser does has no gradient, and numbers have none.
    Scratch(NOTEBOOK, "my_momentum_step", f"{__name__}:momentum_step", momentum_cases, gradients=False),
    Scratch(NOTEBOOK, "my_adam_step", f"{__name__}:adam_step", adam_cases, gradients=False),
    Scratch(
        NOTEBOOK,
        "my_rectification",
        "course_utils.training.optim:rectification",
        rectification_cases,
        gradients=False,
    ),
    Scratch(NOTEBOOK, "my_noam_rate", "course_utils.training.optim:noam_rate", noam_cases, gradients=False),
]
