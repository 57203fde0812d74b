"""Fetch the public corpora, each from where its authors published it: pinned, checked, whole or not at all.

    python -m course_utils.datasets.download                    everything
    python -m course_utils.datasets.download ChatbotData.csv    one file

A file comes from the folder that COURSE_DATA_MIRROR names, or from the cache, or from its repository at one commit; its
sha256 must be the published one, wherever it comes from. What is not whole yet is called `<name>.part`.

Origins and sums: origins.py. This module reads no text: public.py does.
"""

from __future__ import annotations

import argparse
import errno
import gzip
import hashlib
import os
import sys
import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, suppress
from pathlib import Path

from filelock import FileLock
from tqdm import tqdm

from course_utils.datasets import nsmc
from course_utils.datasets.origins import ORIGINS, Archive, Origin
from course_utils.support.commands import add_debug, carry_out, told
from course_utils.support.files import check_regular
from course_utils.support.given import one_line
from course_utils.support.network import (
    BrokenOff,
    NotThere,
    TooLong,
    Unreachable,
    Untrusted,
    chunks,
    open_address,
)
from course_utils.support.paths import cache_home

FIRST_ANSWER, PACKED = 10.0, 60.0  # seconds until an answer begins, from a file and from an archive
TRIES, PAUSE = 3, 1.0  # attempts when a transfer breaks off; seconds between them

Progress = Callable[[int], None]  # is told how many bytes have come


class Unavailable(OSError):
    """A corpus is not available; the message says what was expected and what to do."""


class NoNetwork(Unavailable):
    """Its origin cannot be reached."""


def cache_folder() -> Path:
    """Where fetched corpora are kept."""
    return cache_home() / "corpora"


def find_file(name: str, *, progress: Progress | None = None) -> Path:
    """The path of a public corpus, from the mirror, the cache or its repository.

    Args:
        name: of ORIGINS.
        progress: called with the number of bytes that are there, during a download.

    Unavailable if it is in none of these, in one sentence.
    """
    if name not in ORIGINS:
        raise ValueError(f"the public corpora are {', '.join(ORIGINS)}; got {one_line(name, 40)!r}")
    mirror = os.environ.get("COURSE_DATA_MIRROR")
    if mirror:
        return _from_mirror(name, Path(mirror).expanduser())
    kept = cache_folder() / name
    try:
        if _is_whole(kept, ORIGINS[name]):
            return kept
        kept.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{kept}.lock"):  # several processes may want it at once; only one should fetch it
            if not _is_whole(kept, ORIGINS[name]):
                _fetch(name, kept, progress or (lambda have: None))
    except Unavailable:
        raise
    except OSError as error:
        raise Unavailable(_disk_trouble(name, error)) from None
    return kept


def _from_mirror(name: str, mirror: Path) -> Path:
    path = mirror / name
    try:
        found = _checksum(path)
    except FileNotFoundError:
        raise Unavailable(
            f"{path} must exist, since COURSE_DATA_MIRROR names its folder: put it there, or unset the variable to "
            "fetch it from its origin"
        ) from None
    except OSError as error:
        raise Unavailable(f"{path} cannot be read ({error.strerror or error})") from None
    if found != ORIGINS[name].sha256:
        raise Unavailable(
            f"{path} must have sha256 {ORIGINS[name].sha256}, got {found}: it is cut short or another version; copy it "
            "again, or unset COURSE_DATA_MIRROR to fetch it from its origin"
        )
    return path


def _fetch(name: str, kept: Path, progress: Progress) -> None:
    """Write `<name>.part`, compare it, and only then give it its name."""
    origin, part = ORIGINS[name], kept.with_name(f"{name}.part")
    try:
        for left in reversed(range(TRIES)):
            try:
                _write(part, origin, progress)
                break
            except BrokenOff as error:
                if not left:
                    raise NoNetwork(
                        f"{name} must come as {origin.size} bytes from {origin.address}, and the line broke off "
                        f"{TRIES} times ({error}); run it again later"
                    ) from None
                time.sleep(PAUSE)
        if (found := _checksum(part)) != origin.sha256:
            raise Unavailable(
                f"{name} from {origin.address} must have sha256 {origin.sha256}, got {found}: what came was deleted; "
                "try again later, or use COURSE_DATA_MIRROR"
            )
        part.replace(kept)
    except NotThere as error:
        raise Unavailable(f"{name} is no longer at its origin: {error}; use COURSE_DATA_MIRROR") from None
    except (TooLong, nsmc.BadArchive) as error:
        raise Unavailable(
            f"{name} is another file at its origin: {error}; what came was deleted; use COURSE_DATA_MIRROR"
        ) from None
    except Untrusted as error:
        raise NoNetwork(f"{name} is not on this machine, and {error}") from None
    except Unreachable as error:
        raise NoNetwork(
            f"{name} is not on this machine and its origin cannot be reached ({error}): connect to the network "
            "once, name a folder that holds it in COURSE_DATA_MIRROR, or leave --public away"
        ) from None
    finally:
        part.unlink(missing_ok=True)


def _write(part: Path, origin: Origin | Archive, progress: Progress) -> None:
    """Write to `part` what comes, or what is built of an archive; BrokenOff where it ends too early."""
    archive = isinstance(origin, Archive)
    with part.open("wb") as file:
        response = open_address(origin.address, PACKED if archive else FIRST_ANSWER)
        most = nsmc.ARCHIVE if archive else origin.size
        with closing(chunks(response, origin.address, at_most=most)) as pieces:
            if archive:
                try:
                    lines = nsmc.read_archive(_told(pieces, progress))
                except EOFError:
                    raise BrokenOff(f"the archive from {origin.address} ends too early") from None
                with gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=file, mtime=0) as packed:
                    packed.write(b"".join(lines))
            else:
                file.writelines(_told(pieces, progress))
                if file.tell() < origin.size:
                    raise BrokenOff(f"{file.tell()} of {origin.size} bytes came")
        file.flush()
        os.fsync(file.fileno())


def _told(pieces: Iterable[bytes], progress: Progress) -> Iterator[bytes]:
    """The pieces; how many bytes have come is told before the first and after each."""
    have = 0
    progress(have)
    for piece in pieces:
        have += len(piece)
        progress(have)
        yield piece


def _checksum(path: Path) -> str:
    """The sha256 of a file; of a .gz, that of what it holds, since the rest depends on who packed it."""
    check_regular(path)
    with path.open("rb") as file:
        if path.name.removesuffix(".part").endswith(".gz"):
            with suppress(EOFError, zlib.error, gzip.BadGzipFile), gzip.GzipFile(fileobj=file) as packed:
                return hashlib.file_digest(packed, "sha256").hexdigest()
            return "none: no whole gzip file"
        return hashlib.file_digest(file, "sha256").hexdigest()


def _is_whole(path: Path, origin: Origin | Archive) -> bool:
    with suppress(FileNotFoundError):
        return _checksum(path) == origin.sha256
    return False


def _disk_trouble(name: str, error: OSError) -> str:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        megabytes = -(-ORIGINS[name].size // 1_000_000)
        return (
            f"no room on the disk for {name} in {cache_folder()}: free {megabytes} MB and run it again, or name "
            "another folder in COURSE_CACHE_HOME"
        )
    return (
        f"{name} cannot be kept in {cache_folder()} ({error.strerror or error}): make that folder writable, or name "
        "another one in COURSE_CACHE_HOME"
    )


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns its exit status: 0 if every file is there, 2 if one is not, 130 after Ctrl-C."""
    parser = argparse.ArgumentParser(
        prog="python -m course_utils.datasets.download", description="Fetch the public corpora, once."
    )
    parser.add_argument("names", nargs="*", metavar="name", help=f"any of {', '.join(ORIGINS)}; default: all")
    parser.add_argument("--quiet", action="store_true", help="no progress bar")
    add_debug(parser)
    chosen = parser.parse_args(arguments)
    return carry_out(
        "download",
        lambda: _download(chosen),
        debug=chosen.debug,
        stopped="stopped; run it again, and it goes on with the file at which it stopped",
    )


def _download(chosen: argparse.Namespace) -> int:
    """Fetch one after the other; what one lacks does not keep the next from coming, unless there is no network."""
    status = 0
    for name in chosen.names or (_in_mirror() or ORIGINS):
        try:
            with tqdm(
                total=origin.size if isinstance(origin := ORIGINS.get(name), Origin) else None,
                desc=name,
                unit="B",
                unit_scale=True,
                leave=False,
                disable=chosen.quiet or None,  # None: only on a terminal
            ) as bar:
                path = find_file(name, progress=lambda have, bar=bar: bar.update(have - bar.n))
            print(f"{name}: {path.stat().st_size:,} bytes, sha256 as published, {path}")
        except (ValueError, Unavailable) as error:
            status = told("download", str(error))
            if isinstance(error, NoNetwork):
                break
    return status


def _in_mirror() -> list[str]:
    """The corpora in the mirror, if there is one."""
    mirror = os.environ.get("COURSE_DATA_MIRROR")
    return [name for name in ORIGINS if mirror and (Path(mirror).expanduser() / name).is_file()]


if __name__ == "__main__":
    sys.exit(main())
