"""Whatever a public function is given, it keeps to the contract (contract.py)."""

from __future__ import annotations

import random
from contextlib import suppress
from importlib import import_module

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings

from tests.faults import public
from tests.faults.contract import documented, hold
from tests.faults.registry import CASES, EXEMPT
from tests.faults.strategies import Kept, arguments

for room in (
    "textbook",
    "before",
    "words",
    "data",
    "figures",
    "learner",
    "models",
    "seq2seq",
    "task_files",
    "metrics",
    "task_rows",
    "task_training",
    "task_features",
    "paper",
    "after_bert",
    "distillation",
    "situations",
    "reach",
):
    import_module(f"tests.faults.{room}")

# Without an explanation of what varies, and without a database: the same calls each time, wherever it runs.
QUICK = settings(
    max_examples=6,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.generate],
    report_multiple_bugs=False,
)
FIGURES = settings(QUICK, max_examples=4)  # each is drawn
LONG = settings(QUICK, max_examples=300, derandomize=False)


LONG_CALLS = ("contextual.evaluation.evaluate", "tasks.data.read_names", "tasks.data.read_reviews")
# With a star: values of another kind, too. Weekly, as what judges all sentences or reads a large file at each call.
EACH = [
    pytest.param(name, star, marks=[pytest.mark.rare] if star or name in LONG_CALLS else [])
    for name in sorted(CASES)
    for star in ("", "*")
]
IDS = ["".join(each.values) for each in EACH]


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """The working directory and the home folder: nothing may be written there."""
    folders = [tmp_path / "work", tmp_path / "home"]
    for folder in folders:
        folder.mkdir()
    monkeypatch.chdir(folders[0])
    monkeypatch.setenv("HOME", str(folders[1]))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    return folders


def fuzz(name: str, star: str, profile: settings, folders) -> None:
    """Call one public name again and again with arguments that are spoilt in one place or two."""
    found = CASES[name]
    errors = documented(*found.documents)
    with suppress(Exception):  # imports, fonts: what only a first call does is not held against it
        found.call(
            **{key: value.value if isinstance(value, Kept) else value for key, value in found.good().items()}
        )
    good = {key: value.value if isinstance(value, Kept) else value for key, value in found.good().items()}
    hold(found.call, good, errors if name.endswith("#absent") else set(), folders)

    @profile
    @given(given=arguments(found.good, strangers=bool(star)))
    def call(given):
        hold(found.call, given, errors, folders)

    call()


@pytest.mark.parametrize(("name", "star"), EACH, ids=IDS)
def test_it_keeps_to_the_contract(name, star, elsewhere, same_constants):
    profile = FIGURES if name.startswith("viz.") or CASES[name].few else QUICK
    fuzz(name, star, profile, elsewhere)


@pytest.mark.slow
@pytest.mark.rare
@pytest.mark.parametrize(("name", "star"), EACH, ids=IDS)
def test_it_keeps_to_the_contract_for_long(name, star, elsewhere):
    number = random.SystemRandom().randrange(2**32)
    print(f"seed {number}")  # `@seed` with it draws the same again
    fuzz(name, star, lambda call: seed(number)(LONG(call)), elsewhere)


def test_every_public_name_has_a_strategy_or_a_reason():
    there = set(public.names())
    with_strategy = {name.partition("#")[0] for name in CASES}
    new = sorted(there - with_strategy - set(EXEMPT))
    assert new == [], "enter them in tests/faults (registry.py says how)"
    assert set(LONG_CALLS) <= set(CASES)
    assert not set(EXEMPT) - there and not with_strategy & set(EXEMPT), "exempt, and need not be"


@pytest.fixture
def same_constants(monkeypatch):
    """Hypothesis also draws constants of the modules that happen to be loaded; here they are those of no module."""
    providers = import_module("hypothesis.internal.conjecture.providers")
    none = providers.Constants(**dict.fromkeys(("integers", "floats", "bytes", "strings"), ()))
    monkeypatch.setattr(providers, "_get_local_constants", lambda: none)
