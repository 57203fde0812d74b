"""Hiding a word takes away what it said: seen on a model that only adds up its words."""

from __future__ import annotations

import unicodedata
from types import SimpleNamespace

import pytest
import torch
from torch import nn

from course_utils.contextual import WordNotFound, influence, nearest_sense, sense_space, senses
from course_utils.contextual.senses import sense_points
from course_utils.pretrained.checkpoints import SenseReadout
from tests.small import tokenizer_of

WORDS = ["항구", "먹", "아프", "두", "큰", "작은", "어제", "나", "샀"]
ENDINGS = ["##에서", "##는", "##었다", "##다", "##를", "##가", "##로"]
VOCAB = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", ".", ",", "배", *WORDS, *ENDINGS]
TELLING = {"ship": "항구", "pear": "먹", "belly": "아프", "times": "두"}
TOY = {
    "ship": [["항구에서 배를 샀다", "어제 항구에서 큰 배를 샀다", "나는 항구에서 배를 샀다"]],
    "pear": [["배를 먹었다", "어제 큰 배를 먹었다", "나는 작은 배를 먹었다"]],
    "belly": [["배가 아프다", "어제 배가 아프다", "나는 배가 아프다"]],
    "times": [["두 배로 샀다", "어제 두 배로 샀다", "나는 두 배로 샀다"]],
}


class AddsUp(nn.Module):
    """Every state is the sum of what the sentence's words say: one axis for each telling word, one that all share."""

    def __init__(self) -> None:
        super().__init__()
        self.config = SimpleNamespace(num_hidden_layers=1, max_position_embeddings=41)
        says = torch.full((len(VOCAB), 5), 0.0)
        says[:, 4] = 0.1
        for axis, word in enumerate(TELLING.values()):
            says[VOCAB.index(word), axis] = 1.0
        self.says = nn.Parameter(says)

    def forward(self, input_ids, attention_mask):
        words = self.says[input_ids] * attention_mask[..., None]
        return SimpleNamespace(hidden_states=(words, words.sum(1, keepdim=True).expand_as(words)))


@pytest.fixture
def model():
    model = AddsUp().eval()
    model.sense_readout = SenseReadout(layer=1, temperature=6.0)
    return model


@pytest.fixture
def tokenizer():
    return tokenizer_of(VOCAB)


@pytest.fixture(autouse=True)
def toy_corpus(monkeypatch):
    monkeypatch.setattr(senses, "sense_documents", lambda word, sense: TOY[sense])


def test_the_telling_word_is_the_one_that_moved_it(model, tokenizer):
    sentence = "나는 항구에서 큰 배를 샀다."
    assert nearest_sense(model, tokenizer, sentence, "배")[0][0] == "ship"
    found = influence(model, tokenizer, sentence, "배")
    assert [one.word for one in found] == ["나는", "항구에서", "큰", "샀다"]
    drops = {one.word: one.drop for one in found}
    assert max(drops, key=drops.get) == "항구에서" and drops["항구에서"] > 1
    assert all(abs(drops[word]) < 0.5 * drops["항구에서"] for word in ("나는", "큰", "샀다"))


def test_entries_stand_in_reading_order_with_their_places(model, tokenizer):
    sentence = '  "어제" 항구에서, 배를 어제 샀다...'
    found = influence(model, tokenizer, sentence, "배")
    assert [one.word for one in found] == ["어제", "항구에서", "어제", "샀다"]
    assert [sentence[one.start : one.end] for one in found] == [one.word for one in found]
    assert [one.start for one in found] == [3, 7, 16, 19]


def test_score_and_drop_start_from_the_whole_sentence(model, tokenizer):
    sentence = "나는 항구에서 배를 먹었다"
    space = sense_space(model, tokenizer, "배")
    (whole,) = space.log_odds(sense_points(model, tokenizer, [sentence], "배")).tolist()
    for sense in ("ship", "pear", "times"):
        for one in influence(model, tokenizer, sentence, "배", sense=sense):
            hidden = sentence[: one.start] + "[MASK]" + sentence[one.end :]
            assert one.score == pytest.approx(
                dict(nearest_sense(model, tokenizer, hidden, "배"))[sense], abs=1e-5
            )
            (odds,) = space.log_odds(sense_points(model, tokenizer, [hidden], "배")).tolist()
            column = space.senses.index(sense)
            assert one.drop == pytest.approx(whole[column] - odds[column], rel=1e-4, abs=1e-4)


def test_a_word_that_speaks_for_another_sense_has_a_negative_drop(model, tokenizer):
    drops = {
        one.word: one.drop for one in influence(model, tokenizer, "항구에서 배를 먹었다", "배", sense="ship")
    }
    assert drops["항구에서"] > 0 > drops["먹었다"]


def test_the_words_second_place_can_be_hidden_and_its_first_cannot(model, tokenizer):
    found = influence(model, tokenizer, "큰 배를 배로 샀다", "배")
    assert [one.word for one in found] == ["큰", "배로", "샀다"]


def test_a_word_alone_has_no_context(model, tokenizer):
    assert influence(model, tokenizer, "배.", "배") == []


def test_hangul_in_parts_is_moved_as_much_and_its_places_fit(model, tokenizer):
    sentence = "어제 항구에서 큰 배를 샀다."
    apart = unicodedata.normalize("NFD", sentence)
    found, expected = influence(model, tokenizer, apart, "배"), influence(model, tokenizer, sentence, "배")
    assert [(one.score, one.drop) for one in found] == [(one.score, one.drop) for one in expected]
    assert [(one.word, apart[one.start : one.end]) for one in found] == [
        (unicodedata.normalize("NFD", one.word),) * 2 for one in expected
    ]


def test_what_cannot_be_told_is_said(model, tokenizer):
    with pytest.raises(ValueError, match="the senses of 배 are ship, pear, belly, times; got 'snow'"):
        influence(model, tokenizer, "배를 샀다", "배", sense="snow")
    for sense in (None, "ship"):
        with pytest.raises(WordNotFound):
            influence(model, tokenizer, "나는 샀다", "배", sense=sense)
