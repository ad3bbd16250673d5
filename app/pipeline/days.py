"""The days that an incremental build rebuilds, and the neighbouring days that it reads.

A load says which days its records belong to (raw.ledger_day). A new or forgotten load changes
marts on those days and, since dates are local and intervals cross midnight, on the day before and
the day after. These are built again. Two more days on either side are read, because models look
back. A run, a transfer or the output of a tool can link days that are far apart.

dbt's side of this is dbt/macros/incremental.sql.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from typing import NamedTuple

import duckdb

from ingest.lake.store import WHOLE
from ingest.lake.warehouse import Loads, Warehouse

__all__ = ["Changes", "Days", "changed_loads", "note_loads", "plan_days"]

_READ = 2  # days on either side of those built again that models may read
_SPAN = 2  # days; a range of records that covers more is not in the order of time

#: Every range of records, and how many days it lies from those that are built again.
_PLACED = """
    CREATE OR REPLACE TEMP TABLE placed AS
    SELECT present.*, greatest(0, min(greatest(
        0, touched.first_day - present.last_day, present.first_day - touched.last_day
    )) - 1) AS distance
    FROM present JOIN touched ON true
    WHERE present.first_day IS NOT NULL AND touched.first_day IS NOT NULL
    GROUP BY ALL
    UNION ALL
    SELECT present.*, 0 FROM present SEMI JOIN new USING (source_id) WHERE first_day IS NULL
"""

#: Days of earlier records that belong together with records of changed loads.
_LINKED = {
    "messages of the same transfer": """
        WITH transfer AS (
            SELECT source_id, record_no, transfer_id FROM intermediate.int_runs__transfer_message
            UNION ALL
            SELECT source_id, record_no, transfer_id FROM intermediate.int_runs__transfer_item
        ), changed AS (
            SELECT transfer_id FROM raw.bench_mft_transfer
            UNION
            SELECT transfer_id FROM transfer WHERE source_id IN (SELECT source_id FROM gone)
        )
        SELECT first_day, last_day
        FROM transfer SEMI JOIN changed USING (transfer_id)
        JOIN meta.build_load AS load
            ON load.source_id = transfer.source_id
            AND transfer.record_no BETWEEN load.first_record_no AND load.last_record_no
    """,
    "declarations and measurements of the same run": """
        WITH declared AS (
            SELECT source_id, record_no, run_id FROM intermediate.int_runs__manifest
        ), changed AS (
            SELECT run_id FROM raw.bench_run
            UNION
            SELECT run_id FROM raw.bench_measurement
            UNION
            SELECT run_id FROM declared WHERE source_id IN (SELECT source_id FROM gone)
            UNION
            SELECT run_id FROM intermediate.int_runs__given
            WHERE source_id IN (SELECT source_id FROM gone)
        )
        SELECT first_day, last_day
        FROM declared SEMI JOIN changed USING (run_id)
        JOIN meta.build_load AS load
            ON load.source_id = declared.source_id
            AND declared.record_no BETWEEN load.first_record_no AND load.last_record_no
    """,
    "outputs whose path names a run": """
        SELECT load.first_day, load.last_day
        FROM (FROM changed WHERE kind <> 'smf' AND kind NOT LIKE 'rmf%') AS output
        JOIN intermediate.int_runs__manifest AS run ON contains(output.path, run.run_id)
        JOIN meta.build_load AS load
            ON load.source_id = run.source_id
            AND run.record_no BETWEEN load.first_record_no AND load.last_record_no
    """,
}


class Changes(NamedTuple):
    """The loads, by source_id, that came or were forgotten since the last build."""

    new: list[str]
    gone: list[str]

    def __bool__(self) -> bool:
        """Return whether there are any."""
        return bool(self.new or self.gone)


class Days(NamedTuple):
    """The ranges of records that an incremental build reads.

    ranges: rows of meta.build_day: source_id, first and last record_no, distance.
    gone: source_id of loads whose rows are dropped.
    sources: raw tables, and views of them, in which new loads have rows; None if loads are gone,
    since theirs are not known.
    number: of days that are built again, as far as the present loads have records on them.
    """

    ranges: list[tuple[str, int, int, int]]
    gone: list[str]
    sources: list[str] | None
    number: int

    def write(
        self, warehouse: Warehouse, db: duckdb.DuckDBPyConnection, without: Collection[str] = ()
    ) -> None:
        """Fill meta.build_day, and let the views of raw show these ranges only.

        without: loads that are treated as if they were gone.
        """
        ranges = [range_ for range_ in self.ranges if range_[0] not in without]
        read = defaultdict(list)
        for source_id, first, last, _ in ranges:
            read[source_id].append((first, last))
        db.execute("TRUNCATE meta.build_day")
        rows = [*ranges, *((source_id, *WHOLE, 0) for source_id in {*self.gone, *without})]
        db.executemany("INSERT INTO meta.build_day VALUES ($1, $2, $3, $4)", rows)
        warehouse.refresh(db, read)


def changed_loads(db: duckdb.DuckDBPyConnection, loads: Loads) -> Changes | None:
    """Return how `loads` differ from those of the last build; None if it did not note its own.

    A load that was forgotten and came again is both new and gone.
    """
    try:
        rows = db.execute("SELECT DISTINCT source_id, loaded_at FROM meta.build_load").fetchall()
    except (duckdb.CatalogException, duckdb.BinderException):
        return None
    now, noted = set(loads.items()), set(rows)
    return Changes(sorted(s for s, _ in now - noted), sorted(s for s, _ in noted - now))


def plan_days(warehouse: Warehouse, db: duckdb.DuckDBPyConnection, changes: Changes) -> Days | None:
    """Return what a build of the changes builds again and reads, from the last build's database.

    None if everything has to be built: published figures changed, a load does not say its days, or
    more than half of all records belong to the days to build again.
    """
    warehouse.refresh(db, {source_id: [WHOLE] for source_id in changes.new})
    sources = None if changes.gone else warehouse.sources_with_rows(db, of_all=False)
    for name, source_ids in changes._asdict().items():
        db.execute(
            f"CREATE OR REPLACE TEMP TABLE {name} AS SELECT unnest($1::VARCHAR[]) AS source_id",
            [source_ids],
        )
    db.execute(f"CREATE OR REPLACE TEMP TABLE present AS {_load_days()}")
    db.execute(
        "CREATE OR REPLACE TEMP TABLE changed AS "
        "FROM present SEMI JOIN new USING (source_id) "
        "UNION ALL FROM meta.build_load SEMI JOIN gone USING (source_id)"
    )
    ((unknown, published),) = db.execute(
        "SELECT count(*), (SELECT count(*) FROM changed WHERE kind LIKE 'published%') "
        "FROM raw.ledger ANTI JOIN present USING (source_id)"
    ).fetchall()
    if unknown or published:
        return None
    db.execute("CREATE OR REPLACE TEMP TABLE touched AS SELECT first_day, last_day FROM changed")
    for linked in _LINKED.values():
        db.execute(f"INSERT INTO touched {linked}")
    db.execute(_PLACED)
    while _widen(db):
        db.execute(_PLACED)
    records = "SELECT sum(last_record_no - first_record_no + 1) FROM"
    ((rebuilt, of_all),) = db.execute(
        f"SELECT ({records} placed WHERE distance = 0), ({records} present)"
    ).fetchall()
    if rebuilt and rebuilt > of_all / 2:
        return None
    ranges = db.execute(
        "SELECT source_id, first_record_no, last_record_no, distance FROM placed "
        f"WHERE distance <= {_READ}"
    ).fetchall()
    ((number,),) = db.execute(
        "SELECT count(DISTINCT day) FROM placed, "
        "generate_series(first_day, last_day, INTERVAL 1 DAY) AS days (day) WHERE distance = 0"
    ).fetchall()
    return Days(ranges, changes.gone, sources, number)


def note_loads(db: duckdb.DuckDBPyConnection, loads: Loads) -> None:
    """Write to meta.build_load which loads the build holds."""
    db.execute(
        f"CREATE OR REPLACE TABLE meta.build_load AS {_load_days()} "
        "WHERE list_contains($1, source_id)",
        [list(loads)],
    )
    db.execute(
        "COMMENT ON TABLE meta.build_load IS "
        "'One row per load in the build and range of its records that belong to the same days'"
    )


def _load_days() -> str:
    return (
        "SELECT source_id, loaded_at, path, kind, origin, code_page, ams_type, about, "
        "first_day, last_day, first_record_no, last_record_no "
        "FROM raw.ledger JOIN raw.ledger_day USING (source_id)"
    )


def _widen(db: duckdb.DuckDBPyConnection) -> bool:
    """Add the days of rebuilt ranges that are not in chronological order; say if any was new.

    A run may take days, too, but other records do not depend on it.
    """
    ((added,),) = db.execute(
        "INSERT INTO touched SELECT DISTINCT first_day, last_day FROM placed "
        f"WHERE distance = 0 AND last_day - first_day >= {_SPAN} AND kind <> 'run_manifest' "
        "EXCEPT FROM touched"
    ).fetchall()
    return bool(added)
