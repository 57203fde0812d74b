"""Attention rollout: two layers and three tokens by hand, and what holds for any."""

import pytest
import torch

from course_utils.interpretation import rollout


def test_two_layers_three_tokens_by_hand():
    """Heads (0, 1) of layer 0 mean to [[1, 0, 0], [.5, .5, 0], [0, .5, .5]]; layer 1: everyone looks at token 2."""
    first = [[[1.0, 0, 0], [1, 0, 0], [0, 0, 1]], [[1.0, 0, 0], [0, 1, 0], [0, 1, 0]]]
    second = [[[0.0, 0, 1]] * 3] * 2
    flows = rollout(torch.tensor([first, second]))
    assert flows.shape == (2, 3, 3)
    # ½·W + ½·I
    torch.testing.assert_close(flows[0], torch.tensor([[1.0, 0, 0], [0.25, 0.75, 0], [0, 0.25, 0.75]]))
    # rows of A_2: (½, 0, ½), (0, ½, ½), (0, 0, 1), times the above
    expected = torch.tensor([[0.5, 0.125, 0.375], [0.125, 0.5, 0.375], [0, 0.25, 0.75]])
    torch.testing.assert_close(flows[1], expected)


def test_rows_sum_to_1_and_a_model_that_looks_at_itself_stays_there():
    weights = torch.randn(5, 3, 7, 7, generator=torch.Generator().manual_seed(2)).softmax(-1)
    torch.testing.assert_close(rollout(weights).sum(-1), torch.ones(5, 7))
    torch.testing.assert_close(rollout(torch.eye(7).expand(5, 3, 7, 7)), torch.eye(7).expand(5, 7, 7))


def test_heads_count_alike_in_any_order():
    weights = torch.randn(3, 5, 4, 4, generator=torch.Generator().manual_seed(4)).softmax(-1)
    torch.testing.assert_close(rollout(weights.flip(1)), rollout(weights))
    assert not torch.allclose(rollout(weights.flip(0))[-1], rollout(weights)[-1], atol=1e-3)


@pytest.mark.parametrize("shape", [(3, 4, 4), (2, 3, 4, 5)])
def test_other_shapes_are_refused(shape):
    with pytest.raises(ValueError, match=r"\(L, H, T, T\)"):
        rollout(torch.ones(shape))
