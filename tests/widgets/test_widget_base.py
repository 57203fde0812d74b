"""The mould of the widgets: refusing bad input, keeping the last good picture, and what lies in the notebook."""

import re
import unicodedata
from pathlib import Path

import pytest
import torch
import traitlets

from course_utils.widgets import BadInput
from course_utils.widgets.base import FOLDER, CourseWidget
from course_utils.widgets.modules import IMPORT

SOURCES = [path for path in sorted(FOLDER.rglob("*.*")) if path.suffix in (".js", ".css")]


class Doubler(CourseWidget):
    """Draws 2·x; refuses x below 0 and stumbles over 13. Borrows another widget's texts."""

    name = "scaled_attention"
    inputs = ("x", "y")
    x = traitlets.Float(1.0).tag(sync=True)
    y = traitlets.Float(0.0).tag(sync=True)

    def draw(self):
        if self.x < 0:
            raise BadInput("x must not be negative")
        if self.x == 13:
            raise RuntimeError("unlucky")
        return {"double": 2 * self.x + self.y}, f"twice {self.x:.0f}"


def test_bad_input_from_python_raises_and_changes_nothing() -> None:
    widget = Doubler(x=3, y=1)
    with pytest.raises(ValueError, match="must not be negative"):
        widget.x = -1
    with pytest.raises(ValueError, match="RuntimeError: unlucky"):
        widget.x = 13
    assert (widget.x, widget.y, widget.picture, widget.error) == (3, 1, {"double": 7.0}, "")


def test_bad_input_from_the_browser_is_told_in_place_and_sent_back(monkeypatch: pytest.MonkeyPatch) -> None:
    widget = Doubler(x=3)
    sent = []
    monkeypatch.setattr(type(widget), "send_state", lambda self, key=None: sent.append(key))
    widget.set_state({"x": -1.0, "y": 5.0})
    assert widget.error == "x must not be negative"
    assert (widget.x, widget.y, widget.picture) == (3, 0, {"double": 6.0})
    assert ["x", "y"] in sent
    widget.set_state({"x": 5.0})
    assert widget.error == "" and widget.picture == {"double": 10.0}


def test_the_answer_to_the_browser_is_one_message_and_no_echo(monkeypatch: pytest.MonkeyPatch) -> None:
    widget = Doubler(x=3)
    sent = []
    monkeypatch.setattr(type(widget), "_send", lambda self, message, buffers=None: sent.append(message))
    widget.set_state({"x": 5.0})
    (message,) = sent
    assert (message["method"], set(message["state"])) == ("update", {"picture", "summary"})


def test_what_is_tried_is_put_back_in_one_message(monkeypatch: pytest.MonkeyPatch) -> None:
    widget = Doubler(x=3)
    widget.x, widget.y = 4, 5  # played: a cell of code starts from how the widget began all the same
    sent = []
    monkeypatch.setattr(
        type(widget), "_send", lambda self, message, buffers=None: sent.append(message["state"])
    )
    with pytest.raises(BadInput, match="negative"), widget.tried(y=1):
        assert (widget.x, widget.y, widget.picture, widget.summary) == (3, 1, {"double": 7.0}, "twice 3")
        widget.x = 9
        widget.x = -1
    assert (widget.x, widget.y, widget.picture, widget.summary) == (4, 5, {"double": 13.0}, "twice 4")
    assert [(state["x"], state["y"], state["picture"]) for state in sent] == [(4, 5, {"double": 13.0})]
    with pytest.raises(TypeError, match="no input z"), widget.tried(z=1):
        pass


def test_what_is_tried_together_is_drawn_together() -> None:
    class Ordered(Doubler):
        def draw(self):
            if self.x > self.y:
                raise BadInput("x is above y")
            return super().draw()

    widget = Ordered(x=1, y=2)
    with widget.tried(x=5, y=6):
        assert widget.picture == {"double": 16.0}
    with pytest.raises(BadInput, match="above"), widget.tried(x=7, y=3):
        pass
    assert (widget.x, widget.y, widget.picture) == (1, 2, {"double": 4.0})


def test_it_draws_in_one_thread_and_leaves_their_number_as_it_was() -> None:
    seen = []

    class Counting(Doubler):
        def draw(self):
            seen.append(torch.get_num_threads())
            return super().draw()

    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        widget = Counting(x=3)
        with pytest.raises(BadInput):
            widget.x = -1
        assert seen == [1, 1] and torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


@pytest.mark.parametrize("value", ["seven", None, [1], True, torch.ones(2)])
def test_a_value_of_the_wrong_type_from_python(value: object) -> None:
    widget = Doubler(x=1)
    with pytest.raises(BadInput, match="숫자"):
        widget.x = value
    assert widget.x == 1 and widget.x is not True and widget.picture == {"double": 2.0}
    with pytest.raises(BadInput, match="숫자"):
        Doubler(x=value)


def test_the_browser_can_set_inputs_only() -> None:
    widget = Doubler()
    widget.set_state({"summary": "forged", "labels": {"title": "forged"}, "picture": {}})
    assert "forged" not in widget.summary and widget.labels["title"] != "forged" and widget.picture


def test_repr_is_fixed_and_is_the_plain_text_of_the_output() -> None:
    widget = Doubler()
    assert repr(widget) == "[위젯] 스케일드 어텐션: 셀을 실행하면 여기에서 움직입니다"
    bundle, _ = widget._repr_mimebundle_()
    assert bundle["text/plain"] == repr(widget) == repr(Doubler(x=9))


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_sources_fetch_nothing_and_make_no_markup_of_text(source: Path) -> None:
    code = source.read_text("utf-8").replace("http://www.w3.org/2000/svg", "")
    for _, address in IMPORT.findall(code):
        assert (source.parent / address).resolve().parent in (source.parent, FOLDER)
    code = IMPORT.sub("", code)
    fetching = r"https?:|//cdn|@import|url\(|\bimport\b"
    forbidden = rf"{fetching}|innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\("
    assert re.findall(forbidden, code) == []


class Teller(CourseWidget):
    """Draws what is typed. Borrows another widget's texts."""

    name = "scaled_attention"
    inputs = ("sentence",)
    sentence = traitlets.Unicode().tag(sync=True)

    def draw(self):
        return {"sentence": self.sentence}, self.sentence


def test_hangul_in_parts_is_composed_from_python_and_from_the_browser() -> None:
    apart = unicodedata.normalize("NFD", "항구에서 배를 탔다")
    widget = Teller(sentence=apart)
    assert widget.picture == {"sentence": "항구에서 배를 탔다"}
    widget.set_state({"sentence": unicodedata.normalize("NFD", "밤을 먹었다")})
    assert widget.sentence == widget.summary == "밤을 먹었다"
