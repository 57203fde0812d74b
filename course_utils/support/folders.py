"""What a run may write and remove in a folder: its own files in a folder that it marked, and nothing else.

The mark is a small file, `.course-run.json`, written before anything else: {"kind": "pretrain", "version": 1}. A folder
that holds something and has no such mark is somebody's, and is refused untouched. So is the folder of another kind of
run, and one in which another process is at work.

A killed process leaves `.<name>.<eight hexadecimal digits>.new` of what it was writing (see files.py), or `….old` of a
folder that it was replacing. These names, and only for files that the run makes, are removed by the next one.
"""

from __future__ import annotations

import errno
import json
import os
import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from course_utils.support.files import write_atomically
from course_utils.support.given import listed, one_line

MARK = ".course-run.json"
LOCK = ".course-run.lock"
VERSION = 1  # of what the mark promises; a later version may read it otherwise
LEFTOVER = re.compile(r"\.(?P<name>.+)\.[0-9a-f]{8}\.(?P<state>new|old)")
WITHOUT_LOCKS = (errno.ENOSYS, errno.ENOLCK, errno.ENOTSUP)  # a file system that has none


@contextmanager
def run_folder(folder: Path, kind: str) -> Iterator[None]:
    """Have the folder of a run for this process alone, marked; it is made if it is not there.

    ValueError if the folder holds anything else, and nothing in it is touched then; BlockingIOError if another process
    has it.

    Args:
        folder: empty, or of an earlier run of this kind.
        kind: of run.
    """
    _check(folder, kind)
    folder.mkdir(parents=True, exist_ok=True)
    with _alone(folder):
        if not (folder / MARK).is_file():
            write_atomically(folder / MARK, json.dumps({"kind": kind, "version": VERSION}) + "\n")
        remove_leftovers(folder, [MARK])
        yield


def is_leftover(entry: str, names: Collection[str], state: str = "new") -> bool:
    """Whether a file of this name is what a killed process left of one of these."""
    form = LEFTOVER.fullmatch(entry)
    return form is not None and form["name"] in names and form["state"] == state


def remove_leftovers(
    folder: Path, names: Collection[str], *, inside: Collection[str] = (), state: str = "new"
) -> None:
    """Remove what killed processes left of these files and folders. Call it inside run_folder.

    Args:
        folder: of the run.
        names: of the files and folders that the run makes there.
        inside: names of the files that it makes in those folders.
        state: "new", half-written, or "old", half-replaced.
    """
    for entry in list(folder.iterdir()):
        if is_leftover(entry.name, names, state):
            if _is_folder(entry):
                remove_folder(entry, inside)
            else:
                entry.unlink()


def remove_folder(folder: Path, names: Collection[str]) -> None:
    """Remove the files of these names from a folder, whole or half-written, and the folder if nothing else is in it."""
    for entry in list(folder.iterdir()):
        if not _is_folder(entry) and (entry.name in names or is_leftover(entry.name, names)):
            entry.unlink()
    with suppress(OSError):  # somebody put something there: it stays
        folder.rmdir()


def _check(folder: Path, kind: str) -> None:
    """ValueError unless a run of this kind may have the folder; looking changes nothing."""
    if not folder.is_dir():
        return
    if (folder / MARK).is_file():
        found, version = _read_mark(folder / MARK)
        if found != kind:
            raise ValueError(f"{folder} is the folder of another kind of run, {found}: name another folder")
        if version > VERSION:
            raise ValueError(
                f"{folder} was begun by a newer version of the course: update, or name another folder"
            )
        return
    foreign = [name for name in os.listdir(folder) if name != LOCK and not is_leftover(name, [MARK])]
    if foreign:
        raise ValueError(
            f"{folder} must be empty or the folder of a {kind} run, and holds {listed(foreign, 3)}: "
            "name another folder (nothing in it was touched)"
        )


def _read_mark(path: Path) -> tuple[str, int]:
    try:
        mark = json.loads(path.read_text(encoding="utf-8"))
        return one_line(str(mark["kind"])), int(mark["version"])
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError):
        raise ValueError(
            f"{path} must say what kind of run its folder is of, and is damaged: name another folder"
        ) from None


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Lock the folder against other processes; the system takes the lock back when this one is killed."""
    lock = FileLock(folder / LOCK)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise BlockingIOError(
            f"another process is at work in {folder}: wait for its end, or name another folder"
        ) from None
    except NotImplementedError:
        pass  # a system without locks: then nothing tells two processes apart
    except OSError as error:
        if error.errno not in WITHOUT_LOCKS:
            raise
    try:
        yield
    finally:
        lock.release()


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()
