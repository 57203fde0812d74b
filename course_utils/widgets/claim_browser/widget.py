"""A claim of a paper, the numbers that carry it, what was found later, and what the course measured itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import traitlets

from course_utils.widgets.base import CourseWidget
from course_utils.widgets.claim_browser.sides import shown_side
from course_utils.widgets.shown import readable

LONGEST_TITLE, LONGEST_PLACE, LONGEST_SENTENCE = 48, 40, 300  # letters
SIDES = ("paper", "later", "ours")


class ClaimBrowser(CourseWidget):
    """Choose a claim; see its sentence, and the numbers beside those they are compared with, as bars or differences.

    Args:
        claims: 1 to 24 of {"title": …, "says": the claim in other words, "place": where it stands, "paper": a side,
            "later": a side or None, "ours": a side or None}. A side has the arguments of sides.shown_side; a reference
            of None is compared with nothing.
        start: any of the attributes.

    Attributes:
        claim: number of the claim, from 0.
        differences: whether value − reference is drawn, in place of both from zero.
    """

    name = "claim_browser"
    inputs = ("claim", "differences")
    constants: ClassVar[dict[str, Any]] = {"sides": SIDES}

    claim = traitlets.Int(0).tag(sync=True)
    differences = traitlets.Bool(False).tag(sync=True)
    titles = traitlets.List(read_only=True).tag(sync=True)  # they do not change

    def __init__(self, claims: Sequence[Mapping[str, Any]], **start: Any) -> None:
        self._claims = [_shown(**one) for one in claims]
        self.set_trait("titles", [one["title"] for one in self._claims])
        super().__init__(**start)

    def draw(self) -> tuple[dict[str, Any], str]:
        """The claim with its sides, and in one line how many numbers are better and worse."""
        last = len(self._claims) - 1
        self.within(claim=(0, last))
        shown = self._claims[self.claim]
        picture = {**shown, "claim": self.claim, "last": last, "differences": self.differences}
        kind = "placed" if shown["place"] else "named"
        said = [self.say(kind, title=shown["title"], place=shown["place"])]
        said += [self._say(side, shown[side]) for side in SIDES]
        return picture, " ".join(said)

    def _say(self, name: str, side: dict[str, Any] | None) -> str:
        title = self.labels[name]
        if side is None:
            return self.say("absent", side=title)
        compared = [row for row in side["rows"] if row["difference"] is not None]
        if not compared:
            return self.say("alone", side=title, count=len(side["rows"]))
        most = max(compared, key=lambda row: abs(row["difference"]))
        facts = {
            "side": title,
            "count": len(compared),
            "better": sum(row["verdict"] > 0 for row in compared),
            "worse": sum(row["verdict"] < 0 for row in compared),
            "same": sum(row["verdict"] == 0 for row in compared),
            "first": side["names"][0],
            "second": side["names"][1],
            "label": most["label"],
            "difference": most["shown"]["difference"],
        }
        return self.say("compared", **facts)


def _shown(
    *,
    title: str,
    says: str,
    paper: Mapping[str, Any],
    place: str = "",
    later: Mapping[str, Any] | None = None,
    ours: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """A claim as a learner sees it."""
    return {
        "title": readable(title, LONGEST_TITLE),
        "says": readable(says, LONGEST_SENTENCE),
        "place": place and readable(place, LONGEST_PLACE),
        "paper": shown_side(**paper),
        "later": later and shown_side(**later),
        "ours": ours and shown_side(**ours),
    }
