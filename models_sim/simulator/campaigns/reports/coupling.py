"""Coupling Facility Activity of the sysplex, as RMF calculates it from all systems' type 74-4.

Requests that were changed to asynchronous have a separate line, but are included in the
asynchronous ones: RMF's overview condition CHNGDP relates them to R744SSRC + R744SARC. Delays are
given for everything that can wait: all but synchronous requests.
"""

from __future__ import annotations

import polars as pl

from models_sim.simulator.campaigns.reports.heading import HEADING, percent
from models_sim.simulator.zos.devices import CF_BLOCKS
from models_sim.simulator.zos.machine import Frames
from models_sim.simulator.zos.profile import Sysplex

__all__ = ["coupling"]

_KINDS = {1: "LIST", 2: "LIST", 3: "LOCK", 4: "CACHE"}
_BLOCK = 4096  # bytes
_LOCKS = 4_194_304
_KEY = ["interval", "structure"]
_NAMES = ("structure_name", "structure_type", "status", "system_name")
_ALL = "TOTAL"


def coupling(site: Sysplex, heading: pl.DataFrame, frames: Frames) -> dict[str, pl.DataFrame]:
    """Return the rmf_cf tables; systems without requests to a structure have no lines there."""
    requests = _of_structures(site, frames["cf_request"])
    by_system = _by_system(requests).join(heading, on="interval", maintain_order="left")
    return {
        "rmf_cf": _facility(site, heading, frames["cf_processor"]),
        "rmf_cf_structure": _summary(site, heading, requests),
        "rmf_cf_request": _requests(site, by_system),
        "rmf_cf_delay": _delays(site, by_system),
        "rmf_cf_contention": _contention(site, by_system),
    }


def _of_structures(site: Sysplex, requests: pl.DataFrame) -> pl.DataFrame:
    """Return the requests of the systems, with the structures' position, size and names."""
    structures = pl.DataFrame(
        [
            {"structure": s.name, "place": number, "blocks": s.blocks, "entries": s.entries,
             "elements": s.elements}
            for number, s in enumerate(site.structures)
        ]
    )  # fmt: skip
    return (
        requests.join(structures, on="structure", maintain_order="left")
        .with_columns(
            structure_name="structure",
            structure_type=pl.col("kind").replace_strict(_KINDS),
            status=pl.lit("ACTIVE"),
            system_name="system",
        )
        .sort("interval", "place", "system")
    )


def _by_system(requests: pl.DataFrame) -> pl.DataFrame:
    """Return one row per structure and system that used it, and one for all systems."""
    counted = [name for name in requests.columns
               if name.endswith(("requests", "_us")) or "contention" in name]  # fmt: skip
    whole = requests.group_by(_KEY, maintain_order=True).agg(
        pl.col(counted).sum(),
        pl.col("place", *_NAMES[:3]).first(),
        system_name=pl.lit(_ALL),
    )
    return (
        pl.concat([requests.select(whole.columns), whole])
        .with_columns(of_all=pl.col("requests").max().over(_KEY))
        .filter(pl.col("requests") > 0)
        .with_columns(is_all=pl.col("system_name") == _ALL)
        .sort("interval", "place", "is_all", "system_name")
    )


def _facility(site: Sysplex, heading: pl.DataFrame, busy: pl.DataFrame) -> pl.DataFrame:
    used = busy.group_by("interval").agg(pl.col("busy_us", "wait_us").sum())
    online = pl.col("busy_us") + pl.col("wait_us")
    samples = pl.col("interval_seconds").round()
    return heading.join(used, on="interval", how="left", maintain_order="left").select(
        *HEADING,
        cf_name=pl.lit(site.cf_name),
        **{f"samples_{which}": samples for which in ("avg", "max", "min")},
        model=pl.lit(site.machine),
        cf_level=pl.lit(float(site.figures["cf_level"])),
        average_cf_utilization_pct=percent(pl.col("busy_us"), online),
        logical_processors_defined=pl.lit(float(site.physical["ICF"])),
        logical_processors_effective=online / 1e6 / pl.col("interval_seconds"),
    )


def _summary(site: Sysplex, heading: pl.DataFrame, requests: pl.DataFrame) -> pl.DataFrame:
    lock, cache = pl.col("structure_type") == "LOCK", pl.col("structure_type") == "CACHE"
    used = pl.col("entries_in_use")
    rows = (
        requests.group_by(_KEY, maintain_order=True)
        .agg(
            pl.col("requests", "execution_us").sum(),
            pl.col("entries_in_use", "elements_in_use").max(),
            pl.col("blocks", "entries", "elements", *_NAMES[:3]).first(),
        )
        .join(heading, on="interval", maintain_order="left")
    )

    def of_all(name: str) -> pl.Expr:
        return percent(pl.col(name), pl.col(name).sum().over("interval")).fill_null(0.0)

    def only(condition: pl.Expr, value: pl.Expr | int) -> pl.Expr:
        return pl.when(condition).then(value).cast(pl.Float64)

    return rows.select(
        *HEADING,
        *_NAMES[:3],
        cf_name=pl.lit(site.cf_name),
        alloc_size_bytes=(pl.col("blocks") * _BLOCK).cast(pl.Float64),
        cf_storage_pct=100 * pl.col("blocks") / CF_BLOCKS,
        requests=pl.col("requests").cast(pl.Float64),
        all_requests_pct=of_all("requests"),
        cf_utilization_pct=of_all("execution_us"),
        requests_per_second=pl.col("requests") / pl.col("interval_seconds"),
        entries_total=pl.col("entries").cast(pl.Float64),
        entries_current=used.cast(pl.Float64),
        elements_total=only(~lock, pl.col("elements")),
        elements_current=only(~lock, pl.col("elements_in_use")),
        lock_entries_total=only(lock, _LOCKS),
        lock_entries_current=only(lock, used * 3),
        directory_reclaims=only(cache, 0),
        directory_reclaim_xis=only(cache, 0),
    )


def _requests(site: Sysplex, by_system: pl.DataFrame) -> pl.DataFrame:
    """Return three lines per structure and system: requests by how they were executed."""
    lines = {
        "SYNC": (pl.col("sync_requests"), "sync"),
        "ASYNC": (pl.col("async_requests"), "async"),
        "CHNGD": (pl.col("changed_requests"), None),
    }
    rate = pl.col("requests") / pl.col("interval_seconds")
    made = [
        by_system.select(
            *_line(site, n),
            request=pl.lit(kind),
            requests=count.cast(pl.Float64),
            requests_pct=percent(count, pl.col("of_all")),
            service_time_avg_us=_mean(timed) if timed else pl.lit(None, pl.Float64),
            service_time_std_dev_us=_deviation(timed) if timed else pl.lit(None, pl.Float64),
            system_requests=pl.col("requests").cast(pl.Float64),
            system_requests_per_second=rate,
        )
        for n, (kind, (count, timed)) in enumerate(lines.items())
    ]
    return _in_order(made)


def _delays(site: Sysplex, by_system: pl.DataFrame) -> pl.DataFrame:
    """Return one line per structure and system: requests that found no subchannel."""
    return _in_order([
        by_system.select(
            *_line(site, 0),
            reason=pl.lit("NO SCH"),
            requests=pl.col("queued_requests").cast(pl.Float64),
            requests_pct=percent(pl.col("queued_requests"), pl.col("requests")),
            delay_avg_us=_mean("queued"),
            delay_std_dev_us=_deviation("queued"),
            delay_all_us=pl.col("queued_us") / pl.col("requests"),
        )
    ])  # fmt: skip


def _contention(site: Sysplex, by_system: pl.DataFrame) -> pl.DataFrame:
    """Return three lines per lock structure and system: all requests, and those with contention."""
    kinds = {"REQ TOTAL": "requests", "-CONT": "contention", "-FALSE CONT": "false_contention"}
    locks = by_system.filter(pl.col("structure_type") == "LOCK")
    return _in_order([
        locks.select(
            *_line(site, n), kind=pl.lit(kind), requests=pl.col(column).cast(pl.Float64)
        )
        for n, (kind, column) in enumerate(kinds.items())
    ])  # fmt: skip


def _line(site: Sysplex, number: int) -> list[pl.Expr]:
    """Return the heading and names of a line, and its position among the others."""
    return [
        *(pl.col(name) for name in (*HEADING, *_NAMES)),
        pl.lit(site.cf_name).alias("cf_name"),
        (pl.int_range(pl.len()) * 4 + number).alias("at"),
    ]


def _in_order(lines: list[pl.DataFrame]) -> pl.DataFrame:
    return pl.concat(lines).sort("at").drop("at")


def _mean(kind: str) -> pl.Expr:
    count = pl.col(f"{kind}_requests")
    return pl.when(count > 0).then(pl.col(f"{kind}_us") / count).otherwise(0.0)


def _deviation(kind: str) -> pl.Expr:
    """Return the standard deviation of times from their number, sum and sum of squares."""
    count, us = pl.col(f"{kind}_requests"), pl.col(f"{kind}_us")
    squares = pl.col(f"{kind}_squared_us") - us.cast(pl.Float64) ** 2 / count
    return pl.when(count > 1).then((squares / (count - 1)).clip(0).sqrt()).otherwise(0.0)
