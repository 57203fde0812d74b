"""Good arguments of which one or two are spoilt: by another value of the same kind, or by a value of any kind."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from hypothesis import strategies as st
from torch import Tensor

HUGE = 10**30  # beyond int64, and beyond what a machine can hold
NUMBERS = [
    0,
    1,
    -1,
    2,
    3,
    True,
    0.5,
    -0.0,
    1e-320,
    1e308,
    math.nan,
    math.inf,
    -math.inf,
    2**31,
    2**63,
    HUGE,
    10**5000,
]
TEXTS = [
    "",
    " \t\n\u3000",
    "배",
    "배를 타고 배를 먹었다.",
    "\u1107\u1162\u1105\u1173\u11af \u1110\u1161\u11ba\u1103\u1161",  # 배를 탔다, decomposed (NFD)
    "\ud800 배 \udc00",  # halves of a surrogate pair
    "\x00\x07\x1b[31m\r\n배\u200b\u202e\ufeff",
    "가" * 3001,
    "배 " * 701,
    "[MASK] [CLS] ##배 $x^2$ {배} %s <b>",
    "👩‍👩‍👧 ﬁ ① İ ẞ",
]
DTYPES = [
    torch.float16,
    torch.bfloat16,
    torch.float32,
    torch.float64,
    torch.int32,
    torch.int64,
    torch.bool,
    torch.complex64,
]
STRANGERS = [
    None,
    "배",
    b"\xff",
    3,
    2.5,
    math.nan,
    True,
    1j,
    [],
    [1, 2],
    ["배", None],
    {},
    {"배": 1},
    {3},
    (),
    object(),
]

texts = st.sampled_from(TEXTS) | st.text(max_size=9)
lists_of_texts = st.lists(texts, max_size=4)


@st.composite
def arguments(draw: st.DrawFn, make: Callable[[], dict[str, Any]], *, strangers: bool) -> dict[str, Any]:
    """The good ones, of which up to two are spoilt; with `strangers` by values of another kind."""
    good = make()
    names = [name for name in good if not isinstance(good[name], Kept)]
    given = {name: value.value if isinstance(value, Kept) else value for name, value in good.items()}
    for name in draw(st.lists(st.sampled_from(names), max_size=2, unique=True)) if names else ():
        given[name] = draw(st.sampled_from(STRANGERS) if strangers else spoilt(given[name]))
    return given


class Kept:
    """An argument that is never spoilt, such as the Axes to draw on."""

    def __init__(self, value: Any) -> None:
        self.value = value


def spoilt(value: Any) -> st.SearchStrategy[Any]:
    """Another value of the same kind, seldom a fitting one."""
    if isinstance(value, bool | type(None)):
        return st.just(value)
    if isinstance(value, Tensor):
        return spoilt_tensors(value)
    if isinstance(value, np.ndarray):
        return spoilt_tensors(torch.from_numpy(value)).map(as_array)
    if isinstance(value, str):
        return texts
    if isinstance(value, numbers.Number):
        return st.sampled_from(NUMBERS)
    if isinstance(value, dict):
        keys, inside = list(value), list(value.values())
        return st.dictionaries(st.sampled_from(keys) | texts, one_of(inside), max_size=4)
    if isinstance(value, list | tuple):
        kind = type(value) if type(value) in (list, tuple) else list
        return st.lists(one_of(value), max_size=4).map(kind)
    return st.just(value)


def one_of(values: list[Any]) -> st.SearchStrategy[Any]:
    """One of these values, or one of them spoilt."""
    first = values[0] if values else "배"
    return (st.sampled_from(values) | spoilt(first)) if values else spoilt(first)


@st.composite
def spoilt_tensors(draw: st.DrawFn, good: Tensor) -> Tensor:
    """Of another dtype, another shape, with other numbers in it; it may be empty, strided, or need a gradient."""
    how = draw(
        st.sampled_from(["dtype", "axis", "shape", "empty", "numbers", "gradient", "strided", "negative"])
    )
    wide = good.detach().clone()
    if how == "dtype":
        return wide.to(draw(st.sampled_from(DTYPES)))
    if how == "axis":
        return wide[None] if draw(st.booleans()) or not wide.dim() or not wide.shape[0] else wide[0]
    if how == "shape":
        shape = draw(st.lists(st.integers(1, 5), max_size=4))
        return torch.ones(shape, dtype=good.dtype)
    if how == "empty":
        return wide[..., :0] if wide.dim() and draw(st.booleans()) else wide.new_zeros(0, *wide.shape[1:])
    if how == "numbers":
        if wide.is_floating_point() and wide.numel():
            wide.view(-1)[:: draw(st.integers(1, 2))] = draw(
                st.sampled_from([math.nan, math.inf, -math.inf, 1e38, 0.0])
            )
        return wide
    if how == "gradient":
        return wide.requires_grad_() if wide.is_floating_point() else wide
    if how == "strided":
        return wide.transpose(0, -1) if wide.dim() else wide.expand(3)
    return -wide - 1 if wide.dtype != torch.bool else ~wide


def as_array(tensor: Tensor) -> np.ndarray:
    """As NumPy has it, which knows no bfloat16."""
    wide = tensor.detach()
    return (wide.float() if wide.dtype == torch.bfloat16 else wide).numpy()


def generator() -> torch.Generator:
    return torch.Generator().manual_seed(3)
