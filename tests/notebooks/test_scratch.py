"""What the notebooks build by hand equals the package, on harder input than theirs, values and gradients."""

import json
from functools import cache

import matplotlib
import pytest
import torch
from torch import nn

from course_utils.support.lessons import lesson_folder, lesson_module, lesson_numbers
from tests.scratch.registry import NOTEBOOKS, Scratch, audit_tags, compare, run_scratch, tagged_cells

matplotlib.use("Agg")

LISTS = lesson_numbers("scratch.py")
ENTRIES = [entry for number in LISTS for entry in lesson_module(number, "scratch").ENTRIES]


@pytest.fixture(autouse=True)
def own_random_state():
    with torch.random.fork_rng(devices=[]):
        yield


# ---- the course's notebooks ----------------------------------------------------------------------------------------


def test_tags_and_entries_fit():
    assert audit_tags(ENTRIES) == []


def test_entries_stand_in_the_list_of_their_notebook():
    for number in LISTS:
        for entry in lesson_module(number, "scratch").ENTRIES:
            assert entry.notebook == lesson_folder(number).name


@cache
def namespace_of(notebook):
    return run_scratch(NOTEBOOKS / f"{notebook}.ipynb")


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: f"{entry.notebook[:2]}-{entry.name}")
def test_by_hand_equals_package(entry):
    mine, reference = namespace_of(entry.notebook)[entry.name], entry.load_reference()
    assert mine is not reference
    assert compare(entry, mine, reference) > 0


def test_a_bert_in_less_than_a_hundred_lines():
    """So notebook 21 says of what it builds."""
    cells = tagged_cells(NOTEBOOKS / "21_bert_in_one_sitting.ipynb", "scratch")
    assert 0 < sum(bool(line.strip()) for cell in cells for line in cell.splitlines()) < 100


# ---- the machinery, on planted notebooks ---------------------------------------------------------------------------


def write_notebook(folder, *cells):
    content = [
        {"cell_type": "code", "metadata": {"tags": [tag]}, "source": source.splitlines(keepends=True)}
        for tag, source in cells
    ]
    (folder / "99_planted.ipynb").write_text(json.dumps({"cells": content}), encoding="utf-8")
    return folder / "99_planted.ipynb"


IMPORTS = ("imports", "import torch\nfrom torch import nn")


def scratch(name, cases=lambda generator: [(torch.randn(3, 5, generator=generator),)], **more):
    return Scratch("99_planted", name, "torch:square", cases, **more)


def test_audit_of_tags(tmp_path):
    write_notebook(
        tmp_path,
        IMPORTS,
        ("scratch", "def my_square(x):\n    return x * x"),
        ("scratch", "class MyNorm(nn.Module): ...\nmy_twice = lambda x: 2 * x\nmy_table = torch.ones(2)"),
        ("other", "def my_other(x): ..."),
    )
    square, norm, twice = (scratch(name) for name in ("my_square", "MyNorm", "my_twice"))
    assert audit_tags([square, norm, twice], tmp_path) == []
    assert audit_tags([square, norm], tmp_path) == ["99_planted: my_twice is tagged scratch but has no entry"]
    assert audit_tags([square, norm, twice, scratch("my_other")], tmp_path) == [
        "99_planted: my_other has an entry but no scratch cell"
    ]
    assert audit_tags([square, square, norm, twice], tmp_path) == ["99_planted: my_square is listed twice"]
    write_notebook(tmp_path, ("scratch", "def square(x):\n    return x * x"))
    assert "defines no my_" in audit_tags([], tmp_path)[0]
    write_notebook(tmp_path, ("scratch", "def my_square(x): ..."), ("scratch", "def my_square(x): ..."))
    assert audit_tags([square], tmp_path) == ["99_planted: my_square is defined in two scratch cells"]
    (tmp_path / "99_planted.ipynb").unlink()
    assert audit_tags([square], tmp_path) == ["99_planted: my_square has an entry but no scratch cell"]


def test_only_imports_and_scratch_cells_run(tmp_path):
    notebook = write_notebook(
        tmp_path,
        IMPORTS,
        ("other", "helper = 3"),
        ("scratch", "def my_square(x):\n    return x * x * helper / 3"),
    )
    with pytest.raises(NameError, match="helper"):
        compare(scratch("my_square"), run_scratch(notebook)["my_square"], torch.square)
    notebook = write_notebook(tmp_path, IMPORTS, ("scratch", "def my_square(x):\n    return x * x"))
    assert compare(scratch("my_square"), run_scratch(notebook)["my_square"], torch.square) == 2


def in_place(x):
    return x.mul_(x)


def no_gradient(x):
    return x.detach() ** 2


def right_value_wrong_gradient(x):
    return x.detach() * x


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (lambda x: x * x + 1e-3, "output 0"),
        (lambda x: (x * x).double(), "dtype"),
        (lambda x: (x * x)[:1], "shape"),
        (lambda x: (x * x, x), "2 outputs by hand"),
        (lambda x: None, "expected a tensor"),
        (in_place, "changed in place"),
        (no_gradient, "no gradient by hand"),
        (right_value_wrong_gradient, "gradient of input 0"),
    ],
    ids=["value", "dtype", "shape", "count", "none", "in_place", "detached", "gradient"],
)
def test_faults_of_functions_are_noticed(wrong, says):
    with pytest.raises(AssertionError, match=says):
        compare(scratch("my_square"), wrong, torch.square)


def test_nothing_to_compare_is_a_fault():
    with pytest.raises(AssertionError, match="no cases"):
        compare(scratch("my_square", cases=lambda generator: []), torch.square, torch.square)
    with pytest.raises(AssertionError, match="nothing to compare"):
        compare(scratch("my_square", cases=lambda generator: [(torch.ones(0),)]), torch.square, torch.square)
    with pytest.raises(AssertionError, match="has no gradient"):
        compare(scratch("my_sign", cases=lambda generator: [(torch.arange(3),)]), torch.square, torch.square)
    whole = scratch("my_square", cases=lambda generator: [(torch.arange(3),)], gradients=False)
    assert compare(whole, torch.square, torch.square) == 1


class Reference(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.dense = nn.Linear(size, 3)
        self.drop = nn.Dropout(0.5)

    def forward(self, x):
        return self.drop(self.dense(x)), None


class MyDense(nn.Module):
    scale = 1.0

    def __init__(self, size):
        super().__init__()
        self.W = nn.Linear(size, 3)

    def forward(self, x):
        return nn.functional.linear(x, self.W.weight * self.scale, self.W.bias), None


class Unscaled(MyDense):
    scale = 1.01


class FrozenBias(MyDense):
    def forward(self, x):
        return nn.functional.linear(x, self.W.weight, self.W.bias.detach()), None


def module_entry(**more):
    def cases(generator):
        yield (torch.randn(2, 5, generator=generator),)
        yield (torch.randn(1, 7, 5, generator=generator, dtype=torch.float64),)

    return scratch("MyDense", cases, build=lambda cls: cls(5), **more)


def test_modules():
    right = module_entry(rename={"W": "dense"})
    assert compare(right, MyDense, Reference) == 2 * 4  # output, input, weight, bias; for two cases
    with pytest.raises(AssertionError, match="output 0"):
        compare(right, Unscaled, Reference)
    with pytest.raises(AssertionError, match=r"gradient of parameter dense.bias"):
        compare(right, FrozenBias, Reference)
    with pytest.raises(AssertionError, match=r"parameters \['W"):
        compare(module_entry(), MyDense, Reference)


def test_modules_with_a_copy_of_their_own():
    def copy(mine, reference):
        mine.W.load_state_dict(reference.dense.state_dict())

    assert compare(module_entry(copy=copy), MyDense, Reference) == 2 * 2
    with pytest.raises(AssertionError, match="output 0"):
        compare(module_entry(copy=lambda mine, reference: mine.W.weight.data.zero_()), MyDense, Reference)
