"""experiments/sense_stages.py: what it writes, on a small model and a few sentences."""

import json

import pytest

from course_utils.contextual.evaluation import evaluate_layers, half, held_out_sentences
from course_utils.datasets.batching import seeded
from course_utils.heads import BertForPreTraining
from course_utils.pretrained import load_pretrained, save_pretrained
from experiments import sense_stages
from tests.small import small_config

FEW = {"밤": {sense: sentences[:7] for sense, sentences in held_out_sentences()["밤"].items()}}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    _, tokenizer = load_pretrained()
    config = small_config(len(tokenizer.vocab), max_position_embeddings=64)
    path = tmp_path_factory.mktemp("stages") / "model"
    save_pretrained(BertForPreTraining(config, generator=seeded(0)), tokenizer, path)
    return path


@pytest.mark.rare
def test_each_half_of_each_stage_is_what_evaluate_layers_says(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(sense_stages, "held_out_sentences", lambda: FEW)
    out = tmp_path / "stages.json"
    assert sense_stages.main([f"first={folder}", f"the second={folder}", "--out", str(out)]) == 0
    found = json.loads(out.read_text(encoding="utf-8"))
    assert [stage["name"] for stage in found["stages"]] == ["first", "the second"]
    bert, tokenizer = load_pretrained(folder)
    for name, validation in (("validation", True), ("report", False)):
        part = half(FEW, validation=validation)
        assert found["sentences"][name] == {"밤": sum(map(len, part["밤"].values()))}
        results = evaluate_layers(bert, tokenizer, held_out=part)
        for stage in found["stages"]:
            told = stage[name]
            assert told["nearest_sense"]["밤"] == pytest.approx([one.accuracy for one in results], abs=1e-4)
            assert told["neighbour"]["밤"] == pytest.approx([one.neighbour for one in results], abs=1e-4)
            assert told["separation"]["밤"] == pytest.approx([one.separation for one in results], abs=1e-4)
    assert found["stages"][0]["validation"] != found["stages"][0]["report"]


@pytest.mark.parametrize("stage", ["first", "first=", "=folder"])
def test_a_stage_without_a_name_or_a_folder_is_refused(stage, tmp_path, capsys):
    assert sense_stages.main([stage, "--out", str(tmp_path / "stages.json")]) == 2
    assert f"each stage must be NAME=FOLDER, got '{stage}'" in capsys.readouterr().err
    assert not (tmp_path / "stages.json").exists()
