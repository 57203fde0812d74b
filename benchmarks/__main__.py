"""`make bench`: the course against its peers, as ratios.

    python -m benchmarks                       everything, some minutes
    python -m benchmarks busy                  one table, of inference, training, widgets, memory, busy, tokenizers

Both sides of a ratio take turns in one process, and the median is taken: a busy machine disturbs both alike. ✓ and ✗
say whether the goal is reached here and now; the exit status does not, because one slow minute is not a failure.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from typing import Any

from benchmarks import table


def inference() -> list[str]:
    """Our BertModel against `transformers` BertModel."""
    import torch

    from benchmarks.inference_bench import rows

    return table.lines(f"inference, ours : transformers, {torch.get_num_threads()} threads", rows())


def training() -> list[str]:
    """A pre-training step of ours against that of `transformers`; the data pipeline against our own step."""
    import torch

    from benchmarks.training_bench import pipeline, rows

    told = rows()
    title = f"training, ours : transformers, {torch.get_num_threads()} threads"
    return table.lines(title, [*told, table.pipeline_row(pipeline(), told)])


def widgets() -> list[str]:
    """From a key to the picture it draws, each widget at its largest input, in JupyterLab in Chromium."""
    from benchmarks.widgets_bench import rows, summary

    return table.answer_lines(
        [(row["what"], len(row["milliseconds"]), *summary(row["milliseconds"])) for row in rows()]
    )


def memory() -> list[str]:
    """The largest memory of the kernel after each notebook."""
    from benchmarks.memory_bench import rows

    return table.memory_lines(rows())


def busy() -> list[str]:
    """A notebook beside a busy core, as a hub, a browser or a video call is one."""
    from benchmarks.memory_bench import busy_row

    return [table.busy_line(*busy_row())]


def tokenizers() -> list[str]:
    """Training and encoding against `tokenizers`."""
    from benchmarks.tokenizers_bench import rows

    return table.lines("tokenization, ours : theirs", rows())


TABLES: dict[str, Callable[[], list[str]]] = {
    "inference": inference,
    "training": training,
    "widgets": widgets,
    "memory": memory,
    "busy": busy,
    "tokenizers": tokenizers,
}


def main(arguments: Sequence[str] | None = None, *, tables: dict[str, Any] = TABLES) -> int:
    """Measure the chosen tables and print them."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("tables", nargs="*", metavar="table", help=f"{', '.join(tables)} (default: all)")
    options = parser.parse_args(arguments)
    if unknown := [name for name in options.tables if name not in tables]:
        parser.error(f"no such table: {', '.join(unknown)}; there are: {', '.join(tables)}")
    print(table.machine())
    print("ratio = theirs / ours: above 1 ours is the faster one; medians of runs in turn", flush=True)
    for name in options.tables or tables:
        print(f"… {name}", file=sys.stderr, flush=True)
        print("", *tables[name](), sep="\n", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
