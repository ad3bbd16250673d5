"""Records of hard cases: those of ordinary work, with columns changed before they are encoded."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from ingest.formats.binary.framing import Framing
from ingest.formats.binary.write import frame_records
from models_sim.simulator.campaigns.hard_cases.work import Plex, Spans, Threads, frames
from models_sim.simulator.zos.counters import add_counters
from models_sim.simulator.zos.cpu import add_cpu
from models_sim.simulator.zos.jobs import add_jobs
from models_sim.simulator.zos.log import Log, Tables, constant
from models_sim.simulator.zos.workload import add_workload

__all__ = ["Change", "Part", "drop", "dump", "put", "put_logical", "records_of"]

_PARTITION, _LOGICAL = "smf70_1_prsm_partition", "smf70_1_prsm_logical_processor"
_ZIIP_KIND = 5  # number of the CPU identification section of zIIPs
#: What type 70 counts for each processor.
_COUNTED = ("smf70tcb", "smf70srb", "smf70nio", "smf70sig", "smf70wtd")
_LATE = timedelta(seconds=1)  # a record is written at most this long after its interval

#: Return the changed tables of some records: type, subtype, the records, tables by name.
Change = Callable[[int, int, pl.DataFrame, dict[str, pl.DataFrame]], dict[str, pl.DataFrame]]


class Part(NamedTuple):
    """Intervals that records are made of: the sysplex, its work, record types and address spaces.

    Without `jobs`, all address spaces write type 30. The changes apply to these records only.
    """

    plex: Plex
    intervals: Spans
    work: Spans
    types: tuple[int, ...] = (30, 70, 72)
    changes: tuple[Change, ...] = ()
    jobs: tuple[str, ...] | None = None


class _ChangedLog(Log):
    """A log whose records are changed before they are encoded."""

    def __init__(self, offset: timedelta) -> None:
        super().__init__(offset)
        self.changes: tuple[Change, ...] = ()

    def add(
        self,
        record_type: int,
        subtype: int,
        records: pl.DataFrame,
        tables: Tables,
        lengths: Mapping[str, int] | None = None,
    ) -> None:
        """Add records of a kind, changed; see Log."""
        changed = {"": records, **tables}
        for change in self.changes:
            changed = change(record_type, subtype, changed[""], changed)
        kept = changed.pop("")
        super().add(record_type, subtype, kept, changed, lengths)


def records_of(parts: Iterable[Part], seed: int) -> dict[str, list[bytes]]:
    """Return each system's records in time order, between a dump header and a trailer."""
    log = _ChangedLog(timedelta())
    for number, part in enumerate(parts):
        site = part.plex.site()
        made = frames(part.plex, part.intervals, part.work, seed + number)
        log.offset, log.changes = site.offset, (*_own_changes(part.plex), *part.changes)
        if 30 in part.types:
            spaces = made["address_space"]
            if part.jobs is not None:
                spaces = spaces.filter(pl.col("job").is_in(part.jobs))
            add_jobs(log, site, made | {"address_space": spaces})
        if 70 in part.types:
            add_cpu(log, site, made, np.random.default_rng([seed + number, *b"cpu"]))
        if 72 in part.types:
            add_workload(log, site, made)
        if 113 in part.types:
            add_counters(log, site, made)
    return log.compose()


def _own_changes(plex: Plex) -> Iterator[Change]:
    """Yield the changes that follow from what the LPARs are."""
    for lpar in plex.lpars:
        if lpar.threads:
            yield from _threads(lpar.name, lpar.threads)


def dump(records: Sequence[bytes], framing: Framing = Framing.RDW) -> bytes:
    """Return the bytes of a dump."""
    return b"".join(frame_records(records, framing))


def put(
    table: str,
    system: str,
    start: datetime | None = None,
    end: datetime | None = None,
    where: pl.Expr | None = None,
    **fields: Any,
) -> Change:
    """Return a change that sets fields of a table, given as expressions or constants.

    It applies to records of the system whose intervals end after `start` and no later than `end`
    (None: to all), and of these to the sections for which `where` is true.
    """

    def change(
        _type: int, _subtype: int, records: pl.DataFrame, tables: dict[str, pl.DataFrame]
    ) -> dict[str, pl.DataFrame]:
        if table not in tables:
            return tables
        chosen = records.filter(_of(system, start, end)).select("record_no", chosen=True)
        if not chosen.height:
            return tables
        frame = tables[table].join(chosen, on="record_no", how="left", maintain_order="left")
        meant = pl.col("chosen").fill_null(value=False)
        if where is not None:
            meant &= where
        absent = [pl.lit(None).alias(name) for name in fields if name not in frame.columns]
        changed = frame.with_columns(absent).with_columns(
            pl.when(meant).then(constant(value)).otherwise(pl.col(name)).alias(name)
            for name, value in fields.items()
        )
        return {**tables, table: changed.drop("chosen")}

    return change


def drop(
    record_type: int, system: str, start: datetime | None = None, end: datetime | None = None
) -> Change:
    """Return a change that leaves out records of a type; see `put`."""

    def change(
        found: int, _subtype: int, records: pl.DataFrame, tables: dict[str, pl.DataFrame]
    ) -> dict[str, pl.DataFrame]:
        if found != record_type:
            return tables
        return {**tables, "": records.filter(~_of(system, start, end))}

    return change


def _of(system: str, start: datetime | None, end: datetime | None) -> pl.Expr:
    chosen = pl.col("system") == system
    if start is not None:
        chosen &= pl.col("moment") > start + _LATE
    if end is not None:
        chosen &= pl.col("moment") <= end + _LATE
    return chosen


def put_logical(partition: str, **fields: Any) -> Change:
    """Return a change of a partition's logical processors, whoever reports them."""

    def change(
        _type: int, _subtype: int, _records: pl.DataFrame, tables: dict[str, pl.DataFrame]
    ) -> dict[str, pl.DataFrame]:
        if _LOGICAL not in tables:
            return tables
        frame = _named(tables)
        absent = [pl.lit(None).alias(name) for name in fields if name not in frame.columns]
        changed = frame.with_columns(absent).with_columns(
            pl.when(pl.col("smf70lpm") == partition)
            .then(constant(value))
            .otherwise(pl.col(name))
            .alias(name)
            for name, value in fields.items()
        )
        return {**tables, _LOGICAL: changed.drop("smf70lpm")}

    return change


def _named(tables: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """Return the logical processors of type 70 with the name of their partition (`smf70lpm`)."""
    owners = tables[_PARTITION].select("record_no", pl.col("smf70lpm").repeat_by("smf70bdn"))
    owner = owners.explode("smf70lpm", empty_as_null=False)
    return tables[_LOGICAL].with_columns(owner["smf70lpm"])


def _threads(name: str, threads: Threads) -> tuple[Change, ...]:
    """Return the changes that let the zIIPs of an LPAR run two threads each.

    Type 70 then has a section per thread and one per core; PR/SM counts cores.
    """

    def change(
        record_type: int, subtype: int, records: pl.DataFrame, tables: dict[str, pl.DataFrame]
    ) -> dict[str, pl.DataFrame]:
        if (record_type, subtype) != (70, 1):
            return tables
        own = records.filter(pl.col("system") == name).select("record_no")
        return tables | _of_cores(tables, own, threads) | _of_partition(tables, name, threads)

    known = threads.known
    return (
        put(
            "smf70_1_cpu_control",
            name,
            smf70mcfs=threads.maximum if known else 0,
            smf70cfs=threads.capacity if known else 0,
            smf70atds=threads.density if known else 0,
            smf70hif=not known,
        ),
        put("smf72_3_workload_manager_control", name, r723mcfs=threads.maximum if known else 0),
        change,
    )


def _of_cores(
    tables: Mapping[str, pl.DataFrame], own: pl.DataFrame, threads: Threads
) -> dict[str, pl.DataFrame]:
    """Return the CPU data of each thread, and the section of each core."""
    length = tables["smf70_1_product"].select("record_no", length=pl.col("smf70int").cast(pl.Int64))
    cpus = tables["smf70_1_cpu_data"]
    mine = cpus.join(own, on="record_no", maintain_order="left").join(
        length, on="record_no", maintain_order="left"
    )
    is_ziip = pl.col("smf70typ") == 2
    cores = mine.with_columns(
        number=pl.when(is_ziip).then(2).otherwise(1),
        dispatched=pl.col("length") - pl.col("smf70wat"),
    )
    # The threads share the time in which a core works for either.
    share = pl.col("dispatched") * threads.density / 1024 / 2
    each = (
        cores.with_columns(thread=pl.int_ranges(pl.col("number")))
        .explode("thread")
        .with_columns(
            pl.when(is_ziip).then(pl.col("length") - share).otherwise("smf70wat").round()
            .cast(pl.Int64).alias("smf70wat"),
            *(pl.col(name) // pl.col("number") for name in _COUNTED),
            smf70cid=2 * pl.col("smf70cid") + pl.col("thread"),
        )
        .select(cpus.columns)
    )  # fmt: skip
    productivity = round(1024 * threads.capacity / threads.maximum) if threads.known else 0
    sections = cores.select(
        "record_no",
        smf70_core_id=pl.col("smf70cid"),
        smf70_lpb_valid=pl.lit(threads.known),
        smf70_cpu_skip=(pl.col("number").cum_sum() - pl.col("number")).over("record_no"),
        smf70_cpu_num=pl.col("number"),
        smf70_prod=pl.when(is_ziip).then(productivity).otherwise(1024),
        smf70_lpar_busy=pl.when(pl.lit(threads.known)).then("dispatched").otherwise(0),
    )
    rest = cpus.join(own, on="record_no", how="anti", maintain_order="left")
    return {
        "smf70_1_cpu_data": pl.concat([rest, each], how="vertical_relaxed"),
        "smf70_1_logical_core_data": sections,
    }


def _of_partition(
    tables: Mapping[str, pl.DataFrame], name: str, threads: Threads
) -> dict[str, pl.DataFrame]:
    """Return the LPAR's highest thread number, and how long threads of its zIIPs idled."""
    partition, logical = tables[_PARTITION], _named(tables)
    is_core = (pl.col("smf70lpm") == name) & (pl.col("smf70cix") == _ZIIP_KIND)
    idle = pl.col("smf70edt") * (2 - threads.density / 1024)
    return {
        _PARTITION: partition.with_columns(
            smf70mtid=pl.when(pl.col("smf70lpm") == name).then(1).otherwise(0)
        ),
        _LOGICAL: logical.with_columns(
            smf70mtit=pl.when(is_core).then(idle.round()).otherwise(0).cast(pl.Int64)
        ).drop("smf70lpm"),
    }
