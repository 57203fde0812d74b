"""How a command of the course ends: what went wrong is one sentence on stderr, and a status that a script can read.

    0    done
    1    only where a command says so: it found what it looks for (the doctor an ailment, datasets.public an overlap)
    2    an error; also what argparse says of a mistyped option
    130  Ctrl-C

`--debug` shows the traceback as well. Errors that the course raises say what was expected and what to do; those of
the operating system come as "[Errno 13] Permission denied: 'x'" and say neither, hence REMEDIES.
"""

from __future__ import annotations

import argparse
import errno
import os
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress

ERROR = 2
STOPPED = 130  # 128 + SIGINT, as a shell counts
NOBODY_READS = 141  # 128 + SIGPIPE

MOVE_OR_RENAME = "a file stands where a folder must be: move it away, or name another folder"
CHANGE_RIGHTS = "it must be yours to read and write: change its permissions, or name another place"
MAKE_ROOM = "the disk is full: make room, or name a place on another disk"
REMEDIES = {
    errno.ENOENT: "it must be there: is the path spelled right?",
    errno.EEXIST: MOVE_OR_RENAME,
    errno.ENOTDIR: MOVE_OR_RENAME,
    errno.EISDIR: "a folder stands where a file must be: move it away, or name another file",
    errno.EACCES: CHANGE_RIGHTS,
    errno.EPERM: CHANGE_RIGHTS,
    errno.EROFS: CHANGE_RIGHTS,
    errno.ENOSPC: MAKE_ROOM,
    errno.EDQUOT: MAKE_ROOM,
}


def add_debug(parser: argparse.ArgumentParser) -> None:
    """The option `--debug`, which every command has."""
    parser.add_argument("--debug", action="store_true", help="show the traceback of an error")


def carry_out(
    name: str, work: Callable[[], int | None], *, debug: bool = False, stopped: str = "stopped"
) -> int:
    """Do a command's work and return its exit status; no error gets past.

    Args:
        name: of the command, before each sentence.
        work: gives the exit status, None for 0.
        debug: print the traceback before the sentence.
        stopped: what to say after Ctrl-C.
    """
    with suppress(AttributeError, ValueError):  # a stream of a notebook or of a test
        # An encoding (cp949, ascii) without ✓ writes \u2713, as on stderr; "surrogateescape": LC_ALL=C.
        if sys.stdout.errors in ("strict", "surrogateescape"):
            sys.stdout.reconfigure(errors="backslashreplace")
    try:
        status = work() or 0
        sys.stdout.flush()
        return status
    except KeyboardInterrupt:
        return told(name, stopped, STOPPED)
    except BrokenPipeError:  # `… | head`: what is still in the buffer has no reader
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return NOBODY_READS
    except Exception as error:
        if debug:
            traceback.print_exc()
        return told(name, sentence_of(error))


def told(name: str, sentence: str, status: int = ERROR) -> int:
    """Print a sentence of a command on stderr; returns the status to end with."""
    print(f"{name}: {sentence}", file=sys.stderr)
    return status


def sentence_of(error: Exception) -> str:
    """The sentence for an error that ends a command.

    Args:
        error: one of ours, whose words are kept; one of the operating system, which is told by its path, what happened
            to it, and what helps; or one that nobody foresaw, which is told by its kind.
    """
    words = " ".join(str(error).split("\n")).strip()
    if isinstance(error, MemoryError):
        return f"the memory is used up ({words or 'no more could be had'}); take smaller sizes, or close other programs"
    if isinstance(error, OSError) and error.strerror:
        said = error.strerror if error.filename is None else f"{error.filename}: {error.strerror}"
        remedy = REMEDIES.get(error.errno)
        return f"{said}; {remedy}" if remedy else said
    if (
        isinstance(error, ValueError | OSError | FloatingPointError) and words
    ):  # what the course raises itself
        return words
    return f"{type(error).__name__}: {words or 'without words'} (--debug shows where)"
