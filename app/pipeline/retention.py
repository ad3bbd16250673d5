"""Retention: what is removed when, by the policy in LAKE/retention.toml, and what stays of it.

    [keep_days]         # without a line: for ever
    records = 400       # records of SMF and RMF reports; their hours stay (marts.fct_usage_hour)
    verdicts = 90       # passed verdicts of audits; failed ones, and their numbers, stay
    damaged = 90        # loads and files that were set aside because they could not be read
    reports = 365       # HTML reports in the data folder

A load of records is removed once all its records are older than the limit by a day, as their dates
are local. Loads that have records of a declared run's day stay: comparisons stand on them.
Manifests, outputs of benchmarks, published figures, regressions and decisions are never removed.

The hours are those of the marts, up to the limit, from all loads. They become a load of their own
(ingest/lake/rolled.py) that knows its intervals: these count no more in the marts, whoever brings
them again, and late ones are added. Hours come and records go in one step, as a new generation of
raw/; `perfhouse forget` undoes it while the files of the records exist.
"""

from __future__ import annotations

import shutil
import tomllib
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import NamedTuple

import duckdb

from app.pipeline.build import pending_changes
from app.pipeline.places import home
from expectations.store import Merge, merge_results
from ingest.base.errors import SettingsError
from ingest.lake import rolled
from ingest.lake.alone import StepError, alone
from ingest.lake.ledger import Entry, write_ledger
from ingest.lake.log import step
from ingest.lake.seal import copy_rows
from ingest.lake.sql import literal
from ingest.lake.warehouse import Warehouse

__all__ = ["POLICY", "Policy", "Removal", "read_policy", "removable", "retain"]

POLICY = "retention.toml"  # in the lake
_IS_RECORDS = "(kind = 'smf' OR kind LIKE 'rmf%')"


class Policy(NamedTuple):
    """How many days each kind of data is kept; None: for ever."""

    records: int | None = None
    verdicts: int | None = None
    damaged: int | None = None
    reports: int | None = None


class OldLoad(NamedTuple):
    """A load that the policy removes. rows: its records and sections; bytes: in the lake, about."""

    source_id: str
    path: str
    first_day: date
    last_day: date
    rows: int
    bytes: int


class Removal(NamedTuple):
    """What the policy removes at a moment.

    until: the hours before it are rolled up; of_runs, straddling: loads with older records that
    stay, because of a declared run or their younger records.
    """

    until: datetime | None
    loads: Sequence[OldLoad]
    of_runs: int
    straddling: int
    audits: Merge
    files: Sequence[Path]

    def lines(self, *, done: bool) -> Iterator[str]:
        """Yield a line on each kind of data: what was removed, or would be."""
        will = "" if done else "would be "
        if self.loads:
            first, last = self.loads[0].first_day, max(load.last_day for load in self.loads)
            rows = sum(load.rows for load in self.loads)
            size = sum(load.bytes for load in self.loads) / 2**20
            yield (
                f"{first} to {last}: {len(self.loads):,} loads, {rows:,} records and sections, "
                f"about {size:,.1f} MB {will}removed; their hours {'' if done else 'would '}stay"
            )
        elif self.until:
            yield f"no load has only records before {self.until - timedelta(days=1):%Y-%m-%d}"
        if self.of_runs:
            yield f"{self.of_runs:,} older loads are kept: they cover days of declared runs"
        if self.straddling:
            yield f"{self.straddling:,} older loads are kept: they also have younger records"
        if self.audits.files:
            yield f"{self.audits.files:,} files of audits {will}merged into one"
        if self.audits.dropped:
            yield f"{self.audits.dropped:,} passed verdicts {will}removed; their numbers stay"
        if self.files:
            yield f"{len(self.files):,} damaged loads and reports {will}removed"


def read_policy(warehouse: Warehouse) -> Policy:
    """Read the policy of a warehouse. Raises SettingsError if its file is not valid."""
    file = warehouse.lake / POLICY
    if not file.exists():
        return Policy()
    try:
        content = tomllib.loads(file.read_text("utf-8"))
    except OSError as error:
        raise SettingsError(f"{file}: {error.strerror}") from None
    except ValueError as error:
        raise SettingsError(f"{file}: {error}") from None
    days = content.pop("keep_days", {})
    unknown = [*content, *(key for key in days if key not in Policy._fields)] if isinstance(
        days, dict
    ) else ["keep_days"]  # fmt: skip
    if unknown:
        names = ", ".join(Policy._fields)
        raise SettingsError(f"{file}: {unknown[0]!r} is not known; [keep_days] may have {names}")
    for key, value in days.items():
        if type(value) is not int or not 1 <= value <= 100_000:
            raise SettingsError(f"{file}: {key} is {value!r}, not a whole number of days from 1")
    return Policy(**days)


def removable(warehouse: Warehouse, today: date | None = None) -> Removal:
    """Return what the policy would remove.

    Raises StepError if a limit for records is set and readers do not see the present loads.
    """
    policy, today = read_policy(warehouse), today or datetime.now(UTC).date()
    audits = merge_results(warehouse.audit, _limit(today, policy.verdicts), dry_run=True)
    files = _old_files(warehouse, policy, today)
    until = _limit(today, policy.records)
    if until is None or not warehouse.file.exists():
        return Removal(None, [], 0, 0, audits, files)
    with warehouse.connect() as db:
        _require_published(warehouse, db, until)
        loads, of_runs, straddling = _old_loads(warehouse, db, until)
    return Removal(until, loads, of_runs, straddling, audits, files)


def retain(warehouse: Warehouse, today: date | None = None) -> Removal:
    """Remove what the policy says, and return it; marts follow with the next build.

    Raises StepError as `removable`, and if another step is running.
    """
    with alone(warehouse), step(warehouse, "retain") as done:
        removal = removable(warehouse, today)
        done.note(loads=len(removal.loads))
        if removal.until and removal.loads:
            _roll_up(warehouse, removal.until, [load.source_id for load in removal.loads])
        limit = _limit(today or datetime.now(UTC).date(), read_policy(warehouse).verdicts)
        merge_results(warehouse.audit, limit)
        for path in removal.files:
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)
    return removal


def _limit(today: date, days: int | None) -> datetime | None:
    """Return the moment, UTC, before which data are old."""
    if days is None:
        return None
    return datetime.combine(max(today - timedelta(days=days), date(1970, 1, 2)), time())


def _old_files(warehouse: Warehouse, policy: Policy, today: date) -> list[Path]:
    files = []
    for folder, pattern, days in (
        (warehouse.lake / "damaged", "*", policy.damaged),
        (home() / "reports", "*.html", policy.reports),
    ):
        limit = _limit(today, days)
        # The time of a change, as a file that is set aside keeps its time of writing.
        files += [
            path
            for path in (sorted(folder.glob(pattern)) if limit else ())
            if limit and path.lstat().st_ctime < limit.replace(tzinfo=UTC).timestamp()
        ]
    return files


def _require_published(
    warehouse: Warehouse, db: duckdb.DuckDBPyConnection, until: datetime
) -> None:
    """Raise StepError unless the published hours are those of the present loads."""
    changes = pending_changes(db, warehouse.loads())
    ids = [] if changes is None else changes.new
    late = db.execute(
        "SELECT count(DISTINCT source_id) FROM raw.ledger JOIN raw.ledger_day USING (source_id) "
        f"WHERE list_contains($1, source_id) AND {_IS_RECORDS} "
        "AND coalesce(first_day <= $2::DATE + 1, true)",
        [ids, until.date()],
    ).fetchall()[0][0]
    if changes is None or changes.gone or late:
        following = warehouse.command("build", "check", "publish")
        raise StepError(
            f"{warehouse.file}: it does not show all loads, so their hours cannot be kept yet; run "
            f"first: {following}"
        )


def _old_loads(
    warehouse: Warehouse, db: duckdb.DuckDBPyConnection, until: datetime
) -> tuple[list[OldLoad], int, int]:
    """Return the loads to remove, and how many older ones stay for runs or younger records."""
    rows = db.execute(
        f"""
        WITH day AS (
            FROM raw.ledger JOIN raw.ledger_day USING (source_id)
            ANTI JOIN meta.set_aside USING (source_id) -- their hours are in no mart
            WHERE {_IS_RECORDS}
        ), span AS (
            SELECT
                source_id, any_value(path) AS path, min(first_day) AS first_day,
                max(last_day) AS last_day, count(first_day) = count(*) AS is_dated
            FROM day GROUP BY source_id
        ), of_run AS (
            SELECT DISTINCT day.source_id FROM day JOIN marts.fct_run AS run
            ON day.first_day <= CAST(run.stop_utc AS DATE) + 1
            AND day.last_day >= CAST(run.start_utc AS DATE) - 1
        ), counted AS (
            SELECT source_id, sum(records) + sum(sections) AS rows
            FROM raw.ledger_count GROUP BY source_id
        ), young AS (
            -- a clock that was set, or a time zone that does not exist
            SELECT DISTINCT source_id FROM marts.fct_usage_hour WHERE hour_utc >= $1
        )
        SELECT
            source_id, path, first_day, last_day, coalesce(rows, 0),
            source_id IN (FROM of_run),
            last_day > $1::DATE - 2 OR NOT is_dated OR source_id IN (FROM young)
        FROM span LEFT JOIN counted USING (source_id)
        WHERE first_day <= $1::DATE - 2
        ORDER BY first_day, source_id
        """,
        [until],
    ).fetchall()
    sizes = warehouse.store.sizes([row[0] for row in rows])
    loads = [
        OldLoad(source_id, path, first, last, number, sizes[source_id])
        for source_id, path, first, last, number, is_of_run, stays in rows
        if not (is_of_run or stays)
    ]
    straddling = sum(row[6] for row in rows)
    return loads, len(rows) - len(loads) - straddling, straddling


# --- rolling up ----------------------------------------------------------------------------


def _roll_up(warehouse: Warehouse, until: datetime, gone: Sequence[str]) -> None:
    """Write the hours before `until` as a load of each origin, and remove loads, in one step."""
    now = datetime.now(UTC).replace(tzinfo=None)
    with warehouse.draft() as draft, warehouse.connect() as db:
        origins = db.execute("SELECT DISTINCT origin FROM raw.ledger WHERE " + _IS_RECORDS)
        loads = set(warehouse.loads())
        for (origin,) in origins.fetchall():
            number = 1 + max(
                (int(load.rpartition("-")[2]) for load in loads
                 if load.startswith(f"{rolled.HOURS}-{origin}-")), default=0,
            )  # fmt: skip
            source_id = f"{rolled.HOURS}-{origin}-{number:06}"
            folder = draft / source_id
            folder.mkdir()
            _write(db, folder, source_id, origin, until, gone, now)
        warehouse.store.replace(gone, draft)


def _write(
    db: duckdb.DuckDBPyConnection,
    folder: Path,
    source_id: str,
    origin: str,
    until: datetime,
    gone: Sequence[str],
    now: datetime,
) -> None:
    """Write the tables of one roll-up."""
    named, at = literal(source_id), f"TIMESTAMP {literal(str(until))}"
    moment = f"TIMESTAMP {literal(str(now))}"
    condition = f"origin = {literal(origin)}"
    key = ", ".join(rolled.KEY)
    measures = ", ".join(f"{rolled.IN_MART.get(name, name)} AS {name}" for name in rolled.MEASURES)
    of_lpar = ", ".join((*rolled.ATTRIBUTES, *rolled.OF_LPAR))
    hours = folder / f"{rolled.TABLE}.0.parquet"
    files = copy_rows(
        db,
        f"""
        SELECT
            row_number() OVER (ORDER BY {key}) AS record_no, {key}, intervals, minutes,
            utc_offset_minutes, {measures}, {of_lpar}
        FROM marts.fct_usage_hour LEFT JOIN (
            SELECT
                origin, hour_utc, sysplex, system_id, partition_name AS name, 'lpar' AS subject,
                {of_lpar}
            FROM marts.fct_system_hour
        ) USING (origin, hour_utc, sysplex, system_id, name, subject)
        WHERE {condition} AND hour_utc < {at} AND intervals > rolled_intervals
        ORDER BY record_no
        """,
        hours,
    )
    size, _, count = files[hours.name]
    entry = Entry(
        source_id,
        "",
        origin,
        rolled.HOURS,
        "loaded",
        records_loaded=count,
        bytes=size,
        stored_bytes=size,
        loaded_at=now,
    )
    days = db.sql(
        f"""
        SELECT
            CAST(hour_utc AS DATE) AS first_day, first_day AS last_day,
            min(record_no) AS first_record_no, max(record_no) AS last_record_no
        FROM read_parquet({literal(str(hours))}) GROUP BY ALL
        UNION ALL
        SELECT NULL, NULL, 1, 0 WHERE {count} = 0
        ORDER BY first_record_no
        """
    ).pl()
    files |= copy_rows(
        db,
        f"""
        SELECT
            source_id, path, kind, bytes, records, loaded_at, {at} AS rolled_until,
            {named} AS rolled_into, {moment} AS removed_at
        FROM raw.ledger JOIN (SELECT unnest([{", ".join(map(literal, gone))}]) AS source_id)
        USING (source_id)
        WHERE {condition}
        """,
        folder / "ledger_rolled.0.parquet",
    )
    write_ledger(folder, entry, days=days.iter_rows(named=True), others=files)
