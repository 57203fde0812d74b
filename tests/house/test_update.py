"""`make update` and `make fresh` on small repositories with a local origin: a learner loses nothing."""

import json
import os
import re
import shutil
import subprocess
import sys
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from types import SimpleNamespace

import pytest

from deploy import fresh, update

DAY = date(2026, 2, 28)
TODAY = DAY.isoformat()
IDENTITY = {f"GIT_{who}_{what}": "test" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
FIRST, SECOND = "notebooks/ko/00_첫 걸음.ipynb", "notebooks/ko/01_words.ipynb"


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def write(folder: Path, **files: str | None) -> None:
    for path, content in files.items():
        if content is None:
            (folder / path).unlink()
        else:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(content, encoding="utf-8")


def contents(folder: Path) -> dict[str, str]:
    """Every file outside .git with what it says."""
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file() and ".git" not in path.parts]
    return {str(path.relative_to(folder)): path.read_text(encoding="utf-8") for path in paths}


class Course:
    """An origin, the author's checkout and a learner's."""

    def __init__(self, folder: Path) -> None:
        self.origin, self.author, self.learner = (
            folder / name for name in ("origin.git", "author", "learner")
        )
        git(folder, "init", "--quiet", "--bare", "-b", "main", str(self.origin))
        git(folder, "clone", "--quiet", str(self.origin), str(self.author))
        git(self.author, "switch", "--quiet", "--create", "main")
        self.publish(
            **{FIRST: "first\n", SECOND: "second\n", "README.md": "1\n", ".gitignore": "/my_notebooks/\n"}
        )
        git(folder, "clone", "--quiet", str(self.origin), str(self.learner))

    def publish(self, **files: str | None) -> None:
        write(self.author, **files)
        git(self.author, "add", "--all")
        git(self.author, "commit", "--quiet", "-m", "change")
        git(self.author, "push", "--quiet", "origin", "main")

    def update(self) -> int:
        with self.today() as patch:
            patch.setattr(update, "ROOT", self.learner)
            return update.main()

    def fresh(self, number: str) -> int:
        with self.today():
            return update.ended(lambda: fresh.fresh(self.learner, number))

    @contextmanager
    def today(self):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(update, "date", SimpleNamespace(today=lambda: DAY))  # no midnight while a test runs
            yield patch

    def is_current(self) -> bool:
        return git(self.learner, "rev-parse", "HEAD") == git(self.author, "rev-parse", "HEAD")


@pytest.fixture
def course(tmp_path, monkeypatch):
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    for name, value in (IDENTITY | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}).items():
        monkeypatch.setenv(name, value)
    return Course(tmp_path)


def one_sentence(capsys) -> str:
    out, err = capsys.readouterr()
    assert out == "" and len(err.splitlines()) == 1 and err.startswith("✗ ")
    return err


def test_an_executed_notebook_is_set_aside_and_named(course, capsys):
    write(course.learner, **{FIRST: "mine\n", SECOND: "mine, too\n", "notes.txt": "my notes\n"})
    course.publish(**{FIRST: "first, mended\n", "README.md": "2\n"})
    assert course.update() == 0
    assert course.is_current()
    out = capsys.readouterr().out
    assert f"my_notebooks/{TODAY}/" in out and FIRST in out and SECOND not in out
    assert contents(course.learner) == {
        ".gitignore": "/my_notebooks/\n",
        "README.md": "2\n",
        FIRST: "first, mended\n",
        SECOND: "mine, too\n",  # not touched by the update: it stays
        "notes.txt": "my notes\n",
        f"my_notebooks/{TODAY}/{FIRST}": "mine\n",
    }
    assert git(course.learner, "status", "--porcelain", "--", "my_notebooks") == ""


def test_a_second_time_on_the_same_day_has_a_folder_of_its_own(course):
    for text in ("a", "b"):
        write(course.learner, **{FIRST: f"mine {text}"})
        course.publish(**{FIRST: text})
        assert course.update() == 0
    kept = contents(course.learner)
    assert kept[f"my_notebooks/{TODAY}/{FIRST}"] == "mine a"
    assert kept[f"my_notebooks/{TODAY}-2/{FIRST}"] == "mine b"


def test_without_changes_nothing_is_set_aside(course, capsys):
    assert course.update() == 0
    assert "already up to date" in capsys.readouterr().out
    course.publish(**{FIRST: "first, mended\n"})
    assert course.update() == 0
    assert course.is_current() and not (course.learner / "my_notebooks").exists()


def test_a_notebook_that_was_only_opened_and_saved_is_none_of_ones_own(course, capsys):
    view, state = (f"application/vnd.jupyter.widget-{part}+json" for part in ("view", "state"))

    def notebook(source="slider", words="[위젯]", metadata=(), **data):
        outputs = [
            {"output_type": "execute_result", "execution_count": 1, "data": {"text/plain": words, **data}}
        ]
        cell = {"cell_type": "code", "source": [source], "outputs": outputs}
        return json.dumps({"cells": [cell], "metadata": dict(metadata)}, indent=len(data))

    played = {"metadata": {"widgets": {state: {"state": {"a": {}}}}}, view: {"model_id": "a"}}
    for change, aside in ({}, []), ({"source": "mine"}, [FIRST]), ({"words": "mine"}, [FIRST]):
        course.publish(**{name: notebook() for name in (FIRST, SECOND)})
        assert course.update() == 0
        capsys.readouterr()
        mine = notebook(**played | change)
        write(course.learner, **{FIRST: mine, SECOND: notebook(**played)})
        course.publish(**{name: notebook("mended") for name in (FIRST, SECOND)})
        assert course.update() == 0 and course.is_current()
        kept = {
            path: text for path, text in contents(course.learner).items() if path.startswith("my_notebooks/")
        }
        assert kept == {f"my_notebooks/{TODAY}/{path}": mine for path in aside}
        assert ("my_notebooks" in capsys.readouterr().out) == bool(aside)
        shutil.rmtree(course.learner / "my_notebooks")


@pytest.mark.parametrize("staged", [False, True])
def test_every_kind_of_difference(course, staged):
    own = {FIRST: "mine\n", SECOND: None, "new.txt": "my own\n", "README.md": "my readme\n"}
    write(course.learner, **own)
    if staged:
        git(course.learner, "add", "--all")
    course.publish(**{FIRST: None, SECOND: "second, mended\n", "new.txt": "theirs\n", "README.md": "2\n"})
    assert course.update() == 0 and course.is_current()
    kept = contents(course.learner)
    assert FIRST not in kept
    assert (kept[SECOND], kept["new.txt"], kept["README.md"]) == ("second, mended\n", "theirs\n", "2\n")
    aside = {path: content for path, content in kept.items() if path.startswith("my_notebooks")}
    expected = {FIRST: "mine\n", "new.txt": "my own\n", "README.md": "my readme\n"}
    assert aside == {f"my_notebooks/{TODAY}/{path}": content for path, content in expected.items()}
    assert git(course.learner, "status", "--porcelain") == ""


# ---- refusals: one sentence, nothing changed -----------------------------------------------------------------------


def no_checkout(course):
    shutil.rmtree(course.learner / ".git")


def inside_another_checkout(course):
    shutil.rmtree(course.learner / ".git")
    git(course.learner.parent, "init", "--quiet")


def other_branch(course):
    git(course.learner, "switch", "--quiet", "--create", "mine")


def no_branch(course):
    git(course.learner, "switch", "--quiet", "--detach")


def no_network(course):
    course.origin.rename(course.origin.with_name("gone.git"))


def no_remote(course):
    git(course.learner, "remote", "remove", "origin")


def own_commit(course):
    git(course.learner, "commit", "--quiet", "-am", "mine")


def unfinished_merge(course):
    git(course.learner, "commit", "--quiet", "-am", "mine")
    git(course.learner, "fetch", "--quiet")
    subprocess.run(["git", "merge", "--quiet", "origin/main"], cwd=course.learner, capture_output=True)


@pytest.mark.parametrize(
    ("hinder", "says"),
    [
        (no_checkout, "no git checkout"),
        (inside_another_checkout, "no git checkout"),
        (other_branch, "git switch main"),
        (no_branch, "git switch main"),
        (no_network, "could not fetch"),
        (no_remote, "could not fetch"),
        (own_commit, "git pull --rebase"),
        (unfinished_merge, "git merge --abort"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_refusals(course, capsys, hinder, says):
    write(course.learner, **{FIRST: "mine\n"})
    course.publish(**{FIRST: "first, mended\n"})
    hinder(course)
    before = contents(course.learner)
    assert course.update() == 1
    assert says in one_sentence(capsys)
    assert contents(course.learner) == before


def test_without_git(course, capsys, monkeypatch):
    monkeypatch.setenv("PATH", "")
    assert course.update() == 1
    assert "git is missing" in one_sentence(capsys)


def test_what_git_refuses_is_put_back(course, capsys):
    write(course.learner, **{FIRST: "mine\n", "topic": "a file where the update has a folder\n"})
    course.publish(**{FIRST: "first, mended\n", "topic/page.txt": "text\n"})
    assert course.update() == 1
    assert "git stopped" in one_sentence(capsys)
    kept = contents(course.learner)
    assert kept[FIRST] == "mine\n" and kept["topic"].startswith("a file")


# ---- back to the pristine notebook -----------------------------------------------------------------------------------


@pytest.mark.parametrize("number", ["01", "1"])
@pytest.mark.parametrize("how", ["changed", "staged", "committed", "removed"])
def test_a_notebook_is_as_the_course_gave_it_and_the_learners_is_kept(course, capsys, number, how):
    write(course.learner, **{FIRST: "mine\n", SECOND: None if how == "removed" else "mine, too\n"})
    if how in ("staged", "committed"):
        git(course.learner, "add", SECOND)
    if how == "committed":
        git(course.learner, "commit", "--quiet", "-m", "mine")
    course.origin.rename(course.origin.with_name("gone.git"))  # no network is needed
    assert course.fresh(number) == 0
    out, kept = capsys.readouterr().out, contents(course.learner)
    assert (kept[FIRST], kept[SECOND]) == ("mine\n", "second\n")
    assert f"my_notebooks/{TODAY}/" in out and SECOND in out and "Reload Notebook from Disk" in out
    assert kept.get(f"my_notebooks/{TODAY}/{SECOND}") == (None if how == "removed" else "mine, too\n")
    assert course.fresh(number) == 0
    assert "nothing to put back" in capsys.readouterr().out
    assert contents(course.learner) == kept


@pytest.mark.parametrize("number", ["", "7", "words", "01_words", "notebooks/ko", "*"])
def test_without_such_a_notebook_nothing_is_put_back(course, capsys, number):
    write(course.learner, **{FIRST: "mine\n"})
    assert course.fresh(number) == 1
    assert "name one of 00, 01" in one_sentence(capsys)
    assert contents(course.learner)[FIRST] == "mine\n"


def test_where_git_stops_the_learners_notebook_is_in_its_place(course, capsys):
    write(course.learner, **{SECOND: "mine\n"})
    (course.learner / ".git" / "index.lock").touch()
    assert course.fresh("01") == 1
    assert "git stopped" in one_sentence(capsys)
    assert contents(course.learner)[SECOND] == "mine\n"
    (course.learner / ".git" / "index.lock").unlink()
    no_checkout(course)
    assert course.fresh("01") == 1
    assert "no git checkout" in one_sentence(capsys)


def test_a_certificate_that_git_does_not_trust_is_told_with_what_helps(course, capsys, monkeypatch):
    real = update.git

    def refuse(root, *arguments):
        if "fetch" in arguments:
            words = "fatal: unable to access: server certificate verification failed. CAfile: none"
            raise subprocess.CalledProcessError(128, "git", stderr=words)
        return real(root, *arguments)

    monkeypatch.setattr(update, "git", refuse)
    assert course.update() == 1
    assert "make update SSL_CERT_FILE=" in one_sentence(capsys)
    code = "from deploy import update; print(update.CERTIFICATE)"
    given = {**os.environ, "SSL_CERT_FILE": "school.pem"}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=update.ROOT, env=given, capture_output=True, text=True
    )
    assert done.stdout == "{'GIT_SSL_CAINFO': 'school.pem'}\n"


def test_a_terminal_that_knows_ascii_alone_gets_its_sentence(tmp_path):
    given = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = subprocess.run(
        [sys.executable, "-m", "deploy.fresh", "99"], cwd=update.ROOT, env=given, capture_output=True
    )
    assert done.returncode == 1 and b"there is no such notebook, name one of 00, 01" in done.stderr
    code = "from deploy import update; update.ended(lambda: print('\\u2713'))"
    done = subprocess.run([sys.executable, "-c", code], cwd=update.ROOT, env=given, capture_output=True)
    assert (done.stdout, done.stderr) == (b"\\u2713\n", b"")


# ---- interrupted at any step ---------------------------------------------------------------------------------------


STEPS = 17  # the git commands of an update that sets two files aside


@pytest.mark.parametrize("step", range(1, STEPS + 2))
@pytest.mark.rare
def test_interrupted_at_any_git_command(course, monkeypatch, step):
    write(course.learner, **{FIRST: "mine\n", "new.txt": "my own\n"})
    course.publish(**{FIRST: "first, mended\n", "new.txt": "theirs\n"})
    before, count, real = contents(course.learner), iter(range(1, 100)), update.git

    def interrupted(root, *arguments):
        if next(count) == step:
            raise KeyboardInterrupt
        return real(root, *arguments)

    monkeypatch.setattr(update, "git", interrupted)
    assert course.update() == (130 if step <= STEPS else 0)
    monkeypatch.setattr(update, "git", real)
    if step <= STEPS:
        kept = contents(course.learner)
        assert {path: kept.get(path) for path in before} == before
        assert course.update() == 0
    assert course.is_current()
    kept = contents(course.learner)
    assert "mine\n" in kept.values() and "my own\n" in kept.values()
    assert not [path for path in kept if ".partial" in path]


def test_the_last_steps_wait_for_no_signal():
    code = (
        "import os, signal\nfrom deploy.update import undisturbed\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a shell ignores it for what runs behind it
        "with undisturbed():\n    os.kill(os.getpid(), signal.SIGINT)\n    print('done')\n"
        "try:\n    os.kill(os.getpid(), signal.SIGINT)\n    signal.pause()\n"
        "except KeyboardInterrupt:\n    print('interrupted')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=update.ROOT, capture_output=True, text=True, timeout=30
    )
    assert done.stdout.split() == ["done", "interrupted"]


def test_the_folder_is_ignored_here_and_make_knows_the_command():
    assert f"/{update.ASIDE}/" in (update.ROOT / ".gitignore").read_text(encoding="utf-8").split()
    makefile = (update.ROOT / "Makefile").read_text(encoding="utf-8")
    assert all(re.search(rf"^{name}:.*##", makefile, re.MULTILINE) for name in ("update", "fresh"))
