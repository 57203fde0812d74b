"""Exercises of notebook 14: contextual embeddings."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from course_utils.exercises.changes import changes_of
from course_utils.exercises.core import Exercise, Found, call

# ---- 14.1


def pieces_of(offsets: Sequence[tuple[int, int]], start: int, end: int) -> list[int]:
    return [place for place, (begin, stop) in enumerate(offsets) if begin < end and stop > start]


def of_letters(count: int) -> list[tuple[int, int]]:
    """A piece for each letter, between special tokens."""
    return [(0, 0), *((place, place + 1) for place in range(count)), (0, 0)]


def drawn_sentence() -> tuple[Any, ...]:
    """The word covers some of nine pieces."""
    cuts = [0, *torch.randint(1, 4, (9,)).cumsum(0).tolist()]
    start = int(torch.randint(0, cuts[-1] - 2, ()))
    return [(0, 0), *pairwise(cuts), (0, 0)], start, start + int(torch.randint(1, 13, ()))


BARE = [(0, 1), (2, 3), (3, 4)]

PIECES_OF = Exercise(
    "14.1",
    level="warm-up",
    reference=pieces_of,
    cases={
        # 큰 배를 탔다: [CLS] 큰 배 ##를 탔다 [SEP]
        "by_hand": lambda: ([(0, 0), (0, 1), (2, 3), (3, 4), (5, 7), (0, 0)], 2, 3),
        # 배를 탔다, the word first: [CLS] and [SEP] have the span (0, 0)
        "first": lambda: ([(0, 0), (0, 1), (1, 2), (3, 5), (0, 0)], 0, 1),
        # 은행에: 은 ##행 ##에
        "two": lambda: ([(0, 0), (3, 4), (4, 5), (5, 6), (0, 0)], 3, 5),
        # 배를 in one piece, wider than the word
        "wider": lambda: [  # and one that begins before it
            ([(0, 0), (0, 1), (2, 4), (5, 7), (0, 0)], 2, 3),
            ([(0, 0), (0, 1), (2, 5), (6, 7), (9, 10), (0, 0)], 3, 4),
        ],
        "three": lambda: ([(0, 0), (0, 1), (1, 2), (2, 3), (0, 0)], 0, 3),
        "nothing": lambda: ([(0, 0), (0, 1), (0, 0)], 5, 6),
        # without special tokens: the word is the first piece, and the last
        "bare": lambda: [(BARE, start, end) for start, end in BARE],
        "longer": lambda: [(of_letters(9), 1, 8), (of_letters(300), 3, 290)],
        "drawn": lambda: [drawn_sentence() for _ in range(9)],
    },
    mistakes=changes_of(
        pieces_of,
        {
            "forgets_cls": {"[place": "[place - 1"},
            "touching": {"begin < end": "begin < stop and begin <= end"},
            "places": {"[place": "[place + 1"},
            "special_tokens": {"begin < end and stop > start": "start <= begin < end"},
            "only_first": {"start]": "start][:1]"},
            "wider_piece": [
                {"begin < end and stop > start": "start <= begin < stop <= end"},
                {"begin < end and stop > start": "(start <= begin < end or start < stop <= end) and stop"},
            ],
            "assumes_specials": {"if begin": "if 0 < place < len(offsets) - 1 and begin"},
            "cut_off": [{"start]": f"start][:{few}]"} for few in (2, 3, 5, 6, 20, 200)],
            "kind": {"start]": "start][0]"},
        },
    ),
    signs={
        "kind": lambda found: found.kind == "type",
        "places": lambda found: True,
    },
    facts={"*": lambda found: {} if found.kind == "type" else both_lists(found)},
    forbids=("course_utils.contextual",),
)


def both_lists(found: Found) -> dict[str, Any]:
    lists = {"expected": found.right, "actual": list(found.yours)}
    return {name: str(one) if len(one) < 20 else f"[{one[0]}, …, {one[-1]}]" for name, one in lists.items()}


# ---- 14.2


def nearest_centroid(groups: Sequence[Tensor], queries: Tensor) -> Tensor:
    means = torch.stack([group.mean(dim=0) for group in groups])  # (K, C)
    origin = means.mean(dim=0)  # of the centroids: a sense with many examples must not pull it
    return (F.normalize(queries - origin, dim=-1) @ F.normalize(means - origin, dim=-1).T).argmax(dim=-1)


def nearest_example(groups, queries):
    origin = torch.stack([group.mean(dim=0) for group in groups]).mean(dim=0)
    here, there = (F.normalize(one - origin, dim=-1) for one in (queries, torch.cat(groups)))
    of_groups = (here @ there.T).split(list(map(len, groups)), dim=1)
    return torch.stack([cosines.amax(dim=1) for cosines in of_groups], dim=1).argmax(dim=1)


def clearly_nearer(groups: list[Tensor], queries: Tensor) -> tuple[list[Tensor], Tensor]:
    """Without the queries that lie between two senses, where rounding would choose."""
    means = torch.stack([group.mean(dim=0) for group in groups])
    here, there = (F.normalize(one - means.mean(dim=0), dim=-1) for one in (queries, means))
    best = (here @ there.T).topk(2, dim=-1).values
    return groups, queries[best[:, 0] - best[:, 1] > 1e-3]


def groups_around(means: Tensor, counts: Sequence[int], spread: float) -> list[Tensor]:
    return [mean + spread * torch.randn(count, len(mean)) for mean, count in zip(means, counts, strict=True)]


def three_senses() -> tuple[list[Tensor], Tensor]:
    """All vectors share a large part; one sense has most of the examples, another lies far out."""
    shared = torch.tensor([6.0, -4.0, 3.0, 0.0, 2.0])
    means = shared + torch.randn(3, 5) * torch.tensor([[1.0], [2.5], [1.0]])
    return clearly_nearer(groups_around(means, (29, 3, 7), 0.8), shared + 2.0 * torch.randn(67, 5))


def of_sizes(counts: Sequence[int], size: int, queries: int, scale: float = 1.0) -> tuple[Any, ...]:
    means = scale * torch.randn(len(counts), size)
    return clearly_nearer(groups_around(means, counts, 0.5 * scale), scale * torch.randn(queries, size))


def not_whole(answer: Any) -> dict[str, Any] | None:
    found = call(answer, *three_senses())
    dtype = found.dtype if isinstance(found, Tensor) else torch.as_tensor(found).dtype
    return {"actual": dtype} if dtype.is_floating_point else None


NEAREST_CENTROID = Exercise(
    "14.2",
    level="core",
    reference=nearest_centroid,
    gradients=False,
    strict=False,
    cases={
        "by_hand": three_senses,
        "sizes": lambda: [
            of_sizes((1, 19), 7, 11),
            of_sizes((4, 1, 6, 2, 31), 3, 43),
            of_sizes((2, 300, 5, 1), 300, 300),
        ],
        "scale": lambda: of_sizes((5, 3, 2, 8, 4, 67), 5, 23, scale=1e-5),
    },
    mistakes=changes_of(
        nearest_centroid,
        {
            "not_centred": {"means.mean(dim=0)": "0"},
            "mean_of_all": {"means.mean(dim=0)": "torch.cat(groups).mean(dim=0)"},
            "distance": {
                "(F.normalize(queries - origin, dim=-1) @ F.normalize(means - origin, dim=-1).T).argmax": (
                    "torch.cdist(queries, means).argmin"
                )
            },
            "dot_product": {"F.normalize(means - origin, dim=-1)": "(means - origin)"},
            "nearest_example": nearest_example,
            "farthest": {"argmax": "argmin"},
            "queries_not_moved": {"queries - origin": "queries"},
            "by_hand": {"argmax(dim=-1)": "argmax(dim=-1) * 0"},
            "sizes": {"in groups": "in groups[:3]"},
            "scale": {"means - origin, dim=-1": "means - origin, dim=-1, eps=1e-3"},
            "dtype": {"argmax(dim=-1)": "argmax(dim=-1).float()"},
        },
    ),
    facts={"sizes": lambda found: {"senses": len(found.given[0])}},
    properties={"dtype": not_whole},
    forbids=("course_utils.contextual",),
)


# ---- 14.3

Score = Callable[[list[str]], float]


def pushes(score: Score, words: Sequence[str], target: int) -> list[float]:
    def log_odds(given: list[str]) -> float:
        p = score(given)
        return math.log(p / (1 - p))

    whole = log_odds(list(words))
    return [
        0.0 if place == target else whole - log_odds([*words[:place], "[MASK]", *words[place + 1 :]])
        for place in range(len(words))
    ]


class Model:
    """Log-odds that are a sum over the places at which a word is seen, and over one pair; `asked` has all sentences.

    A word that is neither there nor [MASK], and a target that is hidden, change them, too.
    """

    def __init__(self, words: list[str], weights: list[float], target: int, start: float = -1.0) -> None:
        self.words, self.weights, self.target, self.start = words, weights, target, start
        self.pair = [k for k in range(len(words)) if k != target][-2:]
        self.asked: list[list[str]] = []

    def __call__(self, given: list[str]) -> float:
        if isinstance(given, str):
            self.asked.append(given)
            return 0.5
        self.asked.append(list(given))
        seen = [k for k, (own, word) in enumerate(zip(given, self.words)) if own == word]
        odds = self.start + sum(self.weights[k] for k in seen if k != self.target)
        odds += 0.7 * all(k in seen for k in self.pair)  # what two words say together
        odds -= 1.1 * (self.target not in seen)
        odds += sum(0.31 * (k + 1) for k in self.strange(given))
        return 1 / (1 + math.exp(-odds))

    def strange(self, given: list[str]) -> list[int]:
        return [k for k, own in enumerate(given) if own != "[MASK]" and own not in self.words]


def asking(answer: Any, weights: list[float], words: list[str], target: int, start: float = -1.0) -> Any:
    return answer(Model(list(words), weights, target, start), words, target)


def sentences_asked(answer: Any, weights: list[float], words: list[str], target: int) -> list[list[str]]:
    model = Model(list(words), weights, target)
    call(answer, model, words, target)
    return model.asked


def only_one_shown(score, words, target):
    shown = [
        ["[MASK]" if k not in (one, target) else word for k, word in enumerate(words)]
        for one in range(len(words))
    ]
    odds = [math.log(p / (1 - p)) for p in map(score, shown)]
    return [one - odds[target] for one in odds]


WORDS = ["배를", "다시", "항구에", "배를", "다시", "탔다"]  # places are hidden, not words
WEIGHTS = [0.25, 0.75, 2.0, 0.0, -0.5, 1.5]


def drawn_words(count: int, target: int) -> tuple[Any, ...]:
    words = [f"단어{number}" for number in torch.randperm(90 + count)[:count].tolist()]
    return (torch.randn(count) / math.sqrt(count)).tolist(), words, target


def hides_target(answer: Any) -> bool:
    """Is the word in question ever hidden?"""
    asked = sentences_asked(answer, WEIGHTS, WORDS, 3)
    return any(len(given) == len(WORDS) and given[3] != WORDS[3] for given in asked)


def asked_of(found: Found) -> list[list[str]]:
    return sentences_asked(found.answer, *found.given[:3])


def of_another_length(found: Found) -> list[int]:
    words = found.given[1]
    return [len(given) for given in asked_of(found) if len(given) != len(words)]


def with_strange_words(found: Found) -> list[str]:
    known = {*found.given[1], "[MASK]"}
    return [" ".join(map(str, given)) for given in asked_of(found) if not known.issuperset(given)]


PUSHES = Exercise(
    "14.3",
    level="stretch",
    reference=pushes,
    run=asking,
    cases={
        "by_hand": lambda: (WEIGHTS, WORDS, 3),
        "near_one": lambda: ([0.0, 3.0, 3.0], ["배가", "항구에", "닿았다"], 0, 9.3),
        "drawn": lambda: [drawn_words(7, 0), drawn_words(7, 6), drawn_words(2, 1), drawn_words(60, 31)],
    },
    mistakes=changes_of(
        pushes,
        {
            "deleted": {'"[MASK]", ': ""},
            "hides_target": [
                {"0.0 if place == target else ": ""},
                {"0.0 if place == target else whole": "(place != target) * (whole", "1 :]])": "1 :]]))"},
            ],
            "joined": {"score(given)": "score(' '.join(given))"},
            "other_words": {"[MASK]": "[PAD]"},
            "probabilities": {"math.log(p / (1 - p))": "p"},
            "wrong_way": {"whole -": "-whole +"},
            "ratio_only": {"p / (1 - p)": "p"},
            "not_restored": {
                '*words[:place], "[MASK]"': '*["[MASK]" if k != target else words[k] for k in range(place + 1)]',
            },
            "only_one_shown": only_one_shown,
            "what_is_left": {"whole - ": ""},
            "every_equal": {
                '*words[:place], "[MASK]", *words[place + 1 :]': (
                    '*("[MASK]" if w == words[place] and k != target else w for k, w in enumerate(words))'
                )
            },
            "skips_equal": {"place == target": "words[place] == words[target]"},
            "push": {"whole - log": "2 * whole - 2 * log"},
            "near_one": {"p / (1 - p)": "(p + 1e-9) / (1 - p + 1e-9)"},
        },
    ),
    signs={
        "joined": lambda found: any(isinstance(given, str) for given in asked_of(found)),
        "deleted": lambda found: min(of_another_length(found)) < len(found.given[1]),
        "other_words": lambda found: bool(with_strange_words(found)),
        "push": lambda found: found.kind == "value" and found.case != "near_one",
    },
    facts={
        "*": lambda found: (
            {"word": found.given[1][found.difference.index[0]]} if found.difference.index else {}
        ),
        "deleted": lambda found: {"expected": len(found.given[1]), "actual": of_another_length(found)[0]},
        "joined": lambda found: {"actual": asked_of(found)[0]},
        "other_words": lambda found: {"actual": with_strange_words(found)[0]},
    },
    properties={"hides_target": hides_target},
)

EXERCISES = [PIECES_OF, NEAREST_CENTROID, PUSHES]
