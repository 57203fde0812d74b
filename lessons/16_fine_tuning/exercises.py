"""Exercises of notebook 16: labels of pieces, the best span, a rate for each layer, and whole entities."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from course_utils.exercises.changes import after_calling, changes_of
from course_utils.exercises.core import Departure, Exercise, Found, number
from course_utils.exercises.values import Rule, departure, plain, shown

MOST_LETTERS = 300


def shortened(values: Any) -> str:
    """A list as a learner reads it, of a few hundred letters at most."""
    values = plain(values)
    told = shown(list(values) if isinstance(values, tuple) else values)
    return told if len(told) <= MOST_LETTERS else f"{told[: MOST_LETTERS - 1]}…"


# ---- 16.1


def label_first_pieces(
    word_ids: Sequence[int | None], labels: Sequence[int], ignore: int = -100
) -> list[int]:
    before = [None, *word_ids[:-1]]  # whose piece stands before each
    return [
        ignore if word is None or word == previous else labels[word]
        for word, previous in zip(word_ids, before, strict=True)
    ]


def drawn_words(words: int, ignore: int) -> tuple[list[int | None], list[int], int]:
    """A row of words, a few of them without a piece, a [SEP] between them and padding behind; few labels."""
    word_ids: list[int | None] = [None]
    separator = random.randrange(words)
    for word in range(words):
        word_ids += [word] * random.randrange(4) + [None] * (word == separator)
    return word_ids + [None] * random.randrange(4), random.choices(range(4), k=words), ignore


LABEL_FIRST_PIECES = Exercise(
    "16.1",
    level="warm-up",
    reference=label_first_pieces,
    show=shortened,
    cases={
        "labels by hand": lambda: ([None, 0, 0, 1, 2, 2, 2, None], [5, 3, 7]),  # expected: . 5 . 3 7 . . .
        "labels alike": lambda: ([None, 0, 1, 1, None], [3, 3]),
        "labels of zero": lambda: ([None, 0, 1, 1, None], [4, 0]),
        "labels without pieces": lambda: ([None, 0, 2, 2, None], [6, 8, 9]),
        "labels without specials": lambda: [([0, 1, 1], [6, 8]), ([0, 1, 1, 2], [6, 8, 9])],
        "ignore_fixed": lambda: ([None, 0, 0, None], [5], -1),
        "labels drawn": lambda: [
            drawn_words(words, ignore) for words, ignore in [(2, -100), (3, -1), (4, 0), (5, 99), (7, 7)]
        ],
        "labels of many": lambda: [drawn_words(300, -100), ([0], [2], -100), ([None], [], -1)],
    },
    mistakes=changes_of(
        label_first_pieces,
        {
            "every_piece": {" or word == previous": ""},
            "last_piece": {"[None, *word_ids[:-1]]": "[*word_ids[1:], None]"},
            "zero_elsewhere": {"ignore if": "0 if"},
            "specials_zero": {"ignore if": "0 if word is None else ignore if"},
            "specials_labelled": [
                {"ignore if": f"labels[{place}] if word is None else ignore if"} for place in (-1, 0)
            ],
            "shifted": [
                {"return [": "rows = [", "strict=True)\n    ]": f"strict=True)\n    ]\n    return {moved}"}
                for moved in ("[*rows[1:], ignore]", "[ignore, *rows[:-1]]")
            ],
            "one_after_the_other": [
                {
                    "before =": f"return ([ignore] * {start} + labels + [ignore] * 99)[: len(word_ids)]\n    before ="
                }
                for start in (1, 0)
            ],
            "word_zero": {"word is None": "not word"},
            "numbers_of_words": {"labels[word]": "word"},
            "same_labels": {"word == previous": "previous is not None and labels[word] == labels[previous]"},
            "label_zero": {"labels[word]": "labels[word] or ignore"},
            "counts_words": {
                "before =": "labels = iter(labels)\n    before =",
                "labels[word]": "next(labels)",
            },
            "assumes_specials": {"[None, *": "[word_ids[0], *"},
            "ignore_fixed": {"ignore if": "-100 if"},
            "labels": {"word == previous": "word == previous or word > 30"},
            "length": lambda *given: label_first_pieces(*given)[1:-1],
        },
    ),
    facts={"*": lambda found: {"word_ids": shortened(found.given[0]), "ignore": ([*found.given, -100])[2]}},
    forbids=("course_utils.tasks",),
)


# ---- 16.2


def best_span(start_logits: Tensor, end_logits: Tensor, allowed: Tensor, most_pieces: int) -> tuple[int, int]:
    length = len(start_logits)
    scores = start_logits[:, None] + end_logits[None, :]  # (T, T), first × last
    places = torch.arange(length)
    behind = places[None, :] - places[:, None]  # last − first
    legal = (behind >= 0) & (behind < most_pieces) & allowed[:, None] & allowed[None, :]
    place = int(scores.masked_fill(~legal, -torch.inf).argmax())  # row by row: the first one begins first
    return place // length, place % length


def row(start: list[float], end: list[float], allowed: list[int], most: int) -> tuple[Any, ...]:
    return torch.tensor(start).float(), torch.tensor(end).float(), torch.tensor(allowed).bool(), most


def drawn_rows() -> list[tuple[Any, ...]]:
    """Quarters, so that many sums are equal; every second with the best answers long."""
    sizes = [(1, 1), (2, 2), (3, 2), (5, 1), (5, 3), (7, 30), (7, 4), (11, 2), (13, 8), (17, 5), (37, 11)]
    rows = []
    for place, (length, most) in enumerate(2 * sizes):
        far = (place % 2) * torch.linspace(4, -4, length).round()
        start, end = torch.randint(-8, 9, (2, length)) / 4 + (-3.0, 0.0, 3.0)[place % 3]
        allowed = torch.rand(length) < 0.8
        allowed[: length // 4] = False  # the question
        allowed[random.randrange(length // 4, length)] = True
        rows.append((start + far, end - far, allowed, most))
    for length, most in ((19, 4), (29, 30), (300, 30)):  # no two equal
        start, end = 4 * torch.randn(2, length, dtype=torch.float64)
        rows.append((start, end, torch.arange(length) > 3, most))
    return rows


def far_from_the_tops() -> tuple[Any, ...]:
    """High beginnings in front, high ends at the back, too far apart; the best pair is (48, 48)."""
    places = torch.arange(97)
    start, end = (5.0 * (places < 40) + 3.0 * (places == 48)), (5.0 * (places > 56) + 3.0 * (places == 48))
    return start, end, torch.ones(97).bool(), 5


def of_pair(found: Found) -> dict[str, Any]:
    start, end, allowed, _ = found.given
    facts = {"start": of_row(start), "end": of_row(end), "allowed": shortened(allowed.int())}
    facts["best"] = number(start[found.right[0]] + end[found.right[1]])
    try:
        first, last = (int(place) for place in found.yours)
        inside = 0 <= first < len(start) and 0 <= last < len(start)
        return facts | {"score": number(start[first] + end[last]) if inside else "–"}
    except (TypeError, ValueError):
        return facts | {"score": "–"}


def of_row(values: Tensor) -> str:
    return "[" + ", ".join(number(value) for value in values[:13]) + (", …]" if len(values) > 13 else "]")


def shown_pair(pair: Any) -> str:
    return str(tuple(plain(place) for place in pair)) if isinstance(pair, tuple | list) else shown(pair)


TOP_OF = "top = {}.masked_fill(~allowed, -torch.inf).argmax()"

BEST_SPAN = Exercise(
    "16.2",
    level="core",
    reference=best_span,
    gradients=False,
    show=shown_pair,
    cases={
        # [CLS] at 0, the passage at 1 and 2, [SEP] and padding behind; the right pair is (1, 2)
        "pair by hand": lambda: row([9, 3, 1, 0, 0], [8, 1, 4, 0, 7], [0, 1, 1, 0, 0], 5),
        # negative ones multiplied are large, and a single large one does not make a large sum
        "pair of negatives": lambda: row([-5, 1, 2], [-6, 0, 3], [1, 1, 1], 3),
        # the best beginning: 2, the best end: 1
        "pair (1, 1)": lambda: row([1, 2, 6], [2, 5, 0], [1, 1, 1], 3),
        "pair (2, 2)": lambda: row([0, 2, 5], [6, 0, 4], [1, 1, 1], 3),
        "pair (0, 1)": lambda: row([5, 1, 0, 0], [0, 2, 4, 5], [1, 1, 1, 1], 2),
        "pair below 0": lambda: [
            row([-3, -4, -5], [-4, -2, -6], [0, 1, 1], 2),
            row([-30_000, -29_000, -29_500], [-28_000, -30_500, -29_250], [0, 1, 1], 1),
        ],
        "pair of equals": lambda: row([2, 2, 2], [3, 3, 3], [1, 1, 1], 3),
        "pair around": lambda: row([5, 0, 1], [1, 0, 4], [1, 0, 1], 3),  # what is between is not allowed
        "shortlist": far_from_the_tops,
        "pair drawn": drawn_rows,
    },
    mistakes=changes_of(
        best_span,
        {
            "question": {" & allowed[:, None] & allowed[None, :]": ""},
            "only_start_allowed": {" & allowed[None, :]": ""},
            "only_end_allowed": {" & allowed[:, None]": ""},
            "end_exclusive": {"% length": "% length + 1"},
            "swapped": {"place // length, place % length": "place % length, place // length"},
            "counted_from_passage": {
                "return": "place -= int(allowed.int().argmax()) * (length + 1)\n    return"
            },
            "apart": {"(behind >= 0) & (behind < most_pieces) & ": ""},
            "turned_round": {
                "(behind >= 0) & (behind < most_pieces) & ": "",
                "place // length, place % length": "tuple(sorted(divmod(place, length)))",
            },
            "start_first": {
                "legal = ": f"{TOP_OF.format('start_logits')}\n    legal = (places[:, None] == top) & "
            },
            "end_first": {"legal = ": f"{TOP_OF.format('end_logits')}\n    legal = (places == top) & "},
            "no_limit": {" & (behind < most_pieces)": ""},
            "one_too_long": {"< most": "<= most"},
            "one_too_short": {"< most_pieces": "< max(1, most_pieces - 1)"},
            "product": {"[:, None] + end": "[:, None] * end"},
            "maximum": {
                "start_logits[:, None] + end_logits[None, :]": (
                    "torch.maximum(start_logits[:, None], end_logits[None, :])"
                )
            },
            "filled_high": [{"-torch.inf": "0.0"}, {"-torch.inf": "-10_000.0"}],
            "late_tie": {".argmax())": ".flatten().flip(0).argmax())\n    place = length**2 - 1 - place"},
            "long_tie": {"end_logits[None, :]": "end_logits[None, :] + 1e-6 * torch.arange(length)"},
            "between": {  # whether each place from the one to the other is allowed
                "legal = ": (
                    "barred = torch.cat([torch.zeros(1), (~allowed).cumsum(0)])\n"
                    "    legal = (barred[1:] == barred[:-1, None]) & "
                )
            },
            "shortlist": {  # as run_squad does: pairs of the highest beginnings and the highest ends only
                "legal = ": (
                    "ranks = [\n"
                    "        one.masked_fill(~allowed, -torch.inf).argsort(descending=True).argsort()\n"
                    "        for one in (start_logits, end_logits)\n"
                    "    ]\n"
                    "    legal = (ranks[0][:, None] < 20) & (ranks[1] < 20) & "
                )
            },
            "pair": {"most_pieces)": "min(most_pieces, 5))"},
            "type": lambda *given: best_span(*given)[0],
            "ready_made": after_calling(
                best_span,
                "course_utils.tasks.questions:best_spans",
                *torch.ones(2, 1, 5),
                torch.ones(1, 5).bool(),
            ),
        },
    ),
    facts={"*": of_pair},
    forbids=("course_utils.tasks",),
)


# ---- 16.3


def layer_rates(num_layers: int, peak_rate: float, layer_decay: float, frozen: int) -> list[float]:
    below_the_last = range(num_layers, -1, -1)  # of the embeddings, layer 1, …, the last one
    rates = [peak_rate * layer_decay**steps for steps in below_the_last]
    kept = frozen + 1 if frozen else 0  # with the lowest layer the embeddings are kept, too
    return [0.0] * kept + rates[kept:] + [peak_rate]


def drawn_depths() -> list[tuple[Any, ...]]:
    sizes = [(4, 1e-4, 0.8), (1, 5e-5, 0.6), (12, 3e-5, 0.95), (2, 0.1, 1.0), (7, 2e-3, 0.4), (5, 1e-4, 0.9)]
    return [
        (layers, peak / place, decay, frozen)
        for layers, peak, decay in sizes
        for place, frozen in enumerate((0, layers, random.randint(0, layers)), 1)
    ]


def relatively(result: Any, right: Any) -> Departure | None:
    """By value, to a millionth of the largest rate."""
    return departure(result, right, Rule(atol=1e-6 * max(map(abs, right))))


BY_HAND = (3, 0.8, 0.5)  # three layers, 0.8, halved from layer to layer: 0.1, 0.2, 0.4, 0.8, 0.8

LAYER_RATES = Exercise(
    "16.3",
    level="core",
    reference=layer_rates,
    compare=relatively,
    show=shortened,
    cases={
        "rates by hand": lambda: (*BY_HAND, 0),
        "rates of two frozen": lambda: (*BY_HAND, 2),
        "rates of one frozen": lambda: (*BY_HAND, 1),
        "rates of all frozen": lambda: (*BY_HAND, 3),
        "rates drawn": drawn_depths,
    },
    mistakes=changes_of(
        layer_rates,
        {
            "from_above": lambda *given: layer_rates(*given)[::-1],
            "upside_down": [
                {"range(num_layers, -1, -1)": "range(num_layers + 1)"},
                {"range(num_layers, -1, -1)": "[0, *range(num_layers)]"},
            ],
            "last_layer_decayed": {"range(num_layers, -1, -1)": "range(num_layers + 1, 0, -1)"},
            "embeddings_as_first": {
                "range(num_layers, -1, -1)": "[num_layers - 1, *range(num_layers - 1, -1, -1)]"
            },
            "embeddings_full": {"range(num_layers, -1, -1)": "[0, *range(num_layers - 1, -1, -1)]"},
            "no_decay": {" * layer_decay**steps": ""},
            "once": {"**steps": "**(steps > 0)"},
            "divided": {"* layer_decay": "/ layer_decay"},
            "straight": {"layer_decay**steps": "(1 - (1 - layer_decay) * steps)"},
            "without_peak": {"peak_rate *": "1.0 *", "[peak_rate]": "[1.0]"},
            "embeddings_frozen": {" if frozen else 0": ""},
            "head_frozen": [{"[peak_rate]": "[peak_rate * (frozen < num_layers)]"}, {"[peak_rate]": "[0.0]"}],
            "embeddings_learn": {
                "[0.0] * kept + rates[kept:]": "rates[:1] + [0.0] * frozen + rates[frozen + 1 :]"
            },
            "frozen_ignored": {"frozen + 1 if frozen else 0": "0"},
            "embeddings_counted": {"frozen + 1 if frozen else 0": "frozen"},
            "one_too_many": {"frozen + 1 if": "frozen + 2 if"},
            "frozen_from_above": [
                {"[0.0] * kept + rates[kept:]": "rates[: num_layers + 1 - frozen] + [0.0] * frozen"},
                {
                    "[0.0] * kept + rates[kept:] + [peak_rate]": (
                        "[*rates, peak_rate][: num_layers + 2 - frozen] + [0.0] * frozen"
                    )
                },
                {
                    "[0.0] * kept + rates[kept:]": (
                        "[rates[0] * (not frozen)] + rates[1 : num_layers + 1 - frozen] + [0.0] * frozen"
                    )
                },
            ],
            "only_this_layer": [
                {
                    "[0.0] * kept + rates[kept:]": (
                        f"[one * (not frozen or place not in {kept}) for place, one in enumerate(rates)]"
                    )
                }
                for kept in ("(0, frozen)", "(frozen,)")
            ],
            "frozen_left_out": {"[0.0] * kept + ": ""},
            "rest_changes": [
                {"rates[kept:]": "[rate * layer_decay ** (kept > 0) for rate in rates[kept:]]"},
                {"rates[kept:]": "([peak_rate] * len(rates[kept:]) if kept else rates)"},
            ],
            "rates": {"**steps": "**min(4, steps)"},  # the course's own model by heart
            "length": lambda *given: layer_rates(*given)[1:],
            "ready_made": after_calling(layer_rates, "course_utils.tasks.train:layer_shares", 3),
        },
    ),
    forbids=("course_utils.tasks",),
)


# ---- 16.4

Tags = Sequence[Sequence[str]]
Entity = tuple[str, int, int]  # (kind, first, last)


def entity_f1(predicted: Tags, references: Tags) -> float:
    def entities(tags: Sequence[str]) -> set[Entity]:
        names: list[Entity] = []
        for place, tag in enumerate(tags):
            mark, _, kind = tag.partition("-")
            if mark == "I" and names and (names[-1][0], names[-1][2]) == (kind, place - 1):
                names[-1] = (kind, names[-1][1], place)  # goes on
            elif mark != "O":
                names.append((kind, place, place))  # B, or an I that has nothing to go on with
        return set(names)

    right = found = there = 0
    for tags, right_tags in zip(predicted, references, strict=True):
        these, those = entities(tags), entities(right_tags)
        right, found, there = right + len(these & those), found + len(these), there + len(those)
    return 2 * right / (found + there) if found + there else 0.0


def accuracy(predicted, references):
    pairs = [pair for rows in zip(predicted, references) for pair in zip(*rows)]
    return sum(one == other for one, other in pairs) / len(pairs)


def kind_mean(among):
    """The mean of each kind's F1, over the kinds among(predicted, references)."""

    def wrong(predicted, references):
        kinds = {tag[2:] for tags in among(predicted, references) for tag in tags} - {""}
        each = [entity_f1(only(kind, predicted), only(kind, references)) for kind in sorted(kinds)]
        return sum(each) / len(each) if each else 0.0

    return wrong


def only(kind, rows):
    return [[tag if tag[2:] == kind else "O" for tag in tags] for tags in rows]


def tagged(predicted: str, references: str) -> tuple[Tags, Tags]:
    """Sentences as "B-PS O / O O"."""
    return tuple([tags.split() for tags in rows.split(" / ")] for rows in (predicted, references))


def drawn_tags(sentences: int) -> tuple[Tags, Tags]:
    """As a tagger without rules may give them: about every third tag is gone, or another mark or kind."""
    references, predicted = [], []
    for _ in range(sentences):
        kinds = random.choice([("PS", "LC"), ("OG", "DT"), ("A", "AB"), ("QT", "PS")])
        tags = ["O", "O"] + [f"{mark}-{kind}" for mark in "BI" for kind in kinds]
        right = random.choices(tags, k=random.randint(1, 7))
        references.append(right)
        predicted.append([random.choice(tags) if random.random() < 0.3 else tag for tag in right])
    return predicted, references


def sentences(rows: Tags) -> str:
    """Tags as a learner reads them: "B-PS I-PS O / O B-LC"."""
    told = " / ".join(" ".join(tags) for tags in rows)
    return told if len(told) <= MOST_LETTERS else f"{told[: MOST_LETTERS - 1]}…"


ENTITY_F1 = Exercise(
    "16.4",
    level="stretch",
    reference=entity_f1,
    atol=1e-6,
    cases={
        "f1 by hand": lambda: tagged("B-PS O B-LC B-PS O B-PS O O O", "B-PS O B-PS O O O B-DT O O"),
        "f1 at the end": lambda: tagged("O B-PS", "O B-PS"),
        "f1 of another end": lambda: tagged("B-PS O O B-LC", "B-PS I-PS O B-LC"),
        "f1 of two sentences": lambda: tagged("B-PS O B-LC / O B-PS O", "B-PS O B-LC / B-PS O O"),
        "f1 without B": lambda: tagged("B-PS O I-LC I-LC", "B-PS O B-LC I-LC"),
        "f1 of another kind": lambda: tagged("B-PS I-LC I-LC", "B-PS B-LC I-LC"),
        "f1 of two B": lambda: tagged("B-PS I-PS O", "B-PS B-PS O"),
        "f1 over O": lambda: tagged("B-PS O I-PS", "B-PS O B-PS"),
        "f1 over the edge": lambda: tagged("O B-PS / I-PS O", "O B-PS / B-PS O"),
        "f1 of nothing": lambda: tagged("O O", "O O"),
        "f1 of none right": lambda: [
            tagged("O O", "B-PS O"),
            tagged("O B-PS", "O O"),
            tagged("B-PS", "B-PT"),
        ],
        "f1 drawn": lambda: [drawn_tags(1 + place % 3) for place in range(12)],
        "f1 of many": lambda: [drawn_tags(13), drawn_tags(300)],
    },
    mistakes=changes_of(
        entity_f1,
        {
            "last_lost": {"set(names)": "{name for name in names if name[2] < len(tags) - 1}"},
            "accuracy": accuracy,
            "tokens": {"set(names)": "{pair for pair in enumerate(tags) if pair[1] != 'O'}"},
            "overlap": {"set(names)": "{name[:2] for name in names}"},
            "only_kinds": {"set(names)": "{name[0] for name in names}"},
            "precision": {"2 * right / (found + there) if found + there": "right / found if found"},
            "recall": {"2 * right / (found + there) if found + there": "right / there if there"},
            "mean": {
                "2 * right / (found + there) if found + there else 0.0": (
                    "(right / max(found, 1) + right / max(there, 1)) / 2"
                )
            },
            "union": {"2 * right / (found + there)": "right / (found + there - right)"},
            "not_doubled": {"2 * right": "right"},
            "kind_ignored": {"set(names)": "{name[1:] for name in names}"},
            "sentence_mean": lambda predicted, references: (
                sum(entity_f1([tags], [right]) for tags, right in zip(predicted, references))
                / len(references)
            ),
            "kind_mean": [
                kind_mean(lambda predicted, references: references),
                kind_mean(lambda predicted, references: [*references, *predicted]),
            ],
            "one_pot": {
                "zip(predicted, references, strict=True)": "[(predicted, references)]",
                "entities(tags), entities(right_tags)": (
                    "(set().union(*map(entities, rows)) for rows in (tags, right_tags))"
                ),
            },
            "strict": [
                {'mark != "O"': 'mark == "B"'},
                {  # only the right ones are read strictly
                    "(tags: Sequence[str])": "(tags: Sequence[str], marks='BI')",
                    'mark != "O"': "mark in marks",
                    "entities(right_tags)": "entities(right_tags, 'B')",
                },
            ],
            "each_i_begins": {"and names and": 'and names and tags[names[-1][1]][0] == "B" and'},
            "kind_change": {
                "(names[-1][0], names[-1][2]) == (kind, place - 1)": "names[-1][2] == place - 1",
                "(kind, names[-1][1], place)": "(*names[-1][:2], place)",
            },
            "b_goes_on": {'mark == "I"': 'mark != "O"'},
            "gap_bridged": {"(names[-1][0], names[-1][2]) == (kind, place - 1)": "names[-1][0] == kind"},
            "over_the_edge": {
                "zip(predicted, references, strict=True)": "[(sum(predicted, []), sum(references, []))]"
            },
            "nothing_is_one": {"else 0.0": "else 1.0"},
            "zero_division": {
                "2 * right / (found + there) if found + there else 0.0": (
                    "2 * (right / found) * (right / there) / (right / found + right / there)"
                )
            },
            "f1": lambda *given: 0.5,
            "ready_made": after_calling(entity_f1, "course_utils.tasks.entities:entity_f1", [["O"]], [["O"]]),
        },
    ),
    signs={"zero_division": lambda found: found.yours != found.yours},  # NaN
    facts={"*": lambda found: dict(zip(("predicted", "references"), map(sentences, found.given)))},
    forbids=("course_utils.tasks", "seqeval.metrics"),
)

EXERCISES = [LABEL_FIRST_PIECES, BEST_SPAN, LAYER_RATES, ENTITY_F1]
