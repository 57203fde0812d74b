"""dev/stages.py: two lanes, one failure that ends all, nothing left running."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dev.stages import Stages, told

ROOT = Path(__file__).parents[2]


def say(words: str, then: str = "") -> list[str]:
    return [sys.executable, "-c", f"print({words!r}, flush=True)\n{then}"]


def wait_for(file: Path) -> str:
    """A program that goes on when the file is there."""
    return f"import pathlib, time\nwhile not pathlib.Path({str(file)!r}).exists(): time.sleep(0.02)"


def stages(plan: dict, folder: Path) -> Stages:
    return Stages(plan, folder=folder, environment=os.environ)


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and is not yet waited for does not."""
    status = Path(f"/proc/{pid}/stat")
    try:
        return status.read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):  # the second: it ended between opening and reading
        return False


def ends(pid: int, *, within: float = 60) -> bool:
    """Whether a process that has been sent its signal ends; the kernel delivers it when it comes to it."""
    latest = time.monotonic() + within
    while is_alive(pid) and time.monotonic() < latest:
        time.sleep(0.02)
    return not is_alive(pid)


def test_stages_run_in_order_and_stop_at_the_first_failure(tmp_path: Path, capfd: pytest.CaptureFixture[str]):
    plan = {
        "cheap": [say("ran cheap")],
        "broken": [say("broke", "raise SystemExit(3)"), say("ran on")],
        "dear": [say("ran dear")],
    }
    done = stages(plan, tmp_path)
    assert not done.run(["cheap", "broken", "dear"])
    said = capfd.readouterr().out
    assert "=== cheap\nran cheap\n\n=== broken\nbroke\n" in said
    assert "ran on" not in said and "ran dear" not in said
    assert done.failed == "broken" and list(done.seconds) == ["cheap", "broken"]
    assert stages(plan, tmp_path).run(["cheap"])


def test_lanes_run_side_by_side_and_the_second_is_told_behind_the_first(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
):
    first, second = tmp_path / "first", tmp_path / "second"
    # Each waits for the other: one after the other they would never end.
    plan = {
        "front": [say("one", f"open({str(first)!r}, 'w'); pass\n{wait_for(second)}"), say("two")],
        "beside": [say("three", f"{wait_for(first)}\nopen({str(second)!r}, 'w'); print('four')")],
    }
    done = stages(plan, tmp_path)
    assert done.run(["front"], beside=["beside"])
    assert capfd.readouterr().out == "\n=== front\none\ntwo\n\n=== beside\nthree\nfour\n"
    assert set(done.seconds) == {"front", "beside"}


def test_when_the_first_lane_has_ended_the_second_is_told_as_it_goes(tmp_path: Path):
    seen = tmp_path / "seen"
    slow = "import os, signal\nsignal.alarm(60)\n"  # in vain: then it fails
    slow += (
        f"os.write(1, {'한 글'.encode()[:-1]!r})\n{wait_for(seen)}\nos.write(1, {'한 글 자'.encode()[6:]!r})"
    )
    plan = {"front": [], "beside": [[sys.executable, "-c", slow]], "last": [say("end")]}
    program = f"""
import os
from pathlib import Path
from dev.stages import Stages
Stages({plan!r}, folder=Path.cwd(), environment=os.environ).run(["front"], beside=["beside", "last"])"""
    with subprocess.Popen([sys.executable, "-c", program], cwd=ROOT, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        said = b""
        while not said.endswith(
            "한 ".encode()
        ):  # the command has not ended, and its last character is half there
            said += (more := process.stdout.read1())
            assert more
        seen.touch()
        said += process.stdout.read()
    assert said.decode() == "\n=== front\n\n=== beside\n한 글 자\n=== last\nend\n"


@pytest.mark.parametrize("broken", ["front", "beside"])
def test_a_failure_in_one_lane_ends_the_other_and_all_that_it_started(
    tmp_path: Path, broken: str, capfd: pytest.CaptureFixture[str]
):
    child = tmp_path / "child"
    start = f"""
import os, subprocess
process = subprocess.Popen(["sleep", "600"])
with open({str(child)!r} + ".new", "w") as file:
    file.write(str(process.pid))
os.rename({str(child)!r} + ".new", {str(child)!r})
process.wait()"""
    plan = {
        "front": [say("sleeps", start)],
        "beside": [say("breaks", f"{wait_for(child)}\nraise SystemExit(1)")],
    }
    if broken == "front":
        plan = {"front": plan["beside"], "beside": plan["front"]}
    done = stages(plan, tmp_path)
    begun = time.monotonic()
    assert not done.run(["front"], beside=["beside"])
    assert time.monotonic() - begun < 300
    assert done.failed == broken and list(done.seconds) == [broken]
    said = capfd.readouterr().out
    assert "breaks" in said and "sleeps" in said
    assert ends(int(child.read_text()))


@pytest.mark.parametrize("name", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_leaves_nothing_behind(tmp_path: Path, name: signal.Signals):
    child = tmp_path / "child"
    program = f"""
import os, signal, sys
from pathlib import Path
from dev.stages import Stages, interrupted_by_every_signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell ignores it for what runs behind it
interrupted_by_every_signal()
sleep = [sys.executable, "-c", "import os, time; open({str(child)!r}, 'w').write(str(os.getpid())); time.sleep(600)"]
try:
    Stages({{"front": [["sleep", "600"]], "beside": [sleep]}}, folder=Path.cwd(), environment=os.environ).run(
        ["front"], beside=["beside"])
except KeyboardInterrupt:
    raise SystemExit(130)
"""
    run = subprocess.Popen([sys.executable, "-c", program], cwd=ROOT, stdout=subprocess.DEVNULL)
    while not (child.exists() and child.read_text()):
        time.sleep(0.02)
    run.send_signal(name)
    assert run.wait(120) == 130
    assert ends(int(child.read_text()))


def test_the_whole_is_told_beside_the_parts():
    assert told({"lint": 2.6, "browser": 100.2}, 101) == "=== lint 3 s · browser 100 s · in all 101 s"
