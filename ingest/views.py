"""The views of `raw`, and of `meta` what the lake holds, in a DuckDB database.

The view `raw.<table>` shows the documented columns, with comments, of the macro
`raw_files.<table>()`, which reads the Parquet files. To show chosen loads only, just the macros
are defined again. All paths come from the macro `raw_files.lake()`, and no view names its
database, so a database can be copied for another warehouse by redefining that one macro.

Five thousand comments take seconds to write. A database that has them is kept in the cache, and
new databases begin as its copy.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

import duckdb

from ingest import log
from ingest.home import home
from ingest.sql import identifier, literal, pattern

__all__ = [
    "MERGED",
    "SCHEMAS",
    "SCHEMA_FOLDER",
    "WHOLE",
    "define",
    "lake_of",
    "merged_loads",
    "move",
    "scan",
    "tables_with_rows",
    "template",
    "version",
]

#: Schemas of a warehouse, and of any DuckDB database.
SCHEMAS = {
    *("raw", "raw_files", "meta", "staging", "intermediate", "marts"),
    *("main", "temp", "system", "information_schema", "pg_catalog"),
}
SCHEMA_FOLDER = "_schema"
MERGED = "day-"  # how the names of folders with many loads begin
WHOLE = (1, 2**62)  # all records of a load
_KEPT = 5  # templates of different versions that stay in the cache

Ranges = Sequence[tuple[int, int]]


def define(
    db: duckdb.DuckDBPyConnection,
    lake: Path,
    only: Mapping[str, Ranges] | None = None,
    *,
    commented: bool = False,
) -> None:
    """Define the views that are missing or outdated, in one transaction.

    only: source_id -> ranges of record_no that the views show; None: all rows. commented: write
    comments too, if raw.* have to be defined.
    """
    also = [name for name in ("audit", "regressions") if any((lake / name).glob("*.parquet"))]
    also += [log.FOLDER] * any((lake / log.FOLDER).glob("*.jsonl"))
    files = None if only is None else _Chosen(db, lake / "raw", only).files()
    shown = "" if files is None else hashlib.sha256(repr(files).encode()).hexdigest()
    wanted = {"version": version(), "lake": str(lake), "shown": shown, "also": " ".join(also)}
    present = _definition(db)
    if present == wanted:
        return
    statements = [
        "CREATE SCHEMA IF NOT EXISTS raw; CREATE SCHEMA IF NOT EXISTS meta",
        "CREATE SCHEMA IF NOT EXISTS raw_files",
        # DuckDB opens all files of a macro when it is defined. In the cache there are few.
        _lake(_cached() if template(make=False) else lake),
    ]
    is_new = present.get("version") != wanted["version"]
    if is_new or present["shown"] != shown:
        statements += _file_macros(files)
    if is_new:
        statements += _raw_views()
    if is_new and commented:
        statements += _comments()
    statements.append(_lake(lake))
    if "audit" in also:
        statements.append(
            # DISTINCT: a file of many audits, and those that it replaces, for a moment.
            "CREATE OR REPLACE VIEW meta.expectation_result AS SELECT DISTINCT * FROM "
            "read_parquet(raw_files.lake() || '/audit/*.parquet', union_by_name=true)"
        )
    if "regressions" in also:
        statements.append(_REGRESSIONS)
    if log.FOLDER in also:
        statements.append(log.VIEWS)
    statements.append(_note(wanted))
    db.execute(";\n".join(["BEGIN", *statements, "COMMIT"]))


def lake_of(db: duckdb.DuckDBPyConnection) -> str | None:
    """Return the lake that a database's views read; None if it has none."""
    return _definition(db).get("lake")


def move(db: duckdb.DuckDBPyConnection, lake: Path) -> None:
    """Let a database's views read another lake."""
    noted = _definition(db) | {"lake": str(lake)}
    db.execute(";\n".join(["BEGIN", _lake(lake), _note(noted), "COMMIT"]))


def tables_with_rows(db: duckdb.DuckDBPyConnection) -> list[str]:
    """Return the raw tables of source files in which the views show any row."""
    from ingest.catalogue import LEDGER_SCHEMAS, raw_schemas

    first = [
        f"(SELECT {literal(table)} FROM raw_files.{table}() LIMIT 1)"
        for table in raw_schemas()
        if table not in LEDGER_SCHEMAS
    ]
    return [table for (table,) in db.execute(" UNION ALL ".join(first)).fetchall()]


def _note(definition: Mapping[str, str]) -> str:
    noted = literal(json.dumps(definition))
    return f"CREATE OR REPLACE MACRO raw_files.definition() AS {noted}"


def _lake(place: Path) -> str:
    return f"CREATE OR REPLACE MACRO raw_files.lake() AS {literal(pattern(str(place)))}"


@lru_cache
def version() -> str:
    """Return a digest of the code that decides how the views look."""
    digest = hashlib.sha256(duckdb.__version__.encode())
    folder = Path(__file__).parent
    for file in sorted(folder.rglob("*.py")):
        digest.update(str(file.relative_to(folder)).encode() + file.read_bytes())
    return digest.hexdigest()[:16]


def template(*, make: bool) -> Path | None:
    """Return the database that new ones begin as a copy of: all views, and comments.

    It is in the cache. If it is not there: make it, or return None.
    """
    folder = _cached()
    kept = folder / "template.duckdb"
    if kept.exists() or not make:
        return kept if kept.exists() else None
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".") as place:
            schema = Path(place, "raw", SCHEMA_FOLDER)
            schema.mkdir(parents=True)
            write_schema(schema, Path(place))
            with duckdb.connect(str(Path(place, kept.name))) as db:
                define(db, Path(place), commented=True)
            os.rename(place, folder)  # noqa: PTH104
            Path(place).mkdir()  # for the context manager to remove
    except OSError:  # the cache cannot be written, or another process was first
        return kept if kept.exists() else None
    for old in sorted(folder.parent.glob("[!.]*"), key=lambda p: p.stat().st_mtime)[:-_KEPT]:
        shutil.rmtree(old, ignore_errors=True)
    return kept


def write_schema(folder: Path, staging: Path) -> None:
    """Write an empty Parquet file for each raw table: they fix the columns and their types."""
    kept = _cached() / "raw" / SCHEMA_FOLDER
    with tempfile.TemporaryDirectory(dir=staging, suffix=f".{os.getpid()}") as name:
        drafts = Path(name)
        if kept.is_dir():
            for file in kept.glob("*.parquet"):
                shutil.copyfile(file, drafts / file.name)
        else:
            import polars as pl

            from ingest.catalogue import raw_schemas

            for table, columns in raw_schemas().items():
                content = io.BytesIO()
                pl.DataFrame(schema=columns).write_parquet(content)
                (drafts / f"{table}.0.parquet").write_bytes(content.getbuffer())
        for file in drafts.iterdir():
            file.replace(folder / file.name)


def merged_loads(raw: Path) -> dict[str, Path]:
    """Return the folders of merged loads: source_id -> folder."""
    ledgers = [pattern(str(file)) for file in raw.glob(f"{MERGED}*/ledger.*.parquet")]
    if not ledgers:
        return {}
    with duckdb.connect() as db:
        rows = db.execute(
            "SELECT source_id, filename FROM read_parquet($1, filename=true)", [ledgers]
        ).fetchall()
    return {source_id: Path(file).parent for source_id, file in rows}


def scan(files: str) -> str:
    """Return SQL for the rows in Parquet files of one table, with their source_id.

    files: an SQL expression, a pattern or a list of them. The files of a single load do not repeat
    its source_id, which is the name of their folder; files of merged loads have it as a column. At
    least one of the files must have the column: the empty one does.
    """
    return (
        "SELECT coalesce(source_id, split_part(filename, '/', -2)) AS source_id, "
        "* EXCLUDE (source_id, filename) "
        f"FROM read_parquet({files}, union_by_name=true, filename=true)"
    )


def _cached() -> Path:
    return home() / "cache" / "warehouse" / version()


def _definition(db: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """Return what the views were defined from; nothing in a new database."""
    try:
        ((noted,),) = db.execute("SELECT raw_files.definition()").fetchall()
    except duckdb.CatalogException:
        return {}
    return json.loads(noted)


class _Chosen:
    """The files and conditions that give just the chosen records."""

    def __init__(
        self, db: duckdb.DuckDBPyConnection, raw: Path, only: Mapping[str, Ranges]
    ) -> None:
        self.raw = raw
        merged = merged_loads(raw)
        places = {source_id: merged.get(source_id, raw / source_id) for source_id in sorted(only)}
        records = _record_counts(db, raw, {place for place in places.values() if place.is_dir()})
        self.whole: list[Path] = []  # folders that are read without a condition
        self.single: dict[Path, str] = {}  # other folders of one load, and what is read of them
        self.merged: dict[Path, dict[str, str]] = defaultdict(dict)  # folder -> load -> condition
        for source_id, place in places.items():
            last = records.get(source_id, WHOLE[1])
            is_whole = any(first <= 1 and end >= last for first, end in only[source_id])
            is_single = place == raw / source_id
            if is_single and is_whole:
                self.whole.append(place)
            elif is_single:
                self.single[place] = _condition(source_id, only[source_id])
            else:
                ranges = () if is_whole else only[source_id]
                self.merged[place][source_id] = _condition(source_id, ranges, whole=is_whole)

    def files(self) -> dict[str, str]:
        """Return the SQL of the chosen rows of each table."""
        single, merged = self.single, self.merged
        folders = [self.raw / SCHEMA_FOLDER, *self.whole, *single, *merged]
        found: dict[str, dict[Path, list[str]]] = defaultdict(lambda: defaultdict(list))
        for folder in folders:
            for file in sorted(folder.glob("*.parquet"), key=_part_no):
                found[file.name.split(".")[0]][folder].append(literal(pattern(str(file))))
        return {table: self._select(files) for table, files in found.items()}

    def _select(self, files: Mapping[Path, list[str]]) -> str:
        """Return SQL for one table, from its files by folder."""

        def listed(folders: Iterable[Path]) -> str:
            here = [file for folder in folders for file in files.get(folder, ())]
            return f"[{', '.join([*files[self.raw / SCHEMA_FOLDER], *here])}]"

        selects = [scan(listed(self.whole))]
        single = {folder: only for folder, only in self.single.items() if folder in files}
        if single:
            selects.append(f"FROM ({scan(listed(single))}) WHERE {' OR '.join(single.values())}")
        merged = [folder for folder in self.merged if folder in files]
        if merged:
            loads = {k: v for folder in merged for k, v in self.merged[folder].items()}
            # On the bare column, a condition can skip whole row groups.
            selects.append(
                f"FROM read_parquet({listed(merged)}, union_by_name=true) "
                f"WHERE source_id IN ({', '.join(map(literal, loads))}) "
                f"AND ({' OR '.join(loads.values())})"
            )
        return " UNION ALL BY NAME ".join(selects)


def _part_no(file: Path) -> tuple[str, int]:
    table, part, _ = file.name.split(".")
    return table, int(part)


def _condition(source_id: str, ranges: Ranges, *, whole: bool = False) -> str:
    """Return SQL that is true for the chosen records of a load."""
    records = " OR ".join(f"record_no BETWEEN {first} AND {last}" for first, last in ranges)
    here = f"source_id = {literal(source_id)}"
    return f"({here})" if whole else f"({here} AND ({records or 'false'}))"


def _record_counts(
    db: duckdb.DuckDBPyConnection, raw: Path, folders: Iterable[Path]
) -> dict[str, int]:
    """Return the last record number of each load in the folders."""
    schema = raw / SCHEMA_FOLDER / "ledger_day.0.parquet"
    files = (file for folder in folders for file in folder.glob("ledger_day.*.parquet"))
    found = db.execute(
        f"SELECT source_id, max(last_record_no) FROM ({scan('$1')}) GROUP BY ALL",
        [[pattern(str(file)) for file in (schema, *files)]],
    )
    return dict(found.fetchall())


def _file_macros(files: Mapping[str, str] | None) -> list[str]:
    """Return SQL that defines the macros raw_files.<table>(), of all rows or of chosen ones."""
    from ingest import published
    from ingest.catalogue import LEDGER_SCHEMAS, raw_schemas

    always = {*LEDGER_SCHEMAS, *published.SCHEMAS}
    statements = []
    for table in raw_schemas():
        if files is None or table in always:
            rows = scan(f"raw_files.lake() || '/raw/*/{table}.*.parquet'")
        else:
            rows = files[table]
        statements.append(f"CREATE OR REPLACE MACRO raw_files.{table}() AS TABLE {rows}")
    return statements


def _raw_views() -> list[str]:
    """Return SQL that defines the views raw.<table>, and the labels of codes."""
    from ingest.catalogue import codes, raw_columns, raw_schemas

    statements = []
    for table in raw_schemas():
        columns = ", ".join(
            f"{expression} AS {identifier(name)}" for name, expression, _ in raw_columns(table)
        )
        statements.append(
            f"CREATE OR REPLACE VIEW raw.{table} AS SELECT {columns} FROM raw_files.{table}()"
        )
    labels = ", ".join(
        f"({literal(table)}, {literal(column)}, {code}, {literal(label)})"
        for table, column, code, label in codes()
    )
    statements.append(
        "CREATE OR REPLACE TABLE meta.code AS SELECT table_name, column_name, code::BIGINT AS "
        f"code, label FROM (VALUES {labels}) AS codes (table_name, column_name, code, label)"
    )
    return statements


def _comments() -> list[str]:
    """Return SQL that comments raw.<table> and their columns."""
    from ingest.catalogue import raw_columns, raw_schemas, title

    statements = []
    for table in raw_schemas():
        statements.append(f"COMMENT ON VIEW raw.{table} IS {literal(title(table))}")
        statements += [
            f"COMMENT ON COLUMN raw.{table}.{identifier(name)} IS {literal(note)}"
            for name, _, note in raw_columns(table)
            if note
        ]
    return statements


_REGRESSIONS = """
    CREATE OR REPLACE VIEW meta.regression_event AS
    SELECT * FROM read_parquet(raw_files.lake() || '/regressions/*.parquet', union_by_name=true);
    CREATE OR REPLACE VIEW meta.regression AS
    SELECT
        * RENAME (event_at AS changed_at),
        state IN ('new', 'confirmed') AS is_open,
        min(event_at) OVER (PARTITION BY regression_id) AS first_seen_at
    FROM meta.regression_event
    QUALIFY row_number() OVER (PARTITION BY regression_id ORDER BY event_id DESC) = 1;
    COMMENT ON VIEW meta.regression IS 'One row per regression: its last event';
    COMMENT ON VIEW meta.regression_event IS
    'One row per event of a regression: found, confirmed, accepted, fixed; never changed'
"""
