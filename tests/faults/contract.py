"""What every public call keeps to, whatever it is given.

It returns, or raises an error that its docstring documents under "Raises:", in one sentence of at most 300 characters.
It warns of nothing, writes into no folder that is not its own, ends within two seconds of the processor, and leaves its
arguments as they were.
"""

from __future__ import annotations

import inspect
import math
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

import numpy as np
import torch
from torch import Tensor, nn

LONGEST = 300  # characters of a message
BUSY = 2.0  # seconds of the processor: a machine that does other things as well makes no call slower
WAITS = 20.0  # seconds on the clock: for a call that waits, such as for a FIFO's other end


class Broken(AssertionError):
    """A clause of the contract does not hold."""


class Hangs(BaseException):
    """Raised inside a call that does not end; no `except Exception` catches it."""


def hold(
    call: Callable[..., Any], given: dict[str, Any], errors: set[str], folders: Sequence[Path] = ()
) -> None:
    """Make a call and hold it to the contract.

    Args:
        call, given: the function and its arguments.
        errors: the names of the errors that it documents.
        folders: where it may not write.

    Raises:
        Broken: if a clause does not hold; says which.
    """
    frozen, seen = freeze(given), listing(folders)
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
            check_error(error, errors)
    if warned:
        raise Broken(f"it warns: {warned[0].message}")
    if listing(folders) != seen:
        raise Broken("it writes outside its folder")
    if freeze(given) != frozen:
        raise Broken("it changes its input")


def check_error(error: BaseException, errors: set[str]) -> None:
    """Refuse an error of a type that is not documented, or whose message is not one sentence."""
    kind = type(error).__name__
    if not errors.intersection(base.__name__ for base in type(error).__mro__):
        raise Broken(f"it raises {kind}, which it does not document: {str(error)[:LONGEST]}") from error
    check_sentence(str(error))


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


def documented(*things: Any) -> set[str]:
    """The names of the errors under "Raises:": of functions, of classes and those above them, of their modules."""
    found: set[str] = set()
    above = [base for thing in things if inspect.isclass(thing) for base in thing.__mro__]
    for thing in {*things, *above, *filter(None, map(inspect.getmodule, things))}:
        _, _, raises = inspect.cleandoc(thing.__doc__ or "").partition("Raises:\n")
        for line in raises.splitlines():
            if line and not line.startswith(" "):  # the next section
                break
            found.update(re.findall(r"^ {4}(\w+(?:, \w+)*):", line))
    return {name for names in found for name in names.split(", ")}


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


def freeze(value: Any) -> Any:
    """What a value is now, to be compared with what it is later: equal where each bit is."""
    if isinstance(value, Tensor):
        bits = (
            value.detach().contiguous().flatten().view(torch.uint8) if value.numel() else value.new_zeros(0)
        )
        return "tensor", value.dtype, value.shape, value.requires_grad, value.grad is None, bits.tolist()
    if isinstance(value, np.ndarray):
        return "array", value.dtype, value.shape, value.tobytes()
    if isinstance(value, nn.Module):
        return "module", value.training, freeze(value.state_dict())
    if isinstance(value, dict):
        return "dict", [(freeze(key), freeze(inside)) for key, inside in value.items()]
    if isinstance(value, list | tuple):
        return type(value).__name__, [freeze(inside) for inside in value]
    if isinstance(value, float) and math.isnan(value):
        return "nan"
    if isinstance(value, int | float | complex | str | bytes):
        return type(value).__name__, value
    if isinstance(value, set | frozenset):
        return "set", frozenset(value)
    return id(value)
