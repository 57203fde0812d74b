"""Build nsmc_raw.tsv.gz, the film reviews, from raw/ of the archive of its repository.

In the order of the files' names; each review once, by its id; runs of white space become one blank; texts shorter than
five characters, or without two Hangul syllables in a row, are left out. The archive is read as it comes: it is never
unpacked onto the disk, and no more of it is taken in than it can need.
"""

from __future__ import annotations

import gzip
import io
import json
import re
import tarfile
import zlib
from collections.abc import Iterable, Iterator

ARCHIVE = 300_000_000  # bytes at most, each two to five times what there is
UNPACKED = 1_000_000_000
FILE = 1_000_000  # a film has at most a hundred reviews here
FILES = 30_000

_NAME = re.compile(r"[^/]+/raw/(\d+\.json)")
_HANGUL = re.compile("[가-힣]{2}")
_FIELDS = ("review_id", "movie_id", "rating", "review")


class BadArchive(Exception):
    """What came is not the archive; the message says what was expected."""


def read_archive(chunks: Iterable[bytes]) -> list[bytes]:
    """The lines of the file: review id, film id, rating and text, with tabs between, each with its line end.

    Args:
        chunks: the bytes of a tar.gz; BadArchive if it is another one, EOFError if it ends too early.
    """
    films: dict[str, list[tuple[str, bytes]]] = {}
    try:
        with gzip.GzipFile(fileobj=io.BufferedReader(_Stream(chunks))) as packed:
            with tarfile.open(fileobj=_Limited(packed), mode="r|") as archive:
                for name, content in _files(archive):
                    films[name] = list(_reviews(name, content))
    except (tarfile.TarError, gzip.BadGzipFile, zlib.error) as error:
        raise BadArchive(f"the archive must be a tar.gz, and is not ({error})") from None
    lines: dict[str, bytes] = {}
    for name in sorted(films):
        for review, line in films[name]:
            lines.setdefault(review, line)
    return list(lines.values())


def _files(archive: tarfile.TarFile) -> Iterator[tuple[str, bytes]]:
    """Name and content of each file of raw/."""
    films = 0
    for member in archive:
        name = _NAME.fullmatch(member.name)
        if not name or not member.isfile():
            continue
        films += 1
        if films > FILES or member.size > FILE:
            raise BadArchive(f"raw/ must have at most {FILES} files of at most {FILE} bytes, and has more")
        content = archive.extractfile(member)
        yield name[1], content.read() if content else b""


def _reviews(name: str, content: bytes) -> Iterator[tuple[str, bytes]]:
    """Id and line of each review of a film that is long enough and Korean."""
    try:
        for entry in json.loads(content):
            review, film, rating, given = (entry[field] for field in _FIELDS)
            if not (review.isdigit() and film.isdigit() and rating.isdigit()):
                raise ValueError("a number was expected")
            text = " ".join(given.split())
            if len(text) >= 5 and _HANGUL.search(text):
                yield review, f"{review}\t{film}\t{rating}\t{text}\n".encode()
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise BadArchive(
            f"raw/{name} must be a list of reviews with {', '.join(_FIELDS)}, and is not "
            f"({type(error).__name__}: {error})"
        ) from None


class _Stream(io.RawIOBase):
    """Chunks as a file."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._chunks = iter(chunks)
        self._left = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer) -> int:
        while not self._left:
            self._left = next(self._chunks, None)
            if self._left is None:
                self._left = b""
                return 0
        size = min(len(buffer), len(self._left))
        buffer[:size], self._left = self._left[:size], self._left[size:]
        return size


class _Limited:
    """A file of which UNPACKED bytes are read at most: a few packed ones can stand for any number."""

    def __init__(self, file: gzip.GzipFile) -> None:
        self._file = file
        self._came = 0

    def read(self, size: int) -> bytes:
        content = self._file.read(size)
        self._came += len(content)
        if self._came > UNPACKED:
            raise BadArchive(f"the archive must have at most {UNPACKED} bytes unpacked, and has more")
        return content
