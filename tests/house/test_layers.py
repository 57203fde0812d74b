"""Who may import whom in course_utils, read from the import statements."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "course_utils"

# The model chain: each may import only what stands in a row above it.
CHAIN = [
    "config shapes",
    "masks activations positional layer_norm initialization",
    "attention",
    "embeddings encoder",
    "bert",
    "heads",
]
TEXTBOOK = set(" ".join(CHAIN[:-1]).split())
MODEL = TEXTBOOK | {"heads", "pretrained"}
# Everything of the course's own that another room may import, itself and support aside; a dotted name is one file of a
# room. No row has widgets or exercises: nothing imports them.
ROOMS = {
    "": set(),  # course_utils/__init__.py
    "support": set(),
    "locale": set(),
    "course": {"locale"},
    "doctor": {"locale"},
    "checks": {"locale"},
    "viz": {"locale"},
    "widgets": {"viz", "locale"},
    "exercises": MODEL | {"tokenization", "checks", "locale", "course"},
    "tokenization": set(),
    "datasets": {"tokenization"},
    "training": {"datasets", "tokenization"},
    "pretrained": TEXTBOOK | {"heads", "tokenization"},
    "seq2seq": TEXTBOOK | {"tokenization", "datasets", "training.optim"},
    "before": TEXTBOOK | {"tokenization", "datasets", "training.optim"},
    "after": TEXTBOOK | {"tokenization", "datasets", "training.optim"},
    # A task is trained by the same loop as everything else.
    "tasks": MODEL | {"tokenization", "datasets", "training.optim", "training.loop", "training.device"},
    # Example sentences and their senses come from the corpus; static vectors are what BERT's are measured against.
    "contextual": MODEL | {"tokenization", "datasets", "before"},
    "interpretation": MODEL | {"tokenization", "datasets", "contextual"},
}
EVERYTHING = MODEL | {"tokenization", "datasets", "training", "contextual", "before", "viz", "locale"}
# How the runs of commands start, and what a tuned model is asked, puts model, data and loop together.
THEIRS = {"training.run", "training.start", "training.sense_examples", "tasks.trainings"}
MORE = {
    # They put faster parts in place of the textbook's.
    **dict.fromkeys(("training.fast", "training.unpadded"), TEXTBOOK | {"heads"}),
    "after.multitask": {"heads"},
    # These change what is pre-trained, and so stand on the heads of pre-training and their losses.
    **{
        f"after.{file}": {"heads"}
        for file in ("factorized", "albert", "electra", "electra_parts", "spanbert")
    },
    "widgets.*.example": EVERYTHING,  # gives a widget its model, for the tests, as a notebook does
    "widgets.mask_roller.widget": {"datasets.pretraining"},  # the shares that it says should come out
    **dict.fromkeys(THEIRS, EVERYTHING),
}
FENCED = {  # of the course's own, only these may import them
    "training.fast": THEIRS | {"training.unpadded"},
    "training.unpadded": THEIRS,
}
BARE = {"", "config", "support", "locale", "course", "tokenization"}  # the standard library, but for:
BESIDE = {
    "support.paths": {"platformdirs"},
    "support.folders": {"filelock"},
    "tokenization.fast": {"tokenizers"},
}
NO_TORCH = {"doctor"}


def allowed(file: str) -> set[str]:
    """What a file, given by its dotted name, may import of the course's own."""
    room = file.partition(".")[0]
    above: set[str] = set()
    for row in CHAIN:
        if room in row.split():
            return above | {room, "support.given"}  # what checks a size or a rate
        above |= set(row.split())
    more = (parts for name, parts in MORE.items() if fnmatchcase(file, name))
    return ROOMS[room].union({room, "support"}, *more)


parsed = cache(ast.parse)  # each file of the package is read for two tests


def imports(path: Path, package: Path, *, inside_functions: bool = True) -> set[str]:
    """Dotted names that a file imports; relative ones are made absolute."""
    here = [package.name, *path.relative_to(package).parent.parts]
    found, nodes = set(), [parsed(path.read_text(encoding="utf-8"))]
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


def files(package: Path) -> dict[str, Path]:
    """Dotted name inside the package -> path; "" is its __init__.py."""
    return {
        ".".join(path.relative_to(package).with_suffix("").parts).removesuffix("__init__").rstrip("."): path
        for path in sorted(package.rglob("*.py"))
    }


def stands_for(name: str, listed: set[str]) -> bool:
    """Whether a dotted name, or what it lies in, is listed."""
    return any(name == one or name.startswith(f"{one}.") for one in listed)


def trespasses(package: Path = PACKAGE) -> Iterator[str]:
    """Every import that the rooms forbid."""
    for file, path in files(package).items():
        room = file.partition(".")[0]
        if room not in MODEL | set(ROOMS):
            yield f"{room} has no place in tests/house/test_layers.py"
            continue
        for name in sorted(imports(path, package)):
            top, _, target = name.partition(".")
            if top == package.name:
                bad = not stands_for(target, allowed(file))
                fenced = [one for one in FENCED if stands_for(target, {one})]
                bad |= any(file not in FENCED[one] for one in fenced)
            elif room in BARE:
                bad = top not in sys.stdlib_module_names | BESIDE.get(file, set())
            else:
                bad = top in {
                    "scripts",
                    "experiments",
                    "lessons",
                    "site",
                    "deploy",
                    "dev",
                    "tests",
                    "benchmarks",
                }
                bad |= room in NO_TORCH and top in {"torch", "transformers"}
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
        needs[file] = {name if name in there else name.rpartition(".")[0] for name in names} & set(there) - {
            ""
        }
    try:
        TopologicalSorter(needs).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_nobody_imports_what_is_not_theirs():
    assert list(trespasses()) == []


def test_no_import_goes_in_a_circle():
    assert circle() == []


def written(package: Path, sources: dict[str, str]) -> Path:
    for file, source in sources.items():
        (package / file).parent.mkdir(parents=True, exist_ok=True)
        (package / file).write_text(source)
    return package


@pytest.mark.parametrize(
    ("sources", "ring"),
    [
        (
            {
                "a.py": "from course_utils.b import x",
                "b.py": "import course_utils.c",
                "c.py": "from . import a",
            },
            {"a", "b", "c"},
        ),
        (
            {"room/__init__.py": "from .a import x", "room/a.py": "from course_utils.room import x"},
            {"room", "room.a"},
        ),
        (
            {"a.py": "class A:\n    from .b import x", "b.py": "try:\n    from .a import A\nexcept: ..."},
            {"a", "b"},
        ),
        ({"a.py": "from .b import x", "b.py": "def f():\n    from .a import x"}, set()),
        (
            {
                "room/__init__.py": "from .a import x",
                "room/a.py": "from course_utils.room import b",
                "room/b.py": "",
            },
            set(),
        ),
    ],
)
def test_a_circle_is_seen(tmp_path: Path, sources: dict[str, str], ring: set[str]):
    assert set(circle(written(tmp_path / "course_utils", sources))) == ring


@pytest.mark.parametrize(
    ("file", "statement"),
    [
        ("masks.py", "from course_utils.attention import MultiHeadAttention"),
        ("masks.py", "from .attention import MultiHeadAttention"),
        ("masks.py", "from . import activations"),
        ("layer_norm.py", "import course_utils.encoder"),
        ("attention.py", "def f():\n    from course_utils import viz"),
        ("encoder.py", "import course_utils.exercises"),
        ("viz/heat.py", "from course_utils.attention import scaled_dot_product_attention"),
        ("viz/heat.py", "from ..masks import causal_mask"),
        ("widgets/grid/widget.py", "from course_utils.attention import MultiHeadAttention"),
        ("widgets/example.py", "from course_utils.attention import MultiHeadAttention"),
        ("checks.py", "from course_utils.encoder import Encoder"),
        ("exercises/core.py", "from course_utils.widgets import base"),
        ("config.py", "import torch"),
        ("config.py", "import numpy"),
        ("support/network.py", "import requests"),
        ("support/files.py", "import platformdirs"),
        ("support/files.py", "from course_utils.locale import text"),
        ("masks.py", "from course_utils.support import files"),
        ("locale/__init__.py", "import toml"),
        ("datasets/corpus.py", "from dev import mutants"),
        ("training/loop.py", "from course_utils.training.fast import speed_up"),
        ("training/loop.py", "from . import fast"),
        ("seq2seq/decoder.py", "from course_utils.heads import MLMHead"),
        ("seq2seq/decoder.py", "from course_utils.training import loop"),
        ("after/electra.py", "from course_utils.training.fast import speed_up"),
        ("training/loop.py", "from course_utils.training.unpadded import skip_padding"),
        ("after/roberta.py", "from course_utils.heads import MLMHead"),
        ("tasks/metrics.py", "from course_utils.after import electra"),
        ("tasks/metrics.py", "from course_utils.viz import theme"),
        ("training/checkpoint.py", "from course_utils.widgets import base"),
        ("__init__.py", "import numpy"),
        ("__init__.py", "from . import config"),
        ("embeddings.py", "from course_utils.encoder import Encoder"),
        ("embeddings.py", "from course_utils.bert import BertModel"),
        ("bert.py", "from course_utils.heads import MLMHead"),
        ("heads.py", "from course_utils.pretrained import load_pretrained"),
        ("heads.py", "from course_utils.tokenization import WordPieceTokenizer"),
        ("tokenization/bpe.py", "import torch.nn as nn"),
        ("tokenization/bpe.py", "import regex"),
        ("tokenization/vocab.py", "from course_utils.config import BertConfig"),
        ("tokenization/fast.py", "from transformers import BertTokenizerFast"),
        ("pretrained/folder.py", "from course_utils.checks import check_same"),
        ("training/loop.py", "from course_utils.bert import BertModel"),
        ("contextual/senses.py", "from course_utils.training import loop"),
        ("contextual/senses.py", "from course_utils.interpretation import heads_off"),
        ("interpretation/maps.py", "from course_utils.viz import plot_attention"),
        ("before/word2vec.py", "from course_utils.contextual import nearest_sense"),
        ("datasets/corpus.py", "from course_utils.contextual.words import occurrences"),
        ("news.py", ""),
    ],
)
def test_trespass_is_seen(tmp_path: Path, file: str, statement: str):
    assert len(list(trespasses(written(tmp_path / "course_utils", {file: statement})))) == 1


@pytest.mark.parametrize(
    ("file", "statement"),
    [
        ("attention.py", "import torch\nfrom course_utils.masks import causal_mask"),
        ("encoder.py", "from .attention import MultiHeadAttention\nfrom .layer_norm import layer_norm"),
        (
            "exercises/core.py",
            "from ..attention import MultiHeadAttention\nfrom .calling import call",
        ),
        (
            "widgets/grid/widget.py",
            "from course_utils.viz.theme import QUERY\nfrom course_utils.widgets.base import W",
        ),
        ("checks.py", "import torch\nfrom course_utils.locale import text"),
        ("bert.py", "from course_utils.embeddings import BertEmbeddings\nfrom .encoder import Encoder"),
        ("heads.py", "from course_utils.bert import BertModel"),
        (
            "pretrained/folder.py",
            "from course_utils import heads\nfrom course_utils.tokenization import vocab",
        ),
        (
            "pretrained/hub.py",
            "from course_utils.support import network\nfrom course_utils.pretrained.errors import MissingFile",
        ),
        ("datasets/download.py", "import filelock\nfrom course_utils.support.network import within"),
        ("tokenization/fast.py", "from tokenizers import Tokenizer\nfrom .vocab import load_vocab"),
        (
            "training/run.py",
            "from course_utils.bert import BertModel\nfrom course_utils.training.fast import speed_up",
        ),
        ("training/fast.py", "from course_utils.attention import MultiHeadAttention"),
        (
            "seq2seq/decoder.py",
            "from ..encoder import Encoder\nfrom course_utils.training.optim import noam_rate",
        ),
        (
            "before/elmo.py",
            "from course_utils.bert import BertModel\nfrom course_utils.datasets import corpus",
        ),
        ("after/multitask.py", "from course_utils.heads import MLMHead"),
        ("after/electra.py", "from course_utils.heads import MaskedLMHead"),
        (
            "tasks/finetune.py",
            "from course_utils.heads import MLMHead\nfrom course_utils.pretrained import errors",
        ),
        ("widgets/grid/example.py", "from course_utils.attention import MultiHeadAttention"),
        ("support/paths.py", "from platformdirs import user_data_dir"),
        ("tokenization/vocab.py", "from course_utils.support.files import write_atomically"),
        ("contextual/senses.py", "from course_utils.datasets.corpus import sense_documents"),
        ("contextual/baselines.py", "from course_utils.before.word2vec import WordVectors"),
    ],
)
def test_what_is_allowed_is_not_seen(tmp_path: Path, file: str, statement: str):
    assert list(trespasses(written(tmp_path / "course_utils", {file: statement}))) == []
