"""BERT in one picture: a sentence, its pieces, its layers, and what fills the piece that is hidden."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import traitlets

from course_utils.course import notebooks
from course_utils.widgets.base import CourseWidget
from course_utils.widgets.refusals import as_array, refusals_told
from course_utils.widgets.shown import percent

LONGEST_SENTENCE = 60
MOST_PLACES = LONGEST_SENTENCE + 2  # a piece a letter, [CLS] and [SEP]
DOORS = {"pieces": ("09", "10"), "layers": ("02", "06", "11"), "fills": ("12", "13")}


class BertAtAGlance(CourseWidget):
    """Type a sentence, hide a piece of it, and see what each stage of BERT makes of it; each leads to its notebooks.

    Args:
        sentence: what to start from, at most 60 characters; [MASK] may stand in it.
        read: (sentence, place of the hidden piece or 0) -> (tokens, ids, turned, asked, fills), such as
            course_utils.interpretation.at_a_glance with model and tokenizer. A ValueError of it is told to the learner.
        start: any of the attributes.

    Attributes:
        sentence: str.
        piece: the place of the piece that is hidden, from 1; 0 hides none.
    """

    name = "bert_at_a_glance"
    inputs = ("sentence", "piece")
    constants: ClassVar[dict[str, Any]] = {"doors": DOORS}

    sentence = traitlets.Unicode().tag(sync=True)
    piece = traitlets.Int(0).tag(sync=True)

    def __init__(self, sentence: str, *, read: Callable[[str, int], tuple], **start: Any) -> None:
        self._read = read
        self._files = {row.number: [row.file, row.short] for row in notebooks()}
        super().__init__(sentence=sentence, **start)

    def draw(self) -> tuple[dict[str, Any], str]:
        """Pieces, layers and fills, and the sentence about them."""
        self.typed(sentence=LONGEST_SENTENCE)
        self.within(piece=(0, MOST_PLACES))
        with refusals_told():
            tokens, ids, turned, asked, fills = self._read(self.sentence, self.piece)
        layers = as_array(turned, None, len(tokens), what="read").round(4).tolist()
        picture = {
            "pieces": [{"text": text, "id": id} for text, id in zip(tokens, ids, strict=True)],
            "layers": layers,
            "asked": asked,
            "fills": [{"text": text, "share": round(share, 4)} for text, share in fills],
            "files": self._files,
        }
        said = [self.say("way", pieces=len(tokens) - 2, layers=len(layers) - 1)]
        told = ", ".join(f"'{text}' {percent(share)}" for text, share in fills)
        said.append(self.say("fills", place=asked, told=told) if asked else self.say("none"))
        return picture, " ".join(said)
