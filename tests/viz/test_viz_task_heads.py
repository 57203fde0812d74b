"""What the four heads say: bars of labels, tags below words, starts and ends; and what layers are mixed of."""

import numpy as np
import pytest
import torch

from course_utils.viz import plot_label_bars, plot_layer_mix, plot_span_scores, plot_tagged_words
from course_utils.viz.layer_mix import HATCHES
from course_utils.viz.tagged_words import GAP, LINE
from course_utils.viz.theme import CYCLE, KEY, MUTED, QUERY, VALUE
from tests.viz.drawn import boxes, check_no_frame, figure_size, hex_of, labels, near, text_of, written

FIFTHS = ["0%", "20%", "40%", "60%", "80%", "100%"]


def test_label_bars():
    ax = plot_label_bars(["나쁨", "좋음", "모름"], [0.25, 0.7, 0.05])
    near(figure_size(ax), [6, 2.26])
    near(boxes(ax), [(0, -0.31, 0.25, 0.62), (0, 0.69, 0.7, 0.62), (0, 1.69, 0.05, 0.62)])
    assert [hex_of(bar.get_facecolor()) for bar in ax.patches] == [MUTED, QUERY, MUTED]
    assert written(ax) == {(0.265, 0): "25%", (0.715, 1): "70%", (0.065, 2): "5%"}
    assert [text.get_weight() for text in ax.texts] == ["normal", "bold", "normal"]
    assert [label.get_weight() for label in ax.get_yticklabels()] == ["normal", "bold", "normal"]
    assert labels(ax.yaxis) == ["나쁨", "좋음", "모름"] and labels(ax.xaxis) == FIFTHS
    assert ax.yaxis_inverted() and ax.get_xlim() == (0, 1.1) and ax.get_xlabel() == "확률"


def test_label_bars_of_a_tensor_and_of_equals():
    ax = plot_label_bars(["a", "b"], torch.tensor([0.5, 0.5], requires_grad=True))
    assert [hex_of(bar.get_facecolor()) for bar in ax.patches] == [QUERY, MUTED]  # the first of those alike


def test_tagged_words():
    ax = plot_tagged_words(["그는", "뉴욕", "시에서", "왔다", "."], ["O", "B-LC", "I-LC", "O", "O"])
    near(figure_size(ax), [11, 1.25])
    framed = boxes(ax)
    assert len(framed) == 2  # only words with a tag stand in a box
    (first, low, wide, high), (second, _, _, _) = framed
    near((low, high, second - first), [-0.3, 0.72, wide])  # no gap inside a name
    assert {hex_of(box.get_facecolor()) for box in ax.patches} == {QUERY}
    (line,) = ax.lines
    near(line.get_xdata(), [second, second])
    assert (line.get_linestyle(), line.get_color()) == (":", QUERY)
    middles = [text_of(ax, word).get_position()[0] for word in ("그는", "뉴욕", "시에서", "왔다")]
    assert middles == sorted(middles)
    near([middles[1], middles[2]], [first + wide / 2, second + framed[1][2] / 2])
    near(first - 2 * middles[0], GAP)  # the first word begins at 0
    tags = [text for text in ax.texts if text.get_text() in ("O", "B-LC", "I-LC")]
    assert [text.get_text() for text in tags] == ["O", "B-LC", "I-LC", "O", "O"]
    assert [hex_of(text.get_color()) for text in tags] == [MUTED, QUERY, QUERY, MUTED, MUTED]
    near((ax.get_xlim(), ax.get_ylim()), [(-0.2, LINE + 0.2), (0.5, -0.5)])
    check_no_frame(ax)


def test_tags_with_their_shares_and_on_several_lines():
    ax = plot_tagged_words(["부산"], ["B-LC"], shares=[0.876])
    assert [text.get_text() for text in ax.texts] == ["부산", "B-LC 88%"]
    ax = plot_tagged_words(["열두 글자인 긴 낱말"] * 7, ["B-QT"] * 7)
    rows = [round(box[1] + 0.3) for box in boxes(ax)]
    assert rows == sorted(rows) and rows[0] == 0 and rows[-1] >= 2
    assert all(left + width <= LINE for left, _, width, _ in boxes(ax))
    assert {box[0] for box in boxes(ax) if box[1] > 0} >= {0.0}


@pytest.mark.parametrize(
    ("tags", "lines"),
    [
        (["B-LC", "I-LC", "I-LC"], 2),
        (["B-LC", "I-PS", "B-LC"], 0),
        (["O", "I-LC", "I-LC"], 1),
        (["O", "O", "NOUN"], 0),
    ],
)
def test_only_what_goes_on_with_its_own_kind_is_joined(tags, lines):
    assert len(plot_tagged_words(["a", "b", "c"], tags).lines) == lines


def test_span_scores():
    ax = plot_span_scores(["a", "b", "c"], [0.1, 0.6, 0.05], [0.02, 0.11, 0.7], span=(1, 2))
    band, *bars = boxes(ax)
    near((band[0], band[2]), [0.5, 2])
    near(bars[:3], [(-0.41, 0, 0.4, 0.1), (0.59, 0, 0.4, 0.6), (1.59, 0, 0.4, 0.05)])
    near(bars[3:], [(0.01, 0, 0.4, 0.02), (1.01, 0, 0.4, 0.11), (2.01, 0, 0.4, 0.7)])
    assert [hex_of(patch.get_facecolor()) for patch in ax.patches] == [VALUE] + [QUERY] * 3 + [KEY] * 3
    assert [patch.get_hatch() for patch in ax.patches[1:]] == [None] * 3 + ["//"] * 3
    assert labels(ax.xaxis) == ["a", "b", "c"] and ax.get_ylabel() == "확률"
    assert {label.get_rotation() for label in ax.get_xticklabels()} == {0}
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["가장 나은 짝", "시작", "끝"]
    near(figure_size(ax), [6, 3.4])


def test_span_scores_of_many_pieces_and_of_no_span():
    ax = plot_span_scores(["조각"] * 41, np.full(41, 0.01), np.full(41, 0.02))
    near(figure_size(ax), [14, 3.4])
    assert {label.get_rotation() for label in ax.get_xticklabels()} == {60}
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["시작", "끝"] and len(
        ax.patches
    ) == 82


def test_layer_mix():
    ax = plot_layer_mix({"names": [1, 2, 5], "sense": [0, 1, 3]})
    near(figure_size(ax), [7, 3.1])
    high = 0.37 * 0.92
    rows = [(0, 0.125), (1, 0.25), (2, 0.625)], [(0, 0), (1, 0.25), (2, 0.75)]
    for number, row in enumerate(rows):
        middles = [layer + (number + 0.5) * 0.37 - 0.37 for layer, _ in row]
        expected = [(0, middle - high / 2, share, high) for middle, (_, share) in zip(middles, row)]
        near(boxes(ax)[3 * number : 3 * number + 3], expected)
    assert [hex_of(bar.get_facecolor()) for bar in ax.patches[::3]] == [CYCLE[0], CYCLE[1]]
    assert [bar.get_hatch() or "" for bar in ax.patches[::3]] == HATCHES[:2]
    assert labels(ax.yaxis) == ["층 0 (임베딩)", "층 1", "층 2"] and labels(ax.xaxis) == FIFTHS
    assert [text.get_text() for text in ax.texts] == ["12%", "25%", "62%", "0%", "25%", "75%"]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["names", "sense"]
    assert ax.get_xlabel() == "섞을 때의 몫" and ax.yaxis_inverted()
