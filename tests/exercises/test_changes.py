"""Mistakes that are told as changes of the reference."""

import pytest

from course_utils.exercises.changes import changes_of


def double(x):
    return 2 * x


def test_each_change_is_another_function():
    found = changes_of(double, {"square": {"2 *": "x *"}, "several": [{"2": "3", "x\n": "-x\n"}, abs]})
    assert found["square"](5) == 25 and [one(-5) for one in found["several"]] == [15, 5]
    assert double(5) == 10


def test_a_text_that_is_not_there_is_named():
    with pytest.raises(ValueError, match=r"double has no '3 \*'"):
        changes_of(double, {"triple": {"3 *": "4 *"}})
