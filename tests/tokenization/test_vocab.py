import pytest

from course_utils.tokenization import BPETokenizer, WordPieceTokenizer
from course_utils.tokenization.vocab import SPECIAL_TOKENS, load_vocab, save_vocab

GOOD = [*SPECIAL_TOKENS, "배", "##를", "\u2028", "\x85", "#"]


def write(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return path


def test_there_and_back(tmp_path):
    vocab = {token: number for number, token in enumerate(GOOD)}
    save_vocab(vocab, tmp_path / "vocab.txt")
    assert load_vocab(tmp_path / "vocab.txt") == vocab
    assert (tmp_path / "vocab.txt").read_bytes() == ("\n".join(GOOD) + "\n").encode()
    assert [path.name for path in tmp_path.iterdir()] == ["vocab.txt"]


@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
def test_line_ends(tmp_path, end):
    content = (end if end == "\r\n" else "\n").join(GOOD) + end
    assert list(load_vocab(write(tmp_path / "vocab.txt", content))) == GOOD


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "vocab.txt is empty; a vocabulary has one token a line: take"),
        ("\n".join([*GOOD, "배"]), "'배' stands twice, in lines 6 and 11; .* take the file"),
        (
            "\n".join([*GOOD, "배"]),
            r"where it is so there, write \[line6\] in line 6: `transformers` reads the other",
        ),
        ("\n".join([*GOOD[:6], "", *GOOD[6:]]), "line 7 is empty; every line holds one token"),
        ("\n".join([*GOOD[:6], "", *GOOD[6:]]), r"where it is so there, write \[line7\] into it"),
        ("\n".join(GOOD[1:]), r"\[PAD\] missing among 9 tokens; BERT needs \[PAD\], \[UNK\]"),
        (
            "\n".join(GOOD).encode("cp949", "ignore"),
            r"not UTF-8: byte 0xB9 in line 6 .* save the file as UTF-8",
        ),
        ("\n".join(GOOD).encode("utf-8-sig"), r"begins with a byte order mark .* without one"),
    ],
)
def test_a_damaged_vocabulary_is_refused(tmp_path, content, message):
    path = write(tmp_path / "vocab.txt", content)
    with pytest.raises(ValueError, match=message):
        WordPieceTokenizer.from_vocab_file(path)


@pytest.mark.parametrize(
    ("vocab", "message"),
    [
        ({"a": 0, "b": 2}, r"ids of a vocabulary must be 0 … 1, each once"),
        ({"a": 0, "b": 0}, r"ids of a vocabulary must be 0 … 1, each once"),
        ({"a": 0, "b\n": 1}, r"'b\\n' cannot stand in a line"),
        ({"a": 0, " ": 1}, r"' ' cannot stand in a line"),
    ],
)
def test_what_cannot_be_saved(tmp_path, vocab, message):
    with pytest.raises(ValueError, match=message):
        save_vocab(vocab, tmp_path / "vocab.txt")
    assert list(tmp_path.iterdir()) == []


def test_vocabulary_and_merges_of_two_models():
    with pytest.raises(ValueError, match="do not belong together"):
        BPETokenizer({"[UNK]": 0, "a": 1, "b": 2}, [("a", "b")])
