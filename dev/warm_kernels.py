"""A plugin for pytest: the kernels that nbval starts are forked from a process that has imported what takes long.

    python -m pytest --nbval … -p dev.warm_kernels notebooks/ko/*.ipynb

To import torch, matplotlib and transformers anew for each notebook takes 3 to 8 s of a core. Here one process does it
once for all of pytest's workers, from other people's packages alone, and computes nothing; each kernel is a copy of it
(fork), in which no notebook has run and no module of the course has been imported. The process that nbval starts and
ends is a stand-in: it hands over arguments, folder, environment and streams, passes signals on and ends as the kernel
does; where it is killed, so is the kernel. The browser's tests have their kernels from here, too (harness.py).

Only where processes can be forked: elsewhere nbval starts its kernels as ever.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import select
import signal
import socket
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parent.parent
# What most notebooks import; transformers has its models in parts of their own, and torch loads its compiler with the
# first optimiser.
IMPORTED = (
    "ipykernel.kernelapp",
    "matplotlib.pyplot",
    "matplotlib_inline.backend_inline",
    "torch._dynamo",
    "transformers.models.bert.modeling_bert",
)
COMMAND = "COURSE_WARM_KERNELS"  # of the environment: how a kernel is started, as JSON
STREAMS = (0, 1, 2)
LOOKS = 0.1  # seconds between two looks at which kernels have ended
LARGEST = 2**20  # bytes of arguments, folder and environment


# ---- in pytest ------------------------------------------------------------------------------------------------------


def pytest_configure(config: object) -> None:
    """Let nbval start stand-ins; pytest-xdist's workers have their command from the process that started them."""
    if not hasattr(os, "fork"):
        return
    from nbval.kernel import NbvalKernelspecManager

    ending = ExitStack()
    config.add_cleanup(ending.close)  # type: ignore[attr-defined]
    if COMMAND in os.environ:
        command = json.loads(os.environ[COMMAND])
    else:
        command = ending.enter_context(warm_kernels())
        os.environ[COMMAND] = json.dumps(command)
        ending.callback(os.environ.pop, COMMAND)
    known = NbvalKernelspecManager.get_kernel_spec

    def get_kernel_spec(self: NbvalKernelspecManager, kernel_name: str) -> object:
        spec = known(self, kernel_name)
        spec.argv = command
        return spec

    NbvalKernelspecManager.get_kernel_spec = get_kernel_spec
    ending.callback(setattr, NbvalKernelspecManager, "get_kernel_spec", known)


@contextmanager
def warm_kernels(
    environment: Mapping[str, str] = os.environ, *, imported: Sequence[str] = IMPORTED
) -> Iterator[list[str]]:
    """The command of a kernel, as a kernel's specification has it, for as long as the context lasts.

    Args:
        environment: that of the process which kernels are forked from; a kernel then has its own.
        imported: modules, imported once.
    """
    import subprocess  # none of this is for a stand-in, which is to be there at once
    import tempfile

    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as listening:
        address = os.path.join(folder, "kernels")
        listening.bind(address)
        listening.listen()  # who calls while the imports go on waits
        number = listening.fileno()
        # As ipykernel has it in a kernel before anything of matplotlib is imported.
        own = {**environment, "MPLBACKEND": "module://matplotlib_inline.backend_inline"}
        serving = [sys.executable, __file__, "serve", str(number), *imported]
        # It ends when its stdin does, whatever becomes of this process.
        with subprocess.Popen(serving, cwd=ROOT, env=own, stdin=subprocess.PIPE, pass_fds=[number]):
            # Isolated and without site: a stand-in needs the standard library alone.
            call = [sys.executable, "-I", "-S", __file__, "stand-in", address]
            yield [*call, "ipykernel_launcher", "-f", "{connection_file}"]


# ---- the process that kernels are forked from -----------------------------------------------------------------------


def serve(listening: socket.socket, imported: Sequence[str]) -> None:
    """Import, then fork a kernel for each stand-in that calls, until stdin ends."""
    for name in imported:
        importlib.import_module(name)
    gc.freeze()  # no kernel looks through all of this for what it may give back
    kernels: dict[int, socket.socket] = {}
    while True:
        ready, _, _ = select.select([0, listening, *kernels.values()], [], [], LOOKS if kernels else None)
        if 0 in ready:
            break
        for kernel, call in kernels.items():
            if call in ready:  # a stand-in says nothing more: it was killed
                os.kill(kernel, signal.SIGKILL)
        for kernel in list(kernels):
            ended, status = os.waitpid(kernel, os.WNOHANG)
            if ended:
                with kernels.pop(kernel) as call, suppress(OSError):
                    call.sendall(b"%d" % (os.waitstatus_to_exitcode(status) % 256))
        if listening in ready:
            call, _ = listening.accept()
            message, streams, *_ = socket.recv_fds(call, LARGEST, len(STREAMS))
            kernel = os.fork()
            if not kernel:
                for other in (listening, call, *kernels.values()):
                    other.close()
                become_kernel(json.loads(message), streams)
            for stream in streams:
                os.close(stream)
            call.sendall(b"%d\n" % kernel)
            kernels[kernel] = call
    for kernel in kernels:
        os.kill(kernel, signal.SIGKILL)


def become_kernel(given: dict, streams: Sequence[int]) -> NoReturn:
    """In the copy: what a new process with these arguments, environment, folder and streams would be."""
    status = 1
    try:
        os.setsid()
        for stream, number in zip(streams, STREAMS, strict=True):
            os.dup2(stream, number)
            os.close(stream)
        os.environ.clear()
        os.environ.update(given["environment"])
        os.chdir(given["folder"])
        sys.argv = given["arguments"]
        sys.path.remove(str(Path(__file__).parent))  # of the script that this process began as
        from ipykernel import kernelapp

        kernelapp.launch_new_instance()
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


# ---- the stand-in ---------------------------------------------------------------------------------------------------


def stand_in(address: str, arguments: Sequence[str]) -> int:
    """Ask for a kernel, pass signals on to it, and end as it does; returns its exit status."""
    with socket.socket(socket.AF_UNIX) as call:
        call.connect(address)
        given = {"arguments": arguments, "environment": dict(os.environ), "folder": os.getcwd()}
        socket.send_fds(call, [json.dumps(given).encode()], STREAMS)
        with call.makefile("rb") as answers:
            kernel = int(answers.readline())
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, lambda got, frame: os.kill(kernel, got))
            return int(answers.read() or b"1")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["serve", number, *names]:
            serve(socket.socket(fileno=int(number)), names)
        case ["stand-in", address, *rest]:
            raise SystemExit(stand_in(address, rest))
