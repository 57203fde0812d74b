"""Several processes: the group that torchrun's processes share, and how they leave it."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
import torch
import torch.distributed as dist

from scripts.pretraining.processes import local_rank, process_group, rank_and_world

ROOT = Path(__file__).parents[2]
ALONE = {"RANK": "0", "LOCAL_RANK": "0", "WORLD_SIZE": "1", "MASTER_ADDR": "127.0.0.1"}
# One process that trains as one of several does, and says which threads are there afterwards.
LEAVING = """
import os
from pathlib import Path
import torch
from torch.nn.parallel import DistributedDataParallel
from scripts.pretraining.processes import process_group

def threads():
    return sorted(path.read_text().strip() for path in Path("/proc/self/task").glob("*/comm"))

with process_group(torch.device("cpu")):
    model = DistributedDataParallel(torch.nn.Linear(2, 3))
    model(torch.ones(5, 2)).sum().backward()
    del model
    assert any("gloo" in name for name in threads()), threads()
print([name for name in threads() if "gloo" in name or "store" in name])
"""


def test_without_torchrun_there_is_no_group(monkeypatch):
    monkeypatch.delenv("WORLD_SIZE", raising=False)
    assert local_rank() is None and rank_and_world() == (0, 1)
    with process_group(torch.device("cpu")):
        assert not dist.is_initialized()


def test_the_backend_and_the_gpu_of_a_process(monkeypatch):
    done = []
    for name, value in ALONE.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(torch.cuda, "set_device", lambda device: done.append(device))
    monkeypatch.setattr(dist, "init_process_group", lambda backend: done.append(backend))
    monkeypatch.setattr(dist, "destroy_process_group", lambda: done.append("left"))
    with pytest.raises(KeyboardInterrupt), process_group(torch.device("cuda", 1)):
        raise KeyboardInterrupt
    assert done == [torch.device("cuda", 1), "cpu:gloo,cuda:nccl", "left"]
    done.clear()
    with process_group(torch.device("cpu")):
        pass
    assert done == ["gloo", "left"]


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="threads are counted in /proc")
@pytest.mark.rare
def test_no_thread_of_the_group_is_left():
    """One that is still there when Python ends may abort the process ("terminate called …")."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    found = subprocess.run(
        [sys.executable, "-c", LEAVING],
        cwd=ROOT,
        env=os.environ | ALONE | {"MASTER_PORT": port, "GLOO_SOCKET_IFNAME": "lo", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert found.returncode == 0, found.stderr
    assert found.stdout == "[]\n"
