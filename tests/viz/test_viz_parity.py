import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.patches import Rectangle

from course_utils.viz import plot_bert_model, plot_departures, plot_differences, plot_similarity
from course_utils.viz.theme import KEY

STAGES = ["임베딩", "층 1", "층 2", "풀러"]


def test_bars_beyond_the_tolerance_are_hatched():
    ax = plot_differences([0.0, 1e-7, 0.3, np.nan], STAGES)
    bars = [patch for patch in ax.patches if isinstance(patch, Rectangle)]
    assert [bar.get_hatch() for bar in bars] == [None, None, "//", "//"]
    assert bars[1].get_x() + bars[1].get_width() == pytest.approx(1e-7)
    assert bars[3].get_width() == max(bar.get_width() for bar in bars)
    assert ax.get_xscale() == "log" and ax.yaxis_inverted()
    assert [tick.get_text() for tick in ax.get_yticklabels()] == STAGES
    assert "1e-5" in [tick.get_text() for tick in ax.get_xticklabels()]


def test_the_first_departure_of_each_row_is_framed():
    table = [[1e-7, 1e-7, 0.2, 0.1], [0.5, np.nan, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]]
    ax = plot_departures(table, ["ReLU", "위치", "없음"], STAGES)
    frames = [
        patch.get_xy()
        for patch in ax.patches
        if patch.get_edgecolor()[:3] == plt.matplotlib.colors.to_rgb(KEY)
    ]
    assert [(round(x + 0.47), round(y + 0.44)) for x, y in frames] == [(2, 0), (0, 1)]
    assert [text.get_text() for text in ax.texts] == ["0.2", "0.1", "0.5", "nan"]


def test_draws_on_the_given_axes():
    _, ax = plt.subplots()
    assert plot_differences([0.1], ["풀러"], ax=ax) is ax
    assert plot_departures([[0.1]], ["ReLU"], ["풀러"], ax=ax) is ax
    _, ax = plt.subplots()
    assert plot_bert_model(ax=ax) is ax
    assert {"hidden_states[0]", "hidden_states[L]", "풀러"} <= {text.get_text() for text in ax.texts}


@pytest.mark.parametrize("bad", [[], [1.0, 2.0], [[1.0] * 4]])
def test_what_does_not_fit_the_names_is_refused(bad):
    with pytest.raises(ValueError, match="expected differences"):
        plot_differences(bad, STAGES)
    with pytest.raises(ValueError, match="expected differences"):
        plot_departures(bad, ["ReLU", "위치"], STAGES)


def test_similarities_close_to_one_take_the_sequential_scale():
    image = plot_similarity([[1.0, 0.7], [0.7, 1.0]], ["강", "돈"], lowest=0.6).get_images()[0]
    assert image.get_clim() == (0.6, 1.0) and image.get_cmap().name == "weights"
    assert plot_similarity([[1.0]], ["강"]).get_images()[0].get_clim() == (-1.0, 1.0)
    with pytest.raises(ValueError, match="lowest"):
        plot_similarity([[1.0]], ["강"], lowest=-0.5)
