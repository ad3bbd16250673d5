"""Damaged files of a warehouse: truncated, blank or overwritten, by a crash or a bad disk.

Only the frame of a file is examined, not its content, which DuckDB checks when it reads it.
"""

from __future__ import annotations

import os
import re
import struct
from collections.abc import Iterator
from pathlib import Path

import duckdb

from ingest.lake.log_fields import LONGEST
from ingest.lake.sql import identifier

__all__ = [
    "damage_of_database",
    "damage_of_log",
    "damage_of_parquet",
    "damage_of_tables",
    "damaged_parquet",
    "is_about_damage",
]

_BLANK, _TRUNCATED = "it is blank", "it is truncated"
# A DuckDB file begins with three headers of 4 KiB. Of the last two, that with the higher iteration
# counts; it says how many blocks of which size follow.
_HEADER = 4096
_LAST_TWO = struct.Struct("<8xQ8x8xQQ")  # iteration, number of blocks, size of a block
_MAGIC, _FOOTER = b"PAR1", struct.Struct("<I4s")  # at both ends; the length before the last one
#: Messages of DuckDB about a database that can only be made again.
_DAMAGE = re.compile(
    r"corrupt|checksum|not a valid DuckDB database|could not read enough bytes|"
    r"failed to deserialize|database has been invalidated|no snapshot found at version",
    re.IGNORECASE,
)


def damage_of_database(file: Path) -> str:
    """Return what is wrong with a DuckDB file, '' if nothing. Raises OSError."""
    with file.open("rb") as opened:
        headers, size = opened.read(3 * _HEADER), os.fstat(opened.fileno()).st_size
    if not headers.strip(b"\0"):
        return _BLANK
    if headers[8:12] != b"DUCK":
        return "it is not a DuckDB database"
    if len(headers) < 3 * _HEADER:
        return _TRUNCATED
    _, blocks, of_bytes = max(_LAST_TWO.unpack_from(headers, at * _HEADER) for at in (1, 2))
    missing = blocks - (size - 3 * _HEADER) // of_bytes
    return _TRUNCATED if missing > 0 and not _are_free(file, missing) else ""


def _are_free(file: Path, missing: int) -> bool:
    """Return whether the missing blocks may be free ones, which DuckDB truncates at the end."""
    try:
        with duckdb.connect(str(file), read_only=True) as db:
            query = "SELECT free_blocks FROM pragma_database_size()"
            return bool(db.execute(query).fetchall()[0][0] >= missing)
    except duckdb.Error as error:
        return not is_about_damage(str(error))  # or another process has it open


def damage_of_tables(file: Path) -> str:
    """Return what DuckDB finds wrong when it reads all tables of a file, '' if nothing."""
    try:
        with duckdb.connect(str(file), read_only=True) as db:
            tables = db.execute(
                "SELECT schema_name, table_name FROM duckdb_tables() "
                "WHERE database_name = current_database() AND NOT temporary"
            ).fetchall()
            for schema, table in tables:
                name = f"{identifier(schema)}.{identifier(table)}"
                db.execute(f"SELECT bit_xor(hash(t)) FROM {name} AS t").fetchall()
    except duckdb.Error as error:
        if is_about_damage(str(error)):
            return str(error).splitlines()[0]
    return ""


def damage_of_parquet(file: Path) -> str:
    """Return what is wrong with a Parquet file, '' if nothing. Raises OSError."""
    with file.open("rb") as opened:
        size = os.fstat(opened.fileno()).st_size
        first = opened.read(len(_MAGIC))
        opened.seek(max(size - _FOOTER.size, 0))
        last = opened.read()
    if not first.strip(b"\0"):
        return _BLANK
    if first != _MAGIC:
        return "it is not a Parquet file"
    if len(last) < _FOOTER.size:
        return _TRUNCATED
    length, magic = _FOOTER.unpack(last)
    return "" if magic == _MAGIC and length + 2 * _FOOTER.size <= size + 4 else _TRUNCATED


def damage_of_log(file: Path) -> str:
    """Return what is wrong with a file of the log, '' if nothing. Raises OSError.

    Broken lines are skipped when it is read, but DuckDB refuses a file with an endless one.
    """
    if file.stat().st_size < LONGEST:
        return ""
    with file.open("rb") as opened:
        while block := opened.read(LONGEST // 2):
            if len(block) == LONGEST // 2 and b"\n" not in block:
                return "it has an endless line"
    return ""


def damaged_parquet(folder: Path) -> Iterator[tuple[Path, str]]:
    """Yield the damaged Parquet files of a folder, and what is wrong with each."""
    for file in sorted(folder.glob("*.parquet")):
        if reason := damage_of_parquet(file):
            yield file, reason


def is_about_damage(message: str) -> bool:
    """Return whether an error of DuckDB says that its database is damaged."""
    return _DAMAGE.search(message) is not None
