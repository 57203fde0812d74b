"""What a door is given: fitting arguments, one or two of them spoilt by another value of the same kind."""

from __future__ import annotations

import math
import numbers
import random
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis import strategies as st

NUMBERS = [0, 1, -1, 2, 3, True, 0.5, -0.0, 1e-320, 1e308, math.nan, math.inf, -math.inf, 2**31, 10**30]
TEXTS = [
    "",
    " \t\n\u3000",
    "배",
    "배를 타고 배를 먹었다.",
    "\u1107\u1162\u1105\u1173\u11af \u1110\u1161\u11ba\u1103\u1161",  # 배를 탔다, decomposed (NFD)
    "\ud800 배 \udc00",  # halves of a surrogate pair, as a browser may send them
    "\x00\x07\x1b[31m\r\n배\u200b\u202e\ufeff",
    "가" * 3001,
    "배 " * 701,
    "[MASK] [CLS] ##배 $x^2$ {배} %s <b>",
    "👩‍👩‍👧 ﬁ ① İ ẞ",
]
# Without an explanation of what varies, and without a database: the same calls each time, wherever it runs.
QUICK = settings(
    max_examples=12,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.generate],
    report_multiple_bugs=False,
)


def for_long(call: Any) -> Any:
    """Weekly, with a seed that is told: `@seed` with it draws the same again."""
    number = random.SystemRandom().randrange(2**32)
    print(f"seed {number}")
    return seed(number)(settings(QUICK, max_examples=300, derandomize=False)(call))


LONG = pytest.param(for_long, marks=[pytest.mark.slow, pytest.mark.rare], id="long")
in_each_profile = pytest.mark.parametrize("profile", [pytest.param(QUICK, id="quick"), LONG])

texts = st.sampled_from(TEXTS) | st.text(max_size=9)


@st.composite
def arguments(draw: st.DrawFn, good: dict[str, Any]) -> dict[str, Any]:
    """The good ones, of which up to two are spoilt."""
    given = deepcopy(good)
    for name in draw(st.lists(st.sampled_from(list(good)), max_size=2, unique=True)):
        given[name] = draw(spoilt(given[name]))
    return given


def spoilt(value: Any) -> st.SearchStrategy[Any]:
    """Another value of the same kind, seldom a fitting one."""
    if isinstance(value, bool):
        return st.booleans()
    if isinstance(value, str):
        return texts
    if isinstance(value, numbers.Number):
        return st.sampled_from(NUMBERS)
    if isinstance(value, dict):
        keys, inside = list(value), list(value.values())
        return st.dictionaries(st.sampled_from(keys) | texts, one_of(inside), max_size=4)
    if isinstance(value, list | tuple):
        return st.lists(one_of(list(value)), max_size=4).map(type(value))
    return st.just(value)


def one_of(values: list[Any]) -> st.SearchStrategy[Any]:
    """One of these values, or the first of them spoilt."""
    return st.sampled_from(values) | spoilt(values[0])
