"""How busy the processors of a campaign were, and what their counters say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import polars as pl

from models_sim.base.family import Floats
from models_sim.base.machines import machines as all_machines
from models_sim.simulator.campaigns.site import CAPTURE, SITE, SOURCE
from models_sim.simulator.zos.machine import ON_CP, Frames
from models_sim.simulator.zos.profile import Sysplex

__all__ = ["counters", "machines", "partitions", "processors"]

_KEY = ["system", "interval"]
_INSTRUCTIONS = 1 / 2.6  # per cycle
_MISSES = 0.03  # level 1 misses per instruction
# Counters by machine, with their shares of the level 1 misses: L2 (the first two), L3, L4 of this
# drawer and of another, memory. The Relative Nest Intensity is average.
_SOURCES = {
    "z13": {133: 0.50, 136: 0.26, 144: 0.13, 162: 0.05, 146: 0.035, 149: 0.005, 158: 0.02},
    "z14": {133: 0.50, 136: 0.26, 144: 0.13, 146: 0.05, 147: 0.035, 153: 0.005, 145: 0.02},
    "z15": {133: 0.50, 136: 0.26, 144: 0.13, 146: 0.05, 147: 0.035, 153: 0.005, 145: 0.02},
    "z16": {145: 0.54, 146: 0.266, 147: 0.10, 149: 0.04, 148: 0.04, 155: 0.003, 156: 0.011},
}
# Factor on what comes from beyond L2, and on the level 1 misses, by class of the work: invented so
# that the class of the records is that of the run (document 004, section 1).
_NEST = {"low": (0.5, 1.2), "average": (1.0, 1.0), "high": (1.7, 1.2)}
# With HiperDispatch, processors are polarized and their place is recorded; RMF does so here for the
# runs that say how many there are.
_HIGH = 3


def processors(
    runs: pl.DataFrame, spans: pl.DataFrame, frames: Frames, rng: np.random.Generator
) -> pl.DataFrame:
    """Return one row per system, interval and logical processor.

    zIIPs are online only in some runs. Dispatched time is what the address spaces used divided by
    the capture ratio.
    """
    used = pl.sum_horizontal(ON_CP)
    sums = (
        frames["address_space"]
        .group_by(_KEY, maintain_order=True)
        .agg(CP=used.sum() / CAPTURE, zIIP=pl.col("ziip_us").sum() / CAPTURE)
    )
    online = runs.select("run_no", "cpus", has_ziips=pl.col("offload").is_not_null())
    of_span = spans.join(online, on="run_no", how="left").sort("interval")
    length = (pl.col("end") - pl.col("start")).dt.total_microseconds()
    is_cp = pl.col("processor_type") == "CP"
    placed = (
        frames["interval"]
        .select(*_KEY, "start", "end", "load")
        .join(sums, on=_KEY, maintain_order="left")
        .join(
            of_span.select("interval", "has_ziips", pl.col("cpus").forward_fill()),
            on="interval",
            maintain_order="left",
        )
        .with_columns(cpus=pl.when(pl.col("system") == SOURCE).then("cpus"))
        .join(_logical(runs["cpus"].max()), on="system", maintain_order="left_right")
        .filter(~is_cp | (pl.col("of_kind") < pl.coalesce("cpus", "count")))
        .with_columns(
            busy=pl.when(is_cp).then("CP").otherwise("zIIP"),
            online_us=pl.when(is_cp | pl.col("has_ziips").fill_null(False))
            .then(length)
            .otherwise(0),
            processor=pl.int_range(pl.len()).over(_KEY),
        )
    )
    # Processors of a kind do nearly the same work; the last one does what is left.
    weight = pl.Series("weight", rng.normal(1.0, 0.01, placed.height))
    kind = [*_KEY, "processor_type"]
    placed = placed.with_columns(weight).with_columns(
        mine=(pl.col("busy") * pl.col("weight") / pl.col("weight").sum().over(kind)).round(),
        last=pl.col("of_kind") == pl.col("of_kind").max().over(kind),
    )
    left = pl.col("busy") - (pl.col("mine") * ~pl.col("last")).sum().over(kind)
    busy = pl.when("last").then(left).otherwise("mine").round().cast(pl.Int64)
    placed = placed.join(machines(runs, spans), on="interval", maintain_order="left")
    on_a_chip = pl.Series(_of_machine(placed, "cores_on_a_chip")).cast(pl.Int64)
    # The LPARs are dedicated, so busy time is online less wait time.
    idle = (pl.col("online_us") - pl.col("effective_us")).clip(0)
    return placed.with_columns(
        effective_us=pl.when(pl.col("online_us") > 0).then(busy).otherwise(0)
    ).select(
        *_KEY,
        "processor",
        "processor_type",
        "online_us",
        parked_us=pl.lit(0, pl.Int64),
        effective_us=pl.col("effective_us"),
        dispatched_us=pl.col("effective_us"),
        wait_us=idle,
        polarization=pl.when(is_cp & pl.col("cpus").is_not_null()).then(_HIGH).otherwise(0),
        load=pl.col("load"),
        chip=pl.col("chip")
        + pl.when(is_cp).then(3 * (pl.col("of_kind") // on_a_chip)).otherwise(0),
        drawer=pl.lit(1, pl.Int64),
    )


def _logical(cpus: object) -> pl.DataFrame:
    """Return one row per system and logical processor.

    SOURCE has `cpus` of them if that is a number.
    """
    numbers = {s.name: s.cps for s in SITE.systems}
    if isinstance(cpus, int):
        numbers[SOURCE] = cpus
    return pl.DataFrame(
        [
            {"system": s.name, "of_kind": i, "count": count, "chip": s.partition,
             "processor_type": kind}
            for s in SITE.systems
            for kind, count in (("CP", numbers[s.name]), ("zIIP", s.ziips))
            for i in range(count)
        ]
    )  # fmt: skip


def partitions(site: Sysplex, processors: pl.DataFrame, spans: pl.DataFrame) -> pl.DataFrame:
    """Return one row per partition, interval and logical processor, as PR/SM sees them."""
    columns = ["processor_type", "processor", "online_us", "effective_us", "dispatched_us"]
    extra = ["polarization", "chip", "drawer"]
    reporting = processors.select(pl.col("system").alias("partition"), "interval", *columns, *extra)
    others = [(site.cf_name, "ICF", i, 0.996) for i in range(site.physical["ICF"])]
    others += [
        ("PHYSICAL", kind, i, 0.002)
        for kind, number in site.physical.items()
        for i in range(number)
    ]
    schema = ["partition", "processor_type", "processor", "part"]
    length = (pl.col("end") - pl.col("start")).dt.total_microseconds()
    made = (
        spans.filter(pl.col("system") == SOURCE)
        .select("interval", online_us=length)
        .join(
            pl.DataFrame(others, schema=schema, orient="row"),
            how="cross",
            maintain_order="left_right",
        )
        .with_columns(dispatched_us=(pl.col("online_us") * pl.col("part")).round().cast(pl.Int64))
        .select(
            *("partition", "interval", "processor_type", "processor", "online_us"),
            effective_us=pl.when(pl.col("partition") == "PHYSICAL")
            .then(0)
            .otherwise("dispatched_us"),
            dispatched_us=pl.col("dispatched_us"),
            polarization=pl.lit(0, pl.Int64),
            chip=pl.lit(3, pl.Int64),
            drawer=pl.lit(1, pl.Int64),
        )
    )
    return pl.concat([reporting, made], how="vertical_relaxed")


def counters(
    runs: pl.DataFrame, spans: pl.DataFrame, processors: pl.DataFrame, rng: np.random.Generator
) -> pl.DataFrame:
    """Return one row per system, interval, processor and non-zero counter: its increase."""
    online = processors.filter(pl.col("online_us") > 0).join(
        machines(runs, spans), on="interval", maintain_order="left"
    )
    noise = np.exp(0.02 * rng.standard_normal((2, online.height)))
    cycles = online["effective_us"].to_numpy() * _of_machine(online, "clock")
    instructions = cycles * _INSTRUCTIONS * noise[0]
    nest = online["rni"].replace_strict(_NEST, return_dtype=pl.List(pl.Float64)).list
    farther, more = (nest.get(i).to_numpy() for i in range(2))
    misses = instructions * _MISSES * noise[1] * more
    values = {
        0: cycles,
        1: instructions,
        2: misses * 0.42,
        3: cycles * 0.15,
        4: misses * 0.58,
        5: cycles * 0.27,
        32: cycles * 0.71,
        33: instructions * 0.68,
    }
    key = online.select(*_KEY, "processor", "processor_type")

    def rows(number: int, increase: Floats) -> pl.DataFrame:
        return key.with_columns(
            counter=pl.lit(number, pl.Int64), increase=pl.Series(np.rint(increase).astype(np.int64))
        )

    return pl.concat(
        [
            *(rows(number, increase) for number, increase in values.items()),
            *(
                rows(number, misses * part).filter(online["machine"] == machine)
                for machine, shares in _SOURCES.items()
                for number, part in _parts(shares, farther)
            ),
        ]
    )


def _of_machine(rows: pl.DataFrame, figure: str) -> Floats:
    """Return a figure of each row's machine."""
    by_machine = {
        name: figures[figure] for name, figures in all_machines().items() if figure in figures
    }
    return rows["machine"].replace_strict(by_machine, return_dtype=pl.Float64).to_numpy()


def _parts(shares: Mapping[int, float], farther: Floats) -> Iterator[tuple[int, Floats]]:
    """Yield each counter and its share of the misses, if more of them come from beyond L2."""
    (first, near), (second, next_), *beyond = shares.items()
    left = 1.0 - farther * sum(share for _, share in beyond)
    yield first, left * near / (near + next_)
    yield second, left * next_ / (near + next_)
    yield from ((number, farther * share) for number, share in beyond)


def machines(runs: pl.DataFrame, spans: pl.DataFrame) -> pl.DataFrame:
    """Return `machine` and `rni` of each interval; a quiet one belongs to the run before it."""
    of_run = runs.select(
        "run_no",
        machine=pl.coalesce("machine", pl.lit("z15")),
        rni=pl.col("rni").fill_null("average"),
    )
    return (
        spans.join(of_run, on="run_no", how="left")
        .sort("interval")
        .select("interval", pl.col("machine", "rni").forward_fill())
    )
