"""A map of example sentences, layer by layer: a point is a word in one sentence, its mark tells the sense."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import traitlets
from numpy.typing import ArrayLike

from course_utils.locale import text
from course_utils.widgets.base import CourseWidget


class Example(NamedTuple):
    """One sentence of known sense; the word is sentence[start:end]."""

    sentence: str
    start: int
    end: int
    sense: str


class SenseMap(CourseWidget):
    """Walk over the sentences of a word by pointer or by arrow keys, and watch the senses part from layer to layer.

    Args:
        examples: word -> its Examples, or tuples like them; at least two, at most four senses.
        place: (word, layer) -> (N, 2), where the word's N examples lie in the map of that layer; asked once each.
        layers: how many layers above the embeddings there are.
        word, layer: what to start from; None means the first word, the last layer.

    Attributes:
        word: one of examples.
        layer: 0 (embeddings) … layers.
        point: which example is read out; the last one if there are fewer.
    """

    name = "sense_map"
    inputs = ("word", "layer", "point")

    word = traitlets.Unicode().tag(sync=True)
    layer = traitlets.Int().tag(sync=True)
    point = traitlets.Int(0).tag(sync=True)

    def __init__(
        self,
        examples: Mapping[str, Sequence[tuple[str, int, int, str]]],
        place: Callable[[str, int], ArrayLike],
        *,
        layers: int,
        word: str | None = None,
        layer: int | None = None,
    ) -> None:
        self._examples = {word: [Example(*example) for example in rows] for word, rows in examples.items()}
        if not self._examples or any(not 2 <= len(rows) for rows in self._examples.values()):
            raise self.bad("examples")
        self._place = place
        self._layers = layers
        self._maps: dict[tuple[str, int], list[list[float]]] = {}
        word = next(iter(self._examples)) if word is None else word
        super().__init__(word=word, layer=layers if layer is None else layer)

    def draw(self) -> tuple[dict[str, Any], str]:
        """The picture's points and its sentence, from word, layer and the chosen point."""
        if self.word not in self._examples:
            facts = {"words": " ".join(self._examples), "actual": self.word}
            raise self.bad("word", **facts)
        if not 0 <= self.layer <= self._layers:
            raise self.bad("layer", layers=self._layers, actual=self.layer)
        rows = self._examples[self.word]
        if self.point < 0:
            raise self.bad("point", actual=self.point)
        senses = list(dict.fromkeys(example.sense for example in rows))
        chosen = min(self.point, len(rows) - 1)
        picture = {
            "words": list(self._examples),
            "layers": self._layers,
            "senses": [{"name": name, "shown": sense_name(self.word, name)} for name in senses],
            "kinds": [senses.index(example.sense) for example in rows],
            "points": self._points(rows),
            "texts": [
                [row.sentence[: row.start], row.sentence[row.start : row.end], row.sentence[row.end :]]
                for row in rows
            ],
            "chosen": chosen,
        }
        counts = ", ".join(
            self.say("count", sense=sense_name(self.word, name), count=count)
            for name, count in ((name, sum(row.sense == name for row in rows)) for name in senses)
        )
        here = rows[chosen]
        facts = {"word": self.word, "layer": self.layer, "total": len(rows), "counts": counts}
        facts |= {"number": chosen + 1, "sense": sense_name(self.word, here.sense), "sentence": here.sentence}
        return picture, self.say("here", **facts)

    def _points(self, rows: Sequence[Example]) -> list[list[float]]:
        """The map of the present word and layer, moved and scaled into −1 … 1."""
        key = (self.word, self.layer)
        if key not in self._maps:
            points = np.asarray(self._place(*key), dtype=np.float64)
            if points.shape != (len(rows), 2) or not np.isfinite(points).all():
                facts = {"expected": (len(rows), 2), "actual": points.shape}
                raise self.bad("place", **facts)
            low, high = points.min(axis=0), points.max(axis=0)
            reach = max(float((high - low).max()), 1e-12)  # one scale for both axes
            self._maps[key] = np.round(2 * (points - (low + high) / 2) / reach, 4).tolist()
        return self._maps[key]


def sense_name(word: str, sense: str) -> str:
    """How a sense is called in the learner's language; an unknown one keeps its name."""
    try:
        return text(f"senses.{word}.{sense}")
    except KeyError:
        return sense
