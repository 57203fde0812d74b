"""Exercises of notebook 00: dot product and cosine similarity."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from course_utils.exercises.core import Exercise, Wrong, call, expect_close, expect_tensor, number, told_apart
from course_utils.exercises.forbidden import count_steps


def dot_product(a: list[float], b: list[float]) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True))


def check_dot_product(answer: object) -> None:
    result = call(answer, [1.0, 2.0, 3.0], [4.0, 5.0, 6.0])
    if isinstance(result, list | tuple) or (isinstance(result, Tensor) and result.dim()):
        raise Wrong("no_sum", expected=32)
    if not isinstance(result, int | float | Tensor):
        raise Wrong("type", expected="float", actual=type(result).__name__)
    if math.isclose(result, (1 + 2 + 3) * (4 + 5 + 6)):
        raise Wrong("product_of_sums", actual=number(result))
    if math.isclose(result, 32 / math.sqrt(14 * 77), rel_tol=1e-5):
        raise Wrong("cosine", actual=number(result))
    if not math.isclose(result, 32, rel_tol=1e-6):
        expected, actual = told_apart(32, result)
        raise Wrong("value", index=(), expected=expected, actual=actual)
    a, b = (torch.randint(-9, 10, (5,)).tolist() for _ in range(2))
    product = dot_product(a, b)
    fresh = call(answer, a, b)
    if not math.isclose(fresh, product, abs_tol=1e-6):
        raise Wrong("other_numbers", a=a, b=b, expected=product, actual=number(fresh))
    for length in (0, 1, 8, 30):
        a, b = (torch.randn(length).tolist() for _ in range(2))
        fresh, product = _without_torch(answer, a, b), dot_product(a, b)
        if not math.isclose(fresh, product, abs_tol=1e-6):
            expected, actual = told_apart(product, fresh)
            raise Wrong("other_lengths", length=length, expected=expected, actual=actual)
    for one, other in [([1.0, 2.0], [1.0, 2.0, 3.0]), ([1.0, 2.0, 3.0], [1.0, 2.0]), ([], [1.0])]:
        try:
            truncated = answer(one, other)
        except ValueError:
            continue
        except Exception as error:
            raise Wrong("other_error", error=type(error).__name__) from error
        raise Wrong("silent_lengths", first=len(one), second=len(other), actual=truncated)


class _Tensors(TorchFunctionMode):
    """Notes whether torch computed; to put a number into a tensor is not to compute."""

    computed = False

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.computed |= func not in (torch.tensor, torch.as_tensor)
        return func(*args, **(kwargs or {}))


def _without_torch(answer: Any, a: list[float], b: list[float]) -> Any:
    """What the answer returns.

    Raises:
        Wrong: "torch".
    """

    def watched(*given: Any) -> Any:
        with _Tensors() as tensors:
            result = answer(*given)
        if tensors.computed:
            raise Wrong("torch")
        return result

    try:
        return call(watched, a, b)
    except Wrong as wrong:
        if isinstance(wrong.__cause__, Wrong):
            raise wrong.__cause__ from None
        raise


def safe_cosine(a: Tensor, b: Tensor) -> Tensor:
    length = a.norm() * b.norm()
    return torch.where(length > 0, a @ b / length.clamp(min=torch.finfo(a.dtype).tiny), 0.0)


def check_safe_cosine(answer: object) -> None:
    a, b = torch.tensor([3.0, 4.0]), torch.tensor([4.0, 3.0])
    result = _as_number(call(answer, a, b))
    likely = [(24.0, "no_length"), (4.8, "one_length"), (0.0384, "squared_lengths"), (24 / 49, "sum_lengths")]
    for value, reason in likely:
        if math.isclose(result, value, rel_tol=1e-4):
            raise Wrong(reason, expected="0.96", actual=number(result))
    if not math.isclose(result, 0.96, rel_tol=1e-4):
        raise Wrong("value", index=(), expected="0.96", actual=number(result))
    opposite = _as_number(call(answer, a, -a))
    if not math.isclose(opposite, -1.0, rel_tol=1e-4):
        raise Wrong("opposite", actual=number(opposite))
    zeros = torch.zeros(2)
    for reason, one, other in [
        ("zero_vector", a, zeros),
        ("zero_first", zeros, b),
        ("zero_vector", zeros, zeros),
    ]:
        zero = _as_number(call(answer, one, other))
        if zero != 0.0:
            raise Wrong(reason, actual=number(zero))
    short = _as_number(call(answer, 1e-3 * a, 1e-3 * b))
    if not math.isclose(short, 0.96, rel_tol=1e-3):
        raise Wrong("short_vectors", expected="0.96", actual=number(short))
    across = _as_number(call(answer, torch.tensor([1.0, -1.0]), torch.tensor([1.0, 0.0])))
    if not math.isclose(across, math.sqrt(0.5), rel_tol=1e-3):
        raise Wrong("sums_to_zero", expected="0.7071", actual=number(across))
    one, other = torch.randn(7), torch.randn(7)
    expected, actual = safe_cosine(one, other).item(), _as_number(call(answer, one, other))
    if not math.isclose(actual, expected, abs_tol=1e-4):
        raise Wrong("value", index=(), expected=number(expected), actual=number(actual))
    for size, times in ((1, 1.0), (2, 1e4), (50, 1.0), (768, 0.01)):
        one, other = (times * torch.randn(size, dtype=torch.float64) for _ in range(2))
        expected, actual = safe_cosine(one, other).item(), _as_number(call(answer, one, other))
        if not math.isclose(actual, expected, abs_tol=1e-4):
            raise Wrong("other_sizes", size=size, expected=number(expected), actual=number(actual))


def similarity_table(vectors: Tensor) -> Tensor:
    unit = torch.nn.functional.normalize(vectors, dim=-1)  # (T, C), each row of length 1
    return unit @ unit.T  # (T, T)


def check_similarity_table(answer: object) -> None:
    vectors = torch.tensor([[3.0, 4.0, 0.0], [0.0, 2.0, 0.0]])
    table = expect_tensor(call(answer, vectors))
    if table.shape == (3, 3):
        raise Wrong("columns", expected=(2, 2), actual=(3, 3))
    expect_tensor(table, shape=(2, 2), dtype=vectors.dtype)
    if torch.allclose(table, vectors @ vectors.T):
        raise Wrong("no_length", expected="1", actual=number(table[0, 0]))
    lengths = vectors.norm(dim=-1, keepdim=True)
    if torch.allclose(table, vectors @ vectors.T / (lengths @ lengths.T) ** 2):
        raise Wrong("squared_lengths", expected="1", actual=number(table[0, 0]))
    unit = vectors / lengths
    if any(torch.allclose(table, wrong) for wrong in (unit @ vectors.T, vectors @ unit.T)):
        raise Wrong("one_side", expected="1", actual=number(table[0, 0]))
    unit_columns = vectors / vectors.norm(dim=0).clamp(min=1e-12)
    if torch.allclose(table, unit_columns @ unit_columns.T, atol=1e-4):
        raise Wrong("wrong_axis", expected="1", actual=number(table[0, 0]))
    expect_close(table, similarity_table(vectors))
    vectors = torch.randn(7, 5)
    expect_close(expect_tensor(call(answer, vectors), shape=(7, 7)), similarity_table(vectors))
    for count, size, times in ((1, 3, 1.0), (4, 1, 1.0), (3, 3, 0.01), (9, 20, 1e4)):
        vectors = times * torch.randn(count, size, dtype=torch.float64)
        table = expect_tensor(call(answer, vectors), dtype=vectors.dtype)
        facts = {"count": count, "size": size}
        if table.shape != (count, count):
            raise Wrong("other_shape", expected=(count, count), actual=tuple(table.shape), **facts)
        expect_close(table, similarity_table(vectors), "other_sizes", atol=1e-4, **facts)
    steps = []
    for count in (3, 12):
        vectors = torch.randn(count, 5)
        table, taken = count_steps(answer, vectors)
        expect_close(expect_tensor(table), similarity_table(vectors))
        steps.append(taken)
    if steps[1] > steps[0]:
        raise Wrong("loop", few=steps[0], many=steps[1])


def _as_number(result: object) -> float:
    if isinstance(result, Tensor) and result.numel() == 1:
        result = result.item()
    if not isinstance(result, int | float):
        raise Wrong("type", expected="float", actual=type(result).__name__)
    return float(result)


EXERCISES = [
    Exercise("00.1", level="warm-up", check=check_dot_product, solution=dot_product),
    Exercise("00.2", level="core", check=check_safe_cosine, solution=safe_cosine),
    Exercise("00.3", level="stretch", check=check_similarity_table, solution=similarity_table),
]
