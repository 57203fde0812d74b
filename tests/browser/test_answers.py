"""The measure of how soon a widget answers must see a slow one; how fast the real ones are is printed by make bench."""

from __future__ import annotations

import pytest

from benchmarks import widgets_bench
from tests.browser.harness import Lab, Visit, make_notebook
from tests.browser.largest import Largest

pytestmark = [pytest.mark.slow, pytest.mark.rare]  # of a command that is rarely changed

SLOW = """
import time
from course_utils.widgets import HeadGrid

def attention(words):
    time.sleep(0.3 * len(words))
    return [[[1.0]], [[1.0]]] if len(words) == 1 else [[[0.5, 0.5]] * 2] * 2

HeadGrid("배", heads=["하나", "둘"], attention=attention)
"""


def test_the_peer_is_measured(guest: Visit, lab: Lab) -> None:
    guest.open(make_notebook(lab.folder, [widgets_bench.PEER_CODE]))
    guest.run_all()
    card, moves = widgets_bench.moves(guest, widgets_bench.PEER)
    took = widgets_bench.answers(guest, card, moves, 3)
    assert len(took) == 3 and min(took) > 0
    assert "51 of 100" in card.text_content()


def test_a_slow_answer_is_seen_and_a_key_without_effect_left_out(
    guest: Visit, lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    moves = (("sentence", "a"), ("sentence", " "), ("sentence", "b"), ("head-0", "F7"))
    monkeypatch.setattr(widgets_bench, "largest", lambda name: Largest(SLOW, moves))
    guest.open(make_notebook(lab.folder, [SLOW]))
    guest.run_all()
    took = widgets_bench.answers(guest, *widgets_bench.moves(guest, "head_grid"), 4)
    assert 3 >= len(took) >= 2  # F7 does nothing, and a blank at the end makes no other words
    assert took[0] >= 300 and max(took) >= 600  # a second word takes twice as long
    assert widgets_bench.summary([1.0, 2.0, 3.0, 10.0]) == pytest.approx((2.5, 8.95))
