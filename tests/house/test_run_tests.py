"""dev/run_tests.py: what is said when something has to be left out, and what each plan holds."""

from __future__ import annotations

import subprocess
import sys

import pytest

from dev import browser_tools, changed_tests, run_tests


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A plan of two stages that take no time; what they were asked for."""
    asked: list[str] = []

    def stages(*, rare: bool = False, axe: bool = True, pair: bool = False) -> dict:
        asked.append(f"rare={rare} axe={axe} pair={pair}")
        return {
            name: [[sys.executable, "-c", f"print('ran {name}')"]]
            for name in ("notebooks", "lint", "browser")
        }

    monkeypatch.setattr(run_tests, "stages", stages)
    monkeypatch.setattr(browser_tools, "missing", dict)
    monkeypatch.setattr(browser_tools, "IN_CI", False)
    return asked


def test_all_stages(few: list[str], capfd: pytest.CaptureFixture[str]):
    assert run_tests.main([]) == 0
    said = capfd.readouterr().out
    assert [line for line in said.splitlines() if line.startswith("ran")] == [
        "ran lint",
        "ran browser",  # beside the others, and told behind them
        "ran notebooks",
    ]
    assert said.endswith("✓ passed every stage\n")
    assert run_tests.main(["lint"]) == 0
    assert "ran browser" not in capfd.readouterr().out
    assert [asked.split()[-1] for asked in few] == ["pair=False", "pair=True"]  # alone it has both cores
    with pytest.raises(SystemExit) as refused:
        run_tests.main(["unheard"])
    assert refused.value.code == 2 and "lint, browser" in capfd.readouterr().err


def test_without_chromium_it_is_a_line_at_each_end(
    few: list[str], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(browser_tools, "missing", lambda: {browser_tools.BROWSER: "none starts"})
    assert run_tests.main([]) == 0
    said = capfd.readouterr().out.splitlines()
    assert said[0] == "! without the browser stage: none starts"
    assert said[-1] == "✓ passed without the browser stage: none starts"
    assert "ran lint" in said and "ran browser" not in said


def test_without_axe_the_browser_stage_runs_without_its_tests(
    few: list[str], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(browser_tools, "missing", lambda: {browser_tools.BARRIERS: "no npm"})
    assert run_tests.main(["--all"]) == 0
    said = capfd.readouterr().out.splitlines()
    assert said[0] == "! without the look for barriers: no npm" and said[-1].startswith("✓ passed without")
    assert "ran browser" in said and few[-1] == "rare=True axe=False pair=False"


@pytest.mark.parametrize("what", [browser_tools.BROWSER, browser_tools.BARRIERS])
def test_in_continuous_integration_nothing_is_left_out(
    few: list[str], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], what: str
):
    monkeypatch.setattr(browser_tools, "missing", lambda: {what: "gone"})
    monkeypatch.setattr(browser_tools, "IN_CI", True)
    assert run_tests.main([]) == 1
    assert "ran lint" not in capfd.readouterr().out
    assert run_tests.main(["lint"]) == 0  # which needs neither


def test_a_failing_stage_is_named(few: list[str], capfd: pytest.CaptureFixture[str]):
    plan = {"lint": [[sys.executable, "-c", "raise SystemExit(1)"]], "tests": [], "faults": []}
    assert run_tests.run(list(plan), plan) == 1
    assert "✗ the stage 'lint' failed; not ended: tests, faults" in capfd.readouterr().out


def test_what_is_rare_is_dropped_from_no_plan_but_the_daily_one():
    def words(plan: dict) -> list[str]:
        return [word for commands in plan.values() for command in commands for word in command]

    daily, weekly = run_tests.stages(), run_tests.stages(rare=True)
    assert "not rare" in words(daily) and not any("rare" in word for word in words(weekly))
    assert set(weekly) == {*daily, "faults"}
    assert "not rare and not axe" in words(run_tests.stages(axe=False))
    assert len(run_tests.NOTEBOOKS) >= 14 and set(run_tests.NOTEBOOKS) <= set(words(daily))
    files = {str(path.relative_to(run_tests.ROOT)) for path in (run_tests.ROOT / "tests").rglob("test_*.py")}
    missing = files - set(words(daily))
    assert len(files) > 150 and all(file.startswith("tests/browser/") for file in missing)


def test_nothing_changed_is_lint_alone(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(changed_tests, "files", lambda root: [])
    monkeypatch.setattr(changed_tests, "widgets", lambda root: [])
    assert run_tests.check() == {"lint": run_tests.LINT, "tests": []}
    monkeypatch.setattr(changed_tests, "files", lambda root: ["tests/model/test_masks.py"])
    (command,) = run_tests.check()["tests"]
    assert command[-1] == "tests/model/test_masks.py" and "-n" in command  # alone it has both cores


@pytest.mark.parametrize(
    "missing", [{}, {browser_tools.BARRIERS: "no npm"}, {browser_tools.BROWSER: "none starts"}]
)
def test_a_changed_widget_is_tried_in_the_browser_with_all_of_its_tests(
    monkeypatch: pytest.MonkeyPatch, missing: dict[str, str]
):
    monkeypatch.setattr(changed_tests, "files", lambda root: ["tests/widgets/test_folders.py"])
    monkeypatch.setattr(changed_tests, "widgets", lambda root: ["mask_painter", "mask_roller"])
    monkeypatch.setattr(browser_tools, "missing", lambda: missing)
    monkeypatch.setattr(browser_tools, "IN_CI", False)
    ran = {}
    monkeypatch.setattr(
        run_tests, "run", lambda chosen, plan, **_: ran.update({n: plan[n] for n in chosen}) or 0
    )
    assert run_tests.main(["--check"]) == 0
    (tests,) = ran["tests"]
    assert (
        "-n" not in tests and tests[-1] == "tests/widgets/test_folders.py"
    )  # beside the browser in one process
    if browser_tools.BROWSER in missing:
        assert list(ran) == ["lint", "tests"]
        return
    (command,) = ran["browser"]
    start = command.index("tests/browser/test_standard.py")
    assert command[start + 1 :] == [
        "tests/browser/test_widget_mask_painter.py",
        "tests/browser/test_widget_mask_roller.py",
        "-k",
        "mask_painter or mask_roller",
    ]
    assert not any("rare" in word for word in command) and ("not axe" in command) == bool(missing)


def test_a_request_for_another_host_fails_the_command_though_it_was_caught():
    ask = "import urllib.request as u\ntry: u.urlopen('http://example.org')\nexcept OSError: print('caught')"
    for code, status in (("print(1)", 0), ("raise SystemExit(3)", 3), (ask, 1)):
        command = [sys.executable, "-m", "dev.without_network", sys.executable, "-c", code]
        done = subprocess.run(command, cwd=run_tests.ROOT, capture_output=True, text=True)
        assert done.returncode == status, done.stderr
    assert "caught" in done.stdout and "outside this machine: example.org" in done.stdout
