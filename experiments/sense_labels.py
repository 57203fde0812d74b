"""How many labels does a sense need, with pre-training and without? What notebook 14 draws.

    python -m experiments.sense_labels

Writes data/checkpoints/course-bert-senses/labels.json. Each way of telling senses is given the same labelled sentences
of the corpus, 5, 20, 80 or all of a sense (those of a smaller number are among those of a larger one), and nothing else
that is labelled; it is asked for the held-out sentences, half by half.

    counting     naive Bayes on the words around, with the places of the nearest pieces told
    frozen       course-bert as it is: the nearest sense by the means and the covariance of its vectors, at its layer
    tuned        course-bert, trained on the labels, all of it
    scratch      the same model from random weights, trained likewise

A tuned model answers by its own head; its rate is the one of RATES that is best on the validation half with the first
draw, and the other draws are given that one. Where all labels are given there is one draw, at the rate of the next
smaller number.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import normalize

from course_utils.bert import BertModel
from course_utils.contextual import occurrences
from course_utils.contextual.baselines import REACH, fit_naive_bayes
from course_utils.contextual.evaluation import half, held_out_sentences
from course_utils.contextual.senses import fit_senses
from course_utils.datasets.batching import seeded
from course_utils.datasets.corpus import DATA, HOMONYMS, WHOLE_CORPUS
from course_utils.pretrained import load_pretrained
from course_utils.pretrained.checkpoints import course_checkpoints, sense_readout
from course_utils.schedules import linear_rate
from course_utils.tokenization import WordPieceTokenizer
from course_utils.training.device import fast_precision
from course_utils.training.fast import speed_up
from course_utils.training.loop import train
from course_utils.training.optim import adamw
from experiments.runs import Run, Store, carry_on, parser_of, run_command, threads
from scripts.sense_task import CLASSES, Example, SenseBatch, SenseHead, sense_batch, sense_examples

OUT = DATA / "checkpoints" / "course-bert-senses" / "labels.json"
LABELS = (5, 20, 80, 0)  # 0: all
WAYS = ("counting", "frozen", "tuned", "scratch")
RATES = {"tuned": (1e-4, 3e-4, 1e-3), "scratch": (3e-4, 1e-3, 3e-3)}
STEPS = {5: 150, 20: 150, 80: 300, 0: 1200}  # all: nine tenths of the sentences once
BATCH_SIZE, DROPOUT = 32, 0.1
HALVES = {"validation": True, "report": False}
Shares = dict[str, dict[str, float]]  # half -> word -> share of its sentences that were right


class Plan(NamedTuple):
    """One run."""

    way: str
    labels: int
    seed: int
    rate: float | None


class Asked(NamedTuple):
    """A homonym of a held-out sentence, and where the sentence belongs."""

    half: str
    word: str
    example: Example


class OneTask(nn.Module):
    """A BERT and the head that chooses among the senses of the homonym at hand."""

    def __init__(self, bert: BertModel) -> None:
        super().__init__()
        self.bert, self.head = bert, SenseHead(bert.config.hidden_size)

    def forward(self, input_ids: Tensor, attention_mask: Tensor, **_: Tensor) -> Tensor:
        """int64 (B, T) twice -> the last hidden states (B, T, C)."""
        return self.bert(input_ids, attention_mask).last_hidden_state


class Senses(NamedTuple):
    """A batch as the loop takes it."""

    batch: SenseBatch

    def inputs(self) -> dict[str, Tensor]:
        """What the model reads."""
        return {"input_ids": self.batch.input_ids, "attention_mask": self.batch.attention_mask}


def asked(tokenizer: WordPieceTokenizer) -> list[Asked]:
    """All held-out sentences."""
    found = []
    for name, validation in HALVES.items():
        for word, senses in half(held_out_sentences(), validation=validation).items():
            for sense, sentences in senses.items():
                for sentence in sentences:
                    encoding = tokenizer.encode(sentence)
                    place = encoding.offsets.index(occurrences(sentence, word)[0])
                    example = Example(list(encoding.input_ids), place, CLASSES.index((word, sense)))
                    found.append(Asked(name, word, example))
    return found


def shares(questions: Sequence[Asked], answers: Sequence[int]) -> Shares:
    """Answers, numbers in CLASSES, to shares."""
    right, number = Counter(), Counter()
    for question, answer in zip(questions, answers, strict=True):
        number[question.half, question.word] += 1
        right[question.half, question.word] += answer == question.example.label
    return {
        name: {word: round(right[name, word] / number[name, word], 4) for word in HOMONYMS} for name in HALVES
    }


@torch.no_grad()
def vectors(
    bert: BertModel, examples: Sequence[Example], pad: int, layer: int, *, scaled: bool = True
) -> Tensor:
    """float (N, C): at the homonym, scaled to length 1 or as they are."""
    rows = []
    for start in range(0, len(examples), 256):
        part = examples[start : start + 256]
        length = max(len(example.ids) for example in part)
        ids = torch.tensor([example.ids + [pad] * (length - len(example.ids)) for example in part])
        states = bert(ids, (ids != pad).long()).hidden_states[layer]
        rows.append(states[torch.arange(len(part)), [example.place for example in part]])
    points = torch.cat(rows)
    return normalize(points, dim=-1) if scaled else points


def by_points(points: Mapping[int, Tensor], questions: Sequence[Asked], places: Tensor) -> list[int]:
    """The nearest sense, word by word; points: number in CLASSES -> (N, C)."""
    spaces = {
        word: fit_senses({k: points[k] for k, (own, _) in enumerate(CLASSES) if own == word})
        for word in HOMONYMS
    }
    return [
        spaces[question.word].senses[spaces[question.word].scores(place[None]).argmax()]
        for question, place in zip(questions, places, strict=True)
    ]


def by_counting(
    tokenizer: WordPieceTokenizer, examples: Sequence[Example], questions: Sequence[Asked]
) -> list[int]:
    """Naive Bayes on pieces and their places; the homonym's own piece is left out."""
    pieces = {number: piece for piece, number in tokenizer.vocab.items()}

    def placed(example: Example) -> list[str]:
        word = CLASSES[example.label][0]
        tokens = [pieces[number] for number in example.ids[1:-1]]
        own = example.place - 1
        around = [(at - own, token) for at, token in enumerate(tokens) if token != word]
        return [token for _, token in around] + [
            f"{at:+d} {token}" for at, token in around if abs(at) <= REACH
        ]

    learned: dict[str, dict[int, list[list[str]]]] = {word: {} for word in HOMONYMS}
    for example in examples:
        learned[CLASSES[example.label][0]].setdefault(example.label, []).append(placed(example))
    counts = {word: fit_naive_bayes(groups) for word, groups in learned.items()}
    return [
        counts[word].senses[counts[word].scores(placed(example)).argmax()] for _, word, example in questions
    ]


def trained(
    bert: BertModel,
    tokenizer: WordPieceTokenizer,
    examples: Sequence[Example],
    seed: int,
    rate: float,
    steps: int,
) -> OneTask:
    """The model after its updates on the labelled sentences alone."""
    torch.manual_seed(seed)
    for part in bert.modules():
        if isinstance(part, nn.Dropout):
            part.p = DROPOUT
    model = OneTask(bert)

    def batches(number: int) -> Senses:
        draws = seeded(seed, number)
        places = torch.randint(len(examples), (BATCH_SIZE,), generator=draws).tolist()
        return Senses(sense_batch([examples[place] for place in places], tokenizer, generator=draws))

    train(
        model, batches, adamw(model, learning_rate=rate),
        learning_rate=lambda step: linear_rate(step, rate, steps // 10, steps + 1), steps=steps,
        loss=lambda states, senses: model.head.loss(states, senses.batch),
        precision=fast_precision(torch.device("cpu")),
    )  # fmt: skip
    return model.eval()


@torch.no_grad()
def by_head(model: OneTask, tokenizer: WordPieceTokenizer, questions: Sequence[Asked]) -> list[int]:
    """What the trained head says."""
    last = model.bert.config.num_hidden_layers
    examples = [question.example for question in questions]
    states = vectors(model.bert, examples, tokenizer.vocab["[PAD]"], last, scaled=False)
    labels = torch.tensor([example.label for example in examples])
    shut = ~model.head.same_word[labels]
    return model.head(states).masked_fill(shut, -torch.inf).argmax(dim=-1).tolist()


def made(plan: Plan) -> Run:
    """One run, from its plan."""
    model, tokenizer = load_pretrained()
    questions, layer = asked(tokenizer), sense_readout(model).layer
    examples = sense_examples(tokenizer, WHOLE_CORPUS, labels=plan.labels, seed=plan.seed)
    pad = tokenizer.vocab["[PAD]"]
    if plan.way == "counting":
        answers = by_counting(tokenizer, examples, questions)
    elif plan.way == "frozen":
        bert = speed_up(model.bert)
        points = vectors(bert, examples, pad, layer)
        labels = torch.tensor([example.label for example in examples])
        known = {label: points[labels == label] for label in range(len(CLASSES))}
        answers = by_points(known, questions, vectors(bert, [q.example for q in questions], pad, layer))
    else:
        bert = model.bert if plan.way == "tuned" else BertModel(model.config, generator=seeded(plan.seed))
        one = trained(speed_up(bert), tokenizer, examples, plan.seed, plan.rate, STEPS[plan.labels])
        answers = by_head(one, tokenizer, questions)
    return plan._asdict() | shares(questions, answers)


def told(runs: Sequence[Run], name: str) -> tuple[float, float]:
    """배 and the mean of the others, on one half, mean over runs."""
    first, *others = (round(fmean(run[name][word] for run in runs), 4) for word in HOMONYMS)
    return first, round(fmean(others), 4)


def best_rate(by_rate: Mapping[float | None, Sequence[Run]]) -> float | None:
    """The one that is best on the validation half with the first draw."""
    first = {rate: [run for run in runs if run["seed"] == 0] for rate, runs in by_rate.items()}
    return max(first, key=lambda rate: sum(told(first[rate], "validation")))


def report(store: Store) -> dict[str, object]:
    """Way -> a point a number of labels: the rate that is best on the validation half, and both halves."""
    curves: dict[str, list[dict[str, object]]] = {way: [] for way in WAYS}
    for way, labels in ((way, labels) for way in WAYS for labels in LABELS):
        by_rate: dict[float | None, list[Run]] = {}
        for run in store.runs.values():
            if (run["way"], run["labels"]) == (way, labels):
                by_rate.setdefault(run["rate"], []).append(run)
        if by_rate:
            rate = best_rate(by_rate)
            halves = {name: told(by_rate[rate], name) for name in HALVES}
            curves[way].append({"labels": labels, "rate": rate, "seeds": len(by_rate[rate])} | halves)
    return {"curves": curves}


DOING = dict(key=list, make=made, tell=lambda run: f"{run['way']} {run['labels']}")


def main(command_line: list[str] | None = None) -> int:
    """The command; returns its exit status."""
    parser = parser_of("sense_labels", __doc__ or "", out=OUT, only=WAYS, seeds=2)
    parser.add_argument("--threads", type=threads, default=2, help="processor cores (2)")

    def work(chosen: argparse.Namespace) -> None:
        torch.set_num_threads(chosen.threads)
        weights = course_checkpoints()["course-bert"]["sha256"]["model.safetensors"]
        store = Store(
            chosen.out,
            command="python -m experiments.sense_labels",
            settings={
                "weights": weights,
                "steps": STEPS,
                "batch_size": BATCH_SIZE,
                "dropout": DROPOUT,
                "rates": RATES,
            },
            key=lambda run: [run[name] for name in Plan._fields],
            report=report,
        )
        if not chosen.table:
            some = [labels for labels in LABELS if labels]
            first = [
                Plan(way, n, 0, rate) for way in chosen.only for n in some for rate in RATES.get(way, (None,))
            ]
            carry_on(store, first, **DOING)
            curves = report(store)["curves"]
            best = {(way, point["labels"]): point["rate"] for way in chosen.only for point in curves[way]}
            drawn = [
                Plan(way, n, seed, best[way, n])
                for way in chosen.only
                for n in some
                for seed in range(1, chosen.seeds)
            ]
            whole = [Plan(way, 0, 0, best[way, max(some)]) for way in chosen.only]
            carry_on(store, drawn + whole, **DOING)
        for way, points in report(store)["curves"].items():
            for point in points:
                print(way, *point.values())

    return run_command(parser, command_line, work)


if __name__ == "__main__":
    sys.exit(main())
