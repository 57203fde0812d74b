"""Run the `scratch` cells of the notebooks and compare what they define with the package.

lessons/NN_name/scratch.py lists ENTRIES = [Scratch(...), …], one for each name that a scratch cell defines.
"""

from __future__ import annotations

import ast
import importlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from course_utils.config import BertConfig
from course_utils.support.paths import NOTEBOOKS
from tests.small import small_config

TOLERANCE = {torch.float64: 1e-10, torch.float32: 1e-5, torch.bfloat16: 2e-2, torch.float16: 2e-3}


@dataclass(frozen=True)
class Scratch:
    """One thing that a notebook builds by hand, and its counterpart in the package.

    Attributes:
        notebook: file name without .ipynb.
        name: what the scratch cell defines, my_… or My….
        reference: "module:attribute".
        cases: generator -> iterable of argument tuples. They should be harder than the notebook's: prime sizes,
            padding, a fully masked row, batch 1, float64.
        build: for classes; called with the hand-made class, then with the reference: build(cls) -> nn.Module. If there
            are several, each is tried on every case.
        rename: for classes; hand-made name of a parameter or submodule -> its name in the reference.
        copy: for classes; copy(mine, reference) instead of copying parameters by name.
        adapt: turns the reference's result into the hand-made one's, where the latter returns less on purpose.
        gradients: False only where the result does not depend on any float input (then say why beside the entry).
    """

    notebook: str
    name: str
    reference: str
    cases: Callable[[torch.Generator], Iterable[tuple[Any, ...]]]
    build: Callable[[type], nn.Module] | list[Callable[[type], nn.Module]] | None = None
    rename: Mapping[str, str] | None = None
    copy: Callable[[nn.Module, nn.Module], None] | None = None
    adapt: Callable[[Any], Any] | None = None
    gradients: bool = True

    def load_reference(self) -> Any:
        module, _, attribute = self.reference.partition(":")  # lessons.00_…: no name for pkgutil.resolve_name
        return reduce(getattr, attribute.split("."), importlib.import_module(module))


def config(**changes: Any) -> BertConfig:
    """Sizes of models that are built by hand: 15 wide, five heads, places for 13 tokens of 31."""
    sizes = {"hidden_size": 15, "num_attention_heads": 5, "max_position_embeddings": 13}
    return small_config(**sizes | {"vocab_size": 31, "intermediate_size": 31} | changes)


# ---- notebooks -----------------------------------------------------------------------------------------------------


def tagged_cells(notebook: Path, *tags: str) -> list[str]:
    """The sources of the code cells that carry one of the tags, in order."""
    content = json.loads(notebook.read_text(encoding="utf-8"))
    return [
        "".join(cell["source"])
        for cell in content["cells"]
        if cell["cell_type"] == "code" and set(tags) & set(cell["metadata"].get("tags", []))
    ]


def scratch_names(source: str) -> list[str]:
    """The names my_… and My… that a cell defines at its top level: functions, classes, and assigned functions."""
    names = []
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.append(node.name)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
            names.append(node.targets[0].id)
    return [name for name in names if name.startswith(("my_", "My"))]


def run_scratch(notebook: Path) -> dict[str, Any]:
    """Execute the `imports` cell and then every `scratch` cell in one namespace, without the cells between."""
    namespace: dict[str, Any] = {"__name__": "__scratch__"}
    for number, source in enumerate([*tagged_cells(notebook, "imports"), *tagged_cells(notebook, "scratch")]):
        exec(compile(source, f"{notebook.name}:{number}", "exec"), namespace)
    return namespace


def audit_tags(entries: list[Scratch], folder: Path = NOTEBOOKS) -> list[str]:
    """Say in words where tags and entries do not match."""
    listed = [(entry.notebook, entry.name) for entry in entries]
    tagged, faults = [], []
    for notebook in sorted(folder.glob("*.ipynb")):
        for source in tagged_cells(notebook, "scratch"):
            names = scratch_names(source)
            tagged += [(notebook.stem, name) for name in names]
            if not names:
                faults.append(f"{notebook.stem}: a scratch cell defines no my_… or My…: {source[:60]}")
    for found, says in (
        ({one for one in listed if listed.count(one) > 1}, "is listed twice"),
        ({one for one in tagged if tagged.count(one) > 1}, "is defined in two scratch cells"),
        (set(tagged) - set(listed), "is tagged scratch but has no entry"),
        (set(listed) - set(tagged), "has an entry but no scratch cell"),
    ):
        faults += [f"{notebook}: {name} {says}" for notebook, name in found]
    return sorted(faults)


# ---- comparing -----------------------------------------------------------------------------------------------------


def compare(entry: Scratch, mine: Any, reference: Any) -> int:
    """Compare the two on every case; returns how many values and gradients were compared.

    Raises:
        AssertionError: at the first difference.
    """
    builds = entry.build if isinstance(entry.build, list) else [entry.build]
    compared = 0
    for build in builds:
        cases = list(entry.cases(torch.Generator().manual_seed(1009)))
        assert cases, f"{entry.name} has no cases"
        for number, case in enumerate(cases):
            where = f"{entry.notebook}: {entry.name}, case {number}"
            compared += _compare_case(entry, build, mine, reference, tuple(case), where)
    return compared


def _compare_case(
    entry: Scratch, build: Callable | None, mine: Any, reference: Any, case: tuple[Any, ...], where: str
) -> int:
    my_parameters: dict[str, Tensor] = {}
    parameters: dict[str, Tensor] = {}
    if build is not None:
        mine, reference = _instances(build, mine, reference, case)
        names = {_renamed(name, entry.rename or {}): name for name, _ in mine.named_parameters()}
        parameters = dict(reference.named_parameters())
        if entry.copy is None:
            my_parameters = {theirs: mine.get_parameter(name) for theirs, name in names.items()}
            assert my_parameters.keys() == parameters.keys(), (
                f"{where}: parameters {sorted(my_parameters)} by hand, {sorted(parameters)} in the reference"
            )
            with torch.no_grad():
                for name, parameter in my_parameters.items():
                    assert parameter.shape == parameters[name].shape, f"{where}: shape of parameter {name}"
                    parameter.copy_(parameters[name])
        else:
            entry.copy(mine, reference)
            parameters = {}  # stored in another form: compared through outputs and input gradients
    my_outputs, my_inputs = _call(mine, case, where)
    outputs, inputs = _call(reference, case, where)
    if entry.adapt is not None:
        outputs = entry.adapt(outputs)
    my_outputs, outputs = _flatten(my_outputs), _flatten(outputs)
    assert len(my_outputs) == len(outputs), f"{where}: {len(my_outputs)} outputs by hand, not {len(outputs)}"
    pairs = enumerate(zip(my_outputs, outputs))
    compared = sum(_same(ours, theirs, f"{where}, output {i}") for i, (ours, theirs) in pairs)
    assert compared, f"{where}: nothing to compare"
    wanted = [*inputs, *parameters.values()]
    gradients = _gradients(outputs, wanted)
    if gradients is None:
        assert not entry.gradients, (
            f"{where}: the reference has no gradient (gradients=False says so on purpose)"
        )
        return compared
    my_gradients = _gradients(my_outputs, [*my_inputs, *my_parameters.values()])
    assert my_gradients is not None, f"{where}: no gradient by hand"
    labels = [f"input {i}" for i in range(len(inputs))] + [f"parameter {name}" for name in my_parameters]
    order = [*range(len(inputs)), *(len(inputs) + list(parameters).index(name) for name in my_parameters)]
    for label, ours, place in zip(labels, my_gradients, order, strict=True):
        compared += _same(ours, gradients[place], f"{where}, gradient of {label}")
    return compared


def _instances(build: Callable, mine: Any, reference: Any, case: tuple) -> list[nn.Module]:
    """Both, from the same seed and in the dtype of the case."""
    floats = [value.dtype for value in case if isinstance(value, Tensor) and value.is_floating_point()]
    built = []
    for cls in (mine, reference):
        torch.default_generator.manual_seed(7)
        built.append(build(cls).to(floats[0] if floats else None).eval())
    return built


def _renamed(name: str, rename: Mapping[str, str]) -> str:
    fitting = [old for old in rename if name == old or name.startswith(f"{old}.")]
    old = max(fitting, key=len, default="")
    return rename[old] + name[len(old) :] if old else name


def _call(function: Callable, case: tuple[Any, ...], where: str) -> tuple[Any, list[Tensor]]:
    """Call on copies; returns the output and the float inputs as leaves. Writing into an input is a fault."""
    leaves, given = [], []
    for value in case:
        if isinstance(value, Tensor):
            value = value.detach().clone()
            if value.is_floating_point():
                leaves.append(value.requires_grad_())
                value = value.clone()
        given.append(value)
    torch.default_generator.manual_seed(11)
    result = function(*given)
    for original, value in zip(case, given, strict=True):
        if isinstance(original, Tensor):
            alike = value.shape == original.shape and torch.equal(value.nan_to_num(7), original.nan_to_num(7))
            assert alike, f"{where}: an input was changed in place"
    return result, leaves


def _flatten(result: Any) -> list[Any]:
    if isinstance(result, tuple | list):
        return [leaf for item in result for leaf in _flatten(item)]
    return [result]


def _same(ours: Any, theirs: Any, where: str) -> int:
    """1 if something was compared, 0 for None and for empty tensors."""
    if theirs is None:
        assert ours is None, f"{where}: expected None"
        return 0
    if not isinstance(theirs, Tensor):
        assert type(ours) is type(theirs) and ours == theirs, f"{where}: expected {theirs!r}, got {ours!r}"
        return 1
    assert isinstance(ours, Tensor), f"{where}: expected a tensor, got {type(ours).__name__}"
    atol = TOLERANCE.get(theirs.dtype, 0)
    if theirs.is_floating_point() and theirs.numel():
        atol *= max(1.0, float(theirs.detach().nan_to_num(0, 0, 0).abs().max()))
    torch.testing.assert_close(
        ours.detach(), theirs.detach(), rtol=0, atol=atol, equal_nan=True, msg=lambda text: f"{where}: {text}"
    )
    return int(theirs.numel() > 0)


def _gradients(outputs: list[Any], sources: list[Tensor]) -> list[Tensor] | None:
    """Gradients of a fixed random projection of all float outputs; zeros where a source was not used."""
    generator = torch.Generator().manual_seed(13)
    projected = []
    for output in outputs:
        if isinstance(output, Tensor) and output.is_floating_point():
            upstream = torch.randn(output.shape, generator=generator, dtype=torch.float64).to(output)
            if output.requires_grad:
                projected.append((output * upstream).sum())
    wanted = [source for source in sources if source.requires_grad]
    if not projected or not wanted:
        return None
    found = torch.autograd.grad(projected, wanted, allow_unused=True)
    by_id = {id(source): gradient for source, gradient in zip(wanted, found, strict=True)}
    return [
        torch.zeros_like(source) if by_id.get(id(source)) is None else by_id[id(source)] for source in sources
    ]
