"""Diagrams: each box, text and arrow stands where the reader expects it, and nothing overlaps."""

import pytest
from matplotlib.patches import FancyBboxPatch

from course_utils.viz import (
    plot_bert_model,
    plot_course_map,
    plot_encoder_block,
    plot_input_embeddings,
    plot_task_form,
)
from course_utils.viz.theme import CYCLE, INK, KEY, MUTED, QUERY, VALUE
from tests.viz.drawn import arrow_looks, arrows, boxes, figure_size, hex_of, look, near, text_of, written


def lines(ax):
    return [(list(map(float, line.get_xdata())), list(map(float, line.get_ydata()))) for line in ax.lines]


def test_bert_is_a_row_of_boxes_joined_by_arrows():
    ax = plot_bert_model()
    assert figure_size(ax) == [12.5, 3.3] and not ax.axison
    near((ax.get_xlim(), ax.get_ylim()), [(-2.9, 16.05), (-1.75, 1.4)])
    middles = [0, 2.55, 5.1, 10.2, 12.75]  # the fourth of six parts is an ellipsis
    near(boxes(ax), [(middle - 0.75, -0.45, 1.5, 0.9) for middle in middles])
    colors = [hex_of(box.get_facecolor()) for box in ax.patches if isinstance(box, FancyBboxPatch)]
    assert colors == [KEY, QUERY, QUERY, QUERY, VALUE]
    assert {(box.get_alpha(), box.get_boxstyle().pad) for box in ax.patches[:5]} == {(0.16, 0.03)}
    assert {hex_of(box.get_edgecolor()) for box in ax.patches[:5]} == {"#000000"}  # "none": no line
    assert {box.get_edgecolor()[3] for box in ax.patches[:5]} == {0}


def test_berts_parts_and_states_are_named_where_they_stand():
    ax = plot_bert_model()
    along = {x: words for (x, y), words in written(ax).items() if y == 0}
    assert along == {
        -1.6: "토큰 번호\n세그먼트\n(B, T)",
        0: "임베딩",
        2.55: "블록 1",
        5.1: "블록 2",
        7.65: "…",
        10.2: "블록 L",
        12.75: "풀러",
        14.35: "pooler_output\n(B, C)",
    }
    states = {x: words for (x, y), words in written(ax).items() if y == 1.14}
    assert states == {1.275: "hidden_states[0]", 3.825: "hidden_states[1]", 11.475: "hidden_states[L]"}
    assert written(ax)[11.475, -0.22] == "[CLS]만" and written(ax)[6.375, -1.5].startswith("마스크")
    assert look(text_of(ax, "블록 1")) == ("center", "center", 13, "bold", INK)
    assert look(text_of(ax, "…")) == ("center", "center", 20, "normal", MUTED)
    assert look(text_of(ax, "hidden_states[0]")) == ("center", "center", 10.5, "normal", INK)
    assert text_of(ax, "hidden_states[0]").get_family() == ["monospace"]
    assert look(text_of(ax, "[CLS]만")) == ("center", "center", 11, "normal", VALUE)
    assert look(text_of(ax, "토큰 번호\n세그먼트\n(B, T)"))[:3] == ("right", "center", 12)
    assert look(text_of(ax, "pooler_output\n(B, C)"))[:3] == ("left", "center", 12)
    assert look(text_of(ax, written(ax)[6.375, -1.5])) == ("center", "center", 11, "normal", INK)


ORDERS = {  # height of the middle of each part, counted upwards; where the residual path leaves and comes back
    "post": (
        ["멀티 헤드 어텐션", "+", "층 정규화", "피드포워드", "+", "층 정규화"],
        [1.25, 2.15, 3.05, 4.2, 5.1, 6.0],
        [(0.72, 2.15), (3.67, 5.1)],
    ),
    "pre": (
        ["층 정규화", "멀티 헤드 어텐션", "+", "층 정규화", "피드포워드", "+"],
        [1.25, 2.15, 3.05, 4.2, 5.1, 6.0],
        [(0.72, 3.05), (3.67, 6.0)],
    ),
}


@pytest.mark.parametrize("order", ORDERS)
def test_an_encoder_block_grows_upwards(order):
    names, heights, ways = ORDERS[order]
    ax = plot_encoder_block(order)
    assert figure_size(ax) == [4, 5.4] and not ax.axison
    near((ax.get_xlim(), ax.get_ylim()), [(-1.6, 2.1), (-0.35, 7.25)])
    parts = [(text.get_text(), text.get_position()) for text in ax.texts if text.get_text()]
    assert [name for name, _ in parts] == [*names, "입력 (T, C)", "출력 (T, C)"]
    near([place for _, place in parts], [(0, height) for height in [*heights, 0.15, 6.78]])
    with_box = [height for name, height in zip(names, heights) if name != "+"]
    near(boxes(ax), [(-1.2, height - 0.32, 2.4, 0.64) for height in with_box])
    near(
        [line.get_xydata()[0] for line in ax.lines if line.get_marker() == "o"], [(0, way[1]) for way in ways]
    )
    paths = [line.get_xydata() for line in ax.lines if line.get_marker() != "o"]
    near(paths, [[(0, split), (1.65, split), (1.65, back)] for split, back in ways])


def test_the_data_of_an_encoder_block_flow_from_box_to_box():
    ax = plot_encoder_block("post")
    straight = [arrow for arrow in arrows(ax) if arrow[0][0] == arrow[1][0]]
    tops = [0.25, 1.57, 2.35, 3.37, 4.52, 5.3, 6.32]
    bottoms = [0.93, 1.95, 2.73, 3.88, 4.9, 5.68, 6.7]
    near(straight, [((0, top), (0, bottom)) for top, bottom in zip(tops, bottoms)])
    back = [arrow for arrow in arrows(ax) if arrow not in straight]
    near(back, [((1.65, height), (0.2, height)) for height in (2.15, 5.1)])
    arrow = dict(arrowstyle="-|>", color=INK, lw=1.6, shrinkA=0, shrinkB=0)
    looks = arrow_looks(ax)
    assert looks.count(arrow) == 7 and looks.count(arrow | dict(color=VALUE, lw=2.6)) == 2
    for line in ax.lines[::2]:
        assert (hex_of(line.get_color()), line.get_linewidth(), line.get_linestyle()) == (VALUE, 2.6, "-")
    for ring in ax.lines[1::2]:
        assert (ring.get_markersize(), ring.get_markeredgewidth()) == (19, 2)
        assert (ring.get_markerfacecolor(), ring.get_markeredgecolor()) == ("white", VALUE)


def test_input_embeddings_are_three_rows_below_the_tokens():
    ax = plot_input_embeddings(["[CLS]", "배", "차"], [0, 0, 1])
    near(figure_size(ax), [4.35, 3.6])
    assert not ax.axison
    near((ax.get_xlim(), ax.get_ylim()), [(-1.75, 2.6), (-1.35, 3.05)])
    across = {
        y: [words for (x, at), words in written(ax).items() if at == y and x >= 0]
        for y in (2.75, 2.03, 1.53, 1.03, 0.53, 0.03)
    }
    assert across == {
        2.75: ["[CLS]", "배", "차"],
        2.03: ["[CLS]", "배", "차"],
        1.53: ["+"] * 3,
        1.03: ["A", "A", "B"],
        0.53: ["+"] * 3,
        0.03: ["0", "1", "2"],
    }
    assert {x for x, y in written(ax) if x >= 0 and y > -0.9} == {0, 1, 2}
    left = {y: words for (x, y), words in written(ax).items() if x == -0.65}
    assert left == {2.75: "입력", 2.03: "토큰", 1.03: "세그먼트", 0.03: "위치"}
    assert written(ax)[1, -0.97].startswith("자리마다")


def test_the_map_of_the_course_has_a_column_for_each_part():
    ax = plot_course_map({"시작": ["00 만남"], "부품": ["02 내적", "03 마스크", "04 헤드"]})
    near(figure_size(ax), [4.2, 3.25])
    assert not ax.axison
    near((ax.get_xlim(), ax.get_ylim()), [(-0.2, 5.2), (-2.6, 0.9)])
    near(boxes(ax), [(left, -row - 0.31, 2.3, 0.62) for left, row in [(0, 0), (2.6, 0), (2.6, 1), (2.6, 2)]])
    assert written(ax) == {
        (1.15, 0.55): "시작",
        (0.12, 0): "00",
        (0.52, 0): "만남",
        (3.75, 0.55): "부품",
        (2.72, 0): "02",
        (3.12, 0): "내적",
        (2.72, -1): "03",
        (3.12, -1): "마스크",
        (2.72, -2): "04",
        (3.12, -2): "헤드",
    }
    down = [((3.75, 0.66 - row), (3.75, 0.34 - row)) for row in (1, 2)]
    near(arrows(ax), [*down, ((2.36, 0), (2.54, 0))])
    wanted = dict(arrowstyle="-|>", color=MUTED, lw=1.2, shrinkA=0, shrinkB=0)
    assert all(drawn == wanted for drawn in arrow_looks(ax))
    assert look(text_of(ax, "부품")) == ("center", "center", 13, "bold", CYCLE[1])
    assert look(text_of(ax, "02")) == ("left", "center", 12, "bold", CYCLE[1])
    assert look(text_of(ax, "내적")) == ("left", "center", 10.5, "bold", INK)
    shapes = [patch for patch in ax.patches if isinstance(patch, FancyBboxPatch)]
    assert [hex_of(shape.get_facecolor()) for shape in shapes] == [CYCLE[0], *[CYCLE[1]] * 3]
    assert {(shape.get_alpha(), shape.get_edgecolor()[3], shape.get_boxstyle().pad) for shape in shapes} == {
        (0.16, 0, 0.05)
    }


def test_the_head_of_a_form_reads_its_own_tokens():
    ax = plot_task_form(["[CLS]", "a", "[SEP]", "b", "[SEP]"], [0, 0, 0, 1, 1], {1: "B-PS", 3: ""})
    assert [words.get_position()[0] for words in ax.texts if words.get_text() == "헤드"] == [1, 3]
    assert {x: words for (x, y), words in written(ax).items() if y == 3.85} == {1: "B-PS"}
    assert [arrow[0][0] for arrow in arrows(ax) if arrow[1][1] == pytest.approx(2.45)] == [1, 3]
    assert len(boxes(ax)) == 5 + 1 + 2
    assert figure_size(ax) == [6.4, 4.2] and not ax.axison
    colors = [hex_of(words.get_color()) for words in ax.texts if words.get_position()[1] == 0]
    assert colors == [MUTED, QUERY, MUTED, KEY, MUTED]
    assert look(text_of(ax, "BERT"))[2:] == (11, "bold", INK)
    assert look(text_of(ax, "B-PS"))[3:] == ("bold", VALUE)
