"""Write into the READMEs what the course's model reached on each task, from data/fine_tuning.json.

python -m dev.task_table            write README.md and README.ko.md
python -m dev.task_table --check    change nothing; fail where a table is out of date
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from course_utils.pretrained import load_pretrained
from course_utils.support.commands import add_debug, carry_out
from course_utils.support.files import write_atomically
from course_utils.support.paths import DATA
from course_utils.tasks.baselines import majority
from course_utils.tasks.load import TASKS, load_task
from course_utils.tasks.measurements import Measurement, read_measurements
from course_utils.tasks.summaries import summary
from dev.course_map import READMES, ROOT, with_block

MEASUREMENTS = DATA / "fine_tuning.json"
START = "<!-- The tasks: made from data/fine_tuning.json by `python -m dev.task_table`. -->"
END = "<!-- End of the tasks. -->"
COLUMNS = ("baseline", "from-scratch", "frozen", "pre-trained")
HEADS = {
    "en": ("task", "measure", "labels", "majority", "counting", "from scratch", "frozen", "fine-tuned"),
    "ko": ("과제", "잣대", "라벨", "늘 같은 답", "세기", "처음부터", "얼림", "미세 조정"),
}
TITLES = {
    "en": ("film reviews", "dialects", "pairs of sentences", "names", "parts of speech", "questions"),
    "ko": ("영화평", "방언", "두 문장", "이름", "품사", "질문"),
}
METRICS = {
    "en": {"accuracy": "accuracy", "spearman": "Spearman", "entity_f1": "F1 of names", "f1": "F1 of words"},
    "ko": {"accuracy": "정확도", "spearman": "스피어만", "entity_f1": "이름의 F1", "f1": "낱말의 F1"},
}


def render(lang: str, rows: list[list[str]]) -> str:
    """The table: a row a task."""
    head = HEADS[lang]
    lines = [f"| {' | '.join(head)} |", "|---|---|" + "---:|" * (len(head) - 2)]
    for title, (metric, *cells) in zip(TITLES[lang], rows, strict=True):
        lines.append(f"| {title} | {METRICS[lang][metric]} | {' | '.join(cells)} |")
    return "\n".join(lines)


def counted(measurements: list[Measurement]) -> list[list[str]]:
    """A row a task: measure, labels, score of each way on the test part; with the most labels that all were given.

    Raises:
        ValueError: if a task was not measured in all ways.
    """
    _, tokenizer = load_pretrained()
    rows = []
    for name in TASKS:
        task = load_task(name, tokenizer)
        tried = sorted({one.labels for one in measurements if one.task == name})
        found = {size: [summary(measurements, name, start, size) for start in COLUMNS] for size in tried}
        complete = [size for size, scores in found.items() if all(scores)]
        if not complete:
            raise ValueError(
                f"{MEASUREMENTS.name} must hold {', '.join(COLUMNS)} of {name} with the same number of labels: "
                "measure what is missing with scripts.finetune"
            )
        most = complete[-1]
        always = majority(task, task.parts["train"]).measure(task.parts["test"])[task.metric]
        scores = [f"{one.mean:.3f} ± {one.half:.3f}" for one in found[most] if one]
        rows.append([task.metric, f"{most:,}", f"{always:.3f}", *scores])
    return rows


def stale() -> dict[Path, str]:
    """READMEs whose table is out of date -> the whole page as it should be."""
    rows, found = counted(read_measurements(MEASUREMENTS)), {}
    for lang, name in READMES.items():
        page = (ROOT / name).read_text(encoding="utf-8")
        fresh = with_block(page, render(lang, rows), START, END)
        if fresh != page:
            found[ROOT / name] = fresh
    return found


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--check", action="store_true", help="change nothing, fail where a table is out of date"
    )
    add_debug(parser)
    options = parser.parse_args(arguments)
    return carry_out("task_table", lambda: _renew(check=options.check), debug=options.debug)


def _renew(*, check: bool) -> int:
    """Write what is out of date, or tell it; 1 where it is told."""
    found = stale()
    for path, fresh in found.items():
        if check:
            print(f"✗ {path.name}: run python -m dev.task_table")
        else:
            write_atomically(path, fresh)
            print(f"✓ {path.name} written")
    if not found:
        print("✓ the tables are up to date")
    return 1 if found and check else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
