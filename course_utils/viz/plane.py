"""Vectors in the plane: arrows from the origin, and the convex hull of points."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.patheffects import withStroke
from numpy.typing import ArrayLike

from course_utils.viz.given import literal, names, numbers


def plot_arrows(
    vectors: ArrayLike, labels: Sequence[str], *, color: str, ax: Axes | None = None, linestyle: str = "-"
) -> Axes:
    """Draw vectors as arrows from the origin, with a label at each tip.

    Args:
        vectors: (N, 2).
        labels: N words.
        color: of arrows and labels.
        ax: where to draw; a new square figure by default.
        linestyle: "-" or "--", a second way besides colour to tell groups apart.

    Returns:
        The Axes, with the origin marked and equal units on both axes.
    """
    vectors, labels = numbers(vectors, float, finite=True), names(labels)
    if vectors.shape != (len(labels), 2) or not labels:
        raise ValueError(
            f"expected vectors of shape (N, 2) with N = {len(labels)} labels, got {vectors.shape}"
        )
    if ax is None:
        _, ax = plt.subplots(figsize=(5, 5))
    for (x, y), label in zip(vectors, labels, strict=True):
        ax.annotate(
            "",
            (x, y),
            (0, 0),
            arrowprops=dict(arrowstyle="-|>", color=color, lw=2.2, linestyle=linestyle, shrinkB=0),
        )
        aside = np.array([x + y, y - x]) / (
            np.hypot(x + y, y - x) or 1.0
        )  # 45° off the arrow: clear of longer ones
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
        ax: where to draw; a new square figure by default.

    Returns:
        The Axes.
    """
    points, labels = numbers(points, float, finite=True), names(labels)
    if points.shape != (len(labels), 2) or not len(points):
        raise ValueError(f"expected points of shape (N, 2) with N = {len(labels)} labels, got {points.shape}")
    if ax is None:
        _, ax = plt.subplots(figsize=(5, 5))
    ax.fill(
        *points[hull_order(points)].T,
        facecolor=color,
        alpha=0.15,
        edgecolor=color,
        linestyle="--",
        linewidth=1.5,
    )
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
    point, (x, y) = _pair("point", point), _pair("direction", direction)
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


def _pair(what: str, values: ArrayLike) -> tuple[float, float]:
    """x and y."""
    pair = numbers(values, float, finite=True)
    if pair.shape != (2,):
        raise ValueError(f"{what} must be two numbers, x and y, got shape {pair.shape}")
    return float(pair[0]), float(pair[1])


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
