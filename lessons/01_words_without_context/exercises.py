"""Exercises of notebook 01: words without context."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from course_utils.exercises.core import Exercise, Wrong, call, expect_close, expect_tensor, numbers
from course_utils.exercises.forbidden import refuse_autograd


def nearest_row(vectors: Tensor, row: int) -> int:
    unit = F.normalize(vectors, dim=-1)
    cosines = unit @ unit[row]
    cosines[row] = -torch.inf  # a word is nearest to itself
    return int(cosines.argmax())


def check_nearest_row(answer: object) -> None:
    def expect(vectors: Tensor, row: int, expected: int, reasons: dict[int, str]) -> None:
        found = call(answer, vectors, row)
        if isinstance(found, Tensor) and found.numel() == 1 and not found.is_floating_point():
            found = int(found)
        if isinstance(found, bool) or not isinstance(found, int):
            raise Wrong("kind", actual=type(found).__name__)
        if found != expected:
            raise Wrong(reasons.get(found, "row"), expected=expected, actual=found)

    # Nearest to row 1 is row 4; whoever takes row 1 out before counting says 3.
    vectors = torch.tensor([[0.0, 1.0], [1.0, 0.0], [-1.0, 0.5], [0.3, -1.0], [1.0, 0.1]])
    expect(vectors, 1, 4, {1: "itself", 2: "farthest", 3: "row"})
    # Row 1 points the same way, row 2 is long, row 3 is the opposite, row 4 is close but to the side.
    vectors = torch.tensor([[1.0, 0.0], [6.0, 0.5], [9.0, 9.0], [-5.0, 0.0], [0.5, 0.4]])
    expect(vectors, 0, 1, {0: "itself", 2: "dot_product", 3: "farthest", 4: "distance"})
    # All others look away from row 2; whoever writes 0, not −inf, in its own place takes it for the nearest.
    vectors = torch.tensor([[-1.0, 0.1], [-1.0, 3.0], [2.0, 0.0], [-3.0, -2.0]])
    expect(vectors, 2, 1, {2: "too_large", 0: "farthest", 3: "distance"})
    expect(torch.tensor([[3.0, 0.0], [-2.0, 0.0]]), 0, 1, {0: "too_large"})  # the other cosine is −1
    vectors = torch.randn(13, 5)
    for row in (0, 7, 12):
        expect(vectors, row, nearest_row(vectors, row), {row: "itself"})
    # A row that points exactly as the asked one does, shorter or longer, before it and behind it.
    for row, twin in ((2, 5), (5, 2), (0, 7), (7, 0)):
        vectors = torch.randn(8, 3, dtype=torch.float64)
        vectors[twin] = (0.25 if row < twin else 4.0) * vectors[row]
        expect(vectors, row, twin, {row: "itself", nearest_row_but(vectors, row, twin): "same_direction"})
    # Lengths from a millionth to a million: cosines do not care.
    vectors = torch.tensor([[1.0, 0.0], [1e-6, 1e-8], [1.0, 0.5], [1e6, -9e5]], dtype=torch.float64)
    expect(vectors, 0, 1, {2: "lengths", 3: "lengths"})
    for count, size in ((2, 3), (40, 2), (7, 64)):
        vectors = (
            torch.randn(count, size, dtype=torch.float64)
            * 10 ** torch.linspace(-6, 6, count).double()[:, None]
        )
        for row in (0, count // 2, count - 1):
            right = nearest_row(vectors, row)
            expect(
                vectors,
                row,
                right,
                {row: "itself"} | {k: "lengths" for k in range(count) if k not in (row, right)},
            )


def nearest_row_but(vectors: Tensor, row: int, other: int) -> int:
    """The nearest row without another one: the second nearest."""
    unit = F.normalize(vectors, dim=-1)
    cosines = unit @ unit[row]
    cosines[[row, other]] = -torch.inf
    return int(cosines.argmax())


def centre_gradient(centre: Tensor, context: Tensor, negatives: Tensor) -> Tensor:
    pull = (torch.sigmoid(centre @ context) - 1) * context  # (C,)
    push = torch.sigmoid(negatives @ centre) @ negatives  # (K,) @ (K, C) -> (C,)
    return pull + push


def check_centre_gradient(answer: object) -> None:
    for dtype, size, count in ((torch.float32, 3, 2), (torch.float64, 7, 5)):
        centre, context = torch.randn(size, dtype=dtype), torch.randn(size, dtype=dtype)
        negatives = torch.randn(count, size, dtype=dtype)
        expected = centre_gradient(centre, context, negatives)
        found = expect_tensor(call(answer, centre, context, negatives), shape=(size,), dtype=dtype).detach()
        pull, push = torch.sigmoid(centre @ context), torch.sigmoid(negatives @ centre)
        likely = [
            ("uphill", -expected),
            ("no_minus_one", pull * context + push @ negatives),
            ("only_positive", (pull - 1) * context),
            ("only_negatives", push @ negatives),
            ("negatives_as_neighbours", (pull - 1) * context + (push - 1) @ negatives),
            ("mean_of_negatives", (pull - 1) * context + push @ negatives / count),
            ("no_sigmoid", (centre @ context - 1) * context + (negatives @ centre) @ negatives),
        ]
        for reason, wrong in likely:
            if torch.allclose(found, wrong, atol=1e-5):
                raise Wrong(reason, expected=numbers(expected), actual=numbers(found))
        # In float64 a difference of two losses, divided by their distance, is some 1e-9 off.
        expect_close(found, expected, atol=1e-5 if dtype == torch.float32 else 1e-12)
        refuse_autograd(answer, centre, context, negatives)
    for size, count, times in ((1, 1, 1.0), (5, 1, 1.0), (2, 30, 1.0), (4, 3, 100.0)):
        given = [torch.randn(*shape, dtype=torch.float64) for shape in ((size,), (size,), (count, size))]
        given = [times * tensor for tensor in given]
        found = expect_tensor(call(answer, *given), shape=(size,), dtype=torch.float64)
        reason = "other_sizes" if times == 1 else "large"
        expect_close(found, centre_gradient(*given), reason, atol=1e-10 * times, size=size, count=count)


def unseen_vector(word: str, grams: dict[str, Tensor], dimensions: int) -> Tensor:
    marked = f"<{word}>"
    parts = {marked[start : start + n] for n in (2, 3) for start in range(len(marked) - n + 1)} | {marked}
    total = torch.zeros(dimensions)
    for part in sorted(parts):
        if part in grams:
            total += grams[part]
    return total


def check_unseen_vector(answer: object) -> None:
    names = [
        "<배",
        "배",
        "배편",
        "편>",
        "<배편",
        "배편>",
        "<배편>",
        "편",
        "멀미",
        "<뱃멀미>",
        "멀",
        "<멀",
        "<배>",
        "<뱃멀미",
        "뱃멀미>",
    ]
    grams = {name: torch.randn(5) for name in names}

    def expect(word: str, likely: list[tuple[str, Tensor]]) -> None:
        expected = unseen_vector(word, grams, 5)
        found = expect_tensor(call(answer, word, grams, 5), shape=(5,), dtype=torch.float32).detach()
        for reason, wrong in likely:
            if torch.allclose(found, wrong, atol=1e-5) and not torch.allclose(found, expected, atol=1e-5):
                raise Wrong(reason, word=word, expected=numbers(expected), actual=numbers(found))
        expect_close(found, expected)

    def total(*parts: str) -> Tensor:
        return torch.stack([grams[part] for part in parts]).sum(0)

    edged = ("<배", "배편", "편>", "<배편", "배편>", "<배편>")
    expect(
        "배편",
        [
            ("no_edges", total("배편")),
            ("single_letters", total(*edged, "배", "편")),
            ("single_letters", total("배", "편", "배편")),
            ("no_whole_word", total(*edged[:-1])),
            ("mean", total(*edged) / len(edged)),
            ("only_two", total("<배", "배편", "편>", "<배편>")),
            ("only_two", total("<배", "배편", "편>")),
        ],
    )
    whole = total("멀미", "<뱃멀미>")  # longer than three letters; the pieces of four are known, too
    longer = whole + total("<뱃멀미", "뱃멀미>")
    expect("뱃멀미", [("no_whole_word", total("멀미")), ("four_letters", longer)])
    for size in (7, 2):
        found = call(answer, "뫙", grams, size)
        if not isinstance(found, Tensor) or found.shape != (size,) or bool(found.any()):
            actual = numbers(found) if isinstance(found, Tensor) else type(found).__name__
            raise Wrong("nothing_known", size=size, actual=actual)
    expect("배", [("twice", total("<배", "<배>", "<배>"))])  # the whole word is a piece of three letters too
    letters = "하나"
    for length in (1, 2, 3, 5, 8):  # fresh words of two letters: pieces come back, many are known
        word = "".join(letters[int(pick)] for pick in torch.randint(2, (length,)))
        marked = f"<{word}>"
        pieces = [marked[a:b] for a in range(len(marked)) for b in range(a + 1, len(marked) + 1)]
        known = {piece: torch.randn(3) for piece in dict.fromkeys(pieces) if torch.rand(()) < 0.8}
        found = expect_tensor(call(answer, word, known, 3), shape=(3,), dtype=torch.float32)
        expect_close(found, unseen_vector(word, known, 3), "other_words", word=word)


EXERCISES = [
    Exercise("01.1", level="warm-up", check=check_nearest_row, solution=nearest_row),
    Exercise("01.2", level="core", check=check_centre_gradient, solution=centre_gradient),
    Exercise("01.3", level="stretch", check=check_unseen_vector, solution=unseen_vector),
]
