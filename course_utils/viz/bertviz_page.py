"""One self-contained page around one of bertviz's scripts: no network, and nothing in it runs but those scripts.

bertviz asks a CDN for require.js, d3 and jQuery. Here its scripts are taken from the installed package, d3 from mpld3,
jQuery from XStatic-jQuery, and a stand-in of one line plays require.js. None of these packages is imported.
"""

from __future__ import annotations

import base64
import hashlib
import html
import importlib.util
import json
from functools import cache
from pathlib import Path
from typing import Any

from course_utils.locale import language
from course_utils.support.text_width import columns, visible

ROOT = "bertviz"  # the id under which bertviz's scripts look for their controls; each page has only one
D3 = ("mpld3", "js/d3.v5.min.js")
JQUERY = ("xstatic", "pkg/jquery/data/jquery.min.js")
DISTRIBUTIONS = {"bertviz": "bertviz", "mpld3": "mpld3", "xstatic": "XStatic-jQuery"}
START = (
    "window.bertviz_params = JSON.parse(document.getElementById('params').textContent);\n"
    "window.require = window.requirejs = (names, start) => start(window.jQuery, window.d3);\n"
    "window.require.config = () => {};"
)
POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; connect-src 'none'; img-src data:"
STYLE = """
  html { color-scheme: light; background: #fff; color: #111; font: 16px/1.5 "NanumGothic", sans-serif; }
  body { margin: 0; padding: 8px 8px 8px 24px; }
  p { margin: 0 0 8px; word-break: keep-all; }
  select { font: inherit; margin-right: 16px; }
  svg { overflow: visible; }
  #vis { min-width: %dpx; }
"""
MOST_MARKS = 64  # characters of a token that are drawn at most, however narrow they are


def page(
    script: str, params: dict[str, Any], *, title: str, note: str, controls: str, width: int, label: str
) -> str:
    """Build the HTML page that draws `params`; the same arguments give the same page.

    Args:
        script: one of bertviz's, e.g. "head_view.js".
        params: what the script draws; goes in as data, so that nothing in it can end or start a script.
        title: the page's; plain text.
        note: a line above the picture; plain text.
        controls: HTML of the controls that the script fills, see `select`.
        width: the picture's least width, in pixels.
        label: what a screen reader says about the picture; plain text.
    """
    view = packaged("bertviz", script).replace("PYTHON_PARAMS", "window.bertviz_params")
    scripts = [packaged(*D3), packaged(*JQUERY), START, view]
    style = STYLE % width
    # Only these scripts, known by their hashes, may run; nothing may be fetched, sent or framed.
    policy = f"{POLICY}; script-src {' '.join(map(fingerprint, scripts))}; style-src {fingerprint(style)}"
    data = json.dumps(params, allow_nan=False, separators=(",", ":"))
    for sign in "<>&":  # </script> or <!-- in a token would end the data; \u003c means the same to JSON
        data = data.replace(sign, f"\\u{ord(sign):04x}")
    title, note, label = (html.escape(words) for words in (title, note, label))
    return "\n".join(
        [
            f'<!DOCTYPE html>\n<html lang="{language()}">\n<head>\n<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
            f"<title>{title}</title>\n<style>{style}</style>\n</head>\n<body>\n<main id='{ROOT}'>",
            f"<p>{controls}</p>\n<p>{note}</p>\n<div id='vis' role='img' aria-label='{label}'></div>\n</main>",
            f'<script type="application/json" id="params">{data}</script>',
            *(f"<script>{source}</script>" for source in scripts),
            "</body>\n</html>\n",
        ]
    )


def select(name: str, label: str) -> str:
    """HTML of a labelled list of choices, which bertviz's script fills."""
    return f'<label for="{name}">{html.escape(label)}</label> <select id="{name}"></select>'


def shown(token: str, width: int) -> str:
    """A token as it is drawn: at most `width` columns wide (Hangul counts two), with an ellipsis where it was longer.

    A mark that has no shape of its own, or turns others around, is drawn as its number: NUL is ⟨0000⟩.
    """
    drawn = "".join(map(visible, token[: MOST_MARKS + 1]))
    if len(drawn) <= MOST_MARKS and columns(drawn) <= width:
        return drawn
    drawn = drawn[: MOST_MARKS - 1]
    while columns(drawn) > width - 1:  # one for the ellipsis
        drawn = drawn[:-1]
    return drawn + "…"


def fingerprint(source: str) -> str:
    """The sha256 of an inline script or style, as a Content-Security-Policy writes it."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()}'"


@cache
def packaged(package: str, inner: str) -> str:
    """The text of a file that an installed package carries; the package is looked up, never imported."""
    spec = importlib.util.find_spec(package)
    for folder in (spec and spec.submodule_search_locations) or []:
        file = Path(folder) / inner
        if file.is_file():
            return file.read_text("utf-8")  # line ends become \n, as in the browser's own reading
    distribution = DISTRIBUTIONS[package]
    raise RuntimeError(f"no {inner}: expected it in the package {distribution}; run `make lab` to install it")
