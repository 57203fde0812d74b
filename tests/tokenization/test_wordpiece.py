import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import BertWordPieceTokenizer

from course_utils.pretrained import MINILM
from course_utils.pretrained.sources import find_model
from course_utils.tokenization import BPETrainer, WordPieceTokenizer, WordPieceTrainer
from course_utils.tokenization.encoding import shares
from course_utils.tokenization.vocab import SPECIAL_TOKENS
from course_utils.tokenization.wordpiece import longest_match

PIECES = "배 를 ##를 ##에 ##에서 밤 a ##b ab ##abc ##bc c x ##x . , ! é ##é e ##e 梨 "
PIECES += "\u1107 ##\u1162 ##\u11b7 i ##\u0307"
VOCAB = {token: number for number, token in enumerate([*SPECIAL_TOKENS, *PIECES.split()])}
OPTIONS = [(lower, strip) for lower in (True, False) for strip in (True, False)]
examples = settings(derandomize=True, deadline=None, max_examples=150, database=None)
PARTS = ["[MASK]", "[SEP]", "[UNK]", "[mask]", "##", "배를", "밤에서", "ab", "abc", "É", "İ", "é", "i̇"]
PARTS += [*"배를밤abcxé梨.,! \t\n\0\u0301\u0323\u200d🍐\u1107\u1162\u11b7\U0002b8ff\u11938\ue000"]
pieces_of_text = st.one_of(st.sampled_from(PARTS), st.characters(exclude_categories=["Cs"]))
texts = st.lists(pieces_of_text, max_size=25).map("".join)


def assert_same(ours, reference):
    assert ours.tokens == reference.tokens
    assert ours.offsets == reference.offsets
    assert ours.input_ids == reference.ids
    assert ours.token_type_ids == reference.type_ids
    assert ours.attention_mask == reference.attention_mask


# --- by hand --------------------------------------------------------------------------------------------------


def test_longest_match_takes_the_longest():
    assert longest_match("배에서", VOCAB) == ["배", "##에서"]
    assert longest_match("aabc", VOCAB) == ["a", "##abc"]
    assert longest_match("abx", VOCAB) == ["ab", "##x"]
    assert longest_match("배밤", VOCAB) is None  # 밤 cannot continue a word


def test_tokenize_by_hand():
    tokenizer = WordPieceTokenizer(VOCAB, strip_accents=False)
    assert tokenizer.tokenize("배를 밤에서, AB!") == ["배", "##를", "밤", "##에서", ",", "ab", "!"]
    assert tokenizer.tokenize("배배 배") == ["[UNK]", "배"]  # the whole word
    assert tokenizer.tokenize("x[MASK]x [mask]") == ["x", "[MASK]", "x", "[UNK]", "[UNK]", "[UNK]"]
    assert tokenizer.tokenize("") == []


def test_encode_by_hand():
    encoding = WordPieceTokenizer(VOCAB, strip_accents=False).encode("배를 É", "밤.")
    assert encoding.tokens == ["[CLS]", "배", "##를", "é", "[SEP]", "밤", ".", "[SEP]"]
    assert encoding.input_ids == [VOCAB[token] for token in encoding.tokens]
    assert encoding.token_type_ids == [0, 0, 0, 0, 0, 1, 1, 1] and encoding.attention_mask == [1] * 8
    assert encoding.offsets == [(0, 0), (0, 1), (1, 2), (3, 4), (0, 0), (0, 1), (1, 2), (0, 0)]


def test_offsets_fit_the_text_as_typed():
    tokenizer = WordPieceTokenizer(VOCAB)
    text = "\0 É  배\u200b!"
    found = [(token, text[start:end]) for token, (start, end) in tokenizer.pieces(text)]
    assert found == [("e", "É"), ("\u1107", "배"), ("##\u1162", "배"), ("!", "!")]


@pytest.mark.parametrize(("length", "expected"), [(100, 100), (101, 1), (1000, 1)])
def test_words_that_are_too_long(length, expected):
    tokens = WordPieceTokenizer(VOCAB).tokenize("x" * length)
    assert len(tokens) == expected and (expected > 1 or tokens == ["[UNK]"])


@pytest.mark.parametrize(
    ("first", "second", "room", "expected"),
    [
        (3, 4, 7, (3, 4)),
        (9, 2, 7, (5, 2)),
        (9, 9, 7, (3, 4)),
        (9, 8, 7, (4, 3)),
        (0, 9, 7, (0, 7)),
        (5, 5, 0, (0, 0)),
    ],
)
def test_shares(first, second, room, expected):
    assert shares(first, second, room) == expected


def test_decode():
    tokenizer = WordPieceTokenizer(VOCAB, strip_accents=False)
    ids = tokenizer.encode("배를 [MASK].").input_ids
    assert tokenizer.decode(ids) == "배를 ."
    assert tokenizer.decode(ids, skip_special_tokens=False) == "[CLS] 배를 [MASK] . [SEP]"
    with pytest.raises(ValueError, match="got 999"):
        tokenizer.decode([999])


@pytest.mark.parametrize(("pair", "least"), [(None, 2), ("배", 3)])
def test_no_room(pair, least):
    tokenizer = WordPieceTokenizer(VOCAB)
    assert len(tokenizer.encode("배", pair, max_length=least)) == least
    with pytest.raises(ValueError, match=f"at least {least}, got {least - 1}"):
        tokenizer.encode("배", pair, max_length=least - 1)


# --- against tokenizers ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("lower", "strip"), OPTIONS)
@examples
@given(text=texts, pair=st.none() | texts, max_length=st.integers(3, 40))
def test_equals_tokenizers_on_a_small_vocabulary(lower, strip, text, pair, max_length):
    reference = BertWordPieceTokenizer(VOCAB, lowercase=lower, strip_accents=strip)
    tokenizer = WordPieceTokenizer(VOCAB, lowercase=lower, strip_accents=strip)
    assert_same(tokenizer.encode(text, pair, max_length=None), reference.encode(text, pair))
    reference.enable_truncation(max_length)
    assert_same(tokenizer.encode(text, pair, max_length=max_length), reference.encode(text, pair))


@pytest.mark.parametrize(("lower", "strip"), OPTIONS)
def test_equals_tokenizers_on_the_real_vocabulary(lower, strip):
    path = str(find_model(MINILM).folder / "vocab.txt")
    reference = BertWordPieceTokenizer(path, lowercase=lower, strip_accents=strip)
    tokenizer = WordPieceTokenizer.from_vocab_file(path, lower, strip)
    assert len(tokenizer.vocab) == 30_522
    random_ = random.Random(7)
    ranges = [(0, 0x250), (0, 0x3100), (0x300, 0x370), (0x1100, 0x1200), (0xAC00, 0xD7A4), (0x1F300, 0x1FB00)]
    ranges += [(0x4E00, 0x9FFF), (0x10000, 0x20000), (0xE000, 0x110000)]
    words = [
        "unaffable",
        "[MASK]",
        "Crème",
        "배를",
        "don't",
        "U.S.",
        "İ",
        "\0",
        "\u200b",
        "café" * 30,
        "##ing",
    ]
    reference.enable_truncation(512)
    for _ in range(500):
        chosen = random_.sample(ranges, 2)
        parts = [chr(random_.randrange(*random_.choice(chosen))) for _ in range(random_.randrange(20))]
        text = "".join(random_.choice([part, part, f" {random_.choice(words)}"]) for part in parts)
        assert_same(tokenizer.encode(text), reference.encode(text))
    for text in ["", "a" * 1000, "배" * 1000, "e\u0301" * 100, ("x" * 100 + " ") * 9, "word " * 600]:
        assert_same(tokenizer.encode(text), reference.encode(text))


# --- training -------------------------------------------------------------------------------------------------


def test_the_score_by_hand_and_where_bpe_disagrees():
    # 다 and 가 are everywhere; ㅋ and ㅎ only with each other. (The lines are words of one pair each.)
    texts = ["가다 가다 가다 가나 가나 바다 바다 ㅋㅎ ㅋㅎ"]
    trainer = WordPieceTrainer(strip_accents=False)
    step = next(trainer.steps(texts, 99))
    assert step.pair == ("ㅋ", "##ㅎ") and step.new_symbol == "ㅋㅎ"
    assert step.count == 2 and step.score == 2 / (2 * 2)
    assert [(each.pair, each.score) for each in step.runners_up] == [
        (("가", "##나"), 2 / (5 * 2)),
        (("바", "##다"), 2 / (2 * 5)),
        (("가", "##다"), 3 / (5 * 5)),
    ]
    bpe = [step.new_symbol for step in BPETrainer().steps(texts, 99)]
    assert bpe.index("▁가") < bpe.index("▁ㅋㅎ")  # BPE goes by the count


def test_the_alphabet_comes_first_and_continues_with_its_marks():
    tokenizer = WordPieceTrainer(strip_accents=False).train(["배를 배를 배를 를"], 9)
    assert list(tokenizer.vocab) == [*SPECIAL_TOKENS, "를", "배", "##를", "배를"]
    assert tokenizer.tokenize("배를 를 배") == ["배를", "를", "배"]
    with pytest.raises(ValueError, match="alphabet of 3"):
        WordPieceTrainer(strip_accents=False).train(["배를"], 7)


def test_the_trainer_normalises_as_its_tokenizer_does():
    text = "É\x0bÉ\x1cÉ É"
    trainer = WordPieceTrainer(lowercase=True, strip_accents=True)
    assert trainer.words([text]) == {"eee": 1, "e": 1}
    assert trainer.train([text], 20).tokenize("É") == ["e"]
    assert WordPieceTrainer(lowercase=False, strip_accents=False).words([text]) == {"ÉÉÉ": 1, "É": 1}


def test_training_is_repeatable_and_can_be_saved(tmp_path):
    lines = ["배를 타고 배에서 배를 먹었다.", "배가 아파서 배를 만졌다!"]
    tokenizers = [WordPieceTrainer(strip_accents=False).train(order, 60) for order in (lines, lines[::-1])]
    assert tokenizers[0].vocab == tokenizers[1].vocab
    tokenizers[0].save_vocab_file(tmp_path / "vocab.txt")
    again = WordPieceTokenizer.from_vocab_file(tmp_path / "vocab.txt", strip_accents=False)
    assert again.vocab == tokenizers[0].vocab and "[UNK]" not in again.tokenize(lines[0])
