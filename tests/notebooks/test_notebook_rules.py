"""Every saved notebook keeps the rules; and every rule can fail: each is shown a notebook that breaks it alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from course_utils.support.paths import NOTEBOOKS
from dev import notebook_budget
from dev import notebook_rules as rules
from dev.notebook_budget import Budget, budget
from dev.run_notebooks import KERNELSPEC, WIDGET_VIEW

FILES = sorted(NOTEBOOKS.glob("*.ipynb"))


def code(source: str, *tags: str, outputs: list[NotebookNode] | None = None) -> NotebookNode:
    return new_code_cell(source, metadata={"tags": list(tags)} if tags else {}, outputs=outputs or [])


def says(text: str, *, name: str = "stdout") -> NotebookNode:
    return new_output("stream", name=name, text=text)


def picture(alt: str, **data: str) -> NotebookNode:
    data = {"image/png": "aW1n"} | data
    return new_output("execute_result", data=data, metadata={"image/png": {"alt": alt}})


def good_notebook() -> NotebookNode:
    """A small notebook that keeps every rule."""
    cells = [
        code("import torch\nfrom course_utils.viz import show", "imports"),
        code("def my_sum(x):\n    return x.sum()", "scratch"),
        code("total = my_sum(torch.ones(3))\nprint(int(total))", outputs=[says("3\n")]),
        code("show(axes, alt='한 문장')", "figure", outputs=[picture("한 문장")]),
        code("widget", "widget", outputs=[picture("[위젯] 합", **{"text/plain": "[위젯] 합"})]),
        code("widget.k = 3\nprint(widget.summary)", "widget-digest", outputs=[says("k = 3\n")]),
        code("many = Guess('02.a', '몇입니까?')\nmany"),
        code("many.answer(3)\nprint(3)", "answer", outputs=[says("답: 몇입니까?\n3\n")]),
        *(
            code(f"def answer_{k}(x): ...\nexercise('02.{k}').check(answer_{k})", "exercise")
            for k in (1, 2, 3)
        ),
    ]
    cells[7].metadata.jupyter = {"outputs_hidden": True}
    notebook = new_notebook(metadata={"kernelspec": dict(KERNELSPEC)})
    for count, cell in enumerate(cells, start=1):
        cell.execution_count = count
        if not rules.tags(cell) & {"widget-digest", "answer"}:
            notebook.cells.append(new_markdown_cell("설명입니다."))
        notebook.cells.append(cell)
    for index, cell in enumerate(notebook.cells):
        cell.id = f"02-{index:03}"
    return notebook


def cell(notebook: NotebookNode, number: int) -> NotebookNode:
    """The code cell with this execution count in the good notebook."""
    return next(c for c in notebook.cells if c.cell_type == "code" and c.execution_count == number)


def append_source(number: int, source: str) -> Callable[[NotebookNode], None]:
    def plant(notebook: NotebookNode) -> None:
        cell(notebook, number).source += "\n" + source

    return plant


def append_output(number: int, output: NotebookNode) -> Callable[[NotebookNode], None]:
    return lambda notebook: cell(notebook, number).outputs.append(output)


def set_tags(number: int, *tags: str) -> Callable[[NotebookNode], None]:
    return lambda notebook: cell(notebook, number).metadata.update(tags=list(tags))


def hide_source(number: int) -> Callable[[NotebookNode], None]:
    return lambda notebook: cell(notebook, number).metadata.update(jupyter={"source_hidden": True})


def may_move(number: int, **reasons: str) -> Callable[[NotebookNode], None]:
    return lambda notebook: cell(notebook, number).metadata.update(may_move=reasons)


def shows_about(source: str) -> Callable[[NotebookNode], None]:
    def plant(notebook: NotebookNode) -> None:
        append_source(3, source)(notebook)
        append_output(3, says("≈3.00\n"))(notebook)

    return plant


def holds(source: str, *outputs: NotebookNode) -> Callable[[NotebookNode], None]:
    """Puts folded bands after code cell 3."""

    def plant(notebook: NotebookNode) -> None:
        bands = code(source, "bands", outputs=list(outputs))
        bands.metadata.jupyter = {"source_hidden": True}
        notebook.cells.insert(notebook.cells.index(cell(notebook, 3)) + 1, bands)

    return plant


def drop_prose(notebook: NotebookNode) -> None:
    del notebook.cells[2]


FOLDED_HEADING = {"jp-MarkdownHeadingCollapsed": True}

# (the rule that must complain, what is planted)
FAULTS: list[tuple[rules.Rule, Callable[[NotebookNode], None]]] = [
    (rules.kernelspec_is_plain, lambda notebook: notebook.metadata.kernelspec.update(display_name=".venv")),
    (rules.has_been_executed, lambda notebook: cell(notebook, 3).update(execution_count=None)),
    (
        rules.has_been_executed,
        lambda notebook: [c.update(outputs=[]) for c in notebook.cells if "outputs" in c],
    ),
    (rules.no_widget_state, lambda notebook: notebook.metadata.update(widgets={})),
    (rules.no_widget_state, lambda notebook: cell(notebook, 5).outputs[0].data.update({WIDGET_VIEW: {}})),
    (rules.no_failures, append_output(3, new_output("error", ename="ValueError", evalue="", traceback=[]))),
    (rules.no_failures, append_output(3, says("careful\n", name="stderr"))),
    (rules.outputs_are_robust, append_output(3, says("saved in /home/kim/x\n"))),
    (rules.outputs_are_robust, append_output(3, says("<object at 0x7f3a2c11d0>\n"))),
    (rules.outputs_are_robust, append_output(3, says("0.30000000000000004\n"))),
    (rules.nothing_is_skipped, append_source(3, "# NBVAL_SKIP")),
    (rules.nothing_is_skipped, set_tags(3, "raises-exception")),
    (rules.ignored_has_reason, append_source(3, "# NBVAL_IGNORE_OUTPUT")),
    (rules.about_has_its_assert, append_output(3, says("≈3\n"))),
    (rules.about_has_its_assert, shows_about("print(about(total))")),
    (rules.about_has_its_assert, shows_about("print(about(total))\nassert torch.ones(3).sum() == 3")),
    (rules.about_has_its_assert, shows_about("for part in (total, 1): print(about(part))\nassert my_sum")),
    (
        rules.about_has_its_assert,
        shows_about("def line(x): return about(x)\nprint(line(total))\nassert my_sum"),
    ),
    (rules.about_is_written_by_the_helper, append_source(3, "print(f'≈{total}')")),
    (rules.about_is_written_by_the_helper, append_source(3, "print(f'약 ≈ {total:.2f}')")),
    (rules.tags_are_known, set_tags(3, "scratchy")),
    (rules.cell_ids_are_unique, lambda notebook: cell(notebook, 3).update(id="02-000")),
    (rules.cells_are_short, append_source(3, "print()\n" * 25)),
    (rules.lines_are_narrow, append_source(3, "# " + "배" * 60)),
    (rules.prose_comes_first, drop_prose),
    (rules.first_code_cell_imports, set_tags(1)),
    (rules.first_code_cell_imports, set_tags(3, "imports")),
    (rules.code_aside_is_folded, append_source(1, "import math\nimport zlib")),
    (rules.code_aside_is_folded, hide_source(2)),
    (rules.code_aside_is_folded, set_tags(3, "bands")),
    (rules.depth_is_folded, lambda notebook: notebook.cells[0].update(source="### 심화: 더 보기")),
    (rules.depth_is_folded, lambda notebook: notebook.cells[0].update(source="그래서\n\n### 심화: 더 보기")),
    (rules.depth_is_folded, lambda notebook: notebook.cells[0].metadata.update(FOLDED_HEADING)),
    (rules.bands_hold_the_cell_before, holds("assert total > 2\nprint(total)")),
    (rules.bands_hold_the_cell_before, holds("for part in parts:\n    total = part")),
    (rules.bands_hold_the_cell_before, holds("assert total > 2", says("3\n"))),
    (rules.bands_hold_the_cell_before, set_tags(2, "bands")),
    (rules.bold_is_closed, lambda notebook: notebook.cells[0].update(source="토큰의 **15 %**를 고릅니다.")),
    (rules.bold_is_closed, lambda notebook: notebook.cells[0].update(source="- **쿼리 $q$**입니다.")),
    (rules.figures_have_alt_text, set_tags(4)),
    (rules.figures_have_alt_text, lambda notebook: cell(notebook, 4).update(source="show(axes)")),
    (rules.figures_have_alt_text, lambda notebook: cell(notebook, 4).update(outputs=[])),
    (rules.figures_have_alt_text, lambda notebook: cell(notebook, 4).update(outputs=[picture(" ")])),
    (rules.may_move_has_reason, may_move(3, marks="it was trained here")),
    (rules.may_move_has_reason, may_move(4, marks="")),
    (rules.widgets_are_pictured, lambda notebook: cell(notebook, 5).outputs[0].update(metadata={})),
    (
        rules.widgets_are_pictured,
        lambda notebook: cell(notebook, 5).outputs[0].data.update({"text/plain": "곱"}),
    ),
    (rules.widgets_have_digests, set_tags(6)),
    (rules.widgets_have_digests, lambda notebook: cell(notebook, 6).update(outputs=[])),
    (rules.answers_are_folded, lambda notebook: cell(notebook, 8).metadata.pop("jupyter")),
    (
        rules.answers_are_folded,
        lambda notebook: cell(notebook, 3).metadata.update(cell(notebook, 8).metadata, tags=[]),
    ),
    (rules.guesses_are_answered, set_tags(8)),
    (rules.guesses_are_answered, lambda notebook: cell(notebook, 8).update(source="print(3)")),
    (rules.guesses_are_answered, lambda notebook: cell(notebook, 8).outputs[0].update(text="3\n")),
    (rules.has_exercises, set_tags(11)),
    (rules.has_exercises, lambda notebook: cell(notebook, 11).update(source="answer_3 = 1")),
    (
        rules.has_exercises,
        lambda notebook: cell(notebook, 11).update(source="exercise('02.5').check(answer_3)"),
    ),
    (rules.names_keep_their_meaning, append_source(3, "my_sum = 3")),
    (rules.names_keep_their_meaning, append_source(3, "for torch in range(3): print(torch)")),
    (rules.names_keep_their_meaning, append_source(4, "def total(x): ...")),
]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_saved_notebook_keeps_the_rules(path: Path):
    assert rules.complaints(path) == []


def test_a_good_notebook_has_no_complaints():
    assert [complaint for rule in rules.RULES for complaint in rule(good_notebook())] == []


@pytest.mark.parametrize(("rule", "plant"), FAULTS, ids=[rule.__name__ for rule, _ in FAULTS])
def test_rule_sees_its_fault(rule: rules.Rule, plant: Callable[[NotebookNode], None]):
    notebook = good_notebook()
    plant(notebook)
    assert list(rule(notebook)) != []


def test_every_rule_has_a_planted_fault():
    assert {rule for rule, _ in FAULTS} == set(rules.RULES)


def test_what_is_allowed_stays_allowed():
    notebook = good_notebook()
    cell(notebook, 3).source += "\n# NBVAL_IGNORE_OUTPUT\n# 걸린 시간은 컴퓨터마다 다릅니다.\ntotal = 4"
    notebook.cells[0].source = "**15 %를** 고릅니다. '**가까움**'에서, `2**3`이 아닙니다."
    cell(notebook, 4).metadata.may_move = {"marks": "the curve was trained here"}
    cell(notebook, 4).source = (
        "import torch\ntotal = [torch for torch in (1, 2)]\n" + cell(notebook, 4).source
    )
    assert [complaint for rule in rules.RULES for complaint in rule(notebook)] == []


@pytest.mark.parametrize(
    "source",
    [
        "print(about(total))\nassert 2 < total < 4",
        "print(about(total.mean()))\nassert abs(total.mean() - 3) < 1",
        "for part in parts: print(about(part))\nassert all(2 < value < 4 for value in parts)",
        "print(*(about(x) for _, x in parts.items()))\nassert max(parts.values()) < 4",
        "def line(x): return about(x)\nprint(line(total))\nassert 2 < total < 4",
    ],
)
@pytest.mark.parametrize("apart", [False, True], ids=["in the cell", "in its bands"])
def test_about_with_its_assert_is_allowed(source: str, apart: bool):
    notebook = good_notebook()
    lines = source.splitlines()
    shows_about("\n".join(lines[: len(lines) - apart]))(notebook)
    if apart:
        assert list(rules.about_has_its_assert(notebook)) != []
        holds(lines[-1])(notebook)
        assert list(rules.bands_hold_the_cell_before(notebook)) == []
        assert list(rules.code_aside_is_folded(notebook)) == list(rules.prose_comes_first(notebook)) == []
    assert list(rules.about_has_its_assert(notebook)) == []
    assert list(rules.about_is_written_by_the_helper(notebook)) == []


def test_size_is_limited(tmp_path: Path):
    notebook = good_notebook()
    notebook.cells[0].source = "가" * rules.MOST_BYTES
    nbformat.write(notebook, tmp_path / "big.ipynb")
    assert "bytes" in rules.complaints(tmp_path / "big.ipynb")[0]


def test_budget_counts_compared_ignored_and_skipped():
    notebook = good_notebook()
    assert budget(notebook) == Budget(compared=11, ignored=0, skipped=0)
    cell(notebook, 3).source += "\n# NBVAL_IGNORE_OUTPUT\n# 이유"
    cell(notebook, 5).metadata.tags.append("nbval-skip")
    assert budget(notebook) == Budget(compared=9, ignored=1, skipped=1)
    append_output(3, says("True [False, True] Falsehood\n"))(notebook)
    assert budget(notebook).verdicts == 3
    cell(notebook, 11).execution_count, cell(notebook, 3).outputs = None, []
    assert budget(notebook) == Budget(compared=8, ignored=1, skipped=2)


@pytest.mark.parametrize(
    ("counts", "within"),
    [
        (Budget(compared=19, ignored=1), True),
        (Budget(compared=18, ignored=1), False),
        (Budget(compared=100, skipped=1), False),
        (Budget(), True),
    ],
)
def test_budget_allows_one_in_twenty(counts: Budget, within: bool):
    assert counts.within is within


def test_all_notebooks_together_are_within_budget(capsys: pytest.CaptureFixture[str]):
    assert notebook_budget.main([]) == 0, capsys.readouterr().out
