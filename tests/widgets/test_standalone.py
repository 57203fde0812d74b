"""A widget as one HTML file: nothing of it is loaded, nothing in it runs but the widget, and it is written whole."""

from __future__ import annotations

import base64
import errno
import hashlib
import json
import os
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from course_utils.widgets import AttentionExplorer, HeadGrid
from course_utils.widgets.standalone import save_html, to_html

HOSTILE = [
    "</script><script>alert(1)</script>",
    "<!--",
    "]]>",
    "&lt;",
    "\u2028",
    "\x00",
    "\u202e",
    "가" * 5000,
]


def look(sentence: str) -> tuple[list[str], np.ndarray]:
    tokens = sentence.split(" ")
    weights = np.arange(1.0, 1 + 2 * 3 * len(tokens) ** 2).reshape(2, 3, len(tokens), len(tokens))
    return tokens, weights / weights.sum(-1, keepdims=True)


def make(first: str = "나는 배 를 탔다", second: str = "배 를 먹었다") -> AttentionExplorer:
    return AttentionExplorer(first, second, look=look)


class Page(HTMLParser):
    """The tags of a page with their attributes, and what stands in script, style and title."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.inside: list[tuple[str, dict[str, str | None], str]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if self.tags and self.tags[-1][0] in ("script", "style", "title") and data.strip():
            self.inside.append((*self.tags[-1], data))

    def state(self) -> dict:
        return json.loads(next(data for _, attrs, data in self.inside if attrs.get("id") == "state"))


def test_the_page_holds_the_state_of_the_widget() -> None:
    widget = make()
    widget.layer, widget.head, widget.token, widget.threshold = 1, 2, 1, 0.25
    page = Page(to_html(widget))
    state = page.state()
    assert (state["layer"], state["head"], state["token"], state["threshold"]) == (1, 2, 1, 0.25)
    assert state["summary"] == widget.summary and state["picture"] == widget.picture
    assert base64.b64decode(state["first_weights"]["base64"]) == widget.first_weights
    assert base64.b64decode(state["second_weights"]["base64"]) == widget.second_weights
    assert state["_alone"] is True and state["_course_name"] == "attention_explorer"
    assert not {"_esm", "_css", "layout", "comm", "_model_name"} & set(state)


def test_the_page_has_a_language_and_a_title(monkeypatch: pytest.MonkeyPatch) -> None:
    page = Page(to_html(make()))
    assert ("html", {"lang": "ko"}) in page.tags
    assert ("title", {}, "어텐션 탐색기") in page.inside
    monkeypatch.setenv("COURSE_LANG", "en")
    assert '<html lang="en">' in to_html(make())


def test_nothing_is_loaded_and_only_these_sources_may_run() -> None:
    text = to_html(make(" ".join(HOSTILE)))
    page = Page(text)
    assert not [attrs for _, attrs in page.tags if {"src", "href", "srcset", "action"} & set(attrs)]
    assert [tag for tag, _ in page.tags].count("script") == 2
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "").replace("http-equiv", "")
    (policy,) = [attrs["content"] for tag, attrs in page.tags if "http-equiv" in attrs]
    script = next(data for tag, attrs, data in page.inside if attrs == {"type": "module"})
    style = next(data for tag, _, data in page.inside if tag == "style")
    hashes = [base64.b64encode(hashlib.sha256(part.encode()).digest()).decode() for part in (script, style)]
    assert policy == (
        f"default-src 'none'; script-src 'sha256-{hashes[0]}'; style-src 'sha256-{hashes[1]}'; "
        "base-uri 'none'; form-action 'none'"
    )
    assert "export default" not in script and "const widget = courseWidget(" in script


def test_hostile_tokens_are_data_and_come_back_whole() -> None:
    widget = make(" ".join(HOSTILE))
    text = to_html(widget)
    assert text.count("</script>") == 2 and "<!--" not in text and "alert(1)<" not in text
    assert not {"\x00", "\u2028", "\u2029", "\u202e"} & set(text)
    state = Page(text).state()
    assert state["picture"] == widget.picture
    assert state["picture"]["sides"][0]["tokens"][0] == HOSTILE[0]
    assert len(text) < len(to_html(make("가"))) + 40_000  # 5,000 letters come a few times only


def test_the_same_widget_gives_the_same_bytes() -> None:
    assert to_html(make()) == to_html(make())
    state = Page(to_html(make())).state()
    assert list(state) == sorted(state)  # the order of a set is another in each process
    other = make()
    other.head = 1
    assert to_html(other) != to_html(make())


def test_a_widget_that_needs_its_kernel_is_refused() -> None:
    grid = HeadGrid("배 를", heads=["하나"], attention=lambda words: np.full((1, 2, 2), 0.5))
    with pytest.raises(TypeError, match="헤드 그리드"):
        to_html(grid)


def test_the_file_is_the_page(tmp_path: Path) -> None:
    widget = make()
    path = tmp_path / "배 탐색기.html"
    path.write_text("before")
    assert widget.save_html(path) == path and widget.save_html(str(path)) == path
    assert path.read_bytes().decode("utf-8") == to_html(widget)
    assert os.listdir(tmp_path) == [path.name]


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_full_disk_leaves_the_old_file_and_no_half_one(tmp_path: Path, monkeypatch, step: str) -> None:
    def full(*arguments) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    path = tmp_path / "page.html"
    path.write_text("before")
    monkeypatch.setattr(os, step, full)
    with pytest.raises(OSError, match="파일을 쓰지 못했습니다.*page.html.*No space left"):
        save_html(make(), path)
    assert path.read_text() == "before" and os.listdir(tmp_path) == ["page.html"]
