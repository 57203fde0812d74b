"""Added tokens, with every flag they may have, against the `tokenizers` library."""

import random

import pytest

from course_utils.tokenization import WordPieceTokenizer
from course_utils.tokenization.added import AddedToken
from course_utils.tokenization.fast import fast_wordpiece
from tests.tokenization.test_wordpiece import OPTIONS, VOCAB

NAMES = [
    "KoBERT",
    "이모티콘",
    "배",
    "ab",
    "abc",
    "É",
    "New York",
    "🍐",
    "梨花",
    "##를",
    "배🍐",
    " lead",
    "[E1]",
    "a.b",
]
PARTS = [
    "[MASK]",
    "[mask]",
    "배를",
    "밤에서",
    "abc",
    "i̇",
    " ",
    "  ",
    "kobert",
    "new york",
    "new\u3000york",
    "_",
    "²",
]
PARTS += [*NAMES, *"배를밤abcxé梨.,! \t\n\0\u0301\u0323\u200d\u1107\u1162\ue000"]


def with_added(*tokens, **rules):
    return WordPieceTokenizer(VOCAB, added=[AddedToken(**token) for token in tokens], **rules)


@pytest.mark.parametrize(("lower", "strip"), OPTIONS)
def test_the_same_pieces_at_the_same_places(lower, strip):
    draw = random.Random(13)
    for _ in range(40):
        following, tokens = len(VOCAB), []
        for name in draw.sample(NAMES, 5):
            flags = {flag: draw.random() < 0.3 for flag in ("single_word", "lstrip", "rstrip", "special")}
            flags |= {"normalized": draw.random() < 0.6, "id": VOCAB.get(name, following)}
            following += name not in VOCAB
            tokens.append({"content": name, **flags})
        tokenizer = with_added(*tokens, lowercase=lower, strip_accents=strip)
        twin = fast_wordpiece(tokenizer)
        for _ in range(11):
            text = "".join(draw.choices(PARTS, k=draw.randrange(13)))
            encoding, reference = tokenizer.encode(text), twin.encode(text)
            assert (encoding.input_ids, encoding.offsets) == (reference.ids, reference.offsets), (
                text,
                tokens,
            )


def test_by_hand():
    tokenizer = with_added(
        {"content": "KoBERT", "id": 99},
        {"content": "[E1]", "id": 100, "normalized": False, "special": True},
        strip_accents=False,
    )
    assert tokenizer.tokenize("kobert를 [E1] [e1]") == ["KoBERT", "를", "[E1]", *["[UNK]"] * 3]
    assert tokenizer.encode("KoBERT").input_ids == [2, 99, 3] and tokenizer.vocab["[E1]"] == 100
    assert tokenizer.decode([2, 99, 100, 3]) == "KoBERT" and "KoBERT" not in tokenizer.word_pieces


def test_blanks_between_two_go_to_the_first():
    tokenizer = with_added(
        {"content": "KoBERT", "id": 99, "rstrip": True}, {"content": "🍐", "id": 100, "lstrip": True}
    )
    assert tokenizer.encode("KoBERT  🍐").offsets[1:-1] == [(0, 8), (8, 9)]
    assert fast_wordpiece(tokenizer).encode("KoBERT  🍐").offsets[1:-1] == [(0, 8), (8, 9)]


def test_what_the_library_itself_leaves_to_chance_is_refused():
    with pytest.raises(ValueError, match="^KoBERT and another added token are the same after normalisation"):
        with_added({"content": "KoBERT", "id": 99}, {"content": "kobert", "id": 100})
    with_added({"content": "KoBERT", "id": 99}, {"content": "kobert", "id": 100, "normalized": False})


def test_a_vocabulary_file_has_no_place_for_them(tmp_path):
    with pytest.raises(ValueError, match="no place for KoBERT, .* save_pretrained"):
        with_added({"content": "KoBERT", "id": 99}).save_vocab_file(tmp_path / "vocab.txt")
    with_added({"content": "배", "id": VOCAB["배"]}).save_vocab_file(tmp_path / "vocab.txt")
