"""The average of checkpoints: the mean of each parameter, and of nothing else."""

import copy

import pytest
import torch
from torch import nn

from course_utils.seq2seq import Transformer, average_state_dicts

SIZES = dict(hidden_size=6, num_heads=3, num_layers=1, intermediate_size=7)


def checkpoints(number=5):
    """State dicts of one model, as they would be at several times."""
    models = [
        Transformer(11, 13, **SIZES, generator=torch.Generator().manual_seed(seed)) for seed in range(number)
    ]
    return [model.state_dict() for model in models]


def test_by_hand():
    dicts = [
        {"a": torch.tensor([1.0, 5.0])},
        {"a": torch.tensor([2.0, 0.0])},
        {"a": torch.tensor([6.0, 1.0])},
    ]
    assert average_state_dicts(dicts)["a"].tolist() == [3.0, 2.0]


def test_each_parameter_is_the_mean_and_nothing_is_changed():
    dicts = checkpoints()
    before = copy.deepcopy(dicts)
    average = average_state_dicts(dicts)
    assert average.keys() == dicts[0].keys()
    for name, tensor in average.items():
        expected = torch.stack([one[name].double() for one in dicts]).mean(0).float()
        torch.testing.assert_close(tensor, expected, rtol=0, atol=1e-7)
        assert tensor.data_ptr() not in [one[name].data_ptr() for one in dicts]
    assert all(
        torch.equal(one[name], old[name]) for one, old in zip(dicts, before, strict=True) for name in one
    )


def test_it_is_summed_in_float64():
    """In half precision the sum of these would be infinite, and 2048 + 1 = 2048."""
    dicts = [{"a": torch.tensor([60000.0, 2048.0], dtype=torch.float16)} for _ in range(3)]
    average = average_state_dicts([*dicts, {"a": torch.tensor([60000.0, 2056.0], dtype=torch.float16)}])["a"]
    assert average.dtype == torch.float16 and average.tolist() == [60000.0, 2050.0]
    dicts = [{"a": torch.tensor([number])} for number in (2.0**24, 1.0, 1.0, 2.0)]
    assert average_state_dicts(dicts)["a"].item() == 4194305.0  # in float32 it would be 4194304.5


def test_tied_weights_stay_tied():
    model = Transformer(13, 13, **SIZES, shared=True)
    average = average_state_dicts([model.state_dict(), *checkpoints_like(model)])
    names = ["generator.weight", "target_embedding.weight", "source_embedding.weight"]
    assert average[names[0]] is average[names[1]] is average[names[2]]
    untied = average_state_dicts(checkpoints())
    assert untied["generator.weight"] is untied["target_embedding.weight"]
    assert untied["source_embedding.weight"] is not untied["target_embedding.weight"]
    model.load_state_dict(average)
    assert model.generator.weight is model.source_embedding.weight
    assert torch.equal(model.generator.weight, average["generator.weight"])


def checkpoints_like(model):
    torch.manual_seed(1)
    other = copy.deepcopy(model)
    for parameter in other.parameters():
        parameter.data.normal_()
    return [other.state_dict()]


def test_parts_of_one_storage_are_not_one_tensor():
    """The halves of a matrix, and a matrix and its transpose, begin or lie in the same memory."""
    whole = torch.arange(16.0).view(4, 4)
    given = {
        "whole": whole,
        "turned": whole.T,
        "half": whole[:2],
        "empty": whole[:0],
        "nothing": torch.ones(0),
    }
    average = average_state_dicts([given, {name: tensor + 2 for name, tensor in given.items()}, given])
    for name, tensor in given.items():
        torch.testing.assert_close(average[name], tensor + 2 / 3)


def test_counts_and_masks_are_those_of_the_last():
    first, last = nn.BatchNorm1d(3), nn.BatchNorm1d(3)
    first.num_batches_tracked += 2
    last.num_batches_tracked += 5
    last.running_mean += 4.0
    dicts = [{**part.state_dict(), "mask": torch.tensor([part is last])} for part in (first, last)]
    average = average_state_dicts(dicts)
    assert average["num_batches_tracked"].item() == 5 and average["num_batches_tracked"].dtype == torch.int64
    assert average["mask"].tolist() == [True] and average["running_mean"].tolist() == [2.0] * 3
    average["num_batches_tracked"] += 1
    assert last.num_batches_tracked.item() == 5


@pytest.mark.parametrize(
    "other",
    [{"b": torch.ones(2)}, {"a": torch.ones(2), "b": torch.ones(2)}, {"a": torch.ones(1)}],
    ids=["another name", "one name more", "a shape that would broadcast"],
)
def test_what_is_not_of_one_model_is_refused(other):
    for pair in ([{"a": torch.ones(2)}, other], [other, {"a": torch.ones(2)}]):
        with pytest.raises(ValueError, match="state_dicts must have the same names and shapes"):
            average_state_dicts(pair)
