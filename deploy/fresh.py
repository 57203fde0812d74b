"""Bring a notebook back to how the course gave it: `make fresh NOTEBOOK=02`.

The learner's version is first copied into my_notebooks/<date>/, as `make update` does. No network is needed, and
nothing is done, as one sentence says, where this is no checkout or there is no such notebook.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from deploy.update import (
    BRANCH,
    REMOTE,
    ROOT,
    Refused,
    check_checkout,
    ended,
    git,
    last_line,
    put_back,
    set_aside,
    succeeds,
    tell_of_copies,
    undisturbed,
)


def fresh(root: Path, number: str) -> None:
    """Put back the notebook of that number in each language in which it differs, and say where the learner's is."""
    check_checkout(root)
    shared = ("merge-base", "HEAD", f"{REMOTE}/{BRANCH}")  # a learner may have committed
    given = git(root, *shared).strip() if succeeds(root, *shared) else "HEAD"
    every = git(root, "ls-tree", "-r", "--name-only", "-z", given, "notebooks").split("\0")
    known = {path: Path(path).name.partition("_")[0] for path in every if path.endswith(".ipynb")}
    wanted = [path for path in known if number and known[path] == number.zfill(2)]
    if not wanted:
        raise Refused(
            f"'{number}'번 노트북은 없습니다. 번호를 하나 적으세요: make fresh NOTEBOOK=02 / there is no such "
            f"notebook, name one of {', '.join(sorted(set(known.values())))}"
        )
    changed = git(root, "diff", "--name-only", "--no-renames", "-z", given, "--", *wanted).split("\0")[:-1]
    if not changed:
        print(
            "✓ 처음 받은 그대로입니다. 바꿀 것이 없습니다 / just as the course gave it, nothing to put back."
        )
        return
    copies = set_aside(root, changed)
    with undisturbed():
        try:
            git(root, "checkout", "--quiet", given, "--", *changed)
        except subprocess.CalledProcessError as error:
            put_back(root, changed, copies)
            raise Refused(f"git이 멈추었습니다 / git stopped: {last_line(error)}") from None
    tell_of_copies(root, changed, copies)
    print("✓ 처음 받은 대로 되돌렸습니다. JupyterLab에 열려 있으면 File → Reload Notebook from Disk")
    print("  back to how the course gave it; if it is open in JupyterLab: File → Reload Notebook from Disk")


if __name__ == "__main__":
    raise SystemExit(ended(lambda: fresh(ROOT, "".join(sys.argv[1:2]))))
