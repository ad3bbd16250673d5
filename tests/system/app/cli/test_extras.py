"""Which commands the core serves: `pip install perfhouse`, without an extra.

Commands run in a process in which only the packages that the core requires can be imported.
"""

import json
import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions, requires
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement

from app.pipeline.places import ROOT
from ingest.base.extras import EXTRAS
from tests.kit.cases import cases

PROCESS = """
import contextlib, importlib, io, json, sys

__file__ = "perfhouse"  # without it, DuckDB takes this for a prompt and draws progress bars

class Without:
    def __init__(self, finder):
        self.finder = finder
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in blocked:
            return None
        return self.finder.find_spec(name, path, target)
    def __getattr__(self, name):
        return getattr(self.finder, name)

blocked, modules, commands = json.load(sys.stdin)
sys.meta_path[:] = map(Without, sys.meta_path)
for module in modules:
    importlib.import_module(module)
from app.cli.main import main
answers = []
for command in commands:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status = main(command)
        except SystemExit as end:
            status = end.code
    answers.append((status, err.getvalue()))
print(json.dumps(answers))
"""
#: Modules that only an extra can import.
OF_EXTRAS = re.compile(
    r"app\.(charts|dashboard|schedule)\b|app\.pipeline\.dbt_lake|app\.reports\.charts"
    r"|app\.results\.queries\.noise|models_sim\.(base\.search|calibration|models\.\w+\.fit)"
)
RESULTS = "start,build,p95_ms\n" + "".join(
    f"2026-03-0{day}T10:00:00Z,{{0}},{12 + day / 10}\n" for day in range(1, 6)
)


def names_of_core() -> set[str]:
    """Return the distributions that `pip install perfhouse` brings."""
    found: set[str] = set()
    new = ["perfhouse"]
    while new:
        found.add(name := new.pop())
        for wanted in map(Requirement, requires(name) or ()):
            plain = re.sub(r"[-_.]+", "-", wanted.name).lower()
            needed = wanted.marker is None or wanted.marker.evaluate({"extra": ""})
            if needed and plain not in found:
                new.append(plain)
    return found


def blocked() -> list[str]:
    """Return the names that cannot be imported without extras."""
    core = names_of_core()
    return sorted(
        module
        for module, holders in packages_distributions().items()
        if not core & {re.sub(r"[-_.]+", "-", holder).lower() for holder in holders}
        and module not in {"app", "dags", "expectations", "ingest", "models_sim", "tests"}
    )


def ran(commands: list[list[str]], cwd: Path, modules: list[str] | None = None) -> list[Any]:
    """Return the exit status and stderr of commands in one process of the core."""
    done = subprocess.run(
        [sys.executable, "-c", PROCESS],
        input=json.dumps([blocked(), modules or [], commands]),
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_every_module_but_those_of_extras_can_be_imported(tmp_path: Path) -> None:
    modules = [
        ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for folder in ("app", "expectations/regressions", "ingest", "models_sim", "perfhouse")
        for file in sorted((ROOT / folder).rglob("*.py"))
    ]
    chosen = [
        name for name in modules if not OF_EXTRAS.match(name) and not name.endswith("__main__")
    ]
    assert len(chosen) > 300
    # Judging series is for the extra `build`.
    names = ("groups", "judge", "levels", "together", "triage")
    judging = {f"expectations.regressions.{name}" for name in names}
    assert ran([], tmp_path, [name for name in chosen if name not in judging]) == []


def test_the_core_loads_asks_compares_and_reports(bundled: Path, tmp_path: Path) -> None:
    for build in "ab":
        (tmp_path / f"{build}.csv").write_text(RESULTS.format(build))
    own = ["--warehouse", str(tmp_path / "own.duckdb")]
    read = ["--warehouse", str(bundled)]
    commands = [
        ["run", "--dry-run", "a.csv", *own],
        ["ingest", "a.csv", *own],
        ["sql", "SELECT * FROM bench_run", *own],
        ["tables", *own],
        ["compare", "--baseline", "a.csv", "--candidate", "b.csv"],
        ["sql", "FROM fct_run", "--out", "runs.parquet", *read],
        ["tables", "fct_run", *read],
        ["compare", "machine=z15", "machine=z16", *read],
        ["regressions", "--all", *read],
        ["report", *read],
        ["report", "campaign", "--out", "campaign.md", *read],
        ["report", "campaign", "--out", "campaign.html", *read],
        ["export", "marts.duckdb", *read],
        ["predict", str(ROOT / "data/published/cells.csv"), "--out", "predicted.csv"],
        ["doctor", *own],
    ]
    found = ran(commands, tmp_path)
    assert [(command[0], said) for command, (status, said) in zip(commands, found, strict=True)
            if status > 1] == []  # fmt: skip
    report = (tmp_path / "campaign.md").read_text()
    assert "![" not in report
    assert re.search(r"(?m)^\*\*Figure \d+\. .+\*\*: .*\d+ values, .+ to ", report)
    assert not (tmp_path / "campaign-charts").exists()


@cases
def test_the_extra_that_a_command_needs_is_named(extra: str, command: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(RESULTS.format("a"))
    words = command.split()
    has_warehouse = words[0] != "changepoints"
    own = ["--warehouse", str(tmp_path / "own.duckdb")] if has_warehouse else []
    ((status, said),) = ran([[*words[:-2], "SELECT 1", *own]] if extra == "excel" else
                            [[*words, *own]], tmp_path)  # fmt: skip
    assert said == (f"perfhouse: this needs an optional part: pip install 'perfhouse[{extra}]'\n")
    assert status == 2
    assert not (tmp_path / "own.lake").exists()  # nothing was loaded in vain


def test_extras_are_declared_and_bring_the_modules_that_are_missing_without_them() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert EXTRAS.keys() <= project["optional-dependencies"].keys()
    assert {module for modules in EXTRAS.values() for module in modules} <= set(blocked())
