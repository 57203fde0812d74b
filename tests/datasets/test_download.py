"""Downloads: from the mirror, the cache or the origin; whole or not at all. The origin is a server on this machine."""

from __future__ import annotations

import errno
import hashlib
import os
import re
import signal
import subprocess
import sys
import threading
import time

import pytest

from course_utils.datasets import download, origins
from course_utils.datasets.download import NoNetwork, Unavailable, find_file, main
from course_utils.datasets.origins import ORIGINS, Origin
from course_utils.support import network
from tests.datasets.serving import Quiet, cache_of_its_own, left, refusal, serving

NAME = "korsts-dev.tsv"
CONTENT = bytes(range(251)) * 4178  # a megabyte that repeats at no round number; its last piece is short
COMMIT = "0123456789abcdef0123456789abcdef01234567"
ORIGIN = Origin("some-one/data", COMMIT, "a b.tsv", len(CONTENT), hashlib.sha256(CONTENT).hexdigest())


class Server:
    """What it serves, and how badly."""

    def __init__(self) -> None:
        self.content = CONTENT
        self.paths: list[str] = []
        self.breaks_after: list[int] = []  # bytes of each coming answer; then whole ones
        self.status: int | None = None
        self.delay = 0.0


@pytest.fixture
def server(monkeypatch):
    serves = Server()

    class Handler(Quiet):
        def do_GET(self):
            serves.paths.append(self.path)
            time.sleep(serves.delay)
            body = serves.content
            self.send_response(serves.status or 200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body[: serves.breaks_after.pop(0)] if serves.breaks_after else body)

    with serving(Handler) as address:
        monkeypatch.setattr(origins, "RAW", address)
        yield serves


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    return cache_of_its_own(tmp_path, monkeypatch, NAME, ORIGIN)


def refused(kind: type[Exception] = Unavailable) -> str:
    return refusal(NAME, kind)


# --- the list ---------------------------------------------------------------------------------------------------------


def test_every_origin_is_pinned():
    for name, origin in ORIGINS.items():
        assert re.fullmatch("[0-9a-f]{40}", origin.commit), name
        assert re.fullmatch("[0-9a-f]{64}", origin.sha256), name
        assert re.fullmatch(r"[\w-]+/[\w-]+", origin.repository) and origin.size > 100_000
        assert origin.commit in origin.address and origin.repository in origin.address
    assert ORIGIN.address == f"http://127.0.0.1:9/some-one/data/{COMMIT}/a%20b.tsv"


# --- from the origin --------------------------------------------------------------------------------------------------


def test_from_the_origin_into_the_cache_and_then_from_the_cache(server, cache):
    told: list[int] = []
    path = find_file(NAME, progress=told.append)
    assert path == cache / NAME and path.read_bytes() == CONTENT and left(cache) == {NAME}
    assert told[0] == 0 and told[-1] == len(CONTENT) and told == sorted(told)
    assert find_file(NAME) == path and server.paths == [f"/some-one/data/{COMMIT}/a%20b.tsv"]


def test_a_broken_line_is_tried_again(server, cache):
    server.breaks_after = [300_007, 100_003]
    assert find_file(NAME).read_bytes() == CONTENT and len(server.paths) == 3


def test_a_line_that_stays_broken_is_said_and_leaves_nothing(server, cache):
    server.breaks_after = [101, 103, 107]
    message = refused(NoNetwork)
    assert f"must come as {len(CONTENT)} bytes" in message and "broke off 3 times" in message
    assert left(cache) == set() and find_file(NAME).read_bytes() == CONTENT


def test_what_an_earlier_run_left_is_written_over(server, cache):
    cache.mkdir(parents=True)
    (cache / f"{NAME}.part").write_bytes(CONTENT + b"more")
    assert find_file(NAME).read_bytes() == CONTENT and left(cache) == {NAME}


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (CONTENT[:-1] + b"x", f"must have sha256 {ORIGIN.sha256}, got "),
        (CONTENT + b"more", f"must send at most {len(CONTENT)} bytes, and sends more"),
        (b"<html>" * 200_000, f"must send at most {len(CONTENT)} bytes, and sends more"),
    ],
)
def test_wrong_content_is_refused_and_deleted(server, cache, content, told):
    server.content = content
    message = refused()
    assert told in message and "what came was deleted" in message
    assert left(cache) == set()


def test_a_damaged_file_in_the_cache_is_fetched_again_and_stays_until_then(server, cache):
    cache.mkdir(parents=True)
    (cache / NAME).write_bytes(CONTENT[:-1])
    server.status = 503
    assert "answers 503" in refused(NoNetwork) and (cache / NAME).read_bytes() == CONTENT[:-1]
    server.status = None
    assert find_file(NAME).read_bytes() == CONTENT


def test_a_file_that_has_gone_is_said(server):
    server.status = 404
    assert "is no longer at its origin: " in refused() and len(server.paths) == 1


def test_a_kill_at_any_moment_leaves_nothing_half_written_under_the_name(server, cache):
    server.breaks_after = [500_009]
    code = (
        "import hashlib, sys, time\n"
        "from course_utils.datasets import download, origins\n"
        f"origins.RAW = {origins.RAW!r}\n"
        f"origins.ORIGINS[{NAME!r}] = origins.Origin(*{tuple(ORIGIN)!r})\n"
        "download.PAUSE = 60\n"
        f"download.find_file({NAME!r})\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code], env=os.environ)
    part = cache / f"{NAME}.part"
    for _ in range(500):
        if part.is_file() and part.stat().st_size > 400_000:  # the rest is in a buffer
            break
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert left(cache) == {f"{NAME}.part"}
    assert find_file(NAME).read_bytes() == CONTENT and left(cache) == {NAME}


def test_two_at_once_fetch_it_once(server):
    server.delay = 0.1
    found = []
    threads = [threading.Thread(target=lambda: found.append(find_file(NAME).read_bytes())) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [CONTENT] * 3 and len(server.paths) == 1


# --- without a network, without room ----------------------------------------------------------------------------------


def test_without_network_one_sentence_says_what_to_do_and_nothing_is_left(cache):
    began = time.monotonic()
    message = refused(NoNetwork)
    assert time.monotonic() - began < 20 and left(cache) == set()
    for part in (ORIGIN.address, "refused", "connect to the network once", "COURSE_DATA_MIRROR"):
        assert part in message


def test_a_silent_server_is_not_waited_for(server, monkeypatch):
    monkeypatch.setattr(download, "FIRST_ANSWER", 0.2)
    server.delay = 25.0
    began = time.monotonic()
    assert "no answer from" in refused(NoNetwork) and time.monotonic() - began < 20


def test_a_full_disk_is_said_and_nothing_is_taken_for_whole(server, cache, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        message = refused()
    assert f"no room on the disk for {NAME} in {cache}: free 2 MB" in message
    assert NAME not in left(cache) and find_file(NAME).read_bytes() == CONTENT


def test_a_folder_that_cannot_be_written_is_said(server, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("COURSE_CACHE_HOME", str(tmp_path / "file"))
    message = refused()
    assert "cannot be kept in" in message and "name another one in COURSE_CACHE_HOME" in message


# --- the mirror -------------------------------------------------------------------------------------------------------


def test_the_mirror_is_read_in_place_and_asks_nobody(server, cache, tmp_path, monkeypatch):
    monkeypatch.setenv("COURSE_DATA_MIRROR", str(tmp_path))
    (tmp_path / NAME).write_bytes(CONTENT)
    assert find_file(NAME) == tmp_path / NAME and not cache.exists()
    (tmp_path / NAME).write_bytes(CONTENT[:-1])
    message = refused()
    assert f"must have sha256 {ORIGIN.sha256}, got " in message and "cut short or another version" in message
    (tmp_path / NAME).unlink()
    assert "must exist, since COURSE_DATA_MIRROR names its folder" in refused()
    (tmp_path / NAME).mkdir()
    assert "cannot be read (Is a directory)" in refused()
    assert server.paths == []


# --- the command ------------------------------------------------------------------------------------------------------


def test_the_command_prints_a_line_a_file(server, cache, capsys):
    assert main([NAME]) == 0
    assert capsys.readouterr().out == f"{NAME}: {len(CONTENT):,} bytes, sha256 as published, {cache / NAME}\n"


def test_behind_a_proxy_with_its_own_certificate_the_remedy_is_the_certificate(
    server, cache, monkeypatch, capsys
):
    def refuse(*_, **__):
        raise network.Untrusted("the certificate is not trusted: name it in SSL_CERT_FILE")

    monkeypatch.setattr(download, "open_address", refuse)
    assert main([NAME]) == 2
    told = capsys.readouterr().err
    assert "SSL_CERT_FILE" in told and "connect to the network" not in told and NAME in told


def test_the_command_goes_on_after_a_bad_file_but_not_without_network(server, capsys, monkeypatch):
    assert main(["news.txt", NAME]) == 2
    told = capsys.readouterr()
    assert told.err.startswith("download: the public corpora are ") and told.out.startswith(NAME)
    monkeypatch.setattr(origins, "RAW", "http://127.0.0.1:9")
    assert main([]) == 2
    told = capsys.readouterr()
    assert told.out == "" and told.err.count("\n") == 1 and "cannot be reached" in told.err
