"""Where a run computes: no machine of the tests has a GPU, so torch's answers about one are given by hand."""

import re
from types import SimpleNamespace

import pytest
import torch
from torch import nn

from course_utils.datasets.batching import Batch
from course_utils.training import checkpoint
from course_utils.training.checkpoint import load_checkpoint, save_checkpoint
from course_utils.training.device import available_device, fast_precision, inputs_on
from course_utils.training.loop import train
from course_utils.training.optim import adamw
from scripts import pretrain, sense_tuning


@pytest.fixture
def two_gpus(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)


@pytest.fixture
def no_gpu(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)


def test_devices_that_are_there(two_gpus, monkeypatch):
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: True)
    assert available_device("cpu") == torch.device("cpu")
    assert available_device("mps") == torch.device("mps")
    assert available_device("cuda") == torch.device("cuda", 0)
    assert available_device("cuda:1") == torch.device("cuda", 1)
    assert available_device("cuda", local_rank=1) == torch.device("cuda", 1)
    assert available_device("cpu", local_rank=1) == torch.device("cpu")


@pytest.mark.parametrize("name", ["", "gpu", "cpu:1", "cuda:", "cuda:x", "cuda:-1", "CUDA", "meta"])
def test_names_that_are_none(two_gpus, name):
    with pytest.raises(ValueError, match=f"cpu, cuda, cuda:N or mps, got {re.escape(repr(name))}$"):
        available_device(name)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("cuda", "device cuda:0 is not there: torch finds 0 CUDA GPUs on this machine"),
        ("cuda:1", "device cuda:1 is not there: torch finds 0 CUDA GPUs on this machine"),
        ("mps", "device mps is not there: torch finds no Apple GPU on this machine"),
    ],
)
def test_devices_that_are_not_there(no_gpu, name, told):
    with pytest.raises(ValueError, match=f"^{told}$"):
        available_device(name)


def test_more_processes_than_gpus_and_one_gpu_for_all(two_gpus):
    with pytest.raises(ValueError, match="cuda:2 is not there: torch finds 2 CUDA GPUs"):
        available_device("cuda", local_rank=2)
    with pytest.raises(ValueError, match="must be cuda under torchrun"):
        available_device("cuda:1", local_rank=0)


def test_the_commands_refuse_it_before_anything_is_written(no_gpu, tmp_path, capsys):
    out = tmp_path / "out"
    commands = (
        (pretrain.main, ["--corpus", "nowhere"]),
        (sense_tuning.main, ["--model", "nowhere", "--corpus", "nowhere"]),
    )
    for command, line in commands:
        assert command([*line, "--out", str(out), "--device", "cuda:1"]) == 2
        told = capsys.readouterr().err
        assert told.endswith(": device cuda:1 is not there: torch finds 0 CUDA GPUs on this machine\n")
        assert told.count("\n") == 1 and not out.exists()


# --- the loop ----------------------------------------------------------------------------------------------------


class Stop(Exception):
    pass


@pytest.mark.parametrize("device", ["cpu", "meta"])
@pytest.mark.parametrize("precision", [torch.float32, torch.bfloat16])
def test_batches_and_autocast_go_where_the_parameters_are(monkeypatch, device, precision):
    """The meta device has no numbers to train with, but a place."""
    asked, autocast = [], torch.autocast
    monkeypatch.setattr(
        torch, "autocast", lambda kind, **options: asked.append((kind, options)) or autocast("cpu", **options)
    )

    class Model(nn.Linear):
        def forward(self, x, nothing):
            assert nothing is None
            raise Stop(x.device.type)

    batch = SimpleNamespace(inputs=lambda: {"x": torch.zeros(2, 3), "nothing": None})
    model = Model(3, 5, device=device)
    with pytest.raises(Stop, match=f"^{device}$"):
        optimizer = torch.optim.SGD(model.parameters())
        train(model, lambda n: batch, optimizer, learning_rate=lambda n: 1.0, steps=1, precision=precision)
    assert asked == ([] if precision == torch.float32 else [(device, {"dtype": torch.bfloat16})])


def test_what_is_there_already_is_not_copied():
    batch = Batch(*torch.arange(60).view(4, 3, 5), None)
    moved = batch.to(torch.device("cpu"))
    assert moved.input_ids is batch.input_ids and moved.next_sentence_label is None
    assert {
        field.device.type for field in batch.to(torch.device("meta")).inputs().values() if field is not None
    } == {"meta"}
    assert inputs_on(torch.device("cpu"), batch.inputs())["labels"] is batch.labels


# --- precision ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("answer", "expected"), [(True, torch.bfloat16), (False, torch.float32)])
def test_fast_precision(monkeypatch, answer, expected):
    monkeypatch.setattr(torch.cpu, "_is_avx512_bf16_supported", lambda: answer, raising=False)
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda including_emulation: not answer)
    assert fast_precision("cpu") is fast_precision() is expected
    assert (fast_precision("cuda:1") is torch.bfloat16) is not answer
    assert fast_precision("mps") is torch.float32


def test_fast_precision_where_torch_cannot_tell(monkeypatch):
    monkeypatch.delattr(torch.cpu, "_is_avx512_bf16_supported", raising=False)
    assert fast_precision() is torch.float32


# --- the random state of a GPU -----------------------------------------------------------------------------------


@pytest.fixture
def gpu_state(monkeypatch):
    """A generator of a GPU that is not there: one byte a device."""
    state = {torch.device("cuda", 1): 7}
    monkeypatch.setattr(
        torch.cuda, "get_rng_state", lambda device: torch.tensor([state[device]], dtype=torch.uint8)
    )
    monkeypatch.setattr(torch.cuda, "set_rng_state", lambda new, device: state.update({device: int(new)}))
    return state


def on(monkeypatch, *device):
    monkeypatch.setattr(checkpoint, "device_of", lambda model: torch.device(*device))


@pytest.mark.parametrize(
    ("before", "after", "found"), [("cuda", "cuda", 7), ("cuda", "cpu", 99), ("cpu", "cuda", 99)]
)
def test_the_state_of_the_gpu_is_kept_unless_the_run_goes_on_elsewhere(
    monkeypatch, tmp_path, gpu_state, before, after, found
):
    model, path = nn.Linear(3, 5), tmp_path / "run.safetensors"
    kinds = {"cpu": ("cpu",), "cuda": ("cuda", 1)}
    on(monkeypatch, *kinds[before])
    save_checkpoint(path, model, adamw(model), step=3, settings={})
    cpu = torch.get_rng_state()
    gpu_state[torch.device("cuda", 1)] = 99
    torch.rand(3)
    on(monkeypatch, *kinds[after])
    assert load_checkpoint(path, model, adamw(model), settings={}) == 3
    assert gpu_state == {torch.device("cuda", 1): found} and torch.equal(torch.get_rng_state(), cpu)
