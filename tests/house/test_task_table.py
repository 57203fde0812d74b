"""The tables of what each task reached: in the READMEs as the file says."""

from dataclasses import replace

import pytest

from course_utils.tasks.measurements import read_measurements
from dev import task_table


@pytest.fixture(scope="module")
def rows():
    return task_table.counted(read_measurements(task_table.MEASUREMENTS))


@pytest.mark.parametrize("lang", task_table.READMES)
def test_the_readmes_say_what_the_file_says(rows, lang):
    page = (task_table.ROOT / task_table.READMES[lang]).read_text(encoding="utf-8")
    _, _, rest = page.partition(task_table.START)
    assert rest.partition(task_table.END)[0].strip() == task_table.render(lang, rows)


def test_every_task_has_all_ways_over_five_draws(rows):
    assert len(rows) == len(task_table.TASKS)
    assert all(len(row) == len(task_table.HEADS["en"]) - 1 for row in rows)
    found = read_measurements(task_table.MEASUREMENTS)
    for task, (_, labels, *_) in zip(task_table.TASKS, rows, strict=True):
        for start in task_table.COLUMNS:
            size = int(labels.replace(",", ""))
            seeds = {one.seed for one in found if (one.task, one.start, one.labels) == (task, start, size)}
            assert seeds == set(range(5)), (task, start)


def test_a_table_that_is_out_of_date_is_told_and_written(rows, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(task_table, "ROOT", tmp_path)
    monkeypatch.setattr(task_table, "counted", lambda measurements: rows)
    for name in task_table.READMES.values():
        (tmp_path / name).write_text(
            f"before\n{task_table.START}old{task_table.END}\nafter\n", encoding="utf-8"
        )
    assert task_table.main(["--check"]) == 1
    assert "old" in (tmp_path / "README.md").read_text(encoding="utf-8")
    assert task_table.main([]) == 0
    assert task_table.main(["--check"]) == 0
    page = (tmp_path / "README.ko.md").read_text(encoding="utf-8")
    assert page.startswith("before\n<!--") and page.endswith("-->\nafter\n") and "old" not in page
    assert "| 영화평 | 정확도 |" in page and "up to date" in capsys.readouterr().out


@pytest.mark.rare
def test_of_several_label_counts_the_largest_that_all_ways_were_given_is_told(rows):
    found = read_measurements(task_table.MEASUREMENTS)
    fewer = [replace(one, labels=one.labels // 2) for one in found if one.labels in (892, 936, 1000)]
    more = [replace(one, labels=one.labels * 2) for one in found if one.start != "frozen"]
    assert task_table.counted(fewer + found + more) == rows


def test_a_task_that_was_not_measured_in_all_ways_is_refused():
    found = [one for one in read_measurements(task_table.MEASUREMENTS) if one.start != "frozen"]
    with pytest.raises(ValueError, match="of reviews with the same number of labels"):
        task_table.counted(found)
