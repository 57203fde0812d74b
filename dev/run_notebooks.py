"""Execute notebooks in place, each from a clean kernel, and save them in one normal form.

    python dev/run_notebooks.py                    all of notebooks/ko
    python dev/run_notebooks.py FILE ...           these

The normal form holds no timestamps, widget state or details of the machine, so a second run changes nothing. A
notebook whose run raised, wrote to stderr or printed a path of this machine is not saved.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from course_utils.support.files import write_atomically  # noqa: E402
from course_utils.support.paths import NOTEBOOKS  # noqa: E402
from dev.notebook_cells import (  # noqa: E402
    belongs_folded,
    holds_an_answer,
    output_texts,
    read_notebook,
    where,
    widget_outputs,
)

CELL_SECONDS = 300
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
KEPT_CELL_METADATA = ("tags", "jupyter", "slideshow", "may_move", "jp-MarkdownHeadingCollapsed")
KERNELSPEC = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
LANGUAGE_INFO = {  # without the version, which differs between machines
    "codemirror_mode": {"name": "ipython", "version": 3},
    "file_extension": ".py",
    "mimetype": "text/x-python",
    "name": "python",
    "nbconvert_exporter": "python",
    "pygments_lexer": "ipython3",
}
MACHINE_PATH = re.compile(r"(?<![\w.])(/(home|root|work|tmp|Users|private|var|opt|usr)/|[A-Z]:\\)")


class Refused(Exception):
    """A notebook that must not be saved, with one sentence that says why."""


def execute(notebook: NotebookNode, folder: Path) -> None:
    """Run all cells in a new kernel whose working directory is `folder`; outputs are written into the notebook."""
    client = NotebookClient(
        notebook,
        kernel_name="python3",
        timeout=CELL_SECONDS,
        record_timing=False,
        store_widget_state=False,
        extra_arguments=["--log-level=ERROR"],
        resources={"metadata": {"path": str(folder)}},
    )
    current = {"index": 0}
    client.on_cell_execute = lambda cell, cell_index: current.update(index=cell_index)
    try:
        client.execute()
    except CellExecutionError as error:
        raise Refused(f"{where(notebook, current['index'])} raised {error.ename}: {error.evalue}") from None
    except (CellTimeoutError, DeadKernelError) as error:
        raise Refused(f"{where(notebook, current['index'])}: {type(error).__name__}: {error}") from None


def normalise(notebook: NotebookNode) -> None:
    """Bring an executed notebook into its normal form, in place."""
    notebook.metadata = NotebookNode(kernelspec=dict(KERNELSPEC), language_info=dict(LANGUAGE_INFO))
    count = 0
    for cell in notebook.cells:
        cell.metadata = NotebookNode(
            {k: v for k, v in cell.metadata.items() if k in KEPT_CELL_METADATA and v}
        )
        fold(cell)
        if cell.cell_type != "code":
            continue
        if not cell.source.strip():
            cell.execution_count, cell.outputs = None, []
            continue
        count += 1
        cell.execution_count = count
        cell.outputs = merge_streams(cell.outputs)
        for output in cell.outputs:
            if "execution_count" in output:
                output.execution_count = count
            output.get("data", {}).pop(WIDGET_VIEW, None)
            output.pop("transient", None)


def fold(cell: NotebookNode) -> None:
    """Hide or show the cell's source and outputs; JupyterLab keeps one line of hidden ones, and a click opens them."""
    folded = ("source_hidden", belongs_folded(cell)), ("outputs_hidden", holds_an_answer(cell))
    settings = {k: v for k, v in cell.metadata.pop("jupyter", {}).items() if k not in dict(folded)}
    settings |= {name: True for name, wanted in folded if wanted}
    if settings:
        cell.metadata["jupyter"] = settings


def merge_streams(outputs: list[NotebookNode]) -> list[NotebookNode]:
    """Join neighbouring pieces of one stream into one output: where a stream is cut is chance."""
    merged: list[NotebookNode] = []
    for output in outputs:
        last = merged[-1] if merged else None
        if last and output.output_type == "stream" == last.output_type and output.name == last.name:
            last.text += output.text
        else:
            merged.append(output)
    return merged


def keep_pictures(before: NotebookNode, after: NotebookNode) -> None:
    """Give each widget the picture saved with it, as long as it says the same (dev/pictures.py takes them)."""
    saved = {cell.id: output for cell in before.cells for output in widget_outputs(cell)}
    for cell in after.cells:
        for output in widget_outputs(cell):
            old = saved.get(cell.id, {"data": {}})
            if "image/png" in old["data"] and old["data"]["text/plain"] == output.data["text/plain"]:
                output.data["image/png"], output.metadata = old["data"]["image/png"], old["metadata"]


def inspect_outputs(notebook: NotebookNode) -> None:
    """Refuse a notebook that wrote to stderr or shows a path of this machine."""
    for index, cell in enumerate(notebook.cells):
        for output in cell.get("outputs", []):
            if output.output_type == "stream" and output.name == "stderr":
                raise Refused(
                    f"{where(notebook, index)} wrote to stderr: {output.text.strip().splitlines()[-1]}"
                )
            for said in output_texts(output):
                if found := MACHINE_PATH.search(said):
                    line = said[said.rfind("\n", 0, found.start()) + 1 :].splitlines()[0]
                    raise Refused(f"{where(notebook, index)} shows a path of this machine: {line.strip()}")


def serialise(notebook: NotebookNode) -> str:
    """The notebook as the text that is saved: one space of indent, Hangul readable, one newline at the end."""
    node: Any = nbformat.v4.rwbase.split_lines(nbformat.from_dict(json.loads(json.dumps(notebook))))
    node = nbformat.v4.rwbase.strip_transient(node)
    return json.dumps(node, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def run(path: Path, *, save: bool = True) -> None:
    """Execute one notebook and save it.

    Raises:
        Refused: if the run failed or its outputs may not be saved.
    """
    before, notebook = read_notebook(path), read_notebook(path)
    execute(notebook, path.resolve().parent)
    if not save:
        return
    normalise(notebook)
    keep_pictures(before, notebook)
    inspect_outputs(notebook)
    nbformat.validate(notebook)
    write_atomically(path, serialise(notebook))


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path, help="notebooks (default: all of notebooks/ko)")
    parser.add_argument("--unsaved", action="store_true", help="do they run? nothing is saved")
    options = parser.parse_args(arguments)
    files = options.files or sorted(NOTEBOOKS.glob("*.ipynb"))
    refused = 0
    with tempfile.TemporaryDirectory() as folder:
        os.environ["COURSE_DATA_HOME"] = folder  # the learner's own progress is not touched
        os.environ.pop("COURSE_LANG", None)
        for path in files:
            print(f"{path.name} …", end=" ", flush=True)
            start = time.monotonic()
            try:
                run(path, save=not options.unsaved)
                print(f"{time.monotonic() - start:.1f} s", flush=True)
            except Refused as error:
                refused += 1
                print(f"\n✗ {path.name}: {error} (the saved file is unchanged)", flush=True)
    if not files:
        print("no notebooks found")
    return 1 if refused else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
