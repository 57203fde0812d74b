"""Whatever a command is given, it ends with status 2 and one sentence on stderr, or does its work."""

from __future__ import annotations

from importlib import import_module

import pytest

from tests.faults.contract import check_sentence
from tests.faults.strategies import TEXTS

COMMANDS = (
    "evaluate_senses",
    "training.pretrain",
    "training.sense_tuning",
    "datasets.public",
    "datasets.download",
)
# Not the doctor: it takes no argument but --debug and the like, and its findings are many lines.
BAD = {
    "evaluate_senses": [["/nowhere/배"], ["--half", "x"], ["--unknown"]],
    "training.pretrain": [[], ["--out", "run", "--steps", "-1"], ["--out", "run", "--steps", "1e400"]],
    "training.sense_tuning": [["--model", "/nowhere"], ["--model", "/nowhere", "--out", "new"]],
    "datasets.public": [["nothing of this name"]],
    "datasets.download": [["nothing of this name"]],
}


@pytest.mark.parametrize(
    ("command", "arguments"),
    [(name, given) for name in COMMANDS for given in [*BAD[name], ["--no-such", TEXTS[4]]]],
)
def test_bad_arguments_are_one_sentence(command, arguments, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    try:
        status = import_module(f"course_utils.{command}").main(arguments)
    except SystemExit as end:  # argparse
        status = end.code
    said = capsys.readouterr().err
    assert status == 2 and said
    check_sentence(said.strip().splitlines()[-1])
    assert not list(tmp_path.iterdir())
