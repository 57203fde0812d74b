"""What was freed goes back to the system."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from course_utils.support.memory import give_back


def resident() -> int:
    """Bytes of this process that lie in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


@pytest.mark.skipif(sys.platform != "linux", reason="other systems give back by themselves")
def test_holes_between_what_is_still_needed_are_given_back():
    pieces = [bytearray(20_000) for _ in range(10_000)]  # 200 MB
    pieces = pieces[::50]
    before = resident()
    give_back()
    assert before - resident() > 100_000_000 and len(pieces) == 200
