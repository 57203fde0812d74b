"""A map of example sentences, layer by layer: a point is a word in one sentence, its mark tells the sense."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import traitlets
from numpy.typing import ArrayLike

from course_utils.locale import text
from course_utils.widgets.base import CourseWidget
from course_utils.widgets.refusals import as_array


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
        start: any of the attributes.

    Attributes:
        word: one of examples; at first the first.
        layer: 0 (embeddings) … layers; at first the last.
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
        **start: Any,
    ) -> None:
        self._examples = {word: [Example(*example) for example in rows] for word, rows in examples.items()}
        self._place = cache(place)
        self._layers = layers
        super().__init__(**({"word": next(iter(examples)), "layer": layers} | start))

    def draw(self) -> tuple[dict[str, Any], str]:
        """The picture's points and its sentence, from word, layer and the chosen point."""
        self.one_of(word=self._examples)
        self.within(layer=(0, self._layers), point=(0, math.inf))
        rows = self._examples[self.word]
        senses = list(dict.fromkeys(example.sense for example in rows))
        chosen = min(self.point, len(rows) - 1)
        picture = {
            "words": list(self._examples),
            "layers": self._layers,
            "senses": [{"name": name, "shown": sense_name(self.word, name)} for name in senses],
            "kinds": [senses.index(example.sense) for example in rows],
            "points": framed(as_array(self._place(self.word, self.layer), len(rows), 2, what="place")),
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


def framed(points: np.ndarray) -> list[list[float]]:
    """Points (N, 2) moved and scaled into −1 … 1, by one scale for both axes."""
    low, high = points.min(axis=0), points.max(axis=0)
    reach = max(float((high - low).max()), 1e-12)
    return np.round(2 * (points - (low + high) / 2) / reach, 4).tolist()


def sense_name(word: str, sense: str) -> str:
    """How a sense is called in the learner's language; an unknown one keeps its name."""
    try:
        return text(f"senses.{word}.{sense}")
    except KeyError:
        return sense
