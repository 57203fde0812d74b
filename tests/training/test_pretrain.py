"""The command, end to end on a small text. What is slow is the start of a Python with torch: most tests share one."""

import os
import re
import shutil
import socket
import subprocess
import sys
from collections import Counter
from dataclasses import asdict, replace
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from safetensors.torch import load_file

from course_utils.config import BertConfig
from course_utils.datasets.batching import Batch, MixedBatches, PretrainingBatches
from course_utils.datasets.corpus import read_documents
from course_utils.datasets.public import Prepared
from course_utils.heads import BertForPreTraining
from course_utils.pretrained import load_pretrained
from course_utils.support.folders import run_folder
from course_utils.tokenization import WordPieceTokenizer
from course_utils.training.checkpoint import load_checkpoint, save_checkpoint
from course_utils.training.log import read_log
from course_utils.training.measures import measure, split_documents
from course_utils.training.optim import adamw, linear_rate
from course_utils.training.settings import Settings, chosen, new_model
from dev import kill_test
from scripts import pretrain
from scripts.pretrain import main
from scripts.pretraining.processes import objective, own_part
from scripts.pretraining.records import Tally
from scripts.pretraining.text import batch_stream, prepare_text, training_stream

ROOT = Path(__file__).parents[2]
ADD = Tally.add  # before any test watches it
SEED = 11  # of the run of two processes: it has a batch of one row among its first eight
SMALL = dict(
    vocab_size=120,
    layers=1,
    hidden=22,
    heads=11,
    max_length=23,
    positions=29,
    steps=24,
    warmup=5,
    batch_size=7,
    held_out=10,
    threads=1,
    precision="float32",
)


@pytest.fixture(scope="module", autouse=True)
def threads_as_before():
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    path = tmp_path_factory.mktemp("text") / "text.txt"
    kill_test.write_text(path)
    return path


def arguments(text, out, *more, **changed):
    options = {"corpus": text, "out": out, "checkpoint_every": 8, "log_every": 5} | SMALL | changed
    line = [word for name, value in options.items() for word in (f"--{name.replace('_', '-')}", str(value))]
    return [*line, *more]


def settings(text, **changed):
    return Settings(corpus=str(text), **(SMALL | changed))


@pytest.fixture(scope="module")
def finished(text, tmp_path_factory):
    out = tmp_path_factory.mktemp("runs") / "first"
    assert main(arguments(text, out)) == 0
    return out


def tensors(out):
    return load_file(out / "checkpoint.safetensors")


def equal(a, b):
    return a.keys() == b.keys() and all(torch.equal(a[name], b[name]) for name in a)


def untimed(out):
    return [
        {name: value for name, value in record.items() if name != "tokens_per_second"}
        for record in read_log(out / "log.jsonl")
    ]


# --- what a run leaves -----------------------------------------------------------------------------------------


def test_the_files(finished):
    names = {str(path.relative_to(finished)) for path in finished.rglob("*") if path.is_file()}
    model = ("config.json", "model.safetensors", "tokenizer_config.json", "vocab.txt")
    own = {".course-run.json", ".course-run.lock", "checkpoint.safetensors", "log.jsonl", "vocab.txt"}
    assert names == own | {f"model/{name}" for name in model}
    assert (finished / "vocab.txt").read_bytes() == (finished / "model" / "vocab.txt").read_bytes()


def test_the_model_is_the_checkpoint_in_half_precision(finished):
    model, tokenizer = load_pretrained(finished / "model")
    assert isinstance(model, BertForPreTraining) and not model.training
    assert "[UNK]" not in tokenizer.encode("항구에서 배 사과 먹었다", "바다에서 눈 보았다").tokens
    last = {name.removeprefix("model."): tensor for name, tensor in tensors(finished).items()}
    for name, tensor in model.state_dict().items():
        assert torch.equal(tensor, last[name].half().float())


def test_the_log(finished):
    records = read_log(finished / "log.jsonl")
    assert [record["step"] for record in records] == [5, 8, 10, 15, 16, 20, 24]  # and at each checkpoint
    rates = [linear_rate(r["step"], 1e-3, 5, 25) for r in records]
    assert [record["learning_rate"] for record in records] == rates
    common = {"step", "learning_rate", "mlm_loss", "nsp_loss", "tokens_per_second"}
    held_out = {
        f"held_out_{name}" for name in ("mlm_loss", "mlm_accuracy", "next_accuracy", "not_next_accuracy")
    }
    assert [record.keys() - common for record in records] == [set()] * 6 + [held_out]
    assert all(record.keys() >= common for record in records)
    assert all(record["tokens_per_second"] > 0 for record in records)
    assert 4.0 < records[0]["mlm_loss"] < 5.6  # about ln 120
    assert 0.0 <= records[-1]["held_out_mlm_accuracy"] <= 1.0


def test_the_same_again_from_a_seed(text, finished, tmp_path):
    assert main(arguments(text, tmp_path)) == 0
    assert equal(tensors(tmp_path), tensors(finished)) and untimed(tmp_path) == untimed(finished)
    other = tmp_path / "other"
    assert main(arguments(text, other, seed=1)) == 0
    assert not equal(tensors(other), tensors(finished))


def test_how_often_is_logged_and_saved_changes_nothing(text, finished, tmp_path):
    assert main(arguments(text, tmp_path, checkpoint_every=1000, log_every=1)) == 0
    assert equal(tensors(tmp_path), tensors(finished))
    assert [record["step"] for record in read_log(tmp_path / "log.jsonl")] == list(range(1, 25))


def test_the_numbers_of_the_log_by_hand(text, finished, tmp_path, monkeypatch):
    """Means over chosen tokens and over pairs, of the updates since the record before."""
    seen = []

    def watched(tally, output, batch):
        seen.append((output, batch))
        ADD(tally, output, batch)

    monkeypatch.setattr(Tally, "add", watched)
    assert main(arguments(text, tmp_path, steps=16, log_every=100, checkpoint_every=8)) == 0
    for record, part in zip(read_log(tmp_path / "log.jsonl"), (seen[:8], seen[8:]), strict=True):
        chosen = [int((batch.labels != -100).sum()) for _, batch in part]
        pairs = [0 if output.nsp_loss is None else len(batch.input_ids) for output, batch in part]
        assert 0 in pairs or len(set(pairs)) > 1
        mlm = sum(output.mlm_loss.item() * count for (output, _), count in zip(part, chosen)) / sum(chosen)
        nsp = sum(output.nsp_loss.item() * count for (output, _), count in zip(part, pairs) if count)
        assert record["mlm_loss"] == pytest.approx(mlm) and record["nsp_loss"] == pytest.approx(
            nsp / sum(pairs)
        )


def test_tokens_a_second(monkeypatch):
    clock = iter([100.0, 104.0, 105.0])
    monkeypatch.setattr("scripts.pretraining.records.time.perf_counter", lambda: next(clock))
    tally = Tally()
    output, batch = one_batch()
    tally.add(output, batch)
    tally.add(output, batch)
    real = int(batch.attention_mask.sum())
    assert real < batch.input_ids.numel()  # padding does not count
    assert tally.record()["tokens_per_second"] == pytest.approx(2 * real / 4)


def one_batch(**changed):
    """A model's output on a batch whose rows hold unequal numbers of chosen tokens."""
    documents = [[[5, 6, 7], [8, 9, 10, 11, 12]], [[5] * 9, [6]], [[7, 8], [9, 10, 11, 12, 5, 6]]]
    tokenizer = WordPieceTokenizer({t: n for n, t in enumerate(VOCABULARY)})
    batch = PretrainingBatches(documents, tokenizer, batch_size=3, mask_rate=0.5, seed=3)(0)
    torch.manual_seed(0)
    model = new_model(Settings(**SMALL | {"dropout": 0.0} | changed), len(VOCABULARY))
    return model(**batch.inputs()), batch


VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"가나다라마바사아"]


def test_the_objective_is_the_sum_of_both_tasks():
    output, batch = one_batch()
    assert objective(output, batch).item() == pytest.approx(output.mlm_loss.item() + output.nsp_loss.item())
    assert objective(replace(output, nsp_loss=None), batch).item() == pytest.approx(output.mlm_loss.item())


class Planned(list):
    """Batches by their number."""

    batches_per_epoch = 3
    __call__ = list.__getitem__


class Told(torch.nn.Module):
    """A model of four pieces that says what is planned, batch by batch."""

    def __init__(self):
        super().__init__()
        self.anything = torch.nn.Parameter(torch.zeros(()))
        self.said = [(2.0, [1, 3, 3], [1, 0, 1, 1]), (5.0, [2], [0])]

    def forward(self, **inputs):
        assert not self.training
        loss, pieces, follows = self.said[int(inputs["input_ids"][0, 0])]
        return SimpleNamespace(
            mlm_loss=torch.tensor(loss),
            logits=torch.eye(4)[pieces],
            seq_relationship_logits=torch.eye(2)[follows],
        )


def test_held_out_measures_by_hand():
    """Of the pairs with a label those found: not of those answered so, nor of these the right ones."""
    labels = torch.tensor([[-100, 1], [3, -100], [-100, -100], [2, -100]])
    first = Batch(torch.zeros(4, 2).long(), *[torch.ones(4, 2)] * 2, labels, torch.tensor([0, 0, 0, 1]))
    second = Batch(torch.ones(1, 2).long(), *[torch.ones(1, 2)] * 2, torch.tensor([[2, -100]]), None)
    model = Told().train()
    found = measure(model, Planned([first, second]), most=2)
    assert model.training
    assert found == pytest.approx(
        {
            "held_out_mlm_loss": (3 * 2.0 + 5.0) / 4,
            "held_out_mlm_accuracy": 3 / 4,
            "held_out_next_accuracy": 1 / 3,
            "held_out_not_next_accuracy": 1.0,
        }
    )


def test_without_next_sentences_its_head_stays_as_it_was(text, tmp_path):
    assert main(arguments(text, tmp_path, "--no-next-sentence", steps=9)) == 0
    state = tensors(tmp_path)
    before = new_model(settings(text), len((tmp_path / "vocab.txt").read_text().splitlines()))
    assert torch.equal(state["model.nsp.weight"], before.nsp.weight)
    assert not torch.equal(state["model.mlm.bias"], before.mlm.bias)
    assert all("nsp_loss" not in record for record in read_log(tmp_path / "log.jsonl"))


def test_the_first_weights():
    model = new_model(settings("", hidden=22, start_std=0.05), 120)
    position = model.bert.embeddings.position.embedding.weight
    assert position.square().mean().sqrt().item() == pytest.approx(0.05, rel=0.02)
    assert position[0, 0].item() == 0.0  # sin 0
    # Cut off at two standard deviations, what is left has 0.88 of one.
    assert model.bert.embeddings.token.weight.std().item() == pytest.approx(0.05 * 0.88, rel=0.05)
    again = new_model(settings(""), 120)
    assert equal(model.state_dict(), again.state_dict())
    other = new_model(settings("", seed=1), 120)
    assert not torch.equal(other.nsp.weight, model.nsp.weight)


def test_the_split():
    documents = [[str(number)] for number in range(103)]
    train, held_out = split_documents(documents, 10, 0)
    assert len(held_out) == 10 and sorted(train + held_out) == sorted(documents)
    assert train == [document for document in documents if document not in held_out]
    assert split_documents(documents, 10, 0) == (train, held_out) != split_documents(documents, 10, 1)
    assert split_documents(documents, 0, 0) == (documents, [])
    assert split_documents(documents, 60, 0) == (documents, [])  # one alone gives no wrong next sentence


# --- shares, a vocabulary and a model to begin with ---------------------------------------------------------------


def test_of_a_hundred_batches_so_many_come_from_each_text(text, finished, monkeypatch):
    vocabulary = (finished / "vocab.txt").read_text(encoding="utf-8").splitlines()
    letters = [token for token in vocabulary if len(token) == 1 and "가" <= token <= "힣"][:2]
    public = [
        Prepared(name, [[" ".join(letter * times) for times in (n % 7 + 1, n % 5 + 2)] for n in range(40)])
        for name, letter in zip(("korsts-train.tsv", "nsmc_raw.tsv.gz"), letters)
    ]
    monkeypatch.setattr("scripts.pretraining.text.prepare", lambda names: public)
    chosen = settings(text, public="all", shares="70,10,20", vocab_file=str(finished / "vocab.txt"))
    prepared = prepare_text(chosen, finished / "vocab.txt")
    assert [len(group) for group in prepared.groups[1:]] == [36, 36]  # one in ten is held out
    assert len(prepared.train) + len(prepared.held_out) == len(read_documents(text)) + 80
    ids = [prepared.tokenizer.vocab[letter] for letter in letters]
    stream, found = training_stream(chosen, prepared), Counter()
    for batch in map(stream, range(200)):
        as_read = batch.labels.where(batch.labels >= 0, batch.input_ids)
        found[tuple(set(as_read.flatten().tolist()) & {*ids, *range(5, 999)})] += 1
    assert [found[(one,)] for one in ids] == [20, 40] and found.total() == 200
    assert torch.equal(training_stream(chosen, prepared)(150).input_ids, stream(150).input_ids)


def test_mixed_batches_take_the_batches_of_each_stream_in_turn():
    taken = [[], []]

    def stream(which):
        return lambda number: taken[which].append(number) or (which, number)

    mixed = MixedBatches([stream(0), stream(1)], [75, 25], seed=3)
    orders = [[mixed(number)[0] for number in range(start, start + 100)] for start in (0, 100)]
    assert taken == [list(range(150)), list(range(50))]
    assert orders[0] != orders[1] and sum(orders[0]) == sum(orders[1]) == 25
    assert mixed(130) == MixedBatches([stream(0), stream(1)], [75, 25], seed=3)(130)


def test_a_text_that_is_not_there_has_no_share(text, tmp_path):
    with pytest.raises(ValueError, match=r"^shares ask for 10 % of film reviews, and the text holds none"):
        prepare_text(settings(text, shares="90,0,10"), tmp_path / "vocab.txt")


def test_a_run_begins_with_a_model_and_its_vocabulary(text, finished, tmp_path):
    chosen = settings(
        text, start_from=str(finished / "model"), steps=1, warmup=0, peak_rate=1e-9, dropout=0.3
    )
    model = pretrain.run(chosen, tmp_path / "further")
    before, _ = load_pretrained(finished / "model")
    assert (tmp_path / "further" / "vocab.txt").read_bytes() == (finished / "vocab.txt").read_bytes()
    assert model.config.hidden_dropout_prob == 0.3
    for name, weight in before.state_dict().items():
        torch.testing.assert_close(model.state_dict()[name], weight, rtol=0, atol=1e-6)
    with pytest.raises(ValueError, match="max_length must be at most 29, the positions"):
        pretrain.first_model(
            settings(text, start_from=str(finished / "model"), max_length=4096, positions=4096), 120
        )


def test_a_run_reads_with_a_given_vocabulary(text, finished, tmp_path):
    given = tmp_path / "given.txt"
    tokens = (finished / "vocab.txt").read_text(encoding="utf-8").splitlines()
    given.write_text("\n".join(tokens[:-3]) + "\n", encoding="utf-8")
    found = prepare_text(settings(text, vocab_file=str(given)), tmp_path / "vocab.txt")
    assert len(found.tokenizer.vocab) == len(tokens) - 3
    assert (tmp_path / "vocab.txt").read_bytes() == given.read_bytes()


# --- stopped and resumed ---------------------------------------------------------------------------------------


def test_stopped_between_record_and_checkpoint(text, finished, tmp_path, monkeypatch):
    class Stop(BaseException):  # which no command turns into a sentence
        pass

    def stopping(tally, output, batch):
        stopping.count += 1
        if stopping.count == 14:  # the last checkpoint is after 8, the last record after 10
            raise Stop
        ADD(tally, output, batch)

    stopping.count = 0
    with monkeypatch.context() as patch, pytest.raises(Stop):
        patch.setattr(Tally, "add", stopping)
        main(arguments(text, tmp_path))
    assert [record["step"] for record in read_log(tmp_path / "log.jsonl")] == [5, 8, 10]
    (tmp_path / ".checkpoint.safetensors.01234567.new").write_bytes(b"half")
    for state in ("new", "old"):
        (tmp_path / f".model.89abcdef.{state}").mkdir()
        (tmp_path / f".model.89abcdef.{state}" / "config.json").write_text("{}")
    torch.manual_seed(123)
    assert main(arguments(text, tmp_path)) == 0
    assert equal(tensors(tmp_path), tensors(finished)) and untimed(tmp_path) == untimed(finished)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        path.name for path in finished.iterdir()
    )


def test_a_finished_run_stays_as_it_is(text, finished, tmp_path, capsys):
    before = tensors(finished), untimed(finished)
    assert main(arguments(text, finished)) == 0
    assert equal(tensors(finished), before[0]) and untimed(finished) == before[1]
    assert "done" in capsys.readouterr().out


def test_a_vocabulary_without_a_checkpoint_is_learned_anew(text, finished, tmp_path):
    """It may be that of other settings."""
    with run_folder(tmp_path, "pretrain"):
        pass
    (tmp_path / "vocab.txt").write_text("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n가\n나\n", encoding="utf-8")
    assert main(arguments(text, tmp_path)) == 0
    assert (tmp_path / "vocab.txt").read_bytes() == (finished / "vocab.txt").read_bytes()


# --- whose folder it is ----------------------------------------------------------------------------------------


def of_somebody(folder):
    """A model that somebody has, with names that a run uses, and what looks like leftovers."""
    (folder / ".config.old").mkdir(parents=True)
    (folder / ".config.old" / "mine").write_text("1")
    for name in ("vocab.txt", "log.jsonl", ".model.89abcdef.new", ".x.new"):
        (folder / name).write_text("mine")
    return contents(folder)


def contents(folder):
    return {str(path.relative_to(folder)): path.is_file() and path.read_bytes() for path in folder.rglob("*")}


@pytest.mark.parametrize("corpus", ["text", "none"])
def test_a_folder_of_somebody_is_refused_untouched(text, tmp_path, capsys, corpus):
    before = of_somebody(tmp_path / "mine")
    told = complaint(capsys, arguments(text if corpus == "text" else "none", tmp_path / "mine"))
    assert "must be empty or the folder of a pretrain run, and holds" in told
    assert contents(tmp_path / "mine") == before


def test_what_somebody_puts_into_the_folder_of_a_run_stays(text, finished, tmp_path):
    before = of_somebody(tmp_path / "run" / "mine")
    assert main(arguments(text, tmp_path / "other", stop_after=8)) == 0
    shutil.copytree(tmp_path / "other", tmp_path / "run", dirs_exist_ok=True)
    (tmp_path / "run" / ".config.old").mkdir()
    (tmp_path / "run" / ".notes.new").write_text("mine")
    (tmp_path / "run" / ".model.89abcdef.old").mkdir()
    (tmp_path / "run" / ".model.89abcdef.old" / "mine").write_text("mine")
    assert main(arguments(text, tmp_path / "run")) == 0
    assert contents(tmp_path / "run" / "mine") == before
    assert (tmp_path / "run" / ".notes.new").read_text() == "mine"
    assert (tmp_path / "run" / ".model.89abcdef.old" / "mine").read_text() == "mine"
    assert (tmp_path / "run" / ".config.old").is_dir() and equal(tensors(tmp_path / "run"), tensors(finished))


def other_text(own, out):
    kill_test.write_text(own, seed=6)


def cut_otherwise(own, out):
    own.write_text(own.read_text(encoding="utf-8").replace("\n\n", "\n", 1), encoding="utf-8")


def other_vocabulary(own, out):
    first, *tokens = (out / "vocab.txt").read_text(encoding="utf-8").splitlines()
    (out / "vocab.txt").write_text("\n".join([first, *tokens[::-1]]) + "\n", encoding="utf-8")


def foreign_log(own, out):
    (out / "log.jsonl").write_text('{"loss": 3}\n' + (out / "log.jsonl").read_text())


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (
            other_text,
            r"settings \(text was 'sha256 [0-9a-f]{16}…' and is 'sha256 [0-9a-f]{16}…'\): give the same",
        ),
        (cut_otherwise, "text was"),
        (other_vocabulary, "[(]vocabulary was"),
        (foreign_log, "log.jsonl, line 1, must be"),
    ],
)
def test_another_text_is_not_gone_on_with(text, tmp_path, capsys, change, told):
    """Nor one cut into other documents, nor another vocabulary, nor a log that somebody changed."""
    own, out = tmp_path / "own.txt", tmp_path / "out"
    own.write_bytes(text.read_bytes())
    assert main(arguments(own, out, stop_after=8)) == 0
    change(own, out)
    capsys.readouterr()
    before = contents(out)
    assert re.search(told, complaint(capsys, arguments(own, out)))
    assert contents(out) == before


@pytest.mark.parametrize(
    "wrong", [{"next_sentence": "no"}, {"corpus": Path("text.txt")}, {"precision": "half"}]
)
def test_settings_of_a_wrong_kind(wrong):
    """Python would take "no" for yes."""
    (name,) = wrong
    with pytest.raises(ValueError, match=f"^{name} must be .*got "):
        Settings(**(SMALL | wrong))


def test_ctrl_c(text, tmp_path, capsys, monkeypatch):
    def interrupt(tally, output, batch):
        raise KeyboardInterrupt

    monkeypatch.setattr(Tally, "add", interrupt)
    assert main(arguments(text, tmp_path)) == 130
    assert "the same command goes on from the last checkpoint" in capsys.readouterr().err


def test_the_kill_test_sees_a_difference(finished, text, tmp_path):
    other = tmp_path / "other"
    assert main(arguments(text, other, peak_rate=0.00101)) == 0
    assert kill_test.differences(kill_test.result(finished), kill_test.result(finished)) == []
    wrong = kill_test.differences(kill_test.result(other), kill_test.result(finished))
    assert {"log after 8", "checkpoint.safetensors: model.mlm.bias"} <= set(wrong)
    (other / ".checkpoint.safetensors.01234567.new").write_text("")
    assert "files" in kill_test.differences(kill_test.result(other), kill_test.result(finished))


# --- bad input -------------------------------------------------------------------------------------------------


def complaint(capsys, line):
    """What the command says on stderr: one line, without a traceback."""
    assert main(line) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("pretrain: ") and err.count("\n") == 1
    return err.removeprefix("pretrain: ").rstrip("\n")


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"steps": 0}, "steps must be a whole number of at least 1, got 0"),
        ({"heads": 5}, "hidden must be a multiple of heads, got 22 and 5"),
        ({"hidden": 33}, "hidden must be even"),
        ({"warmup": 25}, "warmup must be at most steps, got 25 and 24"),
        ({"positions": 22}, "positions must be at least max_length, got 22"),
        ({"max_length": 4}, "max_length must be a whole number of at least 5, got 4"),
        ({"dropout": 2}, "dropout must be a finite number, at least 0 and below 1, got 2.0"),
        ({"mask_rate": 0.0}, "mask_rate must be a finite number, above 0 and below 1, got 0.0"),
        ({"peak_rate": "nan"}, "peak_rate must be a finite number, at least 0, got nan"),
        ({"start_std": 0}, "start_std must be a finite number, above 0, got 0.0"),
        ({"seed": 2**63}, "seed must be a whole number from 0 to 9223372036854775807, got"),
        (
            {"vocab_size": 30},
            "at least 85 for the 36 different characters of this text, got 30, which leaves 47%",
        ),
        ({"threads": 100_000}, "threads must be a whole number from 1 to 256, got 100000"),
        ({"shares": "90,5"}, "shares must be 3 whole numbers of sum 100, such as 85,5,10; got '90,5'"),
        ({"shares": "90,-5,15"}, "shares must be 3 whole numbers"),
        ({"corpus": "none"}, "there is no text file"),
        ({"held_out": -1}, "held_out must be a whole number of at least 0, got -1"),
        ({"checkpoint_every": 0}, "checkpoint_every must be a whole number of at least 1, got 0"),
        ({"log_every": 0}, "log_every must be a whole number of at least 1, got 0"),
        ({"stop_after": 25}, "stop_after must be a whole number from 1 to 24, got 25"),
        ({"public": "nothing.csv"}, "the public corpora are"),
    ],
)
def test_numbers_that_do_not_fit(text, tmp_path, capsys, changed, told):
    assert told in complaint(capsys, arguments(text, tmp_path, **changed))
    assert not (tmp_path / "model").exists() and not (tmp_path / "checkpoint.safetensors").exists()


def test_other_settings_on_resume(text, finished, capsys):
    before = tensors(finished), untimed(finished)
    told = complaint(capsys, arguments(text, finished, peak_rate=0.002, steps=48))
    assert "other settings (peak_rate was 0.001 and is 0.002; steps was 24 and is 48)" in told
    assert equal(tensors(finished), before[0]) and untimed(finished) == before[1]


def test_a_rate_that_is_too_high(text, tmp_path, capsys):
    assert main(arguments(text, tmp_path, peak_rate=1e30, warmup=0)) == 2
    last = capsys.readouterr().err.splitlines()[-1]
    assert re.search(r"pretrain: update \d+: the gradient is (nan|inf), .*a smaller learning rate", last)


def test_the_command_has_an_option_for_each_setting(capsys):
    given = pretrain.arguments(["--out", "x"])
    assert chosen(Settings, given) == Settings()
    assert given.checkpoint_every == 500  # as its help says
    assert not chosen(Settings, pretrain.arguments(["--out", "x", "--no-whole-words"])).whole_words
    with pytest.raises(SystemExit):
        main(["--help"])
    told = capsys.readouterr().out
    assert "torchrun" in told and "Kill it at any moment" in told and "highest learning rate (0.001)" in told


# --- several processes -----------------------------------------------------------------------------------------


def torchrun(*line, processes=2):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    start = ["-m", "torch.distributed.run", "--nproc-per-node", str(processes), "--master-addr", "127.0.0.1"]
    return subprocess.run(
        [sys.executable, *start, "--master-port", str(port), "-m", "scripts.pretrain", *line],
        cwd=ROOT,
        env=os.environ | {"OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=600,
    )


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the name of the loopback interface")
@pytest.mark.rare
def test_two_processes_follow_one(text, tmp_path):
    """float32, dropout 0: the sums are the same, in another order. Measured 6e-8; 2e-6 is 1/500 of one update."""
    changed = dict(dropout=0.0, steps=8, warmup=2, log_every=4, weight_decay=0.3, seed=SEED)
    chosen = settings(text, **{name: value for name, value in changed.items() if name != "log_every"})
    assert main(arguments(text, tmp_path / "one", **changed)) == 0
    found = torchrun(*arguments(text, tmp_path / "two", **changed))
    assert found.returncode == 0, found.stderr
    assert found.stdout.count("done") == 1
    assert "Warning" not in found.stderr, found.stderr
    # The text is hard enough: ranks with unequal numbers of chosen tokens and of rows, none at all, no pairs.
    prepared = prepare_text(chosen, tmp_path / "one" / "vocab.txt")
    stream = batch_stream(chosen, prepared.train, prepared.tokenizer, seed=SEED)
    batches = [stream(number) for number in range(8)]
    counts = [[int((batch.part(rank, 2).labels != -100).sum()) for rank in (0, 1)] for batch in batches]
    assert sum(first != second for first, second in counts) >= 5
    assert any(len(batch.input_ids) == 1 for batch in batches)
    assert any(batch.next_sentence_label is None for batch in batches)
    one, two = tensors(tmp_path / "one"), tensors(tmp_path / "two")
    assert one.keys() == two.keys()  # what got no gradient in the one got none in the other
    start = new_model(chosen, len(prepared.tokenizer.vocab)).state_dict()
    for name in start:
        torch.testing.assert_close(two[f"model.{name}"], one[f"model.{name}"], rtol=0, atol=2e-6)
    moved = [(one[f"model.{name}"] - tensor).abs().max().item() for name, tensor in start.items()]
    assert sorted(moved)[len(moved) // 2] > 2e-3
    for a, b in zip(untimed(tmp_path / "one"), untimed(tmp_path / "two"), strict=True):
        assert a == pytest.approx(b, rel=1e-5)


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the name of the loopback interface")
@pytest.mark.rare
def test_more_processes_than_rows(text, tmp_path):
    found = torchrun(*arguments(text, tmp_path, batch_size=1))
    assert found.returncode != 0
    assert "pretrain: batch_size must be at least the processes, 2; got 1" in found.stderr
    assert not (tmp_path / "model").exists()


def test_each_of_several_processes_takes_its_rows(text, tmp_path):
    chosen = settings(text)
    prepared = prepare_text(chosen, tmp_path / "vocab.txt")
    whole = pretrain.own_batches(chosen, prepared, 0, 1)(3)
    assert len(whole.input_ids) == 7  # batch_size
    parts = [pretrain.own_batches(chosen, prepared, rank, 2)(3) for rank in (0, 1)]
    assert [len(part.input_ids) for part in parts] == [4, 3]
    rows = sorted(row.tolist() for part in parts for row in part.input_ids)
    assert rows == sorted(whole.input_ids.tolist())


@pytest.mark.parametrize("processes", [1, 2])
def test_dropout_goes_on_in_one_process_and_is_drawn_anew_in_each_of_several(text, tmp_path, processes):
    """The checkpoint holds the random state of one process: taken by all, it would drop the same everywhere."""
    file, recorded = tmp_path / "checkpoint.safetensors", {"processes": processes}
    model = new_model(settings(text), 120)
    optimizer = adamw(model)

    def drawn(rank):
        start = pretrain.begin(file, model, optimizer, recorded, SEED + rank)
        return start, torch.rand(5).tolist()

    begun = [drawn(rank) for rank in (0, 1)]
    save_checkpoint(file, model, optimizer, step=3, settings=recorded)
    went_on = torch.rand(5).tolist()
    again = [drawn(rank) for rank in (0, 1)]
    assert [start for start, _ in begun + again] == [0, 0, 3, 3]
    seen = [tuple(numbers) for _, numbers in begun + again]
    if processes == 1:
        assert begun[0] != begun[1] and seen[2] == seen[3] == tuple(went_on)
    else:
        assert len({*seen, tuple(went_on)}) == 5


def test_one_process_does_not_go_on_with_the_run_of_two(text, finished, tmp_path):
    model = new_model(settings(text), len((finished / "vocab.txt").read_text(encoding="utf-8").splitlines()))
    recorded = {"processes": 2, **asdict(settings(text))}
    with pytest.raises(ValueError, match="processes was 1 and is 2"):
        load_checkpoint(finished / "checkpoint.safetensors", model, adamw(model), settings=recorded)


def test_a_process_without_a_row_of_its_own_adds_nothing():
    batch = one_batch()[1]
    assert len(batch.input_ids) == 3
    parts = [own_part(batch, rank, 4) for rank in range(4)]
    assert torch.equal(torch.cat([part.input_ids for part in parts[:3]]), batch.input_ids)
    model = BertForPreTraining(BertConfig(13, 22, 1, 11, 37))
    result = model(**parts[3].inputs())
    assert result.mlm_loss.item() == 0 and result.nsp_loss is None
    objective(result, parts[3]).backward()
    assert not any(p.grad is not None and p.grad.any() for p in model.parameters())


def test_the_settings_share_a_homonym_in_the_batches():
    documents = [[[number, number + 1, 5], [number + 2, 5]] for number in range(10, 400, 3)]
    tokens = [*VOCABULARY, *map(str, range(len(VOCABULARY), 410))]
    tokens[5] = "배"
    tokenizer = WordPieceTokenizer({token: number for number, token in enumerate(tokens)})
    ways = [
        batch_stream(Settings(**SMALL | {"same_homonym": share}), documents, tokenizer, seed=1)
        for share in (0.0, 0.9)
    ]
    assert [stream.same_homonym for stream in ways] == [0.0, 0.9] and ways[0].homonyms == [5]
    assert not torch.equal(ways[0](0).input_ids, ways[1](0).input_ids)
