"""Fetch the public corpora, each from where its authors published it: pinned, checked, whole or not at all.

    python -m course_utils.datasets.download                    everything
    python -m course_utils.datasets.download ChatbotData.csv    one file

A file comes from the folder that COURSE_DATA_MIRROR names, or from the cache, or from its repository at one commit; its
sha256 must be the published one, wherever it comes from. An interrupted download resumes (`<name>.part`), but for the
film reviews: they are built from an archive that GitHub packs when it is asked, and that is always read from its start.

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
from course_utils.support.given import shown
from course_utils.support.network import BrokenOff, NotThere, TooLong, Unreachable, chunks, open_address
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
        raise ValueError(f"the public corpora are {', '.join(ORIGINS)}; got {shown(name[:40])}")
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
    """Download or build `<name>.part`, check, and only then give it its name."""
    origin, part = ORIGINS[name], kept.with_name(f"{name}.part")
    transfer = _build if isinstance(origin, Archive) else _transfer
    for left in reversed(range(TRIES)):
        try:
            began_with = transfer(origin, part, progress)
        except NotThere as error:
            raise Unavailable(f"{name} is no longer at its origin: {error}; use COURSE_DATA_MIRROR") from None
        except (TooLong, nsmc.BadArchive) as error:
            part.unlink(missing_ok=True)
            raise Unavailable(
                f"{name} is another file at its origin: {error}; what came was deleted; use COURSE_DATA_MIRROR"
            ) from None
        except BrokenOff as error:  # it began: go on from there
            if not left:
                raise NoNetwork(
                    f"{name} must come as {origin.size} bytes from {origin.address}, and the line broke off {TRIES} "
                    f"times ({error}); run it again, and it {_RESUMES[transfer]}"
                ) from None
            time.sleep(PAUSE)
            continue
        except Unreachable as error:
            raise NoNetwork(
                f"{name} is not on this machine and its origin cannot be reached ({error}): connect to the network "
                "once, name a folder that holds it in COURSE_DATA_MIRROR, or leave --public away"
            ) from None
        found = _checksum(part)
        if found == origin.sha256:
            part.replace(kept)
            return
        part.unlink()
        if not (began_with and left):  # a bad start left by an earlier run is no reason to give up
            raise Unavailable(
                f"{name} from {origin.address} must have sha256 {origin.sha256}, got {found}: what came was deleted; "
                "try again later, or use COURSE_DATA_MIRROR"
            )


def _transfer(origin: Origin, part: Path, progress: Progress) -> int:
    """Bring `part` to its full size, from where it stands; BrokenOff or TooLong if something else comes.

    Returns:
        how many bytes from before were kept.
    """
    have = part.stat().st_size if part.is_file() else 0
    if have == origin.size:
        return have
    have = 0 if have > origin.size else have
    headers = {"Range": f"bytes={have}-"} if have else {}
    response = open_address(origin.address, FIRST_ANSWER, headers=headers)
    goes_on = response.headers.get("Content-Range", "").startswith(f"bytes {have}-")
    have = began_with = have if goes_on else 0
    progress(have)
    try:
        file = part.open("ab" if goes_on else "wb")
    except OSError:
        response.close()
        raise
    with file:
        for chunk in chunks(response, origin.address, at_most=origin.size - have):
            file.write(chunk)
            have += len(chunk)
            progress(have)
        file.flush()
        os.fsync(file.fileno())
    if have < origin.size:
        raise BrokenOff(f"{have} of {origin.size} bytes came")
    return began_with


def _build(origin: Archive, part: Path, progress: Progress) -> int:
    """Write to `part` what is built of an archive; BrokenOff, TooLong or nsmc.BadArchive if something else comes.

    Returns:
        0: nothing from before is kept.
    """
    response = open_address(origin.address, PACKED)
    try:
        with closing(chunks(response, origin.address, at_most=nsmc.ARCHIVE)) as pieces:
            lines = nsmc.read_archive(_told(pieces, progress))
    except EOFError:
        raise BrokenOff(f"the archive from {origin.address} ends too early") from None
    with part.open("wb") as file:
        with gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=file, mtime=0) as packed:
            packed.write(b"".join(lines))
        file.flush()
        os.fsync(file.fileno())
    return 0


def _told(pieces: Iterable[bytes], progress: Progress) -> Iterator[bytes]:
    have = 0
    for piece in pieces:
        have += len(piece)
        progress(have)
        yield piece


_RESUMES = {_transfer: "goes on where it stopped", _build: "begins anew"}


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
        stopped="stopped; run it again, and it goes on where it stopped",
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
