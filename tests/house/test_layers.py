"""Who may import whom in course_utils, read from the import statements."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "course_utils"

# The model chain: each may import only what stands in a row above it.
CHAIN = [
    {"config"},
    {"masks", "activations", "positional", "layer_norm", "initialization", "dropout", "linear"},
    {"attention"},
    {"embeddings", "encoder"},
    {"bert"},
    {"heads"},
    {"pretrained"},
]
MODEL = set().union(*CHAIN)
# Everything else of the course's own that a part may import, itself aside.
OTHERS = {
    "locale": set(),
    "course": {"locale"},
    "checks": {"locale"},
    "lecture": set(),
    "viz": {"locale", "lecture"},
    "widgets": {"viz", "locale", "lecture"},
    "exercises": MODEL | {"checks", "locale", "course"},
    "doctor": {"locale"},
    "tokenization": set(),
    "fetching": set(),
    "datasets": {"tokenization", "fetching"},
    "training": {"datasets", "tokenization"},
    "before": {"datasets", "tokenization"},
    # Example sentences and their senses come from the corpus; static vectors are what BERT's are measured against.
    "contextual": MODEL | {"tokenization", "datasets", "before"},
    "evaluate_senses": MODEL | {"contextual"},
    "interpretation": MODEL | {"tokenization", "datasets", "contextual"},
}
NO_TORCH = {"doctor", "tokenization"}
FROM_SCRATCH = {
    "tokenization"
}  # the standard library only, but for the twin that is there to be compared with:
TWIN = "fast.py"
# Of training: the commands put model and loop together; how a run starts and what it is asked is theirs.
COMMANDS = {"pretrain.py", "run.py", "sense_tuning.py", "start.py", "sense_examples.py"}
EXAMPLE = "example.py"  # of a widget, for the tests: it gives the widget its model, as a notebook does
ALONE = {
    "",
    "config",
    "course",
    "fetching",
    "lecture",
    "locale",
}  # the standard library only; "" is course_utils/__init__.py


def allowed(part: str) -> set[str]:
    """The parts that a part may import. A model folder holds a vocabulary, and may lie on the hub."""
    above: set[str] = set()
    for row in CHAIN:
        if part in row:
            return above | ({"tokenization", "fetching"} if part == "pretrained" else set())
        above |= row
    return OTHERS.get(part, set())


def imports(file: Path, package: Path) -> set[str]:
    """Dotted names that a file imports, wherever in it the statement stands; relative ones are made absolute."""
    inside = [package.name, *file.relative_to(package).parent.parts]
    found = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = inside[: len(inside) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            found |= {f"{module}.{alias.name}" for alias in node.names}
    return found


def trespasses(package: Path = PACKAGE) -> list[str]:
    """Every import that the layers forbid."""
    found = []
    for file in sorted(package.rglob("*.py")):
        inner = file.relative_to(package).with_suffix("").parts
        part = "" if inner == ("__init__",) else inner[0]
        if part and part not in MODEL | set(OTHERS):
            found.append(f"{part}: has no place in tests/house/test_layers.py")
        for name in sorted(imports(file, package)):
            top, _, rest = name.partition(".")
            target = rest.partition(".")[0]
            joint = part == "training" and file.name in COMMANDS
            joint |= part == "widgets" and len(inner) == 3 and file.name == EXAMPLE
            if top == package.name:
                bad = target != part and target not in allowed(part) and not joint
            elif part in ALONE or (part in FROM_SCRATCH and file.name != TWIN):
                bad = top not in sys.stdlib_module_names
            else:
                bad = part in NO_TORCH and top in {"torch", "transformers"}
            if bad:
                found.append(f"{'.'.join(inner)} imports {name}")
    return found


def test_layers():
    assert trespasses() == []


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
        ("exercises/nb02/checks.py", "from course_utils.widgets import base"),
        ("config.py", "import torch"),
        ("config.py", "import numpy"),
        ("fetching.py", "import requests"),
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
    package = tmp_path / "course_utils"
    (package / file).parent.mkdir(parents=True, exist_ok=True)
    (package / file).write_text(statement)
    assert len(trespasses(package)) == 1


@pytest.mark.parametrize(
    ("file", "statement"),
    [
        ("attention.py", "import torch\nfrom course_utils.masks import causal_mask"),
        ("encoder.py", "from .attention import MultiHeadAttention\nfrom .layer_norm import layer_norm"),
        (
            "exercises/nb02/checks.py",
            "from ...attention import MultiHeadAttention\nfrom ..core import Exercise",
        ),
        (
            "widgets/grid/widget.py",
            "from course_utils.viz.theme import QUERY\nfrom course_utils.widgets.base import W",
        ),
        ("widgets/grid/example.py", "from course_utils.attention import MultiHeadAttention"),
        ("checks.py", "import torch\nfrom course_utils.locale import text"),
        ("bert.py", "from course_utils.embeddings import BertEmbeddings\nfrom .encoder import Encoder"),
        ("heads.py", "from course_utils.bert import BertModel"),
        (
            "pretrained/folder.py",
            "from course_utils import heads\nfrom course_utils.tokenization import vocab",
        ),
        (
            "pretrained/hub.py",
            "from course_utils import fetching\nfrom course_utils.pretrained.errors import MissingFile",
        ),
        ("datasets/download.py", "import filelock\nfrom course_utils.fetching import within"),
        ("tokenization/fast.py", "from tokenizers import Tokenizer\nfrom .vocab import load_vocab"),
        ("training/pretrain.py", "from course_utils.bert import BertModel"),
        ("contextual/senses.py", "from course_utils.datasets.corpus import sense_documents"),
        ("contextual/baselines.py", "from course_utils.before.word2vec import WordVectors"),
    ],
)
def test_what_is_allowed_is_not_seen(tmp_path: Path, file: str, statement: str):
    package = tmp_path / "course_utils"
    (package / file).parent.mkdir(parents=True, exist_ok=True)
    (package / file).write_text(statement)
    assert trespasses(package) == []
