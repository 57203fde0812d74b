"""What must hold for the exercises of a notebook; each function returns the faults it finds, in words."""

from __future__ import annotations

import ast
import contextlib
import inspect
import io
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from course_utils.exercises.core import LEVELS, Exercise, Verdict
from course_utils.locale import language, raw_texts, text
from course_utils.support.paths import NOTEBOOKS


def audit_levels(exercises: list[Exercise]) -> list[str]:
    """At least three exercises, every level among them."""
    faults = [] if len(exercises) >= 3 else [f"only {len(exercises)} exercises"]
    present = {exercise.level for exercise in exercises}
    return faults + [f"no exercise of level {level}" for level in LEVELS if level not in present]


def audit_texts(exercise: Exercise) -> list[str]:
    """Title, why, two or three hints, in the language in use."""
    faults = [
        f"{exercise.id}: {name} is empty" for name in ("title", "why") if not text(f"{exercise.key}.{name}")
    ]
    count = len(set(text(f"{exercise.key}.hints")))
    return faults + ([] if count in (2, 3) else [f"{exercise.id}: {count} hints, not 2 or 3"])


def audit_verdicts(
    exercise: Exercise, wrong: Mapping[str, Any], judge: Callable[[Exercise, Any], Verdict] = Exercise.judge
) -> list[str]:
    """The solution passes, stubs are unsolved, each wrong answer fails for its own reason in its own words."""
    verdict = exercise.judge(exercise.reference)
    faults = [] if verdict.status == "passed" else [f"{exercise.id}: the solution fails: {verdict.message}"]
    for stub in (None, ..., lambda *args, **kwargs: None, lambda *args, **kwargs: ..., _not_implemented):
        if (callable(stub) and inspect.isclass(exercise.reference)) or exercise.judge(
            stub
        ).status == "unsolved":
            continue
        faults.append(
            f"{exercise.id}: a stub is {exercise.judge(stub).status}: {exercise.judge(stub).message}"
        )
    if len(wrong) < 5:
        faults.append(f"{exercise.id}: {len(wrong)} wrong answers, not five")
    messages = {}
    for reason, answer in wrong.items():
        verdict = judge(exercise, answer)
        if (verdict.status, verdict.reason) != ("failed", reason):
            faults.append(
                f"{exercise.id}: {reason} is {verdict.status} for {verdict.reason}: {verdict.message}"
            )
        if verdict.message.endswith(text("exercises.wrong.other")):
            faults.append(f"{exercise.id}: {reason} has no text, or a fact is missing")
        if verdict.message in messages:
            faults.append(f"{exercise.id}: {reason} and {messages[verdict.message]} are told the same")
        messages[verdict.message] = reason
    return faults


def audit_reasons(
    source: str, specific: Mapping[str, Mapping[str, str]], wrong: Mapping[str, Any]
) -> list[str]:
    """Every reason raised has a text, and every text belongs to a wrong answer.

    Args:
        source: of the module that holds the checks.
        specific: per exercise, its `wrong` table.
        wrong: per exercise, its wrong answers.
    """
    generic = set(raw_texts(language(), "exercises")["wrong"])
    known = generic.union(*specific.values())
    faults = [f"no text for reason {reason}" for reason in sorted(reasons_raised(source) - known)]
    for id, texts in specific.items():
        unused = sorted(set(texts) - generic - set(wrong.get(id, {})))
        faults += [f"{id}: the text {reason} belongs to no wrong answer" for reason in unused]
    return faults


def reasons_raised(source: str) -> set[str]:
    """The literal reasons in Wrong("…") and expect_close(…, "…")."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        place = {"Wrong": 0, "expect_close": 2}.get(name)
        if place is None:
            continue
        given = [
            *node.args[place : place + 1],
            *(word.value for word in node.keywords if word.arg == "reason"),
        ]
        constants = [part for arg in given for part in ast.walk(arg) if isinstance(part, ast.Constant)]
        found |= {part.value for part in constants if isinstance(part.value, str)}
    return found


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


def _not_implemented(*args: Any, **kwargs: Any) -> Callable[..., Any]:
    raise NotImplementedError
