"""Exercises of notebook 14: contextual embeddings."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import torch
import torch.nn.functional as F
from torch import Tensor

from course_utils.exercises.core import Exercise, Wrong, call, expect_tensor, number


def pieces_of(offsets: Sequence[tuple[int, int]], start: int, end: int) -> list[int]:
    return [place for place, (begin, stop) in enumerate(offsets) if begin < end and stop > start]


def check_pieces_of(answer: object) -> None:
    def ask(offsets: list[tuple[int, int]], start: int, end: int) -> list[int]:
        found = call(answer, offsets, start, end)
        if isinstance(found, Tensor | tuple):
            found = list(found.tolist() if isinstance(found, Tensor) else found)
        if not isinstance(found, list) or not all(
            isinstance(place, int) and not isinstance(place, bool) for place in found
        ):
            raise Wrong("kind", actual=type(found).__name__)
        return found

    def expect(reasons: list[tuple[str, list[int]]], expected: list[int], found: list[int]) -> None:
        if found != expected:
            reason = next((reason for reason, wrong in reasons if found == wrong), "places")
            raise Wrong(reason, expected=expected, actual=found)

    # 큰 배를 탔다 : [CLS] 큰 배 ##를 탔다 [SEP]
    ship = [(0, 0), (0, 1), (2, 3), (3, 4), (5, 7), (0, 0)]
    neighbours = [("forgets_cls", [1]), ("touching", [2, 3]), ("touching", [1, 2, 3])]
    expect(neighbours, [2], ask(ship, 2, 3))
    # 배를 탔다, the word first: [CLS] and [SEP] have the span (0, 0)
    expect(
        [("special_tokens", [0, 1, 4]), ("touching", [1, 2])],
        [1],
        ask([(0, 0), (0, 1), (1, 2), (3, 5), (0, 0)], 0, 1),
    )
    # 은행에 : 은 ##행 ##에
    bank = [(0, 0), (3, 4), (4, 5), (5, 6), (0, 0)]
    expect([("only_first", [1]), ("touching", [1, 2, 3])], [1, 2], ask(bank, 3, 5))
    # 배를 in one piece, wider than the word
    expect([("wider_piece", [])], [2], ask([(0, 0), (0, 1), (2, 4), (5, 7), (0, 0)], 2, 3))
    # nothing there
    expect([], [], ask([(0, 0), (0, 1), (0, 0)], 5, 6))


def nearest_centroid(groups: Sequence[Tensor], queries: Tensor) -> Tensor:
    means = torch.stack([group.mean(dim=0) for group in groups])  # (K, C)
    origin = means.mean(dim=0)  # of the centroids: a sense with many examples must not pull it
    return (F.normalize(queries - origin, dim=-1) @ F.normalize(means - origin, dim=-1).T).argmax(dim=-1)


def _choices(groups: Sequence[Tensor], queries: Tensor) -> list[tuple[str, Tensor]]:
    """What the usual mistakes choose, under their names."""
    means = torch.stack([group.mean(dim=0) for group in groups])
    origin, everything = means.mean(dim=0), torch.cat(list(groups))

    def cosine(points: Tensor, centre: Tensor | float) -> Tensor:
        return F.normalize(queries - centre, dim=-1) @ F.normalize(points - centre, dim=-1).T

    owners = torch.cat([torch.full((len(group),), index) for index, group in enumerate(groups)])
    return [
        ("not_centred", cosine(means, 0.0).argmax(-1)),
        ("mean_of_all", cosine(means, everything.mean(0)).argmax(-1)),
        ("distance", torch.cdist(queries, means).argmin(-1)),
        ("dot_product", ((queries - origin) @ (means - origin).T).argmax(-1)),
        ("nearest_example", owners[cosine(everything, origin).argmax(-1)]),
        ("farthest", cosine(means, origin).argmin(-1)),
        (
            "queries_not_moved",
            (F.normalize(queries, dim=-1) @ F.normalize(means - origin, dim=-1).T).argmax(-1),
        ),
    ]


def check_nearest_centroid(answer: object) -> None:
    generator = torch.Generator().manual_seed(14)
    shared = torch.tensor([6.0, -4.0, 3.0, 0.0, 2.0])
    for _ in range(12):
        means = shared + torch.randn(3, 5, generator=generator) * torch.tensor([[1.0], [2.5], [1.0]])
        groups = [
            mean + 0.8 * torch.randn(count, 5, generator=generator)
            for mean, count in zip(means, (29, 3, 7), strict=True)
        ]
        queries = shared + 2.0 * torch.randn(23, 5, generator=generator)
        expected = nearest_centroid(groups, queries)
        found = expect_tensor(call(answer, groups, queries), shape=(23,))
        if found.is_floating_point():
            raise Wrong("dtype", expected=torch.int64, actual=found.dtype)
        if torch.equal(found.long(), expected):
            continue
        for reason, wrong in _choices(groups, queries):
            if torch.equal(found.long(), wrong):
                place = int((found != expected).nonzero()[0])
                facts = {"expected": int(expected[place]), "actual": int(found[place])}
                raise Wrong(reason, place=place, **facts)
        place = int((found != expected).nonzero()[0])
        raise Wrong("choice", place=place, expected=int(expected[place]), actual=int(found[place]))


def pushes(score: Callable[[list[str]], float], words: Sequence[str], target: int) -> list[float]:
    def log_odds(given: list[str]) -> float:
        p = score(given)
        return math.log(p / (1 - p))

    whole = log_odds(list(words))
    return [
        0.0 if place == target else whole - log_odds([*words[:place], "[MASK]", *words[place + 1 :]])
        for place in range(len(words))
    ]


def check_pushes(answer: object) -> None:
    words = ["나는", "항구에", "배를", "빨리", "탔다"]
    weights = {"항구에": 2.0, "탔다": 1.5, "빨리": -0.5, "나는": 0.25}

    def score(given: list[str]) -> float:
        """A model whose log-odds are a sum, and which must see [MASK] where a word is missing."""
        if len(given) != len(words):
            raise Wrong("deleted", expected=len(words), actual=len(given))
        if given[2] != words[2]:
            raise Wrong("hides_target")
        if any(own != word and own != "[MASK]" for own, word in zip(given, words, strict=True)):
            raise Wrong("other_words", actual=" ".join(given))
        odds = sum(weights.get(word, 0.0) for word in given) - 1.0
        return 1 / (1 + math.exp(-odds))

    caught: list[Wrong] = []

    def watched(given: list[str]) -> float:
        try:
            return score(list(given))
        except Wrong as wrong:
            caught.append(wrong)
            raise

    try:
        found = call(answer, watched, words, 2)
    except Wrong:
        if caught:
            raise caught[0] from None
        raise
    if isinstance(found, Tensor):
        found = found.tolist()
    if not isinstance(found, list | tuple) or len(found) != len(words):
        raise Wrong(
            "length", expected=len(words), actual=len(found) if isinstance(found, list | tuple) else 1
        )
    expected = pushes(score, words, 2)

    def same(wrong: list[float]) -> bool:
        return all(abs(float(mine) - other) < 1e-6 for mine, other in zip(found, wrong, strict=True))

    if same(expected):
        return
    whole = score(words)
    hidden = [score([*words[:k], "[MASK]", *words[k + 1 :]]) if k != 2 else whole for k in range(5)]
    running, cumulative = list(words), []
    for place in range(5):
        running[place] = words[place] if place == 2 else "[MASK]"
        left = score(running)
        lost = math.log(whole / (1 - whole)) - math.log(left / (1 - left))
        cumulative.append(0.0 if place == 2 else lost)
    likely = [
        ("probabilities", [whole - p for p in hidden]),
        ("wrong_way", [-push for push in expected]),
        ("ratio_only", [math.log(whole) - math.log(p) for p in hidden]),
        ("not_restored", cumulative),
        ("what_is_left", [math.log(p / (1 - p)) if k != 2 else 0.0 for k, p in enumerate(hidden)]),
    ]
    for reason, wrong in likely:
        if same(wrong):
            raise Wrong(reason, expected=number(expected[1]), actual=number(found[1]))
    place = next(k for k in range(5) if abs(float(found[k]) - expected[k]) >= 1e-6)
    raise Wrong("push", word=words[place], expected=number(expected[place]), actual=number(found[place]))


EXERCISES = [
    Exercise("14.1", level="warm-up", check=check_pieces_of, solution=pieces_of),
    Exercise("14.2", level="core", check=check_nearest_centroid, solution=nearest_centroid),
    Exercise("14.3", level="stretch", check=check_pushes, solution=pushes),
]
