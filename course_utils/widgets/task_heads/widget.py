"""Four heads side by side on what the learner types: a class, how alike, a tag for each word, where the answer is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any, ClassVar

import traitlets

from course_utils.locale import text
from course_utils.widgets.base import CourseWidget
from course_utils.widgets.refusals import refusals_told
from course_utils.widgets.shown import Pieces, unread
from course_utils.widgets.task_heads.answers import (
    MOST_ALIKE,
    Found,
    classes_of,
    likeness_of,
    names_in,
    words_of,
)

LONGEST = {"sentence": 120, "second": 120, "question": 120, "passage": 300}  # letters
REMEMBERED = 64  # answers of each head: a key in one box asks only the heads that read it
TOLD = 3  # names in the line that says what is seen

Classify = Callable[[str], Mapping[str, Mapping[str, float]]]
Compare = Callable[[str, str], float]
Tag = Callable[[str], Iterable[tuple[str, str, float]]]
Answer = Callable[[str, str], Mapping[str, Any]]


class TaskHeads(CourseWidget):
    """Type a sentence, a second one, a question and a passage, and see what each of the four heads makes of them.

    Args:
        sentence, second: at most 120 letters each.
        question, passage: at most 120 and 300 letters.
        classify: sentence -> {task: {label: probability, …}, …}: 1 to 3 tasks of 2 to 8 labels, in the order in
            which they are to stand; each task's probabilities sum to 1.
        compare: (sentence, second) -> how alike they are, 0 to 5; what lies beyond is told and drawn at the end.
        tag: sentence -> [(word, tag, probability of the tag), …]: 1 to 64 words; "O" is no tag, and I-x goes on with
            B-x before it.
        answer: (question, passage) -> a dict (arrays may be NumPy's or torch's):

            "pieces": T pieces of the passage, 1 to 200.
            "start", "end": (T,), the probability that the answer begins, ends at each; what is missing to 1 lies
                elsewhere, such as on [CLS].
            "span": (first, last), the best legal pair of pieces, and "answer", its text in the passage.
            "margin", "threshold": ŝ − s_null and τ; the answer is given where the margin is above.

        pieces: text -> [(piece, (start, end)), …], as the tokenizer cuts it: what becomes [UNK] is told.

        A ValueError of any of them is a sentence for the learner, told in place.

    Attributes:
        sentence, second, question, passage: str, not empty.
    """

    name = "task_heads"
    inputs = ("sentence", "second", "question", "passage")
    constants: ClassVar[dict[str, Any]] = {"most_alike": MOST_ALIKE}

    sentence = traitlets.Unicode().tag(sync=True)
    second = traitlets.Unicode().tag(sync=True)
    question = traitlets.Unicode().tag(sync=True)
    passage = traitlets.Unicode().tag(sync=True)

    def __init__(
        self,
        sentence: str,
        second: str,
        question: str,
        passage: str,
        *,
        classify: Classify,
        compare: Compare,
        tag: Tag,
        answer: Answer,
        pieces: Pieces = lambda text: (),
    ) -> None:
        self._classify = _asked(classify, classes_of)
        self._compare = _asked(compare, likeness_of)
        self._tag = _asked(tag, words_of)
        self._answer = _asked(answer, Found.of)
        self._pieces = pieces
        super().__init__(sentence=sentence, second=second, question=question, passage=passage)

    def draw(self) -> tuple[dict[str, Any], str]:
        """What the four heads say, and the same in one line."""
        self.typed(**LONGEST)
        tasks = self._classify(self.sentence)
        alike = self._compare(self.sentence, self.second)
        words = self._tag(self.sentence)
        found = self._answer(self.question, self.passage)
        picture = {"tasks": tasks, "alike": alike, "words": words, "found": found.picture()}
        lost = unread(self._pieces, self.sentence, self.second, self.question, self.passage)
        said = [*map(_say_task, tasks), _say_alike(alike), _say_names(words), found.say(), *lost]
        return picture, " ".join(said)


def _asked(head: Callable[..., Any], checked: Callable[[Any], Any]) -> Callable[..., Any]:
    """A head that is asked once for the same texts, and whose refusal is told as a sentence of the widget."""

    @lru_cache(REMEMBERED)
    def ask(*texts: str) -> Any:
        with refusals_told():
            found = head(*texts)
        return checked(found)

    return ask


def _say_task(task: Mapping[str, Any]) -> str:
    (best,) = [bar for bar in task["bars"] if bar["best"]]
    return text("widgets.task_heads.class", task=task["name"], label=best["label"], share=best["shown"])


def _say_alike(alike: Mapping[str, Any]) -> str:
    return text("widgets.task_heads.alike", score=alike["shown"], most=f"{MOST_ALIKE:g}")


def _say_names(words: list[dict[str, Any]]) -> str:
    names = names_in(words)
    if not names:
        return text("widgets.task_heads.no_names")
    more = text("widgets.task_heads.more", count=len(names) - TOLD) if len(names) > TOLD else ""
    return text("widgets.task_heads.names", names=", ".join(names[:TOLD]) + more)
