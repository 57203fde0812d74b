import numpy as np
import pytest

from course_utils.viz import plot_contributions


def test_heads_are_rows_and_tokens_columns():
    ax = plot_contributions([[0.25, 3.0, 0.5]], ["앞"], ["배를", "타고", "갔다"])
    assert [label.get_text() for label in ax.get_xticklabels()] == ["배를", "타고", "갔다"]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["앞"]
    assert [text.get_text() for text in ax.texts] == ["0.25", "3.00", "0.50"]
    assert ax.images[0].get_clim() == (0.0, 3.0)


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(ValueError, match=r"\(1, 2\).*\(2, 1\)"):
        plot_contributions(np.zeros((2, 1)), ["앞"], ["배를", "탔다"])
    with pytest.raises(ValueError, match="negative"):
        plot_contributions([[-1.0]], ["앞"], ["배를"])
