"""Run commands in stages, two lanes side by side: what waits in one leaves its core to the other.

The first lane speaks as it goes. The second lane's words are kept until the first has ended; from then on it speaks as
it goes, too. The first command that fails ends both lanes. Whatever a command started ends with it, also on Ctrl-C.
"""

from __future__ import annotations

import codecs
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

Command = Sequence[str]
PATIENCE = 10  # seconds for a command to end by itself
SOON = 0.5  # seconds between two looks at what the second lane says


class _Retold:
    """Prints what commands write into a file, as they go."""

    def __init__(self, file: int) -> None:
        self.file, self.place = file, 0
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")  # a character may be half written

    def go_on(self) -> None:
        """Print what is new."""
        # Read without moving the place at which the commands write: they share it.
        while fresh := os.pread(self.file, 2**16, self.place):
            self.place += len(fresh)
            print(self.decoder.decode(fresh), end="", flush=True)


class Stages:
    """Named lists of commands, run in `folder` with `environment`; `seconds` and `failed` tell how it went."""

    def __init__(
        self, plan: Mapping[str, Sequence[Command]], *, folder: Path, environment: Mapping[str, str]
    ) -> None:
        self.plan, self.folder, self.environment = plan, folder, environment
        self.seconds: dict[str, float] = {}
        self.failed: str | None = None
        self._lock = threading.Lock()  # of the next two, and of `failed`
        self._running: set[subprocess.Popen] = set()
        self._ended = False

    def run(self, names: Sequence[str], *, beside: Sequence[str] = ()) -> bool:
        """Run the stages `names` one after the other, and `beside` likewise at the same time; did all pass?"""
        with tempfile.TemporaryFile("w+b", buffering=0) as words:
            retold = _Retold(words.fileno())
            second = threading.Thread(target=self._lane, args=(beside, words))
            second.start()
            try:
                self._lane(names)
                while second.is_alive():
                    second.join(SOON)
                    retold.go_on()
            finally:  # on Ctrl-C, too
                self._end()
                second.join()
                retold.go_on()
        return self.failed is None

    def _lane(self, names: Sequence[str], words: IO[bytes] | None = None) -> None:
        for name in names:
            title = f"\n=== {name}\n"
            if words is None:
                print(title, end="", flush=True)
            else:
                words.write(title.encode())
            start = time.monotonic()
            passed = all(self._succeeds(command, words) for command in self.plan[name])
            with self._lock:
                if self._ended:  # cut short, not failed
                    return
                self.seconds[name] = time.monotonic() - start
                if not passed:
                    self.failed = name
            if not passed:
                self._end()
                return

    def _succeeds(self, command: Command, words: IO[bytes] | None) -> bool:
        with self._lock:
            if self._ended:
                return False
            # A group of its own can be ended with all that it started. The terminal's Ctrl-C does not reach it.
            process = subprocess.Popen(
                command,
                cwd=self.folder,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=words,
                stderr=words and subprocess.STDOUT,
                process_group=0,
            )
            self._running.add(process)
        status = process.wait()
        with self._lock:
            self._running.discard(process)
        return status == 0

    def _end(self) -> None:
        """End whatever still runs: first asked, then made to."""
        with self._lock:
            self._ended, running = True, list(self._running)
        for how in (signal.SIGTERM, signal.SIGKILL):
            for process in running:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, how)
            for process in running:
                with suppress(subprocess.TimeoutExpired):
                    process.wait(PATIENCE)


def interrupted_by_every_signal() -> None:
    """Closing the terminal or cancelling the run ends the commands as Ctrl-C does."""
    for name in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(name, signal.default_int_handler)


def told(seconds: Mapping[str, float], whole: float) -> str:
    """One line: the seconds of each stage, and of the whole, which is less where stages ran side by side."""
    each = " · ".join(f"{name} {spent:.0f} s" for name, spent in seconds.items())
    return f"=== {each} · in all {whole:.0f} s"


def python(*arguments: str) -> list[str]:
    return [sys.executable, *arguments]
