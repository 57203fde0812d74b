"""What checks need, learners do not, and a machine may lack: Chromium, axe-core, biome, fetched where they can be.

Chromium: the system's, which .ci/run installs; else Playwright's own, in the user's cache. None counts before it has
been started once. axe-core and biome: from npm, again when package-lock.json has changed.

    python -m dev.browser_tools      says what has to be left out; in continuous integration that is exit status 1
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
IN_CI = os.environ.get("CI", "").lower() in ("1", "true")
BROWSER, BARRIERS = "the browser", "the look for barriers"
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
ARGUMENTS = [
    "--no-sandbox",  # containers have no user namespaces; all pages are our own
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-quic",
]
INSTALL_CHROMIUM = "sudo apt-get install chromium"
DRIVER = [sys.executable, "-m", "playwright", "--version"]  # starts the Node.js that Playwright brings
DRIVER_NEEDS = "libatomic1"  # of Debian's packages; a bare system lacks it
# The shell without a window is all that the tests start, and a third of the whole.
DOWNLOAD = [sys.executable, "-m", "playwright", "install", "--only-shell", "chromium"]
PACKAGES = ROOT / "tests/browser/node_modules"
AXE, BIOME = PACKAGES / "axe-core/axe.min.js", PACKAGES / ".bin/biome"
LOCK = ROOT / "tests/browser/package-lock.json"
INSTALLED = PACKAGES / ".package-lock.json"  # npm writes it last
INSTALL = "npm ci --prefix tests/browser"
QUIETLY = ["--no-audit", "--no-fund", "--fetch-retries=1"]
START_SECONDS, FETCH_SECONDS = 60, 900


def missing() -> dict[str, str]:
    """What has to be left out -> why, after fetching what can be fetched; empty where all is there."""
    if why := no_chromium():
        return {BROWSER: why}
    if why := no_axe():
        return {BARRIERS: why}
    return {}


def chromium() -> str | None:
    """The system's Chromium; None stands for Playwright's own."""
    return next(filter(None, map(shutil.which, NAMES)), None)


def no_chromium() -> str:
    """Why no Chromium could be had; empty when one starts."""
    started = subprocess.run(DRIVER, capture_output=True, text=True, errors="replace", timeout=START_SECONDS)
    if started.returncode:
        why = (started.stderr.strip() or f"exit status {started.returncode}").splitlines()[-1]
        return f"Playwright does not start here ({why}); install it: sudo apt-get install {DRIVER_NEEDS}"
    for executable in dict.fromkeys((chromium(), None)):
        if not (why := trouble(executable)):
            return ""
    _fetched("Playwright's Chromium into the user's cache", DOWNLOAD)
    if not (why := trouble(None)):
        return ""
    return f"no Chromium starts here ({why}); install one: {INSTALL_CHROMIUM}"


def trouble(executable: str | None) -> str:
    """What keeps this Chromium from starting, in one line; empty when it starts and shows a page."""
    from playwright.sync_api import Error, sync_playwright

    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=executable, args=ARGUMENTS, timeout=START_SECONDS * 1000
            )
            page = browser.new_page()
            page.goto("data:text/html,<title>ready</title>")
            title = page.title()
            browser.close()
    except Error as error:
        return error.message.splitlines()[0]
    return "" if title == "ready" else f"a page's title came back as {title!r}"


def no_axe() -> str:
    """Why axe-core could not be had; empty when it is there."""
    return "" if from_npm(AXE) else f"no axe-core; install Node.js, then: {INSTALL}"


def from_npm(wanted: Path) -> bool:
    """Whether a file that npm brings is there, after fetching what package-lock.json says if that is newer."""
    fresh = wanted.exists() and INSTALLED.exists() and INSTALLED.stat().st_mtime >= LOCK.stat().st_mtime
    if not fresh and shutil.which("npm"):
        _fetched("axe-core and biome with npm", [*INSTALL.split(), *QUIETLY])
    return wanted.exists()


def _fetched(what: str, command: list[str]) -> None:
    """Run a command; its words are shown only when it fails."""
    print(f"fetching {what} …", file=sys.stderr, flush=True)
    quiet = dict(stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        subprocess.run(
            command, cwd=ROOT, check=True, timeout=FETCH_SECONDS, text=True, errors="replace", **quiet
        )
    except subprocess.CalledProcessError as error:
        print("  " + "\n  ".join(error.stdout.strip().splitlines()[-3:]), file=sys.stderr)
    except (OSError, subprocess.TimeoutExpired) as error:
        print(f"  {error}", file=sys.stderr)


def main() -> int:
    """Say why something is left out on stderr; on stdout what, for the last line of `make test`."""
    lacking = missing()
    for what, why in lacking.items():
        print(f"! without {what}: {why}", file=sys.stderr)
    if lacking:
        print(f"without {' and '.join(lacking)}")
    return int(bool(lacking) and IN_CI)


if __name__ == "__main__":
    raise SystemExit(main())
