"""One number a head: layers are rows, and the colours say what the numbers say."""

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from course_utils.viz import SIGNED, WEIGHTS, plot_head_grid

SHARES = [[0.0, 0.25, 1.0], [0.5, 0.75, 0.125]]


def test_layers_are_rows_and_heads_columns_from_0():
    ax = plot_head_grid(SHARES)
    assert [label.get_text() for label in ax.get_xticklabels()] == ["헤드 0", "헤드 1", "헤드 2"]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["층 0", "층 1"]
    written = {text.get_position(): text.get_text() for text in ax.texts}
    assert written[2, 0] == "1.00" and written[0, 1] == "0.50" and written[1, 0] == "0.25"
    assert ax.images[0].get_clim() == (0.0, 1.0) and ax.images[0].get_cmap() is WEIGHTS
    np.testing.assert_array_equal(ax.images[0].get_array(), SHARES)


def test_effects_are_centred_at_0_and_carry_their_sign():
    ax = plot_head_grid([[0.5, -0.25, -0.001]], lowest=-0.5, highest=0.5)
    assert [text.get_text() for text in ax.texts] == ["+0.50", "-0.25", "+0.00"]
    assert ax.images[0].get_clim() == (-0.5, 0.5) and ax.images[0].get_cmap() is SIGNED
    assert SIGNED(0.5)[:3] == pytest.approx(to_rgb("white"), abs=0.02)


def test_numbers_stand_out_from_their_cells():
    for values, scale in [(SHARES, {}), ([[-1.0, 1.0, 0.0, 0.5]], {"lowest": -1.0})]:
        ax = plot_head_grid(values, **scale)
        picture = ax.images[0]
        for text in ax.texts:
            head, layer = text.get_position()
            cell = picture.cmap(picture.norm(np.asarray(values)[layer, head]))[:3]
            lights = sorted(
                sum(0.33 * part**2.2 for part in color) for color in (cell, to_rgb(text.get_color()))
            )
            assert (lights[1] + 0.05) / (lights[0] + 0.05) > 4.5, text.get_text()
