"""The course's own checkpoints: small, whole, the same in `transformers`, and they tell a ship from a pear."""

from __future__ import annotations

import json
import re
from hashlib import sha256
from pathlib import Path

import pytest
import torch
import transformers
from safetensors import safe_open

from course_utils.contextual import influence, nearest_sense
from course_utils.contextual.evaluation import evaluate, half, held_out_sentences
from course_utils.datasets.corpus import HOMONYMS
from course_utils.datasets.vocabulary import is_glued
from course_utils.heads import BertForPreTraining
from course_utils.pretrained import load_pretrained, save_pretrained
from course_utils.pretrained.checkpoints import DEFAULT, course_checkpoints, sense_readout
from course_utils.pretrained.folder import SAVED
from course_utils.support.paths import CHECKPOINTS
from course_utils.training.log import read_log

ROOT = Path(__file__).parents[2]
of_each = pytest.mark.parametrize("name", course_checkpoints())


@pytest.fixture(scope="module")
def course_bert():
    return load_pretrained()


def test_two_checkpoints_and_the_plain_one_opens_without_a_name():
    assert list(course_checkpoints()) == ["course-bert", "course-bert-senses"]
    assert DEFAULT == "course-bert" and course_checkpoints()["course-bert-senses"]["parent"] == DEFAULT


@of_each
def test_no_file_over_12_megabytes_and_half_precision(name):
    assert max(file.stat().st_size for file in (CHECKPOINTS / name).iterdir()) <= 12_000_000
    with safe_open(CHECKPOINTS / name / "model.safetensors", framework="pt") as file:
        assert {file.get_tensor(weight).dtype for weight in file.keys()} == {torch.float16}  # noqa: SIM118


@of_each
def test_every_file_that_is_loaded_has_its_sum(name):
    sums = course_checkpoints()[name]["sha256"]
    assert {file.name for file in (CHECKPOINTS / name).iterdir()} & SAVED == sums.keys()
    for file, expected in sums.items():
        assert sha256((CHECKPOINTS / name / file).read_bytes()).hexdigest() == expected


@of_each
def test_a_checkpoint_knows_where_its_senses_are_read(name):
    model, _ = load_pretrained(name)
    table = course_checkpoints()[name]
    assert sense_readout(model)._asdict() == table["senses"]
    assert sense_readout(model.bert) == sense_readout(model)
    assert {"parent", "command", "text", "tokens", "hours", "licence"} <= table.keys()


def test_another_folder_needs_its_layer_told(course_bert, tmp_path):
    save_pretrained(*course_bert, tmp_path / "mine")
    model, tokenizer = load_pretrained(tmp_path / "mine")
    with pytest.raises(ValueError, match="give layer=, from 0 to 4"):
        nearest_sense(model, tokenizer, "나는 항구에 들러 배를 탔다.", "배")
    with pytest.raises(ValueError, match="layer must lie in 0 … 4, got 5"):
        nearest_sense(model, tokenizer, "나는 항구에 들러 배를 탔다.", "배", layer=5)
    given = nearest_sense(model, tokenizer, "나는 항구에 들러 배를 탔다.", "배", layer=4)
    shipped = nearest_sense(*course_bert, "나는 항구에 들러 배를 탔다.", "배")
    assert given[0][0] == shipped[0][0] == "ship" and given[0][1] > shipped[0][1]  # τ = 1, not cooled


@of_each
def test_transformers_opens_it_as_it_is_with_the_same_numbers(name):
    model, tokenizer = load_pretrained(name)
    assert isinstance(model, BertForPreTraining) and not model.training
    reference = transformers.BertForPreTraining.from_pretrained(CHECKPOINTS / name, dtype=torch.float32).eval()
    cut = transformers.BertTokenizer.from_pretrained(CHECKPOINTS / name)
    sentences = ["나는 항구에 들러 배를 탔다.", "나는 사과와 배를 먹었다."]
    inputs = cut(*sentences, return_tensors="pt")
    assert inputs["input_ids"][0].tolist() == tokenizer.encode(*sentences).input_ids
    with torch.no_grad():
        theirs = reference(**inputs, output_hidden_states=True)
        ours = model(**inputs)
    torch.testing.assert_close(ours.prediction_logits, theirs.prediction_logits, rtol=0, atol=2e-5)
    pair = ours.seq_relationship_logits, theirs.seq_relationship_logits
    torch.testing.assert_close(*pair, rtol=0, atol=1e-5)
    for mine, other in zip(ours.hidden_states, theirs.hidden_states, strict=True):
        torch.testing.assert_close(mine, other, rtol=0, atol=1e-5)


def test_its_vocabulary_keeps_homonyms_apart_from_their_particles(course_bert):
    _, tokenizer = course_bert
    assert set(HOMONYMS) <= tokenizer.vocab.keys()
    assert not any(is_glued(piece) for piece in tokenizer.vocab)
    assert tokenizer.tokenize("배를 배가 배에서") == ["배", "##를", "배", "##가", "배", "##에서"]


@of_each
def test_ship_or_pear(name):
    model, tokenizer = load_pretrained(name)
    for sentence, sense in (("나는 항구에 들러 배를 탔다.", "ship"), ("나는 사과와 배를 먹었다.", "pear")):
        ranked = nearest_sense(model, tokenizer, sentence, "배")
        assert ranked[0][0] == sense
        assert sorted(name for name, _ in ranked) == ["belly", "pear", "ship", "times"]
        assert sum(score for _, score in ranked) == pytest.approx(1, abs=1e-5)
        assert max(influence(model, tokenizer, sentence, "배"), key=lambda word: word.drop).drop > 0


@pytest.mark.slow
@pytest.mark.rare
@of_each
def test_the_card_tells_what_is_measured(name):
    """The model card's table is that of evaluate_senses --half report: one that no longer fits its model fails here."""
    card = (CHECKPOINTS / name / "README.md").read_text(encoding="utf-8")
    for result in evaluate(*load_pretrained(name), held_out=half(held_out_sentences(), validation=False)):
        row = re.search(rf"^\| {result.word} \|.*$", card, flags=re.MULTILINE)
        assert row is not None and f" {result.accuracy:.3f} " in row[0], (result.word, result.accuracy)


def test_its_log_is_whole():
    log = read_log(CHECKPOINTS / DEFAULT / "training_log.jsonl")
    settings = json.loads((CHECKPOINTS / DEFAULT / "config.json").read_text(encoding="utf-8"))
    assert settings["num_hidden_layers"] == 4
    assert [record["step"] for record in log] == sorted({record["step"] for record in log})
    assert log[-1]["mlm_loss"] < log[0]["mlm_loss"] and "held_out_mlm_loss" in log[-1]
