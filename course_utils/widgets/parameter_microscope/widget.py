"""Where the parameters of a model are: every tensor as an area, to be zoomed into part by part."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import traitlets

from course_utils.locale import text
from course_utils.widgets.base import CourseWidget
from course_utils.widgets.shown import percent

HEADS = ("mlm", "nsp")  # how the names of tensors begin that can be left out
WIDTH, HEIGHT = 160.0, 100.0  # of the picture, in its own units

Tensors = Callable[[Any], Iterable[tuple[str, Sequence[int]]]]
Box = tuple[float, float, float, float]  # left, top, width, height

# A part's colour, by the names on the way to it: the last that is found here decides.
KINDS = {
    "embeddings": "embeddings",
    "attention": "attention",
    "feed_forward": "feed_forward",
    "attention_norm": "norm",
    "feed_forward_norm": "norm",
    "norm": "norm",
    "pooler": "pooler",
}


@dataclass
class Part:
    """A tensor, or a group of tensors whose dotted names begin alike."""

    path: str  # "" is the whole model
    name: str  # the path without its parent's
    count: int
    shape: tuple[int, ...] | None = None  # of a tensor
    children: list[Part] = field(default_factory=list)

    def tensors(self) -> list[Part]:
        """All tensors in it, in order."""
        if self.shape is not None:
            return [self]
        return [leaf for child in self.children for leaf in child.tensors()]


class ParameterMicroscope(CourseWidget):
    """Every tensor of a model as an area of its size; parts can be zoomed into, down to a single tensor.

    Args:
        sizes: name -> configuration; what a configuration is, only `tensors` knows.
        tensors: configuration -> (dotted name, shape) of every tensor, heads included.
        published: name of a size -> (count without heads, count with heads), to compare with.

    Attributes:
        size: one of the names in `sizes`; the first at the start.
        heads: count the heads as well.
        path: the dotted beginning of the tensors that are looked at; "" for all. A size that lacks it shows the
            nearest part around it.
    """

    name = "parameter_microscope"
    inputs = ("size", "heads", "path")

    size = traitlets.Unicode().tag(sync=True)
    heads = traitlets.Bool(True).tag(sync=True)
    path = traitlets.Unicode("").tag(sync=True)

    def __init__(
        self,
        sizes: Mapping[str, Any],
        *,
        tensors: Tensors,
        published: Mapping[str, tuple[int, int]] | None = None,
    ) -> None:
        self._published = dict(published or {})
        self._tree, self._lay_out = cache(self._plant), cache(self._lay_out_at)
        self._tensors = {size: list(tensors(config)) for size, config in sizes.items()}
        super().__init__(size=next(iter(sizes)))

    def draw(self) -> tuple[dict[str, Any], str]:
        """The picture's areas and its sentence, from size, heads and path."""
        self.one_of(size=self._tensors)
        if self.path and not any(self._knows(name) for name in self._tensors):
            raise self.bad("path", actual=self.path)
        whole = self._tree(self.size, self.heads)
        way = _find(whole, self.path)
        return self._lay_out(self.size, self.heads, way[-1].path), self._sentence(whole, way)

    def _lay_out_at(self, size: str, heads: bool, path: str) -> dict[str, Any]:
        """The picture of the part at a path."""
        whole = self._tree(size, heads)
        way = _find(whole, path)
        shown = way[-1]
        rows = shown.children or [shown]
        boxes = treemap([row.count for row in rows], (0.0, 0.0, WIDTH, HEIGHT))
        before = sum(leaf.count for leaf in _before(whole, shown))
        return {
            "sizes": list(self._tensors),
            "path": shown.path,
            "crumbs": [{"path": part.path, "label": _label(part)} for part in way],
            "total": f"{whole.count:,}",
            "inner": [
                _relative(inner)
                for row, box in zip(rows, boxes, strict=True)
                if row.children
                for inner in treemap([child.count for child in row.children], box)
            ],
            "window": [before / whole.count, shown.count / whole.count],
            "rows": [self._row(row, shown, box) for row, box in zip(rows, boxes, strict=True)],
            "tiles": [tile for row, box in zip(rows, boxes, strict=True) for tile in self._tiles(row, box)],
        }

    def _plant(self, size: str, heads: bool) -> Part:
        kept = [
            (name, shape) for name, shape in self._tensors[size] if heads or name.split(".")[0] not in HEADS
        ]
        if not kept:
            raise self.bad("no_tensors")
        return _grow("", "", kept)

    def _knows(self, size: str) -> bool:
        return any(f"{name}.".startswith(f"{self.path}.") for name, _ in self._tensors[size])

    def _kind(self, path: str) -> str:
        parts = path.split(".")
        if parts[0] in HEADS:
            return "heads"
        return next((KINDS[part] for part in reversed(parts) if part in KINDS), "other")

    def _row(self, row: Part, shown: Part, box: Box) -> dict[str, Any]:
        return {
            "path": row.path,
            "label": _label(row),
            "name": row.name,
            "shape": "" if row.shape is None else " × ".join(f"{length:,}" for length in row.shape),
            "count": f"{row.count:,}",
            "share": row.count / shown.count,
            "percent": _percent(row.count, shown.count),
            "box": _relative(box),
        }

    def _tiles(self, part: Part, box: Box) -> list[dict[str, Any]]:
        """The tensors of a part, each with its place in the picture."""
        if part.shape is not None:
            return [{"box": _relative(box), "kind": self._kind(part.path)}]
        boxes = treemap([child.count for child in part.children], box)
        return [
            tile
            for child, inner in zip(part.children, boxes, strict=True)
            for tile in self._tiles(child, inner)
        ]

    def _sentence(self, whole: Part, way: list[Part]) -> str:
        shown = way[-1]
        facts = {"size": self.size, "total": f"{whole.count:,}"}
        parts = [self.say(f"summary.{'with' if self.heads else 'without'}", **facts)]
        if shown is not whole:
            where = " › ".join(_label(part) for part in way[1:])
            share = _percent(shown.count, whole.count)
            parts.append(self.say("summary.part", where=where, count=f"{shown.count:,}", share=share))
        elif self.size in self._published:
            expected = self._published[self.size][int(self.heads)]
            same = "same" if expected == whole.count else "other"
            parts.append(self.say(f"summary.{same}", expected=f"{expected:,}"))
        if shown.shape is not None:
            product = " × ".join(f"{length:,}" for length in shown.shape)
            kind = "tensor" if len(shown.shape) > 1 else "vector"
            parts.append(self.say(f"summary.{kind}", product=product, count=f"{shown.count:,}"))
        elif len(shown.children) > 1:
            most = max(shown.children, key=lambda child: child.count)
            alike = sum(child.count == most.count for child in shown.children)
            facts = {
                "label": _label(most),
                "count": f"{most.count:,}",
                "share": _percent(most.count, shown.count),
            }
            parts.append(self.say(f"summary.{'largest' if alike == 1 else 'alike'}", number=alike, **facts))
        return " ".join(parts)


def treemap(counts: Sequence[int], box: Box) -> list[Box]:
    """Fill a box with one rectangle for each count, as near to squares as it goes (Bruls et al. 2000, squarified).

    Equal counts become a grid in reading order.

    Args:
        counts: positive numbers.
        box: left, top, width, height.

    Returns:
        A box for each count, in the order given; areas are proportional to the counts.
    """
    if len(set(counts)) == 1 and (grid := _grid(len(counts), box)):
        return grid
    left, top, width, height = box
    scale = width * height / sum(counts)
    waiting = sorted(range(len(counts)), key=lambda place: -counts[place])
    boxes: list[Box] = [box] * len(counts)
    while waiting:
        side = min(width, height)
        taken, best = 0, math.inf
        for number in range(1, len(waiting) + 1):
            areas = [counts[place] * scale for place in waiting[:number]]
            strip = sum(areas) / side
            worst = max(max(strip**2 / area, area / strip**2) for area in (areas[0], areas[-1]))
            if worst > best:
                break
            taken, best = number, worst
        strip = sum(counts[place] for place in waiting[:taken]) * scale / side
        offset = 0.0
        for place in waiting[:taken]:
            length = counts[place] * scale / strip
            upright = width >= height
            boxes[place] = (
                (left, top + offset, strip, length) if upright else (left + offset, top, length, strip)
            )
            offset += length
        if width >= height:
            left, width = left + strip, width - strip
        else:
            top, height = top + strip, height - strip
        waiting = waiting[taken:]
    return boxes


def _grid(count: int, box: Box) -> list[Box]:
    """A box cut into equal ones in reading order; [] where they would be too slender."""
    left, top, width, height = box
    shapes = [(count // lines, lines) for lines in range(1, count + 1) if count % lines == 0]
    across, lines = min(shapes, key=lambda shape: abs(math.log(width / shape[0] / (height / shape[1]))))
    one = (width / across, height / lines)
    if max(one) > 3 * min(one):
        return []
    places = [divmod(place, across) for place in range(count)]
    return [(left + column * one[0], top + line * one[1], *one) for line, column in places]


def _grow(path: str, parent: str, tensors: list[tuple[str, tuple[int, ...]]]) -> Part:
    """The part of the tensors whose names begin with `path`; parts with a single child are passed over."""
    own = path.removeprefix(f"{parent}.") if parent else path
    if len(tensors) == 1 and path:
        name, shape = tensors[0]
        return Part(name, name.removeprefix(f"{parent}.") if parent else name, math.prod(shape), shape)
    groups: dict[str, list[tuple[str, tuple[int, ...]]]] = {}
    for name, shape in tensors:
        following = name.removeprefix(f"{path}.") if path else name
        step = following.split(".")[0]
        groups.setdefault(f"{path}.{step}" if path else step, []).append((name, shape))
    if len(groups) == 1 and path:
        return _grow(next(iter(groups)), parent, tensors)
    children = [_grow(inner, path, group) for inner, group in groups.items()]
    return Part(path, own, sum(child.count for child in children), None, children)


def _find(whole: Part, path: str) -> list[Part]:
    """The way from the whole to the part at `path`, or to the nearest part around it."""
    way = [whole]
    while path and way[-1].path != path:
        children = way[-1].children
        inside = [child for child in children if f"{path}.".startswith(f"{child.path}.")]
        # A part with a single child is passed over: "pooler" means "pooler.dense".
        inside += [child for child in children if child.path.startswith(f"{path}.")]
        if not inside or (way[-1].path.startswith(f"{path}.")):
            break
        way.append(inside[0])
    return way


def _before(whole: Part, shown: Part) -> list[Part]:
    """The tensors that come before those of a part."""
    leaves, first = whole.tensors(), shown.tensors()[0].path
    return leaves[: [leaf.path for leaf in leaves].index(first)]


def _label(part: Part) -> str:
    """What a learner calls it; a name we have no word for stays as it is."""
    known = text("widgets.parameter_microscope.parts")
    if not part.path:
        return known["whole"]
    first = part.name.split(".")[0]
    if first.isdigit():
        return text("widgets.parameter_microscope.layer", number=int(first) + 1)
    return known.get(first, part.name)


def _percent(count: int, whole: int) -> str:
    share = count / whole
    return percent(share, 1) if share >= 0.001 else text("widgets.parameter_microscope.little")


def _relative(box: Box) -> list[float]:
    """A box in per cent of the picture."""
    left, top, width, height = box
    return [100 * left / WIDTH, 100 * top / HEIGHT, 100 * width / WIDTH, 100 * height / HEIGHT]
