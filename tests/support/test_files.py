"""The one atomic writer: old or new, never a part, and nothing left beside it."""

from __future__ import annotations

import errno
import os
import resource
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

from course_utils.support import files
from course_utils.support.files import check_regular, read_regular, replacing, write_atomically


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "file").write_bytes(b"old")
    return tmp_path / "file"


@contextmanager
def umask(value: int):
    before = os.umask(value)
    try:
        yield
    finally:
        os.umask(before)


def nothing_else(path: Path, content: bytes = b"old") -> bool:
    """Whether the folder holds this file alone, with this content."""
    return path.read_bytes() == content and os.listdir(path.parent) == [path.name]


def test_bytes_and_text(path: Path):
    assert write_atomically(path, b"\xff\r\n\0") == path and nothing_else(path, b"\xff\r\n\0")
    write_atomically(str(path), "배를\r\n탔다\n")
    assert nothing_else(path, "배를\r\n탔다\n".encode())


@pytest.mark.parametrize(("mask", "mode"), [(0o022, 0o644), (0o027, 0o640), (0o077, 0o600)])
def test_permissions_are_those_of_any_new_file(tmp_path: Path, mask: int, mode: int):
    with umask(mask):
        write_atomically(tmp_path / "one", "")
        with replacing(tmp_path / "two") as beside:  # a library that makes a private file of its own
            beside.unlink()
            os.close(os.open(beside, os.O_CREAT | os.O_WRONLY, 0o600))
    assert {file.name: file.stat().st_mode & 0o777 for file in tmp_path.iterdir()} == {
        "one": mode,
        "two": mode,
    }


def test_a_link_stays_a_link(path: Path, tmp_path: Path):
    (tmp_path / "link").symlink_to("file")
    write_atomically(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink() and path.read_bytes() == b"new"


def test_the_longest_name_of_a_file_system_is_none_too_long(tmp_path: Path):
    name = "배" * 85  # 255 bytes
    write_atomically(tmp_path / name, b"new")
    assert nothing_else(tmp_path / name, b"new")


def test_it_is_on_disk_before_it_takes_the_place(path: Path, monkeypatch: pytest.MonkeyPatch):
    order, fsync, replace = [], os.fsync, os.replace

    def synced(number: int) -> None:
        order.append(os.fstat(number).st_size)
        fsync(number)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "replace", lambda a, b: (order.append("replace"), replace(a, b)))
    write_atomically(path, b"content")
    assert order == [7, "replace"] and nothing_else(path, b"content")


@pytest.mark.parametrize("step", ["write_bytes", "chmod", "fsync", "replace"])
@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
def test_an_error_at_any_step_leaves_the_old_file_alone(path: Path, monkeypatch, step: str, error):
    def fail(*arguments):
        raise error

    monkeypatch.setattr(Path if step == "write_bytes" else os, step, fail)
    with pytest.raises(type(error)):
        write_atomically(path, b"new")
    assert nothing_else(path)


def test_an_error_of_the_block_leaves_the_old_file_alone(path: Path):
    with pytest.raises(ZeroDivisionError), replacing(path) as beside:
        beside.write_bytes(b"half of it")
        1 / 0  # noqa: B018
    assert nothing_else(path)


def test_text_that_is_no_text_leaves_the_old_file_alone(path: Path):
    with pytest.raises(UnicodeEncodeError):
        write_atomically(path, "half a pair \ud800")
    assert nothing_else(path)


def test_a_disk_that_is_full_half_way(path: Path):
    """A limit to the size of files breaks a write off after some bytes, as a full disk does."""
    limit, ignored = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, limit[1]))
        with pytest.raises(OSError) as caught:
            write_atomically(path, bytes(10_007))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
        signal.signal(signal.SIGXFSZ, ignored)
    assert caught.value.errno == errno.EFBIG and nothing_else(path)


def test_what_is_no_file_is_not_replaced(tmp_path: Path):
    """As root, a pipe or a device would give way to a file: /dev/null, too."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("pipe")
    for name, error in (
        ("pipe", "not a regular file"),
        ("link", "not a regular file"),
        ("folder", "Is a directory"),
    ):
        with pytest.raises(OSError, match=error) as caught:
            write_atomically(tmp_path / name, b"new")
        assert caught.value.filename == str(tmp_path / name)
    assert (tmp_path / "pipe").is_fifo() and sorted(os.listdir(tmp_path)) == ["folder", "link", "pipe"]


def test_an_error_names_the_file_and_not_the_one_beside_it(path: Path, monkeypatch: pytest.MonkeyPatch):
    with pytest.raises(FileNotFoundError) as caught:
        write_atomically(path.parent / "none" / "file", b"")
    assert caught.value.filename == str(path.parent / "none" / "file")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError) as caught:
        write_atomically(path, b"new")
    assert caught.value.filename == str(path) and nothing_else(path)

    def without_number(*_: object) -> None:
        raise OSError("words of a library")

    monkeypatch.setattr(os, "fsync", without_number)
    with pytest.raises(OSError) as caught:
        write_atomically(path, b"new")
    assert str(caught.value) == "words of a library"


def test_no_folder_is_made(tmp_path: Path):
    with pytest.raises(FileNotFoundError):
        write_atomically(tmp_path / "mistyped" / "file", b"")
    assert not list(tmp_path.iterdir())


KILLED = """
import os, signal, sys
from course_utils.support.files import write_atomically
os.replace = lambda *names: os.kill(os.getpid(), signal.SIGKILL)
write_atomically(sys.argv[1], b"new" * 1000)
"""


def test_a_kill_between_writing_and_renaming_leaves_the_old_file(path: Path):
    root = str(Path(files.__file__).parents[2])
    done = subprocess.run([sys.executable, "-c", KILLED, str(path)], env=os.environ | {"PYTHONPATH": root})
    assert done.returncode == -signal.SIGKILL and path.read_bytes() == b"old"
    (left,) = path.parent.glob(".file.????????.new")  # the pattern by which a training run finds it
    assert left.stat().st_size == 3000 and len(os.listdir(path.parent)) == 2
    write_atomically(path, b"newer")
    assert path.read_bytes() == b"newer"


def test_a_file_is_read_and_a_pipe_never_waited_for(path: Path):
    assert read_regular(path) == b"old"
    os.mkfifo(path.with_name("pipe"))
    (path.with_name("link")).symlink_to("pipe")
    for name in ("pipe", "link", "/dev/zero"):
        with pytest.raises(OSError, match="not a regular file, but a pipe or a device: .*" + name):
            read_regular(path.parent / name)
    for name, error in [("absent", FileNotFoundError), ("", IsADirectoryError)]:
        check_regular(path.parent / name)
        with pytest.raises(error):
            read_regular(path.parent / name)
