"""The progress file: never half written, never in the way."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from filelock import FileLock

from course_utils import progress as store
from course_utils.exercises import exercise, export_progress, progress
from course_utils.locale import text
from course_utils.progress import ProgressStore, data_home


@pytest.fixture
def progress_store(tmp_path):
    return ProgressStore(tmp_path / "data")


def entries_of(progress_store):
    entries, note = progress_store.load()
    assert note is None
    return entries


def fill_the_disk(monkeypatch):
    def full(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)


def nothing_beside(progress_store):
    """Whether no half-written file was left."""
    return set(os.listdir(progress_store.folder)) <= {"progress.json", "progress.lock"}


def test_empty(progress_store):
    assert progress_store.load() == ({}, None)
    assert not progress_store.folder.exists()  # looking leaves no trace


def test_attempts_are_counted_until_the_first_pass(progress_store):
    assert progress_store.record_hint("02.1", 2) is None
    assert entries_of(progress_store)["02.1"]["status"] == "unsolved"
    for passed in (False, False, True, False, True):
        assert progress_store.record_attempt("02.1", passed=passed) is None
    assert progress_store.record_hint("02.1", 1) is None
    entry = entries_of(progress_store)["02.1"]
    assert (entry["status"], entry["attempts"], entry["hints_seen"]) == ("passed", 3, 2)
    assert len(entry["first_passed"]) == len("2026-11-20")


def test_the_first_guess_is_kept_beside_the_exercises(progress_store, monkeypatch, capsys):
    monkeypatch.setenv("COURSE_DATA_HOME", str(progress_store.folder))
    progress("02")
    (_, unguessed) = capsys.readouterr().out.splitlines()
    progress_store.record_attempt("02.1", passed=True)
    for question, right in (("02.a", False), ("02.a", True), ("02.b", True), ("03.a", True)):
        assert progress_store.record_guess(question, right=right) is None
    assert [entries_of(progress_store)[key]["status"] for key in ("02.a", "02.b")] == ["failed", "passed"]
    progress("02")
    (_, line) = capsys.readouterr().out.splitlines()
    assert line == unguessed.replace("○", "●", 1).replace("0/", "1/") + "  (맞힌 예상 1/2)"


def test_unsolved_writes_nothing():
    exercise("02.1").check(...)
    assert not data_home().exists()


def test_folder_from_the_environment(tmp_path, monkeypatch):
    assert data_home() == tmp_path / "progress"
    monkeypatch.setenv("COURSE_DATA_HOME", "")
    assert data_home().name == "from-attention-to-bert"


DAMAGED = [
    b"",
    b"{",
    b'{"version": 1, "exercises": {"02.1": ',
    b"\xff\xfe\x00",
    b"[]",
    b"null",
    b'{"exercises": {}}',
    b'{"version": 2, "exercises": {}}',
    b'{"version": 1, "exercises": []}',
    b'{"version": 1, "exercises": {"02.1": {"status": "passed"}}}',
    b'{"version": 1, "exercises": {"02.1": {"status": "passed", "attempts": "2", "first_passed": null, '
    b'"hints_seen": 0}}}',
    b"[" * 100_000,
]


@pytest.mark.parametrize("content", DAMAGED, ids=range(len(DAMAGED)))
def test_a_damaged_file_is_moved_aside(progress_store, content):
    progress_store.folder.mkdir()
    progress_store.path.write_bytes(content)
    note = progress_store.record_attempt("02.1", passed=True)
    assert note == text("exercises.progress.broken", file="progress.json.broken")
    assert (progress_store.folder / "progress.json.broken").read_bytes() == content
    assert entries_of(progress_store)["02.1"]["status"] == "passed"


def test_each_damaged_file_is_kept(progress_store):
    progress_store.folder.mkdir()
    for content in (b"one", b"two", b"three"):
        progress_store.path.write_bytes(content)
        entries, note = progress_store.load()
        assert entries == {} and "broken" in note
        assert entries_of(progress_store) == {}
    kept = sorted(path.read_bytes() for path in progress_store.folder.glob("*.broken*"))
    assert kept == [b"one", b"three", b"two"]


def test_a_full_disk_costs_nothing_but_the_entry(progress_store, monkeypatch, capsys):
    progress_store.record_attempt("02.1", passed=True)
    fill_the_disk(monkeypatch)
    note = progress_store.record_attempt("02.2", passed=True)
    assert note == text("exercises.progress.not_saved", error="No space left on device")
    assert list(entries_of(progress_store)) == ["02.1"]
    assert nothing_beside(progress_store)
    found = exercise("02.1")
    found.check(found.reference)
    lines = capsys.readouterr().out.splitlines()
    assert lines == [found.judge(found.reference).message, note]


def test_an_unwritable_place_is_one_sentence(tmp_path, monkeypatch, capsys):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("COURSE_DATA_HOME", str(tmp_path / "file" / "below"))
    found = exercise("02.1")
    found.check(found.reference)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == found.judge(found.reference).message and len(lines) == 2
    assert str(tmp_path) not in lines[1]
    found.hint()
    assert len(capsys.readouterr().out.splitlines()) == 2


def test_an_unreadable_file_is_not_taken_for_damaged(progress_store):
    progress_store.path.mkdir(parents=True)  # reading it fails with an OSError
    entries, note = progress_store.load()
    assert entries == {} and note.startswith(text("exercises.progress.not_read", error="")[:10])
    assert progress_store.path.is_dir()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_in_its_place_hangs_nobody(progress_store):
    progress_store.folder.mkdir()
    os.mkfifo(progress_store.path)
    assert progress_store.load() == ({}, text("exercises.progress.not_read", error="not a regular file"))
    note = progress_store.record_attempt("02.1", passed=True)
    assert note == text("exercises.progress.not_saved", error="not a regular file")
    assert progress_store.path.is_fifo() and nothing_beside(progress_store)


def test_a_crash_while_writing_leaves_the_old_file(progress_store, monkeypatch):
    progress_store.record_attempt("02.1", passed=True)
    before = progress_store.path.read_bytes()

    def interrupted(*args):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        progress_store.record_attempt("02.2", passed=True)
    monkeypatch.undo()
    assert progress_store.path.read_bytes() == before
    assert nothing_beside(progress_store)
    assert progress_store.record_attempt("02.2", passed=True) is None  # the lock was released


def test_a_busy_file_is_one_sentence(progress_store, monkeypatch):
    monkeypatch.setattr(store, "LOCK_TIMEOUT", 0.1)
    progress_store.folder.mkdir()
    with FileLock(progress_store.folder / "progress.lock"):
        note = progress_store.record_attempt("02.1", passed=True)
    assert text("exercises.progress.busy") in note
    assert progress_store.record_attempt("02.1", passed=True) is None


@pytest.mark.rare
def test_two_kernels_lose_nothing(progress_store):
    code = (
        "import sys\nfrom course_utils.progress import ProgressStore\n"
        "for i in range(25):\n"
        "    assert ProgressStore(sys.argv[1]).record_attempt(f'{sys.argv[2]}.{i}', passed=True) is None\n"
        "    assert ProgressStore(sys.argv[1]).record_attempt('both', passed=False) is None\n"
    )
    root = Path(__file__).parents[2]
    kernels = [
        subprocess.Popen([sys.executable, "-c", code, str(progress_store.folder), name], cwd=root)
        for name in ("a", "b")
    ]
    assert [kernel.wait(timeout=60) for kernel in kernels] == [0, 0]
    entries = entries_of(progress_store)
    assert len(entries) == 51 and entries["both"]["attempts"] == 50


# --- the report for a lecturer ------------------------------------------------------------------------------------


def test_an_old_report_survives_a_full_disk(tmp_path, monkeypatch, capsys):
    report = tmp_path / "kim.json"
    export_progress(report, name="old")
    before = report.read_text()
    capsys.readouterr()
    fill_the_disk(monkeypatch)
    export_progress(report)
    line = text("exercises.progress.not_exported", file="kim.json", error="No space left on device")
    assert capsys.readouterr().out == f"{line}\n"
    assert report.read_text() == before and os.listdir(tmp_path) == ["kim.json"]


def test_an_odd_name_costs_no_report(tmp_path, capsys):
    report = tmp_path / "kim.json"
    export_progress(report, name="old")
    before = report.read_text()
    for name in (None, 7, b"Kim", object()):
        with pytest.raises(TypeError, match="name must be a text, got"):
            export_progress(report, name=name)
    assert report.read_text() == before
    for name in ("김배 🍐", "half a pair \udc80", '"\\\n'):
        export_progress(report, name=name)
        assert json.loads(report.read_text("utf-8"))["name"] == name


def test_the_progress_itself_is_not_overwritten(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("COURSE_DATA_HOME", str(tmp_path))
    kept = ProgressStore()
    kept.record_attempt("02.1", passed=True)
    before = kept.path.read_bytes()
    (tmp_path / "link.json").symlink_to(kept.path)
    monkeypatch.chdir(tmp_path)
    for path in (kept.path, "progress.json", "link.json"):
        export_progress(path)
        assert text("exercises.progress.own_file") in capsys.readouterr().out
    assert kept.path.read_bytes() == before and entries_of(kept)["02.1"]["status"] == "passed"


OTHERS = [b"notes", b"", b"[]", b"{}", b'{"course": "another"}', b"\xff", b"[" * 100_000]


@pytest.mark.parametrize("content", OTHERS, ids=range(len(OTHERS)))
def test_a_file_that_is_no_report_is_left_alone(tmp_path, capsys, content):
    (tmp_path / "kim.json").write_bytes(content)
    export_progress(tmp_path / "kim.json")
    reason = text("exercises.progress.other_file")
    line = text("exercises.progress.not_exported", file="kim.json", error=reason)
    assert capsys.readouterr().out == f"{line}\n"
    assert (tmp_path / "kim.json").read_bytes() == content and os.listdir(tmp_path) == ["kim.json"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_what_is_no_file_is_no_place_for_a_report(tmp_path, capsys):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    for name, reason in (("pipe", "not a regular file"), ("folder", "Is a directory")):
        export_progress(tmp_path / name)
        assert reason in capsys.readouterr().out
    assert (tmp_path / "pipe").is_fifo() and (tmp_path / "folder").is_dir()


def test_progress_says_where_nothing_can_be_saved(monkeypatch, capsys):
    def read_only(*_, **__):
        raise OSError(30, "Read-only file system")

    progress("00")
    assert "저장" not in capsys.readouterr().out
    monkeypatch.setattr(store, "FileLock", read_only)
    progress("00")
    told = capsys.readouterr().out.splitlines()[-1]
    assert told == text("exercises.progress.not_saved", error="Read-only file system")
