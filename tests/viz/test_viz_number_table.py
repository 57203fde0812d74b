import numpy as np
import pytest

from course_utils.viz import plot_number_table


def test_each_number_stands_in_a_cell_of_its_owners_colour():
    numbers = np.array([[11, 12], [21, 22], [31, 32]])
    ax = plot_number_table(numbers, numbers // 10 - 1)
    assert [text.get_text() for text in ax.texts] == ["11", "12", "21", "22", "31", "32"]
    filled = [patch.get_facecolor() for patch in ax.patches if patch.get_fill()]
    assert filled[0] == filled[1] != filled[2] == filled[3] != filled[4]


def test_owners_must_fit():
    with pytest.raises(ValueError, match=r"\(2, 3\) and \(3, 2\)"):
        plot_number_table(np.zeros((2, 3)), np.zeros((3, 2), dtype=int))
