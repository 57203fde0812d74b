"""Kernels forked from a warm process are kernels like any other."""

import os
import signal
import sys
import time
from pathlib import Path

import pytest
from jupyter_client import KernelManager
from jupyter_client.kernelspec import KernelSpec, KernelSpecManager

from dev.warm_kernels import warm_kernels

pytestmark = pytest.mark.skipif(
    not hasattr(os, "fork") or not Path("/proc").is_dir(), reason="no fork, or no /proc"
)
IMPORTED = ("ipykernel.kernelapp", "wave")  # wave: a module that nobody else imports


@pytest.fixture(scope="module")
def command():
    with warm_kernels(os.environ | {"WHOSE": "of the first"}, imported=IMPORTED) as command:
        yield command


@pytest.fixture
def kernel(command, tmp_path):
    class Specs(KernelSpecManager):
        def get_kernel_spec(self, name):
            return KernelSpec(argv=command, display_name="warm", language="python")

    manager = KernelManager(kernel_spec_manager=Specs())
    manager.start_kernel(cwd=str(tmp_path), env=os.environ | {"WHOSE": "its own"})
    client = manager.client()
    client.start_channels()
    client.wait_for_ready(timeout=60)
    yield manager, client
    client.stop_channels()
    if manager.is_alive():
        manager.shutdown_kernel(now=True)


def asked(client, source):
    """What a cell prints."""
    said = []
    client.execute_interactive(
        source, timeout=60, output_hook=lambda message: said.append(message["content"].get("text", ""))
    )
    return "".join(said).strip()


def alive(number):
    """Whether the process still runs; it may end, and its file go, at any moment of the question."""
    try:
        return "\nState:\tZ" not in Path(f"/proc/{number}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


def soon(condition):
    for _ in range(100):
        if condition():
            return True
        time.sleep(0.05)
    return False


def test_it_has_imported_what_was_asked_and_nothing_of_ours(kernel, tmp_path):
    _, client = kernel
    assert asked(client, "import sys; print('wave' in sys.modules)") == "True"
    assert asked(client, "print([name for name in sys.modules if name.startswith('course_utils')])") == "[]"
    assert asked(client, "import os; print(os.getcwd(), os.environ['WHOSE'])") == f"{tmp_path} its own"
    assert asked(client, "print([entry for entry in sys.path if entry.endswith('dev')])") == "[]"
    assert asked(client, "print(__name__, sys.executable)") == f"__main__ {sys.executable}"


def test_no_kernel_sees_what_another_did(kernel, request):
    _, client = kernel
    asked(client, "import sys; sys.modules['wave'].left_here = True; kept = 1")
    assert asked(client, "print(sys.modules['wave'].left_here)") == "True"
    second = request.getfixturevalue("another_kernel")
    assert (
        asked(second[1], "import wave; print(hasattr(wave, 'left_here'), 'kept' in globals())")
        == "False False"
    )


another_kernel = kernel


def test_it_is_interrupted_shut_down_and_killed(kernel):
    manager, client = kernel
    number = int(asked(client, "import os; print(os.getpid())"))
    # What follows is not to be given up because of the error.
    asleep = client.execute("import time; print('begun', flush=True); time.sleep(60)", stop_on_error=False)
    while client.get_iopub_msg(timeout=30)["msg_type"] != "stream":
        pass
    manager.interrupt_kernel()
    answers = iter(lambda: client.get_shell_msg(timeout=30), None)
    answer = next(one for one in answers if one["parent_header"]["msg_id"] == asleep)
    assert answer["content"]["ename"] == "KeyboardInterrupt"
    assert asked(client, "print('after')") == "after"
    os.kill(manager.provisioner.pid, signal.SIGKILL)  # the stand-in: nothing is left of its kernel
    assert soon(lambda: not alive(number))


def test_its_status_is_told(kernel):
    manager, client = kernel
    process = manager.provisioner.process
    client.execute("import os; os._exit(7)")
    assert process.wait(timeout=30) == 7
