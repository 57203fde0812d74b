"""Where things lie: the repository and its data, the learner's own data, what was fetched."""

from __future__ import annotations

import os
from pathlib import Path

APP = "from-attention-to-bert"
ROOT = Path(__file__).resolve().parents[2]  # of the repository
DATA = ROOT / "data"
CHECKPOINTS = DATA / "checkpoints"
NOTEBOOKS = ROOT / "notebooks" / "ko"  # the only source of the notebooks


def data_home() -> Path:
    """Where the learner's progress is kept: COURSE_DATA_HOME, or the user's data folder of this system."""
    from platformdirs import user_data_dir  # not above: the doctor must run where it is missing

    return Path(os.environ.get("COURSE_DATA_HOME") or user_data_dir(APP, appauthor=False))


def cache_home() -> Path:
    """Where fetched files are kept: COURSE_CACHE_HOME, or the user's cache folder of this system."""
    from platformdirs import user_cache_dir

    return Path(os.environ.get("COURSE_CACHE_HOME") or user_cache_dir(APP, appauthor=False))
