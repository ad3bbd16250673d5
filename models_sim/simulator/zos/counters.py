"""SMF 113: hardware counters, as increases (subtype 1) and as running values (subtype 2).

Counters that are not simulated are zero. Subtype 2 is also written at the start of each unbroken
sequence of intervals, so that the first interval is the difference of two records.
"""

from __future__ import annotations

from datetime import timedelta

import polars as pl

from models_sim.simulator.log import Log, Tables, local_time, section
from models_sim.simulator.zos.machine import Frames
from models_sim.simulator.zos.profile import Sysplex

__all__ = ["SETS", "add_counters"]

# Kind of a set, its first counter, its number of counters. z15 has extended counters from 128 on.
SETS = ((1, 0, 6), (2, 32, 2), (3, 64, 16), (4, 128, 142))
_CLASS = {"CP": 0, "zIIP": 4}
_WRITTEN = timedelta(milliseconds=55)
_PROCESSOR = ["system", "processor", "processor_type"]
_RECORD = [*_PROCESSOR, "interval"]


def add_counters(log: Log, site: Sysplex, frames: Frames) -> None:
    """Add one record per processor and interval of each subtype that the sysplex writes."""
    intervals = frames["interval"].select("system", "interval", "start", "end")
    records = (
        frames["processor"]
        .filter(pl.col("online_us") > 0)
        .select(_RECORD)
        .join(intervals, on=["system", "interval"])
        .sort(*_PROCESSOR, "interval")
    )
    numbers = [(kind, first + i) for kind, first, count in SETS for i in range(count)]
    each = pl.DataFrame(numbers, schema={"set": pl.Int64, "counter": pl.Int64}, orient="row")
    values = (
        records.join(each, how="cross", maintain_order="left_right")
        .join(frames["counter"], on=[*_RECORD, "counter"], how="left", maintain_order="left")
        .with_columns(pl.col("increase").fill_null(0))
    )
    if 1 in site.counters:
        _add_increases(log, site, records, values)
    if 2 in site.counters:
        _add_values(log, site, records, values)


def _number(records: pl.DataFrame) -> pl.DataFrame:
    return records.with_row_index("record_no").with_columns(
        pl.col("record_no").cast(pl.Int64), moment=pl.col("end") + _WRITTEN
    )


def _add_increases(log: Log, site: Sysplex, records: pl.DataFrame, values: pl.DataFrame) -> None:
    records = _number(records)
    values = values.with_columns(
        record_no=pl.int_range(pl.len()) // sum(count for _, _, count in SETS),
        parent_no=pl.col("set"),
    )
    sets = records.select("record_no").join(
        pl.DataFrame({"set": [kind for kind, _, _ in SETS]}),
        how="cross",
        maintain_order="left_right",
    )
    tables = _common(site, 1, records) | {
        "smf113_1_data": section(
            records,
            **_machine(site, 1),
            smf113_1_ctm=pl.col("moment"),
            smf113_1_cpuid=pl.col("processor"),
            smf113_1_cpuprocclass=pl.col("processor_type").replace_strict(_CLASS),
            smf113_1_cpuspeed=site.figures["clock"],
            smf113_1_ctrversion1=3,
            smf113_1_ctrversion2=6,
            smf113_1_coreid=pl.col("processor"),
        ),
        "smf113_1_counter_set": section(
            sets, smf113_1_cstype=pl.col("set"), smf113_1_csuselcds=True
        ),
        "smf113_1_long_counter_data": section(values, "parent_no", smf113_1_lcr=pl.col("increase")),
    }
    _add(log, 1, records, tables)


def _add_values(log: Log, site: Sysplex, records: pl.DataFrame, values: pl.DataFrame) -> None:
    """Add the running values at the end of each interval and at the start of each sequence."""
    began = pl.col("start") != pl.col("end").shift(1).over(_PROCESSOR).fill_null(site.ipl)
    keys = [*_RECORD, "start", "end"]
    first = records.filter(began).with_columns(
        interval=pl.col("interval") - 0.5, end=pl.col("start")
    )
    both = _number(
        pl.concat([first, records], how="vertical_relaxed").sort(*_PROCESSOR, "interval")
    )
    before = values.group_by([*_PROCESSOR, "counter"]).agg(before=pl.col("increase").max() * 40)
    of_first = (
        values.select(*keys, "set", "counter")
        .join(records.filter(began).select(_RECORD), on=_RECORD, how="semi")
        .with_columns(pl.col("interval") - 0.5, increase=pl.lit(0, pl.Int64))
    )
    counted = (
        pl.concat(
            [of_first, values.select(*keys, "set", "counter", "increase")], how="vertical_relaxed"
        )
        .sort(*_PROCESSOR, "interval", "counter")
        .join(before, on=[*_PROCESSOR, "counter"], maintain_order="left")
        .with_columns(
            record_no=pl.int_range(pl.len()) // sum(count for _, _, count in SETS),
            value=pl.col("before") + pl.col("increase").cum_sum().over([*_PROCESSOR, "counter"]),
        )
    )
    sets = both.select("record_no").join(
        pl.DataFrame([(kind, n) for kind, _, n in SETS], schema=["set", "number"], orient="row"),
        how="cross",
        maintain_order="left_right",
    )
    tables = _common(site, 2, both) | {
        "smf113_2_data": section(
            both,
            **_machine(site, 2),
            smf113_2_ctm=pl.col("moment"),
            smf113_2_cpuprocclass=pl.col("processor_type").replace_strict(_CLASS),
            smf113_2_cfm=True,
            smf113_2_ctrvn1=3,
            smf113_2_ctrvn2=6,
            smf113_2_cpsp=site.figures["clock"],
            smf113_2_cpuid=pl.col("processor"),
        ),
        "smf113_2_counter_set": section(
            sets, smf113_2_cst=pl.col("set"), smf113_2_csn=pl.col("number")
        ),
        "smf113_2_counters": section(counted, smf113_2_cr=pl.col("value")),
    }
    _add(log, 2, both, tables)


def _common(site: Sysplex, subtype: int, records: pl.DataFrame) -> dict[str, pl.DataFrame]:
    begun = site.ipl + timedelta(minutes=2)
    return {
        f"smf113_{subtype}_subsystem": section(
            records, smf113rvn="04", smf113pnm="HIS", smf113osl=f"SP7.{site.zos}"
        ),
        f"smf113_{subtype}_identification": section(
            records,
            smf113jbn="HIS",
            smf113rst=local_time(pl.lit(begun), site.offset),
            smf113rsd=(begun + site.offset).date(),
            smf113stp="HIS",
            smf113intervalstart=pl.col("start"),
            smf113intervalend=pl.col("end"),
        ),
    }


def _machine(site: Sysplex, subtype: int) -> dict[str, object]:
    p = f"smf113_{subtype}_"
    return {
        f"{p}machtype": site.machine,
        f"{p}machmodel": site.model,
        f"{p}machseqcode": f"{site.serial:0>16}",
        f"{p}cts": pl.lit(site.ipl + timedelta(minutes=2)),
    }


def _add(log: Log, subtype: int, records: pl.DataFrame, tables: Tables) -> None:
    kept = records.select(
        "record_no", "system", "moment", smf113wid=pl.lit("STC"), smf113sdl=pl.lit(24)
    )
    log.add(113, subtype, kept, tables)
