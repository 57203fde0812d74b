"""Exercises with checks, hints, solutions and progress.

exercise("02.1").check(my_function) judges an answer; .hint() gives the next hint; .solution() shows ours and why.
progress() shows what is solved, export_progress("kim.json") writes it for a lecturer.
"""

from __future__ import annotations

import json
import os
import re
from datetime import date
from typing import Any

from course_utils.course import title_of
from course_utils.exercises.core import Exercise, Verdict, Wrong
from course_utils.locale import text
from course_utils.progress import Entries, ProgressStore
from course_utils.support.files import write_atomically
from course_utils.support.given import shown
from course_utils.support.lessons import lesson_module, lesson_numbers
from course_utils.support.paths import APP

__all__ = [
    "Exercise",
    "Verdict",
    "Wrong",
    "exercise",
    "exercises_of",
    "export_progress",
    "notebooks",
    "progress",
]


def notebooks() -> list[str]:
    """The numbers of the notebooks that have exercises, from the folders of the lessons: ["00", "01", …]."""
    return lesson_numbers("exercises.py")


def exercises_of(notebook: str) -> list[Exercise]:
    """The exercises of one notebook, from lessons/NN_name/exercises.py, which is read only now.

    Args:
        notebook: two digits, "02".

    Raises:
        ValueError: if there is no such notebook, or it has no exercises.
    """
    if notebook not in notebooks():
        raise ValueError(text("exercises.unknown.notebook", id=shown(notebook), known=", ".join(notebooks())))
    return lesson_module(notebook).EXERCISES


def exercise(exercise_id: str) -> Exercise:
    """Find an exercise.

    Args:
        exercise_id: notebook and number, "02.1".

    Raises:
        ValueError: if there is no such exercise; the message lists those there are.
    """
    form = re.fullmatch(r"(\d\d)\.\d+", exercise_id) if isinstance(exercise_id, str) else None
    if form is None:
        raise ValueError(text("exercises.unknown.form", id=shown(exercise_id)))
    if form[1] not in notebooks():
        raise ValueError(text("exercises.unknown.notebook", id=exercise_id, known=", ".join(notebooks())))
    known = {found.id: found for found in exercises_of(form[1])}
    if exercise_id not in known:
        raise ValueError(text("exercises.unknown.exercise", id=exercise_id, known=", ".join(known)))
    return known[exercise_id]


def progress(notebook: str | None = None) -> None:
    """Print a line for each notebook: ● solved, ○ not yet; and how many guesses were right, once one was made.

    Args:
        notebook: two digits, "02", for the line of one notebook alone.
    """
    print(progress_told(notebook))


def progress_told(notebook: str | None = None) -> str:
    """What progress() prints."""
    numbers = [number for number in notebooks() if notebook in (None, number)]
    if not numbers:
        return text("exercises.progress.none")
    store = ProgressStore()
    entries, note = store.load()
    note = note or store.trouble()
    told, all_marks = [text("exercises.progress.title")], ""
    for number in numbers:
        marks = marks_of(number, entries)
        all_marks += marks
        line = text("exercises.progress.line", number=number, marks=marks, notebook=title_of(number))
        guesses = [
            entry["status"] == "passed"
            for key, entry in entries.items()
            if re.fullmatch(number + r"\.[a-z]", key)
        ]
        guessed = text("exercises.progress.guesses", right=sum(guesses), made=len(guesses)) if guesses else ""
        told.append(line + guessed)
    if notebook is None:
        total = all_marks.count("○") + all_marks.count("●")
        told.append(text("exercises.progress.total", passed=all_marks.count("●"), total=total))
    return "\n".join([*told, note] if note else told)


def marks_of(notebook: str, entries: Entries) -> str:
    """The exercises of a notebook, "●○○  1/3"."""
    passed = [entries.get(found.id, {}).get("status") == "passed" for found in exercises_of(notebook)]
    return "".join("○●"[mark] for mark in passed) + f"  {sum(passed)}/{len(passed)}"


def export_progress(path: str | os.PathLike[str], *, name: str = "") -> None:
    """Write the progress as JSON, for a lecturer; trouble with the disk is one printed sentence.

    Args:
        path: the file to write. An earlier report is replaced in one step; any other file, the progress file first of
            all, is left as it is.
        name: whose progress it is; only what the learner writes here identifies them.

    Raises:
        TypeError: if name is no text.
    """
    if not isinstance(name, str):
        raise TypeError(f"name must be a text, got {name!r}")
    store, file = ProgressStore(), os.path.basename(os.fspath(path))
    refused = "own_file" if os.path.realpath(path) == os.path.realpath(store.path) else _in_the_way(path)
    if refused:
        print(text("exercises.progress.not_exported", file=file, error=text(f"exercises.progress.{refused}")))
        return
    entries, note = store.load()
    content = json.dumps(_report(entries, name), ensure_ascii=False, indent=2) + "\n"
    try:
        # Half a surrogate pair in a name becomes \udc80 or the like, which is JSON's own way to write it.
        write_atomically(path, content.encode("utf-8", "backslashreplace"))
        print(text("exercises.progress.exported", file=file))
    except OSError as error:
        print(
            text("exercises.progress.not_exported", file=file, error=error.strerror or type(error).__name__)
        )
    if note:
        print(note)


def _in_the_way(path: str | os.PathLike[str]) -> str | None:
    """The name of the text that says why a report may not take the place of what stands there; None if it may."""
    if not os.path.isfile(path):  # what else may stand there, the writer says
        return None
    try:
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
    except (OSError, ValueError, RecursionError):
        return "other_file"
    return None if isinstance(found, dict) and found.get("course") == APP else "other_file"


def _report(entries: Entries, name: str) -> dict[str, Any]:
    """What a lecturer gets: every exercise of the course, tried or not."""
    known = [found.id for number in notebooks() for found in exercises_of(number)]
    unsolved = {"status": "unsolved", "attempts": 0, "first_passed": None, "hints_seen": 0}
    return {
        "course": APP,
        "name": name,
        "exported": date.today().isoformat(),
        "passed": sum(entries.get(key, {}).get("status") == "passed" for key in known),
        "total": len(known),
        "exercises": {key: unsolved | entries.get(key, {}) for key in known},
    }
