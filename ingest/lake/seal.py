"""The seal of a folder of loads: a list of its Parquet files that reveals lost or changed ones.

    raw/<load>/files.json    name -> size in bytes, CRC-32 of the content

The files of a lake never change, so the seal is written once, when the folder becomes part of raw/.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from pathlib import Path

from ingest.base.files import sync_folder
from ingest.lake.damage import damage_of_parquet, damaged_parquet
from ingest.lake.spare import read_ledger

__all__ = ["damage_of_folder", "has_only_lost_its_seal", "seal"]

_SEAL = "files.json"
_BLOCK = 1 << 20  # bytes


def seal(folder: Path) -> None:
    """Note the Parquet files of a folder, and wait until all of it is on disk. Raises OSError."""
    files = {file.name: (file.stat().st_size, _crc(file)) for file in folder.glob("*.parquet")}
    (folder / _SEAL).unlink(missing_ok=True)  # it may be a link
    (folder / _SEAL).write_text(json.dumps(files, indent=0, sort_keys=True))
    sync_folder(folder)


def damage_of_folder(folder: Path, *, deep: bool = False) -> Iterator[tuple[Path, str]]:
    """Yield each Parquet file of a folder that is damaged, missing or foreign, and why.

    deep: read every byte. Otherwise only the frame of each file is looked at. Raises OSError.
    """
    sealed = _sealed(folder)
    if sealed is None:
        yield folder / _SEAL, "it is missing, or damaged"
        return
    present = {file.name: file for file in folder.glob("*.parquet")}
    for name in sorted(sealed.keys() | present.keys()):
        if name not in present:
            yield folder / name, "it is missing"
        elif reason := damage_of_parquet(present[name]):
            yield present[name], reason
        elif name not in sealed:
            yield present[name], "it is not a file of this load"
        elif present[name].stat().st_size != sealed[name][0]:
            yield present[name], "it has another size than when it was written"
        elif deep and _crc(present[name]) != sealed[name][1]:
            yield present[name], "its content has changed"


def has_only_lost_its_seal(folder: Path) -> bool:
    """Return whether a folder has no seal, and nothing else is seen to be wrong with it."""
    return (
        _sealed(folder) is None and not any(damaged_parquet(folder)) and bool(read_ledger(folder))
    )


def _sealed(folder: Path) -> dict[str, tuple[int, int]] | None:
    """Return the size and CRC-32 of each file; None without a seal."""
    try:
        files = json.loads((folder / _SEAL).read_bytes())
        return {str(name): (int(size), int(crc)) for name, (size, crc) in files.items()}
    except (FileNotFoundError, ValueError, TypeError, AttributeError):
        return None


def _crc(file: Path) -> int:
    crc = 0
    with file.open("rb") as opened:
        while block := opened.read(_BLOCK):
            crc = zlib.crc32(block, crc)
    return crc
