"""Vectors of all layers: the same alone and in a batch, computed and read; a file that does not fit is made anew."""

from __future__ import annotations

import copy
import os
import warnings

import pytest
import torch

from course_utils.bert import BertModel
from course_utils.tasks import features
from course_utils.tasks.features import COMBINATIONS, combine, layer_vectors, sentence_vectors
from course_utils.tasks.words import TaggedSentence
from tests.small import small_config
from tests.tasks.korean import tokenizer

WORDS = tokenizer("부산에서")
SENTENCES = ["그 배는 부산에서 떠났다.", "부산?", "서울이다. 그 배.", "배"]
LAYERS, WIDTH = 3, 14


def model(seed: int = 0) -> BertModel:
    sizes = {"hidden_size": WIDTH, "num_hidden_layers": LAYERS, "max_position_embeddings": 13}
    config = small_config(len(WORDS.vocab), **sizes, initializer_range=0.3)
    return BertModel(config, generator=torch.Generator().manual_seed(seed)).eval()


def vectors(**more):
    return layer_vectors(**{"model": model(), "tokenizer": WORDS, "sentences": SENTENCES} | more)


def same(one, other) -> bool:
    """Bit for bit."""
    fits = len(one.tokens) == len(other.tokens) and one.first_pieces == other.first_pieces
    return fits and all(torch.equal(a, b) for a, b in zip(one.tokens, other.tokens))


def files(folder) -> list[str]:
    return sorted(name for name in os.listdir(folder) if not name.startswith(".course-run"))


@pytest.fixture
def no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


# --- what is computed


def test_every_token_of_every_layer_without_padding():
    bert, found = model(), vectors()
    assert [tuple(one.shape) for one in found.tokens] == [(4, length, WIDTH) for length in (9, 4, 9, 3)]
    for sentence, one in zip(SENTENCES, found.tokens):
        ids = torch.tensor([WORDS.encode(sentence).input_ids])
        with torch.no_grad():
            states = bert(ids).hidden_states
        assert one.dtype == torch.float32 and not one.requires_grad
        torch.testing.assert_close(one, torch.cat(states), atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("size", [2, 3, 64])
def test_a_sentence_has_the_same_vectors_alone_and_in_a_batch(size, monkeypatch):
    monkeypatch.setattr(features, "BATCH", size)
    together = vectors()
    for number, sentence in enumerate(SENTENCES):
        alone = vectors(sentences=[sentence])
        torch.testing.assert_close(together.tokens[number], alone.tokens[0], atol=1e-5, rtol=1e-5)
        assert together.first_pieces[number] == alone.first_pieces[0]


def test_first_pieces_by_hand():
    # [CLS] 그 배 ##는 부산 ##에서 떠났다 . [SEP]
    found = vectors(sentences=[SENTENCES[0]])
    assert found.first_pieces == ((1, 2, 4, 6, 7),)
    firsts = vectors(sentences=[SENTENCES[0]], words="first")
    torch.testing.assert_close(firsts.tokens[0], found.tokens[0][:, [1, 2, 4, 6, 7]])


def test_words_of_a_tagged_sentence_are_its_own():
    words = ("그", "배는", "부산에서", "떠났다.")  # the full stop is no word here
    tagged = TaggedSentence(SENTENCES[0], words, (0, 2, 5, 10), ("O",) * 4)
    assert vectors(sentences=[tagged]).first_pieces == ((1, 2, 4, 6),)
    assert vectors(sentences=[tagged], words="first").tokens[0].shape == (4, 4, WIDTH)


def test_a_word_that_was_cut_off_has_zeros():
    long = "배 " * 12 + "서울"  # 13 words and room for 11
    found = vectors(sentences=["배", long], words="first")
    assert found.first_pieces[1] == (*range(1, 12), None, None)
    assert found.tokens[1].shape == (4, 13, WIDTH)
    assert not found.tokens[1][:, 11:].any() and found.tokens[1][:, :11].abs().sum(-1).all()


# --- the cache


@pytest.mark.parametrize("words", [None, "first"])
def test_what_is_read_is_what_was_computed_bit_for_bit(tmp_path, words, no_warning, monkeypatch):
    computed = vectors(words=words)
    written = vectors(words=words, cache=tmp_path / "new" / "folder")
    monkeypatch.setattr(BertModel, "forward", None)  # nothing is computed again
    read = vectors(words=words, cache=tmp_path / "new" / "folder")
    assert same(computed, written) and same(computed, read) and read.words == words
    assert len(files(tmp_path / "new" / "folder")) == 1


def test_what_is_longer_than_asked_for_is_cut_off():
    whole, cut = vectors(sentences=["배 서울 부산"]), vectors(sentences=["배 서울 부산"], max_length=4)
    assert cut.tokens[0].shape[1] == 4 < whole.tokens[0].shape[1]
    assert cut.first_pieces[0][2] is None
    alone = vectors(sentences=["배 서울"])
    torch.testing.assert_close(cut.tokens[0], alone.tokens[0], atol=1e-5, rtol=1e-5)


def test_other_weights_vocabulary_sentences_words_and_length_have_files_of_their_own(tmp_path, no_warning):
    changed = model()
    with torch.no_grad():
        changed.encoder.layers[1].attention.value.bias[3] += 1e-4
    other = copy.copy(WORDS)
    other.lowercase = True
    asked = [{}, {"model": changed}, {"tokenizer": other}, {"sentences": SENTENCES[::-1]}, {"words": "first"}]
    asked += [{"words": "first", "max_length": 5}]
    for number, more in enumerate(asked, 1):
        assert same(vectors(**more, cache=tmp_path), vectors(**more))
        assert len(files(tmp_path)) == number


def cut(path, other):
    path.write_bytes(path.read_bytes()[:-101])


def flipped(path, other):
    content = bytearray(path.read_bytes())
    content[-7] ^= 1
    path.write_bytes(bytes(content))


def of_other_weights(path, other):
    os.replace(other, path)


def without_metadata(path, other):
    from safetensors.torch import load_file, save_file

    save_file(load_file(path), path)


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (cut, "is cut off"),
        (flipped, "was changed"),
        (of_other_weights, "holds the vectors of other weights"),
        (without_metadata, "was changed, or not made by the course"),
    ],
)
def test_a_file_that_cannot_be_trusted_is_told_and_made_anew(tmp_path, spoil, said):
    expected = vectors(cache=tmp_path)
    (name,) = files(tmp_path)
    vectors(model=model(1), cache=tmp_path)
    (other,) = set(files(tmp_path)) - {name}
    spoil(tmp_path / name, tmp_path / other)
    with pytest.warns(UserWarning, match=said) as warned:
        assert same(vectors(cache=tmp_path), expected)
    (warning,) = warned
    assert len(str(warning.message)) <= 300 and "computed anew" in str(warning.message)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert same(vectors(cache=tmp_path), expected)  # what was put in its place is whole


def test_somebody_elses_folder_is_left_as_it_is(tmp_path):
    (tmp_path / "thesis.txt").write_text("배")
    with pytest.raises(ValueError, match=r"thesis\.txt"):
        vectors(cache=tmp_path)
    assert os.listdir(tmp_path) == ["thesis.txt"]


# --- sentences and layers


def test_sentence_vectors_by_hand():
    found = vectors()
    for number, one in enumerate(found.tokens):
        torch.testing.assert_close(sentence_vectors(found, how="cls", layer=2)[number], one[2, 0])
        mean = sentence_vectors(found, how="mean", layer=-1)[number]
        torch.testing.assert_close(mean, one[3, 1:-1].mean(0))
    assert sentence_vectors(found, how="mean", layer=0).shape == (4, WIDTH)


def test_combinations_by_hand():
    layers = torch.tensor([[[1.0]], [[10.0]], [[100.0]], [[1e3]], [[1e4]], [[1e5]], [[1e6]]])  # 6 layers
    expected = [[1.0], [1e5], [1e6], [1111000.0], [1e3, 1e4, 1e5, 1e6], [1111110.0]]
    assert [combine(layers, how)[0].tolist() for how in COMBINATIONS] == expected


# --- what would be silently wrong


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: vectors(model=model().train()), "training mode"),
        (lambda: vectors(sentences="배"), "sentences must be a list"),
        (lambda: vectors(words="last"), "None or 'first'"),
        (lambda: sentence_vectors(vectors(words="first"), how="mean", layer=0), "words=None"),
        (lambda: combine(torch.randn(4, 3, 2), "sum of last four"), "at least 4 layers"),
    ],
)
def test_refusals(call, said):
    with pytest.raises(ValueError, match=said):
        call()
