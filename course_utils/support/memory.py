"""Memory that Python has freed goes back to the system."""

from __future__ import annotations

import ctypes
import sys


def give_back() -> None:
    """Ask the C library to return the free pages that it keeps for later; where it is not glibc, nothing happens.

    A drawn figure or a loaded model leaves tens of megabytes of them, which a kernel would hold until it ends.
    """
    if sys.platform == "linux" and (trim := getattr(ctypes.CDLL(None), "malloc_trim", None)):
        trim(0)
