"""`make bench`: the course against its peers, as ratios.

    python -m benchmarks                       everything, some minutes
    python -m benchmarks busy                  one table, of inference, training, widgets, memory, busy, tokenizers
    python -m benchmarks --quick               shorter runs, rougher figures

Both sides of a ratio take turns in one process, and the median is taken: a busy machine disturbs both alike. ✓ and ✗
say whether the goal is reached here and now; the exit status does not, because one slow minute is not a failure.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from typing import Any

from benchmarks import table


def inference(quick: bool) -> list[str]:
    """Our BertModel against `transformers` BertModel."""
    import torch

    from benchmarks.inference_bench import rows

    measured = rows(1.0) if quick else rows()
    threads = torch.get_num_threads()
    title = f"inference, ours : transformers, {threads} threads"
    return table.lines(title, measured)


def training(quick: bool) -> list[str]:
    """A pre-training step of ours against that of `transformers`; the data pipeline against our own step."""
    import torch

    from benchmarks.training_bench import pipeline, rows

    measured = rows(4.0) if quick else rows()
    threads = torch.get_num_threads()
    told = [table.training_row(row) for row in measured]
    title = f"training, ours : transformers, {threads} threads"
    return table.lines(title, [*told, table.pipeline_row(pipeline(), told)])


def widgets(quick: bool) -> list[str]:
    """From a key to the picture it draws, each widget at its largest input, in JupyterLab in Chromium."""
    from benchmarks.widgets_bench import EVENTS, rows, summary

    measured = rows(EVENTS // 4 if quick else EVENTS)
    return table.answer_lines(
        [(row["what"], len(row["milliseconds"]), *summary(row["milliseconds"])) for row in measured]
    )


def memory(quick: bool) -> list[str]:
    """The largest memory of the kernel after each notebook."""
    from benchmarks.memory_bench import rows

    return table.memory_lines(rows())


def busy(quick: bool) -> list[str]:
    """A notebook beside a busy core, as a hub, a browser or a video call is one."""
    from benchmarks.memory_bench import LONGEST, busy_row

    return [table.busy_line(*busy_row("06_encoder_block" if quick else LONGEST))]


def tokenizers(quick: bool) -> list[str]:
    """Training and encoding against `tokenizers`."""
    from benchmarks.tokenizers_bench import rows

    measured = rows(repeat=1) if quick else rows()  # the same work: the goals are set for it
    return table.lines("tokenization, ours : theirs", measured)


TABLES: dict[str, Callable[[bool], list[str]]] = {
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
    parser.add_argument("--quick", action="store_true", help="shorter runs, rougher figures")
    options = parser.parse_args(arguments)
    if unknown := [name for name in options.tables if name not in tables]:
        parser.error(f"no such table: {', '.join(unknown)}; there are: {', '.join(tables)}")
    print(table.machine())
    print("ratio = theirs / ours: above 1 ours is the faster one; medians of runs in turn", flush=True)
    for name in options.tables or tables:
        print(f"… {name}", file=sys.stderr, flush=True)
        print("", *tables[name](options.quick), sep="\n", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
