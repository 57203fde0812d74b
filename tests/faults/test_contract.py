"""The contract itself: what breaks a clause is caught, and what keeps to all is not."""

from __future__ import annotations

import time
import warnings

import pytest

from tests.faults import contract
from tests.faults.contract import Broken, hold


def warns(values):
    warnings.warn("values are old", stacklevel=1)


def writes(values):
    open("left behind", "w").close()


def spins(values):
    while True:
        pass


def waits(values):
    time.sleep(60)


def changes_a_list(values):
    values.append(3)


def raising(error: BaseException):
    def call(values):
        raise error

    return call


@pytest.mark.parametrize(
    ("function", "clause"),
    [
        (warns, "it warns: values are old"),
        (writes, "it writes outside its folder"),
        (spins, "it hangs"),
        (waits, "it hangs"),
        (changes_a_list, "it changes its input"),
        (raising(RuntimeError("values must be a list")), "it raises RuntimeError"),
        (raising(ValueError("values must be a list. It is a text.")), "more than one sentence"),
        (raising(ValueError("values must be a list,\ngot a text")), "not one plain line"),
        (raising(ValueError("values " * 50)), "350 characters"),
        (raising(ValueError()), "0 characters"),
    ],
)
def test_a_broken_clause_is_noticed(function, clause, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(contract, "BUSY", 0.2)
    monkeypatch.setattr(contract, "WAITS", 0.5 if function is waits else 20.0)
    with pytest.raises(Broken, match=clause):
        hold(function, {"values": [0.0]}, [tmp_path])


def test_what_keeps_to_it_passes(tmp_path):
    said = "values must be a list of texts, got 'one. Two.'"
    hold(raising(ValueError(said)), {"values": [0.0]}, [tmp_path])
