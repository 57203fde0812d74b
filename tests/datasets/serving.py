"""What the tests of downloads share: a server on this machine, a cache of their own, what a refusal must be like."""

from __future__ import annotations

import http.server
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from course_utils.datasets import download, origins
from course_utils.datasets.download import Unavailable, find_file
from course_utils.datasets.origins import ORIGINS, Archive, Origin

NOBODY = "http://127.0.0.1:9"  # nobody listens there


class Server(http.server.ThreadingHTTPServer):
    """A client that has seen enough and gone is no error.

    What answers it may sleep for 25 s and find out then, while another test reads stderr.
    """

    def handle_error(self, *of_whom: object) -> None:
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(*of_whom)


class Quiet(http.server.BaseHTTPRequestHandler):
    """Says nothing of what it is asked."""

    def log_message(self, *_: object) -> None: ...


@contextmanager
def serving(handler: type[http.server.BaseHTTPRequestHandler]) -> Iterator[str]:
    """The address of a server that answers with this handler until the end of the with."""
    running = Server(("127.0.0.1", 0), handler)
    threading.Thread(target=running.serve_forever, args=(0.01,), daemon=True).start()
    yield f"http://127.0.0.1:{running.server_port}"
    running.shutdown()
    running.server_close()


def cache_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, origin: Origin | Archive
) -> Path:
    """An empty folder as the cache, one file that has this origin, no mirror, and no host that answers."""
    for variable in ("COURSE_DATA_MIRROR", "http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("COURSE_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(origins, "RAW", NOBODY)
    monkeypatch.setattr(origins, "ARCHIVES", NOBODY)
    monkeypatch.setitem(ORIGINS, name, origin)
    monkeypatch.setattr(download, "PAUSE", 0.0)
    return tmp_path / "cache" / "corpora"


def left(cache: Path) -> set[str]:
    """The files of a cache, without the lock."""
    return {path.name for path in cache.iterdir() if path.suffix != ".lock"}


def refusal(name: str, kind: type[Exception] = Unavailable) -> str:
    """The message of find_file, which must be one sentence and name the file."""
    with pytest.raises(kind) as caught:
        find_file(name)
    message = str(caught.value)
    assert "\n" not in message and name in message
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
    return message
