"""Lecture mode: figures and widgets in large, for those in the last row.

    make lab LECTURE=1            for a whole session
    lecture_mode(True)            for what a notebook shows from here on

A widget also has a button for it, which acts on all widgets of the page.
"""

from __future__ import annotations

import os

VARIABLE = "COURSE_LECTURE"
SCALE = 1.5  # how much larger; widgets have the same factor in widgets/common.css


def lecture_mode(on: bool | None = None) -> bool:
    """Whether figures and widgets are shown in large; with an argument, from now on.

    The switch is kept in the environment variable COURSE_LECTURE (1 = on).
    """
    if on is not None:
        os.environ[VARIABLE] = "1" if on else "0"
    return os.environ.get(VARIABLE) == "1"
