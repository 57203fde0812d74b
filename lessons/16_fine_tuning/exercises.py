"""Exercises of notebook 16: labels of pieces, the best span, a rate for each layer, and whole entities."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from course_utils.exercises.core import Departure, Exercise, Found, Several, number
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


def labelled(
    new=lambda word, before: word is not None and word != before,
    label=lambda word, labels: labels[word],
    other=lambda word, ignore: ignore,
):
    """A walk over the pieces: which one bears a label, which label, and what the others have."""

    def wrong(word_ids, labels, ignore=-100):
        before = [None, *word_ids[:-1]]
        return [
            label(word, labels) if new(word, previous) else other(word, ignore)
            for word, previous in zip(word_ids, before)
        ]

    return wrong


def shifted(word_ids, labels, ignore=-100):
    return [*label_first_pieces(word_ids, labels, ignore)[1:], ignore]


def shifted_back(word_ids, labels, ignore=-100):
    return [ignore, *label_first_pieces(word_ids, labels, ignore)[:-1]]


def laid_out(start):
    """The labels one after the other, whatever the pieces are."""

    def wrong(word_ids, labels, ignore=-100):
        row = [ignore] * start + list(labels) + [ignore] * len(word_ids)
        return row[: len(word_ids)]

    return wrong


def specials_labelled(place):
    def wrong(word_ids, labels, ignore=-100):
        rows = label_first_pieces(word_ids, labels, ignore)
        return [labels[place] if word is None else row for word, row in zip(word_ids, rows)]

    return wrong


def by_labels(word_ids, labels, ignore=-100):
    """Asks whether the label is a new one, not whether the word is."""
    of_pieces = [None if word is None else labels[word] for word in word_ids]
    before = [None, *of_pieces[:-1]]
    return [ignore if one is None or one == other else one for one, other in zip(of_pieces, before)]


def next_label(word_ids, labels, ignore=-100):
    rest = iter(labels)
    return labelled(label=lambda word, labels: next(rest))(word_ids, labels, ignore)


def anew_behind_sep(word_ids, labels, ignore=-100):
    """Counts words from 0 again behind a [SEP] in the middle."""
    rows, least, first = label_first_pieces(word_ids, labels, ignore), 0, None
    for place, word in enumerate(word_ids[1:], 1):
        if word is not None and word_ids[place - 1] is None:
            least = word if first is not None else 0
            first = word
        if rows[place] != ignore and word is not None:
            rows[place] = labels[word - least]
    return rows


def none_written(word_ids, labels, ignore=-100):
    rows = label_first_pieces(word_ids, labels, ignore)
    word_ids[:] = [-1 if word is None else word for word in word_ids]
    return rows


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
    mistakes={
        "every_piece": labelled(new=lambda word, before: word is not None),
        "last_piece": lambda word_ids, labels, ignore=-100: label_first_pieces(
            word_ids[::-1], labels, ignore
        )[::-1],
        "zero_elsewhere": labelled(other=lambda word, ignore: 0),
        "specials_zero": labelled(other=lambda word, ignore: 0 if word is None else ignore),
        "specials_labelled": Several([specials_labelled(-1), specials_labelled(0)]),
        "shifted": Several([shifted, shifted_back]),
        "one_after_the_other": Several([laid_out(1), laid_out(0)]),
        "word_zero": labelled(new=lambda word, before: bool(word) and word != before),
        "numbers_of_words": labelled(label=lambda word, labels: word),
        "same_labels": by_labels,
        "label_zero": lambda word_ids, labels, ignore=-100: [
            row or ignore for row in label_first_pieces(word_ids, labels, ignore)
        ],
        "counts_words": next_label,
        "assumes_specials": lambda word_ids, labels, ignore=-100: [
            ignore,
            *label_first_pieces(word_ids, labels, ignore)[1:],
        ],
        "ignore_fixed": lambda word_ids, labels, ignore=-100: label_first_pieces(word_ids, labels),
        "labels": Several(
            [
                anew_behind_sep,
                lambda word_ids, labels, ignore=-100: (
                    label_first_pieces(word_ids[:30], labels, ignore) + [ignore] * len(word_ids[30:])
                ),
            ]
        ),
        "type": lambda *given: dict(enumerate(label_first_pieces(*given))),
        "length": lambda word_ids, labels, ignore=-100: label_first_pieces(word_ids, labels, ignore)[1:-1],
        "mutates_input": none_written,
    },
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


def both(allowed):
    return allowed[:, None] & allowed[None, :]


def span(
    score=lambda start, end: start[:, None] + end[None, :],
    behind=lambda most: (0, most - 1),
    fill=-torch.inf,
    ends=both,
    last_of_equals=False,
    told=lambda first, last, allowed: (first, last),
):
    """All pairs; `behind` says how far the end may stand behind the beginning."""

    def wrong(start_logits, end_logits, allowed, most_pieces):
        length, (least, most) = len(start_logits), behind(most_pieces)
        places = torch.arange(length)
        away = places[None, :] - places[:, None]
        legal = ends(allowed) & (away >= least) & (away <= most)
        scores = torch.where(legal, score(start_logits, end_logits), fill)
        equal = (scores == scores.max()).flatten().nonzero()
        place = int(equal[-1 if last_of_equals else 0])
        return told(place // length, place % length, allowed)

    return wrong


def kept_only(logits, place):
    return torch.where(torch.arange(len(logits)) == place, logits, -torch.inf)


def top(logits, allowed):
    return int(logits.masked_fill(~allowed, -torch.inf).argmax())


def apart(start, end, allowed, most):
    return top(start, allowed), top(end, allowed)


def all_between(allowed):
    """Whether each place from the one to the other is allowed."""
    barred = torch.cat([torch.zeros(1).long(), (~allowed).cumsum(0)])
    return barred[None, 1:] - barred[:-1, None] == 0


def shortlisted(count):
    """As run_squad does: pairs of the highest beginnings and the highest ends only."""

    def wrong(start, end, allowed, most):
        best = [
            torch.zeros(len(one)).bool().index_fill(0, one.topk(min(count, len(one))).indices, True)
            for one in (
                start.masked_fill(~allowed, -torch.inf),
                end.masked_fill(~allowed, -torch.inf),
            )
        ]
        return span(ends=lambda allowed: both(allowed) & best[0][:, None] & best[1][None, :])(
            start, end, allowed, most
        )

    return wrong


def mask_written(start, end, allowed, most):
    start[~allowed] = -torch.inf
    end[~allowed] = -torch.inf
    return best_span(start, end, allowed, most)


def package_span(start, end, allowed, most):
    from course_utils.tasks.questions import best_spans

    spans = best_spans(start[None], end[None], allowed[None], most_pieces=most)
    return int(spans.first), int(spans.last)


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
        "pair (1, 1)": lambda: row(
            [1, 2, 6], [2, 5, 0], [1, 1, 1], 3
        ),  # the best beginning: 2, the best end: 1
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
    mistakes={
        "question": span(ends=lambda allowed: torch.ones(len(allowed), len(allowed)).bool()),
        "only_start_allowed": span(ends=lambda allowed: allowed[:, None]),
        "only_end_allowed": span(ends=lambda allowed: allowed[None, :]),
        "end_exclusive": span(told=lambda first, last, allowed: (first, last + 1)),
        "swapped": span(told=lambda first, last, allowed: (last, first)),
        "counted_from_passage": span(
            told=lambda first, last, allowed: tuple(at - int(allowed.int().argmax()) for at in (first, last))
        ),
        "apart": apart,
        "turned_round": lambda *given: tuple(sorted(apart(*given))),
        "start_first": lambda start, end, allowed, most: best_span(
            kept_only(start, top(start, allowed)), end, allowed, most
        ),
        "end_first": lambda start, end, allowed, most: best_span(
            start, kept_only(end, top(end, allowed)), allowed, most
        ),
        "no_limit": span(behind=lambda most: (0, 10**6)),
        "one_too_long": span(behind=lambda most: (0, most)),
        "one_too_short": span(behind=lambda most: (0, max(0, most - 2))),
        "product": span(score=lambda start, end: start[:, None] * end[None, :]),
        "maximum": span(score=lambda start, end: torch.maximum(start[:, None], end[None, :])),
        "filled_high": Several([span(fill=0.0), span(fill=-10_000.0)]),
        "late_tie": Several(
            [
                span(last_of_equals=True),
                lambda start, end, allowed, most: tuple(
                    len(start) - 1 - at
                    for at in best_span(end.flip(0), start.flip(0), allowed.flip(0), most)[::-1]
                ),
            ]
        ),
        "long_tie": span(
            score=lambda start, end: start[:, None] + end[None, :] + 1e-6 * torch.arange(len(start))
        ),
        "between": span(ends=all_between),
        "shortlist": Several([shortlisted(20), shortlisted(8)]),
        "pair": lambda start, end, allowed, most: best_span(start, end, allowed, min(most, 5)),
        "type": lambda *given: best_span(*given)[0],
        "mutates_input": mask_written,
        "ready_made": package_span,
    },
    facts={"*": of_pair},
    forbids=("course_utils.tasks",),
)


# ---- 16.3


def layer_rates(num_layers: int, peak_rate: float, layer_decay: float, frozen: int) -> list[float]:
    below_the_last = range(num_layers, -1, -1)  # of the embeddings, layer 1, …, the last one
    rates = [peak_rate * layer_decay**steps for steps in below_the_last]
    kept = frozen + 1 if frozen else 0  # with the lowest layer the embeddings are kept, too
    return [0.0] * kept + rates[kept:] + [peak_rate]


def rates_of(
    rate=lambda peak, decay, steps: peak * decay**steps,
    steps=lambda layer, layers: layers - layer,
    embeddings=None,
    kept=lambda place, frozen, layers: frozen > 0 and place <= frozen,
):
    """The rate at place 0 (embeddings), 1 … L (layers), L + 1 (head); `kept` says what is frozen."""

    def wrong(num_layers, peak_rate, layer_decay, frozen):
        rates = [rate(peak_rate, layer_decay, steps(layer, num_layers)) for layer in range(num_layers + 1)]
        if embeddings:
            rates[0] = embeddings(peak_rate, layer_decay, num_layers)
        return [
            0.0 if kept(place, frozen, num_layers) else one for place, one in enumerate([*rates, peak_rate])
        ]

    return wrong


def spread_over_the_rest(lowest):
    """The rates of those that are not frozen, made as if these were all."""

    def wrong(num_layers, peak_rate, layer_decay, frozen):
        if not frozen:
            return layer_rates(num_layers, peak_rate, layer_decay, 0)
        rest = [lowest(peak_rate, layer_decay, steps) for steps in range(num_layers - frozen - 1, -1, -1)]
        return [0.0] * (frozen + 1) + rest + [peak_rate]

    return wrong


def package_rates(num_layers, peak_rate, layer_decay, frozen):
    from course_utils.tasks.train import layer_shares

    return [peak_rate * share for share in layer_shares(num_layers, layer_decay=layer_decay, frozen=frozen)]


def drawn_depths() -> list[tuple[Any, ...]]:
    sizes = [
        (4, 1e-4, 0.8),
        (1, 5e-5, 0.6),
        (12, 3e-5, 0.95),
        (2, 0.1, 1.0),
        (7, 2e-3, 1 / 2.6),
        (5, 1e-4, 0.9),
    ]
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
    mistakes={
        "from_above": lambda *given: layer_rates(*given)[::-1],
        "upside_down": Several(
            [
                rates_of(steps=lambda layer, layers: layer),
                rates_of(steps=lambda layer, layers: max(layer - 1, 0)),
            ]
        ),
        "last_layer_decayed": rates_of(steps=lambda layer, layers: layers - layer + 1),
        "embeddings_as_first": rates_of(embeddings=lambda peak, decay, layers: peak * decay ** (layers - 1)),
        "embeddings_full": rates_of(embeddings=lambda peak, decay, layers: peak),
        "no_decay": rates_of(lambda peak, decay, steps: peak),
        "once": rates_of(lambda peak, decay, steps: peak * decay if steps else peak),
        "divided": rates_of(lambda peak, decay, steps: peak / decay**steps),
        "straight": rates_of(lambda peak, decay, steps: peak * (1 - (1 - decay) * steps)),
        "without_peak": lambda layers, peak, decay, frozen: layer_rates(layers, 1.0, decay, frozen),
        "embeddings_frozen": rates_of(kept=lambda place, frozen, layers: place <= frozen),
        "head_frozen": Several(
            [
                rates_of(kept=lambda place, frozen, layers: frozen == layers or 0 < frozen >= place),
                lambda *given: [*layer_rates(*given)[:-1], 0.0],
            ]
        ),
        "embeddings_learn": rates_of(kept=lambda place, frozen, layers: 0 < place <= frozen),
        "frozen_ignored": rates_of(kept=lambda place, frozen, layers: False),
        "embeddings_counted": rates_of(kept=lambda place, frozen, layers: place < frozen),
        "one_too_many": rates_of(kept=lambda place, frozen, layers: frozen > 0 and place <= frozen + 1),
        "frozen_from_above": Several(
            [
                rates_of(kept=lambda place, frozen, layers: layers - frozen < place <= layers),
                rates_of(kept=lambda place, frozen, layers: layers - frozen + 1 < place),
                rates_of(
                    kept=lambda place, frozen, layers: (
                        frozen > 0 and (place == 0 or layers - frozen < place <= layers)
                    )
                ),
            ]
        ),
        "only_this_layer": Several(
            [
                rates_of(kept=lambda place, frozen, layers: frozen > 0 and place in (0, frozen)),
                rates_of(kept=lambda place, frozen, layers: frozen > 0 and place == frozen),
            ]
        ),
        "frozen_left_out": lambda *given: [one for one in layer_rates(*given) if one],
        "rest_changes": Several(
            [
                spread_over_the_rest(lambda peak, decay, steps: peak * decay ** (steps + 1)),
                spread_over_the_rest(lambda peak, decay, steps: peak),
            ]
        ),
        "rates": Several(
            [
                rates_of(
                    steps=lambda layer, layers: min(4, layers - layer)
                ),  # the course's own model by heart
                lambda *given: [round(rate, 2) for rate in layer_rates(*given)],
            ]
        ),
        "type": lambda *given: sum(layer_rates(*given)),
        "length": lambda *given: layer_rates(*given)[1:],
        "ready_made": package_rates,
    },
    forbids=("course_utils.tasks",),
)


# ---- 16.4

KINDS = ("PS", "LC", "OG", "DT", "TI", "QT")  # of the course's names
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


def names_of(
    tags,
    goes_on=lambda mark, kind, last, place: mark == "I" and (last[0], last[2]) == (kind, place - 1),
    begins=lambda mark: mark != "O",
):
    """Entities as (kind, first, last); `goes_on` says when a tag goes on with the last one."""
    found = []
    for place, tag in enumerate(tags):
        mark, _, kind = tag.partition("-")
        if found and goes_on(mark, kind, found[-1], place):
            found[-1] = (found[-1][0], found[-1][1], place)
        elif begins(mark):
            found.append((kind, place, place))
    return found


def f1(right, found, there):
    return 2 * right / (found + there) if found + there else 0.0


def counted(told=f1, read=names_of, seen=lambda entity: entity):
    """The three numbers of all sentences: those right, found, and there; `told` makes one of them."""

    def wrong(predicted, references):
        counts = [0, 0, 0]
        for tags, right_tags in zip(predicted, references):
            found, there = ({seen(one) for one in read(row)} for row in (tags, right_tags))
            for place, count in enumerate((len(found & there), len(found), len(there))):
                counts[place] += count
        return told(*counts)

    return wrong


def read_by(goes_on):
    return counted(read=lambda tags: names_of(tags, goes_on))


def accuracy(predicted, references):
    pairs = [pair for rows in zip(predicted, references) for pair in zip(*rows)]
    return sum(one == other for one, other in pairs) / len(pairs)


def sentence_mean(predicted, references):
    return sum(entity_f1([tags], [right]) for tags, right in zip(predicted, references)) / len(references)


def kind_mean(of):
    """The mean of each kind's F1: of the kinds that are there, or also of those that were found."""

    def wrong(predicted, references):
        rows = [*references, *predicted] if of == "both" else references
        kinds = sorted({kind for tags in rows for kind, *_ in names_of(tags)})
        each = [
            counted(read=lambda tags, kind=kind: [one for one in names_of(tags) if one[0] == kind])(
                predicted, references
            )
            for kind in kinds
        ]
        return sum(each) / len(each) if each else 0.0

    return wrong


def one_pot(predicted, references):
    found, there = ({name for tags in rows for name in names_of(tags)} for rows in (predicted, references))
    return f1(len(found & there), len(found), len(there))


def in_one_row(predicted, references):
    return entity_f1(*([list(itertools.chain(*rows))] for rows in (predicted, references)))


def strict(tags):
    return names_of(tags, begins=lambda mark: mark == "B")


def each_i_begins(tags):
    return names_of(
        tags,
        lambda mark, kind, last, place: (
            mark == "I" and (last[0], last[2]) == (kind, place - 1) and tags[last[1]][0] == "B"
        ),
    )


def of_precision_and_recall(right, found, there):
    precision, recall = right / found, right / there
    return 2 * precision * recall / (precision + recall)


def end_written(predicted, references):
    for tags in predicted:
        tags.append("O")
    return entity_f1(predicted, references)


def package_f1(predicted, references):
    from course_utils.tasks.entities import entity_f1 as of_the_package

    return of_the_package(predicted, references)


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
    mistakes={
        "last_lost": counted(read=lambda tags: [one for one in names_of(tags) if one[2] < len(tags) - 1]),
        "accuracy": accuracy,
        "tokens": counted(read=lambda tags: [pair for pair in enumerate(tags) if pair[1] != "O"]),
        "overlap": counted(seen=lambda entity: entity[:2]),
        "only_kinds": counted(seen=lambda entity: entity[0]),
        "precision": counted(lambda right, found, there: right / found if found else 0.0),
        "recall": counted(lambda right, found, there: right / there if there else 0.0),
        "mean": counted(lambda right, found, there: (right / max(found, 1) + right / max(there, 1)) / 2),
        "union": counted(lambda right, found, there: right / max(found + there - right, 1)),
        "not_doubled": counted(lambda right, found, there: right / max(found + there, 1)),
        "kind_ignored": counted(seen=lambda entity: entity[1:]),
        "sentence_mean": sentence_mean,
        "kind_mean": Several([kind_mean("references"), kind_mean("both")]),
        "one_pot": one_pot,
        "strict": Several(
            [
                counted(read=strict),
                lambda predicted, references: (  # only the right ones are read strictly
                    counted(read=lambda row: (strict if row[1] else names_of)(row[0]))(
                        [(tags, False) for tags in predicted], [(tags, True) for tags in references]
                    )
                ),
            ]
        ),
        "each_i_begins": counted(read=each_i_begins),
        "kind_change": read_by(lambda mark, kind, last, place: mark == "I" and last[2] == place - 1),
        "b_goes_on": read_by(
            lambda mark, kind, last, place: mark != "O" and (last[0], last[2]) == (kind, place - 1)
        ),
        "gap_bridged": read_by(lambda mark, kind, last, place: mark == "I" and last[0] == kind),
        "over_the_edge": in_one_row,
        "nothing_is_one": counted(
            lambda right, found, there: f1(right, found, there) if found + there else 1.0
        ),
        "zero_division": counted(of_precision_and_recall),
        "f1": Several(
            [
                # the course's six kinds by heart, or only their first letter; the first three sentences
                counted(read=lambda tags: [one for one in names_of(tags) if one[0] in KINDS]),
                counted(seen=lambda entity: (entity[0][:1], *entity[1:])),
                lambda predicted, references: entity_f1(predicted[:3], references[:3]),
                lambda *given: 0.5,
            ]
        ),
        "type": lambda *given: (0.0, 0.0, entity_f1(*given)),
        "mutates_input": end_written,
        "ready_made": package_f1,
    },
    signs={"zero_division": lambda found: found.yours != found.yours},  # NaN
    facts={"*": lambda found: dict(zip(("predicted", "references"), map(sentences, found.given)))},
    forbids=("course_utils.tasks", "seqeval.metrics"),
)

EXERCISES = [LABEL_FIRST_PIECES, BEST_SPAN, LAYER_RATES, ENTITY_F1]
