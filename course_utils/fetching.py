"""Asking a server, with a limit to how long one waits. For whatever the course downloads: models, text."""

from __future__ import annotations

import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from http.client import HTTPException
from typing import Any, TypeVar

CHUNK = 1 << 20  # bytes read at a time
STALLED = 20.0  # seconds without a byte

T = TypeVar("T")


class Unreachable(Exception):
    """No answer from a server; the message says which address was asked, and why not."""


class NotThere(Exception):
    """The server answers that it has no such thing, or shows it to its owner only."""


def within(seconds: float, address: str, action: Callable[[], T]) -> T:
    """Run an action that may hang, but wait for it only so long (a socket's time-out spares the name look-up).

    Raises:
        Unreachable: if it took longer.
    """
    outcome: dict[str, Any] = {}

    def run() -> None:
        try:
            outcome["value"] = action()
        except Exception as error:
            outcome["error"] = error

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    if "error" in outcome:
        raise outcome["error"]
    if "value" not in outcome:
        raise Unreachable(f"no answer from {address} within {seconds:g} s")
    return outcome["value"]


def open_address(
    address: str, timeout: float, *, headers: Mapping[str, str] | None = None, what: str = "file"
) -> Any:
    """The response of a server, to be read and closed.

    Args:
        address: http or https.
        timeout: seconds without a byte.
        headers: sent with the request.
        what: is asked for, in a word for the message.

    Raises:
        NotThere: if the server has no such thing.
        Unreachable: if it gives no answer, or another one.
    """
    request = urllib.request.Request(address, headers={"User-Agent": "course_utils", **(headers or {})})
    try:
        return urllib.request.urlopen(request, timeout=timeout)
    except urllib.error.HTTPError as error:
        error.close()
        if error.code in (401, 403, 404):
            raise NotThere(
                f"{address} answers {error.code}: there is no such {what}, or it is private"
            ) from None
        raise Unreachable(f"{address} answers {error.code} {error.reason}") from None
    except (OSError, HTTPException) as error:
        raise Unreachable(f"no answer from {address} ({getattr(error, 'reason', error)})") from None
