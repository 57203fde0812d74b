"""The tree of a beam search: where each node stands, how its state looks, and the path that is bold."""

import numpy as np
import pytest

from course_utils.viz import plot_beam_tree
from course_utils.viz.beam_tree import path_to, places
from course_utils.viz.theme import INK, MUTED, QUERY, VALUE
from tests.viz.drawn import check_no_frame, figure_size, hex_of, near, written

# a ── e ── end (best)    b ── g    c is dropped, and so is f, though it is likelier than g's neighbour would be
TOKENS = ["a", "b", "c", "e", "f", "g", "end"]
PARENTS = [-1, -1, -1, 0, 0, 1, 3]
SCORES = [-0.5, -1.25, -2.0, -0.75, -1.0, -1.5, -1.125]
STATES = ["kept", "kept", "dropped", "kept", "dropped", "kept", "finished"]


def tree(**more):
    return plot_beam_tree(TOKENS, PARENTS, SCORES, STATES, **({"best": 6} | more))


def test_columns_are_steps_and_rows_are_ranks_with_dropped_ones_last():
    assert places(PARENTS, SCORES, STATES) == ([1, 1, 1, 2, 2, 2, 3], [1, 2, 3, 1, 3, 2, 1])
    ax = tree()
    assert written(ax) == {
        (0, 1): "시작",
        (1, 1): "a\n-0.50",
        (1, 2): "b\n-1.25",
        (1, 3): "c\n-2.00",
        (2, 1): "e\n-0.75",
        (2, 3): "f\n-1.00",  # likelier than g, and yet dropped
        (2, 2): "g\n-1.50",
        (3, 1): "end\n-1.12",
    }
    near((ax.get_xlim(), ax.get_ylim()), [(-0.5, 3.6), (3.6, 0.4)])
    near(ax.get_xticks(), [1, 2, 3])
    near(ax.get_yticks(), [1, 2, 3])
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("걸음 (출력 토큰)", "순위")
    near(figure_size(ax), [7, 3.56])
    check_no_frame(ax)


def test_each_node_hangs_on_its_parent():
    lines = {line.get_gid(): line for line in tree().lines}
    ends = [(1, 1), (1, 2), (1, 3), (2, 1), (2, 3), (2, 2), (3, 1)]
    begins = [(0, 1), (0, 1), (0, 1), (1, 1), (1, 1), (1, 2), (2, 1)]
    for node, (begin, end) in enumerate(zip(begins, ends, strict=True)):
        near(lines[f"edge-{node}"].get_xydata(), [begin, end])
    colors = [hex_of(lines[f"edge-{node}"].get_color()) for node in range(7)]
    assert colors == [INK, QUERY, MUTED, INK, MUTED, QUERY, INK]
    assert [lines[f"edge-{node}"].get_linewidth() for node in range(7)] == [4, 1.6, 1, 4, 1, 1.6, 4]
    assert [lines[f"edge-{node}"].is_dashed() for node in (1, 2)] == [False, True]


def test_frames_tell_the_states_and_the_best_path_is_bold():
    texts = [text for text in tree().texts if "\n" in text.get_text()]
    edges = [hex_of(text.get_bbox_patch().get_edgecolor()) for text in texts]
    assert edges == [QUERY, QUERY, MUTED, QUERY, MUTED, QUERY, VALUE]
    assert [text.get_weight() for text in texts] == ["bold" if n in (0, 3, 6) else "normal" for n in range(7)]
    assert [hex_of(text.get_color()) for text in texts] == [MUTED if n in (2, 4) else INK for n in range(7)]
    assert all(text.get_weight() == "normal" for text in tree(best=None).texts)


def test_the_legend_names_what_occurs():
    names = [text.get_text() for text in tree().get_legend().get_texts()]
    assert names == ["고른 번역", "남긴 가지", "버린 가지", "끝난 문장 (테두리)"]
    few = plot_beam_tree(["a"], [-1], [-0.0], ["kept"])
    assert [text.get_text() for text in few.get_legend().get_texts()] == ["남긴 가지"]
    assert few.texts[1].get_text() == "a\n0.00"


def test_a_path_runs_from_the_first_step_to_its_node():
    assert path_to(PARENTS, 6) == [0, 3, 6] and path_to(np.array(PARENTS), 5) == [1, 5]


def test_nodes_alike_keep_their_order():
    assert places([-1, -1, -1], [-1.0, -1.0, -0.5], ["kept"] * 3)[1] == [2, 3, 1]


@pytest.mark.parametrize("best", [7, -1])
def test_a_best_that_is_no_node_is_refused(best):
    with pytest.raises(ValueError, match="best must be a node, from 0 to 6"):
        tree(best=best)
