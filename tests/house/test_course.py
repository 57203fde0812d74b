"""course.toml fits the notebooks that are there, and what is made from it is up to date."""

import json
import re

import nbformat
import pytest

from course_utils.course import FILE, notebooks, title_of
from course_utils.exercises import progress
from dev.minutes import DEPTH, EXERCISE, MAIN, minutes, rounded

NOTEBOOKS = FILE.parent / "notebooks"
LANGUAGES = ["ko", "en"]
LONG = {"07", "08", *map(str, range(16, 21))}  # two ideas in one sitting


@pytest.fixture(autouse=True)
def korean(monkeypatch):
    monkeypatch.delenv("COURSE_LANG", raising=False)


def test_numbers_follow_each_other():
    assert [row.number for row in notebooks("ko")] == [f"{number:02}" for number in range(22)]
    assert all(re.fullmatch(r"\d\d(_[a-z]+)+", row.file) for row in notebooks("ko"))


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_row_is_complete(lang):
    for row in notebooks(lang):
        assert all((row.part, row.title, row.short, row.question)), row.file
        assert row.moves, f"{row.file} has nothing that moves"
        longest = {"00": 20, "21": 120}.get(row.number, 60 if row.number in LONG else 45)
        assert 10 <= row.minutes <= longest, row.file
        assert not any("|" in said or "\n" in said for said in (row.title, row.question, row.moves)), row.file


def test_every_notebook_has_its_row():
    files = sorted(path.stem for path in (NOTEBOOKS / "ko").glob("*.ipynb"))
    assert [row.file for row in notebooks("ko")] == files


@pytest.mark.parametrize("lang", LANGUAGES)
def test_titles_and_minutes_are_those_of_the_notebooks(lang):
    for row in notebooks(lang):
        path = NOTEBOOKS / lang / f"{row.file}.ipynb"
        if not path.exists():  # that each Korean one is there is tested above
            continue
        first = "".join(json.loads(path.read_text(encoding="utf-8"))["cells"][0]["source"])
        assert first.splitlines()[0] == f"# {row.number} · {row.title}"
        if "[채울 곳]" in first:
            continue
        told = re.search(r"본문 (\d+)분, (?:심화 (\d+)분, )?연습 문제 (\d+)분", first)
        spent = minutes(nbformat.read(path, as_version=4))
        stated = [int(number or 0) for number in told.groups()]
        assert stated == [row.minutes, rounded(spent[DEPTH]), spent[EXERCISE]], row.file
        main = spent[MAIN] + row.waiting / 60
        assert main <= row.minutes + 2.5, f"{row.file}: the main path takes {main:.0f} minutes"


@pytest.mark.parametrize(
    ("readme", "told"),
    [
        ("README.md", r"about (\d+) hours, and (\d+) of exercises.*\n.*about (\d+) hours of depth"),
        ("README.ko.md", r"본문 (\d+)시간, 연습 문제 (\d+)시간.*\n.*심화 (\d+)시간"),
    ],
)
def test_the_hours_of_the_whole_course_are_told(readme, told):
    rows = [row for row in notebooks("ko") if row.number != "21"]
    spent = [minutes(nbformat.read(NOTEBOOKS / "ko" / f"{row.file}.ipynb", as_version=4)) for row in rows]
    main = sum(each[MAIN] for each in spent) + sum(row.waiting for row in rows) / 60
    parts = main, sum(each[EXERCISE] for each in spent), sum(each[DEPTH] for each in spent)
    stated = re.search(told, (FILE.parent / readme).read_text("utf-8"))
    assert [int(hours) for hours in stated.groups()] == [round(part / 60) for part in parts]
    assert main <= 16 * 60


def test_titles_are_found_by_number(monkeypatch):
    assert title_of("03") == "마스크"
    monkeypatch.setenv("COURSE_LANG", "en")
    assert title_of("03") == "Masking"
    with pytest.raises(ValueError, match="'22'"):
        title_of("22")


def test_progress_of_one_notebook_names_no_other(capsys):
    progress("00")
    assert capsys.readouterr().out.splitlines()[1:] == ["00  ○○○  0/3  여기서 시작합니다"]
