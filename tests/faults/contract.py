"""What every door keeps to, whatever of its kind it is given.

It returns, or refuses with a ValueError, TypeError, OSError or LookupError in one sentence of at most 300 letters (the
system's own sentences are taken without the path, which is the caller's). It warns of nothing, writes into no folder
that is not its own, ends within two seconds of the processor, and leaves its arguments as they were.
"""

from __future__ import annotations

import os
import re
import signal
import time
import unicodedata
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

REFUSALS = (ValueError, TypeError, OSError, LookupError)
LONGEST = 300  # characters of a message
BUSY = 2.0  # seconds of the processor: a machine that does other things as well makes no call slower
WAITS = 20.0  # seconds on the clock: for a call that waits, such as for a FIFO's other end


class Broken(AssertionError):
    """A clause of the contract does not hold."""


class Hangs(BaseException):
    """Raised inside a call that does not end; no `except Exception` catches it."""


def hold(call: Callable[..., Any], given: dict[str, Any], folders: Sequence[Path] = ()) -> None:
    """Make a call, and hold it to the contract; it may write nothing into `folders`."""
    before, seen = repr(given), listing(folders)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            with watched():
                call(**given)
        except Hangs:
            raise Broken("it hangs") from None
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # a panic of Rust is no Exception
            check_error(error)
    if warned:
        raise Broken(f"it warns: {warned[0].message}")
    if listing(folders) != seen:
        raise Broken("it writes outside its folder")
    if repr(given) != before:
        raise Broken("it changes its input")


def check_error(error: BaseException) -> None:
    """Refuse an error that is no refusal, or whose message is not one sentence."""
    if not isinstance(error, REFUSALS):
        raise Broken(f"it raises {type(error).__name__}: {str(error)[:LONGEST]}") from error
    check_sentence(error.strerror if isinstance(error, OSError) and error.errno else str(error))


def check_sentence(message: str) -> None:
    """Refuse what is not one sentence: too long, on several lines, unprintable, or with a second sentence behind.

    What learners read in Korean comes from locale/, in short sentences: there may be two.
    """
    if not 0 < len(message) <= LONGEST:
        raise Broken(f"its message has {len(message)} characters: {message[:99]}")
    control = any(unicodedata.category(sign) in ("Cc", "Cs", "Zl", "Zp") for sign in message)
    if "Traceback" in message or control:
        raise Broken(f"its message is not one plain line: {message!r}")
    plain = re.sub(r"'[^']*'|\"[^\"]*\"|\([^()]*\)", "", message)  # what is quoted is the caller's
    if re.search(r"[.!?] +[A-Z]", plain):
        raise Broken(f"its message is more than one sentence: {message}")


@contextmanager
def watched() -> Iterator[None]:
    """Raise Hangs in what takes longer; also afterwards, where a library did not let itself be interrupted."""

    def stop(number: int, frame: Any) -> None:
        raise Hangs

    before = {number: signal.signal(number, stop) for number in (signal.SIGPROF, signal.SIGALRM)}
    start = time.process_time()
    signal.setitimer(signal.ITIMER_PROF, BUSY)
    signal.setitimer(signal.ITIMER_REAL, WAITS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in before.items():
            signal.signal(number, handler)
    if time.process_time() - start > BUSY:
        raise Hangs


def listing(folders: Sequence[Path]) -> list[tuple[str, int, int]]:
    """Each file and folder inside, with its size and when it was written."""
    found = []
    for folder in folders:
        for place, inside, files in os.walk(folder):
            for name in (*inside, *files):
                about = os.lstat(os.path.join(place, name))
                found.append((os.path.join(place, name), about.st_size, about.st_mtime_ns))
    return sorted(found)
