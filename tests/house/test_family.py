"""The races: FLOPs against torch's counter, one log for both comparisons, and the command once with every member."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, replace
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from course_utils.after import (
    AlbertConfig,
    AlbertForPreTraining,
    DistillationLoss,
    Electra,
    ElectraConfig,
    SpanBertForPreTraining,
    every_other_layer,
)
from course_utils.before import GPT
from course_utils.heads import BertForPreTraining
from course_utils.tokenization.vocab import SPECIAL_TOKENS
from experiments.family import __main__ as command
from experiments.family import flops, parts, report, reviews
from experiments.family.held import HeldOut, unigram_loss
from experiments.family.later import InSpans
from experiments.family.pretraining import Racer, pre_train
from experiments.family.race import Race
from experiments.family.readers import LanguageModel, SideBySide
from experiments.family.running import MEMBERS, Runs, plan_of
from experiments.family.text import RaceText, true_tokens
from experiments.runs import Store
from tests.small import small_config, tokenizer_of

CONFIG = small_config(hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
ROWS, TOKENS, PLACES = 3, 11, 5


def batch(label: str = "") -> dict[str, torch.Tensor]:
    """3 rows of 11 tokens, 5 of which are to be told; a label for each row, if it has a name."""
    ids = torch.randint(5, 97, (ROWS, TOKENS), generator=torch.Generator().manual_seed(0))
    labels = torch.full_like(ids, -100)
    labels[0, 1:3] = labels[1, 4:6] = 7
    labels[2, 9] = 8
    given = {"input_ids": ids, "attention_mask": torch.ones_like(ids), "labels": labels}
    return given | ({label: torch.tensor([0, 1, 1])} if label else {})


def distillation() -> DistillationLoss:
    teacher = BertForPreTraining(LARGER).requires_grad_(False)  # torch's counter wants it so
    return DistillationLoss(every_other_layer(teacher), teacher)


SHAPE, IDS = (ROWS, TOKENS, PLACES), batch()["input_ids"]
LARGER = replace(CONFIG, num_hidden_layers=4)
ALBERT = AlbertConfig(**asdict(CONFIG), embedding_size=7)
ELECTRA = ElectraConfig(**asdict(CONFIG), embedding_size=12)
DRAWN = {"generator": torch.Generator().manual_seed(0)}
SPANS = {"spans": torch.tensor([[0, 1, 2], [1, 4, 5], [2, 9, 9]])}


@pytest.mark.parametrize(
    ("make", "given", "said"),
    [
        (lambda: BertForPreTraining(CONFIG), batch(), flops.bert(CONFIG, *SHAPE, pairs=False)),
        (lambda: BertForPreTraining(CONFIG), batch("next_sentence_label"), flops.bert(CONFIG, *SHAPE, pairs=True)),
        (lambda: GPT(CONFIG), {"input_ids": IDS, "labels": IDS}, flops.causal(CONFIG, ROWS, TOKENS)),
        (lambda: AlbertForPreTraining(ALBERT), batch("sentence_order_label"), flops.albert(ALBERT, *SHAPE, pairs=True)),
        (lambda: Electra(ELECTRA, divisor=2), batch() | DRAWN, flops.electra(ELECTRA, ELECTRA.smaller(2), *SHAPE)),
        (lambda: SpanBertForPreTraining(CONFIG), batch() | SPANS, flops.spanbert(CONFIG, *SHAPE)),
        (distillation, batch(), flops.distillation(CONFIG, LARGER, ROWS, TOKENS)),  # the teacher counts once
    ],
    ids=["sentences", "pairs", "gpt", "albert", "electra", "spanbert", "distillation"],
)  # fmt: skip
def test_flops_are_what_torch_counts(make, given, said) -> None:
    with FlopCounterMode(display=False) as counter:
        make()(**given).loss.backward()
    assert said == counter.get_total_flops()


def test_flops_of_an_lstm_cell() -> None:
    cell = torch.nn.LSTMCell(7, 13)
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        cell(torch.zeros(3, 7))
    assert flops.lstm(7, 13, 3) == counter.get_total_flops()


# --- One log, two comparisons


class Line(torch.nn.Module):
    """loss = (w − number of the batch)²."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.zeros(1, 1))

    def forward(self, number: torch.Tensor) -> SimpleNamespace:
        return SimpleNamespace(loss=(self.weight - number).square().sum())


class Number(float):
    """A batch of two tokens."""

    attention_mask = torch.ones(1, 2)

    def inputs(self) -> dict[str, torch.Tensor]:
        return {"number": torch.tensor(float(self))}


def run_line(**settings):
    racer = Racer(
        Line(),
        lambda number: Number(3.0),
        lambda batch: 10,
        lambda model: {"at": model.weight.item()},
    )
    plan = {"updates": 13, "rate": 0.1, "warmup": 2, "looks": [5]}
    return racer, pre_train(racer, **plan | settings)


def test_log_has_both_axes() -> None:
    _, found = run_line(budget=70)
    axes = [(line["update"], line["flops"], line["tokens"]) for line in found.log]
    assert axes == [(5, 50, 10), (7, 70, 14), (13, 130, 26)]
    assert set(found.kept) == {7, -1, 13} and found.kept[-1] is found.kept[7]


def test_what_was_spent_before_counts() -> None:
    racer, _ = run_line()
    racer.spent = 40
    found = pre_train(racer, updates=5, rate=0.1, warmup=2, looks=[], budget=70)
    assert [line["flops"] for line in found.log] == [70, 90]


def test_measured_is_the_running_mean_and_not_the_last_weights() -> None:
    racer, found = run_line()
    mean, weight, at = 0.0, torch.zeros(1, 1, requires_grad=True), []
    optimizer = torch.optim.AdamW([weight], betas=(0.9, 0.999), eps=1e-6, weight_decay=0.01)
    for step in range(1, 14):
        optimizer.param_groups[0]["lr"] = 0.1 * min(1.0, step / 2)
        optimizer.zero_grad()
        (weight - 3.0).square().sum().backward()
        weight.grad /= max(1.0, float(weight.grad.norm()) + 1e-6)
        optimizer.step()
        d = min(0.995, (1 + step) / (10 + step))
        mean += (1 - d) * (weight.item() - mean)
        at.append(mean)
    assert found.log[0]["at"] == pytest.approx(at[4], abs=1e-4)
    assert found.log[-1]["at"] == pytest.approx(at[12], abs=1e-4)
    assert float(found.kept[13]["weight"]) != pytest.approx(racer.model.weight.item(), abs=1e-2)


def test_unigram_loss_by_hand() -> None:
    settings = replace(Race().settings, max_length=8)
    tokenizer = tokenizer_of("가나다")
    first = len(SPECIAL_TOKENS)
    text = RaceText(settings, tokenizer, [[[first, first, first + 1]]], [[[first + 1] * 6]] * 9)
    # counts + 1 are 3, 2, 1: every held-out word is the second one, and costs ln(6/2)
    assert unigram_loss(text, HeldOut(text)) == pytest.approx(math.log(3), abs=1e-6)


# --- What the runs come to


def runs_of(tmp_path: Path, values: dict[str, list[float]]) -> Store:
    store = Store(tmp_path / "out.json", command="", key=plan_of)
    for member, losses in values.items():
        for seed, loss in enumerate(losses):
            line = {"update": 9, "flops": 100, "masked_loss_sentences": loss}
            plan = {"part": "family", "member": member, "seed": seed, "rate": 0.1}
            store.add({"plan": plan, "parameters": 5, "log": [line], "points": {"updates": line}})
    return store


def test_gains_are_paired_by_seed(tmp_path: Path) -> None:
    store = runs_of(tmp_path, {"bert": [5.0, 6.0, 7.0], "no_next": [4.9, 5.9, 6.8], "full": [4.0, 6.4, 6.9]})
    gains = {(gain["member"], gain["point"]): gain for gain in report.report(store)["gains"]}
    one = gains["no_next", "updates"]
    # −0.1, −0.1, −0.2: mean −0.1333, deviation 0.0577, t = 4.303: half 0.1434
    assert (one["mean"], one["half"], one["seeds"], one["decided"]) == (-0.1333, 0.1434, 3, False)
    wider = runs_of(tmp_path / "b", {"bert": [5.0, 6.0, 7.0], "no_next": [4.9, 5.9, 6.89]})
    assert next(iter(report.report(wider)["gains"]))["decided"]
    two = runs_of(tmp_path / "c", {"bert": [5.0, 6.0], "no_next": [4.9, 5.9]})
    assert not next(iter(report.report(two)["gains"]))["decided"]


def test_equal_flops_take_the_line_within_the_budget() -> None:
    run = {"points": {"updates": {"flops": 200}, "flops": {"flops": 99}}}
    assert report.point_of(run, "flops", 100) == {"flops": 99}
    assert report.point_of({"points": {"updates": {"flops": 98}}}, "flops", 100) == {"flops": 98}
    assert report.point_of({"points": {"updates": {"flops": 150}}}, "flops", 100) is None


def test_test_score_is_that_of_the_rate_that_validation_chose() -> None:
    rates = {"0.001": {"validation": 0.6, "test": 0.5}, "0.003": {"validation": 0.5, "test": 0.9}}
    assert report.chosen(rates) == 0.5


# --- What members read


def small_text() -> RaceText:
    """60 documents of four sentences, pieces 가 나 다 …, of which some continue words."""
    pieces = [*"가나다라마바사아자차카", *(f"##{letter}" for letter in "타파하")]
    tokenizer = tokenizer_of(pieces)
    generator = torch.Generator().manual_seed(3)
    first = len(SPECIAL_TOKENS)
    documents = torch.randint(first, first + len(pieces), (60, 4, 7), generator=generator).tolist()
    settings = replace(Race().settings, max_length=24, vocab_size=first + len(pieces))
    return RaceText(settings, tokenizer, documents, documents[:20])


def test_only_a_text_read_again_has_the_same_masks() -> None:
    text, race = small_text(), Race(replace(small_text().settings, batch_size=3))
    for member, same in (("static_tenth", True), ("dynamic_tenth", False)):
        batches = MEMBERS[member](race, text, HeldOut(text), 0).racer.batches
        period = text.pairs(text.tenth, batch_size=3, seed=0).batches_per_epoch
        assert torch.equal(batches(1).input_ids, batches(1 + period).input_ids) == same, member


def test_spans_are_masked_as_wholes_and_the_rest_is_the_text() -> None:
    text = small_text()
    rows = text.full(text.train, batch_size=11, seed=0)
    batches = InSpans(rows, text, seed=0)
    masked = real = 0
    for number in range(rows.batches_per_epoch - 1):
        batch, chosen = batches(number), batches(number).labels != -100
        assert torch.equal(true_tokens(batch), true_tokens(rows(number)))
        inside = torch.zeros_like(chosen)
        for row, begin, end in batch.spans.tolist():
            inside[row, begin : end + 1] = True
            assert (batch.input_ids[row, begin : end + 1] == rows.mask_id).float().mean() in (0.0, 1.0)
        assert torch.equal(inside, chosen) and not text.special[true_tokens(batch)][chosen].any()
        masked, real = masked + int(chosen.sum()), real + int((~text.special[true_tokens(batch)]).sum())
    assert 0.10 < masked / real < 0.20


def test_sentences_in_order_or_swapped() -> None:
    text = small_text()
    neighbours = {(tuple(a), tuple(b)) for one in text.train for a, b in zip(one, one[1:])}
    rows = text.in_order(text.train, batch_size=7, seed=0)
    labels = []
    for number in range(rows.batches_per_epoch):
        batch = rows(number)
        for ids, label in zip(true_tokens(batch).tolist(), batch.next_sentence_label.tolist()):
            pair = tuple(ids[1:8]), tuple(ids[9:16])
            assert (pair if label == 0 else pair[::-1]) in neighbours
            labels.append(label)
    assert 0.3 < sum(labels) / len(labels) < 0.7 and len(labels) == 60 * 3


@pytest.mark.parametrize(("backwards", "changed"), [(False, range(3, 7)), (True, range(4))])
def test_a_one_way_reader_sees_one_side(backwards: bool, changed: range) -> None:
    gpt = GPT(CONFIG, generator=torch.Generator().manual_seed(1))
    model = LanguageModel(gpt, backwards=backwards).eval()
    ids = torch.arange(10, 17)[None]
    mask = torch.ones_like(ids)
    other = ids.clone()
    other[0, 3] = 50
    padded = [torch.cat([one, torch.zeros(1, 2, dtype=torch.int64)], 1) for one in (ids, other, mask)]
    first, second = (model(one, padded[2]).hidden_states[-1][0, :7] for one in padded[:2])
    moved = ((first - second).abs().amax(-1) > 1e-6).nonzero()[:, 0].tolist()
    assert moved == list(changed)
    both = SideBySide(LanguageModel(gpt), model)(ids, mask).hidden_states
    assert both[-1].shape == (1, 7, 24)
    torch.testing.assert_close(both[-1][0, :, 12:], first, atol=1e-5, rtol=1e-5)


# --- ULMFiT's tricks


def test_layers_learn_one_after_the_other_from_the_head_down() -> None:
    gradual = replace(reviews.PLAIN, gradual=True)
    eighth = reviews.UPDATES // 8
    assert [reviews.learning_groups(eighth * n, 4, gradual) for n in range(4)] == [
        [3],
        [2, 3],
        [1, 2, 3],
        [0, 1, 2, 3],
    ]
    assert reviews.learning_groups(0, 4, reviews.PLAIN) == [0, 1, 2, 3]


def test_rates_fall_from_layer_to_layer() -> None:
    model = torch.nn.Sequential(*(torch.nn.Linear(3, 3) for _ in range(3)))
    groups = [list(part.parameters()) for part in model]
    made = reviews.rate_groups(groups, model, replace(reviews.PLAIN, discriminative=True))
    shares = sorted({round(group["share"], 4) for group in made})
    assert shares == [0.1479, 0.3846, 1.0]  # 1/2.6², 1/2.6, 1
    alike = reviews.rate_groups(groups, model, reviews.PLAIN)
    assert {group["share"] for group in alike} == {1.0}


# --- The command


def test_every_member_stopped_and_gone_on_with(tmp_path: Path, monkeypatch, capsys) -> None:
    """Two updates of each on a small text; senses are asked of larger ones."""
    monkeypatch.setattr(Runs, "text", small_text())
    monkeypatch.setattr(parts, "probe", lambda *given: None)
    made, whole = [], Runs.pre_train

    def until_the_fourth(runs, racer, *given, **settings):
        made.append(racer)
        if len(made) == 4:
            raise KeyboardInterrupt
        return whole(runs, racer, *given, **settings)

    monkeypatch.setattr(Runs, "pre_train", until_the_fourth)
    arguments = ["--out", str(tmp_path / "out.json"), "--work", str(tmp_path / "work"), "--seeds", "1"]
    arguments += ["--steps", "2", "--parts", "family,readers"]
    assert command.main(arguments) == 130
    members = [*MEMBERS, *parts.READERS]
    only = ["--only", ",".join(members)]
    assert command.main([*arguments, *only]) == 0
    assert len(made) == len(members) + 1  # the fourth twice, no other
    stored = json.loads((tmp_path / "out.json").read_text())
    assert str(tmp_path) not in json.dumps(stored) and stored["settings"]["steps"] == 2
    found = [run["plan"]["member"] for run in stored["runs"]]
    assert sorted(found) == sorted(members)
    assert found.index("teacher") < found.index("distil") < found.index("shallow")
    for run in stored["runs"]:
        assert run["device"] == "cpu" and run["log"][-1]["update"] == 2 and run["parameters"] > 10_000
        losses = [value for name, value in run["log"][-1].items() if name.endswith("loss")]
        assert all(0 < loss < 99 for loss in losses) and len(losses) >= 2
    for run in stored["runs"][: len(MEMBERS)]:
        point = run["points"]["updates"]
        assert ("masked_loss_full" in point) is (run["plan"]["member"] != "electra")
    capsys.readouterr()
    assert command.main([*arguments, "--table"]) == 0 and len(made) == len(members) + 1
    assert "distil, equal flops" in capsys.readouterr().out
