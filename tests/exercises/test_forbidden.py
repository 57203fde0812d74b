"""An answer that differentiates by itself is told so, by whichever door it goes; one that calculates is not."""

import pytest
import torch

from course_utils.exercises import Wrong
from course_utils.exercises.forbidden import refuse_autograd

pytestmark = pytest.mark.filterwarnings("ignore:.torch.jit:DeprecationWarning")  # torch.func.jvp itself

OWN_GRAD = torch.autograd.grad  # what `from torch.autograd import grad` gives an answer before the check runs
OWN_JVP, OWN_LEVEL = torch.func.jvp, torch.autograd.forward_ad.dual_level


def square_sum(x):
    return (x * x).sum()


def leaf(x):
    return x.clone().requires_grad_()


def by_backward(x):
    own = leaf(x)
    square_sum(own).backward()
    return own.grad


def switched_on(x):
    with torch.enable_grad():
        return by_backward(x)


def out_of_inference(x):
    with torch.inference_mode(False):
        return by_backward(x.clone())


def own_grad(x):
    own = leaf(x)
    return OWN_GRAD(square_sum(own), own)[0]


def hidden_failure(x):
    try:
        return by_backward(x)
    except Exception:
        return 2 * x


def forward_mode(x):
    with OWN_LEVEL():
        along = (torch.autograd.forward_ad.make_dual(x, row) for row in torch.eye(len(x)))
        return torch.stack([torch.autograd.forward_ad.unpack_dual(square_sum(one)).tangent for one in along])


def ready_made(x):
    given = (x, [len(x)], None, None)
    _, mean, rstd = torch.native_layer_norm(*given, 1e-12)
    return torch.ops.aten.native_layer_norm_backward(
        x, *given[:2], mean, rstd, None, None, [True, False, False]
    )[0]


DOORS = [
    by_backward,
    switched_on,
    out_of_inference,
    own_grad,
    hidden_failure,
    lambda x: torch.autograd.functional.jacobian(square_sum, x),
    lambda x: torch.func.grad(square_sum)(x),
    lambda x: torch.func.jacfwd(square_sum)(x),
    lambda x: OWN_JVP(square_sum, (x,), (torch.ones_like(x),))[1],
    forward_mode,
    ready_made,
]


@pytest.mark.parametrize("answer", DOORS)
def test_each_door_is_seen(answer):
    with pytest.raises(Wrong) as refused:
        refuse_autograd(answer, torch.randn(7))
    assert refused.value.reason == "autograd"


def test_a_formula_passes_and_everything_is_as_before():
    x = torch.randn(7)
    refuse_autograd(lambda x: 2 * x, x)
    assert torch.equal(torch.func.jacfwd(square_sum)(x), 2 * x) and torch.equal(by_backward(x), 2 * x)


def test_other_failures_keep_their_reason():
    with pytest.raises(Wrong) as failed:
        refuse_autograd(lambda x: x.mul_(2), torch.randn(7))
    assert failed.value.reason == "mutates_input"
