"""What all tests share: none touches the learner's own progress, language or screen, and all draw the same numbers."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session", autouse=True)
def undisturbed_learner(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COURSE_DATA_HOME", str(tmp_path_factory.mktemp("course_data")))
        patch.setenv("MPLBACKEND", "Agg")
        patch.delenv("COURSE_LANG", raising=False)
        yield


@pytest.fixture(autouse=True)
def same_numbers_each_time() -> None:
    """What a test draws without a generator of its own depends on no other test."""
    random.seed(0)
    if numpy := sys.modules.get("numpy"):
        numpy.random.seed(0)
    if torch := sys.modules.get("torch"):
        # torch.manual_seed writes down the whole stack, for a GPU that may come.
        torch.default_generator.manual_seed(0)


@pytest.fixture(autouse=True)
def no_figure_stays() -> Iterator[None]:
    """A test that counts the open figures counts its own."""
    yield
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close("all")
