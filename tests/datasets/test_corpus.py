"""Reading documents: one sentence a line, documents apart by a blank line."""

from __future__ import annotations

import re
import unicodedata

import pytest

from course_utils.datasets.corpus import (
    CORPUS,
    HOMONYMS,
    MORE,
    STORIES,
    WHOLE_CORPUS,
    homonym,
    read_documents,
    sense_documents,
)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "b.txt").write_text("셋.\n\n\n  넷. \n다섯.\n", encoding="utf-8")
    (tmp_path / "a.txt").write_text("\n하나.\n둘.", encoding="utf-8")
    (tmp_path / "notes.md").write_text("아니다.", encoding="utf-8")
    return tmp_path


def test_documents_by_hand(folder):
    assert read_documents(folder / "b.txt") == [["셋."], ["넷.", "다섯."]]
    assert read_documents(str(folder / "a.txt")) == [["하나.", "둘."]]


def test_a_folder_is_read_in_the_order_of_names_and_files_do_not_run_together(folder):
    assert read_documents(folder) == [["하나.", "둘."], ["셋."], ["넷.", "다섯."]]


def test_files_of_the_same_name_stand_one_behind_the_other(folder, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    (other / "a.txt").write_text("여섯.\n", encoding="utf-8")
    assert read_documents([folder, other]) == [["하나.", "둘."], ["여섯."], ["셋."], ["넷.", "다섯."]]
    assert read_documents([other, str(folder)]) == [["여섯."], ["하나.", "둘."], ["셋."], ["넷.", "다섯."]]
    with pytest.raises(ValueError, match="at least one file or folder"):
        read_documents([])


def test_a_sense_is_read_from_several_folders():
    whole = sense_documents("배", "ship", WHOLE_CORPUS)
    assert whole == [
        one for folder in (CORPUS, MORE, STORIES) for one in sense_documents("배", "ship", folder)
    ]


def test_line_ends_and_marks_of_other_systems(tmp_path):
    (tmp_path / "w.txt").write_bytes("\ufeff하나.\r\n둘.\r\n\r\n셋.\r\n".encode())
    assert read_documents(tmp_path / "w.txt") == [["하나.", "둘."], ["셋."]]


def test_hangul_in_parts_is_composed(tmp_path):
    (tmp_path / "mac.txt").write_text(unicodedata.normalize("NFD", "밤에 배를 탔다.\n값\n"), encoding="utf-8")
    assert read_documents(tmp_path) == [["밤에 배를 탔다.", "값"]]
    assert homonym(unicodedata.normalize("NFD", "밤")) == homonym("밤")


def test_what_is_missing_or_no_text_is_said(tmp_path):
    with pytest.raises(FileNotFoundError, match=re.escape(f"{tmp_path} must hold at least one .txt file")):
        read_documents(tmp_path)
    with pytest.raises(FileNotFoundError, match="there is no text file .*nothing.txt"):
        read_documents(tmp_path / "nothing.txt")
    for encoding in ("CP949", "UTF-16"):
        (tmp_path / "old.txt").write_bytes("하나".encode(encoding))
        with pytest.raises(
            ValueError, match=rf"old.txt must be UTF-8, and byte 0 is not: .*iconv -f {encoding} "
        ):
            read_documents(tmp_path / "old.txt")
    (tmp_path / "old.txt").write_text(" \n\n", encoding="utf-8")
    with pytest.raises(ValueError, match="old.txt must hold at least one sentence, and is empty"):
        read_documents(tmp_path)


def test_the_courses_own_corpus_is_the_default():
    assert read_documents() == read_documents(CORPUS)
    whole = read_documents()
    assert all(document in whole for document in sense_documents("배", "pear"))


def test_documents_of_a_sense(tmp_path):
    (tmp_path / "nun_snow.txt").write_text("눈이 온다.\n", encoding="utf-8")
    assert sense_documents("눈", "snow", tmp_path) == [["눈이 온다."]]
    with pytest.raises(FileNotFoundError, match="nun_eye.txt"):
        sense_documents("눈", "eye", tmp_path)


def test_unknown_words_and_senses_are_named():
    assert homonym("말") == ("mal", ("horse", "speech"))
    with pytest.raises(ValueError, match="knows the senses of 배 눈 밤 다리 차 사과 말 은행; got '집'"):
        homonym("집")
    with pytest.raises(ValueError, match="the senses of 배 are ship, pear, belly, times; got 'snow'"):
        sense_documents("배", "snow")


def test_names_are_those_that_the_course_promises():
    promised = "배 ship pear belly times · 눈 eye snow · 밤 night chestnut · 다리 leg bridge · 차 car tea"
    promised += " · 사과 apple apology · 말 horse speech · 은행 bank ginkgo"
    assert promised == " · ".join(f"{word} {' '.join(senses)}" for word, (_, senses) in HOMONYMS.items())
