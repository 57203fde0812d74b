"""The learner's progress: one small JSON file in their data folder, never half written.

    {"version": 1, "exercises": {"02.1": {"status": "passed", "attempts": 2, "first_passed": "2026-11-20",
                                          "hints_seen": 1}}}

An exercise is called by number, 02.1; a question to guess at by letter, 02.a. Several kernels may write at once: each
write reads the file again under a lock and changes one entry only. Trouble with the disk never stops a learner; it
comes back as one sentence.
"""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from course_utils.locale import text
from course_utils.support.files import write_atomically
from course_utils.support.folders import remove_leftovers
from course_utils.support.paths import data_home

VERSION = 1
LOCK_TIMEOUT = 3.0  # seconds; a write takes milliseconds
NEW_ENTRY = {"status": "failed", "attempts": 0, "first_passed": None, "hints_seen": 0}

Entries = dict[str, dict[str, Any]]


class Damaged(Exception):
    """The file is there but is not a progress file."""


class ProgressStore:
    """Reads and writes the progress file; what goes wrong is returned as a sentence, never raised."""

    def __init__(self, folder: str | os.PathLike[str] | None = None) -> None:
        self.folder = Path(folder) if folder is not None else data_home()
        self.path = self.folder / "progress.json"

    def load(self) -> tuple[Entries, str | None]:
        """Read all entries.

        Returns:
            The entries by exercise id, and a sentence if something was wrong (None if not). A damaged file is moved
            aside.
        """
        try:
            return self._read(), None
        except Damaged:
            return {}, self.trouble()
        except OSError as error:
            return {}, text("exercises.progress.not_read", error=_reason(error))

    def trouble(self) -> str | None:
        """A sentence if nothing can be saved here, else None."""
        return self._change(lambda entries: None)

    def record_attempt(self, exercise_id: str, *, passed: bool) -> str | None:
        """Count an attempt; the first pass is dated, and nothing later takes it back.

        Returns:
            A sentence if it could not be saved or the file was damaged, else None.
        """

        def change(entries: Entries) -> None:
            entry = entries.setdefault(exercise_id, dict(NEW_ENTRY))
            if entry["status"] == "passed":
                return
            entry["attempts"] += 1
            if passed:
                entry.update(status="passed", first_passed=date.today().isoformat())
            else:
                entry["status"] = "failed"

        return self._change(change)

    def record_hint(self, exercise_id: str, number: int) -> str | None:
        """Remember that hints up to this number were seen. Returns as record_attempt."""

        def change(entries: Entries) -> None:
            entry = entries.setdefault(exercise_id, NEW_ENTRY | {"status": "unsolved"})
            entry["hints_seen"] = max(entry["hints_seen"], number)

        return self._change(change)

    def record_guess(self, question_id: str, *, right: bool) -> str | None:
        """Remember the first guess at a question ("00.a"); later ones do not count. Returns as record_attempt."""
        guessed = NEW_ENTRY | {"status": "passed" if right else "failed", "attempts": 1}

        def change(entries: Entries) -> None:
            entries.setdefault(question_id, guessed)

        return self._change(change)

    def _change(self, change: Callable[[Entries], None]) -> str | None:
        """Read, change and write under the lock."""
        note = None
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with FileLock(self.folder / "progress.lock", timeout=LOCK_TIMEOUT):
                remove_leftovers(self.folder, [self.path.name])
                try:
                    entries = self._read()
                except Damaged:
                    note = text("exercises.progress.broken", file=self._move_aside())
                    entries = {}
                before = json.dumps(entries)
                change(entries)
                if note or json.dumps(entries) != before:
                    self._write(entries)
        except Timeout:
            return _not_saved(text("exercises.progress.busy"), note)
        except (
            OSError,
            NotImplementedError,
        ) as error:  # read-only, full, no rights, a file system without locks
            return _not_saved(_reason(error), note)
        return note

    def _read(self) -> Entries:
        if self.path.exists() and not self.path.is_file():  # a pipe would let us wait for ever
            raise OSError(errno.EINVAL, "not a regular file")
        try:
            content = json.loads(self.path.read_bytes().decode("utf-8"))
        except FileNotFoundError:
            return {}
        except (ValueError, RecursionError) as error:
            raise Damaged from error
        if not isinstance(content, dict) or content.get("version") != VERSION:
            raise Damaged
        entries = content.get("exercises")
        if not isinstance(entries, dict) or not all(map(_is_entry, entries.values())):
            raise Damaged
        return entries

    def _write(self, entries: Entries) -> None:
        content = json.dumps({"version": VERSION, "exercises": dict(sorted(entries.items()))}, indent=2)
        write_atomically(self.path, content + "\n")

    def _move_aside(self) -> str:
        """Give the damaged file a name no other file has; returns that name."""
        target = self.folder / "progress.json.broken"
        number = 1
        while target.exists():
            number += 1
            target = self.folder / f"progress.json.broken-{number}"
        os.replace(self.path, target)
        return target.name


def _is_entry(entry: Any) -> bool:
    return (
        isinstance(entry, dict)
        and entry.get("status") in ("unsolved", "failed", "passed")
        and all(type(entry.get(count)) is int for count in ("attempts", "hints_seen"))
        and isinstance(entry.get("first_passed", 0), str | None)
    )


def _not_saved(reason: str, note: str | None) -> str:
    sentence = text("exercises.progress.not_saved", error=reason)
    return f"{note} {sentence}" if note else sentence


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or type(error).__name__
