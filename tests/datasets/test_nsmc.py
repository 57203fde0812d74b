"""The film reviews, built from the archive of their repository. Its host is a server on this machine."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import tarfile

import pytest

from course_utils.datasets import nsmc, origins
from course_utils.datasets.download import Unavailable, find_file
from course_utils.datasets.layouts import Review, read_reviews
from course_utils.datasets.nsmc import BadArchive, read_archive
from course_utils.datasets.origins import Archive
from tests.datasets.serving import Quiet, cache_of_its_own, left, refusal, serving

NAME = "nsmc_raw.tsv.gz"
COMMIT = "0123456789abcdef0123456789abcdef01234567"


def entry(review, film, text, rating="10"):
    return {"review_id": review, "movie_id": film, "rating": rating, "review": text, "author": "a"}


# The first three films are as they are in raw/ of e9t/nsmc, so far as they say which reviews stay.
FILMS = {
    "10059": [entry("251684", "10059", "극장가서 보고 후회한 기억이 난다.  음악은 좋다", "5")],
    "100371": [
        entry("9298013", "100371", "굳.!.!.!.!.!"),
        entry("9143779", "100371", "개봉했음? 왓더?? 흠?", "1"),
    ],
    "10017": [entry("10110572", "10017", "상남자 셰인 나이스 굿쟙")],
    "9": [
        entry("7", "9", "좋 은 영 \t화\n네 \u3000네에 "),
        entry("7", "9", "같은 번호의 두 번째"),
        entry("8", "9", "재밌 다"),  # four characters
        entry("11", "9", " 재밌  다! "),  # five
        entry("251684", "9", "다른 영화에 있던 번호"),
        entry("12", "9", "it is 굿 and 짱"),
    ],
}
LINES = [
    "10110572\t10017\t10\t상남자 셰인 나이스 굿쟙\n",  # 10017 < 100371 < 10059 < 9, as names
    "9143779\t100371\t1\t개봉했음? 왓더?? 흠?\n",
    "251684\t10059\t5\t극장가서 보고 후회한 기억이 난다. 음악은 좋다\n",
    "7\t9\t10\t좋 은 영 화 네 네에\n",
    "11\t9\t10\t재밌 다!\n",
]


def packed(films=FILMS, *, more=(), order=list):
    """The archive, as its host packs it: a folder, other files, the films in any order."""
    memory = io.BytesIO()
    with tarfile.open(fileobj=memory, mode="w:gz", format=tarfile.PAX_FORMAT) as archive:
        files = [(f"nsmc-{COMMIT}/raw/{film}.json", json.dumps(reviews)) for film, reviews in films.items()]
        files += [(f"nsmc-{COMMIT}/ratings.txt", "id\tdocument\tlabel\n"), *more]
        for name, content in order(files):
            data = content.encode() if isinstance(content, str) else content
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return memory.getvalue()


CONTENT = packed()
ORIGIN = Archive("some-one/nsmc", COMMIT, 1000, hashlib.sha256("".join(LINES).encode()).hexdigest())


def built(content, size=101):
    chunks = (content[start : start + size] for start in range(0, len(content), size))
    return [line.decode() for line in read_archive(chunks)]


# --- what is built ----------------------------------------------------------------------------------------------------


def test_the_lines_by_hand():
    assert built(CONTENT) == LINES


@pytest.mark.parametrize("order", [sorted, lambda files: files[::-1]])
def test_the_order_in_the_archive_and_the_size_of_its_chunks_change_nothing(order):
    assert built(packed(order=order), 7) == built(packed(order=order), 10**6) == LINES


def test_what_is_no_film_is_passed_over():
    more = [(f"nsmc-{COMMIT}/raw/10001.txt", "x"), (f"nsmc-{COMMIT}/old/raw/1.json", "x")]
    link = tarfile.TarInfo(f"nsmc-{COMMIT}/raw/5.json")
    link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
    memory = io.BytesIO(gzip.decompress(packed(more=more)))
    with tarfile.open(fileobj=memory, mode="a") as archive:
        archive.addfile(link)
    assert built(gzip.compress(memory.getvalue())) == LINES


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("[" * 100_000, r"raw/5.json must be a list of reviews"),
        ('[{"review_id": "1"}]', r"raw/5.json .* \(KeyError: 'movie_id'"),
        (json.dumps([entry("1", "5", None)]), r"raw/5.json .* \(AttributeError"),
        (json.dumps([entry("1\t1", "5", "가나다라마")]), r"raw/5.json .* \(ValueError: a number"),
    ],
)
def test_a_bad_film_is_named_in_a_sentence(content, told):
    with pytest.raises(BadArchive, match=told) as caught:
        built(packed(more=[(f"nsmc-{COMMIT}/raw/5.json", content)]))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("name", "limit"), [("FILE", 300), ("FILES", 3), ("UNPACKED", 9_000)])
def test_more_than_there_can_be_is_not_taken_in(monkeypatch, name, limit):
    monkeypatch.setattr(nsmc, name, limit)
    with pytest.raises(BadArchive, match=f"at most .*{limit}.* and has more"):
        built(packed(more=[(f"nsmc-{COMMIT}/readme", b"0" * 20_000)]))


@pytest.mark.parametrize(
    "content",
    [b"<html>" * 100, gzip.compress(b"<html>" * 1000), CONTENT[:40] + b"\xff" * 90],
    ids=["a page", "a packed page", "garbled"],  # gzip writes the time, and a test's name must not have it
)
def test_what_is_no_archive_is_said(content):
    with pytest.raises(BadArchive, match="must be a tar.gz, and is not"):
        built(content)


@pytest.mark.parametrize("size", [5, 100, len(CONTENT) // 2, len(CONTENT) - 60])
def test_an_archive_cut_short_is_never_taken_for_whole(size):
    with pytest.raises(EOFError):
        built(CONTENT[:size])


def test_reading_it_back(tmp_path):
    (tmp_path / NAME).write_bytes(gzip.compress("".join(LINES).encode()))
    reviews = list(read_reviews(tmp_path / NAME))
    assert reviews[1] == Review("100371", 1, "개봉했음? 왓더?? 흠?") and len(reviews) == len(LINES)


# --- from the origin --------------------------------------------------------------------------------------------------


class Server:
    def __init__(self) -> None:
        self.answers = [CONTENT]  # the last one again and again
        self.endless = False
        self.paths: list[str] = []


@pytest.fixture
def server(monkeypatch):
    serves = Server()

    class Handler(Quiet):
        def do_GET(self):  # as GitHub: without a length
            serves.paths.append(self.path)
            body = serves.answers.pop(0) if len(serves.answers) > 1 else serves.answers[0]
            self.send_response(200)
            self.end_headers()
            while serves.endless:
                self.wfile.write(body)
            self.wfile.write(body)

    with serving(Handler) as address:
        monkeypatch.setattr(origins, "ARCHIVES", address)
        yield serves


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    return cache_of_its_own(tmp_path, monkeypatch, NAME, ORIGIN)


def refused(cache, kind=Unavailable) -> str:
    """As refusal; and nothing must be left."""
    message = refusal(NAME, kind)
    assert left(cache) == set()
    return message


def test_it_is_built_once_and_then_read_from_the_cache(server, cache):
    told: list[int] = []
    path = find_file(NAME, progress=told.append)
    assert gzip.decompress(path.read_bytes()).decode() == "".join(LINES) and left(cache) == {NAME}
    assert told[-1] == len(CONTENT)
    assert find_file(NAME) == path and server.paths == [f"/some-one/nsmc/tar.gz/{COMMIT}"]


def test_a_broken_line_begins_anew(server, cache):
    server.answers = [CONTENT[:300], CONTENT[:-60], CONTENT]
    assert gzip.decompress(find_file(NAME).read_bytes()).decode() == "".join(LINES) and len(server.paths) == 3


def test_an_endless_answer_is_given_up(server, cache, monkeypatch):
    monkeypatch.setattr(nsmc, "ARCHIVE", 1_000_000)
    server.answers = [gzip.compress(os.urandom(50_000))]
    server.endless = True
    assert "is another file at its origin" in refused(cache) and len(server.paths) == 1
    server.answers = [gzip.compress(b"")]  # an endless number of empty parts: never anything to be read
    assert f"must send at most {nsmc.ARCHIVE} bytes, and sends more" in refused(cache)


def test_wrong_content_is_refused_and_deleted(server, cache):
    server.answers = [packed({**FILMS, "3": [entry("5", "3", "또 하나의 평")]})]
    message = refused(cache)
    assert f"must have sha256 {ORIGIN.sha256}, got " in message and "what came was deleted" in message
    server.answers = [packed({"3": "x"})]
    assert "raw/3.json must be a list of reviews" in refused(cache)


def test_the_mirror_may_have_packed_it_otherwise(tmp_path, monkeypatch):
    monkeypatch.setenv("COURSE_DATA_MIRROR", str(tmp_path))
    (tmp_path / NAME).write_bytes(gzip.compress("".join(LINES).encode(), compresslevel=1, mtime=5))
    assert find_file(NAME) == tmp_path / NAME
    (tmp_path / NAME).write_bytes((tmp_path / NAME).read_bytes()[:-6])
    with pytest.raises(Unavailable, match=f"must have sha256 {ORIGIN.sha256}, got none: no whole gzip file"):
        find_file(NAME)
