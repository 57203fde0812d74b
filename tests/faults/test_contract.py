"""The contract itself: what breaks a clause is caught, and what keeps to all is not."""

from __future__ import annotations

import time
import warnings

import pytest

from tests.faults import contract
from tests.faults.contract import Broken, hold


def kept(values):
    raise ValueError("values must be a list of texts, got 'one. Two.'")


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


def raises_another_type(values):
    raise RuntimeError("values must be a list")


def says_two_sentences(values):
    raise ValueError("values must be a list. It is a text.")


def says_two_lines(values):
    raise ValueError("values must be a list,\ngot a text")


def says_too_much(values):
    raise ValueError("values " * 50)


def says_nothing(values):
    raise ValueError


@pytest.mark.parametrize(
    ("function", "clause"),
    [
        (warns, "it warns: values are old"),
        (writes, "it writes outside its folder"),
        (spins, "it hangs"),
        (waits, "it hangs"),
        (changes_a_list, "it changes its input"),
        (raises_another_type, "it raises RuntimeError"),
        (says_two_sentences, "more than one sentence"),
        (says_two_lines, "not one plain line"),
        (says_too_much, "350 characters"),
        (says_nothing, "0 characters"),
    ],
)
def test_a_broken_clause_is_noticed(function, clause, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(contract, "BUSY", 0.2)
    monkeypatch.setattr(contract, "WAITS", 0.5 if function is waits else 20.0)
    with pytest.raises(Broken, match=clause):
        hold(function, {"values": [0.0]}, [tmp_path])


def test_what_keeps_to_it_passes(tmp_path):
    hold(kept, {"values": [0.0]}, [tmp_path])
