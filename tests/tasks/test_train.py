"""Fine-tuning: what a batch holds, that a planted word is learned, what stays as it is, and which state is kept."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from course_utils.datasets.batching import seeded
from course_utils.tasks import train as train_file
from course_utils.tasks.train import TaskBatches, fine_tune, layer_shares, layered_adamw
from course_utils.training.fast import speed_up
from course_utils.training.loop import train
from course_utils.training.optim import linear_rate, set_learning_rate
from tests.tasks.small_tasks import CONFIG, small, small_bert


@pytest.fixture(autouse=True)
def in_float32(monkeypatch):
    """So that values compare on every processor."""
    monkeypatch.setattr(train_file, "fast_precision", lambda device: torch.float32)


@pytest.fixture(scope="module")
def task():
    return small("reviews")


def new_model(task, seed=0):
    return task.new_model(CONFIG, generator=seeded(seed))


def state(model):
    return {name: value.clone() for name, value in model.state_dict().items()}


# --- batches ----------------------------------------------------------------------------------------------------------


def test_an_epoch_holds_every_example_once(task):
    examples = task.parts["train"][:10]
    stream = TaskBatches(task, examples, batch_size=4, seed=3)
    assert stream.batches_per_epoch == 3
    for epoch in range(2):
        batches = [stream(number) for number in range(3 * epoch, 3 * epoch + 3)]
        assert [len(batch.input_ids) for batch in batches] == [4, 4, 2]
        found = [
            ([int(token) for token, real in zip(ids, mask) if real], int(label))
            for batch in batches
            for ids, mask, label in zip(batch.input_ids, batch.attention_mask, batch.labels["labels"])
        ]
        assert sorted(found) == sorted((example.row.input_ids, example.source.label) for example in examples)
        assert all((batch.input_ids[batch.attention_mask == 0] == 0).all() for batch in batches)
    again = TaskBatches(task, examples, batch_size=4, seed=3)
    other = TaskBatches(task, examples, batch_size=4, seed=4)
    assert all(torch.equal(stream(n).input_ids, again(n).input_ids) for n in (0, 5, 1))
    assert any(not torch.equal(stream(n).input_ids, stream(n + 3).input_ids) for n in range(3))  # drawn anew
    assert any(not torch.equal(stream(n).input_ids, other(n).input_ids) for n in range(3))


# --- learning ---------------------------------------------------------------------------------------------------------


def test_a_planted_word_is_learned(task):
    model = new_model(task)
    before = task.measure(model, task.parts["test"])["accuracy"]
    fine_tune(model, TaskBatches(task, task.parts["train"]), updates=120, peak_rate=5e-3)
    assert not any(part.training for part in model.modules())
    assert before < 0.8 < 0.95 < task.measure(model, task.parts["test"])["accuracy"]


def test_it_is_the_loop_with_a_rate_that_rises_and_falls(task):
    """Equal to the same training put together by hand: a tenth of the updates rises, the last is not for nothing."""
    batches, mine, theirs = TaskBatches(task, task.parts["train"], seed=1), new_model(task), new_model(task)
    fine_tune(mine, batches, updates=20, peak_rate=3e-3, layer_decay=0.7, dropout=0.0)
    rates = []

    def rate(step):
        rates.append(linear_rate(step, 3e-3, 2, 21))
        return rates[-1]

    train(theirs, batches, layered_adamw(theirs, layer_decay=0.7), learning_rate=rate, steps=20)
    assert max(rates) == rates[1] == 3e-3 and rates[-1] > 0
    for name, value in state(theirs).items():
        torch.testing.assert_close(value, mine.state_dict()[name], rtol=0, atol=1e-6)


def test_what_is_dropped_hangs_on_the_seed_alone(task):
    found = []
    for seed, noise in ((0, 1), (0, 2), (1, 1)):
        model = new_model(task)
        torch.manual_seed(noise)
        fine_tune(
            model, TaskBatches(task, task.parts["train"]), updates=3, peak_rate=1e-2, dropout=0.5, seed=seed
        )
        found.append(model.classifier.weight)
    assert torch.equal(found[0], found[1]) and not torch.equal(found[0], found[2])


# --- frozen -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fast", [False, True])
@pytest.mark.parametrize(("frozen", "kept"), [(0, 0), (1, 2), (2, 3), (3, 4), (-1, 4)])
def test_what_is_frozen_stays_bit_for_bit(task, frozen, kept, fast):
    model = task.with_encoder(small_bert(), generator=seeded(0))
    model = speed_up(model) if fast else model
    before = state(model)
    fine_tune(
        model, TaskBatches(task, task.parts["train"]), updates=5, peak_rate=1e-2, frozen=frozen, dropout=0.3
    )
    places = ["bert.embeddings.", *(f"bert.encoder.layers.{number}." for number in range(3))][:kept]
    for name, value in model.state_dict().items():
        same = torch.equal(value, before[name])
        assert same == any(name.startswith(place) for place in places), name
    assert all(parameter.requires_grad and parameter.grad is None for parameter in model.parameters())
    dropped = {id(part): part.p for part in model.modules() if isinstance(part, nn.Dropout)}
    for number, part in enumerate([model.bert.embeddings, *model.bert.encoder.layers]):
        assert {dropped[id(one)] for one in part.modules() if id(one) in dropped} == {
            0.0 if number < kept else 0.3
        }


def test_an_old_gradient_of_what_is_frozen_counts_for_nothing(task):
    found = []
    for old in (None, 1e9):
        model = new_model(task)
        for parameter in model.parameters():
            parameter.grad = None if old is None else torch.full_like(parameter, old)
        fine_tune(
            model, TaskBatches(task, task.parts["train"]), updates=3, peak_rate=1e-2, frozen=2, dropout=0.0
        )
        found.append(model.classifier.weight)
    assert torch.equal(*found)


def test_what_somebody_else_froze_stays_frozen(task):
    model = new_model(task)
    model.bert.pooler.requires_grad_(False)
    before = state(model)
    fine_tune(model, TaskBatches(task, task.parts["train"]), updates=3, peak_rate=1e-2, frozen=1)
    assert torch.equal(model.bert.pooler.dense.weight, before["bert.pooler.dense.weight"])
    frozen = {name for name, parameter in model.named_parameters() if not parameter.requires_grad}
    assert frozen == {"bert.pooler.dense.weight", "bert.pooler.dense.bias"}


# --- rates of layers --------------------------------------------------------------------------------------------------


SETTINGS = [(1.0, 0), (0.5, 0), (0.7, 1), (0.7, 2), (0.5, 3), (0.5, -1)]


def test_the_shares_by_hand():
    assert layer_shares(3, layer_decay=0.5) == [0.125, 0.25, 0.5, 1.0, 1.0]
    assert layer_shares(3, layer_decay=0.5, frozen=1) == [0.0, 0.0, 0.5, 1.0, 1.0]
    assert layer_shares(3, layer_decay=0.5, frozen=-1) == [0.0, 0.0, 0.0, 0.0, 1.0]
    assert layer_shares(2) == [1.0] * 4


@pytest.mark.parametrize(("layer_decay", "frozen"), SETTINGS)
def test_the_optimiser_has_the_rates_of_the_formula(layer_decay, frozen):
    model = small("reviews").new_model(CONFIG)
    shares = layer_shares(3, layer_decay=layer_decay, frozen=frozen)
    optimizer = layered_adamw(model, layer_decay=layer_decay, frozen=frozen)
    set_learning_rate(optimizer, 0.8)
    rate = {id(p): group["lr"] for group in optimizer.param_groups for p in group["params"]}
    decays = {id(p): group["weight_decay"] for group in optimizer.param_groups for p in group["params"]}
    starts = ["bert.embeddings.", *(f"bert.encoder.layers.{number}." for number in range(3))]
    expected = dict(zip(starts, shares)) | {"classifier.": 1.0, "bert.pooler.": 1.0}
    for name, parameter in model.named_parameters():
        (share,) = [value for start, value in expected.items() if name.startswith(start)]
        assert rate.get(id(parameter), 0.0) == pytest.approx(0.8 * share), name
        assert (id(parameter) in rate) == (share > 0), name
        assert decays.get(id(parameter), 0.01 * (parameter.dim() >= 2)) == 0.01 * (parameter.dim() >= 2), name
    assert sum(len(group["params"]) for group in optimizer.param_groups) == len(rate)


def test_what_would_be_silently_wrong_is_refused(task):
    with pytest.raises(ValueError, match="frozen must lie in -1 … 3, got 4"):
        layer_shares(3, frozen=4)
    with pytest.raises(ValueError, match="dropout must be at least 0 and below 1, got 2"):
        fine_tune(
            new_model(task), TaskBatches(task, task.parts["train"]), updates=1, peak_rate=1e-3, dropout=2
        )
