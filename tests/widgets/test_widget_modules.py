"""Modules of a widget become one: each file once, before whoever needs it, with names of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from course_utils.widgets.modules import linked

SHARED = "const own = 1;\nexport const one = own;\nexport function two() {}\nexport class Three {}\n"
LEFT = 'import { one, two } from "../shared.js";\n\nconst own = 2;\nexport const left = one + own;\n'
VIEW = 'import { left } from "./left.js";\nimport {\n  one,\n  Three,\n} from "../shared.js";\n\nexport default left;\n'


def write(folder: Path, **more: str) -> Path:
    (folder / "some").mkdir()
    files = {"shared": SHARED, "some/left": LEFT, "some/view": VIEW} | {
        name.replace("_", "/"): code for name, code in more.items()
    }
    for name, code in files.items():
        (folder / f"{name}.js").write_text(code)
    return folder / "some" / "view.js"


def test_what_is_imported_stands_first_and_once(tmp_path: Path) -> None:
    assert linked(write(tmp_path)) == (
        "const $scope0 = (() => {\nconst own = 1;\nconst one = own;\nfunction two() {}\nclass Three {}\n"
        "return { one, two, Three };\n})();\n\n"
        "const $scope1 = (() => {\nconst { one, two } = $scope0;\n\nconst own = 2;\nconst left = one + own;\n"
        "return { left };\n})();\n\n"
        "const { left } = $scope1;\nconst {\n  one,\n  Three,\n} = $scope0;\n\nexport default left;\n"
    )


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({"shared": SHARED.replace("two", "too")}, r"left\.js: \.\./shared\.js exports no two"),
        ({"some_left": 'import shared from "../shared.js";\n'}, "cannot link 'import shared"),
        ({"some_left": 'import * as shared from "../shared.js";\n'}, "cannot link"),
        ({"some_left": 'import { one } from "react";\n'}, "cannot link"),
        ({"some_view": 'import "../shared.js";\n'}, "cannot link"),
        ({"shared": SHARED + "export let four = 4;\n"}, "shared.js: cannot link 'export let four"),
        ({"shared": "const one = 1;\nexport { one };\n"}, "cannot link"),
    ],
)
def test_what_it_does_not_understand_it_refuses(tmp_path: Path, files: dict[str, str], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        linked(write(tmp_path, **files))
