"""Store how well each stage of a model's training tells senses apart, at every layer.

    python tools/sense_stages.py pre-training=runs/course/model "sense tuning=runs/tuned/model"

Writes data/checkpoints/course-bert/stages.json, which notebooks 13 and 14 draw: for each stage, for the half of the
held-out sentences on which a layer is chosen and for the half that is reported, and for each word, a number a layer
(0: the input of the first one) of nearest_sense, neighbour and separation (course_utils/contextual/evaluation.py).
"""

from __future__ import annotations

import argparse
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
    """The command; returns its exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("stages", nargs="+", metavar="NAME=FOLDER", help="a stage and its model")
    parser.add_argument("--out", type=Path, default=OUT, help=f"the file ({OUT.relative_to(DATA.parent)})")
    chosen = parser.parse_args(arguments)
    if not all(name and folder for name, _, folder in (stage.partition("=") for stage in chosen.stages)):
        parser.error(f"each stage must be NAME=FOLDER, got {' '.join(chosen.stages)}")
    named = [stage.partition("=")[::2] for stage in chosen.stages]
    halves = {
        name: {
            word: sum(len(sentences) for sentences in groups.values())
            for word, groups in half(held_out_sentences(), validation=validation).items()
        }
        for name, validation in HALVES.items()
    }
    stages = [{"name": name, **measured(Path(folder))} for name, folder in named]
    text = json.dumps({"sentences": halves, "stages": stages}, ensure_ascii=False, indent=1)
    write_atomically(chosen.out, text + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
