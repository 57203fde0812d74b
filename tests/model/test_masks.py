import numpy as np
import pytest
import torch

from course_utils.masks import causal_mask, combine_masks, padding_mask


def test_padding_mask_by_hand():
    mask = padding_mask(torch.tensor([[5, 7, 0], [3, 0, 0]]))
    assert mask.shape == (2, 1, 1, 3) and mask.dtype == torch.bool
    assert mask[:, 0, 0].tolist() == [[True, True, False], [True, False, False]]


def test_padding_mask_knows_the_padding_id_only():
    # 0 is an ordinary token here, −1 too, and 1 is the padding: "x > 0" would get all three wrong.
    mask = padding_mask(torch.tensor([[0, -1, 4, 1, 1]]), pad_token_id=1)
    assert mask.flatten().tolist() == [True, True, True, False, False]


def test_padding_mask_does_not_change_the_ids():
    input_ids = torch.tensor([[5, 0, 0]], dtype=torch.int32)
    padding_mask(input_ids)
    assert input_ids.tolist() == [[5, 0, 0]]


@pytest.mark.parametrize(
    ("input_ids", "message"),
    [
        (torch.zeros(3, dtype=torch.long), r"\(B, T_k\), got \(3,\)"),
        (torch.zeros(2, 3, 5, dtype=torch.long), r"\(B, T_k\), got \(2, 3, 5\)"),
        (torch.zeros(2, 3), "integers, got torch.float32"),
        (torch.ones(2, 3, dtype=torch.bool), "integers, got torch.bool"),
    ],
)
def test_padding_mask_refuses(input_ids, message):
    with pytest.raises(ValueError, match=message):
        padding_mask(input_ids)


def test_causal_mask_by_hand():
    mask = causal_mask(3)
    assert mask.shape == (1, 1, 3, 3) and mask.dtype == torch.bool
    assert mask[0, 0].int().tolist() == [[1, 0, 0], [1, 1, 0], [1, 1, 1]]


def test_causal_mask_allows_key_j_to_query_i_when_j_is_not_later():
    mask = causal_mask(7)[0, 0]
    assert all(mask[i, j] == (j <= i) for i in range(7) for j in range(7))


def test_causal_mask_of_nothing_is_refused():
    with pytest.raises(ValueError, match="from 1 to 65536, got 0"):
        causal_mask(0)


def test_combined_masks_allow_what_all_allow():
    padding = padding_mask(torch.tensor([[5, 7, 0], [3, 0, 0]]))
    both = combine_masks(padding, causal_mask(3))
    assert both.shape == (2, 1, 3, 3)
    assert both[0, 0].int().tolist() == [[1, 0, 0], [1, 1, 0], [1, 1, 0]]
    assert both[1, 0].int().tolist() == [[1, 0, 0], [1, 0, 0], [1, 0, 0]]


def test_combining_is_independent_of_the_order():
    generator = torch.Generator().manual_seed(0)
    masks = [
        torch.rand(shape, generator=generator) > 0.3 for shape in [(2, 1, 1, 5), (1, 1, 5, 5), (2, 3, 5, 5)]
    ]
    assert torch.equal(combine_masks(*masks), combine_masks(*reversed(masks)))
    assert torch.equal(combine_masks(*masks), masks[0] & masks[1] & masks[2])


def test_none_means_no_restriction():
    mask = causal_mask(5)
    assert combine_masks() is None and combine_masks(None, None) is None
    assert torch.equal(combine_masks(None, mask, None), mask)


def test_combining_writes_into_no_mask():
    first, second = causal_mask(5), torch.zeros(1, 1, 5, 5, dtype=torch.bool)
    combine_masks(first, second)
    assert torch.equal(first, causal_mask(5)) and not second.any()
    combine_masks(first).fill_(False)  # even of a single mask the result is a new tensor
    assert torch.equal(first, causal_mask(5))


def test_combining_refuses():
    with pytest.raises(ValueError, match="bool .* got torch.float32"):
        combine_masks(causal_mask(3), torch.ones(3, 3))
    with pytest.raises(ValueError, match=r"got \(1, 1, 3, 3\) and \(1, 1, 5, 5\)"):
        combine_masks(causal_mask(3), causal_mask(5))


@pytest.mark.parametrize("wrong", [None, [[5, 7, 0]], np.ones((2, 3), dtype=int)])
def test_what_is_no_tensor_is_refused(wrong):
    with pytest.raises(ValueError, match=r"^input_ids must be a torch\.Tensor, got (NoneType|list|ndarray)"):
        padding_mask(wrong)
    if wrong is not None:
        with pytest.raises(ValueError, match=r"^mask must be a torch\.Tensor, got (list|ndarray)"):
            combine_masks(causal_mask(3), wrong)


@pytest.mark.parametrize("length", [3.0, True, "3", None])
def test_a_length_is_a_whole_number(length):
    with pytest.raises(ValueError, match="^length must be a whole number from 1 to 65536, got"):
        causal_mask(length)
