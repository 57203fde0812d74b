import math
from dataclasses import dataclass
from types import SimpleNamespace

import pytest
import torch
from torch import Tensor, nn
from torch.optim import SGD

from course_utils.training import loop
from course_utils.training.loop import train
from course_utils.training.optim import adamw


@dataclass
class Points:
    x: Tensor
    y: Tensor

    def inputs(self):
        return {"x": self.x, "y": self.y}


class Regression(nn.Module):
    """Squared error of a small network; remembers what it was asked."""

    def __init__(self, dropout=0.0):
        super().__init__()
        self.network = nn.Sequential(nn.Linear(3, 7), nn.Tanh(), nn.Dropout(dropout), nn.Linear(7, 1))
        self.calls = []

    def forward(self, x, y):
        guess = self.network(x)
        self.calls.append((self.training, guess.dtype))
        return SimpleNamespace(loss=((guess.float() - y) ** 2).mean())


def points(number):
    generator = torch.Generator().manual_seed(number)
    x = torch.randn(5, 3, generator=generator)
    return Points(x, x.sum(1, keepdim=True))


def regression(**kwargs):
    torch.manual_seed(0)
    return Regression(**kwargs)


def parameters(model):
    return [parameter.detach().clone() for parameter in model.parameters()]


def same(model, saved):
    return all(torch.equal(a, b) for a, b in zip(model.parameters(), saved))


def go(model, **given):
    """Train, as each test says; what was told after each update."""
    told = []
    plan = dict(learning_rate=lambda n: 0.01, steps=1, after_step=told.append)
    batches, optimizer = given.pop("batches", points), given.pop("optimizer", None)
    train(model, batches, optimizer or SGD(model.parameters(), lr=99.0), **plan | given)
    return told


def test_one_update_by_hand_clipped_before_it():
    model = regression()
    before = parameters(model)
    gradients = torch.autograd.grad(model(**points(0).inputs()).loss, list(model.parameters()))
    norm = math.sqrt(sum(float((gradient.double() ** 2).sum()) for gradient in gradients))
    assert norm > 0.5
    (told,) = go(model, learning_rate=lambda n: 0.25, clip=0.5)
    for now, old, gradient in zip(model.parameters(), before, gradients):
        torch.testing.assert_close(now, old - 0.25 * 0.5 / norm * gradient, rtol=1e-5, atol=1e-7)
    assert told.gradient_norm.item() == pytest.approx(norm, rel=1e-5)  # before clipping


def test_a_clip_of_nothing_would_learn_nothing():
    with pytest.raises(ValueError, match="clip must be a finite number, above 0, got 0"):
        go(regression(), clip=0)


def test_a_small_gradient_is_not_scaled_up():
    model, other = regression(), regression()
    for each, clip in ((model, 1e6), (other, 1e9)):
        go(each, learning_rate=lambda n: 0.1, steps=2, clip=clip)
    torch.testing.assert_close(parameters(model), parameters(other))
    assert not same(model, parameters(regression()))


def test_update_n_has_rate_n_and_batch_n():
    asked = []
    told = go(
        regression(),
        batches=lambda number: asked.append(number) or points(number),
        learning_rate=lambda n: 10.0**-n,
        steps=5,
        start=2,
    )
    assert asked == [2, 3, 4] and [step.done for step in told] == [3, 4, 5]
    assert [step.learning_rate for step in told] == pytest.approx([1e-3, 1e-4, 1e-5])  # counted from 1


def test_the_rate_is_the_one_that_is_used():
    moved = []
    for rate in (0.0, 1e-3):
        model = regression()
        go(model, optimizer=adamw(model, learning_rate=77.0), learning_rate=lambda n, r=rate: r)
        pairs = zip(model.parameters(), parameters(regression()))
        moved.append(max((a - b).abs().max().item() for a, b in pairs))
    assert moved[0] == 0.0 and moved[1] == pytest.approx(1e-3, rel=0.05)


def test_the_gradient_of_the_update_before_is_gone():
    told = go(regression(), batches=lambda number: points(0), learning_rate=lambda n: 0.0, steps=3)
    assert len({step.gradient_norm.item() for step in told}) == 1


def test_two_parts_make_the_whole():
    whole, parts = regression(), regression()
    go(whole, optimizer=adamw(whole), steps=6)
    optimizer = adamw(parts)
    go(parts, optimizer=optimizer, steps=4)
    go(parts, optimizer=adamw(parts), steps=4, start=4)  # nothing is left to do
    go(parts, optimizer=optimizer, steps=6, start=4)
    assert same(whole, parameters(parts))


def test_it_learns():
    model = regression()
    told = go(model, optimizer=adamw(model), learning_rate=lambda n: 0.02, steps=150)
    losses = [step.output.loss.item() for step in told]
    assert sum(losses[-10:]) < 0.1 * sum(losses[:10])


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_what_is_not_finite_ends_it_before_the_update(number):
    model = regression()
    optimizer = adamw(model)

    def batches(n):
        batch = points(n)
        if n == 2:
            batch.y[0] = number
        return batch

    saved = {}
    with pytest.raises(FloatingPointError, match=r"update 3: the gradient is .*; a smaller learning rate"):
        go(
            model,
            batches=batches,
            optimizer=optimizer,
            steps=9,
            after_step=lambda step: saved.update({step.done: parameters(model)}),
        )
    assert list(saved) == [1, 2] and same(model, saved[2])
    assert {state["step"].item() for state in optimizer.state.values()} == {2.0}


def test_a_loss_that_is_not_finite_with_a_finite_gradient():
    model = regression()
    with pytest.raises(FloatingPointError, match="the loss inf"):
        go(model, loss=lambda output, batch: output.loss + math.inf)
    assert same(model, parameters(regression()))


def test_the_loss_may_be_another():
    model = regression()
    (told,) = go(model, loss=lambda output, batch: output.loss * 0 * batch.x.sum())
    assert told.gradient_norm == 0 and same(model, parameters(regression()))


def test_bfloat16_is_for_the_products_only():
    model, plain = regression(), regression()
    for each, dtype in ((model, torch.bfloat16), (plain, torch.float32)):
        go(each, optimizer=adamw(each), steps=3, precision=dtype)
        assert [found for _, found in each.calls] == [dtype] * 3
        assert {parameter.dtype for parameter in each.parameters()} == {torch.float32}
    difference = max((a - b).abs().max().item() for a, b in zip(model.parameters(), plain.parameters()))
    assert 0 < difference < 0.05


def test_training_is_in_training_mode():
    model = regression(dropout=0.5).eval()
    go(model)
    assert [training for training, _ in model.calls] == [True] and model.training


def test_an_exception_of_the_callback_ends_it():
    def stop(step):
        raise KeyboardInterrupt

    model = regression()
    with pytest.raises(KeyboardInterrupt):
        go(model, steps=5, after_step=stop)
    assert len(model.calls) == 1


def test_memory_is_given_back_now_and_then(monkeypatch):
    given, done = [], []
    monkeypatch.setattr(loop, "TIDY_EVERY", 3)
    monkeypatch.setattr(loop, "give_back", lambda: given.append(len(done)))
    go(regression(), steps=7, after_step=lambda step: done.append(step.done))
    assert given == [3, 6]
