"""Which table is made of which: meta.lineage, from what dbt knows of the project."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Mapping
from graphlib import TopologicalSorter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb

from ingest.formats.names import PLAIN_VIEWS, View
from ingest.lake.sql import literal

if TYPE_CHECKING:
    from dbt.contracts.graph.manifest import Manifest

__all__ = ["FILE", "note_lineage", "write_lineage"]

#: What dbt's process writes for the build, below its folder of logs.
FILE = "lineage.json"

_TYPES = dict.fromkeys(("name", "layer", "kind", "path", "description"), "VARCHAR") | {
    "parents": ["VARCHAR"],
    "columns": [{"name": "VARCHAR", "description": "VARCHAR"}],
    "audit": {
        "key": ["VARCHAR"],
        "signed": ["VARCHAR"],
        "printed": "BOOLEAN",
        "compared": ["VARCHAR"],
    },
}
_COMMENTS = {
    "TABLE meta.lineage": "One row per table that a build reads or makes: what it is made of",
    "COLUMN meta.lineage.name": "Schema and name of the table",
    "COLUMN meta.lineage.layer": "raw, meta, seed, staging, intermediate, marts or team",
    "COLUMN meta.lineage.kind": "How dbt makes it: table, incremental, ephemeral (part of the "
    "tables that read it), seed, or view or source, which it only reads",
    "COLUMN meta.lineage.path": "File of its model in the project dbt; NULL for a source",
    "COLUMN meta.lineage.description": "What its rows are",
    "COLUMN meta.lineage.parents": "The tables that it reads directly",
    "COLUMN meta.lineage.columns": "Its columns, if no table of this file has them",
    "COLUMN meta.lineage.audit": "What the audit knows of a mart beyond its columns",
}


def write_lineage(manifest: Manifest, folder: Path) -> None:
    """Write one row per source, seed and model of the project to FILE in a folder."""
    plain = {f"staging.{view.name}": view for view in PLAIN_VIEWS}
    sources = {key: _source(node, plain) for key, node in manifest.sources.items()}
    models = {
        key: node
        for key, node in manifest.nodes.items()
        if node.resource_type in ("model", "seed") and not node.package_name.startswith("no_team_")
    }
    names = {key: row["name"] for key, row in sources.items()} | {
        key: f"{node.schema}.{node.name}" for key, node in models.items()
    }
    rows = {f"raw.{view.table}": _raw(f"raw.{view.table}") for view in PLAIN_VIEWS}
    # several models may declare a source
    rows |= {row["name"]: row for row in sources.values()}
    for key, node in models.items():
        read = getattr(node.depends_on, "nodes", [])
        parents = sorted({names[parent] for parent in read if parent in names})
        rows[names[key]] = _model(node, names[key], parents)
    (folder / FILE).write_text(json.dumps(list(rows.values())), encoding="utf-8")


def _source(node: Any, plain: Mapping[str, View]) -> dict[str, Any]:
    name = f"{node.schema}.{node.name}"
    if view := plain.get(name):
        return _raw(name) | {
            "kind": "view", "description": view.title, "parents": [f"raw.{view.table}"],
        }  # fmt: skip
    return _raw(name) | {"description": node.description or None}


def _raw(name: str) -> dict[str, Any]:
    return {
        "name": name, "layer": name.partition(".")[0], "kind": "source",
        "path": None, "description": None, "parents": [], "columns": [], "audit": None,
    }  # fmt: skip


def _model(node: Any, name: str, parents: list[str]) -> dict[str, Any]:
    is_summary = getattr(node.config, "incremental_strategy", None) == "whole"
    kind = "table" if is_summary else node.config.materialized
    kind = "seed" if node.resource_type == "seed" else kind
    # others have the comments of their columns themselves
    is_told = kind == "ephemeral" or not node.config.persist_docs.get("columns")
    return {
        "name": name,
        "layer": "seed" if kind == "seed" else node.schema,
        "kind": kind,
        "path": node.original_file_path,
        "description": node.description or None,
        "parents": parents,
        "columns": _columns(
            {one.name: one.description for one in node.columns.values() if is_told}
        ),
        "audit": _audit(node) if node.schema == "marts" else None,
    }


def _audit(mart: Any) -> dict[str, Any] | None:
    meta = mart.config.meta
    if "consistent" not in meta:
        return None
    return {
        "key": meta["consistent"]["grain"],
        "signed": meta.get("signed", []),
        "printed": meta.get("printed", False),
        "compared": meta.get("compared", []),
    }


def _columns(texts: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"name": name, "description": text} for name, text in texts.items() if text]


def note_lineage(db: duckdb.DuckDBPyConnection, folder: Path) -> None:
    """Store FILE as meta.lineage; keep what is there if dbt wrote none."""
    file = folder / FILE
    if not file.exists():
        return
    rows = {row["name"]: row for row in json.loads(file.read_text(encoding="utf-8"))}
    _inherit(db, rows)
    db.execute(
        "CREATE OR REPLACE TABLE meta.lineage AS FROM (SELECT unnest(from_json($1::JSON, "
        f"{literal(json.dumps([_TYPES]))}), max_depth := 2)) ORDER BY name",
        [json.dumps(list(rows.values()))],
    )
    for what, comment in _COMMENTS.items():
        db.execute(f"COMMENT ON {what} IS {literal(comment)}")


def _inherit(db: duckdb.DuckDBPyConnection, rows: Mapping[str, dict[str, Any]]) -> None:
    """Give tables of another catalog the texts of columns that dbt/macros/persist_docs.sql gives.

    A column without a text of its own gets that of the column of the same name which the model
    reads, unless those differ.
    """
    columns, texts = defaultdict[str, set[str]](set), defaultdict[str, dict[str, str]](dict)
    for name, column, text, is_here in db.execute(
        "SELECT schema_name || '.' || table_name, column_name, comment, "
        "database_name = current_database() FROM duckdb_columns() WHERE NOT internal"
    ).fetchall():
        if is_here and text:
            texts[name][column] = text
        elif not is_here:
            columns[name].add(column)
    adds = _adds(db)
    order = TopologicalSorter({name: row["parents"] for name, row in rows.items()})
    for row in (rows[name] for name in order.static_order() if name in rows):
        own = {column["name"]: column["description"] for column in row["columns"]}
        if row["kind"] == "ephemeral":
            texts[row["name"]] = own
        elif row["kind"] not in ("view", "source") and row["name"] in columns:
            said = defaultdict[str, set[str]](set)
            for parent in row["parents"]:
                # what a team's project adds has no say
                if row["name"].startswith("team.") or not parent.startswith("team."):
                    for name, text in texts[parent].items():
                        said[name].add(text)
            inherited = {
                name: text
                for name, (text, *more) in said.items()
                if not more and name in columns[row["name"]]
            }
            texts[row["name"]] = inherited | own
            says = adds.get(row["name"].removeprefix("marts."), {})
            row["columns"] = _columns(
                {
                    column: re.sub(r"( Source: (?!.* Source: ))", rf" Adds up: {how}.\1", text)
                    if (how := says.get(column))
                    else text
                    for column, text in texts[row["name"]].items()
                }
            )


def _adds(db: duckdb.DuckDBPyConnection) -> dict[str, dict[str, str]]:
    """Return how the columns of marts add up, which dbt/macros/adding.sql has noted."""
    found = defaultdict[str, dict[str, str]](dict)
    try:
        rows = db.execute("SELECT mart, name, says FROM meta.measure").fetchall()
    except duckdb.CatalogException:
        return {}
    for mart, name, says in rows:
        found[mart][name] = says
    return found
