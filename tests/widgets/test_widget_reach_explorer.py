"""ReachExplorer without a browser: sizes and shares, halves, what is exactly 0, the schedule, and what it refuses."""

import numpy as np

from course_utils.widgets import ReachExplorer

KINDS = {"left": "왼쪽만", "both": "양쪽"}


def sizes(words, kind, layers):
    """First half: 3 to itself and `layers` to each one before; second half 4 to itself, for "both" 1 to those after."""
    ones = np.ones((len(words), len(words)))
    first = 3 * np.eye(len(words)) + layers * np.tril(ones, -1)
    second = 4 * np.eye(len(words)) + (kind == "both") * np.triu(ones, 1)
    return np.stack([first, second])


def rates(*, updates, cut, ratio, epochs, gradual, layered):
    """The top layer has the number of the update; the lower one half of it, from the middle on where it is gradual."""
    top = np.arange(1, updates + 1, dtype=float)
    low = top / (2 if layered else 1)
    low[: updates // 2 if gradual else 0] = 0
    return np.stack([low, top])


def make(sentence="a b c", **start):
    given = {"kinds": KINDS, "reach": sizes, "rates": rates, "layer_names": ["low", "top"]} | start
    return ReachExplorer(sentence, **given)


def shown(cells):
    return [cell["shown"] for cell in cells]


def test_sizes_by_hand():
    explorer = make(word=1)
    assert explorer.picture["words"] == ["a", "b", "c"] and explorer.picture["word"] == 1
    # whole: 5 to itself (3, 4), 1 to those before; the largest is 5
    assert [shown(row) for row in explorer.picture["whole"]] == [
        ["1.00", "0", "0"],
        ["0.20", "1.00", "0"],
        ["0.20", "0.20", "1.00"],
    ]
    assert [shown(row) for row in explorer.picture["parts"]] == [["0.20", "0.60", "0"], ["0", "0.80", "0"]]
    explorer.kind, explorer.layers = "both", 2
    assert [shown(row) for row in explorer.picture["parts"]] == [["0.40", "0.60", "0"], ["0", "0.80", "0.20"]]


def test_small_is_not_none():
    tiny = make(reach=lambda words, kind, layers: np.array([[[1.0, 1e-9], [0.0, 1.0]]]), sentence="a b")
    assert [shown(row) for row in tiny.picture["whole"]] == [["1.00", "0.00"], ["0", "1.00"]]
    assert "2개 가운데 2개" in tiny.summary and "꼭 0" not in tiny.summary and "절반" not in tiny.summary


def test_summary():
    explorer = make(word=1)
    assert explorer.summary == (
        "왼쪽만, 층 1개: 'b'의 벡터에 닿는 단어는 3개 가운데 2개입니다. 기울기가 꼭 0인 단어: 'c'. "
        "벡터의 앞 절반에는 2개, 뒤 절반에는 1개가 닿습니다."
    )
    explorer.kind = "both"
    assert explorer.summary == (
        "양쪽, 층 1개: 'b'의 벡터에 닿는 단어는 3개 가운데 3개입니다. "
        "벡터의 앞 절반에는 2개, 뒤 절반에는 2개가 닿습니다."
    )
    explorer.view = "rates"
    assert explorer.summary == (
        "갱신 100번 가운데 1번째: 층 2개 가운데 1개가 배웁니다(top). 가장 높은 학습률은 100번째의 1.00e+02입니다."
    )


def test_schedule_by_hand():
    explorer = make(updates=10, update=4)
    assert explorer.picture["rates"][1] == [n / 10 for n in range(1, 11)]
    assert explorer.picture["rates"][0] == [0] * 5 + [0.3, 0.35, 0.4, 0.45, 0.5]
    assert explorer.picture["now"] == [
        {"name": "low", "share": 0.0, "shown": "0", "frozen": True},
        {"name": "top", "share": 0.4, "shown": "4.00e+00", "frozen": False},
    ]
    explorer.gradual = False
    assert explorer.picture["now"][0]["share"] == 0.2
    explorer.layered = False
    assert explorer.picture["now"][0]["share"] == 0.4
    explorer.update = 400
    assert explorer.picture["update"] == 10 and explorer.update == 400


def test_what_the_schedule_is_asked_for():
    asked = []
    explorer = make(rates=lambda **given: asked.append(given) or rates(**given))
    explorer.cut, explorer.ratio, explorer.epochs, explorer.updates = 25, 16, 3, 40
    assert asked[-1] == {
        "updates": 40, "cut": 0.25, "ratio": 16, "epochs": 3, "gradual": True, "layered": True
    }  # fmt: skip
