"""For exercises that forbid a way: did the answer use a ready-made function, let torch differentiate, or run a loop?"""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any
from unittest import mock

import torch
from torch import Tensor
from torch.autograd import forward_ad
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from course_utils.exercises.calling import Wrong, call
from course_utils.exercises.values import told_apart

LIBRARIES = ("numpy", "torch", "statistics", "scipy", "sklearn", "tokenizers", "transformers", "seqeval")


class Watch:
    """A block in which it is seen whether something forbidden is used; `used` has the names.

    Args:
        forbids: "softmax", any function of that name in LIBRARIES, in Python or C, under whatever name it was imported;
            "course_utils.masks", a module with all below it, or a function or class of one; "torch", any computing with
            tensors, though numbers may be put into one. An exercise that forbids anything forbids its solution, too.
    """

    def __init__(self, forbids: tuple[str, ...]) -> None:
        self.used: list[str] = []
        self._tensors = "torch" in forbids
        forbids = tuple(name for name in forbids if name not in ("autograd", "torch"))
        self._names = {name for name in forbids if "." not in name}
        self._places = tuple(f"{name}." for name in forbids if "." in name)
        self._active = bool(forbids) or self._tensors

    def __enter__(self) -> Watch:
        if self._active:
            self._before = sys.getprofile(), threading.getprofile()
            self._mode = _Called(self._called)
            self._mode.__enter__()
            threading.setprofile(self._entered)
            sys.setprofile(self._entered)
        return self

    def __exit__(self, *raised: object) -> None:
        if self._active:
            sys.setprofile(self._before[0])
            threading.setprofile(self._before[1])
            self._mode.__exit__(*raised)

    def _entered(self, frame: FrameType, event: str, argument: Any) -> None:
        module = str(frame.f_globals.get("__name__", ""))
        if event == "c_call":
            name = str(getattr(argument, "__name__", ""))
            if name in self._names and _library(argument):
                self.used.append(name)
        elif event == "call":
            name, full = frame.f_code.co_name, f"{module}.{frame.f_code.co_qualname}."
            if module == "torch.nn.modules.module":  # what any module of one's own stands on
                return
            if full.startswith(self._places) or (name in self._names and module.split(".")[0] in LIBRARIES):
                self.used.append(_named(module, frame.f_code.co_qualname))
            elif _solution_asked(frame):
                self.used.append("exercise(…).reference")

    def _called(self, function: Any) -> None:
        """A call into torch, whoever made it: operators and methods, too."""
        name = getattr(function, "__name__", "")
        if name in self._names or (self._tensors and function not in (torch.tensor, torch.as_tensor)):
            self.used.append("torch" if self._tensors else name)


class _Called(TorchFunctionMode):
    """A block in which each call into torch is told."""

    def __init__(self, tell: Callable[[Any], None]) -> None:
        super().__init__()
        self._tell = tell

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self._tell(func)
        return func(*args, **(kwargs or {}))


def _named(module: str, called: str) -> str:
    """A function, or the class of a method, as the learner knows it; else the module."""
    outermost = called.partition(".")[0]
    return module if outermost[0] in "_<" else outermost


def _library(function: Any) -> bool:
    """Whether a function written in C is one of a library's; those of Python itself (builtins, math) are not."""
    owner = getattr(function, "__self__", None)
    module = str(getattr(function, "__module__", "") or type(owner).__module__)
    return module.split(".")[0] in LIBRARIES or type(owner).__module__.split(".")[0] in LIBRARIES


def refuse_autograd(answer: Any, *args: Any) -> None:
    """Call an answer whose values are right once more, and see whether it uses automatic differentiation.

    On its way back autograd unpacks what it saved on the way up, whoever calls it. torch.func.grad and its like stop
    with an error where that is watched; those that go forward save nothing and are shut, under whatever name they were
    imported. Ready-made backward steps (torch.ops.aten.…_backward) are seen as they are carried out.

    Raises:
        Wrong: "autograd".
    """
    used: list[Any] = []

    def unpack(saved: Tensor) -> Tensor:
        used.append(saved)
        return saved

    def refuse(*given: Any, **options: Any) -> None:
        used.append(given)
        raise RuntimeError

    class Watch(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]
            if "backward" in func.__name__:
                used.append(func)
            return func(*args, **(kwargs or {}))

    forward = mock.patch.multiple(forward_ad, make_dual=refuse, enter_dual_level=refuse)
    try:
        with Watch(), forward, torch.autograd.graph.saved_tensors_hooks(lambda saved: saved, unpack):
            call(answer, *args)
    except Wrong as wrong:
        if wrong.reason != "raised":
            raise
        used.append(wrong)
    if used:
        raise Wrong("autograd")


def _solution_asked(frame: FrameType) -> bool:
    """Whether the learner's notebook calls exercise(…), or a function or class of a lesson: exercise(…).reference.

    Not a method: of what the answer was given, a model that writes, it may call all.
    """
    caller = frame.f_back.f_globals if frame.f_back else {}
    module, name = str(frame.f_globals.get("__name__", "")), frame.f_code.co_qualname
    return (
        (module == "course_utils.exercises" or module.startswith("lessons."))
        and ("." not in name or name.endswith(".__init__"))
        and caller.get("__name__") == "__main__"
    )


def count_steps(answer: Callable[..., Any], *args: Any) -> tuple[Any, int]:
    """What an answer returns, and how many steps Python took for it; a loop takes more of them for more rows.

    A first call, not counted, lets everything be imported and remembered that is only made once.
    """
    steps = 0

    def watch(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal steps
        frame.f_trace_opcodes = True
        steps += event == "opcode"
        return watch

    def watched(*copies: Any) -> Any:
        before, collecting = sys.gettrace(), gc.isenabled()
        gc.disable()  # what is thrown away meanwhile, by whomever, takes steps of its own
        sys.settrace(watch)
        try:
            return answer(*copies)
        finally:
            sys.settrace(before)
            if collecting:
                gc.enable()

    call(answer, *args)
    return call(watched, *args), steps


def no_loop(*sizes: Callable[[], tuple[Any, ...]]) -> Callable[[Any], dict[str, Any] | None]:
    """A property: an answer takes no more steps for the others than for the first inputs. Facts: {few}, {many}.

    A step is one of Python's, or a call into torch: map() loops without Python.
    """

    def broken(answer: Any) -> dict[str, Any] | None:
        given = [make() for make in sizes]
        few, *others = [count_steps(answer, *one)[1] + count_torch_calls(answer, *one) for one in given]
        return {"few": few, "many": max(others)} if max(others) > few else None

    return broken


def as_many_calls(**sizes: Callable[[], tuple[Any, ...]]) -> Callable[[Any], dict[str, int] | None]:
    """A property: an answer calls into torch no more often for the others than for the first. Facts: the numbers."""

    def broken(answer: Any) -> dict[str, int] | None:
        calls = {name: count_torch_calls(answer, *make()) for name, make in sizes.items()}
        few, *others = calls.values()
        return calls if max(others) > few else None

    return broken


def no_differences(reference: Callable[..., Tensor], make: Callable[[], Any]) -> Callable[[Any], Any]:
    """A property: an answer is a formula; in float64 that is off by 1e-15, finite differences by 1e-11 at the least.

    Facts: {expected}, {actual}.
    """

    def broken(answer: Any) -> dict[str, str] | None:
        given = make()
        right, found = reference(*given).flatten(), call(answer, *given).flatten()
        far = (found - right).abs()
        told = told_apart(right[far.argmax()], found[far.argmax()])
        return dict(zip(("expected", "actual"), told)) if float(far.max()) > 1e-12 else None

    return broken


def count_torch_calls(answer: Any, *given: Any) -> int:
    """How often an answer calls into torch."""
    calls: list[Any] = []

    def counted(*copies: Any) -> Any:
        with _Called(calls.append):
            return answer(*copies)

    call(counted, *given)
    return len(calls)
