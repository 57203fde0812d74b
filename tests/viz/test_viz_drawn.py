"""Every example is drawn as it is stored: each place, look and word of every artist."""

import pytest

from tests.viz.drawn import described, stored
from tests.viz.examples import EXAMPLES


@pytest.mark.parametrize("name", EXAMPLES)
def test_it_is_drawn_as_it_is_stored(name):
    assert described(EXAMPLES[name](None)) == stored()[name]


def test_nothing_else_is_stored():
    assert list(stored()) == list(EXAMPLES)
