"""The list of deliberate faults fits the code, one of them is noticed, and the tool itself can say no."""

import re
import subprocess
from dataclasses import replace

import pytest

from dev.mutants import __main__ as command
from dev.mutants import judging
from dev.mutants.faults import ROOT, Mutant, Unfit, load, mutated

MUTANTS = {mutant.id: mutant for mutant in load()}
# All are judged once a week; here one in a file that does without torch, which takes longer to import than to judge.
HANDFUL = ["private-files-stay-private"]
NO_FAULT = replace(
    MUTANTS["private-files-stay-private"],
    id="no-fault",
    function="",
    find="os.chmod(beside, permissions)",
    replace="os.chmod((beside), permissions)",
    why="Says the same.",
)


@pytest.mark.parametrize("mutant", MUTANTS.values(), ids=lambda mutant: mutant.id)
def test_a_fault_fits_the_code(mutant):
    assert mutated(mutant) != (ROOT / mutant.file).read_text(encoding="utf-8")
    assert mutant.tests and all((ROOT / test.split("::")[0]).is_file() for test in mutant.tests)
    assert re.fullmatch(r"[a-z0-9-]+", mutant.id) and mutant.why.endswith(".")


@pytest.fixture
def toy(tmp_path):
    """A file in which the same line stands in two functions, and a method that has a function of its own."""
    (tmp_path / "toy.py").write_text(
        "def once(x):\n    return x + 1\n\n\n"
        "class Twice:\n    @staticmethod\n    def once(x):\n        def inner(y):\n            return y + 1\n\n"
        "        return x + 1\n"
    )
    return tmp_path


@pytest.mark.parametrize(
    ("function", "find", "line"),
    [
        ("once", "x + 1", 2),
        ("Twice.once", "x + 1", 11),
        ("Twice.once.inner", "+ 1", 9),
        ("Twice", "@staticm", 6),
    ],
)
def test_a_fault_may_name_its_function(toy, function, find, line):
    fault = Mutant("toy", "toy.py", find, "#", "Says where.", (), function=function)
    before, after = (toy / "toy.py").read_text().splitlines(), mutated(fault, toy).splitlines()
    changed = [n for n, pair in enumerate(zip(before, after, strict=True), 1) if pair[0] != pair[1]]
    assert changed == [line]


@pytest.mark.parametrize(
    ("function", "find", "trouble"),
    [
        ("", "x + 1", "exactly once in toy.py, found 2 times"),
        ("once", "y + 1", "exactly once in once of toy.py, found 0 times"),
        ("inner", "y + 1", "one function inner of toy.py, found 0"),
    ],
)
def test_a_fault_that_does_not_say_where_is_refused(toy, function, find, trouble):
    with pytest.raises(Unfit, match=trouble):
        mutated(Mutant("toy", "toy.py", find, "#", "Says where.", (), function=function), toy)


def test_there_are_about_a_hundred_with_one_in_each_room():
    assert len(MUTANTS) == len(load()) and 90 <= len(MUTANTS) <= 120
    rooms = {path.parent.name for path in (ROOT / "course_utils").glob("*/__init__.py")}
    named = {
        mutant.file.split("/")[1] for mutant in MUTANTS.values() if mutant.file.startswith("course_utils/")
    }
    assert rooms - named == {"checks", "locale"}


@pytest.mark.parametrize("name", HANDFUL)
def test_a_fault_is_noticed(name):
    verdict = judging.judge(MUTANTS[name])
    assert verdict.noticed and not verdict.trouble, verdict


@pytest.mark.slow
@pytest.mark.rare
def test_no_fault_is_not_noticed(capsys):
    assert command.main([], mutants=[NO_FAULT]) == 1
    said = capsys.readouterr().out
    assert re.search(r"^no-fault +NOT NOTICED$", said, re.MULTILINE)
    assert "✗ 1 of 1 not noticed: no-fault" in said


@pytest.mark.slow
@pytest.mark.rare
@pytest.mark.parametrize(
    ("change", "trouble"),
    [
        ({"find": "nowhere in this file"}, "exactly once .* found 0 times"),
        ({"find": "beside"}, r"exactly once .* found \d+ times"),
        ({"replace": "os.chmod((beside, permissions)"}, "not Python"),
        ({"find": "import os\n", "replace": "import no_such_module\nimport os\n"}, "breaks the import"),
        ({"tests": ("tests/support/test_files.py::test_that_is_not_there",)}, "could not run them"),
    ],
)
def test_a_fault_that_proves_nothing_is_not_counted_as_noticed(change, trouble):
    verdict = judging.judge(replace(NO_FAULT, **change))
    assert not verdict.noticed
    assert re.search(trouble, verdict.trouble)


@pytest.mark.slow
@pytest.mark.rare
def test_another_package_than_the_copys_is_refused(tmp_path):
    with pytest.raises(Unfit, match="not the copy was imported but .*masks.py"):
        judging.run_tests(tmp_path, [], of="course_utils/masks.py")


@pytest.mark.slow
@pytest.mark.rare
def test_a_module_behind_a_function_of_its_name_is_found():
    found = judging.run_tests(ROOT, ["--version"], of="course_utils/contextual/influence.py")
    assert found.returncode == 0 and found.stdout.startswith("pytest")


def test_when_the_checks_fail_anyway_nothing_is_judged(monkeypatch, capsys):
    failing = subprocess.CompletedProcess([], 1, stdout="1 failed", stderr="")
    monkeypatch.setattr(judging, "run_tests", lambda copy, tests, **_: failing)
    assert command.main([], mutants=[NO_FAULT]) == 2
    assert "fail without any fault" in capsys.readouterr().out
