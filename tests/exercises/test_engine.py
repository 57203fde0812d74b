"""How the engine finds a reason, on planted exercises; they borrow the texts of 02.1."""

import gc
import linecache

import numpy as np
import pytest
import torch
from torch import nn

from course_utils.attention import scaled_dot_product_attention
from course_utils.exercises import exercise
from course_utils.exercises.core import Exercise, Several
from course_utils.exercises.forbidden import count_steps, no_loop
from course_utils.exercises.values import Departure, Rule, Shown, briefly, departure, shown
from course_utils.progress import ProgressStore
from course_utils.support import lessons


def planted(reference, **data):
    return Exercise("02.1", level="core", reference=reference, **data)


def reason(exercise, answer):
    return exercise.judge(answer).reason


def vectors(*sizes):
    return lambda: [(torch.randn(size, dtype=torch.float64),) for size in sizes]


DOUBLE = planted(
    lambda x: 2 * x,
    cases={"by_hand": lambda: (torch.tensor([1.0, -3.0]),), "large_scores far": vectors(30, 7)},
    mistakes={
        "no_scale": lambda x: x,
        "sqrt_of_tokens": Several([lambda x: len(x) * x.abs(), lambda x: x**3]),
        "softmax_too": lambda x: 2 * x.clamp(-1, 1) if len(x) > 2 else 2 * x,
    },
)


def test_a_mistake_that_does_the_same_is_named():
    assert reason(DOUBLE, lambda x: x.clone()) == "no_scale"
    assert reason(DOUBLE, lambda x: x * x * x) == "sqrt_of_tokens"
    assert reason(DOUBLE, lambda x: x.clamp(-1, 1) * 2 if len(x) > 2 else x * 2) == "softmax_too"


def test_a_mistake_that_was_wrong_before_is_not_named_later():
    # not "no_scale": its text works the first case
    assert reason(DOUBLE, lambda x: x if len(x) > 2 else 2 * x) == "large_scores"


def test_what_no_mistake_does_is_told_by_case_and_kind():
    assert reason(DOUBLE, lambda x: 5 * x) == "value"
    assert reason(DOUBLE, lambda x: 2 * x[:2]) == "shape"
    assert reason(DOUBLE, lambda x: (2 * x).float()) == "dtype"
    assert reason(DOUBLE, lambda x: 2 * x if len(x) == 2 else None) == "no_return_here"
    assert reason(DOUBLE, lambda x: 2 * x if len(x) == 2 else 1 / 0) == "raised"
    assert reason(DOUBLE, lambda x: x * torch.nan) == "value"
    assert reason(DOUBLE, lambda x: [2.0]) == "type"
    assert reason(DOUBLE, torch.tensor([2.0])) == "not_callable"
    assert reason(DOUBLE, lambda x: x.mul_(2)) == reason(DOUBLE, reshaping) == "mutates_input"
    assert reason(DOUBLE, lambda x: exit()) == "raised"
    assert (
        reason(DOUBLE, lambda x: x.bool()[:, None] @ x.bool()[None]) == "raised"
    )  # NotImplementedError: torch's
    assert DOUBLE.judge(crash).message.endswith("RuntimeError: 첫 줄")


def reshaping(x):
    doubled = 2 * x
    x.unsqueeze_(0)
    return doubled


def crash(x):
    raise RuntimeError("첫 줄\n둘째 줄")


def test_the_smallest_counter_example_is_told():
    exercise = planted(lambda query: 2 * query, cases={"other_sizes": vectors(30, 3, 7)})
    verdict = exercise.judge(lambda query: query)
    assert verdict.reason == "other_sizes"
    assert "(3,)" not in verdict.message  # {key} is missing: no facts, no text
    exercise = planted(
        lambda query, key: 2 * query,
        cases={"other_sizes": lambda: [(torch.ones(9), torch.ones(5)), (torch.ones(3), torch.ones(2))]},
    )
    assert "(3,)" in exercise.judge(lambda query, key: query).message


def test_of_several_mistakes_the_one_that_does_the_same_most_often():
    exercise = planted(
        lambda x: 2 * x,
        cases={"by_hand": lambda: (torch.tensor([2.0]),), "other_sizes": vectors(5, 7)},
        mistakes={"no_scale": lambda x: x + 1, "divides_by_d": lambda x: 3 * x.abs() / 2},
    )
    assert reason(exercise, lambda x: 1.5 * x.abs()) == "divides_by_d"


def test_signs_come_after_mistakes():
    exercise = planted(
        lambda x: x.softmax(-1),
        cases={"by_hand": lambda: (torch.tensor([1.0, 2.0]),)},
        mistakes={"no_scale": lambda x: x},
        signs={
            "transposed": lambda found: float(found.yours.sum()) != 1,
            "divides_by_d": lambda found: 1 / 0,
        },
    )
    assert reason(exercise, lambda x: x) == "no_scale" and reason(exercise, lambda x: 3 * x) == "transposed"
    assert reason(exercise, lambda x: x.softmax(-1).flip(0)) == "value"


def test_an_error_may_be_the_right_answer():
    assert STRICT.judge(STRICT.reference).status == "passed"
    assert reason(STRICT, lambda a, b: list(zip(a, b))) == "no_error"
    assert reason(STRICT, lambda a, b: [(a[n], b[n]) for n in range(len(a))]) == "other_error"


def test_gradients_are_compared_in_float64():
    steep = planted(lambda x: (30 * x).softmax(-1), cases={"by_hand": lambda: (torch.randn(3, 11),)})

    def by_hand(x):
        powers = (30 * x - (30 * x).amax(-1, keepdim=True)).exp()
        return powers / powers.sum(-1, keepdim=True)

    assert steep.judge(by_hand).status == "passed"
    assert reason(steep, lambda x: (30 * x).softmax(-1).detach()) == "no_gradient"
    assert reason(steep, lambda x: torch.from_numpy((30 * x).numpy()).softmax(-1)) == "no_gradient"
    assert reason(steep, lambda x: (60 * x - 30 * x.detach()).softmax(-1)) == "gradient"


def test_a_constant_is_right_where_the_gradient_is_zero():
    exercise = planted(lambda x: 0 * x, cases={"by_hand": lambda: (torch.ones(3),)})
    assert exercise.judge(lambda x: torch.zeros(3)).status == "passed"


def test_values_classes_and_generators():
    assert planted(7).judge(np.int64(7)).status == planted(7).judge(torch.tensor(7.0)).status == "passed"
    assert reason(planted(7, mistakes={"no_scale": 6}), 6) == "no_scale" and reason(planted(7), "7") == "type"
    assert planted(7).judge(...).status == "unsolved"
    module = planted(
        nn.Softmax,
        cases={"by_hand": lambda: (-1, torch.randn(2, 3))},
        run=lambda cls, axis, x: cls(axis)(x),
        mistakes={"no_scale": nn.LogSoftmax},
    )
    assert module.judge(nn.Softmax).status == "passed" and reason(module, nn.LogSoftmax) == "no_scale"
    squares = planted(
        lambda n: (k * k for k in range(n)),
        cases={"by_hand": lambda: (5,)},
        run=lambda make, n: list(make(n)),
    )
    assert squares.judge(lambda n: [0, 1, 4, 9, 16]).status == "passed"
    assert reason(squares, lambda n: range(n)) == "value"


def test_all_functions_draw_the_same_numbers():
    noisy = planted(lambda x: x + torch.randn(len(x)), cases={"by_hand": lambda: (torch.zeros(3),)})
    assert noisy.judge(lambda x: torch.randn(3) + x).status == "passed"


def test_printing_or_changing_is_not_returning(capsys):
    exercise = planted(lambda x: 2 * x, cases={"by_hand": lambda: (torch.ones(2),)})
    assert reason(exercise, lambda x: print(2 * x)) == "no_return" and "2." in capsys.readouterr().out
    assert reason(exercise, lambda x: [x.mul_(2), None][1]) == "no_return"
    assert exercise.judge(lambda x: None).status == "unsolved"


def forgotten(x):
    """With a docstring, as a careful learner writes."""
    doubled = 2 * x  # noqa: F841


def untouched(x):
    """With a docstring."""
    ...


def with_a_hole(x):
    doubled = ...
    return doubled


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (forgotten, "no_return"),
        (lambda x: (forgotten(x), None), "no_return"),
        (lambda x: [2 * x].reverse(), "no_return"),
        (untouched, None),
        (with_a_hole, None),
        (lambda x: (None, ...), None),
    ],
)
def test_a_forgotten_return_is_told_and_counted_and_a_stub_is_not(answer, told, capsys):
    exercise = planted(lambda x: 2 * x, cases={"by_hand": lambda: (torch.ones(2),)})
    assert exercise.judge(answer).reason == told
    exercise.check(answer)
    assert ("return을 잊지 않았습니까?" in capsys.readouterr().out) == bool(told)
    assert (exercise.id in ProgressStore().load()[0]) == bool(told)


def test_a_property_is_looked_at_once_the_values_are_right():
    exercise = planted(
        lambda x: x.sum(),
        cases={"by_hand": lambda: (torch.ones(2),)},
        properties={"transposed": no_loop(lambda: (torch.ones(3),), lambda: (torch.ones(9),))},
    )
    assert reason(exercise, lambda x: sum(value for value in x)) == "transposed"
    assert reason(exercise, lambda x: sum(map(torch.exp, x))) == "value"


EYE = torch.eye(3)


@pytest.mark.parametrize(
    ("forbids", "answer"),
    [
        (["softmax"], lambda x: x.softmax(-1)),
        (["softmax"], lambda x: nn.functional.softmax(x, -1)),
        (["softmax"], lambda x: torch.softmax(x, -1)),
        (["softmax"], nn.Softmax(-1)),
        (["torch.nn.modules"], nn.Softmax(-1)),
        (["course_utils.attention"], lambda x: scaled_dot_product_attention(x, 3**0.5 * EYE, EYE)[1]),
    ],
)
def test_what_is_forbidden_is_seen_under_any_name(forbids, answer):
    def own(x):
        return x.exp() / x.exp().sum(-1, keepdim=True)

    exercise = planted(own, cases={"by_hand": lambda: (torch.ones(2, 3),)}, forbids=forbids, gradients=False)
    assert exercise.judge(own).status == "passed"
    assert reason(exercise, answer) == "ready_made"


F = "def f(x):\n    "
BRANCH = F + "if len(x) {}:\n        return 2 * x"
DEEPER = "def g(x):\n    return x + mask\n\n" + F + "return g(x)"
DETACHED = F + "return 2 * x, {}"
ZIP = "def f(a, b):\n    return [*zip(a, b)] if len(a) == len(b) else ValueError()"
SOFTMAX = "x.exp() / x.exp().sum(-1, keepdim=True)"
CLIP = f"{F}torch.nn.utils.clip_grad_norm_([x], 1)\n    return {SOFTMAX}"
HELPER = f"def softmax(x):\n    return {SOFTMAX}\n\nf = softmax"
OWN_MODULE = f"class Own(torch.nn.Module):\n    def forward(self, x):\n        return {SOFTMAX}\n\nf = Own()"
PAIR = planted(lambda x: (2 * x, x**2), cases={"by_hand": lambda: (torch.tensor([1.0, -3.0]),)})
STRICT = planted(
    lambda a, b: list(zip(a, b, strict=True)),
    cases={"by_hand": lambda: ([1], [2]), "unequal": lambda: ([1], [])},
)
OWN_SOFTMAX = planted(
    lambda x: x.exp() / x.exp().sum(-1, keepdim=True),
    cases={"by_hand": lambda: (torch.ones(2, 3),)},
    forbids=("softmax", "torch.nn.modules", "torch.nn.utils.clip_grad"),
    mistakes={"transposed": lambda x: x @ x},
    gradients=False,
)


@pytest.mark.parametrize(
    ("exercise", "code", "reason", "told"),
    [
        (DOUBLE, BRANCH.format("> 2"), "no_return_here", "x = [1, -3]일 때"),
        (DOUBLE, BRANCH.format("< 9"), "no_return_here", "x = (30,)일 때"),
        (DOUBLE, BRANCH.format("> 2") + "\n    print(x)", "no_return_here", "x = [1, -3]"),
        (STRICT, ZIP, "returned_error", "raise"),
        (DOUBLE, F + "y = 2 * x\n    return y + mask", "raised", "defined (3번째 줄: return y + mask)"),
        (DOUBLE, DEEPER, "raised", "defined (2번째 줄: return x + mask)"),
        (PAIR, DETACHED.format("x.detach()**2"), "no_gradient", "튜플의 2번째 값에서 기울기가"),
        (PAIR, DETACHED.format("x * x.detach()"), "gradient", "튜플의 2번째 값에서 x로"),
        (PAIR, F + "return 2 * x.detach(), x.detach() ** 2", "no_gradient", "결과에서 기울기가"),
        (OWN_SOFTMAX, F + "return x @ x", "transposed", ""),
        (OWN_SOFTMAX, F + "return x + mask", "raised", "NameError"),
        (OWN_SOFTMAX, F + "return x @ x[:1]", "raised", "(2x3 and 1x3)"),
        (OWN_SOFTMAX, HELPER, None, ""),
        (OWN_SOFTMAX, OWN_MODULE, None, ""),
        (OWN_SOFTMAX, "f = torch.nn.Softmax(-1)", "ready_made", "(Softmax)"),
        (OWN_SOFTMAX, CLIP, "ready_made", "(clip_grad_norm_)"),
    ],
)
def test_what_a_notebooks_answer_is_told(exercise, code, reason, told, capsys):
    """Its lines are found as a kernel finds them."""
    linecache.cache["<cell>"] = len(code), None, code.splitlines(keepends=True), "<cell>"
    exec(compile(code, "<cell>", "exec"), notebook := {"__name__": "__main__", "torch": torch})
    verdict = exercise.judge(notebook["f"])
    assert verdict.reason == reason and told in verdict.message, verdict
    assert capsys.readouterr().out.count("\n") == code.count("print")  # what is tried again is not heard


RULE = Rule()
LOOSE = Rule(strict=False)


@pytest.mark.parametrize(
    ("result", "right", "rule"),
    [
        (torch.tensor(0.5), 0.5, RULE),
        (np.float32(0.1), 0.1, RULE),
        (torch.tensor([0.5]), 0.5, RULE),
        (True, 1, RULE),
        (np.array([1, 2]), [1, 2], RULE),
        ((1, 2), [1, 2], RULE),
        ([1, 2], (1, 2), RULE),
        (torch.tensor([1, 2]), (1, 2), RULE),
        ({"a": np.int64(3)}, {"a": 3}, RULE),
        ([[1, "b"]], [(1, "b")], RULE),
        (float("nan"), float("nan"), RULE),
        (np.ones(3, dtype=np.float32), torch.ones(3, dtype=torch.float64), LOOSE),
        (0.25, torch.tensor(0.25), LOOSE),
        ([torch.ones(2), torch.zeros(1)], (torch.ones(2), torch.zeros(1)), RULE),
    ],
)
def test_equal_by_value(result, right, rule):
    assert departure(result, right, rule) is None


@pytest.mark.parametrize(
    ("result", "right", "found"),
    [
        ([1, 3], [1, 2], Departure("value", "2", "3", (1,))),
        ([1], [1, 2], Departure("length", 2, 1)),
        ({"a": 1}, {"a": 1, "b": 2}, Departure("value", "2", "–", "b")),
        ({"a": 1, "c": 0}, {"a": 1}, Departure("value", "–", "0", "c")),
        ("글", 1.0, Departure("type", "float", "str")),
        (True, 1.0, Departure("type", "float", "bool")),
        (4_000_001, 4_000_000, Departure("value", "4000000", "4000001")),
        (0.10001, 0.1, None),
        (torch.tensor([1.0, torch.nan]), torch.tensor([1.0, 2.0]), Departure("value", "2", "nan", (1,))),
        ((torch.ones(2), torch.ones(3)), torch.zeros(2, 2).unbind(), Departure("shape", (2,), (3,), part=1)),
    ],
)
def test_where_and_how_results_depart(result, right, found):
    assert departure(result, right, Rule(atol=2e-5)) == found


OWN = """
def answer(states, mask):
    print(states.shape)
    rows = [row[: int(real.sum())] for row, real in zip(states, mask)]
    return torch.stack([torch.cat([row[-1], row.amax(0), row.mean(0)]) for row in rows])
"""


def test_an_answer_in_a_notebook_may_print():
    """There functions belong to __main__; their tensors and prints pass through the engine's own."""
    exec(OWN, notebook := {"__name__": "__main__", "torch": torch})
    assert exercise("18.3").judge(notebook["answer"]).status == "passed"


def test_what_texts_may_name():
    table = Shown((torch.tensor([[1.0, 0.25]]), torch.tensor([3, 4])))
    written = "{x[0][0,1]} {x[0][0]} {x[0].shape} {x[1]} {y[a]:.1f}"
    assert written.format(x=table, y=Shown({"a": 2.0})) == "0.25 [1, 0.25] (1, 2) [3, 4] 2.0"
    assert briefly("배" * 61) == "배" * 59 + "…" and briefly(torch.ones(61)) == "(61,)"
    assert shown(torch.tensor([True, False])) == "[1, 0]" and shown([0.5, 1 / 3]) == "[0.5, 0.3333]"


def test_a_lesson_that_cannot_be_read_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(lessons, "LESSONS", tmp_path)
    (tmp_path / "98_broken").mkdir()
    (tmp_path / "98_broken" / "exercises.py").write_text("EXERCISES = [\n")
    with pytest.raises(ImportError, match=r"98_broken/exercises\.py: SyntaxError"):
        lessons.lesson_module("98")
    with pytest.raises(ImportError, match="FileNotFoundError"):
        lessons.lesson_module("97")


def test_a_sign_whose_facts_do_not_fit_the_result_is_not_told():
    def context_alone(query, key, value):
        return torch.nn.functional.scaled_dot_product_attention(query, key, value)

    assert exercise("02.2").judge(context_alone).reason == "tuple"


def test_a_number_has_no_place_and_an_entry_of_a_vector_a_plain_one():
    first = "위치 0에서 기대한"
    for reference, said in ((lambda x: x.sum(), "값이 다릅니다. 기대한"), (lambda x: 2 * x, first)):
        exercise = planted(reference, cases={"by_hand": lambda: (torch.ones(2),)})
        wrong = exercise.judge(lambda x, reference=reference: reference(x) + 1)
        assert (wrong.reason, said in wrong.message) == ("value", True), wrong.message
        halved = exercise.judge(lambda x, reference=reference: (reference(x) + reference(x).detach()) / 2)
        assert (halved.reason, first in halved.message) == ("gradient", True), halved.message


def test_what_is_thrown_away_meanwhile_takes_no_steps():
    class Left:
        def __del__(self):
            for _ in range(99):
                pass

    def answer(x):
        for _ in range(50):
            left = Left()
            left.itself = left  # only the collector throws it away
        return x

    before = gc.get_threshold()
    gc.set_threshold(1)
    try:
        assert count_steps(answer, 1)[1] < 2000 and gc.isenabled()
        gc.disable()
        assert count_steps(answer, 1) and not gc.isenabled()
    finally:
        gc.enable()
        gc.set_threshold(*before)
