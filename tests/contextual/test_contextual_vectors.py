"""The vectors of a word are those of its own pieces, whatever else is in the batch."""

from __future__ import annotations

import unicodedata

import pytest
import torch

from course_utils import locale
from course_utils.bert import BertModel
from course_utils.config import BertConfig
from course_utils.contextual import WordNotFound, encode_words, vectors, word_vectors
from course_utils.heads import BertForMaskedLM, BertForPreTraining
from course_utils.tokenization import WordPieceTokenizer
from tests.small import tokenizer_of

SYLLABLES = "나는배를사과먹었다항구에서탔도큰을그"
VOCAB = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", ".", "배", "사", "##과", "##에서", "항구"]
VOCAB += [
    form for letter in dict.fromkeys(SYLLABLES) for form in (letter, f"##{letter}") if form not in VOCAB
]
CONFIG = BertConfig(
    vocab_size=97, hidden_size=15, num_hidden_layers=3, num_attention_heads=3, intermediate_size=31,
    max_position_embeddings=23, initializer_range=0.3,
)  # fmt: skip
SENTENCES = [
    "나는 배를 먹었다.",
    "배",
    "그 큰 배에서 나는 사과도 먹었다.",
    "항구에서 배도 탔다.",
    "배를 탔다.",
]


@pytest.fixture
def tokenizer():
    return tokenizer_of(VOCAB)


@pytest.fixture
def model():
    return BertModel(CONFIG, generator=torch.Generator().manual_seed(3)).eval()


def by_hand(model, tokenizer, pieces, places):
    """The mean of the states at `places` of [CLS] pieces [SEP]."""
    ids = torch.tensor([[tokenizer.vocab[piece] for piece in ["[CLS]", *pieces, "[SEP]"]]])
    with torch.no_grad():
        states = model(ids).hidden_states
    return torch.stack([state[0, places].mean(0) for state in states])


def test_one_piece_by_hand_and_without_its_particle(model, tokenizer):
    expected = by_hand(model, tokenizer, ["나", "##는", "배", "##를", "먹", "##었", "##다", "."], [3])
    actual = word_vectors(model, tokenizer, "나는 배를 먹었다.", "배")
    assert actual.shape == (4, 15) and not actual.requires_grad
    torch.testing.assert_close(actual, expected, atol=1e-5, rtol=0)


def test_several_pieces_by_hand(model, tokenizer):
    pieces = ["나", "##는", "사", "##과", "##를", "먹", "##었", "##다"]
    actual = word_vectors(model, tokenizer, "나는 사과를 먹었다", "사과")
    torch.testing.assert_close(actual, by_hand(model, tokenizer, pieces, [3, 4]), atol=1e-5, rtol=0)
    for wrong in ([3], [3, 4, 5], [2, 3, 4]):
        assert (actual - by_hand(model, tokenizer, pieces, wrong)).abs().max() > 1e-2


def test_a_piece_that_holds_more_than_the_word_still_counts(model, tokenizer):
    glued = WordPieceTokenizer(tokenizer.vocab | {"배를": 89}, lowercase=False, strip_accents=False)
    expected = by_hand(model, glued, ["나", "##는", "배를", "먹", "##었", "##다"], [3])
    torch.testing.assert_close(
        word_vectors(model, glued, "나는 배를 먹었다", "배"), expected, atol=1e-5, rtol=0
    )


def test_blanks_and_signs_before_the_word_do_not_shift_it(model, tokenizer):
    plain = word_vectors(model, tokenizer, "나는 배를 먹었다", "배")
    torch.testing.assert_close(word_vectors(model, tokenizer, " \t 나는\u200b  배를 먹었다 ", "배"), plain)


def test_one_layer_alone(model, tokenizer):
    every = word_vectors(model, tokenizer, SENTENCES[0], "배")
    assert torch.equal(word_vectors(model, tokenizer, SENTENCES[0], "배", layer=2), every[2])
    assert torch.equal(encode_words(model, tokenizer, SENTENCES[:1], "배", layer=0), every[None, 0])
    with pytest.raises(ValueError, match="layer must lie in 0 … 3, got -1"):
        word_vectors(model, tokenizer, SENTENCES[0], "배", layer=-1)


def test_which_of_several(model, tokenizer):
    pieces = ["배", "##에서", "배", "##를", "먹", "##었", "##다"]
    for number, place in ((0, 1), (1, 3)):
        actual = word_vectors(model, tokenizer, "배에서 배를 먹었다", "배", occurrence=number)
        torch.testing.assert_close(actual, by_hand(model, tokenizer, pieces, [place]), atol=1e-5, rtol=0)


@pytest.mark.parametrize("masked", [False, True])
def test_many_at_once_are_as_one_by_one(model, tokenizer, monkeypatch, masked):
    alone = torch.cat([encode_words(model, tokenizer, [one], "배", masked=masked) for one in SENTENCES])
    assert alone.shape == (5, 4, 15) and (alone[0] - alone[1]).abs().max() > 1e-2
    for batch in (64, 2, 3):
        monkeypatch.setattr(vectors, "BATCH", batch)
        together = encode_words(model, tokenizer, SENTENCES, "배", masked=masked)
        torch.testing.assert_close(together, alone, atol=1e-5, rtol=0)


def test_masked_is_the_vector_at_one_mask(model, tokenizer):
    expected = by_hand(model, tokenizer, ["나", "##는", "[MASK]", "##를", "먹", "##었", "##다"], [3])
    for word in ("배", "사과"):
        actual = encode_words(model, tokenizer, [f"나는 {word}를 먹었다"], word, masked=True)[0]
        torch.testing.assert_close(actual, expected, atol=1e-5, rtol=0)


def test_only_one_of_two_occurrences_is_masked(model, tokenizer):
    actual = encode_words(model, tokenizer, ["배에서 배를 탔다"], "배", occurrence=1, masked=True)[0]
    expected = by_hand(model, tokenizer, ["배", "##에서", "[MASK]", "##를", "탔", "##다"], [3])
    torch.testing.assert_close(actual, expected, atol=1e-5, rtol=0)


@pytest.mark.parametrize("head", [BertForMaskedLM, BertForPreTraining])
def test_a_model_with_a_head_gives_its_berts_vectors(tokenizer, head):
    model = head(CONFIG).eval()
    torch.testing.assert_close(
        encode_words(model, tokenizer, SENTENCES, "배"), encode_words(model.bert, tokenizer, SENTENCES, "배")
    )


def test_a_sentence_that_is_too_long(model, tokenizer):
    # 23 tokens less [CLS] and [SEP]: 21 pieces are read
    near = word_vectors(model, tokenizer, "그 " * 20 + "배 " + "큰 " * 9, "배")
    torch.testing.assert_close(near, by_hand(model, tokenizer, ["그"] * 20 + ["배"], [21]), atol=1e-5, rtol=0)
    with pytest.raises(ValueError, match="the model reads 23 tokens, and 배 stands behind them"):
        word_vectors(model, tokenizer, "그 " * 21 + "배", "배")


def test_what_cannot_be_looked_up_is_said(model, tokenizer):
    with pytest.raises(WordNotFound) as caught:
        encode_words(model, tokenizer, ["배를 탔다", "배추를 먹었다"], "배")
    assert caught.value.reason == "inside"
    with pytest.raises(ValueError, match="one is empty"):
        word_vectors(model, tokenizer, "", "배")
    for nothing, told in (([], "must hold at least 1 text, got 0"), ("배를 탔다", "put it in a list")):
        with pytest.raises(ValueError, match=f"sentences {told}|sentences must .* {told}"):
            encode_words(model, tokenizer, nothing, "배")
    with pytest.raises(ValueError, match=r"in training mode.* call model.eval\(\)"):
        word_vectors(model.train(), tokenizer, "배를 탔다", "배")


def test_hangul_in_parts_gives_the_same_vectors(model, tokenizer):
    apart = [unicodedata.normalize("NFD", sentence) for sentence in SENTENCES]
    expected = encode_words(model, tokenizer, SENTENCES, "배")
    assert torch.equal(encode_words(model, tokenizer, apart, unicodedata.normalize("NFD", "배")), expected)


@pytest.mark.parametrize("glued", ["배🍐를", "⛵배를", "３배로"])
def test_a_word_that_became_unknown_is_not_read(model, tokenizer, glued):
    sentence = f"나는 큰 {glued} 먹었다."
    assert "[UNK]" in tokenizer.tokenize(sentence)
    with pytest.raises(WordNotFound, match=f"does not read 배 here: .* no pieces for {glued}") as caught:
        word_vectors(model, tokenizer, sentence, "배")
    assert f"'{glued}' 전체가" in locale.text("words.unread", **caught.value.facts)
    word_vectors(model, tokenizer, "🍐 배를 먹었다.", "배")  # another word's [UNK] is context
    hidden = encode_words(model, tokenizer, [sentence], "배", masked=True)
    assert torch.equal(hidden, encode_words(model, tokenizer, ["나는 큰 배 먹었다."], "배", masked=True))
