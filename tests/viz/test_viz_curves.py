import numpy as np
import pytest

from course_utils.viz import plot_curves, plot_encoder_block, plot_runs

X = np.linspace(-2, 3, 7)


def test_curves_are_told_apart_by_colour_and_dash() -> None:
    ax = plot_curves(X, {"a": X, "b": X**2, "c": -X})
    drawn = [line for line in ax.lines if len(line.get_xdata()) == 7]
    assert [line.get_label() for line in drawn] == ["a", "b", "c"]
    assert (
        len({line.get_color() for line in drawn}) == len({str(line.get_linestyle()) for line in drawn}) == 3
    )
    np.testing.assert_array_equal(drawn[1].get_ydata(), X**2)


@pytest.mark.parametrize("curves", [{}, {"a": X[:3]}, {str(i): X for i in range(8)}])
def test_curves_must_fit(curves: dict) -> None:
    with pytest.raises(ValueError, match="expected"):
        plot_curves(X, curves)


def test_runs_show_median_and_range() -> None:
    runs = np.array([X, X + 1, X + 5])
    ax = plot_runs(X, {"a": runs, "b": runs[:1]})
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), X + 1)
    band = ax.collections[0].get_paths()[0].vertices
    assert (band[:, 1].min(), band[:, 1].max()) == (X[0], X[-1] + 5)


@pytest.mark.parametrize("runs", [{}, {"a": X}, {"a": np.zeros((2, 3))}, {"a": np.zeros((0, 7))}])
def test_runs_must_fit(runs: dict) -> None:
    with pytest.raises(ValueError, match="expected"):
        plot_runs(X, runs)


def test_the_two_orders_differ_in_where_the_norm_stands() -> None:
    def boxes_upwards(order: str) -> list[str]:
        texts = sorted(plot_encoder_block(order).texts, key=lambda text: text.get_position()[1])
        return [text.get_text() for text in texts if text.get_text()]

    attention, norm, forward = "멀티 헤드 어텐션", "층 정규화", "피드포워드"
    assert boxes_upwards("post")[1:-1] == [attention, "+", norm, forward, "+", norm]
    assert boxes_upwards("pre")[1:-1] == [norm, attention, "+", norm, forward, "+"]
    with pytest.raises(ValueError, match="middle"):
        plot_encoder_block("middle")
