"""Exercises of notebook 14: contextual embeddings."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from course_utils.exercises.core import Exercise, Found, Several, call

# ---- 14.1


def pieces_of(offsets: Sequence[tuple[int, int]], start: int, end: int) -> list[int]:
    return [place for place, (begin, stop) in enumerate(offsets) if begin < end and stop > start]


def where(overlaps):
    def wrong(offsets, start, end):
        return [k for k, (begin, stop) in enumerate(offsets) if overlaps(begin, stop, start, end)]

    return wrong


def afterwards(change):
    return lambda offsets, start, end: change(pieces_of(offsets, start, end))


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
        "wider": lambda: ([(0, 0), (0, 1), (2, 4), (5, 7), (0, 0)], 2, 3),
        "three": lambda: ([(0, 0), (0, 1), (1, 2), (2, 3), (0, 0)], 0, 3),
        "nothing": lambda: ([(0, 0), (0, 1), (0, 0)], 5, 6),
        # without special tokens: the word is the first piece, and the last
        "bare": lambda: [(BARE, start, end) for start, end in BARE],
        "longer": lambda: [(of_letters(9), 1, 8), (of_letters(300), 3, 290)],
        "drawn": lambda: [drawn_sentence() for _ in range(9)],
    },
    mistakes={
        "forgets_cls": afterwards(lambda found: [place - 1 for place in found]),
        "touching": Several(
            [
                where(lambda begin, stop, start, end: begin < stop and begin <= end and stop > start),
                where(lambda begin, stop, start, end: begin < stop and begin <= end and stop >= start),
            ]
        ),
        "places": afterwards(lambda found: [place + 1 for place in found]),
        "special_tokens": Several(
            [
                where(lambda begin, stop, start, end: start <= begin < end and stop >= start),
                where(lambda begin, stop, start, end: start <= begin < end),
            ]
        ),
        "only_first": afterwards(lambda found: found[:1]),
        "wider_piece": where(lambda begin, stop, start, end: start <= begin < stop <= end),
        "assumes_specials": lambda offsets, start, end: [
            place for place in pieces_of(offsets, start, end) if 0 < place < len(offsets) - 1
        ],
        "cut_off": Several([afterwards(lambda found, few=few: found[:few]) for few in (2, 3, 5, 6, 20, 200)]),
        "kind": afterwards(lambda found: found[0] if found else -1),
    },
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


def centred(groups, queries):
    """Queries and centroids, seen from the mean of the centroids."""
    means = torch.stack([group.mean(dim=0) for group in groups])
    return queries - means.mean(dim=0), means - means.mean(dim=0)


def cosines(one, other):
    return F.normalize(one, dim=-1) @ F.normalize(other, dim=-1).T


def chosen_by(score, choose=torch.argmax):
    """The sense with the largest score(queries, centroids), both seen from the origin."""
    return lambda groups, queries: choose(score(*centred(groups, queries)), dim=-1)


def seen_from(origin):
    """Cosines, with another origin(groups)."""

    def wrong(groups, queries):
        means = torch.stack([group.mean(dim=0) for group in groups])
        return cosines(queries - origin(groups), means - origin(groups)).argmax(-1)

    return wrong


def queries_not_moved(groups, queries):
    return cosines(queries, centred(groups, queries)[1]).argmax(-1)


def nearest_example(groups, queries):
    here, origin = centred(groups, queries)[0], queries - centred(groups, queries)[0]
    return torch.stack([cosines(here, group - origin[0]).amax(-1) for group in groups], dim=-1).argmax(-1)


def of_short_lengths(queries, means):
    """Adds to a length what is more than the length."""
    return queries @ (means / (means.norm(dim=-1, keepdim=True) + 1e-3)).T


def clearly_nearer(groups: list[Tensor], queries: Tensor) -> tuple[list[Tensor], Tensor]:
    """Without the queries that lie between two senses, where rounding would choose."""
    best = cosines(*centred(groups, queries)).topk(2, dim=-1).values
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
    mistakes={
        "not_centred": seen_from(lambda groups: 0.0),
        "mean_of_all": seen_from(lambda groups: torch.cat(list(groups)).mean(dim=0)),
        "distance": chosen_by(torch.cdist, torch.argmin),
        "dot_product": chosen_by(lambda queries, means: queries @ means.T),
        "nearest_example": nearest_example,
        "farthest": chosen_by(cosines, torch.argmin),
        "queries_not_moved": queries_not_moved,
        "choice": lambda groups, queries: torch.zeros(len(queries), dtype=torch.int64),
        "sizes": Several(
            [
                lambda groups, queries: nearest_centroid(groups[:3], queries),
                lambda groups, queries: nearest_centroid([groups[0], groups[1], groups[2]], queries),
                lambda groups, queries: nearest_centroid([one[..., :7] for one in groups], queries[..., :7]),
            ]
        ),
        "scale": chosen_by(of_short_lengths),
        "dtype": lambda groups, queries: nearest_centroid(groups, queries).float(),
    },
    signs={"choice": lambda found: found.case == "by_hand" and found.kind == "value"},
    facts={
        "*": lambda found: {"place": found.difference.index[0]} if found.difference.index else {},
        "sizes": lambda found: {
            "senses": len(found.given[0]),
            "size": found.given[1].shape[1],
            "count": len(found.given[1]),
        },
    },
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


def odds_of(p):
    return math.log(p / (1 - p))


def hiding(measure=odds_of, sign=1.0, hide="[MASK]", skip=True):
    """Pushes with one thing done otherwise."""

    def wrong(score, words, target):
        whole, found = measure(score(list(words))), []
        for k in range(len(words)):
            middle = [] if hide is None else [hide]
            left = words if k == target and skip else [*words[:k], *middle, *words[k + 1 :]]
            found.append(sign * (whole - measure(score(list(left)))))
        return found

    return wrong


def hidden_at(places, whole=True):
    """Hides places(k, words, target) in place of k; compared with the whole sentence, or with the step before."""

    def wrong(score, words, target):
        def left(hidden):
            kept = [word if k == target or k not in hidden else "[MASK]" for k, word in enumerate(words)]
            return odds_of(score(kept))

        found, before = [], left(set())
        for k in range(len(words)):
            now = left(places(k, words, target))
            found.append(0.0 if k == target else before - now)
            before = before if whole else now
        return found

    return wrong


def only_one_shown(score, words, target):
    nothing = [word if k == target else "[MASK]" for k, word in enumerate(words)]
    shown = [[*nothing[:k], words[k], *nothing[k + 1 :]] for k in range(len(words))]
    return [odds_of(score(given)) - odds_of(score(nothing)) for given in shown]


def what_is_left(score, words, target):
    whole = odds_of(score(list(words)))
    found = pushes(score, words, target)
    return [0.0 if k == target else whole - push for k, push in enumerate(found)]


def skips_equal(score, words, target):
    found = pushes(score, words, target)
    return [0.0 if word == words[target] else push for word, push in zip(words, found)]


def spoils_words(score, words, target):
    found = pushes(score, words, target)
    words[0] = "[MASK]"
    return found


def hides_and_forgets(score, words, target):
    """Asks about the target, too, and puts 0.0 for what comes."""
    found = hiding(skip=False)(score, words, target)
    return [0.0 if k == target else push for k, push in enumerate(found)]


WORDS = ["배를", "다시", "항구에", "배를", "다시", "탔다"]  # places are hidden, not words
WEIGHTS = [0.25, 0.75, 2.0, 0.0, -0.5, 1.5]


def drawn_words(count: int, target: int) -> tuple[Any, ...]:
    words = [f"낱말{number}" for number in torch.randperm(90 + count)[:count].tolist()]
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
    mistakes={
        "deleted": hiding(hide=None),
        "hides_target": Several([hiding(skip=False), hides_and_forgets]),
        "other_words": Several([hiding(hide="[PAD]"), hiding(hide="")]),
        "probabilities": hiding(measure=lambda p: p),
        "wrong_way": hiding(sign=-1.0),
        "ratio_only": hiding(measure=math.log),
        "not_restored": Several(
            [
                hidden_at(lambda k, words, target: set(range(k + 1))),
                hidden_at(lambda k, words, target: set(range(k + 1)), whole=False),
            ]
        ),
        "only_one_shown": only_one_shown,
        "what_is_left": what_is_left,
        "every_equal": hidden_at(
            lambda k, words, target: {place for place, word in enumerate(words) if word == words[k]}
        ),
        "skips_equal": skips_equal,
        "push": lambda *given: [2 * push for push in pushes(*given)],
        "length": Several(
            [
                lambda score, words, target: pushes(score, words, target)[:target],
                lambda score, words, target: (lambda found: found[:target] + found[target + 1 :])(
                    pushes(score, words, target)
                ),
            ]
        ),
        "near_one": Several(
            [
                hiding(measure=lambda p: math.log((p + 1e-9) / (1 - p + 1e-9))),
                hiding(measure=lambda p: torch.logit(torch.tensor(p)).item()),
                hiding(measure=lambda p: torch.logit(torch.tensor(p).double(), eps=1e-6).item()),
            ]
        ),
        "mutates_input": spoils_words,
    },
    signs={
        "deleted": lambda found: bool(of_another_length(found)),
        "other_words": lambda found: bool(with_strange_words(found)),
        "push": lambda found: found.kind == "value" and found.case != "near_one",
    },
    facts={
        "*": lambda found: (
            {"word": found.given[1][found.difference.index[0]]} if found.difference.index else {}
        ),
        "deleted": lambda found: {"expected": len(found.given[1]), "actual": of_another_length(found)[0]},
        "other_words": lambda found: {"actual": with_strange_words(found)[0]},
    },
    properties={"hides_target": hides_target},
)

EXERCISES = [PIECES_OF, NEAREST_CENTROID, PUSHES]
