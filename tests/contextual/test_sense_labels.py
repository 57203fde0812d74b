"""experiments/sense_labels.py: what it stores, on a small model and a few labelled sentences."""

import json
from types import SimpleNamespace

import pytest

from course_utils.bert import BertConfig, BertModel
from course_utils.contextual.baselines import fit_naive_bayes, placed_pieces
from course_utils.contextual.evaluation import held_out_sentences
from course_utils.datasets.batching import seeded
from course_utils.datasets.corpus import CORPUS, HOMONYMS, sense_documents
from course_utils.heads import BertForPreTraining
from course_utils.pretrained import load_pretrained
from course_utils.pretrained.checkpoints import SenseReadout
from experiments import sense_labels
from scripts.sense_task import CLASSES, sense_examples


@pytest.fixture(scope="module")
def tokenizer():
    return load_pretrained(model_class=BertModel)[1]


@pytest.fixture
def corpus(tmp_path):
    """The first three documents of each sense."""
    for word, (name, senses) in HOMONYMS.items():
        for sense in senses:
            documents = ["\n".join(one) for one in sense_documents(word, sense, CORPUS)[:3]]
            (tmp_path / f"{name}_{sense}.txt").write_text("\n\n".join(documents) + "\n", encoding="utf-8")
    return tmp_path


def test_counting_is_that_of_the_placed_pieces(tokenizer, corpus):
    examples = sense_examples(tokenizer, corpus)
    asked = sense_labels.asked(tokenizer)
    answers = sense_labels.by_counting(tokenizer, examples, asked)
    read = {sense: sense_documents("배", sense, corpus) for sense in HOMONYMS["배"][1]}
    once = {
        sense: [s for document in documents for s in document if s.count("배") == 1]
        for sense, documents in read.items()
    }
    counts = fit_naive_bayes(
        {sense: [placed_pieces(tokenizer, s, "배") for s in rows] for sense, rows in once.items()}
    )
    texts = [s for rows in held_out_sentences()["배"].values() for s in rows]
    plain = [counts.senses[counts.scores(placed_pieces(tokenizer, s, "배")).argmax()] for s in texts]
    by_text = dict(zip([tuple(tokenizer.encode(s).input_ids) for s in texts], plain, strict=True))
    ours = [
        (CLASSES[answer][1], by_text[tuple(one.example.ids)])
        for one, answer in zip(asked, answers, strict=True)
        if one.word == "배"
    ]
    # Sentences that name 배 twice are learned from there and not here; all else is the same.
    assert sum(a == b for a, b in ours) > 0.85 * len(ours) and len(ours) == 256


def test_shares_are_right_over_asked(tokenizer):
    asked = sense_labels.asked(tokenizer)
    assert len(asked) == 704
    right = [one.example.label for one in asked]
    assert all(share == 1 for half in sense_labels.shares(asked, right).values() for share in half.values())
    first = next(place for place, one in enumerate(asked) if one.word == "밤" and one.half == "report")
    right[first] += 1
    found = sense_labels.shares(asked, right)
    number = sum(one.word == "밤" and one.half == "report" for one in asked)
    assert found["report"]["밤"] == pytest.approx(1 - 1 / number, abs=1e-4) and found["validation"]["밤"] == 1


def test_the_rate_is_the_best_of_the_validation_half_with_the_first_draw(tmp_path):
    def run(rate, seed, validation, report):
        halves = {"validation": validation, "report": report}
        plan = {"way": "tuned", "labels": 5, "seed": seed, "rate": rate}
        return plan | {name: dict.fromkeys(HOMONYMS, share) for name, share in halves.items()}

    stored = SimpleNamespace(
        runs=dict(enumerate([run(1e-4, 1, 1.0, 0.9), run(1e-4, 0, 0.5, 0.9), run(3e-4, 0, 0.6, 0.3)]))
    )
    (point,) = sense_labels.report(stored)["curves"]["tuned"]
    assert (point["rate"], point["seeds"], point["report"]) == (3e-4, 1, (0.3, 0.3))


@pytest.mark.rare
def test_each_way_is_stored(tokenizer, corpus, tmp_path, monkeypatch):
    def small():
        config = BertConfig(
            vocab_size=len(tokenizer.vocab), hidden_size=8, num_hidden_layers=2, num_attention_heads=2,
            intermediate_size=8, max_position_embeddings=64,
        )  # fmt: skip
        model = BertForPreTraining(config, generator=seeded(0)).eval()
        model.bert.sense_readout = SenseReadout(1, 1.0)
        return model, tokenizer

    monkeypatch.setattr(sense_labels, "load_pretrained", small)
    monkeypatch.setattr(sense_labels, "WHOLE_CORPUS", corpus)
    monkeypatch.setattr(sense_labels, "STEPS", dict.fromkeys((2, 0), 2))
    monkeypatch.setattr(sense_labels, "LABELS", (2, 0))
    monkeypatch.setattr(sense_labels, "RATES", {"tuned": (1e-3,), "scratch": (1e-3,)})
    out = tmp_path / "labels.json"
    assert sense_labels.main(["--out", str(out), "--seeds", "1"]) == 0
    found = json.loads(out.read_text(encoding="utf-8"))
    assert [len(points) for points in found["curves"].values()] == [2, 2, 2, 2] and len(found["runs"]) == 8
    before = out.read_bytes()
    assert sense_labels.main(["--out", str(out), "--seeds", "1"]) == 0
    assert out.read_bytes() == before
