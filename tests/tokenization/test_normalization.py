import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer

from course_utils.tokenization.hangul import is_syllable, to_jamo
from course_utils.tokenization.normalization import (
    align,
    clean,
    decompose,
    is_blank,
    normalize,
    normalized_text,
    split_cjk,
    split_words,
)

OPTIONS = [(lower, accents_off) for lower in (True, False) for accents_off in (True, False)]
# Where trouble lives: letters that grow, marks that change places, Hangul in both forms, signs, blanks, controls.
TROUBLE = list("aÉéİßẞſΣςΌﬁ배를각백梨﨑\U0002b8ff\U00020000") + list(
    "\u0301\u0323\u0344\u0345\u0f73\u302e\u3099\u05b0\u200d\ufe0f\u1734\u180f\u1df6\u11938\u0897"
)
TROUBLE += list(".,-_$^`~“、。·¿\u037e\u166d\u2e52 \t\n\r\x0b\x1c\x85\xa0\u2028\u3000\0\ufffd\ue000\xad🍐😀")
texts = st.text(st.one_of(st.sampled_from(TROUBLE), st.characters(exclude_categories=["Cs"])), max_size=30)
examples = settings(derandomize=True, deadline=None, max_examples=150, database=None)


def text_of(aligned):
    return "".join(char for char, _ in aligned)


def test_by_hand():
    words = split_words(normalize("\tCrème, 배(梨)\u200b를!"))
    assert " ".join(word.text for word in words) == "creme , \u1107\u1162 ( 梨 ) \u1105\u1173\u11af !"
    places = [(1, 2, 3, 4, 5), (6,), (8, 8), (9,), (10,), (11,), (13, 13, 13), (14,)]
    assert [word.places for word in words] == places


@pytest.mark.parametrize(
    ("step", "text", "expected"),
    [
        (clean, "a\0b\u200bc\x85d\ufffde\ue000\td\u3000e\u2028f", "abcde d e f"),
        (split_cjk, "배梨a", "배 梨 a"),
        (decompose, "배é", "\u1107\u1162e\u0301"),
        (decompose, "a\u0301\u0323", "a\u0323\u0301"),  # below (220) before above (230)
        (decompose, "a\u0301\u0323b", "a\u0323\u0301b"),
        (normalize, "İSTANBUL", "istanbul"),
    ],
)
def test_steps_by_hand(step, text, expected):
    assert text_of(step(text if step is normalize else align(text))) == expected


def test_lower_case_alone_keeps_both_characters_of_one():
    assert normalize("aİ", accents_off=False) == [("a", 0), ("i", 1), ("\u0307", 1)]


@pytest.mark.parametrize(("lower", "accents_off"), OPTIONS)
@examples
@given(text=texts)
def test_equals_tokenizers(lower, accents_off, text):
    reference = BertNormalizer(lowercase=lower, strip_accents=accents_off)
    normalized = normalized_text(text, lower=lower, accents_off=accents_off)
    assert normalized == reference.normalize_str(text)
    words = [word.text for word in split_words(normalize(text, lower=lower, accents_off=accents_off))]
    assert words == [word for word, _ in BertPreTokenizer().pre_tokenize_str(normalized)]


@pytest.mark.parametrize("start", range(0, 0x32000, 0x1900))
def test_every_seventh_code_point_is_treated_as_by_tokenizers(start):
    reference = BertNormalizer(lowercase=True, strip_accents=True)
    chars = [
        chr(number)
        for number in range(start + start // 0x1900 % 7, start + 0x1900, 7)
        if not 0xD800 <= number < 0xE000
    ]
    text = " ".join(f"a{char}b" for char in chars)
    normalized = normalized_text(text)
    assert normalized == reference.normalize_str(text)
    words = [word.text for word in split_words(align(normalized))]
    assert words == [word for word, _ in BertPreTokenizer().pre_tokenize_str(normalized)]


@pytest.mark.parametrize("accents_off", [True, False])
@examples
@given(text=texts)
def test_places_lie_in_the_text_and_never_run_backwards(accents_off, text):
    places = [place for char, place in normalize(text, accents_off=accents_off) if not is_blank(char)]
    assert places == sorted(places)
    assert all(0 <= place < len(text) for place in places)


@examples
@given(text=texts)
def test_without_case_and_accents_each_character_stays_itself(text):
    for char, place in normalize(text, lower=False, accents_off=False):
        assert char == text[place] or char == " "


def test_a_lone_surrogate_is_dropped():
    assert normalized_text("a\ud800b") == "ab"


# --- Hangul -----------------------------------------------------------------------------------------------------


def test_what_accent_stripping_does_to_bae():
    assert normalize("배", lower=False) == [("\u1107", 0), ("\u1162", 0)]
    assert normalize("배", accents_off=False) == [("배", 0)]


def test_the_formula_is_unicodes_decomposition():
    for number in range(0xAC00, 0xD7A4):
        char = chr(number)
        assert to_jamo(char) == unicodedata.normalize("NFD", char)
    assert not is_syllable(chr(0xABFF)) and not is_syllable(chr(0xD7A4)) and not is_syllable("배를")


@pytest.mark.parametrize("wrong", ["", "a", "ㅂ", "배를", "\u1107"])
def test_only_a_syllable_is_decomposed(wrong):
    with pytest.raises(ValueError, match="one composed syllable"):
        to_jamo(wrong)
