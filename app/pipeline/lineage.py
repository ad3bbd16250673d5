"""Which table is made of which: meta.lineage, from what dbt knows of the project."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb

from ingest.formats.names import PLAIN_VIEWS, View
from ingest.lake.catalogue import plain_columns
from ingest.lake.sql import literal

if TYPE_CHECKING:
    from dbt.contracts.graph.manifest import Manifest

__all__ = ["FILE", "note_lineage", "write_lineage"]

#: What dbt's process writes for the build, below its folder of logs.
FILE = "lineage.json"
OWN = "perfhouse"  # the name of our project in dbt

_COLUMNS = (
    "{'name': 'VARCHAR', 'layer': 'VARCHAR', 'kind': 'VARCHAR', 'path': 'VARCHAR', "
    "'description': 'VARCHAR', 'parents': 'VARCHAR[]', "
    "'columns': 'STRUCT(name VARCHAR, description VARCHAR)[]'}"
)
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
    texts = {
        key: {name: text for name, _, text in plain_columns(plain[row["name"]])}
        for key, row in sources.items()
        if row["name"] in plain
    }
    for key, node in models.items():
        read = getattr(node.depends_on, "nodes", [])
        parents = sorted({names[parent] for parent in read if parent in names})
        rows[names[key]] = _model(node, names[key], parents, _texts(key, models, texts))
    (folder / FILE).write_text(json.dumps(list(rows.values())), encoding="utf-8")


def _texts(key: str, models: Mapping[str, Any], known: dict[str, dict[str, str]]) -> dict[str, str]:
    """Return the texts of a model's columns: its own, or inherited where they are unambiguous.

    As in dbt/macros/persist_docs.sql, but without the database: some columns may not be there.
    """
    if key in known or key not in models:
        return known.get(key, {})
    node = models[key]
    said: dict[str, set[str]] = defaultdict(set)
    for parent in getattr(node.depends_on, "nodes", []):
        if node.package_name == OWN != parent.split(".")[1]:
            continue  # what a team's project adds has no say
        for name, text in _texts(parent, models, known).items():
            said[name].add(text)
    known[key] = {name: text for name, (text, *more) in said.items() if not more} | {
        column.name: column.description for column in node.columns.values() if column.description
    }
    return known[key]


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
        "path": None, "description": None, "parents": [], "columns": [],
    }  # fmt: skip


def _model(node: Any, name: str, parents: list[str], texts: Mapping[str, str]) -> dict[str, Any]:
    is_summary = getattr(node.config, "incremental_strategy", None) == "whole"
    kind = "table" if is_summary else node.config.materialized
    kind = "seed" if node.resource_type == "seed" else kind
    # others have the comments of their columns themselves
    if kind == "ephemeral":
        texts = {column.name: column.description for column in node.columns.values()}
    elif node.config.persist_docs.get("columns"):
        texts = {}
    return {
        "name": name,
        "layer": "seed" if kind == "seed" else node.schema,
        "kind": kind,
        "path": node.original_file_path,
        "description": node.description or None,
        "parents": parents,
        "columns": [{"name": name, "description": text} for name, text in texts.items()],
    }


def note_lineage(db: duckdb.DuckDBPyConnection, folder: Path) -> None:
    """Store FILE as meta.lineage; keep what is there if dbt wrote none."""
    file = folder / FILE
    if not file.exists():
        return
    db.execute(
        f"CREATE OR REPLACE TABLE meta.lineage AS SELECT * FROM read_json({literal(str(file))}, "
        f"columns = {_COLUMNS}) ORDER BY name"
    )
    for what, comment in _COMMENTS.items():
        db.execute(f"COMMENT ON {what} IS {literal(comment)}")
