"""experiments/dynamics.py: what is planned, what is measured, and the command once, stopped and gone on with."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace

import pytest
import torch
from torch import optim

from course_utils.datasets.batching import seeded
from course_utils.encoder import PreLNEncoder
from course_utils.tasks.sorting import Sorter, random_rows, sorting_loss
from experiments import dynamics
from experiments.dynamics import PARTS, Run, adaptive_steps, learned, main, planned, rate_of, table

SMALL = Run("map", depth=1, width=8, steps=5)


@pytest.fixture
def tiny(monkeypatch):
    """Models of one block, 8 wide."""
    whole = dynamics.planned
    monkeypatch.setattr(
        dynamics, "planned", lambda part, seeds: (replace(r, depth=1, width=8) for r in whole(part, seeds))
    )
    monkeypatch.setattr(dynamics, "RATES", (1e-3, 1e-2))
    monkeypatch.setattr(dynamics, "RUNS", 3)
    monkeypatch.setattr(dynamics, "EVERY", 7)


@pytest.mark.parametrize("part", PARTS)
def test_more_seeds_add_to_what_is_there(part):
    few, more = list(planned(part, 2)), list(planned(part, 3))
    assert more[: len(few)] == few and len(set(more)) == len(more)
    if part != "adaptive":
        assert set(Counter(run.seed for run in more).values()) == {len(more) // 3}


def test_a_rate_that_does_not_fall():
    flat = Run("decay", warmup=0.0, rate=0.02, steps=100, decay=False)
    assert [rate_of(flat, step) for step in (1, 100)] == [0.02, 0.02]
    rising = replace(flat, warmup=0.5)
    assert [rate_of(rising, step) for step in (1, 50, 51, 100)] == pytest.approx([0.0004, 0.02, 0.02, 0.02])
    assert rate_of(replace(rising, decay=True), 100) == pytest.approx(0.02 / 51)
    assert not any(run.decay for run in planned("adaptive", 1))


@pytest.mark.parametrize("name", ["adam", dynamics.V_ALONE, dynamics.V_ALONE_ANEW])
def test_a_training_that_waits_is_that_of_a_plain_loop(name):
    """Adam by hand: what has been gathered when the model begins to move, and how far it moves."""
    run = Run("waited", optimizer=name, rate=0.02, warmup=0.0, depth=2, width=8, steps=8, seed=3)
    model = Sorter(depth=2, width=8, generator=seeded(3, 0))
    weights = list(model.parameters())
    m, v = [torch.zeros_like(weight) for weight in weights], [torch.zeros_like(weight) for weight in weights]
    for step in range(1, 9):
        batch = random_rows(16, generator=seeded(3, 1, step - 1))
        gradients = torch.autograd.grad(sorting_loss(model(batch.input_ids), batch), weights)
        m = [0.9 * old + 0.1 * gradient for old, gradient in zip(m, gradients)]
        v = [0.999 * old + 0.001 * gradient**2 for old, gradient in zip(v, gradients)]
        if step == 4 and name != "adam":
            m = [torch.zeros_like(one) for one in m]
        counted = step - 4 if name == dynamics.V_ALONE_ANEW and step > 4 else step  # of m's correction
        rate = {5: 0.016, 6: 0.012, 7: 0.008, 8: 0.004}.get(step, 0.0)
        with torch.no_grad():
            for weight, mean, square in zip(weights, m, v):
                weight -= rate * (mean / (1 - 0.9**counted)) / ((square / (1 - 0.999**step)).sqrt() + 1e-8)
    found = learned(run)
    batch = random_rows(dynamics.HELD_OUT, generator=seeded(-1))
    assert found["loss"] == pytest.approx(sorting_loss(model(batch.input_ids), batch).item(), abs=2e-4)


@pytest.mark.rare
def test_what_is_kept_of_a_training():
    found = learned(replace(SMALL, steps=41))
    assert list(found) == ["loss", "right", "curve"] and 0 < found["loss"] < 4 and 0 <= found["right"] <= 1
    assert len(found["curve"]) == 21 and found == learned(replace(SMALL, steps=41))
    assert found["curve"] != learned(replace(SMALL, steps=41, seed=1))["curve"]
    for seed in (0, 1):  # the loss before the first update: start values and batches are the seed's own
        model = Sorter(depth=1, width=8, generator=seeded(seed, 0))
        batch = random_rows(16, generator=seeded(seed, 1, 0))
        first = sorting_loss(model(batch.input_ids), batch).item()
        assert learned(replace(SMALL, seed=seed))["curve"][0] == pytest.approx(first, abs=6e-4)


def test_a_training_that_blows_up_has_no_loss():
    found = learned(replace(SMALL, optimizer="sgd", rate=1e25, warmup=0.0))
    assert found["loss"] is None and found["right"] is None and 1 <= len(found["curve"]) < 5


OPTIMIZERS = {
    "adam": lambda weights: optim.Adam(weights),
    "radam": lambda weights: optim.RAdam(weights),
    "sgd": lambda weights: optim.SGD(weights, momentum=0.9),
}


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_a_training_is_that_of_a_plain_loop(name):
    """What a run says of itself is what is done: norm, optimiser, rates, clipping, sizes, start values, batches."""
    run = Run("sgd", "pre", name, 0.1, warmup=0.4, clip=0.1, start_std=0.2, depth=1, width=8, steps=7, seed=3)
    model = Sorter(PreLNEncoder, depth=1, width=8, start_std=0.2, generator=seeded(3, 0))
    optimizer = OPTIMIZERS[name](model.parameters())
    for step, share in enumerate([1 / 3, 2 / 3, 1, 4 / 5, 3 / 5, 2 / 5, 1 / 5]):
        batch = random_rows(16, generator=seeded(3, 1, step))
        optimizer.zero_grad()
        sorting_loss(model(batch.input_ids), batch).backward()
        assert torch.nn.utils.clip_grad_norm_(model.parameters(), 0.1) > 0.1
        optimizer.param_groups[0]["lr"] = 0.1 * share
        optimizer.step()
    found = dynamics.carried_out(run, batches=3, after_step=lambda *given: None)
    ids = random_rows(53, generator=seeded(-1)).input_ids
    torch.testing.assert_close(found(ids), model(ids), rtol=0, atol=1e-3)


def test_the_first_adaptive_step_by_hand(monkeypatch):
    """v̂_1 = g², so 1/√v̂_1 = 1/|g|."""
    monkeypatch.setattr(dynamics, "RUNS", 4)
    monkeypatch.setattr(dynamics, "EVERY", 5)
    run = Run("adaptive", depth=2, width=8, steps=3, warmup=0.0)
    found = adaptive_steps(run)
    assert [(name, len(values)) for name, values in found.items()] == [("log_variance", 3)]
    logs = []
    for number in range(4):
        model = Sorter(depth=2, width=8, generator=seeded(0, 0))
        batch = random_rows(16, generator=seeded(number, 1, 0))
        sorting_loss(model(batch.input_ids), batch).backward()
        gradients = [weight.grad for weight in model.encoder.parameters() if weight.dim() == 2]
        logs.append(-torch.cat([gradient.flatten() for gradient in gradients])[::5].abs().log())
    assert found["log_variance"][0] == pytest.approx(torch.stack(logs).var(0).mean().item(), rel=2e-3)
    frozen = adaptive_steps(replace(run, rate=0.0))
    assert frozen["log_variance"][0] == found["log_variance"][0]
    assert frozen["log_variance"][2] != found["log_variance"][2]


def test_the_table_by_hand():
    def row(seed, loss, norm="post"):
        return vars(Run("map", norm, rate=0.01, seed=seed)) | {"loss": loss, "right": 0.5, "curve": []}

    rows = [row(0, 0.5), row(1, 2.0), row(2, None), row(0, None, "pre"), row(0, 1.0) | {"part": "sgd"}]
    assert table(rows, "map") == [
        ["norm", "loss", "lowest … highest", "learned"],
        ["post", "1.25", "0.50 … 2.00", "1 of 3"],
        ["pre", "–", "–", "0 of 1"],
    ]


def test_the_command_stopped_and_gone_on_with(tiny, tmp_path, monkeypatch, capsys):
    """Every part at its smallest."""
    out, made = tmp_path / "o.json", []

    def until_the_fifth(run):
        made.append(run)
        if len(made) == 5:
            raise KeyboardInterrupt
        return learned(run)

    monkeypatch.setattr(dynamics, "learned", until_the_fifth)
    command = ["--out", str(out), "--steps", "2", "--seeds", "1"]
    assert main([*command, "--only", "map,waited"]) == 130
    assert "goes on with the next" in capsys.readouterr().err
    assert main([*command, "--only", "map,waited,adaptive"]) == 0
    assert len(made) == len(set(made)) + 1 == 2 * 2 * 2 + 4 + 1  # the fifth twice, no other
    data = json.loads(out.read_text("utf-8"))
    assert list(data) == ["command", "settings", "runs"]
    assert data["settings"]["loss_without_attention"] == pytest.approx(1.8225, abs=1e-4)
    for row in data["runs"]:
        kept = ["log_variance"] if row["part"] == "adaptive" else ["loss", "right", "curve"]
        assert list(row) == [*dynamics.FIELDS, *kept]
    capsys.readouterr()
    assert main([*command, "--table"]) == 0 and len(made) == 13
    told = capsys.readouterr().out
    assert "least loss without attention 1.823" in told and "\nmap\n" in told and "\nadaptive\n" not in told
