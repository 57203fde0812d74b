"""Which inputs reach a word's vector, and with what rate each layer is fine-tuned: two tables to look into."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, ClassVar

import numpy as np
import traitlets
from numpy.typing import ArrayLike

from course_utils.widgets.base import CourseWidget
from course_utils.widgets.colors import WEIGHTS
from course_utils.widgets.refusals import as_array

MOST_WORDS = 10
UPDATES, CUT, RATIO, EPOCHS = (10, 400), (1, 90), (1, 64), (1, 8)
VIEWS = ("reach", "rates")


class ReachExplorer(CourseWidget):
    """Choose a kind of model, its layers and a word: which inputs reach its vector. Or a schedule: who learns when.

    Args:
        sentence: what to start from, 1 to 10 words split at spaces.
        kinds: name of each kind of model, what is passed to reach -> the words for it.
        reach: (words, kind, layers) -> sizes (P, T, T), at least 0: part of the vector, its place, the input's place;
            P is 1 or 2. For example from course_utils.before.reach.
        rates: (updates, cut, ratio, epochs, gradual, layered), by keyword -> (L, updates), at least 0: the rate of each
            layer from the lowest, at each update; 0 means frozen.
        layer_names: L names, from the lowest; at most 7 fit the picture.
        most_layers: how many layers can be chosen.
        start: any of the attributes.

    Attributes:
        view: "reach" or "rates", which of the two is shown.
        sentence, kind, layers: of the model; layers from 1.
        word: whose vector, counted from 0 (the last one, if there are fewer).
        updates: number of updates in all, 10 to 400.
        cut: percent of them that rise, 1 to 90.
        ratio: the highest rate by the lowest, 1 to 64.
        epochs: into how many the updates fall, 1 to 8.
        gradual, layered: whether layers are unfrozen one an epoch, and whether lower ones have lower rates.
        update: the one that is looked at, from 1 (the last one, if there are fewer).
    """

    name = "reach_explorer"
    constants: ClassVar[dict[str, Any]] = {
        "palette": WEIGHTS,
        "updates": UPDATES,
        "cut": CUT,
        "ratio": RATIO,
        "epochs": EPOCHS,
    }
    inputs = (
        *("view", "sentence", "kind", "layers", "word"),
        *("updates", "cut", "ratio", "epochs", "gradual", "layered", "update"),
    )

    view = traitlets.Unicode("reach").tag(sync=True)
    sentence = traitlets.Unicode().tag(sync=True)
    kind = traitlets.Unicode().tag(sync=True)
    layers = traitlets.Int(1).tag(sync=True)
    word = traitlets.Int(0).tag(sync=True)
    updates = traitlets.Int(100).tag(sync=True)
    cut = traitlets.Int(10).tag(sync=True)
    ratio = traitlets.Int(32).tag(sync=True)
    epochs = traitlets.Int(4).tag(sync=True)
    gradual = traitlets.Bool(True).tag(sync=True)
    layered = traitlets.Bool(True).tag(sync=True)
    update = traitlets.Int(1).tag(sync=True)
    setup = traitlets.Dict(read_only=True).tag(sync=True)

    def __init__(
        self,
        sentence: str,
        *,
        kinds: dict[str, str],
        reach: Callable[[list[str], str, int], ArrayLike],
        rates: Callable[..., ArrayLike],
        layer_names: Sequence[str],
        most_layers: int = 3,
        **start: Any,
    ) -> None:
        self._kinds, self._rates = dict(kinds), rates
        self._reach = cache(lambda words, kind, layers: reach(list(words), kind, layers))
        self._layer_names, self._most_layers = list(layer_names), most_layers
        setup = {"kinds": list(kinds.items()), "layers": most_layers, "names": self._layer_names}
        self.set_trait("setup", setup)
        super().__init__(**({"sentence": sentence, "kind": next(iter(kinds))} | start))

    def draw(self) -> tuple[dict[str, Any], str]:
        """Both tables, and the sentence about the one that is shown."""
        self.one_of(view=VIEWS, kind=self._kinds)
        self.within(layers=(1, self._most_layers), word=(0, MOST_WORDS), update=(1, UPDATES[1]))
        self.within(updates=UPDATES, cut=CUT, ratio=RATIO, epochs=EPOCHS)
        reached, reach_said = self._draw_reach()
        scheduled, rates_said = self._draw_rates()
        return reached | scheduled, reach_said if self.view == "reach" else rates_said

    # ---- reach

    def _draw_reach(self) -> tuple[dict[str, Any], str]:
        words = self.split(MOST_WORDS)
        found = self._reach(tuple(words), self.kind, self.layers)
        parts = as_array(found, None, len(words), len(words), what="reach")  # (P, T, T)
        whole = np.sqrt(np.square(parts).sum(axis=0))  # (T, T)
        word, largest = min(self.word, len(words) - 1), whole.max() or 1.0
        picture = {
            "words": words,
            "word": word,
            "whole": [_cells(row, largest) for row in whole],
            "parts": [_cells(part[word], largest) for part in parts],
        }
        return picture, self._say_reach(words, word, parts[:, word])

    def _say_reach(self, words: list[str], word: int, parts: np.ndarray) -> str:
        reached = (parts > 0).any(axis=0)
        facts = {
            "kind": self._kinds[self.kind],
            "layers": self.layers,
            "word": words[word],
            "count": len(words),
        }
        said = [self.say("reached", reached=int(reached.sum()), **facts)]
        hidden = ", ".join(f"'{name}'" for name, seen in zip(words, reached, strict=True) if not seen)
        if hidden:
            said.append(self.say("zero", names=hidden))
        if len(parts) == 2:
            first, second = ((part > 0).sum() for part in parts)
            said.append(self.say("halves", first=int(first), second=int(second)))
        return " ".join(said)

    # ---- rates

    def _draw_rates(self) -> tuple[dict[str, Any], str]:
        schedule = {
            name: getattr(self, name) for name in ("updates", "ratio", "epochs", "gradual", "layered")
        }
        found = self._rates(cut=self.cut / 100, **schedule)
        rates = as_array(found, len(self._layer_names), self.updates, what="rates")
        update, peak = min(self.update, self.updates), rates.max()
        now = [
            {
                "name": name,
                "share": float(rate / peak),
                "shown": f"{rate:.2e}" if rate else "0",
                "frozen": rate == 0,
            }
            for name, rate in zip(self._layer_names, rates[:, update - 1].tolist(), strict=True)
        ]
        picture = {
            "update": update,
            "rates": [[round(share, 4) if share else 0 for share in row] for row in (rates / peak).tolist()],
            "now": now,
        }
        learning = [row["name"] for row in now if not row["frozen"]]
        facts = {"update": update, "updates": self.updates, "top": int(rates.max(axis=0).argmax()) + 1}
        facts |= {"peak": f"{peak:.2e}", "count": len(learning), "layers": len(now)}
        said = self.say("rates_now", names=", ".join(learning) or "-", **facts)
        return picture, said


def _cells(sizes: np.ndarray, largest: float) -> list[dict[str, Any]]:
    """Share of the largest, and how it is written: 0 only where it is exactly 0."""
    return [
        {"share": float(size / largest), "shown": "0" if size == 0 else f"{size / largest:.2f}"}
        for size in sizes
    ]
