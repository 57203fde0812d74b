"""A claim of a paper, the numbers that carry it, what was found later, and what the course measured itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import traitlets

from course_utils.locale import text
from course_utils.widgets.attention_explorer.side import readable
from course_utils.widgets.base import BadInput, CourseWidget
from course_utils.widgets.claim_browser.sides import checked_side

MOST_CLAIMS = 24
LONGEST_TITLE, LONGEST_PLACE, LONGEST_SENTENCE = 48, 40, 300  # letters
SIDES = ("paper", "later", "ours")


class ClaimBrowser(CourseWidget):
    """Choose a claim; see its sentence, and the numbers beside those they are compared with, as bars or differences.

    Args:
        claims: 1 to 24 of {"title": …, "says": the claim in other words, "place": where it stands, "paper": a side,
            "later": a side or None, "ours": a side or None}. A side is {"names": (of the numbers, of those they are
            compared with), "rows": [(label, value, reference or None, source), …], "unit": …, "note": …, "digits": 1,
            "better": "high" or "low", "same": 0}, 1 to 8 rows; a reference of None is compared with nothing. For a loss
            say "low"; differences up to "same" count as none.

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

    def __init__(
        self, claims: Sequence[Mapping[str, Any]], *, claim: int = 0, differences: bool = False
    ) -> None:
        if not isinstance(claims, list | tuple) or not 1 <= len(claims) <= MOST_CLAIMS:
            raise self.bad("claims", most=MOST_CLAIMS)
        self._claims = [_checked(one) for one in claims]
        titles = [one["title"] for one in self._claims]
        if len(set(titles)) < len(titles):
            raise self.bad("titles")
        self.set_trait("titles", titles)
        super().__init__(claim=claim, differences=differences)

    def draw(self) -> tuple[dict[str, Any], str]:
        """The claim with its sides, and in one line how many numbers are better and worse."""
        last = len(self._claims) - 1
        if not 0 <= self.claim <= last:
            raise self.bad("claim", last=last, actual=self.claim)
        shown = self._claims[self.claim]
        picture = {**shown, "claim": self.claim, "last": last, "differences": self.differences}
        said = [self.say(f"{'placed' if shown['place'] else 'named'}", **_facts(shown))]
        said += [self._say(side, shown[side]) for side in SIDES]
        return picture, " ".join(said)

    def _say(self, name: str, side: dict[str, Any] | None) -> str:
        words = "widgets.claim_browser"
        title = text(f"{words}.labels.{name}")
        if side is None:
            return text(f"{words}.absent", side=title)
        compared = [row for row in side["rows"] if row["difference"] is not None]
        if not compared:
            return text(f"{words}.alone", side=title, count=len(side["rows"]))
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
        return text(f"{words}.compared", **facts)


def _facts(claim: dict[str, Any]) -> dict[str, str]:
    return {"title": claim["title"], "place": claim["place"]}


def _checked(claim: Any) -> dict[str, Any]:
    known = {"title", "says", "place", *SIDES}
    if not isinstance(claim, Mapping) or not {"title", "says", "paper"} <= set(claim) <= known:
        raise BadInput(text("widgets.claim_browser.bad.claims", most=MOST_CLAIMS))
    words = {}
    for key, longest in (("title", LONGEST_TITLE), ("says", LONGEST_SENTENCE), ("place", LONGEST_PLACE)):
        given = claim.get(key, "")
        if not isinstance(given, str) or (key != "place" and not given.strip()):
            raise BadInput(text("widgets.claim_browser.bad.claims", most=MOST_CLAIMS))
        words[key] = readable(given, longest) if given else ""
    if claim["paper"] is None:
        raise BadInput(text("widgets.claim_browser.bad.claims", most=MOST_CLAIMS))
    return words | {
        side: checked_side(text(f"widgets.claim_browser.labels.{side}"), claim.get(side)) for side in SIDES
    }
