import pytest

from course_utils.viz import plot_pieces


def test_a_box_for_each_piece_and_unknown_is_hatched():
    ax = plot_pieces({"단어": ["배를", "[UNK]"], "자모": ["ᄇ", "##ᅢ", "."]})
    assert [text.get_text() for text in ax.texts] == ["배를", "[UNK]", "ᄇ", "##ᅢ", "."]
    assert [patch.get_hatch() for patch in ax.patches] == [None, "///", None, None, None]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["단어 (2)", "자모 (3)"]
    first, second = ax.patches[:2]
    assert first.get_x() + first.get_width() <= second.get_x()  # boxes do not overlap


@pytest.mark.parametrize("rows", [{}, {"단어": []}])
def test_nothing_to_draw(rows):
    with pytest.raises(ValueError, match="at least one"):
        plot_pieces(rows)
