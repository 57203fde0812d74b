"""The tree of a beam search: what was kept at each step, what was dropped, and where the best translation ran."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from numpy.typing import ArrayLike

from course_utils.locale import text
from course_utils.viz.given import literal, names, numbers
from course_utils.viz.parts import axes_for, write
from course_utils.viz.theme import INK, MUTED, QUERY, VALUE

# state -> look of its line and frame; told apart by dash and width as well as by colour
LOOKS = {
    "kept": {"color": QUERY, "linestyle": "-", "linewidth": 1.6},
    "dropped": {"color": MUTED, "linestyle": (0, (2, 2)), "linewidth": 1.0},
    "finished": {"color": VALUE, "linestyle": "-", "linewidth": 3.2},
}
BEST = {"color": INK, "linestyle": "-", "linewidth": 4.0}


def plot_beam_tree(
    tokens: Sequence[str],
    parents: ArrayLike,
    log_probabilities: ArrayLike,
    states: Sequence[str],
    *,
    best: int | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw N nodes: columns are the steps, rows the ranks within a step, the likeliest on top and dropped ones last.

    Args:
        tokens: N, what each node says.
        parents: int (N,), the node that each follows, −1 for the beginning; a parent stands before its children.
        log_probabilities: (N,), the sum of the logarithms from the beginning up to the node.
        states: N of "kept", "dropped" and "finished".
        best: the node where the best translation ends, whose path is drawn bold; None for none.

    Returns:
        The Axes, with a legend of what occurs.
    """
    tokens, states = names(tokens), names(states)
    parents = numbers(parents, shape=(len(tokens),))
    scores = numbers(log_probabilities, float, finite=True, shape=(len(tokens),))
    steps, ranks = places(parents, scores, states)
    path = [] if best is None else path_to(parents, best)
    ax = axes_for(ax, max(7.0, 1.6 + 0.95 * max(steps)), 1.7 + 0.62 * max(ranks))
    plate = {"boxstyle": "round,pad=0.25", "facecolor": "white", "edgecolor": "none"}
    write(ax, 0, 1, text("figures.beam_tree.start"), color=INK, zorder=2, bbox=plate)
    for node, parent in enumerate(parents.tolist()):
        begin = (0, 1) if parent < 0 else (steps[parent], ranks[parent])
        line = BEST if node in path else LOOKS["kept"] if states[node] == "finished" else LOOKS[states[node]]
        (drawn,) = ax.plot([begin[0], steps[node]], [begin[1], ranks[node]], **line, zorder=1)
        drawn.set_gid(f"edge-{node}")
        words = f"{literal(tokens[node])}\n{round(scores[node], 2) + 0.0:.2f}"
        look = {"weight": "bold" if node in path else "normal", "zorder": 2 + (node in path), "fontsize": 10}
        look |= {"color": MUTED if states[node] == "dropped" else INK, "bbox": _frame(states[node])}
        write(ax, steps[node], ranks[node], words, **look)
    _finish(ax, steps, ranks, states, bool(path))
    return ax


def places(
    parents: ArrayLike, log_probabilities: ArrayLike, states: Sequence[str]
) -> tuple[list[int], list[int]]:
    """Step and rank of each node, both counted from 1.

    Args:
        parents, log_probabilities, states: of N nodes, as plot_beam_tree has them.

    Returns:
        N steps and N ranks: within a step the likeliest first, dropped ones behind all others.
    """
    steps: list[int] = []
    for node, parent in enumerate(np.asarray(parents).tolist()):
        if not -1 <= parent < node:
            raise ValueError(f"the parent of node {node} must be a node before it or −1, got {parent}")
        steps.append(1 if parent < 0 else steps[parent] + 1)
    ranks, used = [0] * len(steps), [0] * (len(steps) + 2)
    values = np.asarray(log_probabilities).tolist()
    for node in sorted(range(len(steps)), key=lambda node: (states[node] == "dropped", -values[node])):
        used[steps[node]] += 1
        ranks[node] = used[steps[node]]
    return steps, ranks


def path_to(parents: ArrayLike, node: int) -> list[int]:
    """The nodes from the first step to this one."""
    parents, path = np.asarray(parents).tolist(), []
    while node >= 0:
        path.append(node)
        node = parents[node]
    return path[::-1]


def _frame(state: str) -> dict:
    look = LOOKS[state]
    edge = {"edgecolor": look["color"], "linestyle": look["linestyle"], "linewidth": look["linewidth"]}
    return {"boxstyle": "round,pad=0.25", "facecolor": "white", **edge}


def _finish(ax: Axes, steps: list[int], ranks: list[int], states: list[str], has_best: bool) -> None:
    """Axes, and a legend of what occurs."""
    ax.set(xlim=(-0.5, max(steps) + 0.6), ylim=(max(ranks) + 0.6, 0.4))
    ax.set_xticks(range(1, max(steps) + 1))
    ax.set_yticks(range(1, max(ranks) + 1))
    ax.set_xlabel(text("figures.beam_tree.step"))
    ax.set_ylabel(text("figures.beam_tree.rank"))
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    looks = {"best": BEST} if has_best else {}
    looks |= {state: look for state, look in LOOKS.items() if state in states}
    handles = [
        Line2D([], [], label=text(f"figures.beam_tree.{name}"), **look) for name, look in looks.items()
    ]
    ax.legend(
        handles=handles, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=len(handles), handlelength=2.6
    )
