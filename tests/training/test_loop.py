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


def test_one_update_by_hand_clipped_before_it():
    model = regression()
    before = parameters(model)
    gradients = torch.autograd.grad(model(**points(0).inputs()).loss, list(model.parameters()))
    norm = math.sqrt(sum(float((gradient.double() ** 2).sum()) for gradient in gradients))
    assert norm > 0.5
    told = []
    train(
        model,
        points,
        SGD(model.parameters(), lr=99.0),
        learning_rate=lambda n: 0.25,
        steps=1,
        clip=0.5,
        after_step=told.append,
    )
    for now, old, gradient in zip(model.parameters(), before, gradients):
        torch.testing.assert_close(now, old - 0.25 * 0.5 / norm * gradient, rtol=1e-5, atol=1e-7)
    assert told[0].gradient_norm.item() == pytest.approx(norm, rel=1e-5)  # before clipping


def test_a_clip_of_nothing_would_learn_nothing():
    model = regression()
    with pytest.raises(ValueError, match="clip must be a finite number, above 0, got 0"):
        train(model, points, adamw(model), learning_rate=lambda n: 0.1, steps=1, clip=0)


def test_a_small_gradient_is_not_scaled_up():
    model, other = regression(), regression()
    for each, clip in ((model, 1e6), (other, 1e9)):
        train(each, points, SGD(each.parameters(), lr=1.0), learning_rate=lambda n: 0.1, steps=2, clip=clip)
    torch.testing.assert_close(parameters(model), parameters(other))
    assert not same(model, parameters(regression()))


def test_update_n_has_rate_n_and_batch_n():
    model, told, asked = regression(), [], []

    def batches(number):
        asked.append(number)
        return points(number)

    train(
        model,
        batches,
        SGD(model.parameters(), lr=1.0),
        learning_rate=lambda n: 10.0**-n,
        steps=5,
        start=2,
        after_step=told.append,
    )
    assert asked == [2, 3, 4]
    assert [step.done for step in told] == [3, 4, 5]
    assert [step.learning_rate for step in told] == pytest.approx([1e-3, 1e-4, 1e-5])  # counted from 1


def test_the_rate_is_the_one_that_is_used():
    moved = []
    for rate in (0.0, 1e-3):
        model = regression()
        train(model, points, adamw(model, learning_rate=77.0), learning_rate=lambda n, r=rate: r, steps=1)
        moved.append(
            max((a - b).abs().max().item() for a, b in zip(model.parameters(), parameters(regression())))
        )
    assert moved[0] == 0.0 and moved[1] == pytest.approx(1e-3, rel=0.05)


def test_the_gradient_of_the_update_before_is_gone():
    model, norms = regression(), []
    train(
        model,
        lambda number: points(0),
        SGD(model.parameters(), lr=1.0),
        learning_rate=lambda n: 0.0,
        steps=3,
        after_step=lambda step: norms.append(step.gradient_norm.item()),
    )
    assert norms == [norms[0]] * 3


def test_two_parts_make_the_whole():
    whole, parts = regression(), regression()
    optimizer = adamw(whole)
    train(whole, points, optimizer, learning_rate=lambda n: 0.01, steps=6)
    optimizer = adamw(parts)
    train(parts, points, optimizer, learning_rate=lambda n: 0.01, steps=4)
    train(parts, points, optimizer, learning_rate=lambda n: 0.01, steps=6, start=4)
    assert same(whole, parameters(parts))


def test_nothing_left_to_do():
    model = regression()
    train(model, points, adamw(model), learning_rate=lambda n: 0.01, steps=4, start=4)
    assert same(model, parameters(regression()))


def test_it_learns():
    model, losses = regression(), []
    train(
        model,
        points,
        adamw(model),
        learning_rate=lambda n: 0.02,
        steps=150,
        after_step=lambda step: losses.append(step.output.loss.item()),
    )
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
        train(
            model,
            batches,
            optimizer,
            learning_rate=lambda n: 0.01,
            steps=9,
            after_step=lambda step: saved.update({step.done: parameters(model)}),
        )
    assert list(saved) == [1, 2] and same(model, saved[2])
    assert {state["step"].item() for state in optimizer.state.values()} == {2.0}


def test_a_loss_that_is_not_finite_with_a_finite_gradient():
    model = regression()
    with pytest.raises(FloatingPointError, match="the loss inf"):
        train(
            model,
            points,
            adamw(model),
            learning_rate=lambda n: 0.01,
            steps=1,
            loss=lambda output, batch: output.loss + math.inf,
        )
    assert same(model, parameters(regression()))


def test_the_loss_may_be_another():
    model, told = regression(), []
    train(
        model,
        points,
        SGD(model.parameters(), lr=1.0),
        learning_rate=lambda n: 0.1,
        steps=1,
        loss=lambda output, batch: output.loss * 0 * batch.x.sum(),
        after_step=told.append,
    )
    assert told[0].gradient_norm == 0 and same(model, parameters(regression()))


def test_bfloat16_is_for_the_products_only():
    model = regression()
    train(model, points, adamw(model), learning_rate=lambda n: 0.01, steps=3, precision=torch.bfloat16)
    assert [dtype for _, dtype in model.calls] == [torch.bfloat16] * 3
    assert {parameter.dtype for parameter in model.parameters()} == {torch.float32}
    plain = regression()
    train(plain, points, adamw(plain), learning_rate=lambda n: 0.01, steps=3)
    assert [dtype for _, dtype in plain.calls] == [torch.float32] * 3
    difference = max((a - b).abs().max().item() for a, b in zip(model.parameters(), plain.parameters()))
    assert 0 < difference < 0.05


def test_training_is_in_training_mode():
    model = regression(dropout=0.5).eval()
    train(model, points, adamw(model), learning_rate=lambda n: 0.01, steps=1)
    assert [training for training, _ in model.calls] == [True] and model.training


def test_an_exception_of_the_callback_ends_it():
    def stop(step):
        raise KeyboardInterrupt

    model = regression()
    with pytest.raises(KeyboardInterrupt):
        train(model, points, adamw(model), learning_rate=lambda n: 0.01, steps=5, after_step=stop)
    assert len(model.calls) == 1


def test_memory_is_given_back_now_and_then(monkeypatch):
    given = []
    monkeypatch.setattr(loop, "TIDY_EVERY", 3)
    monkeypatch.setattr(loop, "give_back", lambda: given.append(len(done)))
    done, model = [], Regression()
    told = dict(learning_rate=lambda n: 0.1, steps=7, after_step=lambda step: done.append(step.done))
    train(model, points, SGD(model.parameters(), lr=0.1), **told)
    assert given == [3, 6]
