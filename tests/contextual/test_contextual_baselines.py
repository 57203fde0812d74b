"""Senses without BERT: naive Bayes by hand, static vectors by hand, and both on planted words."""

from __future__ import annotations

import math
import unicodedata

import pytest
import torch

from course_utils.before.word2vec import WordVectors
from course_utils.contextual.baselines import context_pieces, fit_naive_bayes, placed_pieces, static_points
from tests.small import tokenizer_of

PIECES = "배 ##를 ##추 ##가 나 탔 ##다 사 ##과 ."
TOKENIZER = tokenizer_of(PIECES.split())


def test_the_context_is_without_the_word_but_with_its_particle():
    assert context_pieces(TOKENIZER, "나 배를 탔다.", "배") == ["나", "##를", "탔", "##다", "."]
    assert context_pieces(TOKENIZER, "배 배추 배가", "배") == ["배", "##추", "##가"]
    assert context_pieces(TOKENIZER, "사과를 탔다", "사과") == ["##를", "탔", "##다"]
    assert context_pieces(TOKENIZER, "나 탔다", "배") == ["나", "탔", "##다"]
    assert context_pieces(TOKENIZER, unicodedata.normalize("NFD", "나 배를"), "배") == ["나", "##를"]


def test_the_nearest_pieces_are_told_with_their_places():
    bag = ["나", "##를", "탔", "##다", "."]
    assert placed_pieces(TOKENIZER, "나 배를 탔다.", "배") == [*bag, "-1 나", "+1 ##를", "+2 탔", "+3 ##다"]
    first = ["나", "사", "-1 사", "-2 나", "+1 배"]
    assert placed_pieces(TOKENIZER, "나 사 배 배", "배") == first
    assert placed_pieces(TOKENIZER, "나 탔다", "배") == ["나", "탔", "##다"]


def test_naive_bayes_by_hand():
    model = fit_naive_bayes({"ship": [["sea", "the", "the"], ["sea"]], "pear": [["the", "eat"]]})
    # counts of sentences: ship: sea 2, the 1 (of 3); pear: the 1, eat 1 (of 2); 3 different pieces
    ship, pear = 2.3 / 3.9, 0.3 / 2.9  # 0.3 is added to each
    assert model.scores(["sea"]).tolist() == pytest.approx([ship / (ship + pear), pear / (ship + pear)])
    ship, pear = ship * 1.3 / 3.9, pear * 1.3 / 2.9
    for pieces in (["sea", "the"], ["the", "sea", "sea"], ["sea", "the", "unseen"]):
        assert model.scores(pieces).tolist() == pytest.approx([ship / (ship + pear), pear / (ship + pear)])
    assert model.scores([]).tolist() == model.scores(["unseen"]).tolist() == [0.5, 0.5]
    assert model.log_probability["eat"][1] == pytest.approx(math.log(1.3 / 2.9))


def test_what_naive_bayes_needs():
    with pytest.raises(ValueError, match=r"at least two senses are needed, got \['ship'\]"):
        fit_naive_bayes({"ship": [["sea"]]})


def test_a_sentence_that_was_not_cut_into_pieces():
    vectors = WordVectors(("s", "e"), torch.eye(2), torch.tensor([2, 1]))
    told = "^each sentence must be a list of texts, got one text, 'sea': put it in a list$"
    with pytest.raises(ValueError, match=told):
        static_points(vectors, ["sea"])
    with pytest.raises(ValueError, match=told):
        fit_naive_bayes({"ship": ["sea"], "pear": ["eat"]})


def test_static_points_by_hand():
    vectors = WordVectors(("sea", "eat"), torch.tensor([[3.0, 0.0], [0.0, 4.0]]), torch.tensor([2, 1]))
    points = static_points(
        vectors, [["sea"], ["sea", "eat"], ["sea", "unseen", "sea", "eat"], ["unseen"], []]
    )
    long = torch.tensor([6.0, 4.0])
    expected = [[1.0, 0.0], [0.6, 0.8], (long / long.norm()).tolist(), [0.0, 0.0], [0.0, 0.0]]
    torch.testing.assert_close(points, torch.tensor(expected))
