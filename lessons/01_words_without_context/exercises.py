"""Exercises of notebook 01: words without context."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from course_utils.exercises.calling import name_of
from course_utils.exercises.core import Departure, Exercise, Several
from course_utils.exercises.forbidden import no_differences
from course_utils.exercises.values import plain


# ---- 01.1
def nearest_row(vectors: Tensor, row: int) -> int:
    unit = F.normalize(vectors, dim=-1)
    cosines = unit @ unit[row]
    cosines[row] = -torch.inf  # a word is nearest to itself
    return int(cosines.argmax())


def cosines_with(vectors, vector):
    return F.normalize(vectors, dim=-1) @ F.normalize(vector, dim=-1)


def largest(scores, own=-torch.inf, kind=int):
    """The row with the largest score; own stands in the row's own place, None leaves what is there."""

    def wrong(vectors, row):
        found = scores(vectors, vectors[row])
        if own is not None:
            found[row] = own
        return kind(found.argmax())

    return wrong


def row_taken_out(vectors, row):
    rest = torch.cat([vectors[:row], vectors[row + 1 :]])
    return int(cosines_with(rest, vectors[row]).argmax())


def second_place(order):
    """The row after the first in the order of cosines, whichever that is."""
    return lambda vectors, row: int(order(cosines_with(vectors, vectors[row]))[1])


def without_cosine_one(vectors, row):
    """Leaves out what looks the same, not what has the number."""
    cosines = cosines_with(vectors, vectors[row])
    return int(cosines.masked_fill(cosines > 1 - 1e-6, -1.5).argmax())


def compare_rows(result: Any, right: int) -> Departure | None:
    """A row number is a whole one."""
    result = plain(result)
    if isinstance(result, list) and len(result) == 1:
        result = result[0]
    if isinstance(result, bool) or not isinstance(result, int):
        return Departure("kind", "int", name_of(result))
    return None if result == right else Departure("value", str(right), str(result))


def twins() -> list[tuple[Tensor, int]]:
    """A row that points exactly as the asked one does, shorter or longer, before it and behind it."""
    given = []
    for row, twin in ((2, 5), (5, 2), (0, 7), (7, 0)):
        vectors = torch.randn(8, 3, dtype=torch.float64)
        vectors[twin] = (0.25 if row < twin else 4.0) * vectors[row]
        given.append((vectors, row))
    return given


def of_many_lengths() -> list[tuple[Tensor, int]]:
    """Lengths from a millionth to a million: cosines do not care."""
    vectors = torch.tensor([[1.0, 0.0], [1e-6, 1e-8], [1.0, 0.5], [1e6, -9e5]], dtype=torch.float64)
    given = [(vectors, 0)]
    for count, size in ((2, 3), (40, 2), (7, 64), (300, 5)):
        lengths = 10 ** torch.linspace(-6, 6, count).double()[:, None]
        vectors = torch.randn(count, size, dtype=torch.float64) * lengths
        given += [(vectors, row) for row in (0, count // 2, count - 1)]
    return given


NEAREST_ROW = Exercise(
    "01.1",
    level="warm-up",
    reference=nearest_row,
    gradients=False,
    compare=compare_rows,
    cases={
        # Nearest to row 1 is row 4; whoever takes row 1 out before counting says 3.
        "by_hand": lambda: (torch.tensor([[0.0, 1.0], [1.0, 0.0], [-1.0, 0.5], [0.3, -1.0], [1.0, 0.1]]), 1),
        # Row 1 points the same way, row 2 is long, row 3 is the opposite, row 4 is close but to the side.
        "directions": lambda: (
            torch.tensor([[1.0, 0.0], [6.0, 0.5], [9.0, 9.0], [-5.0, 0.0], [0.5, 0.4]]),
            0,
        ),
        # All others look away; whoever writes 0, not −inf, in the row's own place takes it for the nearest.
        "too_large": lambda: [
            (torch.tensor([[-1.0, 0.1], [-1.0, 3.0], [2.0, 0.0], [-3.0, -2.0]]), 2),
            (torch.tensor([[3.0, 0.0], [-2.0, 0.0]]), 0),
        ],
        "other_sizes": lambda: [(torch.randn(13, 5), row) for row in (0, 7, 12)],
        "twins": twins,
        "lengths": of_many_lengths,
    },
    mistakes={
        "itself": largest(cosines_with, own=None),
        "second_place": Several(
            second_place(lambda cosines: cosines.topk(2).indices),
            second_place(lambda cosines: cosines.argsort(descending=True)),
        ),
        "wrong_axis": largest(
            lambda vectors, vector: F.normalize(vectors, dim=0) @ (vector / vectors.norm(dim=0))
        ),
        "value": largest(lambda vectors, vector: cosines_with(vectors, vector).abs()),
        "dot_product": largest(lambda vectors, vector: vectors @ vector),
        "farthest": largest(lambda vectors, vector: -cosines_with(vectors, vector)),
        "distance": largest(lambda vectors, vector: -(vectors - vector).norm(dim=-1)),
        "row": row_taken_out,
        "too_large": largest(cosines_with, own=0.0),
        "kind": largest(cosines_with, kind=float),
        "same_direction": without_cosine_one,
        "lengths": largest(lambda vectors, vector: (vectors @ vector) / (vectors.norm(dim=-1) + 1e-3)),
    },
    signs={
        "itself": lambda found: found.difference.actual == str(found.given[1]),
        "row": lambda found: int(found.difference.actual) == int(found.difference.expected) - 1,
    },
    forbids=("course_utils.before.word2vec.WordVectors",),
)


# ---- 01.2
def centre_gradient(centre: Tensor, context: Tensor, negatives: Tensor) -> Tensor:
    pull = (torch.sigmoid(centre @ context) - 1) * context  # (C,)
    push = torch.sigmoid(negatives @ centre) @ negatives  # (K,) @ (K, C) -> (C,)
    return pull + push


def gradient(slope=torch.sigmoid, minus=1.0, of_context=1.0, of_negatives=1.0, minus_negative=0.0, sign=1.0):
    """The formula with one thing changed."""

    def wrong(centre, context, negatives):
        pull = (slope(centre @ context) - minus) * context
        push = (slope(negatives @ centre) - minus_negative) @ negatives
        return sign * (of_context * pull + of_negatives * push)

    return wrong


def loss_of(centre, context, negatives):
    return -F.logsigmoid(centre @ context) - F.logsigmoid(-(negatives @ centre)).sum()


def mean_of_negatives(centre, context, negatives):
    push = torch.sigmoid(negatives @ centre) @ negatives / len(negatives)
    return (torch.sigmoid(centre @ context) - 1) * context + push


def by_autograd(centre, context, negatives):
    leaf = centre.clone().requires_grad_()
    return torch.autograd.grad(loss_of(leaf, context, negatives), leaf)[0]


def by_differences(centre, context, negatives):
    steps = 1e-5 * torch.eye(len(centre), dtype=torch.float64)
    losses = [
        loss_of(centre + step, context.double(), negatives.double())
        - loss_of(centre - step, context.double(), negatives.double())
        for step in steps
    ]
    return (torch.stack(losses) / 2e-5).to(centre.dtype)


def drawn(size, count, times=1.0, dtype=torch.float64):
    return tuple(times * torch.randn(shape, dtype=dtype) for shape in (size, size, (count, size)))


CENTRE_GRADIENT = Exercise(
    "01.2",
    level="core",
    reference=centre_gradient,
    gradients=False,
    cases={
        "by_hand": lambda: (
            torch.tensor([1.0, 0.0, 2.0]),
            torch.tensor([0.5, 1.0, -1.0]),
            torch.tensor([[1.0, -2.0, 0.0], [0.0, 3.0, 0.5]]),
        ),
        "other_sizes": lambda: [
            drawn(size, count) for size, count in [(7, 5), (1, 1), (5, 1), (2, 30), (3, 300)]
        ],
        "large": lambda: drawn(4, 3, times=100.0),
    },
    mistakes={
        "uphill": gradient(sign=-1.0),
        "no_minus_one": gradient(minus=0.0),
        "only_positive": gradient(of_negatives=0.0),
        "only_negatives": gradient(of_context=0.0),
        "neighbour_pushed": gradient(of_context=-1.0),
        "negatives_pulled": gradient(of_negatives=-1.0),
        "negatives_as_neighbours": gradient(minus_negative=1.0),
        "mean_of_negatives": mean_of_negatives,
        "no_sigmoid": gradient(slope=lambda x: x),
        "other_sizes": lambda centre, context, negatives: centre_gradient(centre, context, negatives[:10]),
        "large": gradient(slope=lambda x: x.exp() / (1 + x.exp())),
        "differences": by_differences,
        "autograd": by_autograd,
    },
    properties={"differences": no_differences(centre_gradient, lambda: drawn(7, 5))},
    forbids=("autograd",),
)


# ---- 01.3
def unseen_vector(word: str, grams: dict[str, Tensor], dimensions: int) -> Tensor:
    marked = f"<{word}>"
    parts = {marked[start : start + n] for n in (2, 3) for start in range(len(marked) - n + 1)} | {marked}
    total = torch.zeros(dimensions)
    for part in sorted(parts):
        if part in grams:
            total += grams[part]
    return total


NAMES = "<배 배 배편 편> <배편 배편> <배편> 편 멀미 <뱃멀미> 멀 <멀 <배> <뱃멀미 뱃멀미>"


def known() -> dict[str, Tensor]:
    return {name: torch.randint(-9, 10, (3,)).float() for name in NAMES.split()}


def returning_words() -> list[tuple[Any, ...]]:
    """Fresh words of two letters: pieces come back, and many are known."""
    given = []
    for length in (1, 2, 3, 5, 8, 40):
        word = "".join("하나"[int(pick)] for pick in torch.randint(2, (length,)))
        marked = f"<{word}>"
        pieces = [marked[a:b] for a in range(len(marked)) for b in range(a + 1, min(a + 9, len(marked)) + 1)]
        pieces = dict.fromkeys([*pieces, marked])
        given.append((word, {piece: torch.randn(3) for piece in pieces if torch.rand(()) < 0.8}, 3))
    return given


def summed(edges=True, lengths=(2, 3), whole=True, once=True, mean=False, nothing=torch.zeros, more=1):
    """The sum with one thing changed."""

    def wrong(word, grams, dimensions):
        marked = f"<{word}>" if edges else word
        parts = [marked[start : start + n] for n in lengths for start in range(len(marked) - n + more)]
        parts += [marked] if whole else []
        found = [grams[part] for part in (dict.fromkeys(parts) if once else parts) if part in grams]
        if not found:
            return nothing(dimensions)
        total = torch.stack(found).sum(0)
        return total / len(found) if mean else total

    return wrong


UNSEEN_VECTOR = Exercise(
    "01.3",
    level="stretch",
    reference=unseen_vector,
    cases={
        "by_hand": lambda: ("배편", known(), 3),
        "longer": lambda: ("뱃멀미", known(), 3),  # its pieces of four letters are known, too
        "nothing_known": lambda: [("뫙", known(), 7), ("뫙", known(), 2), ("뱃멀미", {}, 3)],
        "one_letter": lambda: ("배", known(), 3),  # the whole word is a piece of three letters, too
        "other_words": returning_words,
    },
    mistakes={
        "no_edges": summed(edges=False),
        "single_letters": Several(summed(lengths=(1, 2, 3)), summed(edges=False, lengths=(1, 2, 3))),
        "no_whole_word": summed(whole=False),
        "mean": summed(mean=True),
        "only_two": Several(summed(lengths=(2,)), summed(lengths=(2,), whole=False)),
        "only_three": Several(summed(lengths=(3,)), summed(lengths=(3,), whole=False)),
        "last_piece": Several(summed(more=0), summed(more=0, whole=False)),
        "four_letters": summed(lengths=(2, 3, 4)),
        "nothing_known": summed(nothing=lambda size: torch.zeros(3)),
        "twice": summed(once=False),
        "other_words": lambda word, *rest: unseen_vector(word[:9], *rest),
    },
    signs={
        "nothing_known": lambda found: found.case == "nothing_known",
    },
    forbids=("course_utils.before.subword.SubwordVectors",),
)

EXERCISES = [NEAREST_ROW, CENTRE_GRADIENT, UNSEEN_VECTOR]
