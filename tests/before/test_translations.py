"""Translations: the same batches for all, what is chosen and told, and a command that goes on after a stop."""

from __future__ import annotations

import json
import random

import pytest
import torch
import torch.nn.functional as F

from course_utils.before import GRUSeq2Seq
from course_utils.before.costs import longest_chain
from course_utils.datasets.date_pairs import split_of
from course_utils.datasets.date_tokens import BOS, EOS, PAD, english_tokens
from experiments import translation_runs, translations
from experiments.translation_runs import (
    KINDS,
    Plan,
    batch_of,
    held_out,
    loss_of,
    new_model,
    right,
    training_batches,
)


def test_all_four_have_nearly_as_many_parameters() -> None:
    counts = {
        name: sum(parameter.numel() for parameter in new_model(Plan(name, kind.sizes), 0).parameters())
        for name, kind in KINDS.items()
    }
    assert max(counts.values()) < 1.03 * min(counts.values()), counts


def test_the_target_is_shifted_by_one() -> None:
    batch = batch_of(held_out("validation", 5))
    assert (batch.target[:, 0] == BOS).all() and not (batch.labels == BOS).any()
    assert torch.equal(batch.target[:, 1:], batch.labels[:, :-1])
    assert ((batch.labels == EOS).sum(-1) == 1).all()
    assert list(batch.inputs()) == ["source_ids", "target_ids"]


def test_batches_are_of_one_length_and_of_training_pairs() -> None:
    batches = training_batches(3, 7, 16)
    assert [len(batch) for batch in batches] == [16] * 7 and batches == training_batches.__wrapped__(3, 7, 16)
    assert batches != training_batches.__wrapped__(4, 7, 16)
    assert {split_of(pair.moment) for batch in batches for pair in batch} == {"train"}
    spread = [[len(english_tokens(pair.english)) for pair in batch] for batch in batches]
    assert sum(max(lengths) - min(lengths) for lengths in spread) < 3 * 7


def test_held_out_pairs_are_different_ones() -> None:
    for split, number in (("validation", 61), ("test", 97)):
        pairs = held_out(split, number)
        assert len({pair.english for pair in pairs}) == number
        assert {split_of(pair.moment) for pair in pairs} == {split}
        lengths = {len(english_tokens(pair.english)) for pair in pairs}
        assert min(lengths) >= translations.ALL[0] and max(lengths) <= translations.ALL[1]


def test_loss_is_the_mean_over_tokens_without_padding() -> None:
    batch = batch_of(held_out("validation", 5))
    logits = torch.randn(*batch.labels.shape, 30, generator=torch.Generator().manual_seed(3))
    losses = -logits.log_softmax(-1).gather(-1, batch.labels[..., None]).squeeze(-1)
    real = batch.labels != PAD
    torch.testing.assert_close(loss_of(logits, batch, 0.0), losses[real].mean())
    uniform = -logits.log_softmax(-1).mean(-1)
    torch.testing.assert_close(loss_of(logits, batch, 0.1), (0.9 * losses + 0.1 * uniform)[real].mean())


def test_right_is_asked_word_by_word() -> None:
    pairs = held_out("test", 7)
    answers = dict(zip([tuple(row) for row in batch_of(pairs).source.tolist()], batch_of(pairs).labels))

    def model(source_ids, target_ids):
        """Knows all answers, but says the first token of the last pair wrongly, and <bos> before the third one."""
        said = torch.stack([answers[tuple(row)] for row in source_ids.tolist()])
        for place, row in enumerate(map(tuple, source_ids.tolist())):
            if row == list(answers)[-1]:
                said[place, 0] = 12
            elif row == list(answers)[2]:
                said[place] = torch.cat([torch.tensor([BOS]), said[place, :-1]])
        return F.one_hot(F.pad(said, (0, 1), value=EOS)[:, : target_ids.shape[1]], 30).float()

    class Known(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.nothing = torch.nn.Parameter(torch.zeros(()))

        def forward(self, source_ids, target_ids):
            return model(source_ids, target_ids)

    assert right(Known(), pairs) == [True, True, False, True, True, True, False]


# --- What is reported


def run(kind="gru", rate=1e-3, seed=0, validation=150, test=None):
    test = test or {"6": [1, 4], "19": [2, 5]}
    plan = {"kind": kind, "peak_rate": rate}
    return {"plan": plan, "seed": seed, "parameters": 7, "validation": validation, "test": test}


def test_the_rate_is_chosen_on_validation_and_told_on_test() -> None:
    poor = {"6": [4, 4], "19": [5, 5]}
    runs = [
        *(run(rate=1e-3, seed=seed, validation=100 + seed, test=poor) for seed in (1, 0)),
        *(run(rate=3e-3, seed=seed, validation=110 + seed) for seed in (1, 0)),
        run(kind="transformer", validation=3),
    ]
    random.Random(3).shuffle(runs)
    found = translations.report(runs)
    assert list(found) == ["gru", "transformer"]
    assert found["gru"]["peak_rate"] == 3e-3 and found["gru"]["seeds"] == [0, 1]
    first, last, all_ = found["gru"]["exact"]
    assert (first["tokens"], first["right"], first["number"]) == ([6, 8], 2, 8)
    assert (last["tokens"], last["right"], last["number"]) == ([18, 19], 4, 10)
    assert (all_["tokens"], all_["right"], all_["number"]) == ([6, 19], 6, 18)
    # Wilson by hand, p = 1/4, n = 8, z² = 3.8415: (0.25 + 0.2401 ± 1.96·√(0.02344 + 0.015006)) / 1.48018
    assert (first["low"], first["high"]) == (pytest.approx(0.0715, abs=2e-4), pytest.approx(0.5907, abs=2e-4))


def test_costs_fit_their_formulas(monkeypatch) -> None:
    monkeypatch.setattr(translations, "LENGTHS", (5, 7, 11))
    found = translations.costs()
    assert found["gru"]["steps"] == {"5": 10, "7": 14, "11": 22} and found["transformer"]["steps"]["11"] == 4
    for name, cost in found.items():
        five, seven, eleven = cost["chain"].values()
        assert eleven - seven == 2 * (seven - five)  # a line in T; for what computes all at once, a flat one
        assert (eleven > five) is (name in ("gru", "gru_attention"))
        assert list(cost["bytes"].values()) == sorted(cost["bytes"].values())


def test_the_transformer_waits_for_its_layers_alone() -> None:
    kind = KINDS["transformer"]
    ids = torch.full((1, 3), 5)
    one, two, three = (
        longest_chain(new_model(Plan("transformer", kind.sizes | {"num_layers": layers}), 0)(ids, ids))
        for layers in (1, 2, 3)
    )
    assert three - two == two - one > 0


# --- The command


@pytest.fixture
def short(monkeypatch):
    """Everything small; returns the runs that were made."""
    monkeypatch.setattr(translations, "RATES", (1e-3,))
    monkeypatch.setattr(translations, "LENGTHS", (64,))
    monkeypatch.setattr(translations, "TIMED", 1)
    monkeypatch.setattr(translations, "VALIDATION", 5)
    monkeypatch.setattr(translation_runs, "VALIDATION", 5)
    made = []

    def one_run(plan, seed, *more):
        made.append((plan.kind, seed))
        return translation_runs.one_run(plan, seed, *more)

    monkeypatch.setattr(translations, "one_run", one_run)
    return made


def command(out, *more):
    return translations.main(["--out", str(out), "--updates", "2", "--asked", "3", "--seeds", "1", *more])


@pytest.mark.slow
@pytest.mark.rare
def test_the_command_stores_every_run_and_makes_none_twice(tmp_path, short, capsys) -> None:
    out = tmp_path / "deep" / "translations.json"
    assert command(out, "--only", "convolution,gru") == 0
    assert command(out) == 0
    assert short == [(name, 0) for name in ("convolution", "gru", "gru_attention", "transformer")]
    data = json.loads(out.read_text("utf-8"))
    assert [entry["plan"]["kind"] for entry in data["runs"]] == [kind for kind, _ in short]
    assert list(data["report"]) == list(data["costs"]) == list(data["times"]) == list(KINDS)
    assert data["times"]["transformer"] == 1.0 and data["settings"]["updates"] == 2
    for entry in data["runs"]:
        assert [point[0] for point in entry["curve"]] == [1, 2] and "seconds" not in entry
        assert sum(number for _, number in entry["test"].values()) == 3
    assert out.read_text("utf-8").count("\n") > len(data["runs"])
    capsys.readouterr()
    assert command(out, "--table") == 0 and len(short) == 4
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()[1:]] == list(KINDS)


@pytest.mark.rare
def test_the_same_seed_gives_the_same_run(short) -> None:
    plan = Plan("convolution", KINDS["convolution"].sizes, updates=3, warmup=1)
    one, two, other = (translation_runs.one_run(plan, seed, torch.device("cpu"), 3)[0] for seed in (5, 5, 6))
    assert one == two and one["curve"] != other["curve"]
    assert json.loads(json.dumps(one)) == one  # is found again when it is read


def test_a_run_is_that_of_a_plain_loop(short) -> None:
    """What is told of a run is what was done: rates, smoothing in training and none in the curve, batches."""
    sizes = {"hidden_size": 10}
    plan = Plan("gru", sizes, peak_rate=0.02, updates=4, batch_size=5, warmup=2, smoothing=0.3)
    found, _ = translation_runs.one_run(plan, 3, torch.device("cpu"), 3)
    torch.manual_seed(3)
    model, losses = GRUSeq2Seq(71, 30, **sizes), []
    optimizer = torch.optim.Adam(model.parameters(), betas=(0.9, 0.98), eps=1e-9)
    for pairs, rate in zip(training_batches(3, 4, 5), (0.01, 0.02, 0.02 * 2 / 3, 0.02 / 3), strict=True):
        batch = batch_of(pairs)
        logits, labels = model(batch.source, batch.target).flatten(0, 1), batch.labels.flatten()
        losses.append(F.cross_entropy(logits, labels, ignore_index=PAD).item())
        optimizer.zero_grad()
        F.cross_entropy(logits, labels, ignore_index=PAD, label_smoothing=0.3).backward()
        optimizer.param_groups[0]["lr"] = rate
        optimizer.step()
    assert [point[0] for point in found["curve"]] == [1, 2, 3, 4]
    assert [point[1] for point in found["curve"]] == pytest.approx(losses, abs=2e-4)
    assert new_model(Plan("gru", sizes, dropout=0.3), 3).dropout.p == 0.3


def test_after_a_stop_it_goes_on(tmp_path, short, monkeypatch, capsys) -> None:
    out = tmp_path / "translations.json"
    whole = translations.one_run

    def stopped(plan, *more):
        if plan.kind == "gru_attention":
            raise KeyboardInterrupt
        return whole(plan, *more)

    monkeypatch.setattr(translations, "one_run", stopped)
    assert command(out, "--only", "gru,gru_attention") == 130
    assert "goes on with the next run" in capsys.readouterr().err
    assert [entry["plan"]["kind"] for entry in json.loads(out.read_text("utf-8"))["runs"]] == ["gru"]
    monkeypatch.setattr(translations, "one_run", whole)
    assert command(out, "--only", "gru,gru_attention") == 0
    assert short == [("gru", 0), ("gru_attention", 0)]


def test_recipes_are_told_apart(tmp_path, short, monkeypatch, capsys) -> None:
    changes = {"updates": 2, "warmup": 1, "sizes": translations.ONE_LAYER}
    live = translations.LIVE.__class__(**vars(translations.LIVE) | changes)
    monkeypatch.setattr(translations, "LIVE", live)
    monkeypatch.setattr(translations, "recipes", lambda: [live, Plan(**vars(live) | {"batch_size": 5})])
    out = tmp_path / "recipes.json"
    assert command(out, "--recipes") == 0 and command(out, "--recipes") == 0
    assert len(short) == 2
    lines = capsys.readouterr().out.splitlines()[-3:]
    assert lines[0].split()[0] == "recipe" and lines[1].split()[0] == "LIVE"
    assert lines[2].startswith("batch_size 5 ")
    assert all(entry["seconds"] >= 0 for entry in json.loads(out.read_text("utf-8"))["runs"])


def test_every_recipe_is_another_one() -> None:
    plans = [json.dumps(vars(plan)) for plan in translations.recipes()]
    assert len(set(plans)) == len(plans) and json.dumps(vars(translations.LIVE)) in plans


def test_what_the_command_refuses(tmp_path, short, capsys) -> None:
    out = tmp_path / "translations.json"
    assert command(out, "--only", "gru,lstm") == 2
    assert "no kind 'lstm'; there are gru, gru_attention" in capsys.readouterr().err
    assert translations.main(["--recipes"]) == 2
    assert "must be stored elsewhere than in translations.json" in capsys.readouterr().err
    out.write_text('{"settings": {"updates": 3}, "runs": []}', "utf-8")
    assert command(out) == 2
    assert "other settings (asked, rates, recipes, sizes, updates, validation)" in capsys.readouterr().err
    out.write_text('{"runs": [3]}', "utf-8")
    assert command(out) == 2
    assert "must hold runs of this command, and does not: give another --out" in capsys.readouterr().err
    assert short == []
