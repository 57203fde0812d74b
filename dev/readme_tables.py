"""Write into the READMEs the map of the course (course.toml) and what its model reached (data/fine_tuning.json).

python -m dev.readme_tables            write README.md and README.ko.md
python -m dev.readme_tables --check    change nothing; fail where a table is out of date
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from course_utils.course import Notebook, notebooks
from course_utils.pretrained import load_pretrained
from course_utils.support.files import write_atomically
from course_utils.support.paths import DATA, NOTEBOOKS, ROOT
from course_utils.tasks.baselines import majority
from course_utils.tasks.load import TASKS, load_task
from course_utils.tasks.measurements import Measurement, read_measurements
from course_utils.tasks.summaries import summary

HERE = NOTEBOOKS.relative_to(ROOT).as_posix()
MEASUREMENTS = DATA / "fine_tuning.json"
READMES = {"en": "README.md", "ko": "README.ko.md"}
MAP = (
    "<!-- The map: made from course.toml by `python -m dev.readme_tables`. -->",
    "<!-- End of the map. -->",
)
REACHED = (
    "<!-- The tasks: made from data/fine_tuning.json by `python -m dev.readme_tables`. -->",
    "<!-- End of the tasks. -->",
)
MAP_HEADS = {
    "en": ("notebook", "the question", "what moves", "minutes to read"),
    "ko": ("노트북", "묻는 것", "움직이는 것", "읽는 분"),
}
COLUMNS = ("baseline", "from-scratch", "frozen", "pre-trained")
TASK_HEADS = {
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


def course_map(lang: str, rows: list[Notebook]) -> str:
    """The table of the notebooks."""
    lines = [f"| | {' | '.join(MAP_HEADS[lang])} |", "|---|---|---|---|---:|"]
    for row in rows:
        link = f"[{row.title}]({HERE}/{row.file}.ipynb)"
        lines.append(f"| {row.number} | {link} | {row.question} | {row.moves} | {row.minutes} |")
    return "\n".join(lines)


def task_table(lang: str, rows: list[list[str]]) -> str:
    """The table: a row a task."""
    head = TASK_HEADS[lang]
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


def with_block(page: str, block: str, start: str, end: str) -> str:
    """The page with the block between its two markers.

    Raises:
        ValueError: if the page does not hold each marker once, in this order.
    """
    before, found, rest = page.partition(start)
    _, closed, after = rest.partition(end)
    if not (found and closed) or start in rest or end in before + after:
        raise ValueError(f"the page must hold {start!r} and then {end!r}, each once")
    return f"{before}{start}\n\n{block}\n\n{end}{after}"


def stale(measurements: list[Measurement]) -> dict[Path, str]:
    """READMEs of which a table is out of date -> the whole page as it should be."""
    rows, found = counted(measurements), {}
    for lang, name in READMES.items():
        page = (ROOT / name).read_text(encoding="utf-8")
        fresh = with_block(page, course_map(lang, notebooks(lang)), *MAP)
        fresh = with_block(fresh, task_table(lang, rows), *REACHED)
        if fresh != page:
            found[ROOT / name] = fresh
    return found


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="change nothing, fail where one is out of date")
    options = parser.parse_args(arguments)
    found = stale(read_measurements(MEASUREMENTS))
    for path, fresh in found.items():
        if not options.check:
            write_atomically(path, fresh)
        print(
            f"✗ {path.name}: run python -m dev.readme_tables" if options.check else f"✓ {path.name} written"
        )
    if not found:
        print("✓ the tables are up to date")
    return 1 if found and options.check else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
