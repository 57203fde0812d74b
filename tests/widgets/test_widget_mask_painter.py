"""MaskPainter without a browser: its mask, its weights, its sentence and what it refuses."""

import json
import math

import pytest
import torch

from course_utils.attention import attention_weights
from course_utils.masks import causal_mask, combine_masks
from course_utils.widgets import MaskPainter

SENTENCE = "나는 항구에서 배를 탔다 [PAD]"


def vectors(words):
    """The same word, the same vectors."""
    rows = [torch.randn(2, 7, generator=torch.Generator().manual_seed(len(word))) for word in words]
    return torch.stack(rows, dim=1).unbind()


def make(sentence: str = SENTENCE, **changes) -> MaskPainter:
    arguments = {"vectors": vectors, "attention_weights": attention_weights} | changes
    return MaskPainter(sentence, **arguments)


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("padding", [0, 1, 3, 5])
def test_rules_are_the_masks_of_the_package(causal: bool, padding: int) -> None:
    painter = make()
    painter.causal, painter.padding = causal, padding
    keys = (torch.arange(5) < 5 - padding)[None, None, None]
    expected = combine_masks(causal_mask(5) if causal else None, keys.expand(1, 1, 5, 5))[0, 0]
    assert torch.equal(painter.mask, expected)
    weights = torch.tensor(painter.picture["weights"])
    assert torch.allclose(weights, attention_weights(*vectors(SENTENCE.split()), expected))


def test_painted_cells_lie_on_top_of_the_rules_and_the_last_word_holds() -> None:
    painter = make(causal=True)
    painter.painted = [[0, 4, 1], [4, 0, 0], [4, 1, 0], [4, 1, 1]]
    expected = causal_mask(5)[0, 0].clone()
    expected[0, 4], expected[4, 0] = True, False
    assert torch.equal(painter.mask, expected)


def test_a_mask_of_ones_own() -> None:
    painter = make(causal=True, padding=2)
    mine = torch.rand(5, 5, generator=torch.Generator().manual_seed(1)) < 0.5
    painter.paint(mine)
    assert torch.equal(painter.mask, mine) and not painter.causal and painter.padding == 0
    for bad in (mine[:4], mine.int(), mine[None]):
        with pytest.raises(ValueError, match=r"\(5, 5\)인 bool"):
            painter.paint(bad)
    assert torch.equal(painter.mask, mine)


def test_the_summary_counts_cells_and_names_fully_masked_rows() -> None:
    painter = make()
    assert "25칸 가운데 25칸" in painter.summary and "모두 가린 행은 없습니다" in painter.summary
    assert "'나는'의 행은 키 5개" in painter.summary and "합은 1.00" in painter.summary
    painter.painted = [[2, key, 0] for key in range(5)]
    assert "25칸 가운데 20칸" in painter.summary
    assert "모두 가린 행 1개('배를')의 가중치는 모두 0" in painter.summary
    assert painter.picture["weights"][2] == [0.0] * 5
    painter.row = 2
    assert "'배를'의 행은 볼 키가 없습니다" in painter.summary
    painter.padding = 5
    assert "모두 가린 행 5개" in painter.summary


def test_formulas_of_the_learner_are_told_apart() -> None:
    def by_formula(query, key, mask):
        return (query @ key.T).masked_fill(~mask, -math.inf).softmax(dim=-1)

    def evenly(query, key, mask):
        return (query @ key.T).masked_fill(~mask, -1e9).softmax(dim=-1)

    def late(query, key, mask):
        return (query @ key.T).softmax(dim=-1) * mask

    blocked = [[1, key, 0] for key in range(5)]
    painter = make(attention_weights=by_formula)
    painter.painted, painter.row = blocked, 1
    assert painter.picture["weights"][1] == [None] * 5
    assert "NaN" in painter.summary and json.dumps(painter.picture, allow_nan=False)
    painter = make(attention_weights=evenly)
    painter.painted = blocked
    assert "0이 아닙니다" in painter.summary
    painter = make(attention_weights=late)
    painter.painted = [[0, 0, 0]]
    assert "합은 1.00" not in painter.summary


def test_a_shorter_sentence_keeps_what_was_set() -> None:
    painter = make(padding=3)
    painter.painted, painter.row = [[4, 4, 1]], 4
    painter.sentence = "배가 고프다"
    assert not painter.mask.any() and "'고프다'의 행은" in painter.summary
    painter.sentence = SENTENCE
    assert painter.mask[4, 4] and int(painter.mask.sum()) == 11


def test_the_callers_function_gets_its_own_mask() -> None:
    def scribbling(query, key, mask):
        weights = attention_weights(query, key, mask)
        mask[:] = False
        return weights

    assert make(attention_weights=scribbling).mask.all()
