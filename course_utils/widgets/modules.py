"""A widget's view and what it imports, as the one module that anywidget hands to the browser.

A module that comes as text has no address, so `from "../common.js"` would lead nowhere in it. Here each imported file
becomes a constant: what it exports, out of a scope of its own. That asks nothing of a page's policy, needs no network,
and is the same text in JupyterLab and in a saved page. Understood are `import { a, b } from "./file.js"` at the start
of a line, and `export` in front of a const, function or class.
"""

from __future__ import annotations

import re
from pathlib import Path

IMPORT = re.compile(r'^import \{([^}]+)\} from "(\.[^"]+)";', re.M)
EXPORT = re.compile(r"^export (?=(?:const|function|class) (\w+))", re.M)


def linked(view: Path) -> str:
    """The module `view` with every file it imports, each once, in the order in which they are needed.

    Raises:
        ValueError: if a name is imported that the file does not export, or an import or export is of another kind.
    """
    scopes: list[str] = []
    exports: dict[Path, list[str]] = {}  # of the file whose scope has the same place in `scopes`

    def code_of(file: Path) -> str:
        code = IMPORT.sub(lambda found: bound(file, *found.groups()), file.read_text("utf-8"))
        if left := re.search(r"^import\b.*|^export (?!default|const|function|class).*", code, re.M):
            raise ValueError(f"{file.name}: cannot link {left[0]!r}")
        return code

    def bound(file: Path, names: str, address: str) -> str:
        other = (file.parent / address).resolve()
        if other not in exports:
            code = code_of(other)
            exports[other] = EXPORT.findall(code)
            body, given = EXPORT.sub("", code), ", ".join(exports[other])
            scopes.append(f"const $scope{len(scopes)} = (() => {{\n{body}return {{ {given} }};\n}})();\n\n")
        if missing := {name.strip() for name in names.split(",") if name.strip()} - set(exports[other]):
            raise ValueError(f"{file.name}: {address} exports no {', '.join(sorted(missing))}")
        return f"const {{{names}}} = $scope{list(exports).index(other)};"

    main = code_of(view)
    return "".join(scopes) + main
