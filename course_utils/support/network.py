"""Ask a server with two limits, whatever it sends: how long one waits, and how many bytes one takes.

For everything the course downloads, models and text alike. Each message is one sentence with the address in it.
"""

from __future__ import annotations

import ssl
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from http.client import HTTPException
from typing import Any, TypeVar

CHUNK = 1 << 16  # bytes read at a time
STALLED = 20.0  # seconds in which such a chunk must come: slower than 3 kB/s is as good as no answer

T = TypeVar("T")


class Unreachable(Exception):
    """No usable answer from a server; the message says which address was asked, and why not."""


class Untrusted(Unreachable):
    """A server's certificate is none that this machine trusts, as behind a proxy that reads along."""


class NotThere(Exception):
    """The server answers that it has no such thing, or shows it to its owner only."""


class BrokenOff(Unreachable):
    """The answer began well and then stopped, or became too slow."""


class TooLong(Exception):
    """The server sends more than it announced, or more than anyone needs."""


def within(seconds: float, address: str, action: Callable[[], T], *, too_late: Callable[[Any], object]) -> T:
    """Run an action that may hang, but wait for it only so long; then it is Unreachable.

    A socket's own time-out does not do: it knows nothing of the name look-up, and starts anew with each byte.

    Args:
        too_late: called, once the action comes to an end that nobody waits for, with what it returned or raised.
    """
    outcome: dict[str, Any] = {}
    waited_for = True
    ending = threading.Lock()

    def run() -> None:
        try:
            found = {"value": action()}
        except Exception as error:
            found = {"error": error}
        with ending:
            outcome.update(found)
            if waited_for:
                return
        too_late(*found.values())

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    with ending:
        waited_for = False
    if "error" in outcome:
        raise outcome["error"]
    if "value" not in outcome:
        raise Unreachable(f"no answer from {address} within {seconds:g} s")
    return outcome["value"]


def open_address(address: str, seconds: float, *, what: str = "file") -> Any:
    """The response of a server, its body still to be read by `chunks`; or NotThere, or Unreachable.

    Args:
        address: http or https.
        seconds: for the name look-up, the connection and all headers together.
        what: is asked for, in a word for the message.
    """
    request = urllib.request.Request(address, headers={"User-Agent": "course_utils"})
    try:
        return within(
            seconds,
            address,
            lambda: urllib.request.urlopen(request, timeout=STALLED),
            too_late=lambda found: found.close() if hasattr(found, "close") else None,
        )
    except urllib.error.HTTPError as error:
        error.close()
        if error.code in (401, 403, 404):
            raise NotThere(
                f"{address} answers {error.code}: there is no such {what}, or it is private"
            ) from None
        raise Unreachable(f"{address} answers {error.code} {error.reason}") from None
    except (OSError, HTTPException) as error:
        reason = getattr(error, "reason", error)
        if isinstance(reason, ssl.SSLCertVerificationError):
            raise Untrusted(
                f"the certificate shown for {address} is not trusted ({reason.verify_message}): where a school or a "
                "company looks into connections, name the file of its certificate in SSL_CERT_FILE"
            ) from None
        raise Unreachable(f"no answer from {address} ({reason})") from None


def chunks(response: Any, address: str, *, at_most: int) -> Iterator[bytes]:
    """The body of a response, piece by piece; it is closed at its end.

    BrokenOff if the line breaks, or CHUNK bytes take longer than STALLED seconds; TooLong if there are more bytes.

    Args:
        response: of open_address.
        address: for the message.
        at_most: bytes; what comes beyond them is not handed out, and not read to its end.
    """
    came = 0
    left_open = False
    try:
        while True:
            try:
                chunk = within(
                    STALLED, address, lambda: response.read(CHUNK), too_late=lambda _: response.close()
                )
            except Unreachable:  # its thread still reads, and closing the response would wait for it
                left_open = True
                raise BrokenOff(
                    f"{address} sends less than {CHUNK} bytes in {STALLED:g} s, after {came} bytes"
                ) from None
            except (OSError, HTTPException) as error:
                raise BrokenOff(f"the answer from {address} broke off after {came} bytes ({error})") from None
            came += len(chunk)
            if came > at_most:
                raise TooLong(f"{address} must send at most {at_most} bytes, and sends more")
            if not chunk:
                return
            yield chunk
    finally:  # also when nobody wants the rest
        if not left_open:
            response.close()
