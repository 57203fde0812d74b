"""What a `translate` of the DecoderStepper gave, checked and made ready for drawing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from course_utils.locale import text
from course_utils.support.text_width import drawn_width
from course_utils.viz.beam_tree import path_to, places
from course_utils.widgets.attention_explorer.side import as_array, readable
from course_utils.widgets.base import BadInput

MOST_TOKENS = 64  # of a source, and of a translation
MOST_NODES = 4000
MOST_BARS = 6
MOST_DROPPED = 2  # a step; of those that were dropped the best are drawn
LONGEST_TOKEN = 24  # letters
KEYS = ("source", "steps", "attention", "tree", "best")

Node = tuple[int, str, float, str]  # parent, token, log-probability, state


@dataclass(frozen=True)
class Translation:
    """One search through. Letters: T_k source tokens, T_q tokens said, L layers, H heads, N nodes.

    Attributes:
        source: T_k tokens.
        chosen: T_q tokens, each with its probability.
        candidates: for each step tokens with their probabilities, best first.
        attention: (L, H, T_q, T_k), each row sums to 1.
        nodes: of the tree, N; a parent stands before its children.
        steps, ranks: of each node, from 1.
        path: the T_q nodes of the chosen translation.
    """

    source: list[str]
    chosen: list[tuple[str, float]]
    candidates: list[list[tuple[str, float]]]
    attention: np.ndarray
    nodes: list[Node]
    steps: list[int]
    ranks: list[int]
    path: list[int]

    @classmethod
    def of(cls, found: Any) -> Translation:
        """From what `translate` gave."""
        if not isinstance(found, Mapping) or not set(KEYS) <= found.keys():
            raise _bad("keys", expected=", ".join(KEYS))
        source = [str(token) for token in found["source"]]
        if not (1 <= len(source) <= MOST_TOKENS and 1 <= len(found["steps"]) <= MOST_TOKENS):
            raise _bad("tokens", most=MOST_TOKENS, source=len(source), target=len(found["steps"]))
        chosen = [(str(step["chosen"]), float(step["probability"])) for step in found["steps"]]
        candidates = [
            [(str(token), float(probability)) for token, probability in step["candidates"]]
            for step in found["steps"]
        ]
        _check_probabilities(chosen, candidates)
        attention = as_array(found["attention"])
        if attention.ndim != 4 or attention.shape[2:] != (len(chosen), len(source)) or 0 in attention.shape:
            raise _bad("attention", expected=f"(L, H, {len(chosen)}, {len(source)})", actual=attention.shape)
        # 1e-2: weights may come from a model in half precision. The comparison also refuses NaN.
        if not (np.abs(attention.sum(axis=-1) - 1) <= 1e-2).all() or (attention < 0).any():
            raise _bad("rows")
        nodes, steps, ranks = _tree(found["tree"])
        best = found["best"]
        path = path_to([node[0] for node in nodes], best) if best in range(len(nodes)) else []
        if [nodes[node][1] for node in path] != [token for token, _ in chosen]:
            raise _bad("best", actual=best)
        return cls(source, chosen, candidates, attention, nodes, steps, ranks, path)

    def row(self, layer: int, head: int, step: int) -> np.ndarray:
        """Where the token of a step, from 1, looks: (T_k,)."""
        return self.attention[layer, head, step - 1]

    def bars(self, step: int) -> tuple[list[dict[str, Any]], float]:
        """The likeliest next tokens of a step, the chosen one always among them; and what all others have together."""
        token, probability = self.chosen[step - 1]
        ranked = self.candidates[step - 1]
        shown = ranked[:MOST_BARS]
        if token not in [name for name, _ in shown]:
            shown = [*ranked[: MOST_BARS - 1], (token, probability)]
        bars = [
            {
                "token": name_of(name),
                "share": round(share, 4),
                "shown": told(share),
                "chosen": name == token,
            }
            for name, share in shown
        ]
        return bars, max(0.0, 1 - sum(share for _, share in shown))

    def drawn(self) -> list[int]:
        """The nodes that are drawn: all but those dropped ones that come behind the best few of their step."""
        dropped = [0] * (max(self.steps) + 1)
        kept = []
        for node in sorted(range(len(self.nodes)), key=lambda node: (self.steps[node], self.ranks[node])):
            if self.nodes[node][3] == "dropped":
                dropped[self.steps[node]] += 1
                if dropped[self.steps[node]] > MOST_DROPPED:
                    continue
            kept.append(node)
        return kept

    def widths(self, drawn: Sequence[int]) -> list[float]:
        """For each step how wide its longest token is, in Latin letters."""
        found = [0.0] * max(self.steps)
        for node in drawn:
            width = drawn_width(name_of(self.nodes[node][1]))
            found[self.steps[node] - 1] = max(found[self.steps[node] - 1], width)
        return found

    def finished(
        self, last: int, penalty: float, write: Callable[[Sequence[str]], str]
    ) -> list[dict[str, Any]]:
        """The sentences that were finished up to a step, best score first."""
        parents = [node[0] for node in self.nodes]
        found = []
        for node, (_, _, log_probability, state) in enumerate(self.nodes):
            if state == "finished" and self.steps[node] <= last:
                words = write([self.nodes[each][1] for each in path_to(parents, node)])
                found.append((score(log_probability, self.steps[node], penalty), node, words))
        found.sort(key=lambda one: -one[0])
        return [
            {
                "text": readable(words, 3 * MOST_TOKENS),
                "log_probability": signed(self.nodes[node][2]),
                "length": self.steps[node],
                "score": signed(value, 3),
                "best": node == self.path[-1],
            }
            for value, node, words in found
        ]


def score(log_probability: float, length: int, penalty: float) -> float:
    """log P(Y) / ((5 + |Y|) / 6)^α, the end of the sentence counted (Wu et al. 2016, eq. 14, without coverage)."""
    return log_probability / ((5 + length) / 6) ** penalty


def name_of(token: str) -> str:
    """A token as the picture shows it."""
    return readable(token, LONGEST_TOKEN)


def told(probability: float) -> str:
    """With two decimals; what would be 0.00 and is not nothing, is told as that."""
    return "<0.01" if 0 < probability < 0.005 else f"{probability:.2f}"


def signed(value: float, digits: int = 2) -> str:
    """A number with a true minus sign, and none before zero."""
    return f"{round(value, digits) + 0.0:.{digits}f}".replace("-", "−")


def _check_probabilities(chosen: list[tuple[str, float]], candidates: list[list[tuple[str, float]]]) -> None:
    """Probabilities of one distribution a step, best first; the chosen one has the same in both places."""
    for place, ((token, probability), ranked) in enumerate(zip(chosen, candidates, strict=True), start=1):
        values = [value for _, value in ranked]
        fits = all(0 <= value <= 1 for value in [probability, *values]) and sum(values) <= 1.01
        same = abs(dict(ranked).get(token, probability) - probability) < 1e-6
        if not (values and fits and same and values == sorted(values, reverse=True)):
            raise _bad("probabilities", step=place)


def _tree(nodes: Sequence[Mapping[str, Any]]) -> tuple[list[Node], list[int], list[int]]:
    if not 1 <= len(nodes) <= MOST_NODES:
        raise _bad("nodes", most=MOST_NODES, actual=len(nodes))
    found = [
        (node["parent"], str(node["token"]), float(node["log_probability"]), str(node["state"]))
        for node in nodes
    ]
    parents, _, scores, states = map(list, zip(*found, strict=True))
    if not np.isfinite(scores).all():
        raise _bad("finite")
    try:
        return found, *places(parents, scores, states)
    except ValueError as problem:
        raise _bad("tree", problem=problem) from problem


def _bad(reason: str, **facts: Any) -> BadInput:
    return BadInput(text(f"widgets.decoder_stepper.bad.{reason}", **facts))
