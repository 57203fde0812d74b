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


def test_points_in_the_text_are_the_differences_of_the_tables():
    printed = {claim: points for claim, (points, _) in rows("claims_in_the_text").items()}
    glue, squad, swag, ner = (
        rows(name) for name in ("table1_glue", "table2_squad11", "table4_swag", "table7_ner")
    )
    assert glue["BERT_LARGE"][0] - glue["OpenAI GPT"][0] == pytest.approx(printed["MultiNLI accuracy"])
    best, first = squad["BERT_LARGE (Ens.+TriviaQA)"], squad["#1 Ensemble - nlnet"]
    assert best[-1] - first[-1] == pytest.approx(printed["SQuAD 1.1 test F1"])
    for other in ("ESIM+ELMo", "OpenAI GPT"):
        assert swag["BERT_LARGE"][1] - swag[other][1] == pytest.approx(printed[f"SWAG over {other}"])
    gap = ner["BERT_BASE"][1] - ner["Concat Last Four Hidden"][1]
    assert gap == pytest.approx(printed["NER: fine-tuning over features"])


def test_later_tables_agree_with_themselves_and_with_the_paper():
    for *_, f1, em, f1_20, em_20, mnli, sst, race, average in rows("albert_table5_sentence").values():
        assert average == pytest.approx(
            ((f1 + em) / 2 + (f1_20 + em_20) / 2 + mnli + sst + race) / 5, abs=0.051
        )
    longer = rows("roberta_table4_training")["BERT_LARGE"]
    settings = rows("pretraining_settings")
    assert longer[1:3] == [settings[what][1] for what in ("batch sequences", "steps")]
    assert longer[3] == rows("table2_squad11")["BERT_LARGE (Single)"][2]
    assert rows("roberta_table2_nsp")["BERT_BASE"][1] == rows("table2_squad11")["BERT_BASE (Single)"][2]


def test_what_roberta_calls_equal_in_cost_is_so():
    table = json.loads((DATA / "paper" / "roberta_tables.json").read_text("utf-8"))
    third = [dict(zip(table["columns"], row)) for row in table["rows"] if row[0] == 3]
    seen = [row["batch"] * row["steps (thousands)"] for row in third]
    assert len(seen) == 3 and max(seen) < 1.01 * min(seen)


@pytest.mark.parametrize(
    ("name", "head"),
    [
        ("KoBERT (SKT), README now", 0),
        ("KR-BERT character", 592_128 + 2 * 768 + 2),  # dense, LayerNorm; the question whether B is next
        ("KR-BERT sub-character", 592_128 + 2 * 768 + 2),
    ],
)
def test_a_stated_count_is_that_of_its_vocabulary(name, head):
    table = json.loads((DATA / "paper" / "korean_models.json").read_text("utf-8"))
    row = next(dict(zip(table["columns"], row)) for row in table["rows"] if row[0] == name)
    size = row["vocabulary"]
    rest = 86_041_344  # of BERT-base with its pooler, the table of tokens aside (notebook 10)
    assert row["parameters (exact, as stated)"] == rest + 768 * size + (head + size if head else 0)
