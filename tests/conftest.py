"""What all tests share: no test touches the learner's own progress, language or screen."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session", autouse=True)
def undisturbed_learner(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COURSE_DATA_HOME", str(tmp_path_factory.mktemp("course_data")))
        patch.setenv("MPLBACKEND", "Agg")
        patch.delenv("COURSE_LANG", raising=False)
        yield
