"""How a command of the course ends: what went wrong is one sentence on stderr, and a status that a script can read.

    0    done
    1    only where a command says so: it found what it looks for (the doctor an ailment, datasets.public an overlap)
    2    an error; also what argparse says of a mistyped option
    130  Ctrl-C

`--debug` shows the traceback as well.
"""

from __future__ import annotations

import argparse
import os
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress

from course_utils.support.failures import sentence_of

ERROR = 2
STOPPED = 130  # 128 + SIGINT, as a shell counts
NOBODY_READS = 141  # 128 + SIGPIPE


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
    _print_anything()
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


def _print_anything() -> None:
    """Let stdout write \\u2713 where its encoding (cp949, ascii) has no such sign, as stderr does."""
    with suppress(AttributeError, ValueError):  # a stream of a notebook or of a test
        if sys.stdout.errors == "strict":
            sys.stdout.reconfigure(errors="backslashreplace")
