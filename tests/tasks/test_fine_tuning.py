"""Fine-tuning: what a batch holds, that a planted word is learned, what stays as it is, and which state is kept."""

from __future__ import annotations

import copy

import pytest
import torch
from torch import nn

from course_utils.datasets.batching import seeded
from course_utils.tasks import fine_tuning
from course_utils.tasks.fine_tuning import Look, TaskBatches, fine_tune
from course_utils.tasks.layer_rates import layered_adamw
from course_utils.training.fast import speed_up
from course_utils.training.loop import train
from course_utils.training.optim import linear_rate
from tests.tasks.small_tasks import CONFIG, small, small_bert


@pytest.fixture(autouse=True)
def in_float32(monkeypatch):
    """So that values compare on every processor."""
    monkeypatch.setattr(fine_tuning, "fast_precision", lambda device: torch.float32)


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


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"examples": []}, "examples must hold at least one"),
        ({"examples": [([1, 2], 0)]}, "examples must be those of the task reviews, got tuple"),
        ({"task": "reviews"}, "task must be a Task, as load_task gives it, got 'reviews'"),
        ({"batch_size": 0}, "batch_size must be a whole number"),
    ],
)
def test_batches_that_cannot_be(task, given, said):
    with pytest.raises(ValueError, match=said):
        TaskBatches(**{"task": task, "examples": task.parts["train"]} | given)


# --- learning ---------------------------------------------------------------------------------------------------------


def test_a_planted_word_is_learned(task):
    model = new_model(task)
    before = task.measure(model, task.parts["test"])["accuracy"]
    assert fine_tune(model, TaskBatches(task, task.parts["train"]), updates=120, peak_rate=5e-3) == []
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
    for parameter in model.parameters():  # an old gradient must not count when the norm is clipped, either
        parameter.grad = torch.full_like(parameter, 1e9)
    before = state(model)
    fine_tune(
        model, TaskBatches(task, task.parts["train"]), updates=5, peak_rate=1e-2, frozen=frozen, dropout=0.3
    )
    places = ["bert.embeddings.", *(f"bert.encoder.layers.{number}." for number in range(3))][:kept]
    for name, value in model.state_dict().items():
        same = torch.equal(value, before[name])
        assert same == any(name.startswith(place) for place in places), name
    assert all(parameter.requires_grad for parameter in model.parameters())
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


# --- looks ------------------------------------------------------------------------------------------------------------


def test_the_state_of_the_best_look_is_put_back(task):
    model, seen = new_model(task), []
    scores = iter([0.2, 0.9, 0.9, 0.4, 0.1])

    def measure(asked):
        assert asked is model and not model.training
        seen.append(state(model))
        return next(scores)

    looks = fine_tune(
        model, TaskBatches(task, task.parts["train"]), updates=17, peak_rate=1e-2, looks=5, measure=measure
    )
    assert looks == [Look(3, 0.2), Look(6, 0.9), Look(10, 0.9), Look(13, 0.4), Look(17, 0.1)]
    assert all(torch.equal(value, seen[1][name]) for name, value in model.state_dict().items())
    assert any(not torch.equal(value, seen[2][name]) for name, value in model.state_dict().items())
    assert not model.training


@pytest.mark.parametrize("name", ["reviews", "questions"])
def test_looking_changes_no_update(name):
    task = small(name)
    with_looks, without = new_model(task), new_model(task)
    batches = TaskBatches(task, task.parts["train"], seed=2)
    rising = iter(range(9))
    for model, more in ((without, {}), (with_looks, {"looks": 4})):
        fine_tune(
            model, batches, updates=9, peak_rate=1e-2, dropout=0.4, seed=5, **more,
            measure=lambda model: [task.measure(model, task.parts["validation"]), next(rising)][1],
        )  # fmt: skip
    for name, value in with_looks.state_dict().items():
        assert torch.equal(value, without.state_dict()[name]), name


# --- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"updates": 0}, "updates must be a whole number of at least 1, got 0"),
        ({"peak_rate": -1e-3}, "peak_rate must be a finite number, at least 0"),
        ({"dropout": 1.0}, "dropout must be a finite number, at least 0 and below 1"),
        ({"frozen": 4}, "frozen must be a whole number from -1 to 3"),
        ({"layer_decay": 0}, "layer_decay must be"),
        ({"seed": -1}, "seed must be"),
        ({"looks": 2}, "measure must be a function from a model to a score, got NoneType"),
        ({"looks": 4, "measure": len}, "looks must be a whole number from 0 to 3"),
        (
            {"looks": 1, "measure": lambda model: {"accuracy": 1.0}},
            "what measure gives must be a .* got dict",
        ),
        ({"looks": 1, "measure": lambda model: float("nan")}, "what measure gives must be a finite number"),
        ({"model": nn.Linear(2, 3)}, "model must be a BertModel with a head, got Linear"),
    ],
)
def test_what_cannot_be_is_refused(task, given, said):
    good = {"model": new_model(task), "batches": TaskBatches(task, task.parts["train"]), "updates": 3}
    before = copy.deepcopy(good["model"].state_dict())
    with pytest.raises(ValueError, match=said):
        fine_tune(**{**good, "peak_rate": 1e-3, **given})
    assert all(parameter.requires_grad for parameter in good["model"].parameters())
    if "measure" not in given:
        assert all(torch.equal(value, before[name]) for name, value in good["model"].state_dict().items())
