"""Random faults: what can go wrong is found in the code, put into it, and judged by the tests that import it."""

import ast
import re
from dataclasses import replace
from textwrap import dedent

import pytest

from dev.mutants import __main__ as command
from dev.mutants import sampling
from dev.mutants.faults import ROOT
from dev.mutants.importers import Importers
from dev.mutants.random_faults import Fault, draw, faults_of
from dev.mutants.sampling import Outcome, equivalent, in_order, shares

CODE = dedent('''
    """A docstring with 1 < 2."""
    LIMIT: list[2] = 3.5


    class Counter:
        @cache(7)
        def count(self, items: tuple[4], most=-1) -> "5":
            if most < len(items) and not self.closed:
                raise ValueError(f"{most + 1} of {len(items)}")
            self.log(items, "가", most)
            self.seen += 2
            return merge(items, max(most, 9)) if items is None else items * 2


    def forever():
        while True:
            return
''').lstrip()


@pytest.fixture(scope="module")
def found():
    return {(fault.function, fault.before, fault.after) for fault in faults_of(CODE, "course_utils/toy.py")}


def test_every_small_change_is_found(found):
    test, said = (
        "if most < len(items) and not self.closed:",
        'raise ValueError(f"{most + 1} of {len(items)}")',
    )
    whole = "return merge(items, max(most, 9)) if items is None else items * 2"
    in_class = {
        (test, "if most <= len(items) and not self.closed:"),
        (test, "if most >= len(items) and not self.closed:"),
        (test, "if (most < len(items) or not self.closed):"),
        (test, "if most < len(items) and (self.closed):"),
        (test, "if (not (most < len(items) and (not self.closed))):"),
        (test, "if False:"),
        (said, "pass"),
        ('self.log(items, "가", most)', "pass"),
        ('self.log(items, "가", most)', "self.log('가', items, most)"),
        ("self.seen += 2", "self.seen -= 2"),
        ("self.seen += 2", "self.seen += 3"),
        (whole, "return None"),
        (whole, whole.replace("items, max(most, 9)", "max(most, 9), items")),
        (whole, whole.replace("items is None", "items is not None")),
        (whole, whole.replace("items is None", "(not (items is None))")),
        (whole, whole.replace("items is None", "False")),
        (whole, whole.replace("items * 2", "(items / 2)")),
        (whole, whole.replace("items * 2", "items * 3")),
        (whole, whole.replace("9", "10")),
        (
            'def count(self, items: tuple[4], most=-1) -> "5":',
            'def count(self, items: tuple[4], most=(1)) -> "5":',
        ),
        (
            'def count(self, items: tuple[4], most=-1) -> "5":',
            'def count(self, items: tuple[4], most=-2) -> "5":',
        ),
    }
    outside = {
        ("", "LIMIT: list[2] = 3.5", "LIMIT: list[2] = 4.5"),
        ("forever", "while True:", "while False:"),
    }
    assert found == {("Counter.count", *change) for change in in_class} | outside


def test_every_fault_is_python_and_another_program():
    for fault in faults_of(CODE, "course_utils/toy.py"):
        assert ast.dump(ast.parse(fault.applied(CODE))) != ast.dump(ast.parse(CODE))
        assert CODE.splitlines()[fault.line - 1].strip() == fault.before


@pytest.mark.rare
@pytest.mark.parametrize("file", ["course_utils/masks.py", "course_utils/viz/senses.py"])
def test_faults_of_real_code_are_python(file):
    source = (ROOT / file).read_text(encoding="utf-8")
    faults = faults_of(source, file)
    assert len(faults) > 20 and all(ast.parse(fault.applied(source)) for fault in faults)


@pytest.mark.slow
@pytest.mark.rare
def test_a_draw_is_the_same_again_and_stays_where_it_is_told():
    faults = draw(53, 7, inside="course_utils/viz")
    assert (
        faults == draw(53, 7, inside="course_utils/viz") != draw(53, 8, inside="course_utils/viz")
        and len(set(faults)) == 53
    )
    assert {fault.room for fault in faults} == {"viz"}
    elsewhere = {fault.room for fault in draw(5000, 7, outside="course_utils/viz")}
    assert elsewhere > {"course_utils", "tokenization", "widgets", "scripts"} and "viz" not in elsewhere
    assert {fault.file for fault in draw(7, 7, inside="course_utils/masks.py")} == {"course_utils/masks.py"}
    assert draw(1, 7, inside="course_utils/masks.py")[0].room == "course_utils"
    with pytest.raises(ValueError, match="no course_utils/vis"):
        draw(1, 7, inside="course_utils/vis")


@pytest.fixture
def small_course(tmp_path):
    """A course of three modules, a lazy package, and tests at several distances."""
    files = {
        "course_utils/__init__.py": "",
        "course_utils/far.py": "def far(): return 1 < 2\n",
        "course_utils/near.py": "from course_utils.far import far\ndef near(): return far()\n",
        "course_utils/room/__init__.py": "from course_utils.room.inner import thing\n",
        "course_utils/room/inner.py": "from course_utils.near import near\ndef thing(): return near()\n",
        "course_utils/room/other.py": "def other(): return 3\n",
        "course_utils/lazy/__init__.py": "def __getattr__(name): ...\n",
        "course_utils/lazy/part.py": "class Part: pass\n",
        "tests/__init__.py": "",
        "tests/helper.py": "from course_utils.near import near\n",
        "tests/room/test_thing.py": "from course_utils.room import thing\ndef test(): assert thing()\n",
        "tests/house/test_far.py": "import course_utils.far\n",
        "tests/house/test_helped.py": "from tests.helper import near\ndef test(): assert near()\n",
        "tests/house/test_named.py": "from course_utils import lazy as l, room\ndef test(): room.thing()\n",
        "tests/house/test_lazy.py": "from course_utils.lazy import Part\n",
        "tests/browser/test_all.py": "import course_utils.far\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_the_judges_of_a_file_are_those_that_import_it(small_course):
    importers = Importers(small_course)
    far, helped, named = (f"tests/house/test_{name}.py" for name in ("far", "helped", "named"))
    thing = "tests/room/test_thing.py"
    assert importers.judges_of("course_utils/far.py") == [far, helped]  # and not the browser's
    assert importers.judges_of("course_utils/near.py") == [helped, named, thing]  # nor over three imports
    assert importers.judges_of("course_utils/room/inner.py") == [named, thing]
    assert importers.judges_of("course_utils/lazy/part.py") == ["tests/house/test_lazy.py"]
    assert importers.judges_of("course_utils/room/other.py") == [thing]  # its room's: nobody imports it
    assert importers.distances[thing]["course_utils/far.py"] == 3


def test_near_and_quick_tests_come_first():
    distances = {"a": {"x": 1}, "b": {"x": 2}, "c": {"x": 1}}
    assert in_order(["a", "b", "c"], distances, "x", {"a": 5.0, "b": 0.1, "c": 2.0}) == ["c", "a", "b"]


def outcome(file, noticed, reason=""):
    return Outcome(Fault(file, "f", 3, "a < b", "a <= b", 0, 0, ""), noticed, reason)


def test_shares_leave_out_what_changes_nothing():
    outcomes = [
        outcome("course_utils/viz/a.py", True),
        outcome("course_utils/viz/b.py", False),
        outcome("course_utils/viz/b.py", False, "equal"),
        outcome("course_utils/masks.py", True),
    ]
    assert shares(outcomes) == [
        "course_utils        1 of    1 100%",
        "viz                 1 of    2  50%",
        "all                 2 of    3  67%",
    ]


@pytest.mark.parametrize(
    ("outcomes", "status", "last"),
    [
        ([outcome("course_utils/a.py", True)], 0, "✓ 1 drawn, 0 change nothing, 0 survived"),
        ([outcome("course_utils/a.py", False)], 1, "✗ 1 drawn, 0 change nothing, 1 survived"),
        ([outcome("course_utils/a.py", False, "equal")], 0, "✓ 1 drawn, 1 change nothing, 0 survived"),
    ],
)
def test_the_command_says_what_survived(outcomes, status, last, monkeypatch, capsys):
    monkeypatch.setattr(command, "judge_sample", lambda faults, jobs: outcomes)
    assert command.main(["--random", "1", "--inside", "course_utils/masks.py"]) == status
    said = capsys.readouterr().out
    assert last in said and "course_utils/a.py:3 f\n    - a < b\n    + a <= b" in said
    assert ("SURVIVED" in said) == (status == 1)


@pytest.mark.slow
@pytest.mark.rare
def test_faults_are_judged_in_a_copy(small_course, monkeypatch):
    """One that a test sees, one that breaks the import, one that nobody sees, one that is listed as no fault."""
    far = (small_course / "course_utils/far.py").read_text()
    (seen,) = [fault for fault in faults_of(far, "course_utils/far.py") if fault.after.endswith("1 >= 2")]
    broken, unseen, listed = (replace(seen, code=code, after=code) for code in ("1 < b", "1 < 3", "1 < 4"))
    broken = replace(broken, start=0, stop=0, code="import nothing_of_this_name\n")
    monkeypatch.setattr(sampling, "equivalent", lambda: {listed.key: "It says the same."})
    outcomes = list(sampling.judge_sample([seen, broken, unseen, listed], root=small_course))
    assert [outcome.word for outcome in outcomes] == ["noticed", "noticed", "SURVIVED", "nothing changes"]
    assert (small_course / "course_utils/far.py").read_text() == far


@pytest.mark.slow
@pytest.mark.rare
def test_a_fault_that_never_comes_to_an_end_is_noticed(small_course):
    (some, *_) = faults_of("def far(): return 1 < 2\n", "course_utils/far.py")
    endless = replace(some, start=0, stop=0, code="while True: ...\n")
    (outcome,) = sampling.judge_sample([endless], root=small_course, grace=1)
    assert outcome.noticed


@pytest.mark.slow
@pytest.mark.parametrize("healthy", [True, False])
def test_a_file_that_fails_anyway_judges_nothing(small_course, monkeypatch, capsys, healthy):
    (small_course / "tests/house/test_helped.py").write_text(
        "import course_utils.far\ndef test(): assert False\n"
    )
    (small_course / "tests/house/test_far.py").write_text("import course_utils.far, nothing_of_this_name\n")
    test = "import course_utils.far as f\ndef test(): assert f.far()\n" if healthy else ""
    (small_course / "tests/house/test_well.py").write_text(test)
    (fault, *_) = faults_of("def far(): return 1 < 2\n", "course_utils/far.py")
    again = lambda *_, jobs: sampling.judge_sample([replace(fault, code="1 > 2")], root=small_course)  # noqa: E731
    monkeypatch.setattr(command, "judge_sample", again)
    assert command.main(["--random", "1", "--inside", "course_utils/masks.py"]) == (0 if healthy else 2)
    said = capsys.readouterr().out
    assert "test_helped.py fails without any fault" in said and "test_far.py fails without any fault" in said
    assert ("noticed" in said) == healthy and ("✗ no test passes" in said) != healthy
    assert re.match(r"seed \d+\n", said)


@pytest.mark.rare
@pytest.mark.parametrize("key", equivalent(), ids=lambda key: f"{key[0]}-{key[1]}"[13:])
def test_what_is_listed_as_no_fault_is_still_one_of_the_code(key):
    file = key[0]
    assert key in {fault.key for fault in faults_of((ROOT / file).read_text(encoding="utf-8"), file)}
    assert re.fullmatch(r"[A-Z`√].{20,}\.", equivalent()[key])
