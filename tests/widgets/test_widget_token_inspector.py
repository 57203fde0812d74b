"""TokenInspector without a browser: code points, forms, pieces, offsets, sentence, and what it refuses."""

import json
import unicodedata

import pytest

from course_utils.tokenization import WordPieceTokenizer
from course_utils.tokenization.vocab import SPECIAL_TOKENS
from course_utils.widgets import TokenInspector

PIECES = [
    "배",
    "##를",
    "탔",
    "##다",
    ".",
    "\u1107",
    "##\u1162",
    "cafe",
    "Café",
    "i",
    "##\u0307",
    "<",
    "img",
    ">",
]
VOCAB = {piece: number for number, piece in enumerate([*SPECIAL_TOKENS, *PIECES])}


def tokenizer(lowercase: bool, strip_accents: bool) -> WordPieceTokenizer:
    return WordPieceTokenizer(VOCAB, lowercase=lowercase, strip_accents=strip_accents)


def make(sentence: str = "배를 탔다.", **changes) -> TokenInspector:
    return TokenInspector(sentence, **({"tokenizer": tokenizer} | changes))


def texts(inspector: TokenInspector) -> list[str]:
    return [piece["text"] for piece in inspector.picture["pieces"]]


def test_stripping_accents_shatters_the_ship() -> None:
    inspector = make("배")
    row = inspector.picture["characters"][0]
    assert (row["number"], row["name"]) == ("U+BC30", "HANGUL SYLLABLE BAE")
    assert row["decomposed"] == row["left"] == "U+1107 U+1162" and row["changed"]
    assert texts(inspector) == ["\u1107", "##\u1162"]
    inspector.strip_accents = False
    row = inspector.picture["characters"][0]
    assert row["left"] == "U+BC30" and not row["changed"] and texts(inspector) == ["배"]
    assert row["decomposed"] == "U+1107 U+1162"


def test_pieces_ids_and_offsets_are_the_tokenizers() -> None:
    inspector = make(strip_accents=False)
    expected = tokenizer(True, False).pieces("배를 탔다.")
    shown = [(p["text"], (p["start"], p["end"])) for p in inspector.picture["pieces"]]
    assert shown == expected
    assert shown == [("배", (0, 1)), ("##를", (1, 2)), ("탔", (3, 4)), ("##다", (4, 5)), (".", (5, 6))]
    assert [p["id"] for p in inspector.picture["pieces"]] == [VOCAB[piece] for piece in texts(inspector)]
    assert inspector.picture["words"] == ["배를", "탔다", "."]


def test_the_chosen_piece_is_marked_in_the_text_as_typed() -> None:
    inspector = make("Café 배")
    assert inspector.picture["marked"] == ["", "Café", " 배"] and texts(inspector)[0] == "cafe"
    inspector.piece = 2
    assert inspector.picture["marked"] == ["Café ", "배", ""]
    assert (
        f"조각 '##\u1162'(id {VOCAB[chr(35) * 2 + chr(0x1162)]})" in inspector.summary
        and "[5, 6), 곧 '배'" in inspector.summary
    )
    inspector.sentence = "배를"
    assert inspector.picture["chosen"] == 0 and inspector.picture["pieces"][0]["unknown"]
    assert inspector.picture["marked"] == ["", "배를", ""]


def test_forms_count_code_points_and_bytes() -> None:
    inspector = make("밤é")
    forms = {form["name"]: (form["count"], form["bytes"]) for form in inspector.picture["forms"]}
    assert forms == {"typed": (2, 5), "nfc": (2, 5), "nfd": (5, 12), "normalized": (4, 10)}
    assert "코드 포인트 2개(NFC 2개, NFD 5개), 정규화한 뒤 4개" in inspector.summary
    typed = unicodedata.normalize("NFD", "배")
    inspector.sentence = typed
    assert "코드 포인트 2개(NFC 1개, NFD 2개)" in inspector.summary


def test_what_normalisation_drops_or_doubles_is_shown_at_its_place() -> None:
    rows = make("İ\x00梨A", strip_accents=False).picture["characters"]
    assert [row["left"] for row in rows] == ["U+0069 U+0307", "", "U+0020 U+68A8 U+0020", "U+0061"]
    assert [row["changed"] for row in rows] == [True, True, True, True]
    assert rows[1]["name"] == ""


def test_lowercase_is_independent_of_accents() -> None:
    inspector = make("Café", lowercase=False, strip_accents=False)
    assert texts(inspector) == ["Café"]
    inspector.lowercase = True
    assert texts(inspector) == ["[UNK]"] and "[UNK]는 1개" in inspector.summary
    assert f"모델은 '{inspector.sentence}'에서 [UNK]만 봅니다." in inspector.summary


@pytest.mark.parametrize("sentence", ["", " \t", "\u0301"])
def test_texts_without_pieces(sentence: str) -> None:
    inspector = make(sentence)
    assert inspector.picture["pieces"] == [] and inspector.picture["marked"][1] == ""
    assert "조각 0개" in inspector.summary and json.dumps(inspector.picture)
