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


def test_causal_mask_allows_key_j_to_query_i_when_j_is_not_later():
    assert causal_mask(7).shape == (1, 1, 7, 7) and causal_mask(7).dtype == torch.bool
    mask = causal_mask(7)[0, 0]
    assert all(mask[i, j] == (j <= i) for i in range(7) for j in range(7))


def test_combined_masks_allow_what_all_allow():
    padding = padding_mask(torch.tensor([[5, 7, 0], [3, 0, 0]]))
    both = combine_masks(padding, causal_mask(3))
    assert both.shape == (2, 1, 3, 3)
    assert both[0, 0].int().tolist() == [[1, 0, 0], [1, 1, 0], [1, 1, 0]]
    assert both[1, 0].int().tolist() == [[1, 0, 0], [1, 0, 0], [1, 0, 0]]


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


def test_what_is_no_mask_or_no_id_is_refused():
    """Integers inverted with ~ are all True; vectors do not say what is padding (notebook 03 shows both)."""
    for wrong in (torch.ones(3, 3), torch.ones(3, 3, dtype=torch.long)):
        with pytest.raises(ValueError, match=f"masks must be bool .True = may attend., got {wrong.dtype}"):
            combine_masks(wrong, causal_mask(3))
    with pytest.raises(ValueError, match="input_ids must be integers, got torch.float32"):
        padding_mask(torch.zeros(2, 3))
