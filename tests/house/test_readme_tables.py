"""The tables of the READMEs: the map as course.toml has it, what each task reached as its file says."""

from dataclasses import replace

import pytest

from course_utils.tasks.measurements import read_measurements
from dev import readme_tables as tables


@pytest.fixture(scope="module")
def measured():
    return read_measurements(tables.MEASUREMENTS)


@pytest.fixture(scope="module")
def rows(measured):
    return tables.counted(measured)


@pytest.fixture(autouse=True)
def counted_once(rows, monkeypatch):
    monkeypatch.setattr(tables, "counted", lambda measurements: rows)


def test_the_readmes_are_up_to_date(measured):
    assert tables.stale(measured) == {}


def test_every_task_has_all_ways_over_five_draws(rows, measured):
    assert len(rows) == len(tables.TASKS)
    for task, (_, labels, *_) in zip(tables.TASKS, rows, strict=True):
        for start in tables.COLUMNS:
            size = int(labels.replace(",", ""))
            seeds = {one.seed for one in measured if (one.task, one.start, one.labels) == (task, start, size)}
            assert seeds == set(range(5)), (task, start)


def test_a_table_that_is_out_of_date_is_told_and_written(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(tables, "ROOT", tmp_path)
    old = "\nold\n".join(tables.MAP) + "\nbetween\n" + "\nold\n".join(tables.REACHED)
    for name in tables.READMES.values():
        (tmp_path / name).write_text(f"before\n{old}\nafter\n", encoding="utf-8")
    assert tables.main(["--check"]) == 1
    assert "old" in (tmp_path / "README.md").read_text(encoding="utf-8")
    assert tables.main([]) == 0 and tables.main(["--check"]) == 0
    page = (tmp_path / "README.ko.md").read_text(encoding="utf-8")
    assert page.startswith("before\n<!--") and page.endswith("-->\nafter\n") and "\nold" not in page
    assert "[마스크](notebooks/ko/03_masking.ipynb)" in page and "| 영화평 | 정확도 |" in page


@pytest.mark.parametrize("page", ["", "(", ")(", "()()"])
def test_a_page_without_its_markers_is_refused(page):
    with pytest.raises(ValueError, match="each once"):
        tables.with_block(page, "map", "(", ")")


def test_the_largest_number_of_labels_that_all_ways_were_given_is_told(rows, measured, monkeypatch):
    monkeypatch.undo()
    fewer = [replace(one, labels=one.labels // 2) for one in measured if one.labels in (892, 936, 1000)]
    more = [replace(one, labels=one.labels * 2) for one in measured if one.start != "frozen"]
    assert tables.counted(fewer + measured + more) == rows
    with pytest.raises(ValueError, match="of reviews with the same number of labels"):
        tables.counted(more)
