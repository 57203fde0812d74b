"""Probes: what they compute, that they find what is there, and the tasks that they are held against."""

from __future__ import annotations

import copy
from itertools import permutations

import pytest
import torch
import torch.nn.functional as F
from sklearn.linear_model import LogisticRegression

from course_utils.tasks import probes
from course_utils.tasks.probes import (
    BiLSTMTagger,
    LearnedMix,
    LinearProbe,
    anisotropy,
    control_labels,
    fit_probe,
)

C, K = 11, 3


def drawn(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def blobs(count: int, spread: float, seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Points around K centres, which are the same for each seed."""
    centres = torch.randn(K, C, generator=drawn(7))
    labels = torch.arange(count) % K
    return centres[labels] + spread * torch.randn(count, C, generator=drawn(seed)), labels


def parts(make) -> tuple[dict, dict]:
    given = {part: make(seed) for seed, part in enumerate(("train", "validation", "test"))}
    return {part: one[0] for part, one in given.items()}, {part: one[1] for part, one in given.items()}


def sentences(seed: int) -> tuple[list, list]:
    """Noise, whose label is that of its neighbour to the left: no vector tells its own."""
    each = [torch.randn(2 + number % 5, C, generator=drawn(31 * seed + number)) for number in range(60)]
    return each, [[0, *(one[:-1, 0] > 0).long().tolist()] for one in each]


# --- the models


def test_a_linear_probe_is_a_linear_layer():
    probe = LinearProbe(C, K, generator=drawn())
    vectors = torch.randn(2, 5, C)
    torch.testing.assert_close(probe(vectors), vectors @ probe.linear.weight.T + probe.linear.bias)
    again = LinearProbe(C, K, generator=drawn())
    assert torch.equal(probe.linear.weight, again.linear.weight)


def test_the_learned_mix_by_hand():
    mix = LearnedMix(3)
    layers = torch.tensor([[[1.0, 2.0]], [[10.0, 20.0]], [[100.0, 200.0]]])
    torch.testing.assert_close(mix(layers), layers.mean(0))
    with torch.no_grad():
        mix.scores.copy_(torch.tensor([1.0, 2.0, 5.0]).log())
        mix.gamma.fill_(4.0)
    torch.testing.assert_close(mix.weights(), torch.tensor([0.125, 0.25, 0.625]))
    torch.testing.assert_close(mix(layers), torch.tensor([[260.5, 521.0]]))  # 4 · (0.125 + 2.5 + 62.5)
    mix(layers).sum().backward()
    assert mix.scores.grad.abs().min() > 0 and mix.gamma.grad.item() == pytest.approx(65.125 * 3)


def test_the_tagger_equals_torch_lstm_sentence_by_sentence():
    tagger = BiLSTMTagger(C, 7, K, generator=drawn()).eval()
    oracle = torch.nn.LSTM(C, 7, 2, bidirectional=True, batch_first=True)
    oracle.load_state_dict(tagger.lstm.state_dict())
    vectors, lengths = torch.randn(3, 5, C), torch.tensor([5, 2, 3])
    logits = tagger(vectors, lengths)
    assert logits.shape == (3, 5, K)
    for row, length in enumerate(lengths):
        alone = tagger.linear(oracle(vectors[row : row + 1, :length])[0])
        torch.testing.assert_close(logits[row : row + 1, :length], alone)


# --- fitting


def test_what_can_be_parted_is_parted_as_by_scikit_learn():
    features, labels = parts(lambda seed: blobs(211, 0.05, seed))
    score = fit_probe(LinearProbe(C, K, generator=drawn()), features, labels)
    oracle = LogisticRegression(max_iter=1000).fit(features["train"].numpy(), labels["train"].numpy())
    assert score.test == score.validation == 1.0
    assert score.predicted == oracle.predict(features["test"].numpy()).tolist()


def test_sentences_and_their_words_in_a_row_are_the_same_to_a_linear_probe():
    features, labels = parts(sentences)
    probe = LinearProbe(C, 2, generator=drawn())
    rows = {part: torch.cat(one) for part, one in features.items()}
    flat = {part: [label for sentence in one for label in sentence] for part, one in labels.items()}
    by_sentence = fit_probe(copy.deepcopy(probe), features, labels, epochs=2)
    by_word = fit_probe(copy.deepcopy(probe), rows, flat, epochs=2)
    assert by_sentence[:4] == by_word[:4]
    assert [label for row in by_sentence.predicted for label in row] == by_word.predicted
    assert [len(row) for row in by_sentence.predicted] == [len(row) for row in labels["test"]]


def test_only_the_tagger_sees_the_neighbour():
    features, labels = parts(sentences)
    linear = fit_probe(LinearProbe(C, 2, generator=drawn()), features, labels, epochs=3)
    tagger = fit_probe(BiLSTMTagger(C, 16, 2, generator=drawn()), features, labels, rate=2e-2, epochs=40)
    assert tagger.test > 0.85 and tagger.test > linear.test + 0.1
    assert [len(row) for row in tagger.predicted] == [len(row) for row in labels["test"]]


@pytest.mark.parametrize("by_sentence", [False, True])
def test_the_mix_finds_the_layer_that_tells(by_sentence, monkeypatch):
    def layers(seed: int):
        vectors, labels = blobs(240, 0.3, seed)
        noise = torch.randn(2, 240, C, generator=drawn(seed + 100))
        stacked = torch.stack([noise[0], vectors, noise[1]])
        if by_sentence:
            return list(stacked.split(5, dim=1)), labels.view(-1, 5).tolist()
        return stacked, labels

    features, labels = parts(layers)
    monkeypatch.setattr(probes, "MEASURED", 2)  # vectors, not layers
    mix = LearnedMix(3)
    probe = BiLSTMTagger(C, 5, K, generator=drawn()) if by_sentence else LinearProbe(C, K, generator=drawn())
    score = fit_probe(probe, features, labels, mix=mix, rate=3e-2, epochs=60)
    assert score.test > 0.9 and mix.weights().argmax() == 1


@pytest.mark.parametrize("rates", [(1e-6, 1e-2), (1e-2, 1e-6)])
def test_rate_and_epoch_are_chosen_on_validation_and_its_parameters_stay(rates):
    features, labels = parts(lambda seed: blobs(301, 1.0, seed))
    probe, other = (LinearProbe(C, K, generator=drawn()) for _ in range(2))
    score = fit_probe(probe, features, labels, rate=rates, epochs=5)
    assert score.rate == 1e-2
    said = probe(features["validation"]).argmax(-1)
    assert score.validation == pytest.approx((said == labels["validation"]).double().mean().item())
    assert probe(features["test"]).argmax(-1).tolist() == score.predicted
    assert fit_probe(other, features, labels, rate=1e-2, epochs=score.epoch) == score
    assert torch.equal(probe.linear.weight, other.linear.weight)


def test_the_test_part_chooses_nothing():
    features, labels = parts(lambda seed: blobs(97, 1.5, seed))
    score = fit_probe(LinearProbe(C, K, generator=drawn()), features, labels)
    labels["test"] = (labels["test"] + 1) % K
    other = fit_probe(LinearProbe(C, K, generator=drawn()), features, labels)
    assert score[1:] == other[1:] and score.test != other.test


@pytest.mark.parametrize("by_sentence", [False, True])
def test_float16_is_read_as_the_float32_of_the_same_numbers(by_sentence, monkeypatch):
    monkeypatch.setattr(probes, "MEASURED", 7)  # what is measured in pieces is the same as in one
    features, labels = parts(sentences if by_sentence else lambda seed: blobs(61, 0.9, seed))

    def fitted(given):
        linear = LinearProbe(C, K, generator=drawn())
        probe = BiLSTMTagger(C, 5, 2, generator=drawn()) if by_sentence else linear
        return fit_probe(probe, given, labels, epochs=2)

    def cast(given, dtype):
        return {
            part: [one.to(dtype) for one in rows] if by_sentence else rows.to(dtype)
            for part, rows in given.items()
        }

    short = cast(features, torch.float16)
    found = fitted(short)
    monkeypatch.setattr(probes, "MEASURED", 4096)
    assert found == fitted(cast(short, torch.float32)) and found.test > 0.4


def test_a_score_of_ones_own_is_told_and_chooses():
    features, labels = parts(lambda seed: blobs(301, 1.0, seed))
    flat = {part: one.tolist() for part, one in labels.items()}

    def wrong(predicted, told):
        assert isinstance(predicted, list) and told in flat.values()
        return sum(one != other for one, other in zip(predicted, told)) / 100

    one, other = (LinearProbe(C, K, generator=drawn()) for _ in range(2))
    worst = fit_probe(one, features, flat, rate=(1e-2, 1e-6), epochs=3, score=wrong)
    best = fit_probe(other, features, flat, rate=(1e-2, 1e-6), epochs=3)
    assert (best.rate, worst.rate) == (1e-2, 1e-6)
    assert worst.test == wrong(worst.predicted, flat["test"]) and worst.test > 1


def test_ignored_labels_are_neither_learned_nor_counted():
    features, labels = parts(lambda seed: blobs(150, 0.05, seed))
    ignored = {part: torch.where(torch.arange(150) % 2 == 0, one, -100) for part, one in labels.items()}
    wild = {
        part: torch.where((ignored[part] == -100)[:, None], 50 * torch.randn(150, C), one)
        for part, one in features.items()
    }
    score = fit_probe(LinearProbe(C, K, generator=drawn()), wild, ignored)
    assert score.test == 1.0 and len(score.predicted) == 150


def test_a_batch_without_a_label_that_counts_is_passed_over():
    features, labels = parts(lambda seed: blobs(600, 0.05, seed))
    last = {part: torch.where(torch.arange(600) < 599, -100, one) for part, one in labels.items()}
    probe = LinearProbe(C, K, generator=drawn())
    fit_probe(probe, features, last, epochs=2, rate=1e-2)
    assert probe.linear.weight.isfinite().all()


def test_numbers_whose_sum_is_none_are_refused_only_if_one_of_them_is():
    features, labels = parts(lambda seed: blobs(13, 1.0, seed))
    large = torch.full_like(features["test"], 3e37)
    assert large.sum().isinf()
    fit_probe(LinearProbe(C, K), features | {"test": large}, labels, epochs=1)
    large[0, 0], large[0, 1] = torch.inf, -torch.inf
    with pytest.raises(ValueError, match="the features of test must be finite"):
        fit_probe(LinearProbe(C, K), features | {"test": large}, labels, epochs=1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda f, y: (f | {"test": f["test"][1:]}, y), "test must have a label for each vector"),
        (lambda f, y: (f, y | {"test": y["test"] + 1}), r"each label of test must be a number of 0 … 2"),
        (lambda f, y: (f, y | {"test": y["test"] + 0.5}), "each label of test must be a number"),
    ],
)
def test_what_would_be_silently_wrong_is_refused(change, message):
    features, labels = change(*parts(lambda seed: blobs(13, 1.0, seed)))
    with pytest.raises(ValueError, match=message):
        fit_probe(LinearProbe(C, K), features, labels)


def test_a_tagger_wants_sentences():
    features, labels = parts(lambda seed: blobs(13, 1.0, seed))
    with pytest.raises(ValueError, match="list of sentences"):
        fit_probe(BiLSTMTagger(C, 5, K), features, labels)


# --- controls


def test_a_control_label_is_that_of_the_word_type_alone():
    words = ["배를", "타고", "배를", "먹고", "배", "타고"]
    labels = control_labels(words, 5, seed=3)
    by_word = dict(zip(words, labels))
    assert labels == [by_word[word] for word in words]
    assert control_labels(words[::-1], 5, seed=3) == labels[::-1]  # the order does not count
    assert control_labels(["먹고"], 5, seed=3) == [by_word["먹고"]]  # nor do the others
    assert any(control_labels(words, 5, seed=seed) != labels for seed in range(3))


def test_control_labels_are_as_frequent_as_their_weights():
    words = [f"단어{number}" for number in range(7000)]
    labels = control_labels(words, 5, weights=[4, 0, 1, 2, 0])
    counts = [labels.count(label) for label in range(5)]
    assert counts[1] == counts[4] == 0
    assert counts == pytest.approx([4000, 0, 1000, 2000, 0], abs=210)  # 5 standard deviations
    assert control_labels(words[::-1], 5, weights=[4, 0, 1, 2, 0]) == labels[::-1]
    assert control_labels(["배"], 2, weights=[0, 1e-9]) == [1]
    for wrong in ([1, 2], [1, -1, 1, 1, 1]):
        with pytest.raises(ValueError, match="weights must be 5 numbers of at least 0"):
            control_labels(words, 5, weights=wrong)
    with pytest.raises(ValueError, match="words must be a list"):
        control_labels("배를 타고", 5)


def test_anisotropy_equals_all_pairs_one_by_one():
    vectors = torch.randn(13, 5) + 1.0
    cosines = [F.cosine_similarity(one, other, dim=0).item() for one, other in permutations(vectors, 2)]
    assert anisotropy(vectors) == pytest.approx(sum(cosines) / len(cosines), abs=1e-6)
    assert anisotropy(3 * vectors) == pytest.approx(anisotropy(vectors))


def test_anisotropy_at_its_ends():
    assert anisotropy(torch.ones(7, 3)) == pytest.approx(1.0)
    assert anisotropy(torch.eye(5)) == pytest.approx(0.0)
    assert anisotropy(torch.tensor([[2.0, 0.0], [-3.0, 0.0]])) == pytest.approx(-1.0)
    assert abs(anisotropy(torch.randn(997, 31))) < 0.01
