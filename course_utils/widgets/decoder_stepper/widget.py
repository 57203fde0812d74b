"""A decoder that translates, stopped at each token: what it may say next, where it looks, and what the search keeps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, ClassVar

import traitlets

from course_utils.locale import text
from course_utils.widgets.base import CourseWidget
from course_utils.widgets.colors import WEIGHTS
from course_utils.widgets.decoder_stepper.translation import MOST_TOKENS, Translation, name_of, told
from course_utils.widgets.refusals import refusals_told
from course_utils.widgets.shown import readable, signed

LONGEST_SENTENCE = 200  # letters
LONGEST_TOLD = 60  # letters of a translation in the line that says what is seen
MOST_BEAMS = 5
MOST_PENALTY = 2.0
REMEMBERED = 64  # translations; whatever a slider moves over is asked for once
TOLD = 2  # source tokens named in the sentence
EVEN = 0.005  # weights closer together than this are told as "all alike"
VIEWS = ("step", "beam")

Translate = Callable[[str, int, float], Mapping[str, Any]]


class DecoderStepper(CourseWidget):
    """Type a sentence, go through its translation token by token, and watch what the search keeps.

    Args:
        sentence: what to translate, 1 to 200 letters.
        translate: (sentence, beam_size, length_penalty) -> a dict of plain Python (arrays may be NumPy's or torch's):

            "source": T_k tokens, as the encoder read them.
            "steps": T_q dicts, one for each token of the chosen translation: "chosen", the token; "probability" that
                the decoder gave it after the tokens before it; "candidates", [(token, probability), …] of that same
                distribution, best first, at least one.
            "attention": (L, H, T_q, T_k), the cross-attention of each step: rows = the tokens being said (queries),
                columns = the source (keys), each row sums to 1.
            "tree": N dicts: "parent", the index of the node before, −1 at the first step, always smaller than its
                own; "token"; "log_probability", natural, summed from the first step; "state": "kept" (the search went
                on from it), "finished" (the sentence ends here) or "dropped" (it did not fit into the beam).
            "best": the index of the node where the chosen translation ends; its path says the T_q chosen tokens.

            At most 64 tokens on each side and 4,000 nodes. A ValueError is a sentence for the learner, told in place.
        write: tokens of a translation, the end included -> how it is written.
        start: any of the attributes.

    Attributes:
        sentence: str.
        beam_size: 1 to 5; 1 is greedy.
        length_penalty: α from 0 to 2: finished sentences compete by log P / ((5 + |Y|) / 6)^α.
        step: which token is being said, from 1; in a shorter translation the last one.
        layer, head: of the cross-attention, from 0.
        view: "step" (next tokens and attention) or "beam" (the tree up to this step; at the last one all of it).
    """

    name = "decoder_stepper"
    inputs = ("sentence", "beam_size", "length_penalty", "step", "layer", "head", "view")
    constants: ClassVar[dict[str, Any]] = {
        "palette": WEIGHTS,
        "most_beams": MOST_BEAMS,
        "most_penalty": MOST_PENALTY,
        "views": VIEWS,
    }

    sentence = traitlets.Unicode().tag(sync=True)
    beam_size = traitlets.Int(3).tag(sync=True)
    length_penalty = traitlets.Float(0.6).tag(sync=True)
    step = traitlets.Int(1).tag(sync=True)
    layer = traitlets.Int(0).tag(sync=True)
    head = traitlets.Int(0).tag(sync=True)
    view = traitlets.Unicode("step").tag(sync=True)

    def __init__(
        self,
        sentence: str,
        *,
        translate: Translate,
        write: Callable[[Sequence[str]], str] = " ".join,
        **start: Any,
    ) -> None:
        self._translate = translate
        self._write = write
        self._found = lru_cache(REMEMBERED)(self._ask)
        super().__init__(sentence=sentence, **start)

    def draw(self) -> tuple[dict[str, Any], str]:
        """The picture of one step and its sentence."""
        self.typed(sentence=LONGEST_SENTENCE)
        self.within(beam_size=(1, MOST_BEAMS), length_penalty=(0, MOST_PENALTY), step=(1, MOST_TOKENS))
        self.one_of(view=VIEWS)
        found = self._found(self.sentence, self.beam_size, self.length_penalty)
        layers, heads = found.attention.shape[:2]
        self.within(layer=(0, layers - 1), head=(0, heads - 1))
        total = len(found.chosen)
        step = min(self.step, total)
        bars, rest = found.bars(step)
        row = found.row(self.layer, self.head, step)
        picture = {
            "step": step,
            "total": total,
            "layers": layers,
            "heads": heads,
            "said": [name_of(token) for token, _ in found.chosen[:step]],
            "source": [
                {"token": name_of(token), "share": round(float(weight), 4), "shown": f"{weight:.2f}"}
                for token, weight in zip(found.source, row, strict=True)
            ],
            "bars": bars,
            "rest": told(rest),
            "tree": self._tree(found, step) if self.view == "beam" else None,  # large: sent where it is seen
        }
        return picture, " ".join([self._say_token(found, step), *self._say_view(found, step, picture)])

    def _ask(self, sentence: str, beam_size: int, length_penalty: float) -> Translation:
        with refusals_told():
            found = self._translate(sentence, beam_size, length_penalty)
        return Translation.of(found)

    def _tree(self, found: Translation, step: int) -> dict[str, Any]:
        """The nodes up to a step, with their places; `rows` and `widths` are those of the whole tree."""
        # At the last token all of it, for others may have gone on.
        last = max(found.steps) if step == len(found.chosen) else step
        drawn = found.drawn()
        index = {node: place for place, node in enumerate(drawn)}
        nodes = []
        for node in drawn:
            parent, token, log_probability, state = found.nodes[node]
            if found.steps[node] <= last:
                nodes.append(
                    {
                        "token": name_of(token),
                        "shown": signed(log_probability, 2),
                        "state": state,
                        "step": found.steps[node],
                        "rank": found.ranks[node],
                        "parent": index.get(parent, -1),
                        "best": node in found.path,
                    }
                )
        return {
            "rows": max(found.ranks[node] for node in drawn),
            "widths": found.widths(drawn),
            "nodes": nodes,
            "finished": found.finished(last, self.length_penalty, self._write),
        }

    def _say_token(self, found: Translation, step: int) -> str:
        token, probability = found.chosen[step - 1]
        facts = {"step": step, "total": len(found.chosen), "token": name_of(token)}
        return self.say("token", probability=told(probability), **facts)

    def _say_view(self, found: Translation, step: int, picture: dict[str, Any]) -> list[str]:
        if self.view == "beam":
            return self._say_beam(found, step, picture["tree"]["finished"])
        said = []
        first = picture["bars"][0]
        if not first["chosen"]:
            said.append(self.say("likelier", token=first["token"], share=first["shown"]))
        row = found.row(self.layer, self.head, step)
        if len(row) > 1 and row.max() - row.min() < EVEN:
            return [*said, self.say("even", weight=f"{row[0]:.2f}")]
        best = (-row).argsort(kind="stable")[:TOLD]
        looks = ", ".join(_named(found.source, int(place), row[place]) for place in best)
        return [*said, self.say("looks", layer=self.layer, head=self.head, keys=looks)]

    def _say_beam(self, found: Translation, step: int, finished: list[dict[str, Any]]) -> list[str]:
        states = [node[3] for node, at in zip(found.nodes, found.steps, strict=True) if at == step]
        here = found.path[step - 1]
        facts = {"rank": found.ranks[here], "log_probability": signed(found.nodes[here][2], 2)}
        facts |= {"kept": states.count("kept"), "dropped": states.count("dropped"), "finished": len(finished)}
        said = [self.say("beam", **facts)]
        if finished:
            first, score = readable(finished[0]["text"], LONGEST_TOLD), finished[0]["score"]
            said.append(self.say("first", text=first, score=score))
        return said


def _named(source: list[str], place: int, weight: float) -> str:
    """A source token and its weight; where it stands, if there are several such."""
    kind = "look" if source.count(source[place]) == 1 else "look_at"
    facts = {"token": name_of(source[place]), "weight": f"{weight:.2f}", "place": place + 1}
    return text(f"widgets.decoder_stepper.{kind}", **facts)
