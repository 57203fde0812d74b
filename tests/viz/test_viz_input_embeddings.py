import matplotlib.pyplot as plt
import pytest

from course_utils.viz import plot_input_embeddings

TOKENS = ["[CLS]", "배를", "[SEP]", "탔", "##다", "[SEP]"]


def test_each_token_has_itself_its_segment_and_its_place():
    ax = plot_input_embeddings(TOKENS, [0, 0, 0, 1, 1, 1])
    written = [text.get_text() for text in ax.texts]
    assert written.count("배를") == 2  # above, and in its box
    assert written.count("A") == 3 and written.count("B") == 3
    assert [number for number in written if number.isdigit()] == ["0", "1", "2", "3", "4", "5"]
    assert written.count("+") == 2 * len(TOKENS)


def test_it_draws_where_it_is_told():
    _, (left, right) = plt.subplots(1, 2)
    assert plot_input_embeddings(TOKENS[:1], [0], ax=right) is right
    assert not left.has_data() and not left.texts


@pytest.mark.parametrize(("tokens", "segments"), [(TOKENS, [0, 1]), ([], []), (["배"], [2])])
def test_what_does_not_fit_is_refused(tokens, segments):
    with pytest.raises(ValueError):
        plot_input_embeddings(tokens, segments)
