"""What checks need, learners do not, and a machine may lack: Chromium, axe-core, biome, fetched where they can be.

Chromium: the system's; else, as root on Debian, apt's; else Playwright's own, in the user's cache. None counts before
it has been started once. axe-core and biome: from npm, again when package-lock.json has changed. A font for Hangul: as
root on Debian, apt's; other systems for people bring one.

    python -m dev.browser_tools      says what has to be left out; in continuous integration that is exit status 1
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
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
APT = ["apt-get", "install", "-qq", "-y", "--no-install-recommends"]
APT_LISTS = ["apt-get", "update", "-qq"]
DRIVER = [sys.executable, "-m", "playwright", "--version"]  # starts the Node.js that Playwright brings
DRIVER_NEEDS = "libatomic1"  # of Debian's packages; a bare system lacks it
FONTS, HANGUL = ["fc-list", ":lang=ko"], ["fontconfig", "fonts-nanum"]
# The shell without a window is all that the tests start, and a third of the whole.
DOWNLOAD = [sys.executable, "-m", "playwright", "install", "--only-shell", "chromium"]
PACKAGES = ROOT / "tests/browser/node_modules"
AXE, BIOME = PACKAGES / "axe-core/axe.min.js", PACKAGES / ".bin/biome"
LOCK, INSTALLED = (
    ROOT / "tests/browser/package-lock.json",
    PACKAGES / ".package-lock.json",
)  # npm writes it last
INSTALL = "npm ci --prefix tests/browser"
QUIETLY = ["--no-audit", "--no-fund", "--fetch-retries=1"]
START_SECONDS, FETCH_SECONDS = 60, 900


def missing() -> dict[str, str]:
    """What has to be left out -> why, after fetching what can be fetched; empty where all is there."""
    fetch_font()
    if why := no_chromium():
        return {BROWSER: why}
    if why := no_axe():
        return {BARRIERS: why}
    return {}


def chromium() -> str | None:
    """The system's Chromium; None stands for Playwright's own."""
    return next(filter(None, map(shutil.which, NAMES)), None)


def fetch_font() -> None:
    """See that JupyterLab's own pages can draw Hangul; figures bring their font."""
    if not _has_apt():
        return
    known = shutil.which(FONTS[0]) and subprocess.run(FONTS, capture_output=True).stdout.strip()
    if not known:
        _fetched("a font for Hangul with apt", APT_LISTS, [*APT, *HANGUL])


def no_chromium() -> str:
    """Why no Chromium could be had; empty when one starts."""
    if why := _no_driver():
        return f"Playwright does not start here ({why}); install it: sudo apt-get install {DRIVER_NEEDS}"
    for executable in _candidates():
        if not (why := trouble(executable)):
            return ""
    return f"no Chromium starts here ({why}); install one: {INSTALL_CHROMIUM}"


def _no_driver() -> str:
    """What keeps Playwright's own program from starting, in one line; empty when it starts."""
    why = _stopped(DRIVER)
    if why and _has_apt() and _fetched(f"{DRIVER_NEEDS} with apt", APT_LISTS, [*APT, DRIVER_NEEDS]):
        why = _stopped(DRIVER)
    return why


def _stopped(command: list[str]) -> str:
    """The last line of a command that fails; empty when it succeeds."""
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=START_SECONDS)
    return (
        (done.stderr.strip() or f"exit status {done.returncode}").splitlines()[-1] if done.returncode else ""
    )


def _has_apt() -> bool:
    return os.geteuid() == 0 and shutil.which("apt-get") is not None


def _candidates() -> Iterator[str | None]:
    """Chromiums to try, the next one fetched only when it is asked for."""
    if found := chromium():
        yield found
    elif _has_apt():
        _fetched("Chromium with apt", APT_LISTS, [*APT, "chromium"])
        if found := chromium():
            yield found
    yield None
    _fetched("Playwright's Chromium into the user's cache", DOWNLOAD)
    yield None


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


def _fetched(what: str, *commands: list[str]) -> bool:
    """Run the commands; their words are shown only when one fails."""
    print(f"fetching {what} …", file=sys.stderr, flush=True)
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    for command in commands:
        try:
            done = subprocess.run(
                command,
                cwd=ROOT,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=FETCH_SECONDS,
                text=True,
                errors="replace",
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            print(f"  {error}", file=sys.stderr)
            return False
        if done.returncode:
            print("  " + "\n  ".join(done.stdout.strip().splitlines()[-3:]), file=sys.stderr)
            return False
    return True


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
