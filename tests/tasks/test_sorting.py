"""The task of sorting: rows by hand, the least loss without attention by counting, and a model that learns."""

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
    loss_without_attention,
    random_rows,
    sorting_loss,
)


def test_rows_are_drawn_from_all_numbers_and_put_in_order():
    rows = random_rows(53, generator=seeded(1))
    assert rows.input_ids.shape == rows.targets.shape == (53, LENGTH)
    assert set(rows.input_ids.flatten().tolist()) == set(range(NUMBERS))
    for given, wanted in zip(rows.input_ids.tolist(), rows.targets.tolist()):
        assert wanted == sorted(given)
    assert torch.equal(random_rows(53, generator=seeded(1)).input_ids, rows.input_ids)
    assert rows.inputs() == {"input_ids": rows.input_ids}


@pytest.mark.parametrize(("numbers", "length"), [(2, 1), (3, 2), (2, 5), (5, 3)])
def test_the_loss_without_attention_counted_over_all_rows(numbers, length):
    rows = list(itertools.product(range(numbers), repeat=length))
    total = 0.0
    for place in range(length):
        came = Counter(row[place] for row in rows)
        pairs = Counter((row[place], sorted(row)[place]) for row in rows)
        total -= sum(count * math.log(count / came[own]) for (own, _), count in pairs.items()) / len(rows)
    assert loss_without_attention(numbers, length) == pytest.approx(total / length)


def test_the_loss_without_attention_by_hand():
    # Of two numbers, 0 or 1: the smaller one is 0 if a 0 came in at its place; else nobody knows. So is the larger.
    assert loss_without_attention(2, 2) == pytest.approx(math.log(2) / 2)
    assert loss_without_attention(7, 1) == 0.0  # the only number is the smallest
    assert loss_without_attention() == pytest.approx(1.8225, abs=5e-5)


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
