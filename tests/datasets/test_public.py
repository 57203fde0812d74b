"""Public text to pre-train on: each layout on a file of a few lines, and each rule that leaves a sentence out."""

from __future__ import annotations

import gzip
import json
import re
import unicodedata
from itertools import chain

import pytest

from course_utils.datasets import public, set_aside
from course_utils.datasets.origins import ORIGINS
from course_utils.datasets.public import READERS, held_out_sentences, main, prepare
from course_utils.datasets.set_aside import film_part

KORSTS_HEAD = "genre\tfilename\tyear\tid\tscore\tsentence1\tsentence2\n"
KORSTS = (
    f"{KORSTS_HEAD}"
    'main\tMSRvid\t2012\t0001\t5.0\t"비행기가 이륙한다.\t비행기가 뜬다.\n'
    "main\tMSRvid\t2012\t0002\t1.0\t개가 짖는다.\t비행기가 뜬다.\n"
)
NLI = [
    {"premise": "집이 크다.", "hypothesis": "집이 작다."},
    {"premise": "집이  크다.", "hypothesis": "방이 많다."},
]
STS = [{"sentence1": " 가나. ", "sentence2": ""}, {"sentence1": "나다.", "sentence2": "다라."}]
NER = (
    "## klue-ner-v1_dev_00000\t<서울:LC>에서 <3시:TI>에 <김<:PS>씨를 <만났다.\n서\tB-LC\n울\tI-LC\n\n"
    "## klue-ner-v1_dev_00001\t비가 온다.\n비\tO\n## 다른 줄\n"
)
CHAT = 'Q,A,label\n"가자, 지금","그래요 ""네""",0\n12시 땡!,하루가 또 가네요.,0\n'
KAIST = (
    "# sent_id = M2TA_069-s1\n# text = 내 고향은 서울입니다.\n# translit = .nae\n1\t내\t내\n\n"
    "# sent_id = M2TA_069-s2\n# text = 모습이 그립습니다.\n1\t모습이\n\n# sent_id = M2TA_070-s1\n# text = 청은 졌다.\n"
)
FILMS = {
    part: next(film for film in map(str, range(9999)) if film_part(film) == part)
    for part in ("pretraining", "train", "validation", "test")
}


TEST_REVIEWS = ("train", "시험 여섯."), ("validation", "시험 일곱."), ("test", "시험 여덟.")


def packed(*reviews: tuple[str, str]) -> bytes:
    lines = [f"{number}\t{FILMS[part]}\t10\t{text}\n" for number, (part, text) in enumerate(reviews)]
    return gzip.compress("".join(lines).encode())


FILES: dict[str, str | bytes] = {
    "korsts-train.tsv": KORSTS,
    "korsts-dev.tsv": f"{KORSTS_HEAD}m\tf\t2012\t1\t5.0\t시험 하나.\t시험 둘.\n",
    "korsts-test.tsv": f"{KORSTS_HEAD}m\tf\t2012\t1\t5.0\t시험 셋.\t시험 넷.\n",
    "klue-nli-v1.1_dev.json": json.dumps(NLI, ensure_ascii=False),
    "klue-sts-v1.1_dev.json": json.dumps(STS, ensure_ascii=False),
    "klue-ner-v1.1_dev.tsv": NER,
    "ChatbotData.csv": CHAT,
    "ko_kaist-ud-dev.conllu": KAIST,
    "ko_kaist-ud-test.conllu": "# sent_id = X-s1\n# text = 시험 다섯.\n1\t시험\n",
    "nsmc_raw.tsv.gz": packed(("pretraining", '정말 "좋다'), *TEST_REVIEWS),
}
EXPECTED = {
    # A pair of paraphrases is two documents, and a sentence that stood there before is left out.
    "korsts-train.tsv": [['"비행기가 이륙한다.'], ["비행기가 뜬다."], ["개가 짖는다."]],
    "klue-nli-v1.1_dev.json": [["집이 크다."], ["집이 작다."], ["방이 많다."]],
    "klue-sts-v1.1_dev.json": [["가나."], ["나다."], ["다라."]],
    "ChatbotData.csv": [["가자, 지금", '그래요 "네"'], ["12시 땡!", "하루가 또 가네요."]],
    "ko_kaist-ud-dev.conllu": [["내 고향은 서울입니다.", "모습이 그립습니다."], ["청은 졌다."]],
    "nsmc_raw.tsv.gz": [['정말 "좋다']],
}


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    """What is read, which a test may change."""
    given = dict(FILES)

    def find_file(name):
        path = tmp_path / name
        content = given[name]
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    monkeypatch.setattr(public, "find_file", find_file)
    monkeypatch.setattr(set_aside, "find_file", find_file)
    return given


def public_documents(*names):
    return [document for corpus in prepare(*names) for document in corpus.documents]


@pytest.mark.parametrize("name", READERS)
def test_each_layout_by_hand(name):
    assert public_documents([name]) == EXPECTED[name]


def test_all_of_them_in_order():
    assert public_documents() == public_documents(["all"]) == list(chain(*EXPECTED.values()))
    assert tuple(EXPECTED) == tuple(READERS)
    names = ["ChatbotData.csv", "korsts-train.tsv", "ChatbotData.csv"]
    assert public_documents(names) == EXPECTED["ChatbotData.csv"] + EXPECTED["korsts-train.tsv"]


def test_what_is_tested_on_is_read_by_no_reader():
    assert set(READERS) < set(ORIGINS)
    aside = {"korsts-dev.tsv", "korsts-test.tsv", "klue-ner-v1.1_dev.tsv", "ko_kaist-ud-test.conllu"}
    assert not aside & set(READERS)


def test_a_mark_at_the_beginning_of_a_table_is_no_part_of_its_first_column(files):
    files["ChatbotData.csv"] = "\ufeff" + CHAT
    assert public_documents(["ChatbotData.csv"]) == EXPECTED["ChatbotData.csv"]


def test_a_sentence_is_kept_whole_in_nfc_with_one_blank(files):
    files["nsmc_raw.tsv.gz"] = packed(("pretraining", unicodedata.normalize("NFD", "긴 글. 두  문장!")))
    assert public_documents(["nsmc_raw.tsv.gz"]) == [["긴 글. 두 문장!"]]


# --- the rules --------------------------------------------------------------------------------------------------------

ASIDE = ["서울에서 3시에 김씨를 만났다.", "비가 온다."]
ASIDE += [f"시험 {number}." for number in ("하나", "둘", "셋", "넷", "다섯", "여섯", "일곱", "여덟")]


@pytest.mark.parametrize("text", ASIDE)
def test_what_is_set_aside_in_one_corpus_is_dropped_from_every_other(files, text):
    """Each test text stands in each corpus, with other blanks."""
    text = f" {text.replace(' ', '  ')}" if " " in text else text
    files["korsts-train.tsv"] += f"m\tf\t2012\t1\t5.0\t{text}\t남는 문장.\n"
    files["klue-nli-v1.1_dev.json"] = json.dumps([*NLI, {"premise": text, "hypothesis": "집이 크다."}])
    files["klue-sts-v1.1_dev.json"] = json.dumps([*STS, {"sentence1": "나다.", "sentence2": text}])
    files["ChatbotData.csv"] += f"{text},남는 대답.,0\n"
    files["ko_kaist-ud-dev.conllu"] += f"# sent_id = M2TA_071-s1\n# text = {text}\n"
    files["nsmc_raw.tsv.gz"] = packed(("pretraining", text), *TEST_REVIEWS)
    corpora = prepare()
    assert [corpus.left_out["set aside"] for corpus in corpora] == [1] * len(READERS)
    assert corpora[0].documents[-1] == ["남는 문장."] and corpora[3].documents[-1] == ["남는 대답."]
    assert corpora[1].documents == EXPECTED["klue-nli-v1.1_dev.json"]


def test_a_repeat_is_dropped_from_whatever_comes_later(files):
    files["ChatbotData.csv"] += "집이크다!,비행기가   뜬다.,0\n"
    files["nsmc_raw.tsv.gz"] = packed(*(("pretraining", text) for text in ("집이 크다", "새 글", "새 글.")))
    chat, _, reviews = prepare()[3:]
    assert chat.documents == EXPECTED["ChatbotData.csv"] and chat.left_out["repeated"] == 2
    assert reviews.documents == [["새 글"]] and reviews.left_out["repeated"] == 2


def test_rude_text_is_dropped_from_reviews_and_chat_only(files):
    files["korsts-train.tsv"] += "m\tf\t2012\t1\t5.0\t새끼 고양이가 잔다.\t남는 문장.\n"
    files["ChatbotData.csv"] += "졸라 심심해,뭐 해요?,0\n"
    files["nsmc_raw.tsv.gz"] = packed(("pretraining", "졸라 재밌다"), ("pretraining", "재밌다"))
    corpora = {corpus.name: corpus for corpus in prepare()}
    chat, reviews = corpora["ChatbotData.csv"], corpora["nsmc_raw.tsv.gz"]
    assert ["새끼 고양이가 잔다."] in corpora["korsts-train.tsv"].documents
    assert chat.documents[-1] == ["뭐 해요?"] and reviews.documents == [["재밌다"]]
    assert chat.stems == reviews.stems == {"졸라": 1}


def test_what_is_near_a_held_out_sentence_is_dropped(files):
    held_out = held_out_sentences()[0]
    near = ("pretraining", f"{held_out.rstrip('.')} ㅋㅋ 정말")
    files["nsmc_raw.tsv.gz"] = packed(near, ("pretraining", "남는 글"))
    corpus = prepare(["nsmc_raw.tsv.gz"])[0]
    assert corpus.documents == [["남는 글"]] and corpus.left_out == {"near": 1}


def test_what_follows_a_gap_is_another_document(files):
    one, two, three, four, five = (
        f"{number} 있다." for number in ["하나가", "둘이", "셋이", "넷이", "다섯이"]
    )
    texts = enumerate([one, two, "시험 셋.", three, one, four, five])
    files["ko_kaist-ud-dev.conllu"] = "".join(f"# sent_id = A-s{n}\n# text = {text}\n" for n, text in texts)
    corpus = prepare(["ko_kaist-ud-dev.conllu"])[0]
    assert corpus.documents == [[one, two], [three], [four, five]]
    assert (corpus.read, corpus.sentences, corpus.characters) == (7, 5, 32)


# --- names and the command --------------------------------------------------------------------------------------------


def test_unknown_names_are_refused_before_anything_is_read(files):
    files.clear()
    with pytest.raises(ValueError, match=re.escape("or 'all'; got news.txt, korsts-dev.tsv")):
        public_documents(["korsts-train.tsv", "news.txt", "korsts-dev.tsv"])


def test_the_command_prints_what_each_rule_left_out(files, capsys):
    files["ChatbotData.csv"] += "졸라 심심해,시험 하나,0\n12시 땡,네?,0\n"
    assert main(["ChatbotData.csv"]) == 0
    head, row, rude, left = capsys.readouterr().out.splitlines()
    assert head.split("\t")[1:6] == ["sentences read", "set aside", "repeated", "rude", "near"]
    assert row.split("\t") == ["ChatbotData.csv", "8", "1", "1", "1", "0", "3", "5", "31"]
    assert (rude, left) == ("rude: 졸라 1", "left after all: set aside 0, repeated 0, near 0")


@pytest.mark.parametrize("planted", ["시험 하나.", "가자,지금", held_out_sentences()[3]])
def test_the_command_fails_where_something_is_left_after_all(files, monkeypatch, capsys, planted):
    monkeypatch.setattr(public._Rules, "against", lambda *_: None)
    assert main(["ChatbotData.csv"]) == 0
    files["ChatbotData.csv"] += f'"{planted}",괜찮은 대답.,0\n'
    assert main(["ChatbotData.csv"]) == 1
    assert sorted(re.findall(r"\d+", capsys.readouterr().out.splitlines()[-1])) == ["0", "0", "1"]
