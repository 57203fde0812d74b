"""Figures are drawn in the course's look."""

import matplotlib as mpl
import pytest

from course_utils.viz import use_theme


@pytest.fixture(autouse=True)
def themed():
    with mpl.rc_context():
        mpl.use("agg")
        use_theme()
        yield
