"""Bring this checkout up to date: `make update`.

A learner runs notebooks in place, so their files differ from the course's. Whatever the update would overwrite is
first copied into my_notebooks/<date>/, and the copy is named, unless it is a notebook that was only opened and saved;
then the branch is moved forward, never merged. Files that the update does not touch stay as they are. Nothing is done,
and one sentence says why, where this is no checkout, another branch is checked out, the history departed from the
course's, or the course cannot be reached.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import date
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
REMOTE, BRANCH = "origin", "main"
ASIDE = "my_notebooks"
# A connection that carries less than 1 kB/s for 30 s counts as none.
PATIENCE = ["-c", "http.lowSpeedLimit=1000", "-c", "http.lowSpeedTime=30"]

# git has a name of its own for the certificate of a proxy that reads along.
CERTIFICATE = {"GIT_SSL_CAINFO": os.environ["SSL_CERT_FILE"]} if os.environ.get("SSL_CERT_FILE") else {}


class Refused(Exception):
    """Nothing was changed; the message is one sentence in both languages."""


def git(root: Path, *arguments: str) -> str:
    """What a git command prints.

    Raises:
        subprocess.CalledProcessError: if it fails; `stderr` holds git's words.
    """
    return subprocess.run(
        ["git", *arguments],
        cwd=root,
        env=CERTIFICATE | os.environ | {"LC_ALL": "C"},
        stdin=subprocess.DEVNULL,
        check=True,
        capture_output=True,
        encoding="utf-8",
        errors="surrogateescape",
    ).stdout


def succeeds(root: Path, *arguments: str) -> bool:
    try:
        git(root, *arguments)
    except subprocess.CalledProcessError:
        return False
    return True


def last_line(error: subprocess.CalledProcessError) -> str:
    return (error.stderr.strip().splitlines() or ["git failed"])[-1]


def check_checkout(root: Path) -> None:
    """Refuse where the course's folder is no git checkout of its own."""
    try:
        top = git(root, "rev-parse", "--show-toplevel").strip()
    except FileNotFoundError:
        raise Refused("git이 없습니다 / git is missing: sudo apt-get install git") from None
    except subprocess.CalledProcessError:
        top = ""
    if not top or Path(top).resolve() != root.resolve():
        raise Refused(
            "git으로 받은 폴더가 아닙니다. 강의를 다시 내려받으세요 / this folder is no git checkout."
        )


def fetch(root: Path) -> tuple[str, str]:
    """Check that this is the course's checkout and fetch; returns the commits (now here, at the origin)."""
    check_checkout(root)
    if (branch := git(root, "branch", "--show-current").strip()) != BRANCH:
        raise Refused(
            f"지금 브랜치는 {branch or '없음'}입니다. 먼저: git switch {BRANCH} / not on the branch {BRANCH}."
        )
    if git(root, "ls-files", "--unmerged"):
        raise Refused("끝나지 않은 병합이 있습니다 / a merge is under way: finish it, or git merge --abort")
    try:
        git(root, *PATIENCE, "fetch", "--quiet", REMOTE, BRANCH)
    except subprocess.CalledProcessError as error:
        told = last_line(error)
        if "certificate" in told.lower():
            raise Refused(
                "프록시가 보인 인증서를 믿을 수 없습니다. 인증서 파일을 알려 주세요 / a proxy shows a certificate of "
                f"its own, name its file: make update SSL_CERT_FILE=/…/certificate.pem ({told})"
            ) from None
        raise Refused(
            f"원본에서 받지 못했습니다. 인터넷에 연결되어 있습니까? / could not fetch: {told}"
        ) from None
    here, there = git(root, "rev-parse", "HEAD", "FETCH_HEAD").split()
    return here, there


def in_the_way(root: Path, here: str, there: str) -> list[str]:
    """Files of the learner's that the update would overwrite or remove: changed ones, and own ones of a new name."""
    touched = git(root, "diff", "--name-only", "--no-renames", "-z", here, there).split("\0")
    changed = git(root, "diff", "--name-only", "--no-renames", "-z", here).split("\0")
    known = set(git(root, "ls-tree", "-r", "--name-only", "-z", here).split("\0"))
    own = {path for path in touched if path and path not in known and os.path.lexists(root / path)}
    return sorted(own | set(touched) & set(changed) - {""})


def substance(notebook: str) -> list[object]:
    """Each cell's text and outputs: without counts, widgets and other metadata, which saving alone changes."""
    cells = json.loads(notebook)["cells"]
    for output in (output for cell in cells for output in cell.get("outputs", [])):
        output.pop("execution_count", None)
        output.get("data", {}).pop("application/vnd.jupyter.widget-view+json", None)
    return [[cell["source"], cell.get("outputs")] for cell in cells]


def only_saved(root: Path, here: str, path: str) -> bool:
    """Whether a notebook differs from the course's in nothing that the learner wrote or ran."""
    with suppress(OSError, ValueError, KeyError, TypeError, AttributeError, subprocess.CalledProcessError):
        return substance((root / path).read_text("utf-8")) == substance(git(root, "show", f"{here}:{path}"))
    return False


def set_aside(root: Path, paths: list[str]) -> Path:
    """Copy files into a new folder of today's date; it appears under its name only when it is complete."""
    day = root / ASIDE / date.today().isoformat()
    folder, count = day, 1
    while folder.exists():
        count += 1
        folder = day.with_name(f"{day.name}-{count}")
    partial = folder.with_name(f".{folder.name}.partial")
    if partial.exists():
        shutil.rmtree(partial)  # left by an interrupted run, which had changed nothing yet
    partial.mkdir(parents=True)
    for path in paths:
        if os.path.lexists(root / path):
            copy = partial / path
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / path, copy, follow_symlinks=False)
    partial.rename(folder)
    return folder


@contextmanager
def undisturbed() -> Iterator[None]:
    """Ctrl-C waits here: the steps inside take less than a second, and git must not stop between them."""
    signals = [signal.SIGINT, signal.SIGTERM] + ([signal.SIGHUP] if hasattr(signal, "SIGHUP") else [])
    before = [signal.signal(number, signal.SIG_IGN) for number in signals]
    try:
        yield
    finally:
        for number, handler in zip(signals, before, strict=True):
            signal.signal(number, handler)


def move_forward(root: Path, here: str, there: str, paths: list[str], copies: Path | None) -> None:
    """Give up the learner's version of `paths`, of which there are copies, and move the branch to `there`.

    Raises:
        Refused: if git will not; the learner's files are back in their places then.
    """
    with undisturbed():
        try:
            for path in paths:
                git(root, "reset", "--quiet", here, "--", path)
                if succeeds(root, "cat-file", "-e", f"{here}:{path}"):
                    git(root, "checkout", "--quiet", here, "--", path)
                else:
                    (root / path).unlink()
            git(root, "merge", "--quiet", "--ff-only", there)
        except BaseException as error:
            put_back(root, paths, copies)
            if isinstance(error, subprocess.CalledProcessError):
                raise Refused(f"git이 멈추었습니다 / git stopped: {last_line(error)}") from None
            raise


def put_back(root: Path, paths: list[str], copies: Path | None) -> None:
    for path in paths:
        if copies is not None and os.path.lexists(copies / path):
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            with suppress(FileNotFoundError):
                (root / path).unlink()
            shutil.copy2(copies / path, root / path, follow_symlinks=False)


def tell_of_copies(root: Path, paths: list[str], copies: Path) -> None:
    print(f"바꾼 파일 {len(paths)}개를 따로 모아 두었습니다 / your versions of these are in:")
    print(f"  {copies.relative_to(root)}/", *paths, sep="\n    ")


def update(root: Path) -> None:
    """Move the checkout to the newest version and say what was done."""
    here, there = fetch(root)
    if succeeds(root, "merge-base", "--is-ancestor", there, here):
        print("✓ 이미 가장 새로운 판입니다 / already up to date.")
        return
    if not succeeds(root, "merge-base", "--is-ancestor", here, there):
        raise Refused(
            "이 폴더에는 원본에 없는 커밋이 있습니다 / there are commits of your own: git pull --rebase"
        )
    count = git(root, "rev-list", "--count", f"{here}..{there}").strip()
    paths = in_the_way(root, here, there)
    own = [path for path in paths if not only_saved(root, here, path)]
    copies = set_aside(root, paths) if paths else None
    move_forward(root, here, there, paths, copies)
    if own:
        for path in set(paths) - set(own):
            (copies / path).unlink()
        tell_of_copies(root, own, copies)
    elif copies is not None:
        shutil.rmtree(copies)
    print(
        f"✓ 새 판입니다 (커밋 {count}개). 달라진 것은 CHANGELOG.md에 있습니다 / updated by {count} commits."
    )


def ended(work: Callable[[], None]) -> int:
    """Do the work of a command and return its exit status."""
    with suppress(AttributeError, ValueError):  # a stream of a test
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal may know ASCII alone
    try:
        work()
    except Refused as refused:
        print(f"✗ {refused}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(
            "✗ 중단했습니다. 파일은 그대로입니다 / interrupted, your files are as they were.", file=sys.stderr
        )
        return 130
    return 0


def main() -> int:
    return ended(lambda: update(ROOT))


if __name__ == "__main__":
    raise SystemExit(main())
