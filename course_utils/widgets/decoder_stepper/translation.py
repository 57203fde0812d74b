"""What a `translate` of the DecoderStepper gave, checked and made ready for drawing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from course_utils.locale import text
from course_utils.support.text_width import drawn_width
from course_utils.viz.beam_tree import path_to, places
from course_utils.widgets.refusals import BadInput, as_weights
from course_utils.widgets.shown import readable, signed

MOST_TOKENS = 64  # of a source, and of a translation
MOST_BARS = 6
MOST_DROPPED = 2  # a step; of those that were dropped the best are drawn
LONGEST_TOKEN = 24  # letters

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
    def of(cls, found: Mapping[str, Any]) -> Translation:
        """From what `translate` gave."""
        source = [str(token) for token in found["source"]]
        if not (1 <= len(source) <= MOST_TOKENS and 1 <= len(found["steps"]) <= MOST_TOKENS):
            facts = {"most": MOST_TOKENS, "source": len(source), "target": len(found["steps"])}
            raise BadInput(text("widgets.decoder_stepper.bad.tokens", **facts))
        chosen = [(str(step["chosen"]), float(step["probability"])) for step in found["steps"]]
        candidates = [
            [(str(token), float(probability)) for token, probability in step["candidates"]]
            for step in found["steps"]
        ]
        size = (len(chosen), len(source))
        attention = as_weights(found["attention"], None, None, *size, what="attention")
        nodes = [
            (node["parent"], str(node["token"]), float(node["log_probability"]), str(node["state"]))
            for node in found["tree"]
        ]
        parents, _, scores, states = map(list, zip(*nodes, strict=True))
        steps, ranks = places(parents, scores, states)
        path = path_to(parents, found["best"])
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
            {"token": name_of(name), "share": round(share, 4), "shown": told(share), "chosen": name == token}
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
                "log_probability": signed(self.nodes[node][2], 2),
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
