"""What a folder of loads holds, as its writer noted it: nobody lists the folder to know.

    raw/<folder>/load.json
        files    name -> size in bytes, CRC-32 of the content, rows
        loads    how each load was made: enough to load its file again

The files of a lake never change, so this is written once, before the folder becomes part of raw/,
and reveals files that are lost, changed or foreign.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import duckdb

from ingest.base.errors import WarehouseError
from ingest.base.files import sync, sync_folder
from ingest.lake.damage import damage_of_parquet
from ingest.lake.frames import frame
from ingest.lake.sql import literal, pattern

__all__ = [
    "Contents",
    "File",
    "Files",
    "HowLoaded",
    "copy_rows",
    "damage_of_folder",
    "loads_in",
    "note_of",
    "read_checked",
    "read_seal",
    "read_synced",
    "rows_of",
    "seal",
    "seal_what_is_there",
]

_SEAL = "load.json"
_EARLIER = ("files.json", "ledger.json")  # of format 3: without rows, and in two files
_BLOCK = 1 << 20  # bytes


class File(NamedTuple):
    """A Parquet file: its size in bytes, CRC-32 and rows; -1: an earlier release did not say."""

    bytes: int
    crc: int
    rows: int


class HowLoaded(NamedTuple):
    """A load and how it was made.

    about: what was known of a file of results besides its content, see ingest.formats.about.
    """

    source_id: str
    path: str
    origin: str
    code_page: str
    ams_type: int
    about: str = ""

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> HowLoaded:
        """Return the load of a row of the ledger; earlier releases did not write all columns."""
        return cls(
            row["source_id"],
            row.get("path") or "",
            row.get("origin") or "",
            row.get("code_page") or "037",
            row.get("ams_type") or 180,
            row.get("about") or "",
        )


Files = Mapping[str, File]


class Contents(NamedTuple):
    """The Parquet files of a folder by name, and its loads."""

    files: Files
    loads: Sequence[HowLoaded]


def seal(folder: Path, files: Files, loads: Sequence[HowLoaded] = ()) -> None:
    """Note what a folder holds, as its writer knows it. Raises OSError."""
    noted = {"files": files, "loads": [load if load.about else load[:-1] for load in loads]}
    (folder / _SEAL).unlink(missing_ok=True)  # it may be a link
    (folder / _SEAL).write_text(json.dumps(noted, indent=0, sort_keys=True))


def read_checked(folder: Path) -> Contents:
    """Return what a folder holds.

    Raises WarehouseError if a file is not as its writer noted it, and OSError.
    """
    contents = read_seal(folder)
    for file, reason in damage_of_folder(folder):
        raise WarehouseError(f"{file}: {reason}")
    assert contents
    return contents


def read_synced(folder: Path) -> Contents:
    """Return the same, once all of it is on disk."""
    contents = read_checked(folder)
    sync_folder(folder)
    return contents


def read_seal(folder: Path) -> Contents | None:
    """Return what a folder holds by its note; None if that is missing or damaged."""
    try:
        noted = json.loads((folder / _SEAL).read_bytes())
        return Contents(
            {str(name): File(*map(int, sizes)) for name, sizes in noted["files"].items()},
            [HowLoaded(*load) for load in noted["loads"]],
        )
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None


def loads_in(folder: Path) -> Sequence[HowLoaded]:
    """Return the loads of a folder, from its note or its ledger; none if both are damaged."""
    contents = read_seal(folder)
    return contents.loads if contents else _loads_by_ledger(folder)


def damage_of_folder(folder: Path, *, deep: bool = False) -> Iterator[tuple[Path, str]]:
    """Yield each Parquet file of a folder that is damaged, missing or foreign, and why.

    deep: read every byte. Otherwise only the frame of each file is looked at. Raises OSError.
    """
    contents = read_seal(folder)
    if contents is None:
        yield folder / _SEAL, "it is missing, or damaged"
        return
    present = {file.name: file for file in folder.glob("*.parquet")}
    for name in sorted(contents.files.keys() | present.keys()):
        noted = contents.files.get(name)
        if name not in present:
            yield folder / name, "it is missing"
        elif reason := damage_of_parquet(present[name]):
            yield present[name], reason
        elif noted is None:
            yield present[name], "it is not a file of this load"
        elif present[name].stat().st_size != noted.bytes:
            yield present[name], "it has another size than when it was written"
        elif deep and _crc(present[name]) != noted.crc:
            yield present[name], "its content has changed"


def seal_what_is_there(folder: Path) -> None:
    """Seal a folder whose writer left no note, or one of an earlier release. Raises OSError.

    A file that an earlier note has and the folder lacks stays in the note, and so is missed.
    """
    files = {file.name: note_of(file, rows_of(file)) for file in folder.glob("*.parquet")}
    with suppress(OSError, ValueError, TypeError, AttributeError):
        for name, (size, crc) in json.loads((folder / _EARLIER[0]).read_bytes()).items():
            files[name] = File(size, crc, files[name].rows if name in files else -1)
    try:
        sealed = json.loads((folder / _EARLIER[1]).read_bytes())
        loads = [HowLoaded(*load) for load in sealed]
    except (OSError, ValueError, TypeError):
        loads = _loads_by_ledger(folder)
    seal(folder, files, loads)
    sync_folder(folder)
    for name in _EARLIER:
        (folder / name).unlink(missing_ok=True)
    sync(folder)


def copy_rows(
    db: duckdb.DuckDBPyConnection,
    query: str,
    file: Path,
    *,
    parameters: Sequence[object] = (),
    options: str = "",
) -> dict[str, File]:
    """Write the rows of a query to a Parquet file; return its name and note.

    options: of COPY, with a comma in front. Raises duckdb.Error and OSError.
    """
    to = f"TO {literal(str(file))} (FORMAT parquet, COMPRESSION zstd{options})"
    ((rows,),) = db.execute(f"COPY ({query}) {to}", list(parameters)).fetchall()
    return {file.name: note_of(file, rows)}


def rows_of(file: Path) -> int:
    """Return how many rows a Parquet file says that it has; -1 if it cannot be read."""
    try:
        with duckdb.connect() as db:
            query = "SELECT num_rows FROM parquet_file_metadata($1)"
            ((rows,),) = db.execute(query, [[pattern(str(file))]]).fetchall()
    except duckdb.Error:
        return -1
    return int(rows)


def note_of(file: Path, rows: int) -> File:
    """Return the note of a Parquet file as it is, of so many rows. Raises OSError."""
    return File(file.stat().st_size, _crc(file), rows)


def _crc(file: Path) -> int:
    crc = 0
    with file.open("rb") as opened:
        while block := opened.read(_BLOCK):
            crc = zlib.crc32(block, crc)
    return crc


def _loads_by_ledger(folder: Path) -> list[HowLoaded]:
    """Return the loads that the ledger of a folder has; [] if that is damaged."""
    files = [pattern(str(file)) for file in folder.glob("ledger.*.parquet")]
    try:
        with duckdb.connect() as db:
            rows = frame(db, "FROM read_parquet($1)", [files]).to_dicts()
    except duckdb.Error:
        return []
    return list(map(HowLoaded.of, rows))
