"""How often is the sense of a homonym recognised? One table over the held-out sentences of data/senses.json.

    python -m scripts.evaluate_senses             the course's own checkpoint
    python -m scripts.evaluate_senses FOLDER      another model
    … --layers      the same for each layer
    … --choose      layers and temperatures on the validation half: how those in checkpoints.toml were chosen
    … --half validation    the half of the sentences on which such things are chosen; report: the other one
    … --mistakes    every sentence that was taken for another sense, with its scores

Columns: nearest_sense and its 95 % Wilson interval; the leave-one-out nearest neighbour and the separation at
the same layer; naive Bayes on the surrounding words, and with the places of the three nearest on either side told;
their static vectors; always the most frequent sense.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence

from course_utils.bert import BertModel
from course_utils.contextual.evaluation import (
    LayerResult,
    WordResult,
    choose_readout,
    evaluate,
    evaluate_layers,
    half,
    held_out_sentences,
    mistakes,
    static_vectors,
    wilson_interval,
)
from course_utils.pretrained import load_pretrained
from course_utils.support.commands import add_debug, carry_out
from course_utils.support.text_width import aligned
from course_utils.training.fast import speed_up

HEAD = (
    *("word", "senses", "n", "nearest_sense", "95 %", "neighbour", "separation"),
    *("naive Bayes", "with places", "static", "majority"),
)
FLAGSHIP = "배"


def table(results: Sequence[WordResult]) -> list[list[str]]:
    """The rows of the table, its head first; after the words, the mean of all but 배 if there are others."""
    rows = [list(HEAD)] + [
        [result.word, ", ".join(result.senses), str(len(result.judgements)), *_figures([result])]
        for result in results
    ]
    others = [result for result in results if result.word != FLAGSHIP]
    if len(others) > 1:
        number = sum(len(result.judgements) for result in others)
        rows.append([f"mean of {len(others)}", "all but 배", str(number), *_figures(others)])
    return rows


def _figures(results: Sequence[WordResult]) -> list[str]:
    """The figures of one word, or their means; the interval is that of all sentences together."""
    low, high = wilson_interval(
        sum(result.right for result in results), sum(len(result.judgements) for result in results)
    )
    statics = [result.static for result in results if result.static is not None]
    return [
        _mean(result.accuracy for result in results),
        f"{low:.3f} … {high:.3f}",
        _mean(result.neighbour for result in results),
        _mean(result.separation for result in results),
        _mean(result.naive_bayes for result in results),
        _mean(result.with_places for result in results),
        _mean(statics) if statics else "–",
        _mean(result.majority for result in results),
    ]


def _mean(numbers: Iterable[float]) -> str:
    numbers = list(numbers)
    return f"{sum(numbers) / len(numbers):.3f}"


def sense_table(result: WordResult) -> list[list[str]]:
    """The senses of one word: how many sentences of each were taken for which sense."""
    rows = [["sense", "n", "right", "95 %", *(f"→ {sense}" for sense in result.senses)]]
    for sense in result.senses:
        group = result.of(sense)
        right = sum(judgement.right for judgement in group)
        low, high = wilson_interval(right, len(group))
        taken = [str(sum(judgement.answer == other for judgement in group)) for other in result.senses]
        rows.append([sense, str(len(group)), f"{right / len(group):.3f}", f"{low:.3f} … {high:.3f}", *taken])
    return rows


def layer_table(found: Sequence[LayerResult]) -> list[list[str]]:
    """A row for each layer: 배, and the mean of the others."""
    groups: dict[str, list[LayerResult]] = {}
    for one in sorted(found, key=lambda one: one.word != FLAGSHIP):
        groups.setdefault("배" if one.word == FLAGSHIP else "others", []).append(one)
    told = ("nearest_sense", "neighbour", "separation")
    rows = [["layer", *(f"{name} {what}" for name in groups for what in told)]]
    for layer in sorted({one.layer for one in found}):
        row = [str(layer)]
        for group in groups.values():
            here = [one for one in group if one.layer == layer]
            for what in ("accuracy", "neighbour", "separation"):
                row.append(_mean(getattr(one, what) for one in here))
        rows.append(row)
    return rows


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables; the exit status is 2, with one sentence on stderr, if the model or the data cannot be read."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    add = parser.add_argument
    add("model", nargs="?", help="a checkpoint of the course, a model folder or hub name (course-bert)")
    add("--layers", action="store_true", help="measure every layer")
    add("--layer", type=int, help="where senses are read (the one of a checkpoint of the course)")
    add("--choose", action="store_true", help="compare layers and temperatures")
    add("--half", choices=("validation", "report"), help="measure one half of the sentences")
    add("--mistakes", action="store_true", help="list the sentences that were taken for another sense")
    add("--no-static", action="store_true", help="leave out the static vectors, which take a minute")
    add_debug(parser)
    options = parser.parse_args(arguments)
    return carry_out("evaluate_senses", lambda: _report(options), debug=options.debug)


def _report(options: argparse.Namespace) -> None:
    model, tokenizer = load_pretrained(options.model, model_class=BertModel)
    speed_up(model)
    if options.choose:
        rows = [
            [str(layer), f"{temperature:g}", f"{right:.3f}", f"{score:.3f}"]
            for layer, temperature, right, score in choose_readout(model, tokenizer)
        ]
        print(aligned([["layer", "τ", "right", "mean log-score"], *rows]))
        return
    held_out = held_out_sentences()
    if options.half:
        held_out = half(held_out, validation=options.half == "validation")
    if options.layers:
        print(aligned(layer_table(evaluate_layers(model, tokenizer, held_out=held_out))))
        return
    static = None if options.no_static else static_vectors(tokenizer)
    results = evaluate(model, tokenizer, held_out=held_out, static=static, layer=options.layer)
    print(aligned(table(results)))
    for result in results:
        if result.word == FLAGSHIP:
            print(f"\n{FLAGSHIP}\n{aligned(sense_table(result))}")
    if options.mistakes:
        wrong = mistakes(results)
        print(f"\n{len(wrong)} mistakes")
        for one in wrong:
            scores = ", ".join(f"{sense} {score:.2f}" for sense, score in one.scores)
            print(f"{one.word} {one.sense} → {one.answer}: {one.sentence}  ({scores})")


if __name__ == "__main__":
    raise SystemExit(main())
