"""Asking a server: two limits hold whatever it sends. The server is one on this machine."""

from __future__ import annotations

import http.server
import io
import itertools
import queue
import ssl
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator

import pytest

from course_utils.support import network
from course_utils.support.network import (
    CHUNK,
    BrokenOff,
    NotThere,
    TooLong,
    Unreachable,
    Untrusted,
    chunks,
    open_address,
    within,
)
from tests.datasets.serving import Server

SMALL = 532  # bytes
BLOCK = b"x" * CHUNK


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers /name with the method of that name."""

    def do_GET(self) -> None:
        getattr(self, self.path[1:])()

    def log_message(self, *_) -> None:
        pass

    def begin(self, status: int = 200, **headers: object) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), str(value))
        self.end_headers()

    def send(self, parts: Iterator[bytes], *, pause: float = 0.0) -> None:
        for part in parts:
            self.wfile.write(part)
            self.server.sent += len(part)
            time.sleep(pause)

    def whole(self) -> None:
        self.begin(Content_Length=3 * CHUNK + 7)
        self.send(iter([BLOCK, BLOCK, BLOCK, b"y" * 7]))

    def endless(self) -> None:
        self.begin()
        self.send(itertools.repeat(BLOCK))

    def drip(self) -> None:
        self.begin(Content_Length=SMALL)
        self.send(itertools.repeat(b"x", SMALL), pause=0.05)

    def drip_in_a_chunk_header(self) -> None:
        self.protocol_version = "HTTP/1.1"
        self.begin(Transfer_Encoding="chunked")
        self.send(itertools.chain([b"1;"], itertools.repeat(b"x", SMALL)), pause=0.05)

    def drip_in_the_headers(self) -> None:
        self.send(itertools.chain([b"HTTP/1.0 200 OK\r\nA: "], itertools.repeat(b"x", SMALL)), pause=0.05)

    def cut_short_in_a_chunk(self) -> None:
        self.protocol_version = "HTTP/1.1"
        self.begin(Transfer_Encoding="chunked")
        self.send(iter([b"64\r\nxxxx"]))
        self.close_connection = True

    def not_there(self) -> None:
        self.begin(404, Content_Length=0)

    def for_its_owner(self) -> None:
        self.begin(401, Content_Length=0)

    def no_http(self) -> None:
        self.wfile.write(b"220 mail.example.org ESMTP\r\n")


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(network, "STALLED", 0.4)
    running = Server(("127.0.0.1", 0), Handler)
    running.sent = 0
    threading.Thread(target=running.serve_forever, args=(0.01,), daemon=True).start()
    yield running
    running.shutdown()
    running.server_close()


@pytest.fixture
def fetch(server) -> Callable[..., bytes]:
    def get(name: str, *, at_most: int = SMALL) -> bytes:
        address = f"http://127.0.0.1:{server.server_port}/{name}"
        return b"".join(chunks(open_address(address, 0.5), address, at_most=at_most))

    return get


def test_a_body_comes_whole_and_in_pieces(fetch):
    size = 3 * CHUNK + 7
    assert fetch("whole", at_most=size) == BLOCK * 3 + b"y" * 7
    with pytest.raises(TooLong, match=f"/whole must send at most {size - 1} bytes, and sends more"):
        fetch("whole", at_most=size - 1)


def test_an_endless_body_is_not_read_to_its_end(fetch, server):
    began = time.monotonic()
    with pytest.raises(TooLong, match=f"at most {SMALL} bytes"):
        fetch("endless")
    time.sleep(0.2)  # what is on its way meanwhile fills the buffers of the two sockets
    sent = server.sent
    time.sleep(0.2)
    assert server.sent == sent and time.monotonic() - began < 20


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("drip", "sends less than 65536 bytes in 0.4 s, after 0 bytes"),
        ("drip_in_a_chunk_header", "sends less than 65536 bytes in 0.4 s, after 0 bytes"),
        ("cut_short_in_a_chunk", "broke off after 0 bytes"),
    ],
)
def test_a_slow_or_broken_answer_is_given_up(fetch, name: str, message: str):
    began = time.monotonic()
    with pytest.raises(BrokenOff, match=message):
        fetch(name)
    assert time.monotonic() - began < 20


@pytest.mark.parametrize(
    ("name", "kind", "message"),
    [
        ("not_there", NotThere, "answers 404: there is no such file, or it is private"),
        ("for_its_owner", NotThere, "answers 401: there is no such file, or it is private"),
        ("drip_in_the_headers", Unreachable, "no answer from .*drip_in_the_headers within 0.5 s"),
        ("no_http", Unreachable, "no answer from .*220 mail.example.org"),
    ],
)
def test_other_answers_are_one_sentence(fetch, name: str, kind: type[Exception], message: str):
    with pytest.raises(kind, match=message) as caught:
        fetch(name)
    assert type(caught.value) is kind and name in str(caught.value)


def test_without_a_network_one_sentence_says_so(server):
    with pytest.raises(Unreachable, match=r"^no answer from http://127.0.0.1:9/ \(.*refused\)$"):
        open_address("http://127.0.0.1:9/", 0.5)


def test_a_certificate_that_is_not_trusted_is_told_with_what_helps(monkeypatch):
    def refuse(*_, **__):
        error = ssl.SSLCertVerificationError(1, "[SSL: CERTIFICATE_VERIFY_FAILED]")
        error.verify_message = "self-signed certificate in certificate chain"
        raise urllib.error.URLError(error)

    monkeypatch.setattr(urllib.request, "urlopen", refuse)
    with pytest.raises(Untrusted, match=r"https://a.b/ .*\(self-signed .* chain\).* in SSL_CERT_FILE$"):
        open_address("https://a.b/", 0.5)


def test_within_hands_on_the_value_or_the_error():
    late: list[object] = []
    assert within(5.0, "here", lambda: 7, too_late=late.append) == 7
    with pytest.raises(ZeroDivisionError):
        within(5.0, "here", lambda: 1 / 0, too_late=late.append)
    assert late == []


def test_what_comes_too_late_is_handed_to_whoever_clears_up():
    late: queue.Queue[object] = queue.Queue()
    go_on = threading.Event()

    def slow(end):
        go_on.wait()
        return end()

    for end in (lambda: 7, lambda: 1 / 0):
        go_on.clear()
        with pytest.raises(Unreachable, match="no answer from here within 0.05 s"):
            within(0.05, "here", lambda end=end: slow(end), too_late=late.put)
        go_on.set()
    found = [late.get(timeout=30), late.get(timeout=30)]
    assert found[0] == 7 and isinstance(found[1], ZeroDivisionError)


@pytest.mark.parametrize("read", [0, 1, 3])
def test_a_response_is_closed_whether_or_not_all_of_it_is_wanted(read):
    response = io.BytesIO(bytes(2 * CHUNK))
    pieces = chunks(response, "here", at_most=10**6)
    taken = list(itertools.islice(pieces, read))
    assert len(taken) == min(read, 2)
    pieces.close()
    assert response.closed == (read > 0)  # of what was never begun nobody else knows
