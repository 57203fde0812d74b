"""Write a file wholly or not at all: the one place where a file of the course or of the learner is replaced.

And read one without waiting: a pipe of that name would let us wait for its other end for ever.

The new file is written beside the old one, forced to the disk and then renamed, so a full disk, an error or a kill at
any moment leaves the old file as it was. A killed process may leave `.<name>.<eight hexadecimal digits>.new` behind.
"""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

LONGEST_NAME = 80  # letters of a name that are repeated: Hangul has 3 bytes a letter, and a name at most 255


def check_regular(path: str | os.PathLike[str]) -> None:
    """OSError for a pipe or a device, whose opening may never end; whoever opens a path says that it is not there."""
    if os.path.exists(path) and not (os.path.isfile(path) or os.path.isdir(path)):
        raise OSError(errno.EINVAL, "not a regular file, but a pipe or a device", os.fspath(path))


def read_regular(path: str | os.PathLike[str]) -> bytes:
    """The bytes of a file; OSError also where it is a folder, a pipe or a device."""
    check_regular(path)
    return Path(path).read_bytes()


def write_atomically(path: str | os.PathLike[str], content: bytes | str) -> Path:
    """Replace a file in one step; whoever reads it sees the old content or the new, never a part.

    After an error (disk full, no permission, half a surrogate pair) what was there before is untouched.

    Args:
        path: where to, in a folder that is there; a symbolic link is followed.
        content: all of it; text is written as UTF-8 with the line ends it has.

    Returns:
        path.
    """
    data = content.encode("utf-8") if isinstance(content, str) else content
    with replacing(path) as beside:
        beside.write_bytes(data)
    return Path(path)


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """The path of an empty file beside `path`, which takes its place when the block ends without an error.

    For content that a library writes to a path; the library may replace the empty file by one of its own. An OSError
    names `path`, where the system names none or that of the file beside it.
    """
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
    if target.exists() and not target.is_file():  # a pipe, a device: /dev/null is nobody's to replace
        raise OSError(errno.EINVAL, "not a regular file, name another", os.fspath(path))
    beside = target.with_name(f".{target.name[:LONGEST_NAME]}.{secrets.token_hex(4)}.new")
    try:
        beside.open("xb").close()
        permissions = beside.stat().st_mode  # those of any new file; a library may choose others
        yield beside
        os.chmod(beside, permissions)
        with beside.open("r+b") as file:
            os.fsync(file.fileno())
        os.replace(beside, target)
    except OSError as error:
        if error.strerror and error.filename in (None, os.fspath(beside)):
            error.filename, error.filename2 = os.fspath(path), None
        raise
    finally:
        with suppress(OSError):
            beside.unlink()
