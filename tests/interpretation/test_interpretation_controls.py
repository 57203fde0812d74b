"""What findings are held against: random weights and shuffled words, the same again from a seed."""

import pytest
import torch

from course_utils.bert import BertModel
from course_utils.interpretation import attention_maps, random_model, shuffled_words
from tests.interpretation.models import HARBOUR, small_model, small_pair, small_tokenizer


def seed(number):
    return torch.Generator().manual_seed(number)


@pytest.mark.parametrize("make", [small_model, lambda: small_pair()[1]], ids=["ours", "transformers"])
def test_a_random_model_has_the_make_and_no_weight_of_the_other(make):
    model = make().train()
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    fresh, again, other = (random_model(model, generator=seed(number)) for number in (3, 3, 4))
    assert type(fresh) is type(model) and not fresh.training and model.training
    assert all(torch.equal(before[name], tensor) for name, tensor in model.state_dict().items())
    for name, tensor in fresh.named_parameters():
        assert torch.equal(tensor, again.get_parameter(name))
        if tensor.dim() == 2:
            assert not torch.equal(tensor, other.get_parameter(name))
            assert (tensor != before[name]).float().mean() > 0.99, name
            assert tensor.abs().max() <= 0.8 and 0.2 < tensor.std() < 0.45, name  # σ 0.4, cut at 2 σ
        else:
            assert torch.equal(tensor, torch.full_like(tensor, "norm.weight" in name.lower())), name


def test_a_random_model_looks_elsewhere():
    model = small_model(BertModel)
    fresh = random_model(model, generator=seed(1))
    first, second = (attention_maps(one, small_tokenizer(), HARBOUR).weights for one in (model, fresh))
    assert (first - second).abs().max() > 0.1


def test_shuffled_words_are_the_same_words():
    orders = {shuffled_words(HARBOUR, generator=seed(number)) for number in range(40)}
    assert len(orders) > 20 and HARBOUR not in orders
    for order in orders:
        assert order.endswith(".") and order.count(".") == 1
        assert sorted(order[:-1].split()) == sorted(HARBOUR[:-1].split())
    assert shuffled_words(HARBOUR, generator=seed(5)) == shuffled_words(HARBOUR, generator=seed(5))


def test_two_words_can_only_change_places():
    assert shuffled_words("  배를 탔다?! ", generator=seed(0)) == "탔다 배를?!"
    assert shuffled_words("배를 배를 탔다", generator=seed(0)) in {"배를 탔다 배를", "탔다 배를 배를"}


@pytest.mark.parametrize("sentence", ["배.", "배 배 배.", "  ", "..."])
def test_without_another_order_it_says_so(sentence):
    with pytest.raises(ValueError, match="at least two different words"):
        shuffled_words(sentence, generator=seed(0))
