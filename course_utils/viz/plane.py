"""Vectors in the plane: arrows from the origin, and the convex hull of points."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patheffects import withStroke
from numpy.typing import ArrayLike

from course_utils.viz.given import literal, names, numbers
from course_utils.viz.parts import arrow, axes_for


def plot_arrows(
    vectors: ArrayLike, labels: Sequence[str], *, color: str, ax: Axes | None = None, linestyle: str = "-"
) -> Axes:
    """Draw vectors as arrows from the origin, with a label at each tip.

    Args:
        vectors: (N, 2).
        labels: N words.
        color: of arrows and labels.
        linestyle: "-" or "--", a second way besides colour to tell groups apart.

    Returns:
        The Axes, with the origin marked and equal units on both axes.
    """
    labels = names(labels)
    vectors = numbers(vectors, float, finite=True, shape=(len(labels), 2))
    ax = axes_for(ax, 5, 5)
    for (x, y), label in zip(vectors, labels, strict=True):
        arrow(ax, (0, 0), (x, y), color=color, lw=2.2, linestyle=linestyle, shrinkA=2)
        length = np.hypot(x + y, y - x) or 1.0
        aside = np.array([x + y, y - x]) / length  # 45° off the arrow: clear of longer ones
        label_beside(ax, label, (x, y), aside, color=color)
    reach = max(1.0, float(np.abs(vectors).max())) * 1.3
    low, high = ax.get_xlim() if ax.has_data() else (0.0, 0.0)
    reach = max(reach, abs(low), abs(high))
    ax.plot(0, 0, "o", color="black", markersize=4)
    ax.set(xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal")
    return ax


def plot_hull(points: ArrayLike, labels: Sequence[str], *, color: str, ax: Axes | None = None) -> Axes:
    """Draw points in the plane with the convex hull around them, all that mixtures of the points can reach.

    Args:
        points: (N, 2), N at least 1.
        labels: N words.
        color: of points, labels and hull.
    """
    labels = names(labels)
    points = numbers(points, float, finite=True, shape=(len(labels), 2))
    ax = axes_for(ax, 5, 5)
    look = {"facecolor": color, "alpha": 0.15, "edgecolor": color, "linestyle": "--", "linewidth": 1.5}
    ax.fill(*points[hull_order(points)].T, **look)
    ax.plot(*points.T, "s", color=color, markersize=9)
    centre = points.mean(axis=0)
    for point, label in zip(points, labels, strict=True):
        away = (point - centre) / (np.hypot(*(point - centre)) or 1.0)
        label_beside(ax, label, point, away, color=color)
    ax.set_aspect("equal")
    ax.margins(0.2)
    return ax


def label_beside(ax: Axes, label: str, point: ArrayLike, direction: ArrayLike, *, color: str) -> None:
    """Write a label next to a point, on the side of `direction` (a unit vector), with a white halo."""
    point, (x, y) = (numbers(pair, float, finite=True, shape=(2,)) for pair in (point, direction))
    ax.annotate(
        literal(label),
        point,
        xytext=(8 * x, 8 * y),
        textcoords="offset points",
        color=color,
        weight="bold",
        ha="left" if x > 0.3 else "right" if x < -0.3 else "center",
        va="bottom" if y > 0.3 else "top" if y < -0.3 else "center",
        path_effects=[withStroke(linewidth=4, foreground="white")],
    )


def hull_order(points: np.ndarray) -> list[int]:
    """Indices of the convex hull, counter-clockwise (gift wrapping: from each corner to the rightmost next one)."""
    start = int(np.lexsort((points[:, 1], points[:, 0]))[0])
    hull, current = [], start
    while True:
        hull.append(current)
        best = (current + 1) % len(points)
        for candidate in range(len(points)):
            to_best, to_candidate = points[best] - points[current], points[candidate] - points[current]
            turn = to_best[0] * to_candidate[1] - to_best[1] * to_candidate[0]
            if turn < 0 or (turn == 0 and np.hypot(*to_candidate) > np.hypot(*to_best)):
                best = candidate
        current = best
        if current == start or len(hull) > len(points):
            return hull
