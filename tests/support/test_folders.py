"""What a run may have of a folder: empty, or its own; never anything of somebody else's."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from course_utils.support import folders
from course_utils.support.folders import LOCK, MARK, remove_folder, remove_leftovers, run_folder

ROOT = str(Path(folders.__file__).parents[2])
HEX = "0f1e2d3c"


def tree(folder: Path) -> dict[str, bytes | None]:
    """Every file with its content, every folder with None."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in folder.rglob("*")
    }


def refused(folder: Path, match: str, *, kind: str = "kind") -> None:
    """With one sentence, and nothing is touched."""
    before = tree(folder)
    with pytest.raises(ValueError, match=match) as error, run_folder(folder, kind):
        pass
    assert tree(folder) == before and "\n" not in str(error.value) and str(folder) in str(error.value)


@pytest.mark.parametrize("there", [False, True])
def test_a_new_or_empty_folder_is_marked_first(tmp_path: Path, there: bool):
    out = tmp_path / "runs" / "first"
    if there:
        out.mkdir(parents=True)
    with run_folder(out, "pretrain"):
        assert set(os.listdir(out)) == {MARK, LOCK}
        assert json.loads((out / MARK).read_text()) == {"kind": "pretrain", "version": 1}
        (out / "log.jsonl").write_text("1\n")
    with run_folder(out, "pretrain"):
        assert (out / "log.jsonl").read_text() == "1\n"


@pytest.mark.parametrize("name", ["vocab.txt", ".hidden", ".config.old", f".log.jsonl.{HEX}.new"])
def test_what_somebody_has_is_refused(tmp_path: Path, name: str):
    (tmp_path / name).write_text("mine")
    refused(tmp_path, rf"must be empty or the folder of a kind run, and holds {name}: name another folder")


def test_an_empty_folder_of_somebody_counts_too(tmp_path: Path):
    for name in "dabec":
        (tmp_path / name).mkdir()
    refused(tmp_path, "holds a, b, c and 2 more: name another")


def test_another_kind_and_a_newer_version_and_a_damaged_mark(tmp_path: Path):
    for mark, told in (
        ('{"kind": "sense_tuning", "version": 1}', "another kind of run, sense_tuning: name another folder"),
        ('{"kind": "kind", "version": 2}', "by a newer version of the course: update"),
        ("", "is damaged"),
        ("[]", "is damaged"),
        ('{"kind": "kind"}', "is damaged"),
        ('{"kind": "kind", "version": []}', "is damaged"),
        ("[" * 100_000, "is damaged"),
    ):
        (tmp_path / MARK).write_text(mark)
        refused(tmp_path, told)


def test_a_file_in_the_way(tmp_path: Path):
    (tmp_path / "file").write_text("mine")
    for path in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(OSError), run_folder(path, "kind"):
            pass
    assert tree(tmp_path) == {"file": b"mine"}


def test_two_at_once_are_one_too_many(tmp_path: Path):
    with run_folder(tmp_path, "kind"):
        before = tree(tmp_path)
        with pytest.raises(BlockingIOError, match="another process is at work in") as error:
            with run_folder(tmp_path, "kind"):
                pass
        assert tree(tmp_path) == before and "\n" not in str(error.value)
    with run_folder(tmp_path, "kind"):
        pass


def test_an_error_gives_the_folder_back(tmp_path: Path):
    for _ in range(2):
        with pytest.raises(ZeroDivisionError), run_folder(tmp_path, "kind"):
            1 / 0  # noqa: B018


def test_where_files_cannot_be_locked_a_run_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for error in (NotImplementedError(), OSError(folders.WITHOUT_LOCKS[1], "No locks available")):

        def fail(*_: object, error: Exception = error, **__: object) -> None:
            raise error

        monkeypatch.setattr(folders.FileLock, "acquire", fail)
        with run_folder(tmp_path, "kind"):
            assert (tmp_path / MARK).is_file()


# --- after a kill ---------------------------------------------------------------------------------------------------

KILLED = """
import os, signal, sys
from pathlib import Path
from course_utils.support import files, folders
def die(*_, **__): os.kill(os.getpid(), signal.SIGKILL)
{when}
with folders.run_folder(Path(sys.argv[1]), "kind"):
    files.write_atomically(Path(sys.argv[1]) / "log.jsonl", "whole")
    die()
"""


@pytest.mark.parametrize(
    "when",
    [
        "folders.FileLock.acquire = die",  # the folder is there
        "folders.write_atomically = die",  # and the lock
        "os.replace = die",  # and the mark, half written
        "folders.remove_leftovers = die",  # and the mark
        "",  # and all
    ],
)
def test_killed_at_any_moment_the_next_start_has_the_folder(tmp_path: Path, when: str):
    out = tmp_path / "out"
    start = [sys.executable, "-c", KILLED.format(when=when), str(out)]
    done = subprocess.run(start, env=os.environ | {"PYTHONPATH": ROOT}, capture_output=True, timeout=60)
    assert done.returncode == -signal.SIGKILL and out.is_dir()
    with run_folder(out, "kind"):
        assert set(os.listdir(out)) <= {MARK, LOCK, "log.jsonl"} and (out / MARK).stat().st_size > 10


def test_only_what_the_run_left_is_removed(tmp_path: Path):
    """Of names that it makes, in the form that files.py gives them; in a folder only files that it makes there."""
    stays = [
        ".config.old",
        f".other.{HEX}.new",
        ".log.jsonl.abc.new",
        f".log.jsonl.{HEX.upper()}.new",
        f".log.jsonl.{HEX}.old",
        f"log.jsonl.{HEX}.new",
    ]
    for name in (*stays, f".log.jsonl.{HEX}.new"):
        (tmp_path / name).write_text("x")
    for name in ("whole", "foreign"):
        (tmp_path / name).mkdir()
    for mark, inside in (
        (HEX, ["config.json", f".vocab.txt.{HEX}.new"]),
        ("a" * 8, ["config.json", "mine.txt"]),
    ):
        folder = tmp_path / f".model.{mark}.new"
        folder.mkdir()
        for name in inside:
            (folder / name).write_text("x")
    (tmp_path / f".model.{'b' * 8}.new").symlink_to(tmp_path / "whole")
    remove_leftovers(tmp_path, ["log.jsonl", "model"], inside=["config.json", "vocab.txt"])
    kept = f".model.{'a' * 8}.new"
    assert set(os.listdir(tmp_path)) == {*stays, "whole", "foreign", kept}
    assert os.listdir(tmp_path / kept) == ["mine.txt"]
    remove_leftovers(tmp_path, ["log.jsonl"], state="old")
    assert set(os.listdir(tmp_path)) == {*stays, "whole", "foreign", kept} - {f".log.jsonl.{HEX}.old"}


def test_a_folder_goes_with_the_last_of_its_files_and_not_before(tmp_path: Path):
    folder = tmp_path / "model"
    (folder / "config.json").mkdir(parents=True)  # of that name, and no file
    (folder / "vocab.txt").write_text("x")
    remove_folder(folder, ["config.json", "vocab.txt"])
    assert os.listdir(folder) == ["config.json"]
    (folder / "config.json").rmdir()
    remove_folder(folder, ["config.json", "vocab.txt"])
    assert not folder.exists()
