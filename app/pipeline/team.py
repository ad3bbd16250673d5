"""Teams' own dbt projects, which are built, tested and published with ours (docs/team-models.md).

They are packages of our project. Two kinds of their models have a meaning, by their names:
team_findings, which marts.fct_data_issue reads, and team_metrics, which marts.fct_measurement
reads; a further project says team_metrics_NAME. Nothing else of ours reads them. If one of these
fails, what reads it is built without the projects.

meta.team_result  one row per model and test of the projects: how it went in the last build
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import tempfile
import threading
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import duckdb

from app.pipeline.places import FILES, home
from ingest.base.errors import SettingsError
from ingest.formats.plugin import plugins
from ingest.lake.locked import seconds, timeout_error
from ingest.lake.sql import identifier, literal

if TYPE_CHECKING:
    from dbt.contracts.graph.manifest import Manifest

__all__ = [
    "FILE",
    "LIMIT",
    "PACKAGES",
    "SETTING",
    "Result",
    "Team",
    "allow_tables",
    "is_theirs",
    "note_results",
    "packages",
    "raw_readers",
    "results_of",
    "selection",
    "stop_slow_models",
    "teams",
    "unreadable",
    "write_results",
]

#: What dbt's process writes for the build, below its folder of logs.
FILE = "team.json"

#: The environment variable with the folders of projects, separated like those of PATH.
SETTING = "PERFHOUSE_DBT"
PACKAGES = "PERFHOUSE_DBT_PACKAGES"  # the folder of packages, as our dbt_project.yml names it

LIMIT = "PERFHOUSE_TEAM_SECONDS"  # of each query of a model
_GIVEN = FILES / "dbt" / "defaults" / "teams"  # what stands in for what teams give to our marts
_OURS = ("perfhouse", _GIVEN.name)  # packages
_LEFT_OUT = {
    "team_findings": "intermediate.int_lake__team_finding",
    "team_metrics": "intermediate.int_runs__team_metric",
}
_NAME = re.compile(r"^name:\s*['\"]?(\w+)", re.MULTILINE)
_NODE = re.compile(r'"node_id": "\w+\.(\w+)\.')  # in the comment that dbt puts before a query
_FAILED = {"error": "error", "fail": "error", "runtime error": "error", "warn": "warning"}
_COMMENTS = {
    "TABLE meta.team_result": "One row per model and test of the team's own dbt project: how it "
    "went in the last build",
    "COLUMN meta.team_result.name": "Name of the model or test; the project, if it cannot be read",
    "COLUMN meta.team_result.kind": "project, test, seed, how the model is made (table), or rows: "
    "those that no mart has, with the reasons",
    "COLUMN meta.team_result.file": "Its file",
    "COLUMN meta.team_result.status": "passed, warning, error; skipped: one that it reads failed",
    "COLUMN meta.team_result.message": "What was wrong, in one line; empty if nothing was",
    "COLUMN meta.team_result.rows_failed": "Rows that a test found; NULL if it is no test",
}


class Team(NamedTuple):
    """A team's project: its folder, and its name in dbt."""

    folder: Path
    name: str


class Result(NamedTuple):
    """How a model or test of a team went: a row of meta.team_result."""

    name: str
    kind: str
    file: str
    status: str
    message: str = ""
    rows_failed: int | None = None


def teams() -> list[Team]:
    """Return the projects in $PERFHOUSE_DBT, or the one in `dbt` of the data folder; of plug-ins.

    Raises SettingsError if $PERFHOUSE_DBT names a folder without dbt_project.yml, or two projects
    have one name.
    """
    named = [*filter(None, os.environ.get(SETTING, "").split(os.pathsep))]
    projects: dict[str, Team] = {}
    folders = [Path(folder).absolute() for folder in named] or [home() / "dbt"]
    folders += [plugin.dbt for plugin in plugins() if plugin.dbt and plugin.dbt not in folders]
    for folder in folders:
        file = folder / "dbt_project.yml"
        if not file.is_file():
            if named:
                raise SettingsError(
                    f"{folder}: ${SETTING} is no dbt project (no dbt_project.yml): name the folder "
                    f"of one, or unset {SETTING}"
                )
            continue
        match = _NAME.search(file.read_text(encoding="utf-8", errors="replace"))
        project = Team(folder, match[1] if match else "team")
        if project.name in projects or project.name in _OURS:
            raise SettingsError(f"{folder}: a project is called {project.name} already: rename it")
        projects[project.name] = project
    return [*projects.values()]


def packages(cache: Path, own: Sequence[Team]) -> Path:
    """Return a folder in the cache with what dbt shall read beside our project.

    These are links to the projects and to their own packages, and what they give to our marts.
    """
    links: dict[str, Path] = {}
    for project in own:
        links |= {
            package.name: package
            for package in sorted((project.folder / "dbt_packages").glob("*"))
            if (package / "dbt_project.yml").is_file()
        }
    links |= {project.name: project.folder for project in own}
    given = {
        kind.replace("team", "teams") + ".sql": [
            (project.name, file.stem)
            for project in own
            for file in sorted((project.folder / "models").rglob(f"{kind}*.sql"))
        ]
        for kind in _LEFT_OUT
    }
    ours = [file.read_bytes() for file in sorted(_GIVEN.rglob("*.*")) if file.is_file()]
    digest = hashlib.sha256(repr((sorted(links.items()), given, ours)).encode()).hexdigest()[:16]
    folder = cache / f"packages-{digest}"
    if not folder.exists():
        cache.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(dir=cache))
        shutil.copytree(_GIVEN, draft / _GIVEN.name)
        for file, models in given.items():
            with (draft / _GIVEN.name / "models" / file).open("a") as model_of_all:
                for model in models:
                    model_of_all.write(f"union all by name select * from {{{{ ref{model} }}}}\n")
        for name, target in links.items():
            (draft / name).symlink_to(target, target_is_directory=True)
        try:
            draft.rename(folder)
        except OSError:  # another process made it
            shutil.rmtree(draft)
    return folder


def selection(manifest: Manifest) -> list[str]:
    """Return what selects all that is of teams in dbt, without the tests of packages."""
    theirs = {node.package_name for node in manifest.nodes.values()}
    return [f"package:{name}" for name in sorted(theirs.difference(_OURS))]


def allow_tables(manifest: Manifest) -> None:
    """Let teams' views be tables: a view names the working database, which is not published."""
    nodes: Mapping[str, Any] = manifest.nodes
    for node in nodes.values():
        if is_theirs(node) and node.config.materialized == "view":
            node.config.materialized = "table"


def stop_slow_models() -> None:
    """Let dbt, in this process, stop each query of a team's model after so long."""
    from dbt.adapters.duckdb.environments.local import DuckDBCursorWrapper
    from dbt_common.exceptions import DbtRuntimeError

    plain, limit = DuckDBCursorWrapper.execute, seconds(LIMIT)

    def execute(self: Any, sql: str, bindings: Any = None) -> Any:
        named = _NODE.search(sql)
        if not named or named[1] in _OURS:
            return plain(self, sql, bindings)
        timer = threading.Timer(limit, self._cursor.interrupt)
        timer.daemon = True
        timer.start()
        try:
            return plain(self, sql, bindings)
        except duckdb.InterruptException:
            raise DbtRuntimeError(str(timeout_error(limit, LIMIT))) from None
        finally:
            timer.cancel()

    DuckDBCursorWrapper.execute = execute


# --- what became of it


def raw_readers(manifest: Manifest) -> list[Result]:
    """Return the models that would see some days only: they read records, and are not by_day."""
    nodes: Mapping[str, Any] = manifest.nodes

    def reads_records(key: str) -> bool:
        if key.startswith("source."):
            return manifest.sources[key].schema in ("raw", "staging")
        if key not in nodes or nodes[key].config.materialized not in ("ephemeral", "view"):
            return False
        return any(map(reads_records, nodes[key].depends_on.nodes))

    return [
        _result(
            node, "error",
            "it reads records, of which a build shows the days that changed: make it incremental "
            "with incremental_strategy='by_day', or read a mart",
        )
        for node in nodes.values()
        if is_theirs(node)
        and node.resource_type == "model"
        and node.config.materialized not in ("ephemeral", "view")
        and getattr(node.config, "incremental_strategy", None) != "by_day"
        and any(map(reads_records, node.depends_on.nodes))
    ]  # fmt: skip


def is_theirs(node: Any) -> bool:
    """Return whether a model or test of dbt is of a team, or of a package of one."""
    return node.package_name not in _OURS


def results_of(results: Iterable[Any]) -> list[Result]:
    """Return how teams' models and tests went, from the results of a run of dbt."""
    failures = []
    for result in results:
        if not is_theirs(result.node):
            continue
        status = str(result.status)
        status = _FAILED.get(status, "skipped" if status == "skipped" else "passed")
        message = "" if status == "passed" else _line(result.message or "")
        if status == "skipped":
            message = "not built, because a model or test that it depends on failed"
        failures.append(_result(result.node, status, message, result.failures))
    return failures


def _result(node: Any, status: str, message: str = "", rows_failed: int | None = None) -> Result:
    is_model = node.resource_type == "model"
    kind = node.config.materialized if is_model else str(node.resource_type)
    package = Path(os.environ[PACKAGES], node.package_name)
    file = str((package / node.original_file_path).resolve())
    return Result(node.name, kind, file, status, message, rows_failed)


def unreadable(own: Team, reason: str) -> Result:
    """Return the result of a project that dbt cannot read."""
    file = re.search(r"[\w./-]+\.(?:sql|yml|yaml|csv|py|md)\b", reason)
    path = own.folder / file[0] if file else own.folder
    return Result(own.name, "project", str(path), "error", _line(reason))


def _line(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


def write_results(folder: Path, results: Iterable[Result]) -> None:
    """Write what became of the team's project to FILE in a folder."""
    rows = [result._asdict() for result in results]
    (folder / FILE).write_text(json.dumps(rows), encoding="utf-8")


def note_results(db: duckdb.DuckDBPyConnection, folder: Path) -> bool:
    """Take FILE into meta.team_result; return whether the next build can be of some days only.

    It cannot if rows of days or runs are missing. A table of an earlier build goes if its model
    failed: a figure that is not current is worse than none.
    """
    file = folder / FILE
    if not file.exists():
        db.execute("DROP TABLE IF EXISTS meta.team_result")
        return True
    columns = dict.fromkeys(Result._fields, "VARCHAR") | {"rows_failed": "BIGINT"}
    db.execute(
        f"CREATE OR REPLACE TABLE meta.team_result AS SELECT * FROM read_json("
        f"{literal(str(file))}, columns = {columns}) ORDER BY name"
    )
    for relation, comment in _COMMENTS.items():
        db.execute(f"COMMENT ON {relation} IS {literal(comment)}")
    failed = db.execute(
        "SELECT name, kind FROM meta.team_result "
        "WHERE kind NOT IN ('test', 'project', 'rows') AND status IN ('error', 'skipped')"
    ).fetchall()
    _note_left_out(db)
    names = [model for model, _ in failed]
    made = (
        "SELECT table_schema, table_name, table_type FROM information_schema.tables "
        "WHERE table_catalog = current_database() AND table_schema = 'team'"
    )
    for schema, name, kind in db.execute(made).fetchall() if names else ():  # slow in a lake
        if name in names:
            relation = "VIEW" if kind == "VIEW" else "TABLE"
            db.execute(f"DROP {relation} {schema}.{identifier(name)}")
    return not any(
        kind == "incremental" or name.startswith("team_metrics") for name, kind in failed
    )


def _note_left_out(db: duckdb.DuckDBPyConnection) -> None:
    """Add a warning to meta.team_result for rows that no mart has, with the reasons."""
    for model, made in _LEFT_OUT.items():
        with suppress(duckdb.CatalogException):  # it was not built
            db.execute(
                f"""
                INSERT INTO meta.team_result
                SELECT
                    'rows of {model}', 'rows', (
                        SELECT string_agg(file, ', ' ORDER BY file) FROM meta.team_result
                        WHERE starts_with(name, '{model}')
                    ),
                    'warning',
                    concat(sum(n), ' rows are in no mart: ', string_agg(
                        concat(n, ': ', left_out), '; ' ORDER BY n DESC, left_out
                    )),
                    sum(n)
                FROM (
                    SELECT left_out, count(*) AS n FROM {made} WHERE left_out IS NOT NULL GROUP BY 1
                )
                HAVING count(*) > 0
                """
            )
