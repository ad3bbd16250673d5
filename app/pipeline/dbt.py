"""dbt's build of a working database, in a process of its own.

Parsing the project takes dbt longer than building a small warehouse. The result depends on nothing
but the project, so it is kept in the cache for all warehouses.
"""

from __future__ import annotations

import json
import logging
import os
import re
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from app.pipeline import shortcuts
from app.pipeline import team as teams
from app.pipeline.dbt_parse import LOCATED, cache_folder, digest, parse_project
from app.pipeline.lineage import write_lineage
from app.pipeline.places import home
from ingest.base.child import end_with_parent, parent_environment
from ingest.base.errors import PerfhouseError
from ingest.lake.cache import version as views_version
from ingest.lake.locked import seconds
from ingest.lake.memory import SETTING, build_memory, duckdb_memory

__all__ = ["DbtError", "FailedTest", "Progress", "Ran", "run_dbt"]

if TYPE_CHECKING:
    from dbt.contracts.graph.manifest import Manifest


messages = logging.getLogger(__name__)
Progress = Callable[[int, int, str], None]  # nodes built, of how many, and what is built longest
_NODE = re.compile(r"^[\d:]{8}  (\d+) of (\d+) (?![A-Z]+ hook:)(START )?(?:.*?(\w+\.\w+) )?")
_PASSED_ON = re.compile(
    r"(PERFHOUSE|DBT|PYTHON|LC)_|(PATH|PYTHONPATH|HOME|LANG|TMPDIR|TZ|VIRTUAL_ENV|LD_LIBRARY_PATH)$"
    r"|AWS_|PG[A-Z]+$"  # of DuckLake's storage and catalog
)
_FAILED = re.compile(r"ERROR|FAIL |Error")
_NO_MEMORY = "Out of Memory Error"  # as DuckDB says it
_LOOK_SECONDS = 0.2  # between looks at what DuckDB has written to disk
_OURS = "perfhouse"  # our project's name in dbt
_FAILED_TESTS = "failed_tests.json"  # what the process writes to dbt's folder of logs


class DbtError(PerfhouseError):
    """dbt did not build everything; the message is one line."""


class FailedTest(NamedTuple):
    """A data test of ours that found rows: its name, the models that it reads, and its SQL."""

    name: str
    models: list[str]  # with their schema
    query: str


class Ran(NamedTuple):
    """What dbt did: how many nodes it built and tested, and which data tests of ours failed."""

    nodes: int
    failed: list[FailedTest]


def run_dbt(
    database: Path,
    log: Path,
    *,
    target: str = "work",
    threads: int = 2,
    select: Sequence[str] = (),
    exclude: Sequence[str] = (),
    progress: Progress | None = None,
) -> Ran:
    """Build models into a working database and run their data tests.

    A data test that fails keeps nothing from being built: see app.pipeline.broken.

    database: named work.duckdb, as the parsed project expects. log: folder for what dbt writes.
    target: work, or lake for models in DuckLake.
    select, exclude: as dbt takes them; by default everything is built. Raises DbtError.

    If dbt ran in this process, it would keep the database open afterwards.
    """
    log.mkdir(parents=True, exist_ok=True)
    projects = teams.teams()
    seconds(teams.LIMIT)  # before it is too late to say that it is wrong
    # dbt looks through all variables for secrets at each line that it logs.
    environment = {name: value for name, value in os.environ.items() if _PASSED_ON.match(name)} | {
        **parent_environment(),
        **(
            {teams.SETTING: os.pathsep.join(str(project.folder) for project in projects)}
            if projects
            else {}
        ),
        "PERFHOUSE_HOME": str(home()),
        "PERFHOUSE_WORK": str(database),
        "PERFHOUSE_DUCKDB_MEMORY": duckdb_memory(),
        "DBT_TARGET": target,
        "DBT_TARGET_PATH": str(log / "target"),
        "DBT_LOG_PATH": str(log),
        "DBT_LOG_LEVEL_FILE": "none",  # what it prints is written to the file instead
        "DBT_SEND_ANONYMOUS_USAGE_STATS": "false",
        "DBT_WRITE_JSON": "false",  # artifacts of five megabytes, which only documentation needs
    }
    # Unit tests check the models, not the data: they belong to the project's own tests.
    command = [sys.executable, "-m", "app.pipeline.dbt", "--exclude-resource-type", "unit_test"]
    command += ["--threads", str(threads)]
    command += ["--select", *select] if select else []
    command += ["--exclude", *exclude] if exclude else []
    last, failed, nodes, done = deque[str](maxlen=1), list[str](), 0, 0
    with (
        _report_spill(Path(f"{database}.tmp")),
        (log / "dbt.log").open("w") as file,
        subprocess.Popen(
            command, cwd=log, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True,
        ) as dbt,
    ):  # fmt: skip
        running: dict[str, str] = {}  # number of the node -> its name, those begun first first
        for line in dbt.stdout or ():
            file.write(line)
            if node := _NODE.match(line):
                nodes = int(node[2])
                if node[3]:
                    running[node[1]] = node[4] or ""
                else:
                    running.pop(node[1], None)
                    done += 1
                if progress:
                    progress(min(done, nodes), nodes, next(iter(running.values()), ""))
            if _FAILED.search(line):
                failed.append(line)
            last.append(line)
    if dbt.returncode:
        first = (failed or last or ["no message"])[0].partition("  ")[2].strip()
        more = f"; {SETTING} lets it use more memory" if _NO_MEMORY in "".join(failed) else ""
        raise DbtError(f"dbt build failed: {first or 'no message'} (see {log / 'dbt.log'}){more}")
    failed_tests = json.loads((log / _FAILED_TESTS).read_text(encoding="utf-8"))
    return Ran(nodes, [FailedTest(*test) for test in failed_tests])


@contextmanager
def _report_spill(spilled: Path) -> Iterator[None]:
    """Say, at the end, how much DuckDB wrote to this folder at most, for lack of memory."""
    most, over = 0, threading.Event()

    def watch() -> None:
        nonlocal most
        while not over.wait(_LOOK_SECONDS):
            most = max(most, _bytes_in(spilled))

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()
        if most:
            messages.warning(
                "the build needs more than %.1f GB of memory: up to %.0f MB were written to disk, "
                "which takes longer; %s raises the limit",
                *(build_memory() / 1e9, most / 1e6, SETTING),
            )


def _bytes_in(folder: Path) -> int:
    """Return the size of the files in a folder, which may vanish at any time."""
    size = 0
    with suppress(OSError):
        for file in os.scandir(folder):
            with suppress(OSError):
                size += file.stat().st_size
    return size


# --- the process

_failed: dict[str, FailedTest] = {}  # by dbt's identity of the test


def main(*arguments: str) -> int:
    """Run dbt's build with these arguments; return the exit status."""
    import gc

    end_with_parent()
    # The parsed project is a million objects that stay; looking through them again and again for
    # garbage takes a quarter of the time.
    gc.disable()
    shortcuts.install()
    status = _build(arguments)
    file = Path(os.environ["DBT_LOG_PATH"], _FAILED_TESTS)
    file.write_text(json.dumps(list(_failed.values())), encoding="utf-8")
    return status


def _build(arguments: Sequence[str]) -> int:
    """Build our models and those of teams; the status is about ours."""
    log, projects = Path(os.environ["DBT_LOG_PATH"]), teams.teams()
    (log / teams.FILE).unlink(missing_ok=True)
    manifest, projects, results = _readable(projects)
    if manifest:
        write_lineage(manifest, log)
    _link(log / "packages", Path(os.environ[teams.PACKAGES]))
    if not projects or not manifest:
        if results:
            teams.write_results(log, results)
        ran = _results(manifest, projects, arguments)
        return 0 if ran is not None and not any(map(_has_failed, ran)) else 1
    teams.stop_slow_models()
    theirs, left_out = teams.selection(manifest), teams.raw_readers(manifest)
    # All their models are built each time: they are few, and meta.team_result is about all.
    chosen = [*arguments]
    if "--select" in chosen:
        position = chosen.index("--select") + 1
        chosen[position:position] = theirs
    # A failed test of theirs on a mart of ours would keep dbt from building what reads the mart.
    tests = [f"{their},resource_type:test" for their in theirs]
    without = [*tests, *(f"{project.name}+" for project in left_out)]
    second = _results(manifest, projects, [*chosen, "--exclude", *without])
    ran = second or []
    ours = [result for result in ran if not teams.is_theirs(result.node)]
    is_built = second is not None and not any(map(_has_failed, ours))
    again = sorted({our.node.name for our in ours if str(our.status) == "skipped"})
    if is_built and again and (manifest_without := parse_project([])):
        rest = _without(arguments, "--select")
        is_built = _invoke(manifest_without, "build", *rest, "--select", *again).success
        parse_project(projects)
    tested = _invoke(manifest, "test", "--select", *theirs, "--exclude-resource-type", "unit_test")
    results += left_out + teams.results_of(ran)
    results += teams.results_of(tested.result.results if tested.result else [])
    teams.write_results(log, results)
    return 0 if is_built else 1


def _readable(
    own: list[teams.Team],
) -> tuple[Manifest | None, list[teams.Team], list[teams.Result]]:
    """Return the parsed project, with those of teams that dbt can read, and why others are not."""
    reasons = list[str]()
    if manifest := parse_project(own, reasons):
        teams.allow_tables(manifest)
        return manifest, own, []
    if not own:
        return None, [], []
    read, results = list[teams.Team](), list[teams.Result]()
    for project in (
        own if len(own) > 1 else ()
    ):  # one may not read, or two may have a name in common
        reasons = []
        if parse_project([*read, project], reasons):
            read.append(project)
        else:
            results.append(teams.unreadable(project, (reasons or [""])[0]))
    results = results or [teams.unreadable(own[0], (reasons or [""])[0])]
    manifest = parse_project(read)
    if manifest:
        teams.allow_tables(manifest)
    return manifest, read, results


def _link(link: Path, place: Path) -> None:
    """Let people who run dbt by hand find the packages that the build read."""
    link.unlink(missing_ok=True)
    link.symlink_to(place)


def _results(
    manifest: Manifest | None, own: Sequence[teams.Team], arguments: Sequence[str]
) -> list[Any] | None:
    """Build; return dbt's results, or None if it did not begin.

    Models that did not fit into memory beside others are built once more, one after the other, and
    so is what reads them. Not if all were built so, as in a lake: there they are one transaction.
    """
    done = _invoke(manifest, "build", *arguments)
    if done.result is None:
        return None
    ran = list(done.result.results)
    failed = [run for run in ran if _has_failed(run)]
    beside_others = arguments[arguments.index("--threads") + 1] != "1"
    if beside_others and failed and all(_NO_MEMORY in str(failure.message) for failure in failed):
        left = {run.node.name for run in ran if run in failed or str(run.status) == "skipped"}
        arguments_alone = (*_without(arguments, "--threads", "--select"), "--threads", "1")
        manifest = parse_project(own)  # dbt compiles a node of a manifest once
        teams.allow_tables(manifest) if manifest else None
        again = _invoke(manifest, "build", *arguments_alone, "--select", *sorted(left))
        new = (
            {result.node.unique_id: result for result in again.result.results}
            if again.result
            else {}
        )
        ran = [new.get(run.node.unique_id, run) for run in ran]
    return ran


def _without(arguments: Sequence[str], *options: str) -> list[str]:
    """Return the arguments without some options and what follows them."""
    kept, is_left_out = list[str](), False
    for argument in arguments:
        is_left_out = argument in options or (is_left_out and not argument.startswith("--"))
        kept += [] if is_left_out else [argument]
    return kept


def _has_failed(result: Any) -> bool:
    return str(result.status) in ("error", "fail", "runtime error")


def _invoke(manifest: Manifest | None, command: str, *arguments: str) -> Any:
    """Run a command of dbt on a parsed project; return its result.

    Our data tests only warn, so that what reads a model is built, and tested, all the same.
    """
    from dbt.cli.main import dbtRunner

    if manifest is not None:
        manifest.flat_graph = _graph(manifest)
    nodes: dict[str, Any] = manifest.nodes if manifest else {}
    tests = {
        key: node
        for key, node in nodes.items()
        if (node.resource_type, node.package_name) == ("test", _OURS)
        and node.config.severity.lower() == "error"
    }
    for test in tests.values():
        test.config.severity = "warn"
    with shortcuts.reuse_compiled(_made_by_dbt()):
        done = dbtRunner(manifest=manifest).invoke(
            ["--no-use-colors", command, *LOCATED, *arguments]
        )
    for test in tests.values():
        test.config.severity = "error"
    for result in done.result.results if done.result else ():
        test = result.node
        if test.unique_id in tests and str(result.status) == "warn":
            read = [nodes[key] for key in test.depends_on.nodes if key in nodes]
            models = [f"{model.schema}.{model.name}" for model in read]
            _failed[test.unique_id] = FailedTest(test.name, models, test.compiled_code)
    return done


def _graph(manifest: Manifest) -> dict[str, Any]:
    """Return the part of dbt's variable `graph` that macros read.

    dbt fills it only when it parses; filling it completely takes seconds.
    """

    def described(node: Any) -> dict[str, Any]:
        columns = {
            name: {part: getattr(column, part) for part in ("name", "description", "data_type")}
            for name, column in node.columns.items()
        }
        config = {name: getattr(node.config, name, None) for name in ("materialized", "meta")}
        location = {
            name: getattr(node, name, None)
            for name in ("schema", "alias", "identifier", "package_name")
        }
        read = {"nodes": node.depends_on_nodes}
        return {"columns": columns, "config": config, "depends_on": read, **location}

    models = {
        key: node for key, node in manifest.nodes.items() if node.resource_type in ("model", "seed")
    }
    return {
        "nodes": {key: described(node) for key, node in models.items()},
        "sources": {key: described(node) for key, node in manifest.sources.items()},
    }


def _made_by_dbt() -> Path:
    """Return where templates and columns of the project are kept."""
    return cache_folder() / f"made-{digest()}-{views_version()}.marshal"


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
