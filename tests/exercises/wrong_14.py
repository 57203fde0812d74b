"""Wrong answers to the exercises of notebook 14, each under the reason for which it must fail."""

import math

import torch
import torch.nn.functional as F


def _pieces(overlaps, choose=list):
    def pieces_of(offsets, start, end):
        return choose([k for k, (begin, stop) in enumerate(offsets) if overlaps(begin, stop, start, end)])

    return pieces_of


def _right(begin, stop, start, end):
    return begin < end and stop > start


def _centroid(origin="centroids", move_queries=True, unit=True, choose=torch.argmax):
    def nearest_centroid(groups, queries):
        means = torch.stack([group.mean(dim=0) for group in groups])
        centre = {
            "centroids": means.mean(dim=0),
            "all": torch.cat(list(groups)).mean(dim=0),
            "none": torch.zeros_like(means[0]),
        }[origin]
        here, there = queries - centre * move_queries, means - centre
        if unit:
            here, there = F.normalize(here, dim=-1), F.normalize(there, dim=-1)
        return choose(here @ there.T, dim=-1)

    return nearest_centroid


def _distance(groups, queries):
    return torch.cdist(queries, torch.stack([group.mean(dim=0) for group in groups])).argmin(dim=-1)


def _nearest_example(groups, queries):
    origin = torch.stack([group.mean(dim=0) for group in groups]).mean(dim=0)
    cosines = [F.normalize(queries - origin, dim=-1) @ F.normalize(g - origin, dim=-1).T for g in groups]
    return torch.stack([own.amax(dim=-1) for own in cosines], dim=-1).argmax(dim=-1)


def _odds(p):
    return math.log(p / (1 - p))


def _pushes(measure=_odds, sign=1.0, hide="[MASK]", skip=True):
    def pushes(score, words, target):
        whole, found = measure(score(list(words))), []
        for k in range(len(words)):
            if k == target and skip:
                found.append(0.0)
            else:
                middle = [] if hide is None else [hide]
                found.append(sign * (whole - measure(score([*words[:k], *middle, *words[k + 1 :]]))))
        return found

    return pushes


def _not_restored(score, words, target):
    running, whole, found = list(words), _odds(score(list(words))), []
    for k in range(len(words)):
        if k != target:
            running[k] = "[MASK]"
        found.append(0.0 if k == target else whole - _odds(score(list(running))))
    return found


def _every_equal(score, words, target):
    whole = _odds(score(list(words)))
    hidden = [
        ["[MASK]" if place != target and own == word else own for place, own in enumerate(words)]
        for word in words
    ]
    return [0.0 if k == target else whole - _odds(score(given)) for k, given in enumerate(hidden)]


def _skips_equal(score, words, target):
    found = _pushes()(score, words, target)
    return [0.0 if word == words[target] else push for word, push in zip(words, found, strict=True)]


def _only_one_shown(score, words, target):
    nothing = [word if k == target else "[MASK]" for k, word in enumerate(words)]
    shown = [[*nothing[:k], words[k], *nothing[k + 1 :]] for k in range(len(words))]
    return [_odds(score(given)) - _odds(score(nothing)) for given in shown]


def _added_to_p(p):
    return math.log((p + 1e-9) / (1 - p + 1e-9))


def _spoils_words(score, words, target):
    found = _pushes()(score, words, target)
    words[0] = "[MASK]"
    return found


def _three_senses_only(groups, queries):
    return _centroid()(groups[:3], queries)


def _added_to_length(groups, queries):
    means = torch.stack([group.mean(dim=0) for group in groups])
    there = means - means.mean(dim=0)
    there = there / (there.norm(dim=-1, keepdim=True) + 1e-3)
    return ((queries - means.mean(dim=0)) @ there.T).argmax(dim=-1)


def _what_is_left(score, words, target):
    return [
        0.0 if k == target else _odds(score([*words[:k], "[MASK]", *words[k + 1 :]]))
        for k in range(len(words))
    ]


WRONG = {
    "14.1": {
        "forgets_cls": _pieces(_right, lambda found: [place - 1 for place in found]),
        "touching": _pieces(lambda begin, stop, start, end: begin < stop and begin <= end and stop > start),
        "special_tokens": _pieces(
            lambda begin, stop, start, end: begin < end and stop >= start and begin >= start
        ),
        "only_first": _pieces(_right, lambda found: found[:1]),
        "cut_off": _pieces(_right, lambda found: found[:2]),
        "assumes_specials": lambda offsets, start, end: [
            k for k in range(1, len(offsets) - 1) if _right(*offsets[k], start, end)
        ],
        "wider_piece": _pieces(
            lambda begin, stop, start, end: begin >= start and stop <= end and stop > begin
        ),
        "places": _pieces(_right, lambda found: [place + 1 for place in found]),
        "kind": _pieces(_right, lambda found: found[0] if found else -1),
    },
    "14.2": {
        "not_centred": _centroid(origin="none"),
        "mean_of_all": _centroid(origin="all"),
        "distance": _distance,
        "dot_product": _centroid(unit=False),
        "nearest_example": _nearest_example,
        "farthest": _centroid(choose=torch.argmin),
        "queries_not_moved": _centroid(move_queries=False),
        "choice": lambda groups, queries: torch.zeros(len(queries), dtype=torch.int64),
        "sizes": _three_senses_only,
        "scale": _added_to_length,
        "dtype": lambda groups, queries: _centroid()(groups, queries).float(),
    },
    "14.3": {
        "deleted": _pushes(hide=None),
        "hides_target": _pushes(skip=False),
        "other_words": _pushes(hide="[PAD]"),
        "probabilities": _pushes(measure=lambda p: p),
        "wrong_way": _pushes(sign=-1.0),
        "ratio_only": _pushes(measure=math.log),
        "not_restored": _not_restored,
        "only_one_shown": _only_one_shown,
        "near_one": _pushes(measure=_added_to_p),
        "mutates_input": _spoils_words,
        "what_is_left": _what_is_left,
        "every_equal": _every_equal,
        "skips_equal": _skips_equal,
        "push": lambda score, words, target: [2 * push for push in _pushes()(score, words, target)],
        "length": lambda score, words, target: _pushes()(score, words, target)[:target],
    },
}
