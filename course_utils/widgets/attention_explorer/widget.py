"""Every head of a model on one or two sentences: an overview, one head large, and where one token looks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import traitlets
from numpy.typing import ArrayLike

from course_utils.widgets import standalone
from course_utils.widgets.attention_explorer.side import (
    MOST_TOKENS,
    TOLD,
    Measures,
    Side,
    as_number,
    in_hundredths,
)
from course_utils.widgets.base import CourseWidget
from course_utils.widgets.colors import WEIGHTS
from course_utils.widgets.shown import Pieces, readable, unread

LONGEST_SENTENCE = 400  # letters
LONGEST_LABEL = 40  # letters of a measure's name
ALIKE = 6  # decimals; measures that agree so far are a tie
SIDES = ("first", "second")

Look = Callable[[str], tuple[Sequence[str], ArrayLike]]


class AttentionExplorer(CourseWidget):
    """Choose a head among all of them, then a token, and see where it looks and who looks at it.

    The browser holds all weights (16 bits each, sent once a sentence) and draws without waiting for the kernel, so the
    widget can also be saved as a page that needs none. Layers and heads are counted from 0, as in weights[layer, head].

    Args:
        first: the sentence to start from.
        second: another one to lay beside it; "" for none.
        look: sentence -> (T tokens, weights (L, H, T, T)): query = rows, key = columns, each row sums to 1. At most 64
            tokens; both sentences with equal L and H.
        measures: (tokens, weights) -> name -> (L, H), numbers of each head by which they can be sorted.
        pieces: text -> [(piece, (start, end)), …], as the tokenizer cuts it: what becomes [UNK] is told.
        start: any other of the attributes.

    Attributes:
        first, second: the sentences.
        layer, head: which head is shown large, from 0.
        token: which token is looked at, from 0; in a shorter sentence its last one.
        side: in which sentence that token stands, "first" or "second". The same token in the other one is shown, too.
        threshold: 0 … 1; lines and cells of less weight are not drawn.
        sort: "" for the order of the layers, or the name of a measure: the heads of the first sentence, highest first.
    """

    name = "attention_explorer"
    constants: ClassVar[dict[str, Any]] = {"palette": WEIGHTS, "told": TOLD}
    inputs = ("first", "second", "layer", "head", "token", "side", "threshold", "sort")
    kernel_inputs: ClassVar[tuple[str, ...]] = ("first", "second")

    first = traitlets.Unicode().tag(sync=True)
    second = traitlets.Unicode().tag(sync=True)
    layer = traitlets.Int(0).tag(sync=True)
    head = traitlets.Int(0).tag(sync=True)
    token = traitlets.Int(0).tag(sync=True)
    side = traitlets.Unicode("first").tag(sync=True)
    threshold = traitlets.Float(0.0).tag(sync=True)
    sort = traitlets.Unicode().tag(sync=True)
    first_weights = traitlets.Bytes(read_only=True).tag(sync=True)
    second_weights = traitlets.Bytes(read_only=True).tag(sync=True)

    def __init__(
        self,
        first: str,
        second: str = "",
        *,
        look: Look,
        measures: Measures | None = None,
        pieces: Pieces = lambda text: (),
        **start: Any,
    ) -> None:
        self._look = look
        self._measures = measures
        self._pieces = pieces
        self._seen: dict[str, Side] = {}
        super().__init__(first=first, second=second, **start)

    def draw(self) -> tuple[dict[str, Any], str]:
        """The picture (all but the weights) and its sentence, from the sentences and what is chosen."""
        sides = self._sides()
        layers, heads = sides[0].weights.shape[:2]
        self.within(layer=(0, layers - 1), head=(0, heads - 1), token=(0, MOST_TOKENS - 1), threshold=(0, 1))
        self.one_of(side=SIDES, sort=["", *sides[0].measures])
        picture = {
            "layers": layers,
            "heads": heads,
            "sides": [
                {
                    "sentence": readable(sentence, LONGEST_SENTENCE),
                    "tokens": side.shown,
                    "names": side.names,
                    "partners": [] if len(sides) == 1 else side.partners(sides[1 - index]),
                }
                for index, (sentence, side) in enumerate(zip((self.first, self.second), sides, strict=False))
            ],
            "measures": self._ranking(sides[0].measures),
            "unread": unread(self._pieces, self.first, self.second),
        }
        return picture, self._say(sides, picture)

    def save_html(self, path: str | Path) -> Path:
        """Write all of it, whole or not at all, as a page that needs no kernel and no network; the sentences stay."""
        return standalone.save_html(self, path)

    def _redraw(self, change: Any = None) -> None:
        with self.hold_sync():  # a picture and its weights reach the browser together
            super()._redraw(change)
            self._seen = {
                name: side for name, side in self._seen.items() if name in (self.first, self.second)
            }
            second = self._seen[self.second].weights.tobytes() if self.second.strip() else b""
            self.set_trait("first_weights", self._seen[self.first].weights.tobytes())
            self.set_trait("second_weights", second)

    def _sides(self) -> list[Side]:
        """What the model sees in the sentences; it is asked once, as long as a sentence is shown."""
        if not self.first.strip():
            raise self.bad("empty")
        sentences = [self.first] + ([self.second] if self.second.strip() else [])
        for sentence in sentences:
            if sentence not in self._seen:
                self._seen[sentence] = Side.of(*self._look(sentence), measures=self._measures)
        sides = [self._seen[sentence] for sentence in sentences]
        sizes = [side.weights.shape[:2] for side in sides]
        if sizes[0] != sizes[-1]:
            raise self.bad("sizes", first=sizes[0], second=sizes[-1])
        return sides

    def _ranking(self, measures: Mapping[str, np.ndarray]) -> list[dict[str, Any]]:
        """Each measure of the L·H heads: its name as written, its values in hundredths, the heads from the highest."""
        names = self.labels["measures"]
        return [
            {
                "name": name,
                "shown": names.get(name) or readable(name, LONGEST_LABEL),
                "values": [in_hundredths(value) for value in values.ravel()],
                "order": np.argsort(-values.ravel().round(ALIKE), kind="stable").tolist(),
            }
            for name, values in measures.items()
        ]

    def _say(self, sides: list[Side], picture: dict[str, Any]) -> str:
        """What is seen, in words; numbers.js says the same."""
        words = self.labels
        parts = [words["say_head"].format(layer=self.layer, head=self.head)]
        for measure in picture["measures"]:
            if measure["name"] == self.sort:
                place = self.layer * picture["heads"] + self.head
                facts = {"measure": measure["shown"], "value": as_number(measure["values"][place])}
                facts |= {"rank": measure["order"].index(place) + 1, "count": len(measure["order"])}
                parts.append(words["say_rank"].format(**facts))
        here = SIDES.index(self.side) if len(sides) == 2 else 0
        token = min(self.token, len(sides[here].tokens) - 1)
        for index, side in enumerate(sides):
            place = token if index == here else picture["sides"][here]["partners"][token]
            if len(sides) == 2:
                parts.append(words["say_side"].format(number=index + 1))
            if place < 0:
                parts.append(words["say_absent"].format(token=sides[here].names[token]))
            parts.append(side.say(words, self.layer, self.head, place, self.threshold))
        return " ".join(parts + picture["unread"])
