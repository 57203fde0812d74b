"""Two members of the BERT family side by side: parts, parameters, objective; what differs is marked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import traitlets

from course_utils.locale import text
from course_utils.widgets.base import BadInput, CourseWidget

MOST_MEMBERS = 20
MOST_ROWS = 16
MOST_PARAMETERS = 10**13

Member = Mapping[str, Mapping[str, Any]]


class FamilyExplorer(CourseWidget):
    """Choose two models; see the parameters of each part, and in words how each is trained.

    Args:
        members: name -> {"parts": {part: number of parameters}, "facts": {question: answer}}, 2 to 20 of them. Parts
            are whole numbers of at least 1, counted by the caller; both orders are those of the first member that has
            the row. A part or an answer that a member lacks is shown as such. Over all members there are 1 to 16 parts
            and at most 16 questions.
        left, right: the two to start with; the first two where nothing is said. They may be the same.
        differing: only what differs is shown.

    Attributes:
        left, right: names of members.
        differing: bool.
        setup: what does not change: the names.
    """

    name = "family_explorer"
    inputs = ("left", "right", "differing")

    left = traitlets.Unicode().tag(sync=True)
    right = traitlets.Unicode().tag(sync=True)
    differing = traitlets.Bool().tag(sync=True)
    setup = traitlets.Dict(read_only=True).tag(sync=True)

    def __init__(
        self,
        members: Mapping[str, Member],
        *,
        left: str | None = None,
        right: str | None = None,
        differing: bool = False,
    ) -> None:
        if not isinstance(members, Mapping) or not 2 <= len(members) <= MOST_MEMBERS:
            count = len(members) if isinstance(members, Mapping) else 0
            raise self.bad("members", most=MOST_MEMBERS, actual=count)
        self._parts, self._facts = _rows(members, "parts"), _rows(members, "facts")
        if not 1 <= len(self._parts) <= MOST_ROWS or len(self._facts) > MOST_ROWS:
            counts = {"parts": len(self._parts), "facts": len(self._facts)}
            raise self.bad("rows", most=MOST_ROWS, **counts)
        self._members = {str(name): member for name, member in members.items()}
        for name, member in self._members.items():
            _check_parts(name, member)
        names = list(self._members)
        self.set_trait("setup", {"names": names})
        chosen = {"left": names[0] if left is None else left, "right": names[1] if right is None else right}
        super().__init__(**chosen, differing=differing)

    def draw(self) -> tuple[dict[str, Any], str]:
        """The picture's numbers and its sentence, from the two names."""
        for name in (self.left, self.right):
            if name not in self._members:
                raise self.bad("name", actual=name)
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
        kind = "differ" if facts["differ"] else "same"
        sentence = self.say(f"{kind}", **facts)
        if totals[0] == totals[1]:
            return f"{sentence} {text('widgets.family_explorer.equal', **facts)}"
        larger = self.left if totals[0] > totals[1] else self.right
        ratio = f"{max(totals) / min(totals):.2f}"
        return f"{sentence} {text('widgets.family_explorer.ratio', larger=larger, ratio=ratio, **facts)}"


def _rows(members: Mapping[str, Member], kind: str) -> list[str]:
    """The names of all rows of a kind, each where it is met first."""
    try:
        return list(dict.fromkeys(str(row) for member in members.values() for row in member[kind]))
    except (KeyError, TypeError) as problem:
        raise BadInput(text("widgets.family_explorer.bad.member", kind=kind)) from problem


def _check_parts(name: str, member: Member) -> None:
    if not member["parts"]:
        raise BadInput(text("widgets.family_explorer.bad.no_parts", name=name))
    for part, count in member["parts"].items():
        if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= MOST_PARAMETERS:
            facts = {"name": name, "part": part, "most": f"{MOST_PARAMETERS:,}", "actual": count}
            raise BadInput(text("widgets.family_explorer.bad.count", **facts))


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
