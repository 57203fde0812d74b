"""The server of the other tests says nothing of a client that has gone away, and something of a fault of its own."""

from __future__ import annotations

import http.server
import urllib.request
from contextlib import suppress

import pytest

from tests.datasets.serving import serving


@pytest.mark.parametrize(("raised", "said"), [(BrokenPipeError, ""), (KeyError, "KeyError")])
def test_what_a_handler_raises(raised: type[Exception], said: str, capfd: pytest.CaptureFixture[str]) -> None:
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            raise raised

    with serving(Handler) as address, suppress(OSError):
        urllib.request.urlopen(address, timeout=5)
    found = capfd.readouterr().err
    assert said in found and bool(said) == bool(found)
