"""The parts that all records of a synthetic queue manager have: header and product section."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from models_sim.simulator.mq import fields
from models_sim.simulator.mq.dump import Dump, Row
from models_sim.simulator.mq.periods import Interval
from models_sim.simulator.mq.profile import QueueManager

__all__ = ["add_record", "extension_block", "header_of", "product_blocks"]


def header_of(manager: QueueManager, record_type: int) -> Row:
    """Return the header fields that all records of a queue manager have."""
    prefix = f"sm{record_type}"
    return {f"{prefix}ssi": manager.name, f"{prefix}rel": manager.release.header}


def extension_block(manager: QueueManager, record_type: int) -> dict[str, list[Row]]:
    """Return the QWHX of a record if the release has it."""
    release = manager.release.extension
    row = {"qwhxqsg": manager.sharing_group, "qwhxrel": release}
    return {f"smf{record_type}_qwhx": [row]} if release else {}


def product_blocks(
    manager: QueueManager,
    record_type: int,
    made: datetime | None,
    *,
    ifcid: int = 0,
    component: int = 26,
    sections: int = 2,
    interval: Interval | None = None,
    chained: bool = False,
) -> dict[str, list[Row]]:
    """Return the QWHS of a record made at the UTC moment `made`, and QWHX if the release has it.

    Without a moment only length and type are filled in. With `chained` a QWHC follows, and there is
    no interval.
    """
    row: Row = (
        {}
        if made is None
        else {
            "qwhsace": 0x10FA_2E40 if ifcid else 0,
            "qwhsqwhx": bool(manager.release.extension),
        }
        | fields.product(manager.name, made, component, ifcid, sections)
    )
    if chained and manager.release.leftovers:
        row |= {"qwhsqwhx": True, "qwhsflag2": 0xBA, "qwhsflag3": 0x10, "qwhsflag4": 0x40}
    if interval:
        row["qwhstime"] = interval.start + timedelta(hours=manager.offset_hours)
        row["qwhsdurn"] = interval.microseconds
    return {f"smf{record_type}_qwhs": [row]} | extension_block(manager, record_type)


def add_record(
    dump: Dump,
    manager: QueueManager,
    kind: tuple[int, int],
    made: datetime,
    tables: Mapping[str, list[Row]],
    *,
    run: int | None = None,
    pointers: int | None = None,
    **of_product: Any,
) -> None:
    """Add a record of a type and subtype, made at a UTC moment, with a product section.

    of_product: see product_blocks.
    """
    chained = {"smf116_qwhs": 36} if of_product.get("chained") else {}
    dump.add(
        made,
        *kind,
        header_of(manager, kind[0]),
        {**product_blocks(manager, kind[0], made, **of_product), **tables},
        pointers=pointers,
        lengths={**manager.release.lengths, **chained},
        run=run,
    )
