import errno
import json
from contextlib import contextmanager
from types import SimpleNamespace

import pytest
import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file
from torch import nn

from course_utils.training.checkpoint import CheckpointError, load_checkpoint, save_checkpoint
from course_utils.training.loop import train
from course_utils.training.optim import adamw

SETTINGS = {"steps": 9, "rate": 0.1 + 0.2, "corpus": "배", "words": True}


class Noisy(nn.Module):
    """A regression with dropout, so that the random state counts."""

    def __init__(self, width=11, bias=True):
        super().__init__()
        torch.manual_seed(7)
        self.network = nn.Sequential(
            nn.Linear(3, width), nn.LayerNorm(width), nn.Dropout(0.3), nn.Linear(width, 1, bias=bias)
        )
        self.unused = nn.Linear(2, 2)  # has no moments

    def forward(self, x):
        return SimpleNamespace(loss=((self.network(x) - x.sum(1, keepdim=True)) ** 2).mean())


class Points:
    def __init__(self, number):
        self.number = number

    def inputs(self):
        return {"x": torch.randn(5, 3, generator=torch.Generator().manual_seed(self.number))}


def go(model, optimizer, start, steps):
    train(model, Points, optimizer, learning_rate=lambda n: 0.01 / (1 + n), steps=steps, start=start)


def trained(path, steps=4):
    model = Noisy()
    optimizer = adamw(model)
    go(model, optimizer, 0, steps)
    save_checkpoint(path, model, optimizer, step=steps, settings=SETTINGS)
    return model, optimizer


def everything(model, optimizer):
    """All state there is, as one dictionary of copies."""
    state = {f"model.{name}": tensor.clone() for name, tensor in model.state_dict().items()}
    for number, values in optimizer.state_dict()["state"].items():
        state |= {f"optimizer.{number}.{name}": value.clone() for name, value in values.items()}
    return state | {"random": torch.get_rng_state()}


def equal(a, b):
    return a.keys() == b.keys() and all(torch.equal(a[name], b[name]) for name in a)


def refused(path, match, *, model=None, optimizer=None, settings=SETTINGS):
    """The error says so in one line, and nothing is changed."""
    model = model or Noisy()
    optimizer = optimizer or adamw(model)
    go(model, optimizer, 0, 1)
    before = everything(model, optimizer)
    with pytest.raises(CheckpointError, match=match) as error:
        load_checkpoint(path, model, optimizer, settings=settings)
    assert "\n" not in str(error.value) and str(path) in str(error.value)
    assert equal(everything(model, optimizer), before)


def test_all_state_comes_back(tmp_path):
    path = tmp_path / "runs" / "c.safetensors"
    saved = everything(*trained(path))
    assert any(name.endswith("exp_avg_sq") for name in saved)
    model = Noisy()
    optimizer = adamw(model)
    torch.manual_seed(99)
    assert load_checkpoint(path, model, optimizer, settings=SETTINGS) == 4
    assert equal(everything(model, optimizer), saved)
    assert [file.name for file in path.parent.iterdir()] == ["c.safetensors"]


def test_a_run_goes_on_as_if_never_stopped(tmp_path):
    path = tmp_path / "c.safetensors"
    model, optimizer = trained(path)
    go(model, optimizer, 4, 9)
    expected = everything(model, optimizer)
    resumed = Noisy()
    optimizer = adamw(resumed, learning_rate=55.0)  # set anew at each update
    torch.manual_seed(99)
    go(resumed, optimizer, load_checkpoint(path, resumed, optimizer, settings=SETTINGS), 9)
    assert equal(everything(resumed, optimizer), expected)


def test_what_was_loaded_does_not_hang_on_the_file(tmp_path):
    path = tmp_path / "c.safetensors"
    trained(path)
    model = Noisy()
    optimizer = adamw(model)
    load_checkpoint(path, model, optimizer, settings=SETTINGS)
    before = everything(model, optimizer)
    path.write_bytes(b"\0" * path.stat().st_size)
    assert equal(everything(model, optimizer), before)


def test_no_file(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"there is no checkpoint .*none\.safetensors"):
        load_checkpoint(tmp_path / "none.safetensors", Noisy(), adamw(Noisy()), settings={})


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({**SETTINGS, "steps": 8}, r"\(steps was 9 and is 8\)"),
        ({**SETTINGS, "rate": 0.3}, r"\(rate was 0\.30000000000000004 and is 0\.3\)"),
        ({**SETTINGS, "new": 1}, r"\(new was None and is 1\)"),
        ({"steps": 9}, r"corpus was '배' and is None; rate .*; words was True and is None"),
    ],
)
def test_other_settings_are_refused(tmp_path, changed, told):
    trained(tmp_path / "c.safetensors")
    refused(tmp_path / "c.safetensors", f"other settings .*{told}", settings=changed)


def test_another_model_is_refused(tmp_path):
    path = tmp_path / "c.safetensors"
    trained(path)
    refused(path, "of another model", model=Noisy(width=13))
    refused(path, "of another model", model=Noisy(width=11, bias=False))
    model = Noisy()
    groups = [{"params": list(model.parameters())}]  # another order, another number for each parameter
    refused(path, "of another model", model=model, optimizer=torch.optim.AdamW(groups))


def test_a_file_cut_anywhere_is_refused(tmp_path):
    path = tmp_path / "c.safetensors"
    trained(path)
    whole = path.read_bytes()
    for length in {0, 1, 7, 8, 9, 100, len(whole) // 2, len(whole) - 1}:
        path.write_bytes(whole[:length])
        refused(path, "is damaged .*: delete it to start anew")


def test_a_single_wrong_bit_is_refused(tmp_path):
    path = tmp_path / "c.safetensors"
    trained(path)
    whole = bytearray(path.read_bytes())
    for place in (-1, -6000, 9):  # in the last tensor, in another one, in the header
        damaged = bytearray(whole)
        damaged[place] ^= 4
        path.write_bytes(damaged)
        refused(path, "is damaged")


@pytest.mark.parametrize(
    "metadata",
    [None, {"format": "pt"}, {"step": "4", "settings": json.dumps(SETTINGS)}, {"step": "x", "settings": "{"}],
)
def test_foreign_safetensors_are_refused(tmp_path, metadata):
    path = tmp_path / "model.safetensors"
    save_file({"weight": torch.ones(3)}, path, metadata=metadata)
    refused(path, "is no checkpoint of a training run")


def altered(path, **metadata):
    """The same tensors with other metadata, as an editor would leave them."""
    with safe_open(path, framework="pt") as file:
        before = file.metadata()
    save_file(load_file(path), path, metadata=before | metadata)


@pytest.mark.parametrize("changed", [{"step": "3"}, {"step": "-7"}, {"settings": json.dumps(SETTINGS) + " "}])
def test_a_step_or_settings_that_somebody_changed_are_refused(tmp_path, changed):
    trained(tmp_path / "c.safetensors")
    altered(tmp_path / "c.safetensors", **changed)
    refused(tmp_path / "c.safetensors", "is damaged")


# --- writing ---------------------------------------------------------------------------------------------------


@contextmanager
def no_file_beyond_1000_bytes():
    """The system itself stops a write in the middle, and needs no root for it.

    No fixture: pytest writes down, maybe into a file, that a test has passed before it ends the fixtures.
    """
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_file_that_may_not_grow_leaves_the_last_checkpoint(tmp_path):
    path, other = tmp_path / "c.safetensors", Noisy()
    saved = everything(*trained(path))
    with torch.no_grad():
        next(other.parameters()).fill_(1000.0)
    with no_file_beyond_1000_bytes(), pytest.raises(OSError) as error:
        save_checkpoint(path, other, adamw(other), step=5, settings=SETTINGS)
    assert error.value.errno == errno.EFBIG
    model = Noisy()
    optimizer = adamw(model)
    assert load_checkpoint(path, model, optimizer, settings=SETTINGS) == 4
    assert equal(everything(model, optimizer), saved)
    assert [file.name for file in tmp_path.iterdir()] == [path.name]  # no half-written file
