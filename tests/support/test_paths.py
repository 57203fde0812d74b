"""Where things lie."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from course_utils.support import paths


@pytest.mark.parametrize(
    ("where", "variable"), [(paths.data_home, "COURSE_DATA_HOME"), (paths.cache_home, "COURSE_CACHE_HOME")]
)
def test_folders_of_the_learner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where, variable: str):
    monkeypatch.setenv(variable, str(tmp_path))
    assert where() == tmp_path
    monkeypatch.setenv(variable, "")
    assert where().name == paths.APP and where().is_absolute() and tmp_path not in where().parents


def test_the_doctor_needs_no_platformdirs():
    program = "import sys; sys.modules['platformdirs'] = None; import course_utils.doctor"
    subprocess.run([sys.executable, "-c", program], check=True)
