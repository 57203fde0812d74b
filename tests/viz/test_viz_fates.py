"""plot_fates: boxes told apart without colour, labels below, and what it refuses."""

import matplotlib.pyplot as plt
import pytest

from course_utils.viz import plot_fates
from course_utils.viz.fates import LOOKS


def test_a_box_a_token_and_the_label_below_it():
    tokens = [["[CLS]", "나는", "[MASK]", "배", "[SEP]"], ["차", "다"]]
    fates = [["special", "plain", "masked", "kept", "special"], ["random", "plain"]]
    labels = [["", "", "항구", "배", ""], ["말", ""]]
    ax = plot_fates(tokens, fates, labels, names=["첫째", "둘째"])
    written = [text.get_text() for text in ax.texts]
    assert written == ["[CLS]", "나는", "[MASK]", "항구", "배", "배", "[SEP]", "차", "말", "다"]
    assert len(ax.patches) == 7 and [label.get_text() for label in ax.get_yticklabels()] == ["첫째", "둘째"]
    assert len(ax.get_legend().get_texts()) == 5
    plt.close(ax.get_figure())


def test_fates_differ_without_colour():
    looks = {
        (look.get("hatch"), look.get("linewidth"), look.get("linestyle"), look.get("alpha"))
        for look in LOOKS.values()
    }
    assert len(looks) == len(LOOKS)


@pytest.mark.parametrize(
    ("tokens", "fates", "labels"),
    [([], [], []), ([["가"]], [["plain", "plain"]], [[""]]), ([["가"]], [["eaten"]], [[""]])],
)
def test_refusals(tokens, fates, labels):
    with pytest.raises(ValueError, match="expected rows|fates must be"):
        plot_fates(tokens, fates, labels)
