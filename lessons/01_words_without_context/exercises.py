"""Exercises of notebook 01: words without context."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from course_utils.exercises.calling import name_of
from course_utils.exercises.changes import changes_of
from course_utils.exercises.core import Departure, Exercise
from course_utils.exercises.forbidden import no_differences
from course_utils.exercises.values import plain


# ---- 01.1
def nearest_row(vectors: Tensor, row: int) -> int:
    unit = F.normalize(vectors, dim=-1)
    cosines = unit @ unit[row]
    cosines[row] = -torch.inf  # a word is nearest to itself
    return int(cosines.argmax())


COSINES = "unit @ unit[row]"
OWN = "cosines[row] = -torch.inf"


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
    mistakes=changes_of(
        nearest_row,
        {
            "itself": {OWN: "pass"},
            "second_place": [
                {OWN: "pass", "cosines.argmax()": f"cosines.{order}[1]"}
                for order in ("topk(2).indices", "argsort(descending=True)")
            ],
            "wrong_axis": {"dim=-1": "dim=0"},
            "value": {COSINES: f"({COSINES}).abs()"},
            "dot_product": {COSINES: "vectors @ vectors[row]"},
            "farthest": {COSINES: f"-({COSINES})"},
            "distance": {COSINES: "-(vectors - vectors[row]).norm(dim=-1)"},
            "row": {OWN: "cosines = torch.cat([cosines[:row], cosines[row + 1 :]])"},
            "too_large": {"-torch.inf": "0.0"},
            "kind": {"int(cosines": "float(cosines"},
            # Leaves out what looks the same, not what has the number.
            "same_direction": {OWN: "cosines[cosines > 1 - 1e-6] = -1.5"},
            "lengths": {COSINES: "vectors @ vectors[row] / (vectors.norm(dim=-1) + 1e-3)"},
        },
    ),
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


def by_exponentials(scores):
    return scores.exp() / (1 + scores.exp())


def loss_of(centre, context, negatives):
    return -F.logsigmoid(centre @ context) - F.logsigmoid(-(negatives @ centre)).sum()


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
    mistakes=changes_of(
        centre_gradient,
        {
            "uphill": {"pull + push": "-pull - push"},
            "no_minus_one": {" - 1)": ")"},
            "only_positive": {"pull + push": "pull"},
            "only_negatives": {"pull + push": "push"},
            "neighbour_pushed": {"pull + push": "push - pull"},
            "negatives_pulled": {"pull + push": "pull - push"},
            "negatives_as_neighbours": {
                "torch.sigmoid(negatives @ centre)": "(torch.sigmoid(negatives @ centre) - 1)"
            },
            "mean_of_negatives": {"@ negatives  #": "@ negatives / len(negatives)  #"},
            "no_sigmoid": {"torch.sigmoid": ""},
            "other_sizes": lambda centre, context, negatives: centre_gradient(
                centre, context, negatives[:10]
            ),
            "large": {"torch.sigmoid": "by_exponentials"},
            "differences": by_differences,
            "autograd": by_autograd,
        },
    ),
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


NO_WHOLE = {" | {marked}": ""}


UNSEEN_VECTOR = Exercise(
    "01.3",
    level="stretch",
    reference=unseen_vector,
    strict=False,
    cases={
        "by_hand": lambda: ("배편", known(), 3),
        "longer": lambda: ("뱃멀미", known(), 3),  # its pieces of four letters are known, too
        "nothing_known": lambda: [("뫙", known(), 7), ("뫙", known(), 2), ("뱃멀미", {}, 3)],
        "one_letter": lambda: ("배", known(), 3),  # the whole word is a piece of three letters, too
        "other_words": returning_words,
    },
    mistakes=changes_of(
        unseen_vector,
        {
            "no_edges": {'f"<{word}>"': "word"},
            "single_letters": [{"(2, 3)": "(1, 2, 3)"}, {"(2, 3)": "(1, 2, 3)", 'f"<{word}>"': "word"}],
            "no_whole_word": NO_WHOLE,
            "mean": {"return total": "return total / max(len(parts & grams.keys()), 1)"},
            "only_two": [{"(2, 3)": "(2,)"}, {"(2, 3)": "(2,)"} | NO_WHOLE],
            "only_three": [{"(2, 3)": "(3,)"}, {"(2, 3)": "(3,)"} | NO_WHOLE],
            "last_piece": [{"- n + 1": "- n"}, {"- n + 1": "- n"} | NO_WHOLE],
            "four_letters": {"(2, 3)": "(2, 3, 4)"},
            "nothing_known": {"torch.zeros(dimensions)": "torch.zeros(3)"},
            "twice": {"{marked[": "[marked[", "+ 1)} | {marked}": "+ 1)] + [marked]"},
            "other_words": lambda word, *rest: unseen_vector(word[:9], *rest),
        },
    ),
    signs={"nothing_known": lambda found: found.case == "nothing_known"},
    forbids=("course_utils.before.subword.SubwordVectors",),
)

EXERCISES = [NEAREST_ROW, CENTRE_GRADIENT, UNSEEN_VECTOR]
