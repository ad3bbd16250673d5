"""Which table is made of which: meta.lineage, from what dbt knows of the project."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb

from ingest.sql import literal

if TYPE_CHECKING:
    from dbt.contracts.graph.manifest import Manifest

__all__ = ["FILE", "note_lineage", "write_lineage"]

#: What dbt's process writes for the build, below its folder of logs.
FILE = "lineage.json"

_COLUMNS = (
    "{'name': 'VARCHAR', 'layer': 'VARCHAR', 'kind': 'VARCHAR', 'path': 'VARCHAR', "
    "'description': 'VARCHAR', 'parents': 'VARCHAR[]', "
    "'columns': 'STRUCT(name VARCHAR, description VARCHAR)[]'}"
)
_COMMENTS = {
    "TABLE meta.lineage": "One row per table that a build reads or makes: what it is made of",
    "COLUMN meta.lineage.name": "Schema and name of the table",
    "COLUMN meta.lineage.layer": "raw, meta, seed, staging, intermediate or marts",
    "COLUMN meta.lineage.kind": "How dbt makes it: table, incremental, ephemeral (part of the "
    "tables that read it), seed, or source",
    "COLUMN meta.lineage.path": "File of its model in the project dbt; NULL for a source",
    "COLUMN meta.lineage.description": "What its rows are",
    "COLUMN meta.lineage.parents": "The tables that it reads directly",
    "COLUMN meta.lineage.columns": "Its columns, if no table of this file has them",
}


def write_lineage(manifest: Manifest, folder: Path) -> None:
    """Write one row per source, seed and model of the project to FILE in a folder."""
    sources = {key: _source(node) for key, node in manifest.sources.items()}
    models = {
        key: node for key, node in manifest.nodes.items() if node.resource_type in ("model", "seed")
    }
    names = {key: row["name"] for key, row in sources.items()} | {
        key: f"{node.schema}.{node.name}" for key, node in models.items()
    }
    rows = {row["name"]: row for row in sources.values()}  # several models may declare a source
    for key, node in models.items():
        read = getattr(node.depends_on, "nodes", [])
        parents = sorted({names[parent] for parent in read if parent in names})
        rows[names[key]] = _model(node, names[key], parents)
    (folder / FILE).write_text(json.dumps(list(rows.values())), encoding="utf-8")


def _source(node: Any) -> dict[str, Any]:
    return {
        "name": f"{node.schema}.{node.name}", "layer": node.schema, "kind": "source",
        "path": None, "description": node.description or None, "parents": [], "columns": [],
    }  # fmt: skip


def _model(node: Any, name: str, parents: list[str]) -> dict[str, Any]:
    is_summary = getattr(node.config, "incremental_strategy", None) == "whole"
    kind = "table" if is_summary else node.config.materialized
    kind = "seed" if node.resource_type == "seed" else kind
    # others have the comments of their columns themselves
    is_told_here = kind == "ephemeral" or not node.config.persist_docs.get("columns")
    columns = node.columns.values() if is_told_here else ()
    return {
        "name": name,
        "layer": "seed" if kind == "seed" else node.schema,
        "kind": kind,
        "path": node.original_file_path,
        "description": node.description or None,
        "parents": parents,
        "columns": [{"name": c.name, "description": c.description} for c in columns],
    }


def note_lineage(db: duckdb.DuckDBPyConnection, folder: Path) -> None:
    """Take FILE into meta.lineage; keep what is there if dbt wrote none."""
    file = folder / FILE
    if not file.exists():
        return
    db.execute(
        f"CREATE OR REPLACE TABLE meta.lineage AS SELECT * FROM read_json({literal(str(file))}, "
        f"columns = {_COLUMNS}) ORDER BY name"
    )
    for what, comment in _COMMENTS.items():
        db.execute(f"COMMENT ON {what} IS {literal(comment)}")
