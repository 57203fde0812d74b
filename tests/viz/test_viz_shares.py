import matplotlib.pyplot as plt
import pytest

from course_utils.viz import plot_shares

PARTS = {"임베딩": [90, 10], "층": [9, 60], "헤드": [1, 30]}


def test_bars_are_the_shares_and_end_at_one():
    ax = plot_shares(PARTS, ["작은", "큰"])
    bars = [container.patches for container in ax.containers]
    assert [[round(bar.get_width(), 3) for bar in part] for part in bars] == [
        [0.9, 0.1],
        [0.09, 0.6],
        [0.01, 0.3],
    ]
    assert all(abs(bar.get_x() + bar.get_width() - 1) < 1e-9 for bar in bars[-1])
    assert [text.get_text() for text in ax.texts] == ["90%", "10%", "9%", "60%", "30%"]  # 1 % has no room
    assert [label.get_text() for label in ax.get_yticklabels()] == ["작은", "큰"]


def test_it_draws_where_it_is_told():
    _, (left, right) = plt.subplots(1, 2)
    assert plot_shares(PARTS, ["작은", "큰"], ax=right) is right
    assert not left.has_data()


@pytest.mark.parametrize("parts", [{"a": [1, 2, 3]}, {"a": [1, -1], "b": [1, 2]}, {"a": [0, 1]}])
def test_what_does_not_fit_is_refused(parts):
    with pytest.raises(ValueError):
        plot_shares(parts, ["작은", "큰"])
