"""How the files of data/tasks/ are made from public ones: each selection on a few rows, and all or nothing."""

from __future__ import annotations

import json

from course_utils.tasks.data import PARTS, read_names, read_pairs, read_parts_of_speech, read_reviews
from experiments.task_data import __main__ as tool
from experiments.task_data import names, pairs, parts_of_speech, reviews
from experiments.task_data.splitting import parts_by_hash

KORSTS_HEAD = "genre\tfilename\tyear\tid\tscore\tsentence1\tsentence2\n"
KAIST = (
    "# sent_id = {0}-s{1}\n# text = 고향은 {2}.\n1\t고향은\t고향+은\tNOUN\tncn+jxt\t_\n"
    "2\t{2}\t{2}\tPROPN\tnq\tSpaceAfter=No\n3\t.\t.\tPUNCT\tsf\t_\n\n"
)


def ner(number: int, *tagged: str) -> str:
    """A block of KLUE's file: "서 B-LC" for a character and its tag."""
    rows = "\n".join(f"{one[0]}\t{one[2:]}" for one in tagged)
    return f"## klue-ner-v1_dev_0000{number}-nsmc\t<문장:PS>\n{rows}\n\n"


NER = "## 주석 : ##\n\n" + "".join(
    [
        ner(0, "서 B-LC", "울 I-LC", "에 O", "  B-TI", "3 I-TI", "시 I-TI", "  O"),
        ner(1, "존 B-PS", "나 O", "  O", "싫 O", "다 O"),
        ner(2, "< B-PS", "레 I-PS", "이 I-PS", "> O", "( B-OG", "주 I-OG", ") I-OG", "배 I-OG"),
    ]
)


def test_parts_by_hash_are_60_15_25_and_of_their_task():
    found = parts_by_hash("names", map(str, range(200)))
    assert [list(found.values()).count(part) for part in PARTS] == [120, 30, 50]
    assert found == parts_by_hash("names", map(str, reversed(range(200)))) != parts_by_hash("other", found)
    # sha256 of "dialect 3" begins with 3f, of "dialect 1" with 45, "dialect 2" a4, "dialect 4" d8
    assert parts_by_hash("dialect", "12341") == {"3": "test", "1": "validation", "2": "train", "4": "train"}


def test_pairs_are_read_and_kept_apart(tmp_path):
    file = tmp_path / "sts.tsv"
    file.write_text(f'{KORSTS_HEAD}main\tx\t2012\t1\t3.800\t"배가  온다.\t배는 온다.\n', encoding="utf-8")
    assert pairs.read(file) == [("3.8", '"배가 온다.', "배는 온다.")]
    given = {
        "train": [("5", "가나", "다라"), ("1", "마바", "사아")],
        "validation": [("2", "자차", "가 나!")],
        "test": [("3", "마바.", "카타")],
    }
    assert pairs.select(given) == [("validation", "2", "자차", "가 나!"), ("test", "3", "마바.", "카타")]


def test_names_are_spans_of_characters_mended_at_their_beginning():
    blocks = NER.split("\n\n")
    assert names.sentence_of(blocks[1]) == ("서울에 3시", [(0, "서울", "LC"), (4, "3시", "TI")])
    assert names.sentence_of(blocks[3]) == ("<레이>(주)배", [(1, "레이", "PS"), (4, "(주)배", "OG")])
    found = names.select(NER)
    assert {row["id"] for row in found} == {"klue-ner-v1_dev_00000-nsmc", "klue-ner-v1_dev_00002-nsmc"}
    assert list(found[0]) == ["id", "part", "text", "names"]


def test_validation_is_of_whole_documents_and_words_are_as_written():
    text = "".join(KAIST.format(f"D{number % 5}", number, f"마을{number}") for number in range(20))
    dev = parts_of_speech.read(text)
    assert dev[0] == ("D0-s0", "고향은 마을0 .", "NOUN PROPN PUNCT")
    test = parts_of_speech.read(KAIST.format("E", 1, "마을7") * 2)
    rows = parts_of_speech.select(dev, test)
    parts = {part: [row[0] for row in rows if row[1] == part] for part in PARTS}
    assert parts["test"] == ["E-s1", "E-s1"] and "D2-s7" not in parts["train"] + parts["validation"]
    documents = [{name.partition("-")[0] for name in parts[part]} for part in ("train", "validation")]
    assert len(documents[1]) == 1 and not documents[0] & documents[1]
    assert len(parts["train"]) + len(parts["validation"]) == 19


MADE = {
    "reviews.tsv": lambda: tool.table(reviews.COLUMNS, [("test", "7", "1", "좋다")]),
    "pairs.tsv": lambda: tool.table(pairs.COLUMNS, [("test", "3.8", "배", "눈")]),
    "names.jsonl": lambda: f"{names.written(names.select(NER)[0])}\n",
    "parts_of_speech.tsv": lambda: tool.table(
        parts_of_speech.COLUMNS, [("a-s1", "test", "배 .", "NOUN PUNCT")]
    ),
}


def test_what_is_written_can_be_read(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(tool, "MAKERS", MADE)
    assert tool.main(["--out", str(tmp_path / "new")]) == 0
    assert [line.split("\t")[0] for line in capsys.readouterr().out.splitlines()] == list(MADE)
    read = (read_reviews, read_pairs, read_names, read_parts_of_speech)
    assert [sum(map(len, one(tmp_path / "new" / name).values())) for one, name in zip(read, MADE)] == [1] * 4
    assert json.loads((tmp_path / "new" / "names.jsonl").read_text(encoding="utf-8"))["names"]


def test_nothing_is_written_unless_all_is_made(tmp_path, monkeypatch, capsys):
    def fails():
        raise OSError("no such corpus")

    monkeypatch.setattr(tool, "MAKERS", {**MADE, "pairs.tsv": fails})
    (tmp_path / "reviews.tsv").write_text("old", encoding="utf-8")
    assert tool.main(["--out", str(tmp_path)]) == 2
    assert capsys.readouterr().err == "task_data: no such corpus\n"
    assert tool.main(["news.tsv", "--out", str(tmp_path)]) == 2
    assert capsys.readouterr().err.startswith("task_data: the files are reviews.tsv, pairs.tsv, names.jsonl")
    assert [file.read_text(encoding="utf-8") for file in tmp_path.iterdir()] == ["old"]
