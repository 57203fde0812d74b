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
    # three pieces, up to the end of the sentence
    expect(
        [("only_first", [1]), ("cut_off", [1, 2])],
        [1, 2, 3],
        ask([(0, 0), (0, 1), (1, 2), (2, 3), (0, 0)], 0, 3),
    )
    # nothing there
    expect([], [], ask([(0, 0), (0, 1), (0, 0)], 5, 6))
    # without special tokens: the word is the first piece, and the last
    bare = [(0, 1), (2, 3), (3, 4)]
    for place, (start, end) in enumerate(bare):
        expect([("assumes_specials", [])], [place], ask(bare, start, end))
    # seven pieces, one for each letter
    letters = [(0, 0), *((place, place + 1) for place in range(9)), (0, 0)]
    found = ask(letters, 1, 8)
    expect([("cut_off", list(range(2, last))) for last in range(4, 9)], list(range(2, 9)), found)
    for _ in range(8):  # a sentence of fresh pieces; the word covers some of them
        cuts = [0, *(torch.randint(1, 4, (9,)).cumsum(0)).tolist()]
        offsets = [(0, 0), *zip(cuts[:-1], cuts[1:], strict=True), (0, 0)]
        start = int(torch.randint(0, cuts[-1] - 2, ()))
        end = start + int(torch.randint(1, 13, ()))
        expect([], pieces_of(offsets, start, end), ask(offsets, start, end))


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
    for counts, size, number_of_queries, scale in [
        ((1, 19), 7, 11, 1.0),
        ((4, 1, 6, 2, 31), 3, 43, 1.0),
        ((5, 3, 2, 8, 4, 67), 5, 23, 1e-5),
    ]:
        places = scale * torch.randn(len(counts), size, generator=generator)
        groups = [
            place + 0.5 * scale * torch.randn(count, size, generator=generator)
            for place, count in zip(places, counts, strict=True)
        ]
        queries = scale * torch.randn(number_of_queries, size, generator=generator)
        given = {"senses": len(counts), "size": size, "count": number_of_queries}
        try:
            found = expect_tensor(call(answer, groups, queries), shape=(number_of_queries,))
        except Wrong as wrong:
            raise Wrong("sizes", **given) if wrong.reason in ("raised", "shape") else wrong from None
        if not torch.equal(found.long(), nearest_centroid(groups, queries)):
            raise Wrong("sizes" if scale == 1 else "scale", **given)


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
    # A word stands twice, and so does the target's: places are hidden, not words.
    words = ["배를", "다시", "항구에", "배를", "다시", "탔다"]
    _check_pushes(answer, words, [0.25, 0.75, 2.0, 0.0, -0.5, 1.5], 3)
    _check_near_one(answer)
    fresh = torch.randperm(90)[:7].tolist()
    _check_pushes(
        answer, [f"낱말{number}" for number in fresh], torch.randn(7).tolist(), int(torch.randint(7, ()))
    )


def _check_near_one(answer: object) -> None:
    """Ask about a model that is all but sure: what is added to p, or cut off it, shows."""

    def score(given: list[str]) -> float:
        return 1 / (1 + math.exp(-(16.0 - 3.0 * given.count("[MASK]"))))

    words = ["배가", "항구에", "닿았다"]
    found = call(answer, score, words, 0)
    found = found.tolist() if isinstance(found, Tensor) else found
    expected = pushes(score, words, 0)
    if not isinstance(found, list | tuple) or len(found) != len(words):
        return  # said by the next check
    place = next((k for k, push in enumerate(expected) if not abs(float(found[k]) - push) < 1e-5), None)
    if place is not None:
        raise Wrong(
            "near_one", word=words[place], expected=number(expected[place]), actual=number(found[place])
        )


def _check_pushes(answer: object, words: list[str], weights: list[float], target: int) -> None:
    """Ask about a model whose log-odds are a sum over the places at which a word can be seen, and over one pair."""
    places = range(len(words))
    pair = [k for k in places if k != target][-2:]

    def score(given: list[str]) -> float:
        """Must see [MASK] where a word is missing."""
        if len(given) != len(words):
            raise Wrong("deleted", expected=len(words), actual=len(given))
        if given[target] != words[target]:
            raise Wrong("hides_target")
        if any(own != word and own != "[MASK]" for own, word in zip(given, words, strict=True)):
            raise Wrong("other_words", actual=" ".join(given))
        odds = sum(weights[k] for k in places if k != target and given[k] == words[k]) - 1.0
        odds += 0.7 * all(given[k] == words[k] for k in pair)  # what two words say together
        return 1 / (1 + math.exp(-odds))

    caught: list[Wrong] = []

    def watched(given: list[str]) -> float:
        try:
            return score(list(given))
        except Wrong as wrong:
            caught.append(wrong)
            raise

    try:
        found = call(answer, watched, words, target)
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
    expected = pushes(score, words, target)

    def same(wrong: list[float]) -> bool:
        return all(abs(float(mine) - other) < 1e-6 for mine, other in zip(found, wrong, strict=True))

    if same(expected):
        return
    word = 2 if target != 2 else 1  # the place that the messages name
    for reason, wrong in _likely_pushes(score, words, target):
        if same(wrong):
            place = word if abs(wrong[word] - expected[word]) > 1e-6 else _first_difference(wrong, expected)
            raise Wrong(
                reason, word=words[place], expected=number(expected[place]), actual=number(found[place])
            )
    place = _first_difference(found, expected)
    raise Wrong("push", word=words[place], expected=number(expected[place]), actual=number(found[place]))


def _first_difference(found: Sequence[float], expected: Sequence[float]) -> int:
    return next(k for k, push in enumerate(expected) if not abs(float(found[k]) - push) < 1e-6)


def _likely_pushes(
    score: Callable[[list[str]], float], words: Sequence[str], target: int
) -> list[tuple[str, list[float]]]:
    """What the usual mistakes come to, under their names."""

    def log_odds(p: float) -> float:
        return math.log(p / (1 - p))

    def without(hidden: set[int]) -> float:
        return score(["[MASK]" if k in hidden - {target} else word for k, word in enumerate(words)])

    places, whole = range(len(words)), score(list(words))
    hidden = [without({k}) for k in places]
    cumulative = [log_odds(whole) - log_odds(without(set(range(k + 1)))) for k in places]
    steps = [log_odds(without(set(range(k)))) - log_odds(without(set(range(k + 1)))) for k in places]
    others = set(places) - {target}
    alone = [log_odds(without(others - {k})) - log_odds(without(others)) for k in places]
    everywhere = [without({k for k in places if words[k] == word}) for word in words]
    right = [log_odds(whole) - log_odds(p) for p in hidden]
    return [
        ("probabilities", [whole - p for p in hidden]),
        ("wrong_way", [-push for push in right]),
        ("ratio_only", [math.log(whole) - math.log(p) for p in hidden]),
        ("not_restored", [0.0 if k == target else push for k, push in enumerate(cumulative)]),
        ("not_restored", [0.0 if k == target else push for k, push in enumerate(steps)]),
        ("only_one_shown", [0.0 if k == target else push for k, push in enumerate(alone)]),
        ("what_is_left", [0.0 if k == target else log_odds(p) for k, p in enumerate(hidden)]),
        (
            "every_equal",
            [0.0 if k == target else log_odds(whole) - log_odds(p) for k, p in enumerate(everywhere)],
        ),
        ("skips_equal", [0.0 if words[k] == words[target] else push for k, push in enumerate(right)]),
    ]


EXERCISES = [
    Exercise("14.1", level="warm-up", check=check_pieces_of, solution=pieces_of),
    Exercise("14.2", level="core", check=check_nearest_centroid, solution=nearest_centroid),
    Exercise("14.3", level="stretch", check=check_pushes, solution=pushes),
]
