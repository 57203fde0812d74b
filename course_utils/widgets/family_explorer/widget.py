"""Two members of the BERT family side by side: parts, parameters, objective; what differs is marked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import traitlets

from course_utils.locale import text
from course_utils.widgets.base import CourseWidget

Member = Mapping[str, Mapping[str, Any]]


class FamilyExplorer(CourseWidget):
    """Choose two models; see the parameters of each part, and in words how each is trained.

    Args:
        members: name -> {"parts": {part: number of parameters}, "facts": {question: answer}}, 2 to 20 of them. Parts
            are whole numbers of at least 1, counted by the caller; both orders are those of the first member that has
            the row. A part or an answer that a member lacks is shown as such. Over all members there are 1 to 16 parts
            and at most 16 questions.
        start: any of the attributes.

    Attributes:
        left, right: names of members, which may be the same; at first the first two.
        differing: only what differs is shown.
        setup: what does not change: the names.
    """

    name = "family_explorer"
    inputs = ("left", "right", "differing")

    left = traitlets.Unicode().tag(sync=True)
    right = traitlets.Unicode().tag(sync=True)
    differing = traitlets.Bool().tag(sync=True)
    setup = traitlets.Dict(read_only=True).tag(sync=True)

    def __init__(self, members: Mapping[str, Member], **start: Any) -> None:
        self._parts, self._facts = _rows(members, "parts"), _rows(members, "facts")
        self._members = dict(members)
        names = list(self._members)
        self.set_trait("setup", {"names": names})
        super().__init__(**({"left": names[0], "right": names[1]} | start))

    def draw(self) -> tuple[dict[str, Any], str]:
        """The picture's numbers and its sentence, from the two names."""
        self.one_of(left=self._members, right=self._members)
        pair = [self._members[self.left], self._members[self.right]]
        counts = [member["parts"] for member in pair]
        largest = max(count for one in counts for count in one.values())
        parts = [_part(name, [one.get(name, 0) for one in counts], largest) for name in self._parts]
        facts = [_fact(name, [str(member["facts"].get(name, "")) for member in pair]) for name in self._facts]
        totals = [sum(one.values()) for one in counts]
        # What neither has is no row of this pair.
        rows = [row for row in [*parts, *facts] if row["there"]]
        shown = {
            key: [row for row in group if row["there"] and (row["differs"] or not self.differing)]
            for key, group in {"parts": parts, "facts": facts}.items()
        }
        picture = {
            **shown,
            "totals": [_count(total) for total in totals],
            "same_total": totals[0] == totals[1],
        }
        return picture, self._sentence(rows, totals)

    def _sentence(self, rows: list[dict[str, Any]], totals: list[int]) -> str:
        facts = {
            "left": self.left,
            "right": self.right,
            "rows": len(rows),
            "differ": sum(row["differs"] for row in rows),
            "left_total": _count(totals[0]),
            "right_total": _count(totals[1]),
        }
        sentence = self.say("differ" if facts["differ"] else "same", **facts)
        if totals[0] == totals[1]:
            return f"{sentence} {self.say('equal', **facts)}"
        larger = self.left if totals[0] > totals[1] else self.right
        ratio = f"{max(totals) / min(totals):.2f}"
        return f"{sentence} {self.say('ratio', larger=larger, ratio=ratio, **facts)}"


def _rows(members: Mapping[str, Member], kind: str) -> list[str]:
    """The names of all rows of a kind, each where it is met first."""
    return list(dict.fromkeys(row for member in members.values() for row in member[kind]))


def _part(name: str, counts: list[int], largest: int) -> dict[str, Any]:
    return {
        "name": name,
        "sides": [{"text": _count(count), "share": count / largest} for count in counts],
        "differs": counts[0] != counts[1],
        "there": any(counts),
    }


def _fact(name: str, answers: list[str]) -> dict[str, Any]:
    shown = [answer or text("widgets.family_explorer.none") for answer in answers]
    return {
        "name": name,
        "sides": [{"text": answer} for answer in shown],
        "differs": answers[0] != answers[1],
        "there": any(answers),
    }


def _count(count: int) -> str:
    return f"{count:,}" if count else text("widgets.family_explorer.none")
