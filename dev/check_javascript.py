"""Check the widgets' JavaScript and CSS with biome, where npm can bring it: python -m dev.check_javascript.

Exit status: biome's; 0 where it is missing, for learners need no npm; 1 where it is missing in continuous integration.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from dev.browser_tools import BIOME, IN_CI, INSTALL, ROOT, from_npm


def main(biome: Path = BIOME) -> int:
    """Run biome as biome.jsonc says, without changing a file."""
    if from_npm(biome):
        return subprocess.run([biome, "check", "--error-on-warnings"], cwd=ROOT).returncode
    print(f"the widgets' JavaScript is not checked: no biome; install it with: {INSTALL}", flush=True)
    return int(IN_CI)


if __name__ == "__main__":
    sys.exit(main())
