"""The sentence that a command ends with."""

import errno
import json

import pytest

from course_utils.support.failures import REMEDIES, sentence_of


def of_the_system(action):
    with pytest.raises(OSError) as caught:
        action()
    return sentence_of(caught.value)


def test_a_file_in_the_way_of_a_folder(tmp_path):
    (tmp_path / "file").write_text("")
    for error, action in (
        ("File exists", (tmp_path / "file").mkdir),
        ("Not a directory", (tmp_path / "file" / "folder").mkdir),
    ):
        told = of_the_system(action)
        assert told.startswith(str(tmp_path / "file")) and f": {error}; a file stands where a folder" in told
        assert "name another folder" in told


def test_a_folder_in_the_way_of_a_file(tmp_path):
    assert of_the_system(tmp_path.read_text) == (
        f"{tmp_path}: Is a directory; a folder stands where a file must be: move it away, or name another file"
    )


def test_nothing_there(tmp_path):
    told = of_the_system((tmp_path / "none").read_text)
    assert told == (
        f"{tmp_path}/none: No such file or directory; it must be there: is the path spelled right?"
    )


@pytest.mark.parametrize(
    ("number", "helps"),
    [
        (errno.EACCES, "change its permissions"),
        (errno.EPERM, "change its permissions"),
        (errno.EROFS, "change its permissions"),
        (errno.ENOSPC, "make room"),
        (errno.EDQUOT, "make room"),
    ],
)
def test_what_a_test_cannot_bring_about(number, helps):
    assert helps in sentence_of(OSError(number, "words of the system", "runs/first"))


def test_an_error_without_a_path_or_without_a_remedy():
    assert sentence_of(OSError(errno.ENOSPC, "No space left on device")) == (
        f"No space left on device; {REMEDIES[errno.ENOSPC]}"
    )
    assert sentence_of(OSError(errno.EIO, "Input/output error", "x")) == "x: Input/output error"


def test_words_of_our_own_are_kept():
    for error in (ValueError("steps must be at least 1"), FileNotFoundError("there is no model folder x")):
        assert sentence_of(error) == str(error)
    with pytest.raises(json.JSONDecodeError) as caught:
        json.loads("{")
    assert sentence_of(caught.value) == str(caught.value)


def test_what_nobody_foresaw_is_told_by_its_kind_on_one_line():
    assert sentence_of(RuntimeError("one\ntwo")) == "RuntimeError: one two (--debug shows where)"
    assert sentence_of(IndexError()) == "IndexError: without words (--debug shows where)"
    assert sentence_of(ValueError("one\ntwo")) == "one two"
    assert "the memory is used up (Unable to allocate 3 TiB)" in sentence_of(
        MemoryError("Unable to allocate 3 TiB")
    )
