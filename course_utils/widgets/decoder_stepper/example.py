"""DecoderStepper with a small made-up decoder in place of a trained one, and keys that move it.

The decoder knows the right translation and doubts it as it goes: what it says next depends on what it has said, and is
always the same. Nothing is learned; the search is a real one.
"""

from __future__ import annotations

import math
import re

import numpy as np

from course_utils.widgets import DecoderStepper

MOVES = (
    ("step", "ArrowLeft"),
    ("next", "Enter"),
    ("back", "Home"),
    ("layer", "ArrowDown"),
    ("head", "ArrowDown"),
    ("view-step", "ArrowRight"),
    ("beam_size", "ArrowLeft"),
    ("step", "ArrowRight"),
)

SENTENCE = "half past three in the afternoon on Sunday the 22nd of November 2026"
MONTHS = {"may": "5", "november": "11"}
WEEKDAYS = {"friday": "금요일", "sunday": "일요일"}
HALVES = {"morning": "오전", "afternoon": "오후"}
HOURS = {"three": "3"}
MORE = {"half", "past", "in", "the", "on", "of", "st", "nd"}
WORDS = {*MONTHS, *WEEKDAYS, *HALVES, *HOURS, *MORE}
END = "<eos>"
OTHERS = [*"0123456789", *"년월일시분", "오전", "오후", "월요일", "일요일", END]


def tokens_of(sentence: str) -> list[str]:
    """English words in small letters, digits one by one; a word that is not one of the few known here is refused."""
    tokens = re.findall(r"\d|[a-z]+|\S", sentence.lower())
    for token in tokens:
        if token not in WORDS and not token.isdigit():
            raise ValueError(f"'{token}'은(는) 모르는 단어입니다.")
    return tokens


def right(source: list[str]) -> list[tuple[str, int]]:
    """The translation, for each token the place in the source that it comes from."""
    digits = [place for place, token in enumerate(source) if token.isdigit()]
    year, day, last = digits[-4:], digits[:-4], len(source) - 1

    def written(words: dict[str, str], unit: str = "") -> list[tuple[str, int]]:
        found = [(words[token], place) for place, token in enumerate(source) if token in words]
        return [
            (token, place) for number, place in found for token in ([*number, unit] if unit else [number])
        ]

    said = [(source[place], place) for place in year] + [("년", year[-1] if year else last)]
    said += written(MONTHS, "월")
    said += [(source[place], place) for place in day] + ([("일", day[-1])] if day else [])
    said += written(WEEKDAYS) + written(HALVES) + written(HOURS, "시")
    said += [(token, source.index("half")) for token in ("3", "0", "분") if "half" in source]
    return [*said, (END, last)]


def next_tokens(truth: list[str], said: list[str]) -> list[tuple[str, float]]:
    """A distribution after what was said, best first: sure after the truth, less so once it has been left."""
    place = len(said)
    strayed = sum(own != true for own, true in zip(said, truth, strict=False))
    doubt = np.random.default_rng([place, strayed, sum(map(ord, "".join([*truth, *said])))])
    expected = truth[place] if place < len(truth) else END
    sure = doubt.uniform(0.7, 0.99) / (1 + 0.35 * strayed)
    shares = doubt.dirichlet(np.full(len(OTHERS), 0.15)) * (1 - sure)
    found = {token: float(share) for token, share in zip(OTHERS, shares, strict=True)}
    found[expected] = found.get(expected, 0.0) + float(sure)
    return sorted(found.items(), key=lambda one: -one[1])


def search(truth: list[str], beam_size: int, penalty: float) -> tuple[list[dict], int]:
    """Beam search: the nodes of its tree, and the one where the best sentence ends."""
    nodes: list[dict] = []
    beams: list[tuple[list[str], float, int]] = [([], 0.0, -1)]
    ends: list[tuple[float, int]] = []
    for length in range(1, len(truth) + 3):
        options = [
            (total + math.log(max(share, 1e-9)), said, token, parent)
            for said, total, parent in beams
            for token, share in next_tokens(truth, said)[: beam_size + 2]
        ]
        options.sort(key=lambda one: -one[0])
        beams = []
        for rank, (total, said, token, parent) in enumerate(options[: 2 * beam_size + 1]):
            state = "dropped" if rank >= beam_size else "finished" if token == END else "kept"
            nodes.append({"parent": parent, "token": token, "log_probability": total, "state": state})
            if state == "finished":
                ends.append((total / ((5 + length) / 6) ** penalty, len(nodes) - 1))
            elif state == "kept":
                beams.append(([*said, token], total, len(nodes) - 1))
        if not beams or len(ends) >= beam_size:
            break
    ends = ends or [(total, node) for _, total, node in beams]
    return nodes, max(ends)[1]


def attention(places: list[int], width: int, layers: int, heads: int) -> np.ndarray:
    """(layers, heads, T_q, T_k): sharp around the place that a token comes from in the last layer's first head."""
    keys = np.arange(width)
    maps = []
    for layer in range(layers):
        for head in range(heads):
            near = -np.abs(keys - np.array(places)[:, None] - (head - 1) * (head > 0)) / (0.5 + head * 0.8)
            scores = near * (1 + layer)
            weights = np.exp(scores - scores.max(axis=1, keepdims=True))
            maps.append(weights / weights.sum(axis=1, keepdims=True))
    return np.array(maps).reshape(layers, heads, len(places), width)


def translate(sentence: str, beam_size: int, length_penalty: float) -> dict:
    """What DecoderStepper asks for, from the made-up decoder."""
    source = tokens_of(sentence)
    return found(source, right(source), beam_size, length_penalty)


def found(
    source: list[str],
    pairs: list[tuple[str, int]],
    beam_size: int,
    length_penalty: float,
    *,
    layers: int = 2,
    heads: int = 4,
) -> dict:
    """A search for a translation, of which each token comes from a place in the source."""
    truth = [token for token, _ in pairs]
    nodes, best = search(truth, beam_size, length_penalty)
    path, node = [], best
    while node >= 0:
        path.append(nodes[node])
        node = nodes[node]["parent"]
    said = [node["token"] for node in reversed(path)]
    steps = []
    for place, token in enumerate(said):
        candidates = next_tokens(truth, said[:place])
        steps.append({"chosen": token, "probability": dict(candidates)[token], "candidates": candidates[:10]})
    places = [pairs[min(place, len(pairs) - 1)][1] for place in range(len(said))]
    weights = attention(places, len(source), layers, heads)
    return {"source": source, "steps": steps, "attention": weights, "tree": nodes, "best": best}


def write(tokens: list[str]) -> str:
    """Korean as it is written: a blank behind all that is no digit."""
    words = [token if token.isdigit() else f"{token} " for token in tokens if token != END]
    return "".join(words).strip()


def small(sentence: str = SENTENCE, **start) -> DecoderStepper:
    """The widget with the sentence that the notebook begins with."""
    return DecoderStepper(sentence, translate=translate, write=write, **start)


def largest() -> DecoderStepper:
    """64 source tokens, 64 tokens said, 12 layers of 12 heads, a beam of 5."""
    source = [f"word{place}" for place in range(64)]
    pairs = [(f"단어{place}", place) for place in range(63)] + [(END, 63)]

    def long(_sentence: str, beam_size: int, _penalty: float) -> dict:
        return found(source, pairs, beam_size, 1.0, layers=12, heads=12)

    return DecoderStepper("가장 긴 문장", translate=long, beam_size=5, step=60)
