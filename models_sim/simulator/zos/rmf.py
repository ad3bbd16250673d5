"""The parts that all RMF records have: product section, and reassembly area of a broken record."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from models_sim.simulator.log import local_time, section
from models_sim.simulator.zos.profile import Sysplex

__all__ = ["intervals_of", "product", "reassembly_area", "seconds"]

_SECOND = 1_000_000


def intervals_of(site: Sysplex, intervals: pl.DataFrame) -> pl.DataFrame:
    """Return the frame `interval` with a `record_no` per row and its system's description.

    `samples` is the number that RMF took, one per second; an interval to be skipped has half of
    them.
    """
    names = ("partition", "cps", "ziips", "adjustment", "serial", "weight")
    systems = pl.DataFrame([{"system": s.name} | {n: getattr(s, n) for n in names}
                            for s in site.systems])  # fmt: skip
    length = seconds().round().cast(pl.Int64)
    return (
        intervals.join(systems, on="system", how="left", maintain_order="left")
        .with_row_index("record_no")
        .with_columns(
            pl.col("record_no").cast(pl.Int64),
            moment=pl.col("end"),
            samples=pl.when("skipped").then(length // 2).otherwise(length),
        )
    )


def seconds() -> pl.Expr:
    """Return the length of an interval."""
    return (pl.col("end") - pl.col("start")).dt.total_microseconds() / _SECOND


def product(
    record_type: int, subtype: int, site: Sysplex, records: pl.DataFrame
) -> dict[str, pl.DataFrame]:
    """Return the product section's table for records with the columns of `intervals_of`."""
    p = f"smf{record_type}"
    start, length = pl.col("start"), pl.col("end") - pl.col("start")
    row = section(
        records,
        **{
            f"{p}mfv": 240,
            f"{p}prd": "RMF",
            f"{p}ist": local_time(start, site.offset) // _SECOND * _SECOND,
            f"{p}dat": (start + site.offset).dt.date(),
            f"{p}int": length.dt.total_milliseconds() * 1000,
            f"{p}sam": pl.col("samples"),
            f"{p}iss": pl.col("skipped"),
            f"{p}ism": True,
            f"{p}cyc": _SECOND,
            f"{p}mvs": f"ZV0{site.zos.replace('.', '0')}00",
            f"{p}iml": 3,
            f"{p}eme": True,
            f"{p}prp": True,
            f"{p}ped": True,
            f"{p}ptn": pl.col("partition"),
            f"{p}srl": 0x78,
            f"{p}iet": pl.col("end"),
            f"{p}lgo": round(site.offset.total_seconds() * _SECOND),
            f"{p}oil": seconds().round() * _SECOND,
            f"{p}gie": pl.col("planned_end"),
            f"{p}xnm": site.name,
            f"{p}snm": pl.col("system"),
        },
    )
    return {f"{p}_{subtype}_product": row}


def reassembly_area(
    record_type: int, subtype: int, part: int, parts: int, blocks: Sequence[tuple[int, int]]
) -> dict[str, pl.DataFrame]:
    """Return the reassembly area of a part (counted from 1) and its blocks, with its `record_no`.

    There is a block per kind of section except the product section. It has the number of sections
    in all parts and the position among them, from 1, of this part's first section; 0 if it has
    none.
    """
    p = f"smf{record_type}"
    table = f"{p}_{subtype}_reassembly"
    return {
        table: pl.DataFrame({"record_no": [part], f"{p}rbr": [parts], f"{p}rsq": [part]}),
        f"{table}_block": pl.DataFrame(
            [{"record_no": part, f"{p}rnn": number, f"{p}rpp": offset} for number, offset in blocks]
        ),
    }
