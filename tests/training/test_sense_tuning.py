"""The third task: examples at the right place, hidden as promised, judged among the senses of their own word."""

from __future__ import annotations

import math

import pytest
import torch

from course_utils.datasets.batching import PretrainingBatches, encode_documents, seeded
from course_utils.datasets.corpus import HOMONYMS, read_documents
from course_utils.datasets.vocabulary import train_vocabulary
from course_utils.heads import BertForPreTraining
from course_utils.pretrained import load_pretrained, save_pretrained
from course_utils.support.folders import run_folder
from course_utils.training.log import read_log
from scripts.sense_task import (
    CLASSES,
    CONTEXT_HIDDEN,
    WORD_HIDDEN,
    Example,
    SenseBatch,
    SenseHead,
    sense_batch,
    sense_examples,
)
from scripts.sense_tuning import Tuning, main, tune
from tests.small import small_config


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A corpus of two documents a sense. The clue of each sense is a syllable of its own."""
    folder = tmp_path_factory.mktemp("corpus")
    for number, (word, sense) in enumerate(CLASSES):
        clue = chr(0xAC00 + 28 * number) * 2
        documents = [
            f"{clue} {word}에서 보았다.\n{word}의 {clue}도 좋다.",
            f"오늘도 {clue} {word}만 남았다.\n그렇다.",
        ]
        (folder / f"{HOMONYMS[word][0]}_{sense}.txt").write_text(
            "\n\n".join(documents) + "\n", encoding="utf-8"
        )
    return folder


@pytest.fixture(scope="module")
def tokenizer(folder):
    return train_vocabulary([line for document in read_documents(folder) for line in document], 200)


def tiny(tokenizer, *, hidden_size=20):
    sizes = {"hidden_size": hidden_size, "intermediate_size": 2 * hidden_size}
    config = small_config(len(tokenizer.vocab), **sizes, initializer_range=0.1)
    return BertForPreTraining(config, generator=seeded(0))


def test_examples_stand_at_their_homonym(folder, tokenizer):
    examples = sense_examples(tokenizer, folder)
    assert len(examples) == 3 * len(CLASSES)
    for example in examples:
        assert example.ids[example.place] == tokenizer.vocab[CLASSES[example.label][0]]
        assert example.ids[0] == tokenizer.vocab["[CLS]"] and example.ids[-1] == tokenizer.vocab["[SEP]"]
    assert sense_examples(tokenizer, folder, max_length=4) == []


def test_so_many_labels_a_sense_spread_over_its_documents(tokenizer, tmp_path):
    """Seven documents a sense, of one usable sentence to four; the first sentence holds the homonym twice."""
    for word, sense in CLASSES:
        lines = [[" 좋다" * (4 * number + line) for line in range(1 + number % 4)] for number in range(7)]
        documents = [[f"{word} 보았다{line}." for line in document] for document in lines]
        documents[0][0] += f" {word} 보았다."
        documents[6].append("오늘도 좋다.")  # no homonym: no label
        text = "\n\n".join("\n".join(document) for document in documents) + "\n"
        (tmp_path / f"{HOMONYMS[word][0]}_{sense}.txt").write_text(text, encoding="utf-8")

    def drawn(labels, seed=0):
        """Label -> {sentence: number of its document}."""
        found = sense_examples(tokenizer, tmp_path, max_length=999, labels=labels, seed=seed)
        sentences = [{} for _ in CLASSES]
        for example in found:
            good = example.ids.count(tokenizer.vocab["좋다"])
            sentences[example.label][tuple(example.ids)] = good // 4
        return sentences

    everything, usable = drawn(0), 1 + 2 + 3 + 4 + 1 + 2 + 3
    assert [len(sentences) for sentences in everything] == [usable] * len(CLASSES)
    assert drawn(usable) == drawn(usable + 5) == everything
    one, seven, ten = (drawn(labels) for labels in (1, 7, 10))
    for few, some, more, every in zip(one, seven, ten, everything):
        assert (len(few), len(some), len(more)) == (1, 7, 10)
        assert sorted(some.values()) == [0, 1, 2, 3, 4, 5, 6]  # one of each document
        assert few.items() <= some.items() <= more.items() <= every.items()
    assert drawn(10) == ten != drawn(10, seed=1)
    both = [example for example in sense_examples(tokenizer, tmp_path, labels=7) if example.label == 0]
    assert len(both) == 7 + 1  # the sentence that holds the homonym twice is one label


def test_what_is_hidden(tokenizer):
    """Of 20,000 rows: homonyms 50 %, other pieces 15 %, within five standard errors; special tokens never."""
    mask, rows = tokenizer.vocab["[MASK]"], 20_000
    example = Example([tokenizer.vocab["[CLS]"], 7, 11, 13, tokenizer.vocab["[SEP]"]], 2, 5)
    short = Example([tokenizer.vocab["[CLS]"], 11, tokenizer.vocab["[SEP]"]], 1, 3)
    batch = sense_batch([example] * rows + [short], tokenizer, generator=seeded(3))
    hidden = (batch.input_ids == mask).float()[:rows]
    for column, rate in enumerate((0.0, CONTEXT_HIDDEN, WORD_HIDDEN, CONTEXT_HIDDEN, 0.0)):
        error = math.sqrt(rate * (1 - rate) / rows)
        assert abs(hidden[:, column].mean() - rate) <= 5 * error
    assert batch.attention_mask[-1].tolist() == [1, 1, 1, 0, 0]
    assert batch.input_ids[-1, 3:].tolist() == [tokenizer.vocab["[PAD]"]] * 2
    assert (batch.places[0], batch.places[-1], batch.labels[0], batch.labels[-1]) == (2, 1, 5, 3)
    again = sense_batch([example] * rows + [short], tokenizer, generator=seeded(3))
    assert torch.equal(batch.input_ids, again.input_ids)


def test_a_new_head_is_at_chance_among_the_senses_of_the_word():
    """배 has four senses, 눈 two; the senses of other words take no share."""
    hidden = torch.randn(2, 3, 7, generator=seeded(1))
    batch = SenseBatch(torch.zeros(2, 3), torch.ones(2, 3), torch.tensor([2, 1]), torch.tensor([1, 4]))
    assert SenseHead(7).loss(hidden, batch).item() == pytest.approx((math.log(4) + math.log(2)) / 2)


def test_the_head_reads_the_homonym_and_nothing_else():
    head = SenseHead(5)
    torch.nn.init.normal_(head.weight, generator=seeded(2))
    hidden = torch.randn(3, 7, 5, generator=seeded(4), requires_grad=True)
    places = torch.tensor([1, 6, 3])
    labels = torch.tensor([0, 5, 16])
    head.loss(hidden, SenseBatch(torch.zeros(3, 7), torch.ones(3, 7), places, labels)).backward()
    touched = hidden.grad.abs().sum(-1) > 0
    assert touched.nonzero().tolist() == [[0, 1], [1, 6], [2, 3]]


@pytest.mark.rare
def test_it_learns_the_clues_and_leaves_a_plain_model(folder, tokenizer):
    model, examples = tiny(tokenizer, hidden_size=64), sense_examples(tokenizer, folder)
    names = set(model.state_dict())
    usual = PretrainingBatches(encode_documents(read_documents(folder), tokenizer), tokenizer, batch_size=7)
    seen = []
    tune(
        model,
        tokenizer,
        usual,
        examples,
        Tuning(steps=150, batch_size=36, peak_rate=5e-3, dropout=0.0),
        after_step=lambda step: seen.append(step.output.sense_loss.item()),
    )
    assert not model.training and set(model.state_dict()) == names
    assert sum(seen[-15:]) < 0.6 * sum(seen[:15])


def test_the_same_seed_gives_the_same_weights(folder, tokenizer):
    examples = sense_examples(tokenizer, folder)
    usual = PretrainingBatches(encode_documents(read_documents(folder), tokenizer), tokenizer, batch_size=7)
    models = [tiny(tokenizer) for _ in range(3)]
    for model, seed in zip(models, (5, 5, 6)):
        tune(model, tokenizer, usual, examples, Tuning(steps=3, batch_size=11, seed=seed))
    first, second, third = (model.state_dict()["bert.embeddings.token.weight"] for model in models)
    assert torch.equal(first, second) and not torch.equal(first, third)


@pytest.mark.rare
def test_the_command(tmp_path, folder, tokenizer, capsys):
    save_pretrained(tiny(tokenizer), tokenizer, tmp_path / "model")
    command = ["--model", str(tmp_path / "model"), "--out", str(tmp_path / "tuned"), "--corpus", str(folder)]
    numbers = ["--steps", "50", "--batch-size", "5", "--threads", "1"]
    assert main([*command, *numbers]) == 0
    load_pretrained(tmp_path / "tuned" / "model")
    (record,) = read_log(tmp_path / "tuned" / "log.jsonl")
    assert record.keys() == {"step", "learning_rate", "mlm_loss", "sense_loss"} and record["step"] == 50
    capsys.readouterr()
    for wrong, sentence in (
        (["--steps", "0"], "steps must be a whole number of at least 1, got 0"),
        (["--dropout", "2"], "dropout must be a finite number, at least 0 and below 1, got 2.0"),
        (["--labels", "-1"], "labels must be a whole number of at least 0, got -1"),
        (["--corpus", str(tmp_path)], "there is no text file"),
        (["--model", str(tmp_path / "nowhere")], "there is no model folder"),
    ):
        assert main([*command, *numbers, *wrong]) == 2
        told = capsys.readouterr().err.splitlines()
        assert len(told) == 1 and sentence in told[0]
        assert read_log(tmp_path / "tuned" / "log.jsonl") == [record]  # what is refused does no harm
    before = load_pretrained(tmp_path / "tuned" / "model")[0].nsp.weight
    assert main([*command, *numbers, "--peak-rate", "1e30"]) == 2
    assert "a smaller learning rate" in capsys.readouterr().err.splitlines()[-1]
    assert torch.equal(load_pretrained(tmp_path / "tuned" / "model")[0].nsp.weight, before)


def test_whose_folder_it_is(tmp_path, folder, tokenizer, capsys):
    save_pretrained(tiny(tokenizer), tokenizer, tmp_path / "model")
    out = tmp_path / "tuned"
    line = ["--model", str(tmp_path / "model"), "--out", str(out), "--corpus", str(folder), "--steps", "1"]
    line += ["--batch-size", "5", "--threads", "1"]
    with run_folder(out, "pretrain"):
        (out / "log.jsonl").write_text("mine")
    assert main(line) == 2 and "another kind of run, pretrain" in capsys.readouterr().err
    assert (out / "log.jsonl").read_text() == "mine"
    line[3] = str(tmp_path / "other")
    with run_folder(tmp_path / "other", "sense_tuning"):
        (tmp_path / "other" / ".log.jsonl.01234567.new").write_text("half")
        (tmp_path / "other" / ".config.old").mkdir()
    assert main(line) == 0
    made = {".course-run.json", ".course-run.lock", ".config.old", "log.jsonl", "model"}
    assert {file.name for file in (tmp_path / "other").iterdir()} == made


def test_the_head_keeps_its_weights_and_no_table_of_the_senses():
    head = SenseHead(7)
    assert head.state_dict().keys() == {"weight", "bias"}
    words = [word for word, _ in CLASSES]
    assert head.same_word.tolist() == [[one == other for other in words] for one in words]
    assert not head.weight.any() and not head.bias.any() and head.weight.shape == (len(CLASSES), 7)
