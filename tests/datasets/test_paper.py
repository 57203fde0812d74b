"""The numbers of papers in data/paper: whole tables, each with its source."""

import json

import pytest

from course_utils.datasets.corpus import DATA

TABLES = sorted((DATA / "paper").glob("*.json"))


@pytest.mark.parametrize("file", TABLES, ids=lambda file: file.stem)
def test_a_table_is_whole_and_names_its_source(file):
    table = json.loads(file.read_text("utf-8"))
    assert {"title", "authors", "year", "where", "address"} <= set(table["source"]) and table["checked"]
    assert len(set(table["columns"])) == len(table["columns"])
    assert len({str(row) for row in table["rows"]}) == len(table["rows"]) > 2
    for row in table["rows"]:
        assert len(row) == len(table["columns"])


def rows(table: str) -> dict[str, list]:
    found = json.loads((DATA / "paper" / f"{table}.json").read_text("utf-8"))["rows"]
    return {name: values for name, *values in found}


def test_the_averages_of_table_1_are_those_of_its_columns():
    systems = rows("table1_glue")
    del systems["training examples (thousands)"]
    for *scores, average in systems.values():
        assert average == pytest.approx(sum(scores) / 9, abs=0.07)


def test_what_the_paper_prints_twice_agrees():
    mnli, *_, f1 = rows("table5_pretraining_tasks")["BERT_BASE"]
    assert mnli == rows("figure5_training_steps")[1000][0] == 84.4
    assert any(f1 in values for values in rows("table2_squad11").values())
