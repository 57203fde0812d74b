import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers.pre_tokenizers import ByteLevel

from course_utils.tokenization import ByteBPETokenizer, ByteBPETrainer
from course_utils.tokenization.byte_bpe import byte_symbols, from_byte_symbols, split_words, to_byte_symbols

LINES = ["배를 타고 배에서 배를 먹었다.", "A pear (배), a ship!", "  배가\t아파서\n\n배를 만졌다"]
TOKENIZER = ByteBPETrainer().train(LINES, 265)


def test_bytes_by_hand():
    assert to_byte_symbols("배 A") == "ë°°ĠA"
    assert from_byte_symbols("ë°°ĠA") == "배 A"
    assert from_byte_symbols("ë°") == "\ufffd"


def test_the_alphabet_is_that_of_tokenizers():
    assert sorted(byte_symbols()) == sorted(ByteLevel.alphabet()) and len(set(byte_symbols())) == 256
    shown = ByteLevel(add_prefix_space=False, use_regex=False).pre_tokenize_str("배🍐\0\x7f é")[0][0]
    assert to_byte_symbols("배🍐\0\x7f é") == shown


@settings(derandomize=True, deadline=None, max_examples=400, database=None)
@given(
    text=st.text(
        st.one_of(st.characters(), st.sampled_from(" \t\n배를가a.\u1107\u1162\x00\ud800🍐")), max_size=40
    )
)
def test_every_text_comes_back(text):
    assert "".join(split_words(text)) == text
    assert TOKENIZER.decode(TOKENIZER.encode(text)) == text


@settings(derandomize=True, deadline=None, max_examples=100, database=None)
@given(ids=st.lists(st.integers(0, len(TOKENIZER.vocab) - 1)))
def test_any_ids_give_a_text(ids):
    assert isinstance(TOKENIZER.decode(ids), str)


def test_words():
    assert split_words("배를 탔다.  끝\n ") == ["배를", " 탔다", ".", " ", " 끝", "\n "]


def test_the_first_merge_joins_bytes_of_frequent_syllables():
    step = next(ByteBPETrainer().steps(["배배배 밤"], 300))
    assert step.pair == ("ë", "°") and step.count == 4  # 배 = EB B0 B0, 밤 = EB B0 A4


def test_special_tokens_in_decoding():
    tokenizer = ByteBPETrainer(special_tokens=["<|end|>"]).train(LINES, 300)
    assert tokenizer.vocab["<|end|>"] == 0 and tokenizer.special_tokens == {"<|end|>"}
    assert tokenizer.decode([*tokenizer.encode("배"), 0, *tokenizer.encode("밤")]) == "배<|end|>밤"


def test_a_missing_byte_is_refused():
    vocab = {symbol: number for number, symbol in enumerate(byte_symbols()[:-1])}
    with pytest.raises(ValueError, match=r"all 256 bytes, and lacks \[255\]"):
        ByteBPETokenizer(vocab, [])
