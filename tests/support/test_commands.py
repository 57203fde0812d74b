"""How a command ends: a status that a script can read, one sentence, no traceback unless it is asked for."""

from __future__ import annotations

import argparse
import errno
import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from course_utils.support import commands
from course_utils.support.commands import REMEDIES, add_debug, carry_out, sentence_of, told

ROOT = str(Path(commands.__file__).parents[2])


def raising(error: BaseException):
    def work():
        raise error

    return work


@pytest.mark.parametrize(("given", "status"), [(None, 0), (0, 0), (1, 1)])
def test_a_command_that_ends_well_says_nothing(given, status, capsys):
    assert carry_out("name", lambda: given) == status
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ValueError("steps must be at least 1"), "steps must be at least 1"),
        (FloatingPointError("update 3: the loss is nan"), "update 3: the loss is nan"),
        (PermissionError(13, "Permission denied", "x"), "x: Permission denied; it must be yours"),
        (RuntimeError("first\nsecond"), "RuntimeError: first second (--debug shows where)"),
        (KeyError("step"), "KeyError: 'step' (--debug shows where)"),
        (ZeroDivisionError(), "ZeroDivisionError: without words (--debug shows where)"),
        (ValueError(), "ValueError: without words (--debug shows where)"),
        (MemoryError(), "the memory is used up (no more could be had); take smaller sizes"),
    ],
)
def test_an_error_is_one_sentence_and_status_2(error, said, capsys):
    assert carry_out("name", raising(error)) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith(f"name: {said}") and err.count("\n") == 1
    assert carry_out("name", raising(error), debug=True) == 2
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("Traceback") and lines[-1].startswith(f"name: {said}")


def test_ctrl_c(capsys):
    assert carry_out("name", raising(KeyboardInterrupt()), stopped="the same command goes on") == 130
    assert capsys.readouterr().err == "name: the same command goes on\n"


def test_told_and_the_option(capsys):
    assert (told("name", "a sentence"), told("name", "another", 1)) == (2, 1)
    assert capsys.readouterr().err == "name: a sentence\nname: another\n"
    parser = argparse.ArgumentParser()
    add_debug(parser)
    assert parser.parse_args([]).debug is False and parser.parse_args(["--debug"]).debug is True


def test_errors_of_the_system_say_what_helps(tmp_path):
    (tmp_path / "file").write_text("")
    for action, said in (
        ((tmp_path / "file").mkdir, "file: File exists; a file stands where a folder must be"),
        (tmp_path.read_text, f"{tmp_path}: Is a directory; a folder stands where a file must be"),
        ((tmp_path / "none").read_text, "none: No such file or directory; it must be there"),
    ):
        with pytest.raises(OSError) as caught:
            action()
        assert said in sentence_of(caught.value)
    assert sentence_of(OSError(errno.EIO, "Input/output error", "x")) == "x: Input/output error"
    full = OSError(errno.ENOSPC, "No space left on device")
    assert sentence_of(full) == f"No space left on device; {REMEDIES[errno.ENOSPC]}"


@pytest.mark.parametrize(
    ("encoding", "said"), [("ascii", b"\\u2713 \\ubc30"), ("cp949", b"\\u2713 \xb9\xe8")]
)
def test_a_sign_that_the_terminal_lacks_is_written_as_its_number(monkeypatch, encoding, said):
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding=encoding))
    assert carry_out("name", lambda: print("✓ 배", end="")) == 0
    assert written.getvalue() == said


@pytest.mark.skipif(sys.platform == "win32", reason="pipes there end otherwise")
def test_a_reader_that_goes_away_is_no_error():
    work = "from course_utils.support.commands import carry_out\nimport sys\n"
    work += "sys.exit(carry_out('name', lambda: [print('x' * 999) for _ in range(9999)] and None))"
    with subprocess.Popen(
        [sys.executable, "-c", work],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": ROOT},
    ) as process:
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b"" and process.wait(timeout=60) == 141
