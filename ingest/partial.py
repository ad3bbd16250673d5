"""Loads of damaged compressed files, and the whole files that replace them.

What a damaged file unpacks to is loaded. If a whole copy comes later, or a longer part, it begins
with the same bytes, so its load replaces the earlier one: a build removes that, and the damaged
file is a duplicate from then on. LAKE/partial/<source_id> notes the length and the SHA-256 of what
a file was unpacked to, and then the source_id of the load that replaces it. A note counts only
while that load exists, so notes can be written before the rename that commits a load.

A damaged copy that comes after the whole one is a load of its own.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import NamedTuple

from ingest.base.files import replacing
from ingest.formats.sources import Identity
from ingest.lake.warehouse import Warehouse

__all__ = ["Partial", "note_load", "partial_loads", "replaced_loads", "replacement_of"]

_FOLDER = "partial"


class Partial(NamedTuple):
    """What a damaged file was unpacked to, and the load that replaces it ('' if none does)."""

    size: int
    digest: str
    replaced_by: str


def partial_loads(warehouse: Warehouse) -> dict[str, Partial]:
    """Return the notes by source_id; those that cannot be read are left out."""
    folder = warehouse.lake / _FOLDER
    result = {}
    for file in folder.glob("[!.]*") if folder.is_dir() else ():
        try:
            size, digest, replaced_by = json.loads(file.read_bytes())
        except (OSError, ValueError, TypeError):
            continue
        result[file.name] = Partial(size, digest, replaced_by)
    return result


def replacement_of(warehouse: Warehouse, source_id: str, known: Mapping[str, Partial]) -> str:
    """Return the load that replaces one, '' if there is none."""
    note = known.get(source_id)
    if note is None or not note.replaced_by or not warehouse.store.holds(note.replaced_by):
        return ""
    return note.replaced_by


def note_load(warehouse: Warehouse, new: Identity, known: Mapping[str, Partial]) -> None:
    """Note what a load that is about to be committed replaces, and if it is partial itself.

    `new` has the digests of its first bytes at the sizes of those `known`.
    """
    for source_id, note in known.items():
        if source_id != new.source_id and new.digests.get(note.size) == note.digest:
            _write(warehouse, source_id, note._replace(replaced_by=new.source_id))
    if new.fault:
        _write(warehouse, new.source_id, Partial(new.size, new.digest, ""))


def replaced_loads(warehouse: Warehouse) -> list[str]:
    """Return the loads that are replaced by others and still there."""
    loads = partial_loads(warehouse)
    return [
        source_id
        for source_id in sorted(loads)
        if replacement_of(warehouse, source_id, loads) and warehouse.store.holds(source_id)
    ]


def _write(warehouse: Warehouse, source_id: str, note: Partial) -> None:
    with replacing(warehouse.lake / _FOLDER / source_id) as draft:
        draft.write_text(json.dumps(note))
