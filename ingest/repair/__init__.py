"""What a build does before it builds: it repairs the lake where it can."""

from __future__ import annotations

import logging

from ingest.lake.damage import damage_of_tables
from ingest.lake.lost import superseded_stand_ins
from ingest.lake.warehouse import Warehouse
from ingest.partial import replaced_loads
from ingest.repair.damaged import set_aside
from ingest.repair.lake import give_up_damaged_files
from ingest.repair.missing import load_missing

__all__ = ["repair"]

log = logging.getLogger(__name__)


def repair(warehouse: Warehouse, *, deep: bool = False) -> None:
    """Set damaged loads aside, load what is missing again, and remove what is there twice.

    Call it alone with the warehouse. Every line that is logged says what to do. deep: read all
    rows, and all tables of the working database, to find damage.
    """
    set_aside(warehouse, deep=deep)
    give_up_damaged_files(warehouse, deep=deep)
    load_missing(warehouse)
    _remove_doubles(warehouse)
    if deep and warehouse.work.exists() and (damage := damage_of_tables(warehouse.work)):
        log.warning("%s: damaged, and made again by the next build (%s)", warehouse.work, damage)
        warehouse.discard_work()


def _remove_doubles(warehouse: Warehouse) -> None:
    """Remove second copies of loads, and loads that a whole copy of their file replaces."""
    if doubled := warehouse.store.remove_doubles():
        log.warning(
            "%s: %s loads were there twice; the second copy is gone", warehouse.raw, doubled
        )
    if replaced := [*replaced_loads(warehouse), *superseded_stand_ins(warehouse)]:
        with warehouse.draft() as draft:
            warehouse.store.replace(replaced, draft)
