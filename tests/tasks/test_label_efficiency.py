"""tools/label_efficiency.py: the same labels for all, chosen on validation, told by hand, gone on with."""

from __future__ import annotations

import json

import pytest
import torch

from course_utils.config import BertConfig
from course_utils.heads import BertForPreTraining
from course_utils.pretrained import save_pretrained
from course_utils.tasks.reviews import LabelledReview
from course_utils.tokenization import WordPieceTokenizer
from tools import label_efficiency
from tools.label_efficiency import Measurement, Recipe, best, draw, main, started, table

WORDS = ["좋다", "나쁘다", *"가나다라마바사"]
VOCAB = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS]


@pytest.fixture
def folder(tmp_path):
    config = BertConfig(
        vocab_size=len(VOCAB), hidden_size=8, num_hidden_layers=1, num_attention_heads=2, intermediate_size=11,
        max_position_embeddings=16, initializer_range=0.2,
    )  # fmt: skip
    tokenizer = WordPieceTokenizer(
        {piece: number for number, piece in enumerate(VOCAB)}, lowercase=False, strip_accents=False
    )
    model = BertForPreTraining(config, generator=torch.Generator().manual_seed(0))
    save_pretrained(model, tokenizer, tmp_path / "model")
    return str(tmp_path / "model")


def made(number):
    texts = [f"{WORDS[2 + count % 7]} {WORDS[count % 2]} {WORDS[2 + count % 5]}" for count in range(number)]
    return [LabelledReview(text, 1 - count % 2) for count, text in enumerate(texts)]


@pytest.fixture
def few(monkeypatch):
    parts = {"train": made(40), "validation": made(14), "test": made(10)}
    monkeypatch.setattr(label_efficiency, "labelled_reviews", lambda: parts)
    recipe = Recipe(rates=(1e-4, 1e-2), layer_decay=1.0, epochs=1, least_updates=100)
    monkeypatch.setattr(label_efficiency, "RECIPES", {"pre-trained": recipe, "from scratch": recipe})


def test_a_draw_is_balanced_and_holds_the_smaller_ones():
    labels = [0] * 30 + [1] * 20
    large = draw(labels, 20, seed=4)
    assert len(set(large)) == 20 and sum(labels[number] for number in large) == 10
    assert set(draw(labels, 6, seed=4)) < set(large)
    assert draw(labels, 20, seed=4) == large != draw(labels, 20, seed=5)
    with pytest.raises(ValueError, match="60 balanced labels are wanted"):
        draw(labels, 60, seed=0)


def test_both_start_with_the_same_head_and_only_one_with_what_was_learned(folder):
    tuned, fresh = (started(folder, name, 3) for name in ("pre-trained", "from scratch"))
    assert torch.equal(tuned.classifier.weight, fresh.classifier.weight)
    other = started(folder, "from scratch", 4)
    for name, parameter in fresh.named_parameters():
        if name.startswith("bert.") and parameter.numel() > 50 and "position" not in name:
            assert not torch.equal(parameter, tuned.get_parameter(name)), name
            assert not torch.equal(parameter, other.get_parameter(name)), name
            assert float(parameter.detach().std()) == pytest.approx(0.2, rel=0.4), name


FOUND = [
    # by validation 0.2 is better, by test 0.1
    *(Measurement("pre-trained", 100, seed, 0.1, 0.6, 0.9) for seed in (0, 1)),
    Measurement("pre-trained", 100, 1, 0.2, 0.9, 0.8),
    Measurement("pre-trained", 100, 0, 0.2, 0.5, 0.7),
    Measurement("from scratch", 100, 0, 0.3, 0.5, 0.6),
    Measurement("from scratch", 100, 1, 0.3, 0.5, 0.6),
    Measurement("naive Bayes", 100, 0, 1.0, 0.5, 0.75),
    Measurement("naive Bayes", 100, 1, 1.0, 0.5, 0.65),
]


def test_what_is_told_was_chosen_on_validation():
    assert [(one.seed, one.setting, one.test) for one in best(FOUND, "pre-trained", 100)] == [
        (0, 0.2, 0.7),
        (1, 0.2, 0.8),
    ]


def test_the_table_by_hand():
    head, row = table(FOUND)
    assert head == [
        "labels",
        "pre-trained",
        "from scratch",
        "naive Bayes",
        "gain over scratch",
        "gain over counting",
    ]
    # 70 and 80 against 60 and 60: 15 on average, standard error 10 / √2 / √2; against 75 and 65: −5 and +15
    assert row == [
        "100", "0.750 ± 0.071 (0.2)", "0.600 ± 0.000 (0.3)", "0.700 ± 0.071 (1)", "+15.0 ± 5.0 points",
        "+5.0 ± 10.0 points",
    ]  # fmt: skip


def test_a_size_that_is_not_measured_wholly_is_not_told():
    half = [one for one in FOUND if one.start != "naive Bayes"]
    assert table(half) == [table(FOUND)[0]]


def test_the_command_goes_on_where_it_was_stopped(folder, few, tmp_path, monkeypatch, capsys):
    command = [
        "--model",
        folder,
        "--out",
        str(tmp_path / "o.json"),
        "--sizes",
        "30",
        "--seeds",
        "2",
        "--threads",
        "1",
    ]
    assert main(command) == 0
    whole = (tmp_path / "o.json").read_text(encoding="utf-8")
    measured = json.loads(whole)["measured"]
    assert len(measured) == 2 * (4 + 2 + 2)
    told = capsys.readouterr().out.splitlines()
    assert told[-1].startswith("30 ") and "points" in told[-1]
    best_rate = [Measurement(*one) for one in measured if one[0] == "pre-trained" and one[3] == 1e-2]
    assert min(one.test for one in best_rate) == 1.0  # the planted word is learned

    cut = json.loads(whole)
    cut["measured"] = measured[:-3]
    (tmp_path / "o.json").write_text(json.dumps(cut, ensure_ascii=False), encoding="utf-8")
    assert main(command) == 0
    assert (tmp_path / "o.json").read_text(encoding="utf-8") == whole
    assert len(capsys.readouterr().out.splitlines()) == 3 + 2

    monkeypatch.setattr(label_efficiency, "RECIPES", {"pre-trained": Recipe((1.0,), 1.0, 1)})
    assert main(command) == 2
    said = capsys.readouterr()
    assert "was measured with other settings" in said.err and len(said.err.splitlines()) == 1


@pytest.mark.parametrize("sizes", ["ten", "7", "0", ""])
def test_sizes_that_cannot_be(sizes, folder, few, tmp_path, capsys):
    assert main(["--model", folder, "--out", str(tmp_path / "o.json"), "--sizes", sizes]) == 2
    assert "must be even numbers above 0" in capsys.readouterr().err
