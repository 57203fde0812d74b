"""dev/changed_tests.py: from what git says to the tests that are about it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from dev.changed_tests import changes, files

FILES = {
    "course_utils/__init__.py": "",
    "course_utils/masks.py": "",
    "course_utils/attention.py": "from course_utils.masks import causal_mask",
    "course_utils/shapes/__init__.py": "from course_utils.shapes.check import check",
    "course_utils/shapes/check.py": "",
    "course_utils/widgets/head_grid/view.js": "",
    "tests/__init__.py": "",
    "tests/conftest.py": "",
    "tests/helper.py": "from course_utils import masks",
    "tests/test_masks.py": "import course_utils.masks",
    "tests/test_attention.py": "def test():\n    from course_utils.attention import attend",
    "tests/test_shapes.py": "from course_utils.shapes import check",
    "tests/test_through.py": "from tests.helper import masks",
    "tests/test_widget_head_grid.py": "",
    "tests/browser/test_masks_seen.py": "import course_utils.masks",
    "tests/notebooks/test_rules.py": "",
    "notebooks/ko/00.ipynb": "{}",
}


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        monkeypatch.delenv(name, raising=False)
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    git(tmp_path, "init", "-q", "-b", "main")
    commit(tmp_path)
    return tmp_path


def git(folder: Path, *arguments: str) -> None:
    author = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *author, *arguments], cwd=folder, check=True)


def commit(folder: Path) -> None:
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "one")


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ("course_utils/masks.py", ["tests/test_masks.py", "tests/test_through.py"]),
        ("course_utils/attention.py", ["tests/test_attention.py"]),
        ("course_utils/shapes/check.py", ["tests/test_shapes.py"]),
        ("course_utils/widgets/head_grid/view.js", ["tests/test_widget_head_grid.py"]),
        ("tests/test_through.py", ["tests/test_through.py"]),
        ("tests/helper.py", ["tests/test_through.py"]),
        ("notebooks/ko/00.ipynb", ["tests/notebooks/test_rules.py"]),
        ("README.md", []),
    ],
)
def test_tests_that_import_it_or_bear_its_name(checkout: Path, changed: str, expected: list[str]):
    assert files(checkout) == []
    (checkout / changed).write_text("# changed\n" + FILES.get(changed, ""))
    assert files(checkout) == expected


def test_what_a_branch_committed_counts_until_it_is_in_main(checkout: Path):
    git(checkout, "checkout", "-q", "-b", "other")
    (checkout / "course_utils/masks.py").write_text("1")
    commit(checkout)
    (checkout / "새.txt").write_text("")
    assert changes(checkout) == ["course_utils/masks.py", "새.txt"]
    git(checkout, "checkout", "-q", "main")
    assert changes(checkout) == ["새.txt"]
    git(checkout, "merge", "-q", "other")
    assert changes(checkout) == ["새.txt"]
