"""The rules that every saved notebook keeps: `python dev/notebook_rules.py [FILE ...]`.

Each rule is a function from a notebook to the complaints it has, a sentence each; none means that it is kept.
Rules that need a run (same outputs, time) are nbval's and the executor's; what the text says is for people to judge.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from markdown_it import MarkdownIt
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from course_utils.support.paths import NOTEBOOKS  # noqa: E402
from course_utils.support.text_width import columns  # noqa: E402
from dev.notebook_budget import IGNORING, SKIPPING, markers  # noqa: E402
from dev.notebook_cells import (  # noqa: E402
    belongs_folded,
    code_cells,
    holds_an_answer,
    holds_bands,
    is_folded,
    output_texts,
    parse,
    read_notebook,
    tags,
    where,
    widget_outputs,
)
from dev.number_rules import about_has_its_assert, about_is_written_by_the_helper  # noqa: E402
from dev.run_notebooks import KERNELSPEC, MACHINE_PATH, WIDGET_VIEW  # noqa: E402

KNOWN_TAGS = {"imports", "scratch", "figure", "widget", "widget-digest", "answer", "exercise", "bands"}
MOST_LINES = 25
MOST_COLUMNS = 120
MOST_BYTES = 1_000_000
FEWEST_EXERCISES = 3

OBJECT_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{6,}")
RAW_FLOAT = re.compile(r"\d\.\d{7,}")

COMMONMARK = MarkdownIt("commonmark").enable("table")

Rule = Callable[[NotebookNode], Iterator[str]]


# --- the saved file ---------------------------------------------------------------------------------------------


def kernelspec_is_plain(notebook: NotebookNode) -> Iterator[str]:
    """Without it JupyterLab asks for a kernel in a dialog."""
    if dict(notebook.metadata.get("kernelspec", {})) != KERNELSPEC:
        yield f"kernelspec is {dict(notebook.metadata.get('kernelspec', {}))}, expected {KERNELSPEC}"


def has_been_executed(notebook: NotebookNode) -> Iterator[str]:
    """Saved with outputs, and with the counts 1, 2, 3 … of one run from top to bottom."""
    cells = list(code_cells(notebook))
    counts = [cell.execution_count for _, cell in cells]
    if counts != list(range(1, len(cells) + 1)):
        yield f"execution counts are not 1 to {len(cells)}: run dev/run_notebooks.py"
    if cells and not any(cell.outputs for _, cell in cells):
        yield "no cell has an output: run dev/run_notebooks.py"


def no_widget_state(notebook: NotebookNode) -> Iterator[str]:
    """GitHub shows "Invalid Notebook" for it."""
    if "widgets" in notebook.metadata:
        yield "metadata.widgets is saved"
    for index, cell in code_cells(notebook):
        if any(WIDGET_VIEW in output.get("data", {}) for output in cell.outputs):
            yield f"{where(notebook, index)} has a saved widget view"


def no_failures(notebook: NotebookNode) -> Iterator[str]:
    for index, cell in code_cells(notebook):
        for output in cell.outputs:
            if output.output_type == "error":
                yield f"{where(notebook, index)} has an error output: {output.ename}"
            elif output.output_type == "stream" and output.name == "stderr":
                yield f"{where(notebook, index)} wrote to stderr"


def outputs_are_robust(notebook: NotebookNode) -> Iterator[str]:
    """No paths, addresses or raw floats: the next machine prints others."""
    for index, cell in code_cells(notebook):
        for said in (said for output in cell.outputs for said in output_texts(output)):
            for what, pattern in (
                ("a path", MACHINE_PATH),
                ("an object's address", OBJECT_ADDRESS),
                ("a raw float", RAW_FLOAT),
            ):
                if found := pattern.search(said):
                    yield f"{where(notebook, index)} shows {what}: …{said[found.start() : found.start() + 40]!r}"


# --- nbval, honestly --------------------------------------------------------------------------------------------


def nothing_is_skipped(notebook: NotebookNode) -> Iterator[str]:
    for index, cell in code_cells(notebook):
        if found := markers(cell) & SKIPPING:
            yield f"{where(notebook, index)} is hidden from nbval: {', '.join(sorted(found))}"


def ignored_has_reason(notebook: NotebookNode) -> Iterator[str]:
    """The marker stands alone on its line (nbval wants that); the next line is a comment that says why."""
    for index, cell in code_cells(notebook):
        if not markers(cell) & IGNORING:
            continue
        lines = [line.strip() for line in cell.source.splitlines()]
        marked = [place for place, line in enumerate(lines) if line.lstrip("# ") in IGNORING]
        after = lines[marked[0] + 1] if marked and marked[0] + 1 < len(lines) else ""
        if not re.match(r"#\s*\S.{5,}", after):
            yield f"{where(notebook, index)} is ignored without a reason in the comment below the marker"


# --- how a notebook is built ------------------------------------------------------------------------------------


def tags_are_known(notebook: NotebookNode) -> Iterator[str]:
    for index, cell in enumerate(notebook.cells):
        if unknown := tags(cell) - KNOWN_TAGS:
            yield f"{where(notebook, index)} has unknown tags: {', '.join(sorted(unknown))}"


def cell_ids_are_unique(notebook: NotebookNode) -> Iterator[str]:
    ids = [cell.get("id") for cell in notebook.cells]
    for name in sorted({str(name) for name in ids if name is None or ids.count(name) > 1}):
        yield f"cell id {name} is missing or used twice"


def cells_are_short(notebook: NotebookNode) -> Iterator[str]:
    for index, cell in code_cells(notebook):
        if (lines := len(cell.source.strip().splitlines())) > MOST_LINES:
            yield f"{where(notebook, index)} has {lines} lines, at most {MOST_LINES}"


def lines_are_narrow(notebook: NotebookNode) -> Iterator[str]:
    """A projected page shows no more columns; a Hangul syllable takes two."""
    for index, cell in code_cells(notebook):
        widest = max(map(columns, cell.source.splitlines()))
        if widest > MOST_COLUMNS:
            yield f"{where(notebook, index)} has a line of {widest} columns, at most {MOST_COLUMNS}"


def prose_comes_first(notebook: NotebookNode) -> Iterator[str]:
    """A markdown cell before each code cell; only the digest follows its widget directly, an answer its question, and
    bands what they hold."""
    for index, cell in code_cells(notebook):
        before = notebook.cells[index - 1] if index else None
        if holds_bands(cell):
            continue
        if "widget-digest" in tags(cell) and before is not None and "widget" in tags(before):
            continue
        if holds_an_answer(cell) and before is not None and "Guess(" in before.source:
            continue
        if before is None or before.cell_type != "markdown" or not before.source.strip():
            yield f"{where(notebook, index)} has no markdown cell before it"


def first_code_cell_imports(notebook: NotebookNode) -> Iterator[str]:
    """The scratch cells are run again by a test with the `imports` cell alone before them."""
    tagged = [index for index, cell in code_cells(notebook) if "imports" in tags(cell)]
    first = next((index for index, _ in code_cells(notebook)), None)
    if first is not None and tagged != [first]:
        yield "the first code cell, and only that, has the tag 'imports'"


def code_aside_is_folded(notebook: NotebookNode) -> Iterator[str]:
    """Long imports, figures' code and bands are folded, and nothing else is: the lesson stays in sight."""
    for index, cell in enumerate(notebook.cells):
        if belongs_folded(cell) and not is_folded(cell):
            yield f"{where(notebook, index)} is not folded: run dev/run_notebooks.py"
        elif is_folded(cell) and not belongs_folded(cell):
            yield f"{where(notebook, index)} is folded, and is no figure, no import and no bands"


def depth_is_folded(notebook: NotebookNode) -> Iterator[str]:
    """What a second reading wants is folded when the notebook opens; nothing else is."""
    for index, cell in enumerate(notebook.cells):
        if cell.cell_type == "markdown":
            depth = bool(re.match("#+ 심화", cell.source))
            if re.search("^#+ 심화", cell.source, re.MULTILINE) and not depth:
                yield f"{where(notebook, index)}: a heading 심화 folds its cell, so it begins one"
            if depth != cell.metadata.get("jp-MarkdownHeadingCollapsed", False):
                yield f"{where(notebook, index)}: jp-MarkdownHeadingCollapsed must be {depth}"


def bands_hold_the_cell_before(notebook: NotebookNode) -> Iterator[str]:
    """A cell of bands follows a code cell, prints nothing, and has only asserts and the loops around them."""
    for index, cell in code_cells(notebook):
        if not holds_bands(cell):
            continue
        if not index or notebook.cells[index - 1].cell_type != "code" or cell.outputs:
            yield f"{where(notebook, index)} holds bands, and has an output or no code cell before it"
        loops = [node.body for node in ast.walk(parse(cell)) if isinstance(node, ast.For | ast.Module)]
        if not all(isinstance(node, ast.Assert | ast.For) for body in loops for node in body):
            yield f"{where(notebook, index)} holds bands, and does something else"


def bold_is_closed(notebook: NotebookNode) -> Iterator[str]:
    """No ** is seen as it is: after %, a quotation mark or a formula, and before a particle, it closes nothing."""
    for index, cell in enumerate(notebook.cells):
        if cell.cell_type == "markdown":
            for block in COMMONMARK.parse(cell.source):
                for part in block.children or []:
                    if part.type == "text" and "**" in part.content:
                        yield f"{where(notebook, index)} shows ** as it is: …{part.content[-60:]!r}"


def figures_have_alt_text(notebook: NotebookNode) -> Iterator[str]:
    """A cell that shows a picture has the tag `figure`, calls show(…, alt=…), and its output carries the text."""
    for index, cell in code_cells(notebook):
        pictures = [output for output in cell.outputs if "image/png" in output.get("data", {})]
        if "figure" not in tags(cell):
            if pictures and not tags(cell) & {"widget", "widget-digest"}:
                yield f"{where(notebook, index)} shows a picture and lacks the tag 'figure'"
            continue
        if not any(is_call_with(node, "show", "alt") for node in ast.walk(parse(cell))):
            yield f"{where(notebook, index)} is a figure and does not call show(…, alt=…)"
        if not pictures:
            yield f"{where(notebook, index)} is a figure and has no picture in its output"
        for output in pictures:
            if not str(output.metadata.get("image/png", {}).get("alt", "")).strip():
                yield f"{where(notebook, index)} has a picture without alternative text"


def may_move_has_reason(notebook: NotebookNode) -> Iterator[str]:
    """Only a figure may say that it moves, in what ("marks" or "words"; dev/figures.py), and why."""
    for index, cell in enumerate(notebook.cells):
        said = cell.metadata.get("may_move", {})
        if said and "figure" not in tags(cell):
            yield f"{where(notebook, index)} has 'may_move' and is no figure"
        for what, reason in said.items():
            if what not in ("marks", "words") or len(str(reason).split()) < 3:
                yield f"{where(notebook, index)} may move in {what!r} for the reason {reason!r}"


def widgets_have_digests(notebook: NotebookNode) -> Iterator[str]:
    """After each widget comes a cell that moves it from code and prints what it now shows."""
    for index, cell in code_cells(notebook):
        later = [other for place, other in code_cells(notebook) if place > index]
        if "widget" in tags(cell) and not (later and "widget-digest" in tags(later[0])):
            yield f"{where(notebook, index)} is a widget and the next code cell is not its digest"
        if "widget-digest" in tags(cell) and not any(
            output.output_type == "stream" for output in cell.outputs
        ):
            yield f"{where(notebook, index)} is a digest and prints nothing"


def widgets_are_pictured(notebook: NotebookNode) -> Iterator[str]:
    """What a widget shows is saved with it as a picture, taken when it said the same."""
    for index, cell in code_cells(notebook):
        for output in widget_outputs(cell):
            if output.metadata.get("image/png", {}).get("alt") != output.data["text/plain"]:
                yield f"{where(notebook, index)} has no picture, or another's: python -m dev.pictures NUMBER"


def answers_are_folded(notebook: NotebookNode) -> Iterator[str]:
    """The outputs of a cell tagged `answer` are saved folded, and no others."""
    for index, cell in code_cells(notebook):
        if bool(cell.metadata.get("jupyter", {}).get("outputs_hidden")) != holds_an_answer(cell):
            yield f"{where(notebook, index)} is folded or tagged 'answer', not both: run dev/run_notebooks.py"


def guesses_are_answered(notebook: NotebookNode) -> Iterator[str]:
    """The code cell after a Guess has its answer, and prints the question first: beside the fold stands that line."""
    cells = list(code_cells(notebook))
    for (index, cell), (_, after) in zip(cells, [*cells[1:], (-1, new_code_cell())], strict=True):
        if found := re.search(r"^(\w+) = Guess\(", cell.source, re.M):
            said = after.outputs[0].get("text", "") if after.outputs else ""
            if not holds_an_answer(after) or f"{found[1]}.answer(" not in after.source:
                yield f"{where(notebook, index)}: the next code cell has no tag 'answer' or no {found[1]}.answer(…)"
            elif not said.startswith(("답: ", "Answer: ")):
                yield f"{where(notebook, index)}: what answers it prints something before {found[1]}.answer(…)"


def has_exercises(notebook: NotebookNode) -> Iterator[str]:
    """At least three, each cell with one exercise("NN.k").check(…), numbered from 1 on."""
    numbers = []
    for index, cell in code_cells(notebook):
        called = re.findall(r"""exercise\(["'](\d\d\.\d+)["']\)\.check\(""", cell.source)
        if "exercise" in tags(cell):
            numbers += called
            if len(called) != 1:
                yield f"{where(notebook, index)} is an exercise and has {len(called)} calls of .check"
        elif called:
            yield f"{where(notebook, index)} checks exercise {called[0]} and lacks the tag 'exercise'"
    if len(numbers) < FEWEST_EXERCISES:
        yield f"has {len(numbers)} exercises, at least {FEWEST_EXERCISES}"
    if numbers:
        expected = [f"{numbers[0][:2]}.{k}" for k in range(1, len(numbers) + 1)]
        if numbers != expected:
            yield f"exercises are {', '.join(numbers)}, expected {', '.join(expected)}"


def names_keep_their_meaning(notebook: NotebookNode) -> Iterator[str]:
    """A name that is a function, class or import stays that one; no variable becomes one later."""
    meanings: dict[str, str] = {}
    for index, cell in code_cells(notebook):
        here: dict[str, str] = {}
        for statement in parse(cell).body:
            for name, meaning in bindings(statement):
                here[name] = f"cell {index + 1}" if meaning == "definition" else meaning
        for name, meaning in here.items():
            before = meanings.get(name, meaning)
            if before != meaning and not before == "variable" == meaning:
                yield f"{where(notebook, index)} gives {name!r} a new meaning"
        meanings = here | meanings


DEFINING = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)


def bindings(statement: ast.stmt) -> Iterator[tuple[str, str]]:
    """(name, meaning) for every name that a statement binds; meaning: definition, variable, or what is imported."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield statement.name, "definition"
    elif isinstance(statement, ast.Import):
        for alias in statement.names:
            yield (
                alias.asname or alias.name.split(".")[0],
                f"import {alias.name if alias.asname else 'package'}",
            )
    elif isinstance(statement, ast.ImportFrom):
        for alias in statement.names:
            yield alias.asname or alias.name, f"from {statement.module} import {alias.name}"
    else:
        for node in walk_same_scope(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                yield node.id, "variable"
            elif node is not statement and isinstance(node, DEFINING):
                yield from bindings(node)


def walk_same_scope(node: ast.AST) -> Iterator[ast.AST]:
    """ast.walk that does not go into functions, classes, lambdas or comprehensions: they bind names of their own."""
    yield node
    inner = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
    inner += (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
    if not isinstance(node, inner):
        for child in ast.iter_child_nodes(node):
            yield from walk_same_scope(child)


def is_call_with(node: ast.AST, function: str, keyword: str) -> bool:
    if not isinstance(node, ast.Call):
        return False
    name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", None)
    return name == function and any(given.arg == keyword for given in node.keywords)


RULES: list[Rule] = [
    kernelspec_is_plain,
    has_been_executed,
    no_widget_state,
    no_failures,
    outputs_are_robust,
    nothing_is_skipped,
    ignored_has_reason,
    about_has_its_assert,
    about_is_written_by_the_helper,
    tags_are_known,
    cell_ids_are_unique,
    cells_are_short,
    lines_are_narrow,
    prose_comes_first,
    first_code_cell_imports,
    code_aside_is_folded,
    depth_is_folded,
    bands_hold_the_cell_before,
    bold_is_closed,
    figures_have_alt_text,
    may_move_has_reason,
    widgets_have_digests,
    widgets_are_pictured,
    answers_are_folded,
    guesses_are_answered,
    has_exercises,
    names_keep_their_meaning,
]


def complaints(path: Path) -> list[str]:
    """Everything that the rules have against a saved notebook."""
    found = []
    notebook = read_notebook(path)
    if (size := path.stat().st_size) > MOST_BYTES:
        found.append(f"has {size:,} bytes, at most {MOST_BYTES:,}")
    return found + [f"{rule.__name__}: {complaint}" for rule in RULES for complaint in rule(notebook)]


def main(arguments: list[str]) -> int:
    files = [Path(name) for name in arguments] or sorted(NOTEBOOKS.glob("*.ipynb"))
    bad = 0
    for path in files:
        found = complaints(path)
        bad += bool(found)
        print(f"{'✗' if found else '✓'} {path.name}", *found, sep="\n    ")
    return 1 if bad else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
