"""Whatever a command is given, it ends with status 0, 1 or 2, at most one sentence on stderr, and no traceback.

Each is called in this process, through its `main`, with a command line of which something is always to be refused, so
that no training and no download begins. It writes nothing but into the folder that it is given, and ends within two
seconds. What argparse says of a command line has a form of its own: the usage, then the error.
"""

from __future__ import annotations

import argparse
import ast
import io
import os
import re
import shutil
import socket
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course_utils.support.paths import ROOT
from tests.faults.contract import Broken, Hangs, check_sentence, listing, watched
from tests.faults.strategies import in_each_profile

ROOMS = ("course_utils", "scripts", "experiments")  # a maintainer's tools may say it with a traceback
NUMBERS = ["-1", "0", "2", "1.5", "1e400", "nan", "-inf", "", "x", "９", "9" * 30, " 3", "0x10"]
TEXTS = ["", " ", "배", "--", "-", "-x", "\x1b[31m", "\udcff", "가" * 300, "all", "%s {0} $x$"]
# What stands in the folder that a command is started in; see `places`.
PATHS = ["file.txt", "file.json", "lists.json", "deep.json", "empty", "folder", "folder/inside.txt", "pipe"]
PATHS += ["link", "absent", "absent/deep", "file.txt/below", "x" * 300, "/dev/null", "/proc/none", "", "."]
PATHS += ["closed"] if os.geteuid() else []  # root may write everywhere
OUT = ["out", "out/deep"]
MAY_BE_WRITTEN = ("out", "absent")


@dataclass(frozen=True)
class Command:
    """How a command is called; its options are read off its own parser.

    Attributes:
        refused: command lines that must be refused; one of them ends each that is drawn, so that it wins.
        positional: what is drawn for arguments without an option.
        many: whether it says a sentence of each argument.
    """

    refused: Sequence[Sequence[str]]
    positional: Sequence[str] = ()
    many: bool = False


NO_DEVICE = ["--device", "abacus"]
NO_TABLE = [["--table", "--out", path] for path in PATHS[:8]]
COMMANDS = {
    "scripts.evaluate_senses": Command(
        [["absent"], ["folder"], ["file.txt"], ["pipe"], ["--half", "x", "absent"]]
    ),
    "scripts.finetune": Command(
        [
            ["--model", "absent"],
            ["--model", "pipe"],
            ["--labels", "0"],
            ["--seeds", "0"],
            ["weather"],
            NO_DEVICE,
            *NO_TABLE,
        ],
        positional=["reviews", *TEXTS],
    ),
    "scripts.pretrain": Command(
        [*(["--corpus", path] for path in PATHS[4:10]), NO_DEVICE, ["--steps", "-1"], ["--layers", "1e400"]]
    ),
    "scripts.sense_tuning": Command(
        [*(["--model", path] for path in PATHS[4:10]), NO_DEVICE, ["--threads", "0"]]
    ),
    "course_utils.datasets.public": Command([["nothing of this name"]], positional=["all", *TEXTS]),
    "course_utils.datasets.download": Command(
        [["nothing of this name"]], positional=["ChatbotData.csv", *TEXTS[:3], *TEXTS[6:]], many=True
    ),
    "course_utils.doctor": Command([["--no-such"], ["more"]]),
    "experiments.ablations": Command(
        [["--only", "no such"], *(["--steps", "0", "--out", path] for path in PATHS)]
    ),
    "experiments.dynamics": Command([["--seeds", "0"], ["--steps", "0"], ["--steps", "1.5"]]),
    "experiments.masked_loss": Command(
        [["no such"], ["--most", "0", "no such"], ["--seed", "-1", "no such"], []],
        positional=["no such", *PATHS[1:4]],
    ),
    "experiments.sense_labels": Command(
        [["--only", "no such"], ["--seeds", "0"], ["--threads", "0"], *NO_TABLE]
    ),
    "experiments.sense_stages": Command(
        [["first"], ["first="], ["=folder"], *([f"first={path}"] for path in PATHS[1:6])],
        positional=["first=no such", *TEXTS],
    ),
    "experiments.task_data": Command([["news.tsv"], ["reviews.tsv", "배"]], positional=["pairs.tsv", *TEXTS]),
    "experiments.translations": Command([["--only", "no such"], ["--seeds", "0"], NO_DEVICE, *NO_TABLE]),
    "experiments.family": Command(
        [["--parts", "no such"], ["--seeds", "0"], ["--steps", "0"], NO_DEVICE, *NO_TABLE]
    ),
}


def commands() -> set[str]:
    """The modules that are commands: those with an `if __name__ == "__main__"`."""
    found = set()
    for file in (file for room in ROOMS for file in (ROOT / room).rglob("*.py")):
        code = file.read_text("utf-8")
        body = ast.parse(code).body if "__main__" in code else []
        if any(isinstance(node, ast.If) and "'__main__'" in ast.unparse(node.test) for node in body):
            found.add(".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__main__"))
    return found


def main_of(name: str) -> Callable[[list[str]], int]:
    """The function that a command is."""
    package = import_module(name)
    return (import_module(f"{name}.__main__") if hasattr(package, "__path__") else package).main


class Seen(BaseException):
    """A command's parser, raised when it is about to read a command line."""


def options_of(main: Callable[[list[str]], int]) -> list[argparse.Action]:
    """The options of a command, but for --help and --debug, which says a traceback."""

    def stop(parser: argparse.ArgumentParser, *given: Any) -> None:
        raise Seen(parser)

    with pytest.MonkeyPatch.context() as patch, pytest.raises(Seen) as seen:
        patch.setattr(argparse.ArgumentParser, "parse_args", stop)
        main([])
    actions = seen.value.args[0]._actions
    return [one for one in actions if one.option_strings and one.dest not in ("help", "debug")]


@st.composite
def lines(draw: st.DrawFn, command: Command, options: Sequence[argparse.Action]) -> list[str]:
    """A command line with up to three spoilt pieces, and something at its end that must be refused."""
    pieces = [
        st.sampled_from(["--no-such", "-q", "--no-such=3", "--debug=x", "---"]).map(lambda sign: [sign])
    ]
    names = [name for one in options for name in one.option_strings]  # of some the value is missing
    valued = [one.option_strings[0] for one in options if one.nargs != 0]
    pieces += [
        st.sampled_from(words).map(lambda word: [word]) for words in (names, command.positional) if words
    ]
    if valued:
        values = st.sampled_from(NUMBERS) | st.sampled_from(TEXTS) | st.sampled_from(PATHS)
        pieces.append(st.tuples(st.sampled_from(valued), values).map(list))
    chosen = draw(st.lists(st.one_of(pieces), max_size=3))
    written = [name for name in ("--out", "--work") if name in valued]
    needed = [part for name in written for part in (name, draw(st.sampled_from(OUT)))]
    return [*needed, *(part for piece in chosen for part in piece), *draw(st.sampled_from(command.refused))]


def places(here: Path) -> None:
    """What the paths of PATHS name."""
    (here / "folder").mkdir()
    (here / "folder" / "inside.txt").write_text("\n", encoding="utf-8")
    (here / "file.txt").write_bytes(b"\xff\xfe\x00")
    (here / "file.json").write_text(
        '{"runs": 3, "settings": [], "cells": {}, "nbformat": "x"}', encoding="utf-8"
    )
    (here / "lists.json").write_text("[[]]", encoding="utf-8")
    (here / "deep.json").write_text("[" * 100_000, encoding="utf-8")
    (here / "empty").touch()
    os.mkfifo(here / "pipe")
    (here / "link").symlink_to("link")
    (here / "closed").mkdir(mode=0)


def hold(main: Callable[[list[str]], int], arguments: list[str], *, many: bool = False) -> None:
    """Run a command, and hold it to the contract."""
    out, said = io.StringIO(), io.StringIO()
    seen = written()
    try:
        with redirect_stdout(out), redirect_stderr(said), watched():
            status = main(list(arguments))
    except SystemExit as end:  # argparse
        status = end.code
    except Hangs:
        raise Broken("it hangs") from None
    except Exception as error:
        raise Broken(f"a traceback: {type(error).__name__}: {error}") from error
    if status not in (0, 1, 2):
        raise Broken(f"its exit status is {status}")
    check_said(said.getvalue(), status, arguments, many)
    if (left := written()) != seen:
        raise Broken(f"it writes outside its folder: {sorted(set(left) ^ set(seen))}")


def written() -> list[Any]:
    """What stands in the working directory, but for what a command may write."""
    here = Path.cwd()
    entries = ((Path(place).relative_to(here).parts[0], place, *about) for place, *about in listing([here]))
    return [entry for entry in entries if entry[0] not in MAY_BE_WRITTEN]


def check_said(said: str, status: int, arguments: list[str], many: bool) -> None:
    """Refuse anything on stderr but one sentence, or argparse's own form; what the caller gave may be long."""
    if "Traceback" in said:
        raise Broken(f"a traceback: {said[-300:]}")
    if said.startswith("usage:"):
        if status != 2 or ": error: " not in said:
            raise Broken(f"its usage ends with status {status}: {said[-300:]}")
        return
    if status == 2 and not said.strip():
        raise Broken("it ends with status 2 and says nothing")
    for given_ in sorted({given_ for given_ in arguments if len(given_) > 9}, key=len, reverse=True):
        said = said.replace(given_, "…").replace(repr(given_)[1:-1], "…")
    said = re.sub(r"https?://[^ )]+", "…", said).removesuffix("\n")  # an address is long, and must be whole
    for sentence in said.split("\n") if many else filter(None, [said]):
        check_sentence(sentence)


def fuzz(name: str, profile: Any) -> None:
    main, command = main_of(name), COMMANDS[name]

    @profile
    @given(arguments=lines(command, options_of(main)))
    def call(arguments: list[str]) -> None:
        for place in MAY_BE_WRITTEN:
            shutil.rmtree(place, ignore_errors=True)
        hold(main, arguments, many=command.many)

    call()


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """A working directory with all kinds of places, a home in it, and no network."""

    def closed(*given: Any, **more: Any) -> Any:
        raise OSError("no network")

    places(tmp_path)
    monkeypatch.chdir(tmp_path)
    for variable in ("HOME", "COURSE_DATA_HOME", "COURSE_CACHE_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(variable, str(tmp_path / "out"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.delenv("COURSE_DATA_MIRROR", raising=False)
    for function in ("getaddrinfo", "create_connection"):
        monkeypatch.setattr(socket, function, closed)


@in_each_profile
@pytest.mark.parametrize("name", COMMANDS)
def test_a_bad_command_line_is_one_sentence(name, profile, elsewhere):
    fuzz(name, profile)


def test_every_command_has_an_entry():
    assert commands() == {*COMMANDS}, "enter it in COMMANDS, with what must be refused"
