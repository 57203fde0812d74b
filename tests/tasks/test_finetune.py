"""The command: the same draws for every start, stored as they end, gone on with, other settings refused."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest
import torch
from torch import nn

from course_utils.config import BertConfig
from course_utils.datasets.batching import seeded
from course_utils.heads import BertForPreTraining
from course_utils.pretrained import save_pretrained
from course_utils.tasks.load import draw
from course_utils.tasks.measurements import VARIANTS, Measurement, read_measurements
from scripts import finetune
from scripts.finetune import Plan, Recipe, Trainer, main, two_layers
from tests.tasks.small_tasks import CONFIG, small, small_bert, tokenizer

BIG = BertConfig(**vars(CONFIG) | {"num_hidden_layers": 1, "max_position_embeddings": 131})


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "model"
    save_pretrained(BertForPreTraining(BIG, generator=seeded(0)), tokenizer(), path)
    return str(path)


@pytest.fixture
def few(monkeypatch):
    """Tiny tasks, short finetune, and a baseline that says by its numbers what it was given."""
    monkeypatch.setattr(finetune, "load_task", lambda name, tokenizer: small(name, 48, 13, 11))
    monkeypatch.setattr(finetune, "LEAST_UPDATES", 5)
    recipe = Recipe(rates=(1e-4, 1e-2), epochs=1)
    recipes = {"pre-trained": recipe, "from-scratch": recipe, "frozen": Recipe((1e-2,), 1, frozen=-1)}
    monkeypatch.setattr(finetune, "RECIPES", finetune.RECIPES | recipes)

    def told(task, examples):
        return SimpleNamespace(
            measure=lambda asked: {task.metric: len(examples) / 100, "threshold": float("inf")}
        )

    monkeypatch.setattr(finetune, "baseline", told)


@pytest.fixture
def out(tmp_path):
    return tmp_path / "deep" / "found.json"


def command(folder, out, *more):
    given = ["reviews", "--labels", "30", "--seeds", "2", "--threads", "1"]
    return [*given, "--model", folder, "--out", str(out), *more]


# --- one training -----------------------------------------------------------------------------------------------------


def test_a_start_begins_as_it_says():
    task, bert = small("reviews"), small_bert()
    trainer = Trainer(bert, device=torch.device("cpu"), layer_decay=0.8)
    tuned, frozen, fresh = (
        trainer._started(task, Plan("reviews", start, 30, 3))
        for start in ("pre-trained", "frozen", "from-scratch")
    )
    assert torch.equal(tuned.classifier.weight, fresh.classifier.weight)
    learned = tuned.bert.encoder.layers[0].attention
    for name, parameter in learned.named_parameters():
        theirs = [model.bert.encoder.layers[0].attention.get_parameter(name) for model in (frozen, fresh)]
        assert torch.equal(parameter, theirs[0])
        assert parameter.dim() < 2 or not torch.equal(parameter, theirs[1])


@pytest.mark.rare
def test_all_starts_train_with_the_same_examples(monkeypatch):
    """… and with the rates, layers and updates of their recipe."""
    task, seen = small("reviews"), {}

    def tuned(model, batches, **given):
        seen[len(seen)] = ([id(one) for one in batches.examples], batches.seed, batches.batch_size, given)

    monkeypatch.setattr(finetune, "fine_tune", tuned)
    trainer = Trainer(small_bert(), device=torch.device("cpu"), layer_decay=0.7)
    for start in ("pre-trained", "from-scratch", "frozen"):
        trainer.measured(task, Plan("reviews", start, 30, 3, 1e-3, 7, 50))
    drawn = [id(one) for one in draw(task, 30, seed=3)]
    assert [given[:3] for given in seen.values()] == [(drawn, 3, 7)] * 3
    settings = [given[3] for given in seen.values()]
    assert [one["updates"] for one in settings] == [250] * 3  # 50 epochs of 5 batches
    assert [(one["layer_decay"], one["frozen"]) for one in settings] == [(0.7, 0), (1.0, 0), (1.0, -1)]
    assert all((one["peak_rate"], one["seed"], one["dropout"]) == (1e-3, 3, 0.1) for one in settings)
    trainer.measured(task, Plan("reviews", "frozen", 30, 3, 1e-3, 7, 1))
    assert seen[3][3]["updates"] == finetune.LEAST_UPDATES == 200
    fewer = Trainer(small_bert(), device=torch.device("cpu"), layer_decay=0.7, least_updates=7)
    fewer.measured(task, Plan("reviews", "frozen", 30, 3, 1e-3, 7, 1))
    fewer.measured(task, Plan("reviews", "frozen", 30, 3, 1e-3, 7, 2))
    assert [seen[place][3]["updates"] for place in (4, 5)] == [7, 10]  # 2 epochs of 5 batches


def test_variants_are_the_pre_trained_start_but_for_one_thing(monkeypatch):
    task, seen = small("reviews"), {}

    def tuned(model, batches, **given):
        seen[len(seen)] = model.classifier, given

    monkeypatch.setattr(finetune, "fine_tune", tuned)
    monkeypatch.setattr(finetune, "skip_padding", lambda model: model)
    trainer = Trainer(small_bert(), device=torch.device("cpu"), layer_decay=0.7, least_updates=3)
    for start in ("pre-trained", *VARIANTS):
        trainer.measured(task, Plan("reviews", start, 30, 3, 1e-3, 7, 1))
    assert [given["frozen"] for _, given in seen.values()] == [0, 0, 1, 2, 3]
    assert {given["layer_decay"] for _, given in seen.values()} == {0.7}
    heads = [head for head, _ in seen.values()]
    assert all(torch.equal(head.weight, heads[0].weight) for head in heads[2:])
    assert [type(part) for part in heads[1]] == [nn.Linear, nn.GELU, nn.Linear]


def test_a_head_of_two_layers():
    head = nn.Linear(37, 5)
    first, _, last = two_layers(head, generator=seeded(3))
    assert (first.weight.shape, last.weight.shape) == ((37, 37), (5, 37))
    hidden = torch.randn(3, 37, generator=seeded(4))
    raised = hidden @ first.weight.T
    bent = raised * (1 + torch.erf(raised / 2**0.5)) / 2
    expected = bent @ last.weight.T
    torch.testing.assert_close(two_layers(head, generator=seeded(3))(hidden), expected)
    assert not first.bias.any() and not last.bias.any()
    assert first.weight.std().item() == pytest.approx(head.weight.std().item(), rel=0.1)
    assert not torch.equal(first.weight, two_layers(head, generator=seeded(5))[0].weight)


def test_the_threshold_of_the_test_part_is_that_of_validation(monkeypatch):
    task = small("questions")
    asked = []
    measure = task.measure

    def spied(model, examples, *, threshold=None):
        asked.append(([part for part in task.parts if examples is task.parts[part]], threshold))
        return measure(model, examples, threshold=threshold)

    task.measure = spied
    trainer = Trainer(small_bert(), device=torch.device("cpu"), layer_decay=0.7, least_updates=3)
    found = trainer.measured(task, Plan("questions", "pre-trained", 9, 0, 1e-3, 7, 1))
    assert asked == [(["validation"], None), (["test"], found.validation["threshold"])]
    assert found.test["threshold"] == found.validation["threshold"]


# --- the command ------------------------------------------------------------------------------------------------------


def test_the_command_goes_on_where_it_was_stopped(folder, few, out, capsys):
    assert main(command(folder, out)) == 0
    whole = out.read_text(encoding="utf-8")
    measured = json.loads(whole)["measurements"]
    assert len(measured) == 2 * (2 + 2 + 1 + 1)
    told = capsys.readouterr().out.splitlines()
    assert len(told) == 12 + 2 and told[-1].startswith("reviews  accuracy  30 ") and "±" in told[-1]
    assert read_measurements(out)[-1] == Measurement(
        "reviews", "baseline", 30, 1, 0.0, 0, 0, *[{"accuracy": 0.3, "threshold": 1e30}] * 2
    )

    assert main(command(folder, out)) == 0  # nothing is left to do
    assert out.read_text(encoding="utf-8") == whole and len(capsys.readouterr().out.splitlines()) == 2

    cut = json.loads(whole)
    cut["measurements"] = measured[:5]
    out.write_text(json.dumps(cut, ensure_ascii=False), encoding="utf-8")
    assert main(command(folder, out)) == 0
    assert out.read_text(encoding="utf-8") == whole  # resumed = uninterrupted
    assert len(capsys.readouterr().out.splitlines()) == 7 + 2

    assert main(["--out", str(out), "--table"]) == 0
    assert capsys.readouterr().out.splitlines() == told[-2:]


def test_stopped_by_ctrl_c_it_keeps_what_has_ended(folder, few, out, capsys, monkeypatch):
    measured, calls = Trainer.measured, []

    def stopped(self, task, plan):
        calls.append(plan)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return measured(self, task, plan)

    monkeypatch.setattr(Trainer, "measured", stopped)
    assert main(command(folder, out)) == 130
    assert "the same command goes on with the next training" in capsys.readouterr().err
    assert [one.plan for one in read_measurements(out)] == calls[:3]
    assert [entry.name for entry in out.parent.iterdir()] == ["found.json"]


def test_another_command_adds_to_the_file(folder, few, out, capsys):
    assert main(command(folder, out, "--start", "baseline")) == 0
    assert main(command(folder, out, "--start", "baseline,frozen", "--labels", "10", "--seeds", "1")) == 0
    assert main(["pairs", *command(folder, out, "--start", "baseline", "--labels", "20")]) == 0
    found = [(one.task, one.start, one.labels, one.seed) for one in read_measurements(out)]
    assert found == [
        ("reviews", "baseline", 30, 0), ("reviews", "baseline", 30, 1),
        ("reviews", "baseline", 10, 0), ("reviews", "frozen", 10, 0),
        ("pairs", "baseline", 20, 0), ("pairs", "baseline", 20, 1),
        ("reviews", "baseline", 20, 0), ("reviews", "baseline", 20, 1),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("more", "name"),
    [
        (["--layer-decay", "0.9"], "layer_decay"),
        (["--least-updates", "4"], "least_updates"),
        (["--model", "{other}"], "weights"),
    ],
)
def test_other_settings_are_refused(more, name, folder, few, out, capsys, tmp_path):
    save_pretrained(BertForPreTraining(BIG, generator=seeded(1)), tokenizer(), tmp_path / "other")
    assert main(command(folder, out, "--start", "baseline")) == 0
    before = out.read_bytes()
    capsys.readouterr()
    more = [word.format(other=tmp_path / "other") for word in more]
    assert main(command(folder, out, "--start", "baseline", *more)) == 2
    assert f"was measured with other settings ({name}): give another --out" in capsys.readouterr().err
    assert out.read_bytes() == before


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--labels", "49"], "size must lie in 1 … 48"),
        (["--labels", "ten"], "labels must be numbers joined by commas, got 'ten'"),
        (["--start", "pretrained"], "start must be of pre-trained, from-scratch, frozen, baseline"),
        (["--rates", "-1"], "rates must lie in 0 … 1, got -1.0"),
        (["--seeds", "0"], "seeds must lie in 1 … 1000"),
        (["--start", "frozen-2"], "start must freeze at most 1 layers of this model, got frozen-2"),
        (["--layer-decay", "2"], "layer-decay must lie in"),
        (["--threads", "0"], "threads must"),
    ],
)
def test_what_cannot_be_is_refused_before_the_first_training(more, said, folder, few, out, capsys):
    assert main([*command(folder, out), *more]) == 2
    told = capsys.readouterr()
    assert said in told.err and len(told.err.splitlines()) == 1 and not out.parent.exists()


def test_tasks_that_there_are_not_and_that_have_no_such_head(folder, few, out, capsys):
    for tasks, start, said in (
        ([], "frozen", "tasks must be at least one of reviews, dialect"),
        (["pairs", "weather"], "frozen", "tasks must be of reviews, dialect"),
        (["questions"], "two-layers", "start must not be two-layers for the task questions"),
    ):
        assert main([*tasks, *command(folder, out, "--start", start)[1:]]) == 2
        assert said in capsys.readouterr().err and not out.exists()
