"""The table of senses: its numbers by hand, on a tiny model and a toy corpus."""

from __future__ import annotations

import math

import pytest
import torch

from course_utils.before.word2vec import WordVectors
from course_utils.bert import BertModel
from course_utils.config import BertConfig
from course_utils.contextual import evaluation, nearest_sense, neighbour_accuracy, senses, separation
from course_utils.contextual.evaluation import (
    Judgement,
    LayerResult,
    WordResult,
    choose_readout,
    evaluate,
    evaluate_layers,
    half,
    held_out_sentences,
    judge,
    mistakes,
    wilson_interval,
)
from course_utils.contextual.vectors import word_vectors
from course_utils.pretrained import save_pretrained
from course_utils.pretrained.checkpoints import SenseReadout
from scripts import evaluate_senses
from tests.small import tokenizer_of

TOY = {
    "eye": [["눈이 아파서 안과에 갔다", "안과에서 약을 받았다"], ["눈을 감고 잤다", "눈에 약을 넣었다"]],
    "snow": [["눈이 내려서 길이 얼었다", "눈을 치웠다"], ["길에 눈이 쌓였다"]],
    "night": [["밤이 되어 잤다", "밤에 별을 보았다"]],
    "chestnut": [["밤을 구워 먹었다", "밤이 달다"]],
}
HELD_OUT = {
    "눈": {
        "eye": ["안과에서 눈을 보았다", "눈이 아프다", "약을 눈에 넣었다"],
        "snow": ["눈이 길에 쌓였다", "눈이 내렸다"],
    },
    "밤": {"night": ["밤이 되었다", "별을 밤에 보았다"], "chestnut": ["구운 밤을 먹었다", "단 밤이다"]},
}
TEXTS = [line for group in TOY.values() for text in group for line in text]
TEXTS += [text for word in HELD_OUT.values() for group in word.values() for text in group]
# All: [UNK]s would make sentences tie.
LETTERS = sorted({letter for text in TEXTS for letter in text} - {" "})
VOCAB = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *LETTERS, *(f"##{letter}" for letter in LETTERS)]


@pytest.fixture
def tokenizer():
    return tokenizer_of(VOCAB)


@pytest.fixture
def model():
    config = BertConfig(
        vocab_size=len(VOCAB) + 7, hidden_size=15, num_hidden_layers=2, num_attention_heads=3, intermediate_size=31,
        max_position_embeddings=37, initializer_range=0.3,
    )  # fmt: skip
    model = BertModel(config, generator=torch.Generator().manual_seed(0)).eval()
    model.sense_readout = SenseReadout(layer=2, temperature=1.0)
    return model


@pytest.fixture(autouse=True)
def toy_corpus(monkeypatch):
    for module in (senses, evaluation):
        monkeypatch.setattr(module, "sense_documents", lambda word, sense, folder=None: TOY[sense])


def vectors_of_pieces(tokenizer):
    drawn = torch.randn(len(VOCAB), 5, generator=torch.Generator().manual_seed(2))
    return WordVectors(tuple(VOCAB), drawn, torch.ones(len(VOCAB), dtype=torch.int64))


def made_up(word, *answers):
    """A result by hand: (sense, what it was taken for) for each sentence."""
    judgements = tuple(
        Judgement(word, f"{number}", sense, ((answer, 0.7), ("other", 0.3)))
        for number, (sense, answer) in enumerate(answers)
    )
    return WordResult(
        word, judgements, neighbour=0.5, separation=0.25, naive_bayes=0.75, with_places=0.875, static=None
    )


# --- the interval -----------------------------------------------------------------------------------------------------


def test_wilson_by_hand():
    # z = 2; 8 of 16: (½ + ⅛ ± 2·√(1/64 + 1/256)) / 1¼
    assert wilson_interval(8, 16, z=2.0) == pytest.approx((0.5 - 5**-0.5 / 2, 0.5 + 5**-0.5 / 2))
    assert wilson_interval(12, 12, z=2.0) == pytest.approx((0.75, 1.0))
    assert wilson_interval(0, 12, z=2.0) == pytest.approx((0.0, 0.25), abs=1e-12)


def test_wilson_is_where_the_count_is_just_possible():
    # at its ends, the count lies 1.96 standard deviations away
    for right, number in ((1, 7), (58, 64), (231, 256)):
        for end in wilson_interval(right, number):
            assert abs(right / number - end) == pytest.approx(1.959964 * (end * (1 - end) / number) ** 0.5)


@pytest.mark.parametrize(("right", "number"), [(0, 0), (3, 2), (-1, 2)])
def test_counts_that_cannot_be(right, number):
    with pytest.raises(ValueError, match="right must lie in 0 … number"):
        wilson_interval(right, number)


# --- what is measured -------------------------------------------------------------------------------------------------


def test_the_halves_are_a_partition_that_no_order_changes():
    found = held_out_sentences()
    chosen, reported = half(found, validation=True), half(found, validation=False)
    for word, groups in found.items():
        for sense, sentences in groups.items():
            parts = chosen[word][sense], reported[word][sense]
            assert sorted([*parts[0], *parts[1]]) == sorted(sentences)
            assert min(map(len, parts)) >= len(sentences) / 4  # enough of either to measure with
            turned = half({word: {sense: sentences[::-1]}}, validation=True)[word][sense]
            assert turned == parts[0][::-1]


def test_every_sentence_is_judged_as_nearest_sense_does(model, tokenizer):
    results = evaluate(model, tokenizer, held_out=HELD_OUT)
    assert [(result.word, result.senses) for result in results] == [
        ("눈", ("eye", "snow")),
        ("밤", ("night", "chestnut")),
    ]
    for result in results:
        given = [(one.sense, one.sentence) for one in result.judgements]
        assert given == [(sense, text) for sense, group in HELD_OUT[result.word].items() for text in group]
        for one in result.judgements:
            alone = nearest_sense(model, tokenizer, one.sentence, one.word)
            assert one.answer == alone[0][0] and one.right is (one.answer == one.sense)
            assert dict(one.scores) == pytest.approx(dict(alone), abs=1e-4)


def test_neighbours_and_separation_are_those_of_the_word_alone(model, tokenizer):
    (result,) = evaluate(model, tokenizer, held_out={"눈": HELD_OUT["눈"]})
    pairs = [(text, sense) for sense, group in HELD_OUT["눈"].items() for text in group]
    vectors = torch.stack([word_vectors(model, tokenizer, text, "눈")[2] for text, _ in pairs])
    labels = [sense for _, sense in pairs]
    assert result.neighbour == neighbour_accuracy(vectors, labels)
    assert result.separation == pytest.approx(separation(vectors, labels), abs=1e-5)


def test_baselines_stand_beside_it(model, tokenizer):
    without, other = (
        evaluate(model, tokenizer, held_out={"눈": HELD_OUT["눈"]}, static=static)[0]
        for static in (None, vectors_of_pieces(tokenizer))
    )
    assert without.static is None and 0 <= other.static <= 1
    assert without.naive_bayes == other.naive_bayes > without.majority == 3 / 5  # 안과, 약 against 길, 내리


def test_places_tell_what_a_bag_cannot(model, tokenizer, monkeypatch):
    # the same two words around it, before or after it
    toy = {"eye": [["약 눈 달", "약 눈 별"]], "snow": [["달 눈 약", "별 눈 약"]]}
    monkeypatch.setattr(evaluation, "sense_documents", lambda word, sense, folder=None: toy[sense])
    monkeypatch.setattr(senses, "sense_documents", lambda word, sense, folder=None: toy[sense])
    asked = {"eye": ["약 눈 길", "길 약 눈"], "snow": ["길 눈 약", "눈 약 길"]}
    (found,) = evaluate(model, tokenizer, held_out={"눈": asked})
    assert (found.naive_bayes, found.with_places) == (0.5, 1.0)


def test_shares_of_a_result_by_hand():
    result = made_up(
        "배", ("ship", "ship"), ("ship", "pear"), ("pear", "pear"), ("pear", "pear"), ("times", "ship")
    )
    assert result.senses == ("ship", "pear", "times") and (result.right, result.accuracy) == (3, 0.6)
    assert result.interval == wilson_interval(3, 5) and result.majority == 0.4
    assert [one.sentence for one in result.of("ship")] == ["0", "1"]
    assert [(one.sentence, one.answer) for one in mistakes([result, made_up("눈", ("eye", "eye"))])] == [
        ("1", "pear"),
        ("4", "ship"),
    ]


def test_every_layer_is_measured(model, tokenizer):
    found = evaluate_layers(model, tokenizer, held_out=HELD_OUT)
    assert [(one.word, one.layer) for one in found] == [
        (word, layer) for word in HELD_OUT for layer in range(3)
    ]
    (last,) = [one for one in found if (one.word, one.layer) == ("눈", 2)]
    (whole,) = evaluate(model, tokenizer, held_out={"눈": HELD_OUT["눈"]})
    assert (last.neighbour, last.separation) == pytest.approx((whole.neighbour, whole.separation), abs=1e-6)
    here = judge(model, tokenizer, "눈", HELD_OUT["눈"], layer=1)
    assert found[1].accuracy == sum(one.right for one in here) / 5


# --- what is printed --------------------------------------------------------------------------------------------------

BAE = made_up("배", ("ship", "ship"), ("ship", "pear"), ("pear", "pear"), ("pear", "pear"))
NUN = made_up("눈", ("eye", "eye"), ("snow", "eye"))
BAM = made_up("밤", ("night", "night"), ("chestnut", "chestnut"))


def test_the_last_row_is_the_mean_of_the_others():
    rows = evaluate_senses.table([BAE, NUN, BAM])
    assert [row[0] for row in rows] == ["word", "배", "눈", "밤", "mean of 2"]
    low, high = wilson_interval(3, 4)
    assert rows[1][2:5] == rows[-1][2:5] == ["4", "0.750", f"{low:.3f} … {high:.3f}"]
    assert rows[1][5:] == ["0.500", "0.250", "0.750", "0.875", "–", "0.500"]
    assert len(evaluate_senses.table([BAE, NUN])) == 3  # one word needs no mean


def test_senses_of_one_word():
    rows = evaluate_senses.sense_table(BAE)
    assert rows[0][4:] == ["→ ship", "→ pear"]
    assert [[row[0], row[1], row[2], *row[4:]] for row in rows[1:]] == [
        ["ship", "2", "0.500", "1", "1"],
        ["pear", "2", "1.000", "0", "2"],
    ]


def test_layers_in_rows():
    found = [LayerResult(word, layer, 0.5 + layer / 10, 0.25, 0.1) for word in "배눈밤" for layer in range(2)]
    rows = evaluate_senses.layer_table(found)
    assert rows[0][:3] == ["layer", "배 nearest_sense", "배 neighbour"] and len(rows) == 3
    assert rows[2] == ["1", "0.600", "0.250", "0.100", "0.600", "0.250", "0.100"]
    assert len(evaluate_senses.layer_table(found[2:])[0]) == 4  # 배 was not asked for


def test_the_command(model, tokenizer, tmp_path, monkeypatch, capsys):
    save_pretrained(model, tokenizer, tmp_path / "model")
    monkeypatch.setattr(evaluate_senses, "held_out_sentences", lambda: HELD_OUT)
    monkeypatch.setattr(evaluate_senses, "static_vectors", vectors_of_pieces)
    assert evaluate_senses.main([str(tmp_path / "model"), "--layer", "2", "--mistakes"]) == 0
    said = capsys.readouterr().out
    wrong = mistakes(evaluate(model, tokenizer, held_out=HELD_OUT))
    assert said.startswith("word") and "mean of 2" in said and f"\n{len(wrong)} mistakes\n" in said
    assert all(f"{one.word} {one.sense} → {one.answer}: {one.sentence}" in said for one in wrong)
    assert evaluate_senses.main([str(tmp_path / "model"), "--layers"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 4
    assert evaluate_senses.main([str(tmp_path / "model")]) == 2  # it does not say where
    assert "give layer=, from 0 to 2" in capsys.readouterr().err


def test_layers_and_temperatures_are_compared(model, tokenizer):
    found = choose_readout(model, tokenizer, held_out=HELD_OUT, temperatures=(1.0, 3.0))
    assert [row[:2] for row in found] == [(layer, t) for layer in range(3) for t in (1.0, 3.0)]
    results = {one.word: one for one in evaluate(model, tokenizer, held_out=HELD_OUT)}
    judged = [one for result in results.values() for one in result.judgements]
    _, _, right, score = found[4]
    assert right == pytest.approx(sum(one.right for one in judged) / len(judged))
    assert score == pytest.approx(sum(math.log(dict(one.scores)[one.sense]) for one in judged) / len(judged))
    assert found[4][2] == found[5][2] and found[4][3] != found[5][3]  # τ keeps the order


def test_the_command_measures_a_half(model, tokenizer, tmp_path, monkeypatch, capsys):
    many = {
        "눈": {"eye": ["눈이 아프다" + " 별" * more for more in range(8)],
               "snow": ["눈이 내렸다" + " 별" * more for more in range(8)]}
    }  # fmt: skip
    save_pretrained(model, tokenizer, tmp_path / "model")
    monkeypatch.setattr(evaluate_senses, "held_out_sentences", lambda: many)
    found = []
    for name in ("validation", "report"):
        assert (
            evaluate_senses.main([str(tmp_path / "model"), "--layer", "2", "--no-static", "--half", name])
            == 0
        )
        row = capsys.readouterr().out.splitlines()[1].split("  ")
        found.append(int(next(cell for cell in row if cell.strip().isdecimal())))
        assert found[-1] == sum(map(len, half(many, validation=name == "validation")["눈"].values()))
    assert sum(found) == 16 and min(found) >= 2
