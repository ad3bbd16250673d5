"""A team's own dbt project, which is built, tested and published with ours (docs/team-models.md).

It is a package of our project. Two of its models have a meaning: team_findings, which
marts.fct_data_issue reads, and team_metrics, which marts.fct_measurement reads. Nothing else of
ours reads it. If one of the two fails, what reads it is built without the team's project.

meta.team_result  one row per model and test of the project: how it went in the last build
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import duckdb

from app.pipeline.places import FILES, home
from ingest.base.errors import PerfhouseError
from ingest.lake.sql import identifier, literal

if TYPE_CHECKING:
    from dbt.contracts.graph.manifest import Manifest

__all__ = [
    "FILE", "Result", "Team", "note_results", "packages", "raw_readers", "results_of", "team",
    "unreadable", "write_results",
]  # fmt: skip

#: What dbt's process writes for the build, below its folder of logs.
FILE = "team.json"

_DEFAULTS = FILES / "dbt" / "defaults"  # packages with one empty model each, of their own name
_NAME = re.compile(r"^name:\s*['\"]?(\w+)", re.MULTILINE)
_FAILED = {"error": "error", "fail": "error", "runtime error": "error", "warn": "warning"}
_COMMENTS = {
    "TABLE meta.team_result": "One row per model and test of the team's own dbt project: how it "
    "went in the last build",
    "COLUMN meta.team_result.name": "Name of the model or test; the project, if it cannot be read",
    "COLUMN meta.team_result.kind": "project, test, seed, or how the model is made: table, view",
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


def team() -> Team | None:
    """Return the project in $PERFHOUSE_DBT, or in `dbt` of the data folder; None if there is none.

    Raises PerfhouseError if $PERFHOUSE_DBT names a folder without dbt_project.yml.
    """
    named = os.environ.get("PERFHOUSE_DBT", "")
    folder = Path(named).absolute() if named else home() / "dbt"
    file = folder / "dbt_project.yml"
    if not file.is_file():
        if named:
            raise PerfhouseError(f"{folder}: $PERFHOUSE_DBT is no dbt project (no dbt_project.yml)")
        return None
    found = _NAME.search(file.read_text(encoding="utf-8", errors="replace"))
    return Team(folder, found[1] if found else "team")


def packages(cache: Path, own: Team | None) -> Path:
    """Return a folder in the cache with links to what dbt shall read beside our project.

    These are the team's project, its own packages, and what stands in for models it does not have.
    """
    links = {f"no_{empty.name}": empty for empty in sorted(_DEFAULTS.iterdir())}
    if own:
        links |= {
            package.name: package
            for package in sorted((own.folder / "dbt_packages").glob("*"))
            if (package / "dbt_project.yml").is_file()
        }
        links[own.name] = own.folder
        for name in ("team_findings", "team_metrics"):
            if any((own.folder / "models").rglob(f"{name}.sql")):
                del links[f"no_{name}"]
    digest = hashlib.sha256(repr(sorted(links.items())).encode()).hexdigest()[:16]
    folder = cache / f"packages-{digest}"
    if not folder.exists():
        cache.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(dir=cache))
        for name, place in links.items():
            (draft / name).symlink_to(place, target_is_directory=True)
        try:
            draft.rename(folder)
        except OSError:  # another process made it
            shutil.rmtree(draft)
    return folder


# --- what became of it


def raw_readers(manifest: Manifest, own: Team) -> list[Result]:
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
            own, node, "error",
            "it reads records, of which a build shows the days that changed: make it incremental "
            "with incremental_strategy='by_day', or read a mart",
        )
        for node in nodes.values()
        if node.package_name == own.name
        and node.resource_type == "model"
        and node.config.materialized not in ("ephemeral", "view")
        and getattr(node.config, "incremental_strategy", None) != "by_day"
        and any(map(reads_records, node.depends_on.nodes))
    ]  # fmt: skip


def results_of(own: Team, results: Iterable[Any]) -> list[Result]:
    """Return how the team's models and tests went, from the results of a run of dbt."""
    found = []
    for result in results:
        if result.node.package_name != own.name:
            continue
        status = str(result.status)
        status = _FAILED.get(status, "skipped" if status == "skipped" else "passed")
        message = "" if status == "passed" else _line(result.message or "")
        if status == "skipped":
            message = "not built, because a model or test that it depends on failed"
        found.append(_result(own, result.node, status, message, result.failures))
    return found


def _result(
    own: Team, node: Any, status: str, message: str = "", rows_failed: int | None = None
) -> Result:
    is_model = node.resource_type == "model"
    kind = node.config.materialized if is_model else str(node.resource_type)
    file = str(own.folder / node.original_file_path)
    return Result(node.name, kind, file, status, message, rows_failed)


def unreadable(own: Team, reason: str) -> Result:
    """Return the result of a project that dbt cannot read."""
    file = re.search(r"[\w./-]+\.(?:sql|yml|yaml|csv|py|md)\b", reason)
    place = own.folder / file[0] if file else own.folder
    return Result(own.name, "project", str(place), "error", _line(reason))


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
    for what, comment in _COMMENTS.items():
        db.execute(f"COMMENT ON {what} IS {literal(comment)}")
    failed = db.execute(
        "SELECT name, kind FROM meta.team_result "
        "WHERE kind NOT IN ('test', 'project') AND status IN ('error', 'skipped')"
    ).fetchall()
    names = [model for model, _ in failed]
    made = (
        "SELECT table_schema, table_name, table_type FROM information_schema.tables "
        "WHERE table_catalog = current_database() AND table_schema = 'team'"
    )
    for schema, name, kind in db.execute(made).fetchall() if names else ():  # slow in a lake
        if name in names:
            what = "VIEW" if kind == "VIEW" else "TABLE"
            db.execute(f"DROP {what} {schema}.{identifier(name)}")
    return not any(kind == "incremental" or name == "team_metrics" for name, kind in failed)
