"""Who may import whom in course_utils, read from the import statements: each floor stands on those above it here."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from fnmatch import fnmatchcase
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "course_utils"

# A room imports itself and what stands in a row above its own. So training gets its model as an argument, and viz takes
# arrays and lists of tokens.
FLOORS = [
    "support",
    "locale schedules",
    "course doctor checks viz tokenization progress",
    "datasets",
    "widgets training",
    "config shapes",
    "masks activations positional layer_norm initialization",
    "attention",
    "embeddings encoder",
    "bert",
    "heads",
    "pretrained",
    "seq2seq before after",
    "tasks contextual",
    "interpretation",
    "exercises",
]
FLOOR = {room: number for number, row in enumerate(FLOORS) for room in row.split()} | {"": -1}
TEXTBOOK = range(FLOOR["config"], FLOOR["heads"])  # of the rooms above it, it knows support alone
ON_TOP = {"widgets": {"exercises"}, "exercises": set()}  # who imports them
OUTSIDE = {"scripts", "experiments", "lessons", "site", "deploy", "dev", "tests", "benchmarks"}
BARE = {"", "config", "support", "locale", "course", "tokenization"}  # the standard library, and:
BESIDE = {
    "support.paths": {"platformdirs"},
    "support.folders": {"filelock"},
    "tokenization.fast": {"tokenizers"},
}
# What puts faster parts into a model, what makes the model that settings describe, what gives a widget its model.
FASTER = ("training.fast", "training.unpadded")
OVER_ALL = (*FASTER, "training.settings", "widgets.*.example")


def files(package: Path) -> dict[str, Path]:
    """Dotted name inside the package -> path; "" is its __init__.py."""
    return {
        ".".join(path.relative_to(package).with_suffix("").parts).removesuffix("__init__").rstrip("."): path
        for path in sorted(package.rglob("*.py"))
    }


def imports(path: Path, package: Path, *, inside_functions: bool = True) -> set[str]:
    """Dotted names that a file imports; relative ones are made absolute."""
    here = [package.name, *path.relative_to(package).parent.parts]
    found, nodes = set(), [ast.parse(path.read_text(encoding="utf-8"))]
    while nodes:
        node = nodes.pop()
        if inside_functions or not isinstance(node, ast.FunctionDef):
            nodes += ast.iter_child_nodes(node)
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = here[: len(here) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            found |= {f"{module}.{alias.name}" for alias in node.names}
    return found


def is_one_of(file: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(file, pattern) for pattern in patterns)


def trespasses(package: Path = PACKAGE) -> Iterator[str]:
    """Every import that the floors forbid."""
    for file, path in files(package).items():
        room = file.partition(".")[0]
        if room not in FLOOR:
            yield f"{room} has no place in tests/house/test_layers.py"
            continue
        for name in sorted(imports(path, package)):
            top, _, target = name.partition(".")
            other = target.partition(".")[0]
            if top == package.name:
                above = FLOOR[other] >= FLOOR[room] and not is_one_of(file, OVER_ALL)
                bad = other != room and (above or room not in ON_TOP.get(other, {room}))
                bad |= FLOOR[room] in TEXTBOOK and FLOOR[other] not in TEXTBOOK and other != "support"
                bad |= target.startswith(FASTER) and not is_one_of(file, OVER_ALL)
            elif room in BARE:
                bad = top not in sys.stdlib_module_names | BESIDE.get(file, set())
            else:
                bad = top in OUTSIDE or (room == "doctor" and top in {"torch", "transformers"})
            if bad:
                yield f"{file} imports {name}"


def circle(package: Path = PACKAGE) -> list[str]:
    """Files that import each other when they are loaded, in a ring; [] where there is none."""
    there = files(package)
    needs = {}
    for file, path in there.items():
        names = {
            name.removeprefix(f"{package.name}.") for name in imports(path, package, inside_functions=False)
        }
        # `from room import name` loads the file of that name, or else the room's __init__.
        loaded = {name if name in there else name.rpartition(".")[0] for name in names}
        needs[file] = loaded & set(there) - {""}
    try:
        TopologicalSorter(needs).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_nobody_imports_what_stands_above():
    assert list(trespasses()) == []


def test_no_import_goes_in_a_circle():
    assert circle() == []


def written(package: Path, sources: dict[str, str]) -> Path:
    for file, source in sources.items():
        (package / file).parent.mkdir(parents=True, exist_ok=True)
        (package / file).write_text(source)
    return package


RING = {"a.py": "from course_utils.b import x", "b.py": "import course_utils.c", "c.py": "from . import a"}
ROOM = {"room/__init__.py": "from .a import x", "room/a.py": "from course_utils.room import x"}
IN_A_CLASS = {"a.py": "class A:\n    from .b import x", "b.py": "try:\n    from .a import A\nexcept: ..."}
IN_A_FUNCTION = {"a.py": "from .b import x", "b.py": "def f():\n    from .a import x"}
PARTS = {
    "room/__init__.py": "from .a import x",
    "room/a.py": "from course_utils.room import b",
    "room/b.py": "",
}


@pytest.mark.parametrize(
    ("sources", "ring"),
    [(RING, "a b c"), (ROOM, "room room.a"), (IN_A_CLASS, "a b"), (IN_A_FUNCTION, ""), (PARTS, "")],
)
def test_a_circle_is_seen(tmp_path: Path, sources: dict[str, str], ring: str):
    assert set(circle(written(tmp_path / "course_utils", sources))) == set(ring.split())


@pytest.mark.parametrize(
    ("file", "statement", "seen"),
    [
        ("masks.py", "from course_utils.attention import MultiHeadAttention", 1),
        ("masks.py", "from . import activations", 1),
        ("attention.py", "def f():\n    from course_utils import viz", 1),
        ("encoder.py", "import course_utils.exercises", 1),
        ("viz/heat.py", "from ..masks import causal_mask", 1),
        ("widgets/grid/widget.py", "from course_utils.attention import MultiHeadAttention", 1),
        ("interpretation/core.py", "from course_utils.widgets import base", 1),
        ("training/loop.py", "from course_utils.bert import BertModel", 1),
        ("after/electra.py", "from course_utils.training.unpadded import skip_padding", 1),
        ("tokenization/vocab.py", "from course_utils.config import BertConfig", 1),
        ("tokenization/bpe.py", "import torch.nn as nn", 1),
        ("tokenization/fast.py", "from transformers import BertTokenizerFast", 1),
        ("support/files.py", "import platformdirs", 1),
        ("doctor.py", "def f():\n    import torch", 1),
        ("datasets/corpus.py", "from dev import mutants", 1),
        ("__init__.py", "from . import config", 1),
        ("news.py", "", 1),
        ("attention.py", "import torch\nfrom course_utils.masks import causal_mask", 0),
        ("encoder.py", "from course_utils.support.given import whole_number", 0),
        ("exercises/core.py", "from ..attention import MultiHeadAttention\nfrom ..widgets import Guess", 0),
        ("widgets/grid/widget.py", "from course_utils.viz.theme import QUERY\nfrom ..base import W", 0),
        ("widgets/grid/example.py", "from course_utils.attention import MultiHeadAttention", 0),
        ("training/fast.py", "from course_utils.attention import MultiHeadAttention", 0),
        ("tokenization/fast.py", "from tokenizers import Tokenizer\nfrom .vocab import load_vocab", 0),
        ("support/paths.py", "from platformdirs import user_data_dir", 0),
    ],
)
def test_trespass_is_seen_and_nothing_else(tmp_path: Path, file: str, statement: str, seen: int):
    assert len(list(trespasses(written(tmp_path / "course_utils", {file: statement})))) == seen
