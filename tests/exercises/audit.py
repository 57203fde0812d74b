"""What must hold for the exercises of a notebook; each function returns the faults it finds, in words."""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from course_utils.exercises.core import Exercise
from course_utils.locale import text
from course_utils.support.paths import NOTEBOOKS


def audit_texts(exercise: Exercise) -> list[str]:
    """Title, why, two or three hints, in the language in use."""
    faults = [
        f"{exercise.id}: {name} is empty" for name in ("title", "why") if not text(f"{exercise.key}.{name}")
    ]
    count = len(set(text(f"{exercise.key}.hints")))
    return faults + ([] if count in (2, 3) else [f"{exercise.id}: {count} hints, not 2 or 3"])


def audit_stubs(notebook: Path, exercises: list[Exercise]) -> list[str]:
    """The notebook's own stub cells run after its `imports` cell and say "unsolved", one for each exercise."""
    cells = code_cells(notebook)
    imports = [source for tags, source in cells if "imports" in tags]
    stubs = [source for tags, source in cells if "exercise" in tags]
    faults = [] if len(imports) == 1 else [f"{notebook.name}: {len(imports)} cells tagged imports, not one"]
    for exercise in exercises:
        own = [source for source in stubs if f'exercise("{exercise.id}")' in source]
        if len(own) != 1:
            faults.append(f"{notebook.name}: {len(own)} cells tagged exercise for {exercise.id}, not one")
            continue
        namespace: dict[str, Any] = {"__name__": "__main__"}
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec("\n".join(imports), namespace)
            exec(own[0], namespace)
        if exercise.judge(None).message not in printed.getvalue():
            faults.append(f"{notebook.name}: the stub of {exercise.id} says {printed.getvalue()!r}")
    if len(stubs) > len(exercises):
        faults.append(f"{notebook.name}: {len(stubs)} cells tagged exercise for {len(exercises)} exercises")
    return faults


def code_cells(notebook: Path) -> list[tuple[set[str], str]]:
    """(tags, source) of every code cell."""
    content = json.loads(notebook.read_text(encoding="utf-8"))
    return [
        (set(cell["metadata"].get("tags", [])), "".join(cell["source"]))
        for cell in content["cells"]
        if cell["cell_type"] == "code"
    ]


def notebook_of(number: str, folder: Path = NOTEBOOKS) -> Path | None:
    """The notebook with this number, if it is there."""
    return next(iter(sorted(folder.glob(f"{number}_*.ipynb"))), None)


def forms(*answers: Callable[..., Any]) -> dict[str, Callable[..., Any]]:
    """Answers by the names of their functions, as a lesson's RIGHT has them."""
    return {answer.__name__: answer for answer in answers}


def _not_implemented(*args: Any, **kwargs: Any) -> Callable[..., Any]:
    raise NotImplementedError
