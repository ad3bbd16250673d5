"""The set-up of a fresh machine: lock, Makefile, scripts."""

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import distributions
from itertools import chain
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from app.pipeline.places import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
LOCKS = {
    name: (ROOT / name).read_text() for name in ("requirements.txt", "requirements-cluster.txt")
}
SCRIPTS = [
    *(ROOT / ".ci").glob("run"),
    *(ROOT / "scripts").glob("*.sh"),
]


def pins(lock: str) -> dict[str, str]:
    """Return package -> version."""
    found = re.findall(r"^([a-z0-9][a-z0-9._-]*)(?:\[[^]]*\])?==(\S+)", lock, re.MULTILINE)
    return dict(found)


EXTRAS = {  # an extra may name others of the project
    name: [one for one in wanted if not one.startswith("perfhouse[")]
    for name, wanted in PROJECT["project"]["optional-dependencies"].items()
}
DEPENDENCIES = PROJECT["project"]["dependencies"]
WANTED = {
    "requirements.txt": [
        *DEPENDENCIES,
        *chain.from_iterable(EXTRAS[name] for name in EXTRAS if name != "cluster"),
        *PROJECT["dependency-groups"]["dev"],
        *PROJECT["build-system"]["requires"],
    ],
    "requirements-cluster.txt": [*DEPENDENCIES, *chain.from_iterable(EXTRAS.values())],
}


@pytest.mark.parametrize(
    ("lock", "wanted"), [(lock, one) for lock, wanted in WANTED.items() for one in wanted]
)
def test_a_lock_meets_the_project(lock: str, wanted: str) -> None:
    requirement = Requirement(wanted)
    pin = pins(LOCKS[lock])[canonicalize_name(requirement.name)]
    assert requirement.specifier.contains(pin)


def test_both_locks_have_the_same_versions() -> None:
    one, other = map(pins, LOCKS.values())
    assert {name for name in one.keys() & other.keys() if one[name] != other[name]} == set()


@pytest.mark.parametrize("lock", LOCKS.values(), ids=LOCKS)
def test_every_pin_has_its_hashes(lock: str) -> None:
    entries = re.split(r"^(?=[a-z0-9])", lock, flags=re.MULTILINE)[1:]
    assert len(entries) == len(pins(lock))
    assert [entry for entry in entries if "--hash=sha256:" not in entry] == []


@pytest.mark.parametrize("lock", LOCKS.values(), ids=LOCKS)
def test_a_lock_names_no_package_index(lock: str) -> None:
    assert "://" not in lock
    assert not re.findall(r"^-.*", lock, re.MULTILINE)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_scripts_are_posix_shell(script: Path) -> None:
    assert script.read_text().startswith("#!/bin/sh\n")
    assert script.stat().st_mode & 0o111
    subprocess.run(["sh", "-n", script], check=True)


def test_make_help_lists_every_target() -> None:
    makefile = (ROOT / "Makefile").read_text()
    command = ["make", "--no-print-directory", "help"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    names = {line.split()[0] for line in listed.stdout.splitlines()}
    assert names == set(re.findall(r"^\.PHONY: (\S+)", makefile, re.MULTILINE))


@pytest.mark.parametrize(
    ("status", "published", "serve", "served"),
    [(0, 1, 1, True), (1, 1, 1, True), (2, 1, 1, True), (2, 0, 1, False), (1, 1, 0, False),
     (130, 1, 1, False)],
)  # fmt: skip
def test_make_run_serves_what_is_published(
    status: int, published: int, serve: int, served: bool, tmp_path: Path
) -> None:
    (tmp_path / "scripts").mkdir()
    for name in ("Makefile", "scripts/quiet.env", "scripts/python.sh"):
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    for name in ("requirements.txt", "pyproject.toml", "scripts/setup.sh", *["w"] * published):
        (tmp_path / name).touch()
    commands = tmp_path / ".venv/bin"
    commands.mkdir(parents=True)
    for name, what in (
        ("python", "echo w"),
        ("perfhouse", f"echo $1; [ $1 != run ] || exit {status}"),
    ):
        (commands / name).write_text(f"#!/bin/sh\n{what}\n")
        (commands / name).chmod(0o755)
    ready = ["--old-file=.venv/.ready", "--assume-old=always"]
    (tmp_path / ".venv/.ready").touch()
    done = subprocess.run(
        ["make", "--no-print-directory", *ready, "run", f"SERVE={serve}"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stdout.split() == ["run", *["dashboard"] * served]
    failed = status if not served else 0
    assert (f"Error {failed}" in done.stderr) == (failed != 0)


#: Packages whose name differs from the module that they install.
MODULES = {
    "apache-airflow": "airflow",
    "dbt-core": "dbt",
    "markdown-it-py": "markdown_it",
    "vl-convert-python": "vl_convert",
}
#: Packages that no code of ours imports.
PLUGINS = {
    name
    for line in Path(__file__).with_name("plugins.txt").read_text().splitlines()
    for name in line.partition(":")[2].split()
}
FOLDERS = ("app", "dags", "expectations", "ingest", "models_sim", "perfhouse")


def test_the_packages_import_every_dependency_and_declare_every_import() -> None:
    declared = {
        canonicalize_name(Requirement(wanted).name)
        for wanted in (
            *PROJECT["project"]["dependencies"],
            *chain.from_iterable(EXTRAS.values()),
        )
    }
    modules = {MODULES.get(name, name.replace("-", "_")) for name in declared - PLUGINS}
    files = [file for folder in FOLDERS for file in (ROOT / folder).rglob("*.py")]
    imported = set(chain.from_iterable(map(imports, files)))
    assert imported - sys.stdlib_module_names - {*FOLDERS} == modules


def imports(file: Path) -> Iterator[str]:
    """Yield the top-level names of the modules that a file imports."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield (node.module or "").partition(".")[0]


PYTHONS = re.findall(r"\d+", PROJECT["project"]["requires-python"].replace("3.", ""))
VERSIONS = [f"3.{minor}" for minor in range(int(PYTHONS[0]), int(PYTHONS[1]))]
WORKFLOWS = {path.name: path for path in (ROOT / ".github/workflows").glob("*.yml")}


@pytest.mark.parametrize("workflow", WORKFLOWS.values(), ids=WORKFLOWS)
def test_a_workflow_runs_targets_of_the_makefile(workflow: Path) -> None:
    is_test = workflow.stem.startswith("test")
    for job in yaml.safe_load(workflow.read_text())["jobs"].values():
        assert job.get("strategy", {}).get("matrix") == ({"python": VERSIONS} if is_test else None)
        runs = [step["run"].split() for step in job["steps"] if "run" in step]
        for _, target, *settings in (run for run in runs if run[0] == "make"):
            assert target in targets()
            assert ("PYTHON=python${{" in settings) == is_test


def test_hooks_run_locked_tools_and_targets_of_the_makefile() -> None:
    made_by = {
        file.name: canonicalize_name(package.name)
        for package in distributions()
        for file in package.files or ()
        if "bin" in file.parts
    }
    (repository,) = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"]
    assert repository["repo"] == "local"
    for hook in repository["hooks"]:
        command, *arguments = hook["entry"].split()
        if command == "make":
            assert arguments[-1] in targets()
        else:
            assert Path(command).parent == Path(".venv/bin")
            assert made_by[Path(command).name] in pins(LOCKS["requirements.txt"])


def test_tools_check_for_the_least_python() -> None:
    tools = PROJECT["tool"]
    assert tools["mypy"]["python_version"] == VERSIONS[0]
    assert tools["ruff"]["target-version"] == "py" + VERSIONS[0].replace(".", "")
    makefile = (ROOT / "Makefile").read_text()
    assert re.findall(r"--python-version (\S+)", makefile) == VERSIONS[:1]


def targets() -> list[str]:
    """Return the targets of the Makefile."""
    return re.findall(r"^\.PHONY: (\S+)", (ROOT / "Makefile").read_text(), re.MULTILINE)
