"""The executor saves a normal form, saves nothing bad, and a second run changes nothing."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from dev import run_notebooks
from dev.run_notebooks import KERNELSPEC, WIDGET_VIEW, Refused


def stream(text: str, name: str = "stdout") -> NotebookNode:
    return new_output("stream", name=name, text=text)


def write(path: Path, *sources: str) -> Path:
    cells = [new_code_cell(source, id=f"99-{index:03}") for index, source in enumerate(sources)]
    nbformat.write(new_notebook(cells=cells, metadata={"kernelspec": KERNELSPEC}), path)
    return path


def messy_notebook() -> NotebookNode:
    cell = new_code_cell(
        "slider",
        execution_count=7,
        metadata={"tags": ["widget"], "execution": {"a": "12:00"}, "trusted": True},
    )
    view = new_output("execute_result", data={"text/plain": "[위젯] 합", WIDGET_VIEW: {"model_id": "1"}})
    cell.outputs = [stream("a\n"), stream("b\n"), stream("c\n", "stderr"), stream("d\n"), view]
    return new_notebook(
        cells=[new_markdown_cell("말", metadata={"editable": True}), new_code_cell(""), cell],
        metadata={
            "widgets": {"state": {}},
            "kernelspec": {"name": "x", "display_name": ".venv"},
            "language_info": {"name": "x", "version": "3.11.2"},
        },
    )


def test_normal_form_drops_state_timings_and_machine_details_and_is_stable():
    notebook = messy_notebook()
    run_notebooks.normalise(notebook)
    text = run_notebooks.serialise(notebook)
    for gone in (".venv", "widgets", "model_id", "12:00", "trusted", "3.11.2", "editable"):
        assert gone not in text
    assert notebook.metadata.kernelspec == KERNELSPEC
    assert notebook.cells[2].metadata == {"tags": ["widget"]}
    assert notebook.cells[2].execution_count == 1 and notebook.cells[2].outputs[-1].execution_count == 1
    assert notebook.cells[2].outputs[-1].data == {"text/plain": "[위젯] 합"}
    streams = [(output.name, output.text) for output in notebook.cells[2].outputs[:3]]
    assert streams == [("stdout", "a\nb\n"), ("stderr", "c\n"), ("stdout", "d\n")]  # its pieces joined
    assert "말" in text and text.startswith('{\n "cells"') and text.endswith("}\n")
    again = nbformat.reads(text, as_version=4)
    run_notebooks.normalise(again)
    assert run_notebooks.serialise(again) == text


def test_normal_form_folds_imports_figures_and_answers():
    lines = "a\nb\nc\nd"
    hidden = {"source_hidden": True, "outputs_hidden": True}
    notebook = new_notebook(
        cells=[
            new_code_cell(lines, metadata={"tags": ["imports"]}),
            new_code_cell(lines, metadata={"tags": ["figure"]}),
            new_code_cell("a\nb\nc\n", metadata={"tags": ["figure"]}),
            new_code_cell(lines, metadata={"tags": ["scratch"], "jupyter": hidden}),
            new_code_cell(lines, metadata={"jupyter": hidden | {"other": 1}}),
            new_code_cell(lines, metadata={"tags": ["figure", "answer"]}),
        ]
    )
    run_notebooks.normalise(notebook)
    assert [cell.metadata.get("jupyter") for cell in notebook.cells] == [
        {"source_hidden": True},
        {"source_hidden": True},
        None,
        None,
        {"other": 1},
        hidden,
    ]


@pytest.mark.parametrize(("said", "kept"), [("[위젯] 1", True), ("[위젯] 2", False)])
def test_a_widget_keeps_its_picture_while_it_says_the_same(said: str, kept: bool):
    def notebook(tag: str, said: str, **picture: str) -> NotebookNode:
        output = new_output("execute_result", data={"text/plain": said} | picture)
        return new_notebook(
            cells=[new_code_cell("w", id="99-001", outputs=[output], metadata={"tags": [tag]})]
        )

    before, after = notebook("widget", "[위젯] 1", **{"image/png": "AAA"}), notebook("widget", said)
    before.cells[0].outputs[0].metadata = {"image/png": {"alt": "[위젯] 1"}}
    run_notebooks.keep_pictures(before, after)
    assert ("image/png" in after.cells[0].outputs[0].data) == kept
    assert after.cells[0].outputs[0].metadata == (before.cells[0].outputs[0].metadata if kept else {})
    other = notebook("figure", "[위젯] 1")
    run_notebooks.keep_pictures(before, other)
    assert "image/png" not in other.cells[0].outputs[0].data


@pytest.mark.parametrize(
    ("output", "reason"),
    [
        (stream("careful\n", "stderr"), "stderr: careful"),
        (stream("fine\nsaved in /home/kim/x\n"), "path of this machine: saved in"),
        (new_output("execute_result", data={"text/html": "<b>/tmp/x</b>"}), "path of this machine"),
    ],
)
def test_bad_outputs_are_refused(output: NotebookNode, reason: str):
    notebook = new_notebook(cells=[new_code_cell("x", id="99-000", outputs=[output])])
    with pytest.raises(Refused, match=reason):
        run_notebooks.inspect_outputs(notebook)


def test_pictures_may_hold_any_bytes():
    output = new_output("display_data", data={"image/png": "AAA/tmp/BBB"})
    run_notebooks.inspect_outputs(new_notebook(cells=[new_code_cell("x", outputs=[output])]))


@pytest.mark.rare
def test_a_real_run_is_saved_and_repeatable(tmp_path: Path):
    path = write(tmp_path / "a.ipynb", "import os\nprint(os.path.basename(os.getcwd()))", "6 * 7")
    written = path.read_bytes()
    assert run_notebooks.main([str(path), "--unsaved"]) == 0 and path.read_bytes() == written
    assert run_notebooks.main([str(path)]) == 0
    saved = nbformat.read(path, as_version=4)
    assert saved.cells[0].outputs[0].text == f"{tmp_path.name}\n"
    assert saved.cells[1].outputs[0].data["text/plain"] == "42"
    assert [cell.execution_count for cell in saved.cells] == [1, 2]

    once = path.read_bytes()
    assert run_notebooks.main([str(path)]) == 0 and path.read_bytes() == once


@pytest.mark.rare
def test_a_run_that_raised_is_not_saved(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path = write(tmp_path / "a.ipynb", "1", "1 / 0")
    before = path.read_bytes()
    assert run_notebooks.main([str(path)]) == 1
    assert path.read_bytes() == before
    assert "cell 2 (99-001) raised ZeroDivisionError: division by zero" in capsys.readouterr().out
