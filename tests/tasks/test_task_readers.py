"""The readers of data/tasks/: a few rows by hand, and one clear sentence for each that is broken."""

from __future__ import annotations

import json
import unicodedata

import pytest

from course_utils.tasks import data
from course_utils.tasks.data import BAD, GOOD, DialectSentence, LabelledReview, Question, SentencePair
from course_utils.tasks.words import TaggedSentence

REVIEWS = (
    "part\tfilm\tlabel\ttext\ntest\t7\t1\t좋은 영화\ntrain\t5\t0\t지루한\u2028영화\ntrain\t5\t1\t또 보자\n"
)
PAIRS = 'part\tscore\tfirst\tsecond\nvalidation\t3.8\t"배가 온다.\t배는 온다.\n'
DIALECT = (
    "thought\tpart\tdialect\tsentence\tfeatures\n"
    "3\ttrain\t표준어\t어디 가니?\t-\n3\ttrain\t경상\t어데 가노?\t어데; -노 의문\n"
)
POS = "id\tpart\twords\ttags\na-s1\ttest\t내 고향은 서울입니다 .\tADJ NOUN VERB PUNCT\n"
NAMES = (
    '{"id": "n1", "part": "train", "text": "김씨는 부산에서 왔다.", '
    '"names": [[0, "김", "PS"], [4, "부산", "LC"]]}'
)
PASSAGE = {"id": "p1", "part": "test", "title": "배", "passage": "배가 부산에 왔다. 배는 크다."}
ASKED = [
    {"question": "어디에 왔나?", "answer": "부산", "start": 3},
    {"question": "언제 왔나?", "answer": None},
]
QUESTIONS = json.dumps({**PASSAGE, "questions": ASKED}, ensure_ascii=False)

READERS = {
    "reviews.tsv": (data.read_reviews, REVIEWS),
    "pairs.tsv": (data.read_pairs, PAIRS),
    "dialect.tsv": (data.read_dialects, DIALECT),
    "parts_of_speech.tsv": (data.read_parts_of_speech, POS),
    "names.jsonl": (data.read_names, f"{NAMES}\n"),
    "questions.jsonl": (data.read_questions, f"{QUESTIONS}\n"),
}


def read(tmp_path, name, content):
    file = tmp_path / name
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return READERS[name][0](file)


def test_each_row_becomes_an_example_of_its_part(tmp_path):
    def found(name):
        return read(tmp_path, name, READERS[name][1])

    assert found("reviews.tsv") == {
        "train": [LabelledReview("지루한\u2028영화", BAD), LabelledReview("또 보자", GOOD)],
        "validation": [],
        "test": [LabelledReview("좋은 영화", GOOD)],
    }
    assert found("pairs.tsv")["validation"] == [SentencePair('"배가 온다.', "배는 온다.", 3.8)]
    assert found("dialect.tsv")["train"] == [
        DialectSentence("어디 가니?", "표준어", 3, ()),
        DialectSentence("어데 가노?", "경상", 3, ("어데", "-노 의문")),
    ]
    assert found("parts_of_speech.tsv")["test"] == [
        TaggedSentence(
            "내 고향은 서울입니다 .",
            ("내", "고향은", "서울입니다", "."),
            (0, 2, 6, 12),
            ("ADJ", "NOUN", "VERB", "PUNCT"),
        )
    ]
    assert found("names.jsonl")["train"] == [
        TaggedSentence(
            "김씨는 부산에서 왔다.",
            ("김씨는", "부산에서", "왔다", "."),
            (0, 4, 9, 11),
            ("B-PS", "B-LC", "O", "O"),
        )
    ]
    same = ("p1", "배", PASSAGE["passage"])
    assert found("questions.jsonl")["test"] == [
        Question(*same, "어디에 왔나?", "부산", 3),
        Question(*same, "언제 왔나?", None, None),
    ]


def test_other_line_ends_a_mark_at_the_start_and_columns_in_another_order_are_read(tmp_path):
    expected = read(tmp_path, "reviews.tsv", REVIEWS)
    windows = b"\xef\xbb\xbf" + REVIEWS.replace("\n", "\r\n").encode()
    assert read(tmp_path, "reviews.tsv", windows) == expected
    turned = "".join(
        "\t".join(line.split("\t")[::-1]) + "\n" for line in REVIEWS.removesuffix("\n").split("\n")
    )
    assert read(tmp_path, "reviews.tsv", turned.removesuffix("\n")) == expected


def asked(**change):
    """QUESTIONS with its first question changed."""
    return json.dumps({**PASSAGE, "questions": [{**ASKED[0], **change}, ASKED[1]]}, ensure_ascii=False)


def named(*name):
    """NAMES with another second name."""
    return NAMES.replace('[4, "부산", "LC"]', json.dumps(name, ensure_ascii=False))


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("reviews.tsv", "", "reviews.tsv must hold at least one row, and is empty"),
        ("reviews.tsv", b"part\xff", "reviews.tsv must be UTF-8, and byte 4 is not"),
        ("reviews.tsv", "part\tfilm\tlabel\ttext\n", "must have at least one row below its header, and has none"),
        ("reviews.tsv", REVIEWS.replace("film", "movie"),
         "reviews.tsv must have the columns part, film, label, text, and lacks film"),
        ("reviews.tsv", REVIEWS.replace("train\t5\t1\t", "train\t5\t"),
         "reviews.tsv, row 4: there must be 4 cells, got 3"),
        ("reviews.tsv", REVIEWS + "\n", "reviews.tsv, row 5: there must be 4 cells, got 1"),
        ("reviews.tsv", REVIEWS.replace("train\t5\t0", "train\t5\t2"),
         "reviews.tsv, row 3: label must be one of 0, 1, got '2'"),
        ("reviews.tsv", REVIEWS.replace("또 보자", " "),
         "reviews.tsv, row 4: text must be a text that is not empty, got ' '"),
        ("reviews.tsv", REVIEWS.replace("test", "dev"),
         "reviews.tsv, row 2: part must be one of train, validation, test, got 'dev'"),
        ("pairs.tsv", PAIRS.replace("3.8", "5.1"), "pairs.tsv, row 2: score must be a number from 0 to 5, got '5.1'"),
        ("pairs.tsv", PAIRS.replace("3.8", "nan"), "pairs.tsv, row 2: score must be a number from 0 to 5, got 'nan'"),
        ("dialect.tsv", DIALECT.replace("경상", "함경"),
         "dialect.tsv, row 3: dialect must be one of 표준어, 경상, 전라, 충청, 강원, 제주, got '함경'"),
        ("dialect.tsv", DIALECT.replace("3\ttrain\t경상", "셋\ttrain\t경상"),
         "dialect.tsv, row 3: thought must be a number, got '셋'"),
        ("parts_of_speech.tsv", POS.replace(" PUNCT", ""),
         "parts_of_speech.tsv, row 2: there must be a tag for each of 4 words, got 3"),
        ("parts_of_speech.tsv", POS.replace("PUNCT", "Mark"), "VERB X, got 'Mark'"),
        ("parts_of_speech.tsv", POS.replace("내 고향은", "내  고향은").replace("ADJ", "ADJ ADJ"),
         "parts_of_speech.tsv, row 2: words must be apart by one blank, got two"),
        ("names.jsonl", NAMES + "\n[]", "names.jsonl, row 2 must hold a JSON object, got list"),
        ("names.jsonl", NAMES + "\n{", "names.jsonl, row 2 must be JSON, got Expecting property name"),
        ("names.jsonl", NAMES.replace('"text"', '"txt"'), "names.jsonl, row 1 must have text, a text"),
        ("names.jsonl", named(4, "부산", "CITY"),
         "names.jsonl, row 1: a name's kind must be one of PS, LC, OG, DT, TI, QT, got 'CITY'"),
        ("names.jsonl", named(5, "부산", "LC"),
         "names.jsonl, row 1: '부산' must be a name without blanks at its ends that stands at character 5"),
        ("names.jsonl", named(4, "부산"), "names.jsonl, row 1: not enough values to unpack"),
        ("questions.jsonl", asked(answer="서울"),
         "questions.jsonl, row 1, question 1: '서울' must stand at character 3 of the passage, and '부산' does"),
        ("questions.jsonl", asked(start=-14), "'부산' must stand at character -14 of the passage, and"),
        ("questions.jsonl", asked(start="3"), "question 1: start must be a whole number, got '3'"),
        ("questions.jsonl", asked(question=""), "question 1: question must be a text that is not empty, got ''"),
        ("questions.jsonl", QUESTIONS.replace(', "answer": null', ""), "question 2 must have answer, a text"),
        ("questions.jsonl", QUESTIONS.replace('"questions": [', '"questions": [7, '),
         "questions.jsonl, row 1: question 1 must be an object, got 7"),
    ],
)  # fmt: skip
def test_a_broken_row_is_told_by_file_and_row(tmp_path, name, content, said):
    with pytest.raises(ValueError) as caught:
        read(tmp_path, name, content)
    assert said in str(caught.value)


def test_hangul_in_parts_is_composed_in_tables_and_refused_where_places_are_counted(tmp_path):
    for name, (read, content) in READERS.items():
        path = tmp_path / name
        path.write_text(content, "utf-8")
        expected = read(path)
        path.write_text(unicodedata.normalize("NFD", content), "utf-8")
        if name.endswith(".jsonl"):
            with pytest.raises(ValueError, match=rf"{name}, row 1: Hangul must be in syllables \(NFC\)"):
                read(path)
        else:
            assert read(path) == expected


def test_no_file(tmp_path):
    for read_file, _ in READERS.values():
        with pytest.raises(FileNotFoundError, match="there is no file .*absent"):
            read_file(tmp_path / "absent")
        with pytest.raises(FileNotFoundError, match="there is no file"):
            read_file(tmp_path)
