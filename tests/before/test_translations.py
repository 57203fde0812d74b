"""Translations: the same batches for all, what is chosen and told, and a command that goes on after a stop."""

from __future__ import annotations

import json
import random

import pytest
import torch
import torch.nn.functional as F

from course_utils.before import GRUSeq2Seq
from course_utils.datasets.date_pairs import split_of
from course_utils.datasets.date_tokens import BOS, EOS, PAD, english_tokens
from experiments import translation_runs, translations
from experiments.translation_runs import (
    KINDS,
    Plan,
    batch_of,
    held_out,
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


def test_right_is_asked_word_by_word() -> None:
    pairs = held_out("test", 7)
    answers = dict(zip([tuple(row) for row in batch_of(pairs).source.tolist()], batch_of(pairs).labels))

    class Known(torch.nn.Module):
        """Knows all answers, but says the first token of the last pair wrongly, and <bos> before the third one."""

        def __init__(self) -> None:
            super().__init__()
            self.nothing = torch.nn.Parameter(torch.zeros(()))

        def forward(self, source_ids, target_ids):
            said = torch.stack([answers[tuple(row)] for row in source_ids.tolist()])
            for place, row in enumerate(map(tuple, source_ids.tolist())):
                if row == list(answers)[-1]:
                    said[place, 0] = 12
                elif row == list(answers)[2]:
                    said[place] = torch.cat([torch.tensor([BOS]), said[place, :-1]])
            return F.one_hot(F.pad(said, (0, 1), value=EOS)[:, : target_ids.shape[1]], 30).float()

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


# --- The command


def test_a_run_is_that_of_a_plain_loop(monkeypatch) -> None:
    """What is told of a run is what was done: rates, smoothing in training and none in the curve, batches."""
    monkeypatch.setattr(translation_runs, "VALIDATION", 5)
    sizes = {"hidden_size": 10}
    plan = Plan("gru", sizes, peak_rate=0.02, updates=4, batch_size=5, warmup=2, smoothing=0.3)
    found = translation_runs.one_run(plan, 3, torch.device("cpu"), 3)
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


@pytest.mark.rare
def test_the_command_stopped_and_gone_on_with(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.setattr(translations, "RATES", (1e-3,))
    monkeypatch.setattr(translations, "VALIDATION", 5)
    monkeypatch.setattr(translation_runs, "VALIDATION", 5)
    made, whole = [], translation_runs.one_run

    def until_the_third(plan, *more):
        made.append(plan.kind)
        if len(made) == 3:
            raise KeyboardInterrupt
        return whole(plan, *more)

    monkeypatch.setattr(translations, "one_run", until_the_third)
    out = tmp_path / "deep" / "translations.json"
    command = ["--out", str(out), "--updates", "2", "--asked", "3", "--seeds", "1"]
    assert translations.main(command) == 130 and translations.main(command) == 0
    names = list(KINDS)
    assert made == [*names[:3], *names[2:]]
    data = json.loads(out.read_text("utf-8"))
    assert list(data) == ["command", "settings", "report", "device", "runs"]
    assert [one["plan"]["kind"] for one in data["runs"]] == names
    assert list(data["report"]) == names
    for one in data["runs"]:
        assert [point[0] for point in one["curve"]] == [1, 2]
        assert sum(number for _, number in one["test"].values()) == 3
    capsys.readouterr()
    assert translations.main([*command, "--table"]) == 0 and len(made) == 5
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()[1:]] == names
