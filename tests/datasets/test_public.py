"""The layouts of the public corpora, each on a file of a few lines; names and groups."""

from __future__ import annotations

import json
import re

import pytest

from course_utils.datasets import public
from course_utils.datasets.origins import ORIGINS
from course_utils.datasets.public import GROUPS, READERS, public_documents

KORSTS = (
    "genre\tfilename\tyear\tid\tscore\tsentence1\tsentence2\n"
    'main\tMSRvid\t2012\t0001\t5.0\t"비행기가 이륙한다.\t비행기가 뜬다.\n'
    "main\tMSRvid\t2012\t0002\t1.0\t개가 짖는다.\t비행기가 뜬다.\n"
)
PAIRS = [
    {"premise": "집이 크다.", "hypothesis": "집이 작다.", "sentence1": " 가. ", "sentence2": ""},
    {"premise": "집이 크다.", "hypothesis": "방이 많다.", "sentence1": "나.", "sentence2": "다."},
]
NER = (
    "## klue-ner-v1_dev_00000\t<서울:LC>에서 <3시:TI>에 <김<:PS>씨를 <만났다.\n서\tB-LC\n울\tI-LC\n\n"
    "## klue-ner-v1_dev_00001\t비가 온다.\n비\tO\n## 다른 줄\n"
)
CHAT = 'Q,A,label\n"가자, 지금","그래요 ""네""",0\n12시 땡!,하루가 또 가네요.,0\n'
REVIEWS = 'document\tlabel\n"정말 좋다\t1\n\t0\n별로 "였다"\t0\n'
RATINGS = "id\tdocument\tlabel\n9976970\t아 더빙..\t0\n"
FILES = {
    "korsts-dev.tsv": KORSTS,
    "klue-nli-v1.1_dev.json": json.dumps(PAIRS, ensure_ascii=False),
    "klue-sts-v1.1_dev.json": json.dumps(PAIRS, ensure_ascii=False),
    "klue-ner-v1.1_dev.tsv": NER,
    "ChatbotData.csv": CHAT,
    "nsmc_sample.tsv": REVIEWS,
    "ratings_train.txt": RATINGS,
}
EXPECTED = {
    # A pair of paraphrases is two documents, and a sentence that stood there before is left out.
    "korsts-dev.tsv": [['"비행기가 이륙한다.'], ["비행기가 뜬다."], ["개가 짖는다."]],
    "klue-nli-v1.1_dev.json": [["집이 크다."], ["집이 작다."], ["방이 많다."]],
    "klue-sts-v1.1_dev.json": [["가."], ["나."], ["다."]],
    "klue-ner-v1.1_dev.tsv": [["서울에서 3시에 김씨를 만났다."], ["비가 온다."]],
    "ChatbotData.csv": [["가자, 지금", '그래요 "네"'], ["12시 땡!", "하루가 또 가네요."]],
    "nsmc_sample.tsv": [['"정말 좋다'], ['별로 "였다"']],
    "ratings_train.txt": [["아 더빙.."]],
}


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.delenv("COURSE_DATA_MIRROR", raising=False)
    monkeypatch.setenv("COURSE_CACHE_HOME", str(tmp_path / "cache"))
    asked: list[str] = []

    def find_file(name):
        asked.append(name)
        path = tmp_path / name
        path.write_text(FILES.get(name, KORSTS), encoding="utf-8")
        return path

    monkeypatch.setattr(public, "find_file", find_file)
    return asked


@pytest.mark.parametrize("name", FILES)
def test_each_layout_by_hand(name, monkeypatch, tmp_path):
    monkeypatch.setenv("COURSE_DATA_MIRROR", str(tmp_path))
    assert public_documents([name]) == EXPECTED[name]


def test_a_mark_at_the_beginning_of_a_table_is_no_part_of_its_first_column(monkeypatch):
    monkeypatch.setitem(FILES, "ChatbotData.csv", "\ufeff" + CHAT)
    assert public_documents(["ChatbotData.csv"]) == EXPECTED["ChatbotData.csv"]


def test_what_stands_in_two_corpora_comes_once():
    both = public_documents(["korsts-dev.tsv", "ChatbotData.csv", "korsts-test.tsv"])
    assert both == EXPECTED["korsts-dev.tsv"] + EXPECTED["ChatbotData.csv"]


def test_groups(files, monkeypatch, tmp_path):
    monkeypatch.setenv("COURSE_DATA_MIRROR", str(tmp_path))
    public_documents()
    assert tuple(files) == GROUPS["all"] and "nsmc_sample.tsv" in files and "ratings_train.txt" not in files
    files.clear()
    public_documents(["published"])
    assert tuple(files) == GROUPS["published"] and all(ORIGINS[name].path for name in files)
    assert set(READERS) == set(ORIGINS) == set(GROUPS["all"]) | set(GROUPS["published"])


def test_a_sample_that_is_published_nowhere_is_refused_before_anything_is_fetched(files):
    with pytest.raises(OSError, match="nsmc_sample.tsv is a sample .* published nowhere"):
        public_documents(["all"])
    assert files == []


def test_unknown_names_are_refused_before_anything_is_read(files):
    with pytest.raises(ValueError, match=re.escape("or 'all', or 'published'; got news.txt")):
        public_documents(["korsts-dev.tsv", "news.txt"])
    assert files == []
