"""bertviz's head, model and neuron view (Vig 2019), drawn without a network, from arrays and a list of tokens.

Each view is a widget that shows one page in a sandboxed frame: the saved notebook holds a line of text and no page.
bertviz's pictures answer to the mouse only (its lists of choices also to the keyboard) and are no table for a screen
reader: course_utils.widgets.AttentionExplorer is the accessible viewer. Layers and heads count from 0, as in
weights[layer, head]. Letters: T tokens, D head size, H heads, L layers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import anywidget
import numpy as np
import traitlets
from numpy.typing import ArrayLike

from course_utils.locale import text
from course_utils.viz.bertviz_data import check_lines, check_weights, drawn_part, one_of, some_of
from course_utils.viz.bertviz_page import ROOT, page, select, shown
from course_utils.viz.given import numbers

COLUMNS = {"head_view": 14, "model_view": 12, "neuron_view": 14}  # of a token, in bertviz's boxes
WIDTHS = {"head_view": 340, "model_view": 975, "neuron_view": 1010}  # of the picture, in pixels
AROUND = 110  # height of the page around the picture, in pixels
THUMBNAILS = 8  # bertviz makes room for as many heads as there are: with fewer than this, tiles grow huge


class BertvizView(anywidget.AnyWidget):
    """One of bertviz's pages, shown in a frame that may run the page's own scripts and nothing else.

    Attributes:
        page: the whole page (HTML); Path(...).write_text(view.page, "utf-8") makes a file that works offline.
        title: what the frame is called.
        height: of the frame, in pixels.
    """

    _esm = """
export default {
  render({ model, el }) {
    const frame = document.createElement("iframe");
    frame.setAttribute("sandbox", "allow-scripts");
    frame.title = model.get("title");
    frame.dataset.testid = "bertviz";
    Object.assign(frame.style, {
      width: "100%", height: `${model.get("height")}px`, border: "1px solid #6B7280", background: "#fff",
      colorScheme: "light",
    });
    frame.srcdoc = model.get("page");
    el.replaceChildren(frame);
  },
};
"""
    page = traitlets.Unicode(read_only=True).tag(sync=True)
    title = traitlets.Unicode(read_only=True).tag(sync=True)
    height = traitlets.Int(read_only=True).tag(sync=True)

    def __init__(self, *, page: str, title: str, height: int, digest: str) -> None:
        self.set_trait("page", page)
        self.set_trait("title", title)
        self.set_trait("height", height)
        self._digest = digest
        super().__init__()

    def digest(self) -> str:
        """One line that says in words what is shown."""
        return self._digest

    def __repr__(self) -> str:
        return text("bertviz.repr", title=self.title)


def head_view(
    weights: ArrayLike,
    tokens: Sequence[str],
    *,
    layer: int = 0,
    heads: Sequence[int] | None = None,
) -> BertvizView:
    """Show one layer: tokens left and right, a line for each pair and head, as strong as the weight.

    Args:
        weights: float (L, H, T, T), rows = queries, each row sums to 1; an array or a tensor.
        tokens: T of them.
        layer: shown first.
        heads: switched on at first; all by default.

    Raises:
        ValueError: if the arguments do not fit each other, or there is more than a browser draws fluently.
        RuntimeError: if bertviz, mpld3 or XStatic-jQuery is not installed.
    """
    weights, tokens = check_weights(weights, tokens)
    layers, all_heads, count, _ = weights.shape
    check_lines(all_heads, count)
    layer = one_of("layer", layer, layers)
    heads = some_of("heads", heads, all_heads)
    params = {"layer": layer, "heads": heads, "include_layers": list(range(layers))}
    facts = {"layer": layer, "heads": _listed(heads)}
    controls = [select("layer", text("bertviz.layer"))]
    return _view("head_view", weights, tokens, params, facts, controls, round(22.5 * count) + 30)


def model_view(
    weights: ArrayLike,
    tokens: Sequence[str],
    *,
    layers: Sequence[int] | None = None,
    heads: Sequence[int] | None = None,
) -> BertvizView:
    """Show all layers × heads as small pictures; one grows large when it is clicked.

    Args:
        weights, tokens: as in head_view.
        layers, heads: which to show; all by default.
    """
    weights, tokens = check_weights(weights, tokens)
    layers = some_of("layers", layers, weights.shape[0])
    heads = some_of("heads", heads, weights.shape[1])
    count = len(tokens)
    check_lines(len(layers) * len(heads), count)
    room = max(len(heads), THUMBNAILS)
    params = {"display_mode": "light", "include_layers": layers, "include_heads": heads, "total_heads": room}
    facts = {"layers": _listed(layers), "heads": _listed(heads)}
    height = max(round(len(layers) * (count * 84 / room + 10)) + 38, 18 * count + 55)
    return _view("model_view", weights[np.ix_(layers, heads)], tokens, params, facts, [], height)


def neuron_view(
    queries: ArrayLike,
    keys: ArrayLike,
    weights: ArrayLike,
    tokens: Sequence[str],
    *,
    layer: int = 0,
    head: int = 0,
) -> BertvizView:
    """Show one head: its weights and, unfolded, how each score comes of query × key, coordinate by coordinate.

    Args:
        queries, keys: float (L, H, T, D), before the division by √D.
        weights, tokens: as in head_view.
        layer, head: shown first.
    """
    weights, tokens = check_weights(weights, tokens)
    queries = numbers(queries, float, finite=True, shape=(*weights.shape[:3], None))
    keys = numbers(keys, float, finite=True, shape=queries.shape)
    layer = one_of("layer", layer, weights.shape[0])
    head = one_of("head", head, weights.shape[1])
    params = {"bidirectional": True, "display_mode": "light", "layer": layer, "head": head}
    facts = {"layer": layer, "head": head, "size": queries.shape[3]}
    controls = [select("layer", text("bertviz.layer")), select("att_head", text("bertviz.head"))]
    vectors = {"queries": queries, "keys": keys}
    height = 26 * len(tokens) + 100
    return _view("neuron_view", weights, tokens, params, facts, controls, height, **vectors)


def _view(
    name: str,
    weights: np.ndarray,
    tokens: list[str],
    params: dict[str, Any],
    facts: dict[str, Any],
    controls: list[str],
    height: int,
    **vectors: np.ndarray,
) -> BertvizView:
    """Put params, words and page together; `vectors` are queries and keys of the neuron view."""
    tokens_shown = [shown(token, COLUMNS[name]) for token in tokens]
    part = drawn_part(weights, tokens_shown, vectors)
    # Of one text there is one part; the neuron view knows it by name, the others by number.
    if vectors:
        params |= {"attention": {"all": part}, "default_filter": "all"}
    else:
        params |= {"attention": [part], "default_filter": "0"}
    params["root_div_id"] = ROOT
    title = text(f"bertviz.{name}.title")
    layers, heads = weights.shape[:2]
    digest = text("bertviz.counts", title=title, layers=layers, heads=heads, tokens=len(tokens))
    digest += text(f"bertviz.{name}.begins", **facts)
    words = {
        "title": title,
        "note": text(f"bertviz.{name}.note"),
        "label": text("bertviz.label", digest=digest),
    }
    html = page(f"{name}.js", params, controls="\n".join(controls), width=WIDTHS[name], **words)
    return BertvizView(page=html, title=title, height=height + AROUND, digest=digest)


def _listed(places: Sequence[int]) -> str:
    """[0, 1, 2, 5] -> "0, 1, 2, 5"; [0, …, 11] -> "0–11"."""
    if len(places) > 2 and list(places) == list(range(places[0], places[-1] + 1)):
        return f"{places[0]}–{places[-1]}"
    return ", ".join(map(str, places))
