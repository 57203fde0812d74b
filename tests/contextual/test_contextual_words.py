"""A word is found by itself and with its particles, and not inside other words."""

from __future__ import annotations

import unicodedata

import pytest

from course_utils import locale
from course_utils.contextual import WordNotFound, find_word, occurrences
from course_utils.datasets.corpus import HOMONYMS, sense_documents


def found(text: str, word: str) -> bool:
    return occurrences(text, word) == [(0, len(word))]


@pytest.mark.parametrize(
    ("word", "texts"),
    [
        ("배", "배 배가 배를 배는 배와 배의 배로 배에 배에서도 배도 배만 배랑 배나 배라도 배보다 배처럼"),
        ("배", "배다 배였다 배였습니다 배예요 배인데 배이다 배이고 배라면 배뿐이다 배네요 배들이 배만으로는"),
        ("밤", "밤 밤이 밤을 밤은 밤과 밤의 밤으로 밤에는 밤이다 밤이었다 밤이면 밤이라도 밤이에요 밤이지만"),
        ("말", "말 말이 말을 말은 말과 말로 말로는 말로써 말이다"),
        ("차", "차가 차는 차라면"),
        # Still the apology, still the speech.
        ("사과", "사과했다 사과하는 사과해야 사과드립니다 사과할게 사과한다"),
        ("말", "말하고 말했다 말한 말해 말합니다"),
    ],
)
def test_by_itself_and_with_what_may_follow(word, texts):
    assert [text for text in texts.split() if not found(text, word)] == []


@pytest.mark.parametrize(
    ("word", "texts"),
    [
        ("배", "배이 배을 배은 배과 배으로"),  # particles of the other kind
        ("밤", "밤가 밤를 밤는 밤와 밤로 밤다"),
        ("말", "말으로 말으로는 말고 말라고"),
        ("차", "차이 차이가 차이다 차이지만 차이고 차량 기차 차갑다 차례로 찻잔"),  # 차이: difference
        ("눈", "눈물이"),
        ("밤", "밤새 밤나무"),
        ("다리", "다리미를 사다리"),
        ("사과", "사과나무"),
        ("말", "말씀을 정말"),
        ("은행", "은행잎이"),
    ],
)
def test_another_word_is_none(word, texts):
    assert [text for text in texts.split() if occurrences(text, word)] == []


def test_the_syllable_inside_another_word_is_not_the_word():
    texts = "배추 배추를 배우 배우가 배우다 배나무 배경 배고프다 담배 담배를 두배 뱃멀미 뱃멀미가 양배추에서"
    for text in texts.split():
        assert occurrences(text, "배") == []
        with pytest.raises(WordNotFound, match="배 is here only part of another word") as caught:
            find_word(f"어제 {text} 얘기를 했다", "배")
        assert caught.value.reason == "inside" and caught.value.facts["inside"] == text
    assert occurrences("배하고 배했다", "배") == [(0, 1)]  # with a pear; the second is no word


def test_signs_and_numbers_around_it():
    assert occurrences('"배"라고, (배) 배. 배?', "배") == [(1, 2), (8, 9), (11, 12), (14, 15)]
    assert occurrences("값이 3배로, 10배나 2.5배", "배") == [(4, 5), (10, 11), (16, 17)]
    assert occurrences("2차로 3말", "차") == [] == occurrences("3말", "말")  # the second round; three bushels
    assert occurrences("배3호 배A", "배") == []


def test_places_count_characters_of_the_sentence_as_given():
    sentence = "  🚢 그 배를\t타고 배추와 배도 실었다."
    assert [sentence[slice(*place)] for place in occurrences(sentence, "배")] == ["배", "배"]
    assert occurrences(sentence, "배") == [(6, 7), (16, 17)]


def test_each_of_several_is_found_by_its_number():
    sentence = "배를 타고 배를 먹으니 배가 부르다"
    assert [find_word(sentence, "배", occurrence=number) for number in range(3)] == [(0, 1), (6, 7), (13, 14)]
    for number in (3, -1):
        with pytest.raises(WordNotFound, match=rf"3 time\(s\).* must lie in 0 … 2, got {number}") as caught:
            find_word(sentence, "배", occurrence=number)
        facts = caught.value.facts
        assert caught.value.reason == "too_few" and (facts["found"], facts["occurrence"]) == (3, number)


def test_a_word_that_is_not_there():
    with pytest.raises(WordNotFound, match="배 does not stand in the sentence: 나는 걸었다.") as caught:
        find_word(" 나는 걸었다. ", "배")
    assert caught.value.reason == "absent"
    assert caught.value.facts == {"word": "배", "sentence": "나는 걸었다."}
    with pytest.raises(WordNotFound) as caught:
        find_word("바람이 밥맛을 돋운다", "밤")  # a final consonant takes no ㅅ
    assert caught.value.reason == "absent"


def test_only_words_that_hold_the_syllable_are_named():
    with pytest.raises(WordNotFound) as caught:
        find_word("배추, 담배, 뱃멀미와 사과", "배")
    assert caught.value.facts["inside"] == "배추, 담배, 뱃멀미와"


@pytest.mark.parametrize(
    ("sentence", "word"), [("", "배"), (" \n", "배"), ("배를 탔다", ""), ("배를 탔다", " ")]
)
def test_nothing_to_look_in_or_for(sentence, word):
    with pytest.raises(ValueError, match="one is empty") as caught:
        find_word(sentence, word)
    assert not isinstance(caught.value, WordNotFound)
    if not word.strip():
        with pytest.raises(ValueError, match="a word to look for is needed; it is empty"):
            occurrences(sentence, word)


def test_a_word_in_other_letters_is_taken_as_it_is():
    assert occurrences("BERT BERT를 (BERT) BERTs", "BERT")[0] == (0, 4)
    assert occurrences("a.c abc", "a.c") == [] and occurrences("abc a", "a") == [(4, 5)]


@pytest.mark.parametrize("word", HOMONYMS)
def test_most_sentences_of_the_corpus_that_hold_the_syllable_hold_the_word(word):
    for sense in HOMONYMS[word][1]:
        sentences = [sentence for document in sense_documents(word, sense) for sentence in document]
        holding = [sentence for sentence in sentences if word in sentence]
        share = sum(bool(occurrences(sentence, word)) for sentence in holding) / len(holding)
        assert 0.85 < share <= 1.0, (sense, share)


@pytest.mark.parametrize("lang", ["ko", "en"])
@pytest.mark.parametrize(
    ("sentence", "occurrence", "named"),
    [("비가 온다.", 0, "비가 온다."), ("배우가 배추를 든다.", 0, "배우가, 배추를"), ("배를 탔다.", 2, "2")],
)
def test_each_reason_is_told_in_the_learners_language(monkeypatch, lang, sentence, occurrence, named):
    monkeypatch.setenv("COURSE_LANG", lang)
    with pytest.raises(WordNotFound) as missing:
        find_word(sentence, "배", occurrence=occurrence)
    told = locale.text(f"words.{missing.value.reason}", **missing.value.facts)
    assert "'배'" in told and named in told


def test_hangul_in_parts_is_found_and_the_places_fit_the_text_as_given():
    sentence = "밤에 배추를 실은 배를 타고 3배로 번 배"
    apart = unicodedata.normalize("NFD", sentence)  # as a Mac writes it
    for word in ("배", unicodedata.normalize("NFD", "배")):
        spans = occurrences(apart, word)
        assert [unicodedata.normalize("NFC", apart[:start]) for start, _ in spans] == [
            sentence[:start] for start, _ in occurrences(sentence, "배")
        ]
        assert {unicodedata.normalize("NFC", apart[start:end]) for start, end in spans} == {"배"}
    with pytest.raises(WordNotFound) as missing:
        find_word(unicodedata.normalize("NFD", "뱃멀미가 났다"), "배")
    assert missing.value.facts["inside"] == "뱃멀미가"
