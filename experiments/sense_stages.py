"""Store how well each stage of a model's training tells senses apart, at every layer.

    python -m experiments.sense_stages pre-training=runs/course/model "sense tuning=runs/tuned/model"

Writes data/checkpoints/course-bert/stages.json, which notebook 14 draws: for each stage, for the half of the
held-out sentences on which a layer is chosen and for the half that is reported, and for each word, a number a layer
(0: the input of the first one) of nearest_sense, neighbour and separation (course_utils/contextual/evaluation.py).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from course_utils.bert import BertModel
from course_utils.contextual.evaluation import LayerResult, evaluate_layers, half, held_out_sentences
from course_utils.pretrained import load_pretrained
from course_utils.support.files import write_atomically
from course_utils.support.paths import DATA
from course_utils.training.fast import speed_up
from experiments.runs import plain_parser, run_command

OUT = DATA / "checkpoints" / "course-bert" / "stages.json"
HALVES = {"validation": True, "report": False}
MEASURES = {"nearest_sense": "accuracy", "neighbour": "neighbour", "separation": "separation"}


def measured(model: Path) -> dict[str, dict[str, dict[str, list[float]]]]:
    """Half -> measure -> word -> a number a layer."""
    bert, tokenizer = load_pretrained(model, model_class=BertModel)
    speed_up(bert)
    found = {}
    for name, validation in HALVES.items():
        results = evaluate_layers(bert, tokenizer, held_out=half(held_out_sentences(), validation=validation))
        found[name] = {measure: by_word(results, field) for measure, field in MEASURES.items()}
    return found


def by_word(results: Sequence[LayerResult], field: str) -> dict[str, list[float]]:
    """Word -> one field of its results, layers from below."""
    return {
        word: [round(getattr(one, field), 4) for one in results if one.word == word]
        for word in dict.fromkeys(one.word for one in results)
    }


def main(arguments: Sequence[str] | None = None) -> int:
    parser = plain_parser("sense_stages", __doc__)
    parser.add_argument("stages", nargs="+", metavar="NAME=FOLDER", help="a stage and its model")
    parser.add_argument("--out", type=Path, default=OUT, help=f"the file ({OUT.relative_to(DATA.parent)})")
    return run_command(parser, arguments, lambda chosen: _store(chosen.stages, chosen.out))


def _store(stages: Sequence[str], out: Path) -> None:
    named = [stage.partition("=")[::2] for stage in stages]
    if unnamed := [stage for stage, (name, folder) in zip(stages, named) if not (name and folder)]:
        raise ValueError(f"each stage must be NAME=FOLDER, got {unnamed[0]!r}")
    sentences = {
        name: {
            word: sum(len(group) for group in groups.values())
            for word, groups in half(held_out_sentences(), validation=validation).items()
        }
        for name, validation in HALVES.items()
    }
    found = [{"name": name, **measured(Path(folder))} for name, folder in named]
    text = json.dumps({"sentences": sentences, "stages": found}, ensure_ascii=False, indent=1)
    write_atomically(out, text + "\n")


if __name__ == "__main__":
    sys.exit(main())
