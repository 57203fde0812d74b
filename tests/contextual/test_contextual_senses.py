"""The nearest sense: the geometry by hand, and the whole way from a sentence to scores on a toy corpus."""

from __future__ import annotations

import copy
import math

import pytest
import torch

from course_utils.bert import BertModel
from course_utils.config import BertConfig
from course_utils.contextual import WordNotFound, nearest_sense, sense_space, senses
from course_utils.contextual.senses import example_sentences, fit_senses, sense_points
from course_utils.datasets.corpus import HOMONYMS
from course_utils.heads import BertForMaskedLM
from course_utils.pretrained.checkpoints import SenseReadout
from tests.small import tokenizer_of

# --- the geometry -----------------------------------------------------------------------------------------------------

SHIP = torch.tensor([[0.0, 0.0], [4.0, 0.0], [0.0, 2.0], [4.0, 2.0]], dtype=torch.float64)  # mean (2, 1)
PEAR = SHIP + torch.tensor([2.0, 5.0], dtype=torch.float64)  # mean (4, 6)
GROUPS = {"ship": SHIP, "pear": PEAR}  # covariance within: diag(4, 1)


def random_groups(*sizes: int, features: int, seed: int = 0) -> dict[str, torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    mix = torch.randn(features, features, generator=generator, dtype=torch.float64)
    return {
        f"sense{number}": torch.randn(size, features, generator=generator, dtype=torch.float64) @ mix
        + 2 * torch.randn(features, generator=generator, dtype=torch.float64)
        for number, size in enumerate(sizes)
    }


def test_two_senses_in_the_plane_by_hand():
    point = torch.tensor([[4.0, 3.0]], dtype=torch.float64)
    # squared distances with S = diag(4, 1): to ship (2²/4 + 2²/1) = 5, to pear (0 + 3²/1) = 9
    expected = math.exp(-2.5) / (math.exp(-2.5) + math.exp(-4.5))
    scores = fit_senses(GROUPS, shrinkage=0).scores(point)
    assert scores[0, 0].item() == pytest.approx(expected, abs=1e-9)


def test_shrinkage_by_hand():
    # ½·diag(4, 1) + ½·2.5·I = diag(3.25, 1.75)
    point = torch.tensor([[4.0, 3.0]], dtype=torch.float64)
    ship, pear = 4 / 3.25 + 4 / 1.75, 9 / 1.75
    expected = 1 / (1 + math.exp(0.5 * (ship - pear)))
    assert fit_senses(GROUPS, shrinkage=0.5).scores(point)[0, 0].item() == pytest.approx(expected, abs=1e-9)


def test_it_is_linear_discriminant_analysis():
    groups = random_groups(13, 17, 11, features=5)
    points = random_groups(7, features=5, seed=9)["sense0"]
    scatter = sum(len(g) * torch.cov(g.T, correction=0) for g in groups.values())
    inverse = torch.linalg.inv(scatter / 41)
    means = torch.stack([g.mean(0) for g in groups.values()])
    # Fisher's, in another form.
    linear = points @ inverse @ means.T - 0.5 * (means @ inverse @ means.T).diag()
    torch.testing.assert_close(fit_senses(groups, shrinkage=0).scores(points), linear.softmax(-1))


def test_without_shrinkage_axes_and_units_do_not_matter():
    groups = random_groups(13, 17, features=3)
    points = random_groups(11, features=3, seed=5)["sense0"]
    mix = torch.tensor([[3.0, 0.5, 0.0], [-1.0, 0.2, 0.0], [0.0, 2.0, 70.0]], dtype=torch.float64)
    shift = torch.tensor([5.0, -300.0, 0.1], dtype=torch.float64)
    moved = {sense: group @ mix + shift for sense, group in groups.items()}
    for shrinkage, same in ((0.0, True), (0.5, False)):
        before = fit_senses(groups, shrinkage=shrinkage).scores(points)
        after = fit_senses(moved, shrinkage=shrinkage).scores(points @ mix + shift)
        assert torch.allclose(before, after, atol=1e-6) is same


def test_within_the_space_all_directions_vary_alike():
    groups = random_groups(13, 17, features=3)
    space = fit_senses(groups, shrinkage=0)
    within = torch.cat([space.place(group) - space.place(group).mean(0) for group in groups.values()])
    torch.testing.assert_close(within.T @ within / 30, torch.eye(3, dtype=torch.float64))


def test_log_odds_are_those_of_the_scores_and_do_not_saturate():
    groups = random_groups(13, 7, 11, features=3)
    space, points = fit_senses(groups), random_groups(5, features=3, seed=2)["sense0"]
    torch.testing.assert_close(
        space.log_odds(points), torch.logit(space.scores(points)), atol=1e-6, rtol=1e-6
    )
    far = fit_senses(GROUPS, shrinkage=0).log_odds(torch.tensor([[-200.0, -1000.0]], dtype=torch.float64))
    assert far[0, 0] > 1000 and far[0, 1] == -far[0, 0]


def test_what_cannot_be_fitted_is_refused():
    with pytest.raises(ValueError, match=r"at least two senses .* got \['ship'\]"):
        fit_senses({"ship": SHIP})
    with pytest.raises(ValueError, match="at least one point, and pear has none"):
        fit_senses({"ship": SHIP, "pear": PEAR[:0]})
    for shrinkage in (-0.1, 1.1):
        with pytest.raises(
            ValueError, match=f"shrinkage must be .*, at least 0 and at most 1, got {shrinkage}"
        ):
            fit_senses(GROUPS, shrinkage=shrinkage)


# --- from a sentence to its sense -------------------------------------------------------------------------------------

TOY = {
    "ship": [["항구에 배가 떴다", "배를 타고 항구를 떠났다"], ["항구에서 큰 배를 탔다"]],
    "pear": [
        ["배를 깎아 먹었다", "단 배를 먹었다"],
        ["사과와 배가 달다", "배추를 먹었다", "배와 배를 먹었다"],
    ],
    "belly": [["배가 아프다", "배가 고파 아프다"], ["밤에 배가 아팠다"]],
    "times": [["값이 두 배로 올랐다"], ["세 배로 올랐다", "값이 네 배가 되었다"]],
}
LETTERS = sorted(
    {letter for group in TOY.values() for text in group for line in text for letter in line} - {" "}
)
VOCAB = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *LETTERS, *(f"##{letter}" for letter in LETTERS)]


@pytest.fixture
def tokenizer():
    return tokenizer_of(VOCAB)


def new_model(seed: int = 0, layers: int = 3) -> BertModel:
    config = BertConfig(
        vocab_size=211, hidden_size=15, num_hidden_layers=layers, num_attention_heads=3, intermediate_size=31,
        max_position_embeddings=37, initializer_range=0.3,
    )  # fmt: skip
    model = BertModel(config, generator=torch.Generator().manual_seed(seed)).eval()
    model.sense_readout = SenseReadout(layer=3, temperature=6.0)
    return model


@pytest.fixture(autouse=True)
def toy_corpus(monkeypatch):
    """The toy documents in place of the corpus; counts how often they are read."""
    read = []

    def documents(word, sense):
        read.append((word, sense))
        return TOY[sense]

    monkeypatch.setattr(senses, "sense_documents", documents)
    return read


def test_the_senses_come_with_scores_best_first(tokenizer):
    model = new_model()
    pairs = nearest_sense(model, tokenizer, "항구에서 배를 탔다", "배")
    assert sorted(sense for sense, _ in pairs) == sorted(HOMONYMS["배"][1])
    scores = [score for _, score in pairs]
    assert scores == sorted(scores, reverse=True) and sum(scores) == pytest.approx(1.0, abs=1e-5)


def test_a_model_is_looked_at_once_a_word_and_layer(tokenizer, toy_corpus):
    model = new_model()
    space = sense_space(model, tokenizer, "배")
    assert len(toy_corpus) == 4
    assert sense_space(model, tokenizer, "배") is space and len(toy_corpus) == 4
    assert sense_space(model, tokenizer, "배", layer=1) is not space and len(toy_corpus) == 8
    assert sense_space(new_model(1), tokenizer, "배") is not space and len(toy_corpus) == 12
    assert sense_space(model, tokenizer, "배") is space and len(toy_corpus) == 12


def test_a_model_that_was_trained_further_is_looked_at_again(tokenizer):
    model = new_model()
    before = sense_space(model, tokenizer, "배")
    with torch.no_grad():
        next(model.parameters()).mul_(2)
    after = sense_space(model, tokenizer, "배")
    assert after is not before and sense_space(model, tokenizer, "배") is after
    model.load_state_dict(new_model(5).state_dict())
    torch.testing.assert_close(
        sense_space(model, tokenizer, "배").means, sense_space(new_model(5), tokenizer, "배").means
    )


def test_other_weights_in_the_same_place_are_seen(tokenizer):
    model, other = new_model(), new_model(5)
    before = sense_space(model, tokenizer, "배")
    model.load_state_dict(other.state_dict(), assign=True)
    after = sense_space(model, tokenizer, "배")
    assert after is not before
    torch.testing.assert_close(after.means, sense_space(other, tokenizer, "배").means)
    again = copy.deepcopy(model)
    assert sense_space(again, tokenizer, "배").senses == after.senses


def test_layer_and_temperature_are_those_of_the_model(tokenizer):
    model, sentence = new_model(), "단 배를 먹었다"
    given = dict(nearest_sense(model, tokenizer, sentence, "배", layer=3))
    assert dict(nearest_sense(model, tokenizer, sentence, "배")) == given
    model.sense_readout = SenseReadout(layer=1, temperature=6.0)  # not its last one
    lower = dict(nearest_sense(model, tokenizer, sentence, "배"))
    assert lower == dict(nearest_sense(model, tokenizer, sentence, "배", layer=1)) != given
    del model.sense_readout
    with pytest.raises(
        ValueError, match="does not say at which layer its senses are read: give layer=, from 0 to 3"
    ):
        nearest_sense(model, tokenizer, sentence, "배")
    assert sense_space(new_model(1), tokenizer, "배").temperature == 6.0
    model = new_model(1)
    del model.sense_readout
    assert sense_space(model, tokenizer, "배", layer=3).temperature == 1.0


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float64])
def test_a_model_of_another_type(tokenizer, dtype):
    model, sentence = new_model(), "단 배를 먹었다"
    expected = dict(nearest_sense(model, tokenizer, sentence, "배"))
    assert dict(nearest_sense(model.to(dtype), tokenizer, sentence, "배")) == pytest.approx(
        expected, abs=0.05
    )


def test_a_model_with_a_head(tokenizer):
    model = BertForMaskedLM(new_model().config).eval()
    model.bert.sense_readout = SenseReadout(layer=2, temperature=1.0)
    with_head, without = (
        nearest_sense(one, tokenizer, "단 배를 먹었다", "배") for one in (model, model.bert)
    )
    assert dict(with_head) == pytest.approx(dict(without), abs=1e-6)


def test_examples_hold_the_word_once_and_come_from_everywhere(monkeypatch):
    assert example_sentences("배", "pear") == [TOY["pear"][0][0], TOY["pear"][0][1], TOY["pear"][1][0]]
    many = [[f"{number}번 배를 탔다", f"{number}번 배추", f"{number}번 배가 간다"] for number in range(101)]
    monkeypatch.setattr(senses, "sense_documents", lambda word, sense: many)
    chosen = example_sentences("배", "ship", most=7)
    places = [int(sentence.split("번")[0]) for sentence in chosen]
    assert len(set(chosen)) == 7 and places == sorted(places) and places[0] < 15 and places[-1] > 80
    assert len(example_sentences("배", "ship", most=1000)) == 202


def test_what_cannot_be_told_is_said(tokenizer):
    model = new_model()
    with pytest.raises(ValueError, match="the course knows the senses of 배 눈 .*; got '집'"):
        nearest_sense(model, tokenizer, "집에 갔다", "집")
    with pytest.raises(WordNotFound, match="only part of another word"):  # as encode_words; so is all else
        nearest_sense(model, tokenizer, "배추를 먹었다", "배")


def test_the_first_of_two_counts_unless_the_other_is_asked_for(tokenizer):
    model, sentence = new_model(), "배를 타고 배를 먹었다"
    space = sense_space(model, tokenizer, "배")
    points = [sense_points(model, tokenizer, [sentence], "배", occurrence=number) for number in (0, 1)]
    first, second = (dict(zip(space.senses, space.scores(point)[0].tolist())) for point in points)
    assert first != pytest.approx(second, abs=1e-3)
    assert dict(nearest_sense(model, tokenizer, sentence, "배")) == pytest.approx(first, abs=1e-6)
    assert dict(nearest_sense(model, tokenizer, sentence, "배", occurrence=1)) == pytest.approx(
        second, abs=1e-6
    )
    with pytest.raises(WordNotFound):
        nearest_sense(model, tokenizer, sentence, "배", occurrence=2)


def test_the_temperature_divides_the_distances_and_keeps_the_order():
    points = torch.tensor([[0.0, 0.0], [2.0, 3.0]], dtype=torch.float64)
    sharp, soft = fit_senses(GROUPS), fit_senses(GROUPS, temperature=5.0)
    torch.testing.assert_close(soft.log_odds(points), sharp.log_odds(points) / 5.0)
    assert torch.equal(soft.scores(points).argmax(1), sharp.scores(points).argmax(1))
    with pytest.raises(ValueError, match="temperature must be a finite number, above 0, got 0.0"):
        fit_senses(GROUPS, temperature=0.0)
