"""A widget as one self-contained HTML file: no kernel, no network, nothing loaded from anywhere.

The page holds the widget's own code and styles, its state as data, and a small stand-in for the kernel's model
(standalone.js). Its policy lets exactly these two, told by their hashes, run, whatever a token says.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
from pathlib import Path
from typing import Any

import anywidget

from course_utils.locale import language, text
from course_utils.support.files import write_atomically
from course_utils.widgets.base import FOLDER, CourseWidget
from course_utils.widgets.modules import EXPORT


def to_html(widget: CourseWidget) -> str:
    """The widget as it now is, as a page of its own. The same widget gives the same page, letter for letter.

    Args:
        widget: one that says in `kernel_inputs` which of its inputs only a kernel can answer; on the page these cannot
            be changed.

    Raises:
        TypeError: if the widget does not say so, because it needs the kernel all the time.
    """
    if not hasattr(widget, "kernel_inputs"):
        raise TypeError(text("widgets.standalone.kernel", title=widget.labels["title"]))
    style = _read("standalone.css") + widget._css
    script = _script(widget._esm)
    sources = f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}"
    policy = f"{sources}; base-uri 'none'; form-action 'none'"
    return "\n".join(
        [
            "<!DOCTYPE html>",
            f'<html lang="{language()}">',
            "<head>",
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{html.escape(widget.labels['title'])}</title>",
            f"<style>{style}</style>",
            "</head>",
            "<body>",
            f"<main><h1>{html.escape(widget.labels['title'])}</h1>",
            '<div id="widget"></div></main>',
            f"<noscript><p>{html.escape(text('widgets.standalone.no_script'))}</p></noscript>",
            f'<script type="application/json" id="state">{_as_data(_state(widget))}</script>',
            f'<script type="module">{script}</script>',
            "</body>",
            "</html>",
            "",
        ]
    )


def save_html(widget: CourseWidget, path: str | Path) -> Path:
    """Write to_html(widget) to a file, whole or not at all, and return its path.

    Raises:
        OSError: if it cannot be written, with one sentence; what was at `path` before is still there.
        TypeError: as to_html.
    """
    page = to_html(widget)
    try:
        return write_atomically(path, page)
    except OSError as problem:
        reason = problem.strerror or str(problem)
        raise type(problem)(text("widgets.standalone.write", path=path, problem=reason)) from problem


def _script(module: str) -> str:
    """The widget's module, which on this page nobody imports, and what shows it."""
    own = module.replace("export default courseWidget(", "const widget = courseWidget(")
    return f"{own}{EXPORT.sub('', _read('standalone.js'))}showAlone(widget);\n"


def _state(widget: CourseWidget) -> dict[str, Any]:
    """What the widget's view may ask its model for: the course's own traits, bytes as {"base64": …}."""
    names = set(widget.trait_names(sync=True)) - set(anywidget.AnyWidget.class_trait_names())
    names -= {"_esm", "_css", "_anywidget_id"}  # anywidget's, added to each class
    values = {name: getattr(widget, name) for name in names} | {"error": "", "_alone": True}
    return {
        name: {"base64": base64.b64encode(value).decode("ascii")} if isinstance(value, bytes) else value
        for name, value in values.items()
    }


def _as_data(state: dict[str, Any]) -> str:
    """JSON that no HTML parser takes for markup: plain ASCII without <, > and &."""
    data = json.dumps(state, sort_keys=True, allow_nan=False, separators=(",", ":"))
    return data.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _hash(source: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(source.encode('utf-8')).digest()).decode('ascii')}'"


def _read(name: str) -> str:
    return (FOLDER / name).read_text("utf-8")
