"""Show in a notebook that two values or two modules are the same; write numbers that may differ between machines.

A check prints one line that holds on any machine (shapes and the tolerance, never the measured difference), or raises
AssertionError saying what differs and where. A check that would compare nothing is itself an error.
"""

from course_utils.checks.about import about
from course_utils.checks.modules import check_same_module
from course_utils.checks.values import check_same

__all__ = ["about", "check_same", "check_same_module"]
