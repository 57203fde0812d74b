"""Head patterns as numbers: counted by hand on drawn tables, and by loops on random ones."""

import math

import numpy as np
import pytest
import torch

from course_utils.interpretation import PATTERNS, head_patterns, mean_patterns

TOKENS = ["[CLS]", "배", "##를", "배", "[SEP]", "##를", "[SEP]"]  # 배 at 1 and 3, ##를 at 2 and 5


def looking(*targets):
    """One head that looks wholly at targets[t] from place t: (1, 1, T, T)."""
    return np.eye(len(TOKENS))[list(targets)][None, None]


def by_loops(tokens, table):
    """Every pattern of one table (T, T), by its definition, with plain loops."""
    length, special = len(tokens), {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}
    rows = {name: [] for name in PATTERNS}
    for place in range(length):
        row = [float(table[place][other]) for other in range(length)]
        if place > 0:
            rows["previous"].append(row[place - 1])
        if place < length - 1:
            rows["next"].append(row[place + 1])
        rows["itself"].append(row[place])
        rows["first"].append(row[0])
        rows["separator"].append(sum(row[other] for other in range(length) if tokens[other] == "[SEP]"))
        twins = [other for other in range(length) if other != place and tokens[other] == tokens[place]]
        if twins and tokens[place] not in special:
            rows["same"].append(sum(row[other] for other in twins))
        rows["entropy"].append(-sum(weight * math.log2(weight) for weight in row if weight > 0))
    return rows


@pytest.mark.parametrize(
    ("targets", "name", "expected"),
    [
        ((4, 0, 1, 2, 3, 4, 5), "previous", 1.0),
        ((1, 2, 3, 4, 5, 6, 1), "next", 1.0),
        ((0, 1, 2, 3, 4, 5, 6), "itself", 1.0),
        ((0, 3, 5, 1, 0, 2, 0), "same", 1.0),
        ((0, 3, 5, 0, 0, 0, 0), "same", 0.5),  # two of the four that stand twice
        ((0, 0, 0, 0, 6, 0, 4), "same", 0.0),  # a [SEP] is no word
        ((4, 6, 4, 6, 4, 6, 0), "separator", 6 / 7),
        ((0, 0, 0, 6, 6, 6, 6), "first", 3 / 7),
    ],
)
def test_a_head_that_looks_at_one_place(targets, name, expected):
    found = head_patterns(TOKENS, looking(*targets))
    assert tuple(found) == PATTERNS
    assert found[name].shape == (1, 1) and found[name][0, 0] == pytest.approx(expected)
    assert found["entropy"][0, 0] == 0


def test_uniform_attention_is_the_level_of_chance():
    found = head_patterns(TOKENS, np.full((3, 2, 7, 7), 1 / 7))
    for name in ("previous", "next", "itself", "same", "first"):
        np.testing.assert_allclose(found[name], np.full((3, 2), 1 / 7), err_msg=name)
    np.testing.assert_allclose(found["separator"], np.full((3, 2), 2 / 7))
    np.testing.assert_allclose(found["entropy"], np.full((3, 2), math.log2(7)))


def test_random_tables_by_loops():
    weights = torch.randn(3, 5, 7, 7, generator=torch.Generator().manual_seed(3)).softmax(-1)
    found = head_patterns(TOKENS, weights)
    for layer in range(3):
        for head in range(5):
            for name, rows in by_loops(TOKENS, weights[layer, head]).items():
                assert float(found[name][layer, head]) == pytest.approx(sum(rows) / len(rows), abs=1e-5), name


def test_tensors_for_tensors_arrays_for_arrays():
    weights = torch.randn(2, 3, 7, 7, dtype=torch.float64).softmax(-1).requires_grad_()
    as_tensors, as_arrays = head_patterns(TOKENS, weights), head_patterns(TOKENS, weights.detach().numpy())
    for name in PATTERNS:
        assert as_tensors[name].requires_grad and isinstance(as_arrays[name], np.ndarray)
        np.testing.assert_allclose(as_arrays[name], as_tensors[name].detach(), atol=1e-12)


def test_where_no_row_counts_the_number_is_0():
    found = head_patterns(["[CLS]", "배", "[SEP]"], np.full((1, 1, 3, 3), 1 / 3))
    assert found["same"][0, 0] == 0
    alone = head_patterns(["배"], np.ones((1, 1, 1, 1)))
    assert [alone[name][0, 0] for name in ("previous", "next", "itself", "entropy")] == [0, 0, 1, 0]


def test_many_sentences_are_one_pile_of_rows():
    generator = torch.Generator().manual_seed(11)
    sentences = [
        (tokens, torch.randn(2, 3, len(tokens), len(tokens), generator=generator).softmax(-1))
        for tokens in (TOKENS, ["[CLS]", "배", "[SEP]"], ["[CLS]", "배", "배", "탔다", "[SEP]"])
    ]
    found = mean_patterns(iter(sentences))
    for name in PATTERNS:
        rows = [row for tokens, table in sentences for row in by_loops(tokens, table[1, 2])[name]]
        assert float(found[name][1, 2]) == pytest.approx(sum(rows) / len(rows), abs=1e-5), name


def test_what_does_not_fit_is_refused():
    for weights in (np.ones((2, 2, 7, 6)), np.ones((2, 2, 5, 5)), np.ones((7, 7), dtype=int)):
        with pytest.raises(ValueError, match=r"T = 7 tokens"):
            head_patterns(TOKENS, weights)
    with pytest.raises(ValueError, match="at least 1"):
        head_patterns([], np.ones((1, 1, 0, 0)))
    with pytest.raises(ValueError, match="at least one sentence"):
        mean_patterns([])
