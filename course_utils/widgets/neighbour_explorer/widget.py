"""A word's nearest neighbours and the map around it, from the first reading of the text to the last."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import traitlets
from numpy.typing import ArrayLike

from course_utils.widgets.base import CourseWidget
from course_utils.widgets.refusals import as_array
from course_utils.widgets.shown import signed

NEIGHBOURS = 12
LONGEST_WORD = 20


class NeighbourExplorer(CourseWidget):
    """Type a word, see which words lie nearest; move through the training and watch them gather.

    Args:
        word: what to start from.
        words: V different words.
        moments: name -> float (V, C), the vectors at several moments of the training, in order.
        start: any of the attributes.

    Attributes:
        word: a word without blanks, at most 20 letters; one that is not among `words` has no vector.
        moment: from 0; at first the last.
    """

    name = "neighbour_explorer"
    inputs = ("word", "moment")

    word = traitlets.Unicode().tag(sync=True)
    moment = traitlets.Int().tag(sync=True)
    moment_names = traitlets.List(traitlets.Unicode(), read_only=True).tag(sync=True)

    def __init__(
        self,
        word: str,
        *,
        words: Sequence[str],
        moments: Mapping[str, ArrayLike],
        **start: Any,
    ) -> None:
        self._words = list(words)
        self._index = {known: row for row, known in enumerate(self._words)}
        self._moments = [self._unit(name, vectors) for name, vectors in moments.items()]
        self.set_trait("moment_names", [str(name) for name in moments])
        super().__init__(**({"word": word, "moment": len(moments) - 1} | start))

    def draw(self) -> tuple[dict[str, Any], str]:
        """The neighbours, the map and their sentence."""
        word = self.word.strip()
        if not word or len(word) > LONGEST_WORD or len(word.split()) > 1:
            raise self.bad("word", most=LONGEST_WORD)
        self.within(moment=(0, len(self._moments) - 1))
        known = word in self._index
        near, final = (self._nearest(word, at) if known else [] for at in (self.moment, -1))
        picture = {
            "word": word,
            "known": known,
            "neighbours": [{"word": other, "cosine": cosine} for other, cosine in near],
            **self._map(word, [other for other, _ in near], [other for other, _ in final]),
        }
        return picture, self._say(picture)

    def _unit(self, name: str, vectors: ArrayLike) -> np.ndarray:
        table = as_array(vectors, len(self._words), None, what=name).astype(np.float32)
        return table / np.maximum(np.linalg.norm(table, axis=1, keepdims=True), 1e-12)

    def _nearest(self, word: str, moment: int) -> list[tuple[str, float]]:
        table, row = self._moments[moment], self._index[word]
        cosines = table @ table[row]
        cosines[row] = -np.inf
        best = np.argsort(-cosines, kind="stable")[: min(NEIGHBOURS, len(table) - 1)]
        return [(self._words[other], float(cosines[other])) for other in best]

    def _map(self, word: str, near: list[str], final: list[str]) -> dict[str, Any]:
        """Places in the plane that shows the last moment's neighbours best; it stays while the moment changes."""
        shown = list(dict.fromkeys([*near, *final]))
        if not shown:
            return {"points": [], "reach": 1.0}
        centre, last, now = self._index[word], self._moments[-1], self._moments[self.moment]
        around = last[[self._index[other] for other in final]] - last[centre]
        axes = np.linalg.svd(around, full_matrices=False)[2][:2]  # (2, C)
        reach = np.abs(around @ axes.T).max() * 1.15
        places = (now[[self._index[other] for other in shown]] - now[centre]) @ axes.T  # (N, 2 or 1)
        places = np.pad(places, ((0, 0), (0, 2 - places.shape[1])))
        points = [
            {"word": other, "x": float(x), "y": float(y), "near": other in near}
            for other, (x, y) in zip(shown, np.clip(places, -reach, reach).tolist(), strict=True)
        ]
        return {"points": points, "reach": float(max(reach, 1e-6))}

    def _say(self, picture: dict[str, Any]) -> str:
        near = picture["neighbours"]
        listed = ", ".join(f"{one['word']} {signed(one['cosine'], 2)}" for one in near[:5])
        facts = {"word": picture["word"], "listed": listed, "total": len(self._words)}
        known = picture["known"]
        return self.say("near" if known else "unseen", moment=self.moment_names[self.moment], **facts)
