"""An answer that differentiates by itself is told so, by whichever door it goes; one that calculates is not."""

import statistics

import numpy as np
import pytest
import torch

from course_utils.exercises import Wrong, exercise
from course_utils.exercises.forbidden import refuse_autograd, refuse_ready_made

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


def corrcoef(x, y):
    """One's own, though it has the name."""
    return float(torch.cosine_similarity(x - x.mean(), y - y.mean(), dim=0))


@pytest.mark.parametrize(
    "answer",
    [
        lambda x, y: float(np.corrcoef(x, y)[0, 1]),
        lambda x, y: float(torch.corrcoef(torch.stack([x, y]))[0, 1]),
        lambda x, y: float(torch.stack([x, y]).corrcoef()[0, 1]),
        lambda x, y: statistics.correlation(x.tolist(), y.tolist()),
    ],
)
def test_a_function_is_refused_by_its_name(answer):
    given = torch.tensor([1.0, 2.0, 4.0]), torch.tensor([0.0, 3.0, 1.0])
    names = ("corrcoef", "correlation")
    with pytest.raises(Wrong) as refused:
        refuse_ready_made(answer, *given, names=names)
    assert refused.value.reason == "ready_made"
    expected = pytest.approx(refuse_ready_made(answer, *given), abs=1e-6)  # nothing is refused without them
    assert refuse_ready_made(corrcoef, *given, names=names) == expected


def in_a_notebook(body):
    """An answer as a notebook has it, whose functions belong to __main__."""
    exec(f"def answer(*given):\n    {body}", notebook := {"__name__": "__main__", "exercise": exercise})
    return notebook["answer"]


def test_a_notebook_may_compute_and_print_but_not_ask_for_the_solution():
    own = in_a_notebook("print(); return (given[1].softmax(0)[:, None, None] * given[0]).sum(0) * given[2]")
    assert exercise("17.2").judge(own).status == "passed"
    asked = in_a_notebook('return exercise("17.2").reference(*given)')
    assert exercise("17.2").judge(asked).reason == "ready_made"
