"""What the sense explorer is told of a model: the same as nearest_sense, influence and the judged sentences say."""

from __future__ import annotations

import pytest
import torch

from course_utils.contextual import influence, nearest_sense
from course_utils.contextual.evaluation import half, held_out_sentences
from course_utils.contextual.explored import explored
from course_utils.pretrained import load_pretrained
from course_utils.widgets import SenseExplorer

SENTENCE = "나는 항구에 들러 배를 탔다."


@pytest.fixture(scope="module")
def course_bert():
    return load_pretrained()


def test_a_sentence_is_read_as_the_functions_read_it(course_bert):
    scores, place, moved = explored(*course_bert)["read"](SENTENCE, "배", 0)
    assert scores == nearest_sense(*course_bert, SENTENCE, "배")
    assert place.shape == (2,)
    expected = influence(*course_bert, SENTENCE, "배", sense=scores[0][0])
    assert moved() == [(one.start, one.end, one.drop) for one in expected]


def test_the_map_holds_the_judged_sentences_in_the_plane_in_which_a_sentence_is_placed(course_bert):
    told = explored(*course_bert)
    judged = half(held_out_sentences(), validation=False)["말"]
    assert [row[0] for row in told["examples"]["말"]] == [one for rows in judged.values() for one in rows]
    places = told["place"]("말")
    assert places.shape == (len(told["examples"]["말"]), 2)
    torch.testing.assert_close(places.mean(dim=0), torch.zeros(2), rtol=0, atol=1e-5)
    assert places[:, 0].var() >= places[:, 1].var() > 0
    for row in (0, 12):
        sentence, start, end, _ = told["examples"]["말"][row]
        assert sentence[start:end] == "말"
        torch.testing.assert_close(told["read"](sentence, "말", 0)[1], places[row], rtol=0, atol=1e-5)


def test_the_widget_takes_it_as_it_is(course_bert):
    widget = SenseExplorer(SENTENCE, **explored(*course_bert))
    assert widget.word == "배" and "타는 배" in widget.summary
