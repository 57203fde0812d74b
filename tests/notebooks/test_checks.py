"""check_same and check_same_module: say it in one robust line, or say what differs; never pass on nothing."""

import math

import numpy as np
import pytest
import torch
from torch import nn

from course_utils.checks import check_same, check_same_module

NAN, INF = math.nan, math.inf


@pytest.fixture(autouse=True)
def korean(monkeypatch):
    monkeypatch.delenv("COURSE_LANG", raising=False)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(17)
        yield


# ---- values --------------------------------------------------------------------------------------------------------


def test_the_line_holds_on_any_machine(capsys):
    exact = torch.randn(2, 3, 5)
    check_same(exact + 1e-8, exact)
    check_same(exact.clone(), exact)
    lines = capsys.readouterr().out.splitlines()
    assert lines == ["✓ 같습니다: 모양 (2, 3, 5), torch.float32, 차이 1e-06 이하"] * 2


@pytest.mark.parametrize(
    ("actual", "expected"),
    [
        (torch.tensor([1.0, NAN, INF, -INF]), torch.tensor([1.0, NAN, INF, -INF])),
        (np.array([1.5, 2.5], dtype=np.float32), torch.tensor([1.5, 2.5])),
        (torch.tensor([[1.5, 2.0]]), [[1.5, 2]]),
        ([1, 2], torch.tensor([1, 2])),
        (torch.tensor(2.5), 2.5),
        (4433468, 4433468),
        (0.1 + 0.2, 0.3),
        (NAN, NAN),
        (["배", "##를"], ("배", "##를")),
        (torch.tensor([True, False]), torch.tensor([True, False])),
        (torch.tensor([1 + 2j]), torch.tensor([1 + 2j])),
        ((torch.ones(2), None), (torch.ones(2), None)),
        (torch.ones(2, requires_grad=True) * 1, torch.ones(2)),
        (torch.ones(3, dtype=torch.bfloat16), torch.ones(3, dtype=torch.bfloat16)),
        ((2, 3, 5), torch.zeros(2, 3, 5).shape),
    ],
)
def test_same(actual, expected, capsys):
    check_same(actual, expected)
    assert capsys.readouterr().out.startswith("✓ 같습니다: ")


@pytest.mark.parametrize(
    ("actual", "expected", "says"),
    [
        (torch.zeros(2, 3), torch.zeros(3, 2), r"모양.*\(3, 2\).*\(2, 3\)"),
        (torch.zeros(3), torch.zeros(1, 3), "모양"),
        (torch.zeros(3), torch.zeros(3).double(), "자료형.*float64.*float32"),
        (torch.tensor([0, 1]), torch.tensor([False, True]), "자료형"),
        (torch.tensor([1, 2]), [1.0, 2.5], "자료형"),
        (torch.tensor([1.0, 2.0, 3.0]), torch.tensor([1.0, 2.1, 5.0]), r"2곳.*\(2,\): 기대 5, 실제 3"),
        (torch.tensor([1.0, 1.0]), torch.tensor([1.0, NAN]), r"\(1,\): 기대 nan, 실제 1"),
        (torch.tensor([NAN, 1.0]), torch.tensor([1.0, NAN]), "2곳"),
        (torch.tensor([INF]), torch.tensor([-INF]), "기대 -inf, 실제 inf"),
        (torch.tensor([[5, 7]]), torch.tensor([[5, 8]]), r"\(0, 1\): 기대 8, 실제 7"),
        (torch.tensor([2**62 + 1]), torch.tensor([2**62]), "1곳"),
        (torch.tensor([True, False]), torch.tensor([True, True]), r"\(1,\): 기대 1, 실제 0"),
        (torch.ones(2) + 2e-6, torch.ones(2), "1e-06보다"),
        (3, 4, "기대 4, 실제 3"),
        (1, True, "종류"),
        (NAN, 1.0, "기대 1.0"),
        ("배", "밤", "'밤'.*'배'"),
        (torch.ones(2), None, "종류"),
        ((torch.ones(2), None), (torch.ones(2), torch.ones(2)), "2번째"),
        ((torch.ones(2), torch.ones(2)), (torch.ones(2), torch.zeros(2)), "2번째 값.*모|2번째 값.*값이"),
        ((torch.ones(2),), torch.ones(2), "종류"),
        ((torch.ones(2),), (torch.ones(2), torch.ones(2)), "개수.*2개.*1개"),
    ],
)
def test_different(actual, expected, says, capsys):
    with pytest.raises(AssertionError, match=says):
        check_same(actual, expected)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    "nothing",
    [
        None,
        (),
        [],
        (None, None),
        ((), None),
        torch.zeros(0),
        torch.zeros(3, 0),
        np.zeros(0),
        (torch.ones(2), torch.ones(0)),
    ],
    ids=repr,
)
def test_nothing_to_compare(nothing, capsys):
    with pytest.raises(ValueError, match="비교할 값이 없습니다"):
        check_same(nothing, nothing)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("atol", [-1e-6, INF, NAN, "1e-6", None])
def test_no_tolerance(atol):
    with pytest.raises(ValueError, match="atol"):
        check_same(torch.ones(2), torch.zeros(2), atol=atol)


@pytest.mark.parametrize("strange", [object(), {1: 2}, print, np.array(["배"])])
def test_unknown_kinds(strange):
    with pytest.raises(TypeError, match="비교할 수 없는"):
        check_same(strange, strange)


def test_tolerance_is_a_difference_of_values():
    check_same(torch.tensor([1.0]), torch.tensor([1.5]), atol=0.5)
    with pytest.raises(AssertionError):
        check_same(torch.tensor([1.0]), torch.tensor([1.5]), atol=0.49)
    check_same(torch.tensor([1.0]), torch.tensor([1.0]), atol=0)
    with pytest.raises(AssertionError):
        check_same(torch.tensor([1.0]), torch.tensor([1.0]).nextafter(torch.tensor(2.0)), atol=0)


def test_values_are_left_alone():
    actual, expected = torch.ones(2, requires_grad=True), np.ones(2, dtype=np.float32)
    expected.flags.writeable = False
    check_same(actual, expected)
    assert actual.requires_grad and actual.grad is None


def test_english(monkeypatch, capsys):
    monkeypatch.setenv("COURSE_LANG", "en")
    check_same(torch.ones(2), torch.ones(2))
    assert capsys.readouterr().out == "✓ same: shape (2,), torch.float32, within 1e-06\n"


# ---- modules -------------------------------------------------------------------------------------------------------


class Reference(nn.Module):
    """Two outputs (the second may be None), dropout, a parameter of its own, a buffer."""

    def __init__(self, size=5, width=7):
        super().__init__()
        self.dense = nn.Linear(size, width)
        self.gain = nn.Parameter(torch.randn(width))
        self.register_buffer("table", torch.linspace(0, 1, width))
        self.drop = nn.Dropout(0.5)

    def forward(self, x, mask=None):
        hidden = self.drop(self.dense(x) * self.gain + self.table)
        return (hidden if mask is None else hidden.masked_fill(~mask, 0.0)), None


class Renamed(nn.Module):
    def __init__(self, size=5, width=7):
        super().__init__()
        self.W = nn.Linear(size, width)
        self.g = nn.Parameter(torch.zeros(width))
        self.register_buffer("table", torch.linspace(0, 1, width))

    def forward(self, x, mask=None):
        hidden = self.W(x) * self.g + self.table
        return (hidden if mask is None else torch.where(mask, hidden, 0.0)), None


RENAME = {"W": "dense", "g": "gain"}


def test_modules(capsys):
    check_same_module(Renamed(), Reference(), torch.randn(2, 3, 5), rename=RENAME)
    assert capsys.readouterr().out == (
        "✓ 모듈이 같습니다: 출력 (2, 3, 7), 파라미터 텐서 3개(수 49개), 출력 차이 1e-06 이하, 기울기도 일치\n"
    )
    check_same_module(
        Renamed(),
        Reference(),
        torch.randn(3, 5),
        mask=torch.rand(3, 7) > 0.5,
        rename={"W.weight": "dense.weight", **RENAME},
    )


def test_modules_are_left_as_they_were():
    mine, reference = Renamed(), Reference()
    reference.drop.eval()
    mine.W.eval()
    reference.gain.grad = torch.full((7,), 3.0)
    x = torch.randn(2, 5, requires_grad=True)
    state = torch.get_rng_state()
    check_same_module(mine, reference, x, rename=RENAME)
    assert torch.equal(state, torch.get_rng_state())
    assert mine.training and not mine.W.training and reference.training and not reference.drop.training
    assert x.grad is None and all(parameter.grad is None for parameter in mine.parameters())
    assert reference.gain.grad.tolist() == [3.0] * 7 and reference.dense.weight.grad is None
    assert torch.equal(mine.g, reference.gain) and mine.g is not reference.gain


class Scaled(Renamed):
    def forward(self, x):
        return super().forward(x)[0] * 1.001, None


class NoNone(Renamed):
    def forward(self, x):
        return super().forward(x)[0]


class Detached(Renamed):
    def forward(self, x):
        return super().forward(x)[0].detach(), None


class BiasDetached(Renamed):
    def forward(self, x):
        return (nn.functional.linear(x, self.W.weight, self.W.bias.detach()) * self.g + self.table), None


class InputDetached(Renamed):
    def forward(self, x):
        return super().forward(x.detach())


class InPlace(Renamed):
    def forward(self, x):
        result = super().forward(x.clone())
        x.zero_()
        return result


class OtherTable(Renamed):
    def __init__(self):
        super().__init__()
        self.table += 0.1


class Drops(Renamed):
    def forward(self, x):
        return nn.functional.dropout(super().forward(x)[0], 0.5), None  # also in eval mode


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (Scaled, "출력 1.*값이"),
        (NoNone, "출력.*종류"),
        (Detached, "기울기가 흐르지 않습니다"),
        (BiasDetached, "파라미터 W.bias의 기울기"),
        (InputDetached, "1 입력의 기울기"),
        (InPlace, "1 입력을 제자리에서"),
        (OtherTable, "출력 1"),
        (Drops, "출력 1"),
    ],
)
def test_module_faults_are_noticed(wrong, says):
    with pytest.raises(AssertionError, match=says):
        check_same_module(wrong(), Reference(), torch.randn(2, 5), rename=RENAME)


def test_parameter_names_and_shapes_are_named():
    with pytest.raises(
        AssertionError, match=r"없는 파라미터: gain, dense.weight, dense.bias\n.*없는 파라미터: g, W.weight"
    ):
        check_same_module(Renamed(), Reference(), torch.randn(2, 5))
    with pytest.raises(AssertionError, match=r"W.weight의 모양.*\(7, 5\).*\(7, 3\)"):
        check_same_module(Renamed(size=3), Reference(), torch.randn(2, 5), rename=RENAME)
    with pytest.raises(
        AssertionError, match="없는 파라미터: dense.bias"
    ):  # two of mine are one of the reference's
        check_same_module(Renamed(), Reference(), torch.randn(2, 5), rename={"W.bias": "gain", **RENAME})


def test_modules_never_pass_on_nothing():
    reference = Reference()
    with pytest.raises(ValueError, match="두 번"):
        check_same_module(reference, reference, torch.randn(2, 5))
    for inputs in ((), (None,), (3,), (torch.zeros(0, 5),)):
        with pytest.raises(ValueError, match="입력 텐서"):
            check_same_module(Reference(), Reference(), *inputs)

    class Nothing(nn.Module):
        def forward(self, x):
            return None, None

    with pytest.raises(ValueError, match="비교할 값이 없습니다"):
        check_same_module(Nothing(), Nothing(), torch.randn(2, 5))


def test_modules_without_gradients(capsys):
    class Compare(nn.Module):
        def forward(self, ids):
            return ids != 0

    check_same_module(Compare(), Compare(), torch.tensor([[3, 0]]))
    assert "파라미터 텐서 0개(수 0개), 모든 값이 일치" in capsys.readouterr().out


def test_against_torch():
    reference = nn.TransformerEncoderLayer(8, 2, 13, batch_first=True)
    check_same_module(nn.TransformerEncoderLayer(8, 2, 13, batch_first=True), reference, torch.randn(3, 5, 8))
    other = nn.TransformerEncoderLayer(8, 2, 13, batch_first=True, norm_first=True)
    with pytest.raises(AssertionError, match="출력"):
        check_same_module(other, reference, torch.randn(3, 5, 8))
