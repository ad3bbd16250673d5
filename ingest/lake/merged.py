"""Folders with the rows of several loads, and what of them a build reads."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import duckdb

from ingest.lake.generations import SCHEMA_FOLDER
from ingest.lake.memory import duckdb_memory
from ingest.lake.rolled import OWNER
from ingest.lake.seal import (
    Contents,
    File,
    copy_rows,
    loads_in,
    read_checked,
    seal,
)
from ingest.lake.sql import literal, pattern
from ingest.lake.store import (
    WHOLE,
    Ranges,
    condition,
)

__all__ = [
    "MERGED",
    "MERGED_ROWS",
    "ChosenRows",
    "ids_in",
    "is_single",
    "loads_by_folder",
    "merged_loads",
    "scan",
    "write_merged",
]

MERGED = "day-"  # how the names of folders with many loads begin


#: Rows in a row group, which is in memory as a whole: some tables have 300 columns.
MERGED_ROWS = 20_480


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


def ids_in(folder: Path) -> set[str]:
    """Return the source_ids of the loads in a folder of a generation."""
    if is_single(folder):
        return {folder.name}
    return {load.source_id for load in loads_in(folder)}


def loads_by_folder(generation: Path) -> dict[Path, set[str]]:
    """Return the source_ids of the loads in each folder of a generation."""
    folders = (path for path in sorted(generation.iterdir()) if path.name != SCHEMA_FOLDER)
    return {folder: ids_in(folder) for folder in folders}


def is_single(folder: Path) -> bool:
    """Return whether a folder has one load."""
    return not folder.name.startswith((MERGED, SCHEMA_FOLDER))


def write_merged(
    current: Path, folders: Sequence[Path], merged: Path, without: Sequence[str] = ()
) -> None:
    """Write one file per table with the rows of all folders, in order, except those `without`."""
    merged.mkdir(parents=True)
    config: dict[str, str | bool | int | float | list[str]] = {
        "threads": 2, "preserve_insertion_order": True,
        "temp_directory": f"{merged}.tmp", "memory_limit": duckdb_memory(),
    }  # fmt: skip
    files: dict[str, File] = {}
    contents = {folder: read_checked(folder) for folder in folders}
    loads = [load for content in contents.values() for load in content.loads]
    with duckdb.connect(config=config) as db:
        for table, parts in _files(contents).items():
            empty = current / SCHEMA_FOLDER / f"{table}.0.parquet"
            files |= copy_rows(
                db,
                f"SELECT * FROM ({scan('$1')}) "
                f"WHERE NOT list_contains($2::VARCHAR[], {OWNER.get(table, 'source_id')})",
                merged / f"{table}.0.parquet",
                parameters=[[pattern(file) for file in (str(empty), *parts)], list(without)],
                options=f", ROW_GROUP_SIZE {MERGED_ROWS}",
            )
    seal(merged, files, [load for load in loads if load.source_id not in without])


def _files(contents: Mapping[Path, Contents]) -> dict[str, list[str]]:
    """Return each table's files, in the order of loads and of their records."""
    ordered: dict[str, list[str]] = defaultdict(list)
    for folder, held in contents.items():
        parts = (name.split(".") for name in held.files)
        for table, part in sorted((table, int(part)) for table, part, _ in parts):
            ordered[table].append(str(folder / f"{table}.{part}.parquet"))
    return ordered


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


class ChosenRows:
    """The files and conditions that give just the chosen records."""

    def __init__(
        self, db: duckdb.DuckDBPyConnection, raw: Path, only: Mapping[str, Ranges]
    ) -> None:
        self.raw = raw
        merged = merged_loads(raw)
        places = {source_id: merged.get(source_id, raw / source_id) for source_id in sorted(only)}
        records = _record_counts(db, raw, {holder for holder in places.values() if holder.is_dir()})
        self.whole: list[Path] = []  # folders that are read without a condition
        self.single: dict[Path, str] = {}  # other folders of one load, and what is read of them
        self.merged: dict[Path, dict[str, str]] = defaultdict(dict)  # folder -> load -> condition
        for source_id, holder in places.items():
            last = records.get(source_id, WHOLE[1])
            is_whole = any(first <= 1 and end >= last for first, end in only[source_id])
            is_single = holder == raw / source_id
            if is_single and is_whole:
                self.whole.append(holder)
            elif is_single:
                self.single[holder] = condition(source_id, only[source_id])
            else:
                ranges = () if is_whole else only[source_id]
                self.merged[holder][source_id] = condition(source_id, ranges, whole=is_whole)

    def files(self) -> dict[str, str]:
        """Return the SQL of the chosen rows of each table."""
        single, merged = self.single, self.merged
        folders = [self.raw / SCHEMA_FOLDER, *self.whole, *single, *merged]
        chosen: dict[str, dict[Path, list[str]]] = defaultdict(lambda: defaultdict(list))
        for folder in folders:
            for file in sorted(folder.glob("*.parquet"), key=_part_no):
                chosen[file.name.split(".")[0]][folder].append(literal(pattern(str(file))))
        return {table: self._select(files) for table, files in chosen.items()}

    def _select(self, files: Mapping[Path, list[str]]) -> str:
        """Return SQL for one table, from its files by folder."""

        def listed(folders: Iterable[Path]) -> str:
            paths = [file for folder in folders for file in files.get(folder, ())]
            return f"[{', '.join([*files[self.raw / SCHEMA_FOLDER], *paths])}]"

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


def _record_counts(
    db: duckdb.DuckDBPyConnection, raw: Path, folders: Iterable[Path]
) -> dict[str, int]:
    """Return the last record number of each load in the folders."""
    schema = raw / SCHEMA_FOLDER / "ledger_day.0.parquet"
    files = (file for folder in folders for file in folder.glob("ledger_day.*.parquet"))
    counts = db.execute(
        f"SELECT source_id, max(last_record_no) FROM ({scan('$1')}) GROUP BY ALL",
        [[pattern(str(file)) for file in (schema, *files)]],
    )
    return dict(counts.fetchall())
