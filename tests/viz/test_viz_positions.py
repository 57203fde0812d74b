import matplotlib.pyplot as plt
import numpy as np
import pytest

from course_utils.viz import plot_encoding


def test_rows_are_positions_and_zero_is_in_the_middle():
    encoding = np.linspace(-0.5, 0.25, 35).reshape(7, 5)
    ax = plot_encoding(encoding)
    (image,) = ax.get_images()
    assert np.allclose(image.get_array(), encoding) and image.get_clim() == (-1.0, 1.0)
    assert ax.get_xlabel() == "차원" and ax.get_ylabel().startswith("자리")
    assert ax.yaxis_inverted()


def test_the_scale_grows_with_larger_values_and_stays_centred():
    _, ax = plt.subplots()
    assert plot_encoding([[0.0, -3.0]], ax=ax) is ax
    assert ax.get_images()[0].get_clim() == (-3.0, 3.0)


@pytest.mark.parametrize("bad", [[1.0, 2.0], [[]], [[np.nan]], np.zeros((2, 3, 4))])
def test_what_is_no_encoding_is_refused(bad):
    with pytest.raises(ValueError, match=r"\(T, C\)"):
        plot_encoding(bad)
