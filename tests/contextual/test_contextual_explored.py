"""What the sense explorer is told of a model: the same as nearest_sense, influence and the judged sentences say."""

from __future__ import annotations

import pytest
import torch

from course_utils.contextual import explored as at_hand
from course_utils.contextual import influence, nearest_sense, occurrences
from course_utils.contextual.evaluation import half, held_out_sentences
from course_utils.contextual.explored import explored
from course_utils.contextual.senses import sense_points
from course_utils.pretrained import load_pretrained
from course_utils.pretrained.checkpoints import SenseReadout
from course_utils.widgets import SenseExplorer

SENTENCE = "나는 항구에 들러 배를 탔다."
TWICE = "배를 타고 가면서 배를 깎아 먹었다."


@pytest.fixture(scope="module")
def course_bert():
    return load_pretrained()


@pytest.fixture(scope="module")
def below():
    """One whose senses are read below its last layer."""
    model, tokenizer = load_pretrained()
    model.bert.sense_readout = SenseReadout(2, 3.0)
    return model, tokenizer


@pytest.mark.parametrize(("sentence", "which"), [(SENTENCE, 0), (TWICE, 1)], ids=["once", "twice"])
def test_a_sentence_is_read_as_the_functions_read_it(course_bert, sentence, which):
    told = explored(*course_bert)
    scores, place, moved = told["read"](sentence, "배", which)
    assert scores == nearest_sense(*course_bert, sentence, "배", occurrence=which)
    assert place.shape == (2,)
    expected = influence(*course_bert, sentence, "배", sense=scores[0][0], occurrence=which)
    assert moved() == [(one.start, one.end, one.drop) for one in expected]
    assert told["occurrences"](sentence, "배") == occurrences(sentence, "배")
    assert told["pieces"](sentence) == course_bert[1].pieces(sentence)


def test_the_map_holds_the_judged_sentences_in_the_plane_in_which_a_sentence_is_placed(below, monkeypatch):
    asked = []
    monkeypatch.setattr(
        at_hand, "sense_points", lambda *given, **more: asked.append(given[2]) or sense_points(*given, **more)
    )
    told = explored(*below)
    judged = half(held_out_sentences(), validation=False)["말"]
    sentences = [one for rows in judged.values() for one in rows]
    assert [(row[0], row[3]) for row in told["examples"]["말"]] == [
        (one, sense) for sense, rows in judged.items() for one in rows
    ]
    places = told["place"]("말")
    assert places.shape == (len(sentences), 2)
    torch.testing.assert_close(places.mean(dim=0), torch.zeros(2), rtol=0, atol=1e-5)
    points = sense_points(*below, sentences, "말", layer=2)
    second, first = torch.linalg.eigvalsh((points - points.mean(dim=0)).T.cov(correction=0))[-2:]
    torch.testing.assert_close(
        places.var(dim=0, correction=0), torch.stack([first, second]), rtol=1e-3, atol=0
    )
    for row in (0, 12):
        sentence, start, end, _ = told["examples"]["말"][row]
        assert sentence[start:end] == "말"
        torch.testing.assert_close(told["read"](sentence, "말", 0)[1], places[row], rtol=0, atol=1e-5)
    first, second = (told["read"]("말을 타고 말을 했다.", "말", which)[1] for which in (0, 1))
    assert (first - second).norm() > 0.03
    assert [len(rows) for rows in asked] == [len(sentences), 1, 1, 1, 1]  # the map once


def test_the_widget_takes_it_as_it_is(course_bert):
    widget = SenseExplorer(SENTENCE, **explored(*course_bert))
    assert widget.word == "배" and "타는 배" in widget.summary
