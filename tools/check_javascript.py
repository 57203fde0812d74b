"""Check the widgets' JavaScript and CSS with biome, where npm has brought it: python tools/check_javascript.py.

Exit status: biome's; 0 where it is missing, for learners need no npm; 1 where it is missing in continuous integration.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIOME = ROOT / "tests" / "browser" / "node_modules" / ".bin" / "biome"
INSTALL = "npm ci --prefix tests/browser"


def main(biome: Path = BIOME) -> int:
    """Run biome as biome.jsonc says, without changing a file."""
    if biome.exists():
        return subprocess.run([biome, "check", "--error-on-warnings"], cwd=ROOT).returncode
    print(f"the widgets' JavaScript is not checked: no biome; install it with: {INSTALL}", flush=True)
    return int(os.environ.get("CI", "").lower() in ("1", "true"))


if __name__ == "__main__":
    sys.exit(main())
