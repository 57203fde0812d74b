"""Deliberate faults: the list fits the code, random ones are found in it, and the tests that import it judge them."""

import ast
from textwrap import dedent

import pytest

from dev.mutants import __main__ as command
from dev.mutants import judging
from dev.mutants.faults import ROOT, Unfit, load, placed
from dev.mutants.importers import Importers
from dev.mutants.random_faults import draw, faults_of

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


def test_the_list_fits_the_code_and_has_about_a_hundred_one_in_each_room():
    faults = load()
    assert 90 <= len(faults) == len({fault.name for fault in faults}) <= 120
    for fault in faults:
        source = (ROOT / fault.file).read_text(encoding="utf-8")
        assert fault.applied(source) != source, fault.name
    rooms = {path.parent.name for path in (ROOT / "course_utils").glob("*/__init__.py")}
    assert rooms - {fault.room for fault in faults} == {"checks", "locale"}


TOY = (
    "def once(x):\n    return x + 1\n\n\n"
    "class Twice:\n    @staticmethod\n    def once(x):\n        def inner(y):\n            return y + 1\n\n"
    "        return x + 1\n"
)


@pytest.mark.parametrize(
    ("function", "find", "expected"),
    [
        ("once", "x + 1", 2),
        ("Twice.once", "x + 1", 11),
        ("Twice.once.inner", "+ 1", 9),
        ("Twice", "@staticm", 6),
        ("", "x + 1", "exactly once in toy.py, found 2 times"),
        ("once", "y + 1", "exactly once in once of toy.py, found 0 times"),
        ("inner", "y + 1", "one function inner of toy.py, found 0"),
        ("once", "(x", "not Python"),
    ],
)
def test_a_fault_may_name_its_function_and_says_where(tmp_path, function, find, expected):
    (tmp_path / "toy.py").write_text(TOY)
    entry = (
        f'[[mutant]]\nid = "toy"\nfile = "toy.py"\nfind = "{find}"\nreplace = "#"\nfunction = "{function}"\n'
    )
    (tmp_path / "list.toml").write_text(entry)
    if isinstance(expected, str):
        with pytest.raises(Unfit, match=expected):
            load(tmp_path / "list.toml", tmp_path)
    else:
        (fault,) = load(tmp_path / "list.toml", tmp_path)
        assert fault.line == expected


# ---- random ones ---------------------------------------------------------------------------------------------------


def test_every_small_change_is_found_and_is_another_program():
    test, said = (
        "if most < len(items) and not self.closed:",
        'raise ValueError(f"{most + 1} of {len(items)}")',
    )
    head = 'def count(self, items: tuple[4], most=-1) -> "5":'
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
        (head, head.replace("-1", "(1)")),
        (head, head.replace("-1", "-2")),
    }
    outside = {
        ("", "LIMIT: list[2] = 3.5", "LIMIT: list[2] = 4.5"),
        ("forever", "while True:", "while False:"),
    }
    faults = faults_of(CODE, "course_utils/toy.py")
    found = {(fault.name, fault.before, fault.after) for fault in faults}
    assert found == {("Counter.count", *change) for change in in_class} | outside
    for fault in faults:
        assert ast.dump(ast.parse(fault.applied(CODE))) != ast.dump(ast.parse(CODE))
        assert CODE.splitlines()[fault.line - 1].strip() == fault.before


def test_a_draw_is_the_same_again_and_stays_where_it_is_told():
    inside = dict(inside="course_utils/heads")
    faults = draw(53, 7, **inside)
    assert faults == draw(53, 7, **inside) != draw(53, 8, **inside) and {f.room for f in faults} == {"heads"}
    assert {fault.file for fault in draw(7, 7, inside="course_utils/masks.py")} == {"course_utils/masks.py"}


# ---- judging -------------------------------------------------------------------------------------------------------


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
        "tests/house/test_far.py": "import course_utils.far, nothing_of_this_name\n",
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


def test_faults_are_judged_in_a_copy_and_told(small_course, monkeypatch, capsys):
    """One that a test sees, one that nobody sees; a file that fails anyway judges nothing, and is named."""
    file, far = "course_utils/far.py", (small_course / "course_utils/far.py").read_text()
    start = far.index("1 < 2")
    seen, unseen = (placed("far", file, far, start, start + 5, code) for code in ("1 >= 2", "1 < 3"))
    real = judging.judge
    monkeypatch.setattr(command, "chosen", lambda options: [seen, unseen])
    monkeypatch.setattr(command, "judge", lambda faults, jobs: real(faults, root=small_course))
    assert command.main([]) == 1
    said = capsys.readouterr().out
    assert "test_far.py fails without any fault, and is left out" in said
    assert f"noticed   {file}:1 far\n    - {far.strip()}\n    + def far(): return 1 >= 2" in said
    assert "SURVIVED" in said and "all                 1 of    2  50%" in said and "✗ 1 of 2 survived" in said
    assert (small_course / file).read_text() == far
    (small_course / "tests/house/test_helped.py").write_text("import nothing_of_this_name\n")
    assert command.main([]) == 2 and "no test passes" in capsys.readouterr().out
