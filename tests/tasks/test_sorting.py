"""The task of sorting: rows by hand, the loss of whoever knows only the place by counting, and a model that learns."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import pytest
import torch

from course_utils.datasets.batching import seeded
from course_utils.encoder import Encoder, PreLNEncoder
from course_utils.tasks.sorting import (
    LENGTH,
    NUMBERS,
    Rows,
    Sorter,
    loss_by_place,
    random_rows,
    sorting_loss,
)
from course_utils.training.loop import train
from course_utils.training.optim import linear_rate


def test_rows_are_drawn_from_all_numbers_and_put_in_order():
    rows = random_rows(53, generator=seeded(1))
    assert rows.input_ids.shape == rows.targets.shape == (53, LENGTH)
    assert set(rows.input_ids.flatten().tolist()) == set(range(NUMBERS))
    for given, wanted in zip(rows.input_ids.tolist(), rows.targets.tolist()):
        assert wanted == sorted(given)
    assert torch.equal(random_rows(53, generator=seeded(1)).input_ids, rows.input_ids)
    assert rows.inputs() == {"input_ids": rows.input_ids}


@pytest.mark.parametrize(("numbers", "length"), [(2, 1), (3, 2), (2, 5), (5, 3)])
def test_the_loss_by_place_counted_over_all_rows(numbers, length):
    entropies = []
    for place in range(length):
        seen = Counter(sorted(row)[place] for row in itertools.product(range(numbers), repeat=length))
        shares = [count / numbers**length for count in seen.values()]
        entropies.append(-sum(share * math.log(share) for share in shares))
    assert loss_by_place(numbers, length) == pytest.approx(sum(entropies) / length)


def test_the_loss_by_place_by_hand():
    # Of two numbers, 0 or 1: the smaller is 0 in three of four rows, the larger 1 in three of four.
    assert loss_by_place(2, 2) == pytest.approx(math.log(4) - 0.75 * math.log(3))
    assert loss_by_place(7, 1) == pytest.approx(math.log(7))
    assert loss_by_place() == pytest.approx(1.898, abs=5e-4) and loss_by_place() < math.log(NUMBERS)


@pytest.mark.parametrize("stack", [Encoder, PreLNEncoder])
def test_every_place_depends_on_every_number(stack):
    model = Sorter(stack, depth=2, width=8, start_std=0.5, generator=seeded(0))
    ids = random_rows(1, generator=seeded(2)).input_ids
    before = model(ids)  # (1, T, NUMBERS)
    assert before.shape == (1, LENGTH, NUMBERS) and type(model.encoder) is stack
    for place in range(LENGTH):
        other = ids.clone()
        other[0, place] = (other[0, place] + 1) % NUMBERS
        assert ((model(other) - before).abs().amax(-1) > 1e-6).all()


def test_start_values_and_dropout():
    model = Sorter(depth=3, width=64, start_std=0.3, generator=seeded(0))
    weight = model.encoder.layers[2].feed_forward.expand.weight
    assert weight.shape == (256, 64) and weight.std().item() == pytest.approx(0.88 * 0.3, rel=0.05)
    ids = random_rows(3, generator=seeded(2)).input_ids
    assert torch.equal(model.train()(ids), model(ids))  # nothing is dropped
    again = Sorter(depth=3, width=64, start_std=0.3, generator=seeded(0))
    assert torch.equal(again.output.weight, model.output.weight)


def test_the_loss_by_hand():
    targets = torch.tensor([[3, 5]])
    logits = torch.zeros(1, 2, NUMBERS)
    logits[0, 1, 5] = math.log(15.0)  # 15 of 30
    loss = sorting_loss(logits, Rows(targets.flip(1), targets))
    assert loss.item() == pytest.approx((math.log(16) + math.log(2)) / 2)


def test_it_learns_more_than_the_place():
    model = Sorter(depth=1, generator=seeded(0))
    train(
        model,
        lambda number: random_rows(16, generator=seeded(number)),
        torch.optim.Adam(model.parameters(), fused=True),
        learning_rate=lambda step: linear_rate(step, 1e-2, 10, 121),
        steps=120,
        loss=sorting_loss,
    )
    held_out = random_rows(64, generator=seeded(-1))
    assert sorting_loss(model(held_out.input_ids), held_out).item() < loss_by_place() - 0.2


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: random_rows(0, generator=seeded(0)), "count must be a whole number"),
        (lambda: Sorter("post"), "stack must be Encoder or PreLNEncoder, got 'post'"),
        (lambda: Sorter(depth=0), "depth must be a whole number"),
        (lambda: Sorter(width=6), "hidden_size must be a multiple"),
        (lambda: Sorter(start_std=0.0), "std must be a finite number, above 0"),
        (lambda: loss_by_place(201), "numbers must be a whole number from 1 to 200"),
        (lambda: loss_by_place(3, 0), "length must be a whole number"),
        (lambda: sorting_loss(torch.zeros(2, 12, 16), torch.zeros(2, 12)), "batch must be Rows"),
        (lambda: sorting_loss(torch.zeros(24, 16), random_rows(2, generator=seeded(0))), "logits must have"),
    ],
)
def test_what_does_not_fit(call, told):
    with pytest.raises(ValueError, match=told):
        call()
