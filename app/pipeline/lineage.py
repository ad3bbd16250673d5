"""Which table is made of which: meta.lineage, from what dbt knows of the project."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Mapping
from contextlib import suppress
from graphlib import TopologicalSorter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb

from ingest.formats.names import PLAIN_VIEWS, View
from ingest.lake.sql import identifier, literal

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

_RELATIONS = """
    SELECT 'TABLE', schema_name, table_name, comment FROM duckdb_tables()
    WHERE database_name = current_database()
    UNION ALL
    SELECT 'VIEW', schema_name, view_name, comment FROM duckdb_views()
    WHERE database_name = current_database() AND NOT internal
"""

#: What descriptions of money say until a price has a currency.
_UNKNOWN_CURRENCY = "the currency of prices.toml"


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
    kind = node.config.materialized
    if kind == "incremental" and node.config.incremental_strategy == "whole":
        kind = "table"
    kind = "seed" if node.resource_type == "seed" else kind
    return {
        "name": name,
        "layer": "seed" if kind == "seed" else node.schema,
        "kind": kind,
        "path": node.original_file_path,
        "description": node.description or None,
        "parents": parents,
        "columns": _columns({column.name: column.description for column in node.columns.values()}),
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
    """Store FILE as meta.lineage, and comment on tables; keep what is there if dbt wrote no file.

    Tables of another catalog, a lake's, keep the texts of their columns in meta.lineage.
    """
    file = folder / FILE
    if not file.exists():
        return
    rows = {row["name"]: row for row in json.loads(file.read_text(encoding="utf-8"))}
    columns = defaultdict[str, dict[str, str | None]](dict)
    in_lake = set[str]()
    for name, column, comment, is_here in db.execute(
        "SELECT schema_name || '.' || table_name, column_name, comment, "
        "database_name = current_database() FROM duckdb_columns() WHERE NOT internal"
    ).fetchall():
        columns[name][column] = columns[name].get(column) or comment
        if not is_here:
            in_lake.add(name)
    _inherit(rows, columns, _adds(db))
    if currency := db.execute("SELECT any_value(currency) FROM meta.price").fetchall()[0][0]:
        for row in rows.values():
            for column in row["columns"]:
                text = column["description"].replace(_UNKNOWN_CURRENCY, currency)
                column["description"] = text
    comments = dict(_COMMENTS)
    for kind, schema, table, comment in db.execute(_RELATIONS).fetchall():
        name, quoted = f"{schema}.{table}", f"{identifier(schema)}.{identifier(table)}"
        row = rows.get(name)
        if not row or not row["path"] or name in in_lake:
            continue
        if row["description"] not in {None, comment}:
            comments[f"{kind} {quoted}"] = row["description"]
        for column in row["columns"]:
            if columns[name].get(column["name"]) != column["description"]:
                comments[f"COLUMN {quoted}.{identifier(column['name'])}"] = column["description"]
        row["columns"] = []
    db.execute(
        "CREATE OR REPLACE TABLE meta.lineage AS FROM (SELECT unnest(from_json($1::JSON, "
        f"{literal(json.dumps([_TYPES]))}), max_depth := 2)) ORDER BY name",
        [json.dumps(list(rows.values()))],
    )
    commented = "".join(
        f"COMMENT ON {object_kind} IS {literal(text)};" for object_kind, text in comments.items()
    )
    db.execute(f"BEGIN; {commented} COMMIT")


def _inherit(
    rows: Mapping[str, dict[str, Any]],
    columns: Mapping[str, Mapping[str, str | None]],
    adds: Mapping[str, Mapping[str, str]],
) -> None:
    """Complete the texts of the columns of rows.

    A column without a text of its own gets that of the column of the same name which the model
    reads, unless those differ. What a team's project adds has no say.
    """
    texts = defaultdict[str, dict[str, str]](dict)
    order = TopologicalSorter({name: row["parents"] for name, row in rows.items()})
    for name, row in ((name, rows[name]) for name in order.static_order() if name in rows):
        if not row["path"]:
            texts[name] = {key: text for key, text in columns.get(name, {}).items() if text}
            continue
        descriptions = {column["name"]: column["description"] for column in row["columns"]}
        candidates = defaultdict[str, set[str]](set)
        for parent in row["parents"]:
            if name.startswith("team.") or not re.search(r"^team\.|__team_", parent):
                for column, text in texts[parent].items():
                    candidates[column].add(text)
        inherited = {key: min(several) for key, several in candidates.items() if len(several) == 1}
        all_of_them = inherited | descriptions
        texts[name] = descriptions if row["kind"] == "ephemeral" else {
            column: all_of_them[column] for column in columns.get(name, ()) if column in all_of_them
        }  # fmt: skip
        rules = adds.get(name.removeprefix("marts."), {})
        row["columns"] = _columns(
            {
                column: re.sub(r"( Source: (?!.* Source: ))", rf" Adds up: {how}.\1", text)
                if (how := rules.get(column))
                else text
                for column, text in texts[name].items()
            }
        )


def _adds(db: duckdb.DuckDBPyConnection) -> dict[str, dict[str, str]]:
    """Return how the columns of marts add up, which dbt/macros/adding.sql has noted."""
    adds = defaultdict[str, dict[str, str]](dict)
    with suppress(duckdb.CatalogException):
        for mart, name, rule in db.execute("SELECT mart, name, says FROM meta.measure").fetchall():
            adds[mart][name] = rule
    return adds
