"""One list of dependencies: pyproject.toml has the ranges, environment.yml repeats them, constraints.txt fits them."""

from __future__ import annotations

import re
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from dev.lowest import lowest

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
# Not pinned: what belongs to the CUDA build of torch alone, and tools of installing itself.
UNPINNED = re.compile(r"nvidia-|cuda-|triton$|setuptools$|pip$")


def key(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def environment_lists(text: str) -> tuple[list[str], list[str]]:
    """(conda's list, pip's list) of an environment.yml: items indented by two and by six spaces."""
    conda = re.findall(r"^  - ([^:\n]+)$", text, flags=re.MULTILINE)
    pip = re.findall(r"^      - (.+)$", text, flags=re.MULTILINE)
    return conda, pip


@pytest.fixture
def pinned() -> dict[str, Version]:
    text = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return {key(line.split("==")[0]): Version(line.split("==")[1]) for line in lines}


def test_environment_yml_repeats_pyproject_and_is_channel_and_python_besides():
    conda, pip = environment_lists((ROOT / "environment.yml").read_text(encoding="utf-8"))
    assert pip == ["-c constraints.txt", *PROJECT["dependencies"], "-e ."]
    assert conda == ["conda-forge", "python=3.11", "pip"]
    assert PROJECT["requires-python"] == ">=3.11"


def test_constraints_lie_in_the_ranges(pinned: dict[str, Version]):
    for line in PROJECT["dependencies"] + PROJECT["optional-dependencies"]["test"]:
        requirement = Requirement(line)
        assert pinned[key(requirement.name)] in requirement.specifier, line


def test_constraints_carry_no_build_suffix(pinned: dict[str, Version]):
    assert [name for name, version in pinned.items() if version.local] == []


def test_constraints_are_complete(pinned: dict[str, Version]):
    """Every package that the course needs here, directly or not, has an exact version."""
    todo = [Requirement(line) for line in PROJECT["dependencies"] + PROJECT["optional-dependencies"]["test"]]
    seen: set[tuple[str, tuple[str, ...]]] = set()
    needed: set[str] = set()
    while todo:
        requirement = todo.pop()
        name, extras = key(requirement.name), tuple(sorted(requirement.extras))
        if (name, extras) in seen or UNPINNED.match(name):
            continue
        seen.add((name, extras))
        needed.add(name)
        for line in metadata.requires(name) or []:
            inner = Requirement(line)
            if inner.marker is None or any(
                inner.marker.evaluate({"extra": extra}) for extra in extras or ("",)
            ):
                todo.append(inner)
    assert sorted(needed - set(pinned)) == []


def test_constraints_hold_nothing_that_is_not_installed(pinned: dict[str, Version]):
    """A pin for a package that nobody needs any more would never be noticed otherwise."""
    installed = {key(found.name) for found in metadata.distributions() if found.name}
    assert sorted(set(pinned) - installed) == []


def test_every_pin_is_for_the_oldest_python_we_promise(pinned: dict[str, Version]):
    """Debian 12 has Python 3.11.2: a pin that wants 3.11.5 keeps its python3 from installing anything at all."""
    wanted = {}
    for installed in metadata.distributions():
        name = key(installed.metadata["Name"])
        if name in pinned and Version(installed.version) == pinned[name]:
            wanted[name] = SpecifierSet(installed.metadata["Requires-Python"] or "")
    assert len(wanted) > 0.9 * len(pinned)
    assert [name for name, versions in wanted.items() if "3.11.0" not in versions] == []


def test_the_lowest_versions_are_those_that_pyproject_names():
    pins = lowest(PROJECT["dependencies"])
    assert [Requirement(pin).name for pin in pins] == [
        Requirement(line).name for line in PROJECT["dependencies"]
    ]
    for pin, line in zip(pins, PROJECT["dependencies"], strict=True):
        (version,) = Requirement(pin).specifier
        assert version.operator == "==" and f">={version.version}," in line
        assert Version(version.version) in Requirement(line).specifier
