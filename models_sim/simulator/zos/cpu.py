"""SMF 70 subtype 1: processors and partitions."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from models_sim.simulator.log import Log, section
from models_sim.simulator.zos.machine import Frames
from models_sim.simulator.zos.profile import DEDICATED, Sysplex
from models_sim.simulator.zos.rmf import intervals_of, product

__all__ = ["add_cpu", "count_interrupts", "machine_processors", "use_of_capacity"]

_KINDS = ("CP", "AAP", "IFL", "ICF", "IIP")  # of the machine, in the order of their sections
_NAME = {"CP": "CP", "zIIP": "IIP", "ICF": "ICF"}
_TYPE = {"CP": 0, "zIIP": 2}
_MOST_READY = 60
_ABOVE = (
    0,
    1,
    2,
    3,
    5,
    10,
    15,
    20,
    30,
    40,
    60,
    80,
)  # ready users above the number of processors, by bucket
_KEY = ["system", "interval"]
_CPA_SCALE = 16
_FOUR_HOURS = 4 * 3600 * 1_000_000  # microseconds


def add_cpu(log: Log, site: Sysplex, frames: Frames, rng: np.random.Generator) -> None:
    """Add the records of processors and partitions of all intervals."""
    records = intervals_of(site, frames["interval"])
    interrupts = count_interrupts(frames["processor"], records, rng)
    seen = machine_processors(site, frames["partition"], records)
    tables = {
        "smf70_1_cpu_control": _control(site, use_of_capacity(site, records, interrupts)),
        "smf70_1_cpu_data": _processors(interrupts, records),
        "smf70_1_asid_data": _address_spaces(records, interrupts, rng),
        "smf70_1_prsm_partition": _partitions(site, seen),
        "smf70_1_prsm_logical_processor": _logical(site, seen),
        "smf70_1_cpu_identification": _identification(site, records),
        **product(70, 1, site, records),
    }
    log.add(70, 1, records.select("record_no", "system", "moment"), tables)


def count_interrupts(
    processors: pl.DataFrame, records: pl.DataFrame, rng: np.random.Generator
) -> pl.DataFrame:
    """Return the processors of each record, with the I/O interrupts and the work they counted."""
    keyed = records.select(*_KEY, "record_no", "samples")
    counted = processors.join(keyed, on=_KEY).sort("record_no", maintain_order=True)
    rates = np.array([900, 120, 2400, 1900, 310, 400])
    busy = rng.poisson(counted["effective_us"].to_numpy()[:, None] / 1e6 * rates)
    names = ("handled", "polled", "smf70tcb", "smf70srb", "smf70nio", "smf70sig")
    is_cp = pl.col("processor_type") == "CP"
    return counted.with_columns(pl.Series(n, busy[:, i]) for i, n in enumerate(names)).with_columns(
        pl.when(is_cp).then(name).otherwise(0).alias(name) for name in ("handled", "polled")
    )


def use_of_capacity(site: Sysplex, records: pl.DataFrame, own: pl.DataFrame) -> pl.DataFrame:
    """Return the records with what their own partition used of its capacity, in MSU.

    `average` is the mean over the last four hours; the systems are taken to have used the same when
    nothing was simulated. `available` is the capacity of the partition, and `unused` what the group
    has left on average, measured when each record is written. `own` is from count_interrupts; a
    processor that is dispatched while it waits is used as long as it is busy.
    """
    busy = pl.col("online_us") - pl.col("wait_us") - pl.col("parked_us")
    length = (pl.col("end") - pl.col("start")).dt.total_microseconds()
    used = (
        own.filter(processor_type="CP")
        .group_by("record_no")
        .agg(pl.min_horizontal(pl.col("effective_us"), busy).clip(0).sum().alias("effective_us"))
    )
    rolled = (
        records.join(used, on="record_no", how="left", maintain_order="left")
        .with_columns(length.alias("length"), pl.col("effective_us").fill_null(0))
        .sort("system", "end")
    )
    window = rolled.rolling("end", period="4h", group_by="system").agg(
        pl.col("record_no").last(),
        pl.col("effective_us", "length").sum(),
        first_us=pl.col("effective_us").first(),
        first_length=pl.col("length").first(),
    )
    # The oldest interval may begin before the four hours.
    outside = (pl.col("length") - _FOUR_HOURS).clip(0)
    inside = pl.col("effective_us") - pl.col("first_us") * outside / pl.col("first_length")
    averages = window.select(
        "record_no", average=inside / (pl.col("length") - outside) * site.msu_of_processor
    )
    defined = {s.name: s.defined_msu for s in site.systems}
    online = pl.col("cps") * site.msu_of_processor
    limit = pl.col("system").replace_strict(defined, return_dtype=pl.Int64)
    return (
        records.join(averages, on="record_no", how="left", maintain_order="left")
        .with_columns(
            available=pl.when(limit > 0).then(pl.min_horizontal(limit, online)).otherwise(online),
        )
        .with_columns(unused=site.group_msu - pl.col("average").sum().over("interval"))
    )


def machine_processors(
    site: Sysplex, partitions: pl.DataFrame, records: pl.DataFrame
) -> pl.DataFrame:
    """Return one row per record and logical processor of the machine, in partition order.

    The machine's time is cut to the reporting system's interval.
    """
    names = [s.name for s in site.systems] + [o.name for o in site.others]
    order = {name: i for i, name in enumerate((*names, site.cf_name, "PHYSICAL"))}
    reporting = records.select(
        "interval", "record_no", "samples", "start", "end", reporter="system"
    )
    length = (pl.col("end") - pl.col("start")).dt.total_microseconds()
    part = length / pl.col("online_us")
    scale = pl.when((pl.col("partition") == pl.col("reporter")) | (pl.col("online_us") == 0))
    return (
        partitions.join(reporting, on="interval")
        .with_columns(
            scale=scale.then(1.0).otherwise(part),
            order=pl.col("partition").replace_strict(order, return_dtype=pl.Int32),
        )
        .sort("record_no", "order", "processor", "processor_type", maintain_order=True)
    )


def _control(site: Sysplex, records: pl.DataFrame) -> pl.DataFrame:
    rating = dict.fromkeys(("smf70mcr", "smf70mpr", "smf70mtr"), 2100)
    threads = ("smf70mcf", "smf70mcfs", "smf70cf", "smf70cfs", "smf70atd", "smf70atds")
    return section(
        records,
        smf70mod=bytes.fromhex(site.machine),
        smf70bnp=sum(site.physical.values()),
        smf70phy=True,
        smf70dge=True,
        smf70sts=True,
        smf70hwv=True,
        smf70mdl=site.model,
        smf70hwm="T34",
        smf70dsa=pl.col("samples"),
        smf70rcu=True,
        smf70gav=bool(site.group),
        smf70wla=pl.col("available").round(),
        smf70lac=pl.col("average").round(),
        smf70sup=pl.col("ziips"),
        smf70pom="02",
        smf70csc=f"{site.serial:0>16}",
        smf70hhs=True,
        smf70hha=True,
        smf70mpc=site.model,
        smf70mtc=site.model,
        **rating,
        smf70nrm=site.ziip_factor,
        smf70gau=pl.col("unused").round() if site.group else 0,
        smf70cpa=site.physical_adjustment,
        smf70cpa_actual=site.physical_adjustment * _CPA_SCALE,
        smf70cpa_scaling_factor=_CPA_SCALE,
        smf70cai=100,
        **dict.fromkeys(threads, 1024),
        smf70adj=pl.col("adjustment"),
        smf70maxpu=34,
        smf70_ipl_time=pl.lit(site.ipl),
        smf70cpc_type=site.machine,
    )


def _processors(own: pl.DataFrame, records: pl.DataFrame) -> pl.DataFrame:
    counted = own.join(records.select("record_no", "serial"), on="record_no", maintain_order="left")
    online = pl.col("online_us") > 0
    serials = {serial: bytes.fromhex(serial) for serial in records["serial"].unique()}
    return section(
        counted,
        smf70wat=pl.col("wait_us"),
        smf70cid=pl.col("processor"),
        smf70dci=True,
        smf70sta=online,
        smf70ser=pl.col("serial").replace_strict(serials, return_dtype=pl.Binary),
        smf70typ=pl.col("processor_type").replace_strict(_TYPE),
        smf70slh=pl.col("handled"),
        smf70tpi=pl.col("polled"),
        smf70pat=pl.col("parked_us"),
        smf70tcb=pl.col("smf70tcb"),
        smf70srb=pl.col("smf70srb"),
        smf70nio=pl.col("smf70nio"),
        smf70sig=pl.col("smf70sig"),
        smf70wtd=((pl.col("online_us") - pl.col("parked_us")) / 2000).round(),
    )


def _address_spaces(
    records: pl.DataFrame, own: pl.DataFrame, rng: np.random.Generator
) -> pl.DataFrame:
    """Return ready users and work units by sample; busier processors have more of them."""
    used = (
        own.filter(pl.col("processor_type") == "CP")
        .group_by("record_no")
        .agg(
            busy=pl.col("effective_us").sum(),
            online=(pl.col("online_us") - pl.col("parked_us")).sum(),
        )
    )
    joined = records.join(used, on="record_no", how="left", maintain_order="left")
    count, cps = joined["samples"].to_numpy(), joined["cps"].to_numpy()
    mean = (joined["cps"] * joined["busy"] / joined["online"]).to_numpy()
    ready = _count(count, mean, rng)
    values = np.arange(_MOST_READY + 1)
    fields: dict[str, Any] = dict(
        zip(("smf70rmn", "smf70rmm", "smf70rtt"), _extremes(ready), strict=True)
    )
    for i in range(16):
        at = values == i if i < 15 else values >= 15
        fields[f"smf70r{i:02}"] = ready[:, at].sum(axis=1)
    bucket = np.searchsorted(_ABOVE, values - cps[:, None])
    for i in range(len(_ABOVE) + 1):
        fields[f"smf70q{i:02}"] = np.where(bucket == i, ready, 0).sum(axis=1)
    fields["smf70srm"] = count
    for prefix, work in (("c", mean), ("e", mean * 0.3)):
        least, most, total = _extremes(_count(count, work, rng))
        fields |= {f"smf70{prefix}mn": least, f"smf70{prefix}mm": most, f"smf70{prefix}tt": total}
    units = _count(count, mean * 1.3, rng)
    above = np.searchsorted(_ABOVE, values - (cps + joined["ziips"].to_numpy())[:, None])
    for i in range(len(_ABOVE) + 1):
        fields[f"smf70u{i:02}"] = np.where(above == i, units, 0).sum(axis=1)
    return section(joined, **{name: pl.Series(values) for name, values in fields.items()})


def _count(count: NDArray[Any], mean: NDArray[Any], rng: np.random.Generator) -> NDArray[np.int64]:
    """Return (n, values): how many of `count` samples of a Poisson distribution had each value."""
    values = np.arange(_MOST_READY + 1)
    factorials = np.concatenate([[0.0], np.cumsum(np.log(np.maximum(values[1:], 1)))])
    weights = np.exp(values * np.log(np.maximum(mean, 1e-9))[:, None] - factorials)
    return rng.multinomial(count, weights / weights.sum(axis=1, keepdims=True))


def _extremes(counted: NDArray[np.int64]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return the minimum, the maximum and the sum of what the samples saw."""
    seen = counted > 0
    least = seen.argmax(axis=1)
    most = seen.shape[1] - 1 - seen[:, ::-1].argmax(axis=1)
    return least, most, counted @ np.arange(counted.shape[1])


def _partitions(site: Sysplex, seen: pl.DataFrame) -> pl.DataFrame:
    numbers = {s.name: s.partition for s in site.systems} | {o.name: o.number for o in site.others}
    numbers |= {site.cf_name: site.cf_partition, "PHYSICAL": 0}
    storage = {s.name: round(s.storage_gb * 1024) for s in site.systems}
    rows = (
        seen.group_by("record_no", "partition", maintain_order=True)
        .agg(processors=pl.len(), samples=pl.col("samples").first())
        .with_columns(
            before=pl.col("processors").cum_sum().over("record_no") - pl.col("processors"),
            number=pl.col("partition").replace_strict(numbers),
        )
    )
    of_plex = pl.col("partition").is_in([s.name for s in site.systems])
    defined = {s.name: s.defined_msu for s in site.systems}
    grouped = of_plex & bool(site.group)
    return section(
        rows,
        smf70lpm=pl.col("partition"),
        smf70lpn=pl.col("number"),
        smf70wlm=of_plex,
        smf70bdn=pl.col("processors"),
        smf70bds=pl.col("before"),
        smf70bda=pl.col("processors") * pl.col("samples"),
        smf70spn=pl.when(of_plex).then(pl.lit(site.name)).otherwise(pl.lit("")),
        smf70stn=pl.when(of_plex).then("partition").otherwise(pl.lit("")),
        smf70csf=pl.col("partition").replace_strict(storage, default=0),
        smf70msu=pl.col("partition").replace_strict(defined, default=0),
        smf70grp=grouped,
        smf70gnm=pl.when(grouped).then(pl.lit(site.group)).otherwise(pl.lit("")),
        smf70gmu=pl.when(grouped).then(site.group_msu).otherwise(0),
        smf70pwf=of_plex,
        smf70upi=pl.col("number"),
    )


def _logical(site: Sysplex, seen: pl.DataFrame) -> pl.DataFrame:
    weights = {s.name: s.weight for s in site.systems} | {o.name: o.weight for o in site.others}
    weights[site.cf_name] = DEDICATED
    given = pl.col("partition").replace_strict(weights, default=0)
    shared = pl.when(given == DEDICATED).then(0).otherwise(given)
    kinds = {kind: 1 + _KINDS.index(name) for kind, name in _NAME.items()}
    polarized = pl.col("polarization") > 0

    def scaled(name: str) -> pl.Expr:
        return (pl.col(name) * pl.col("scale")).round()

    def placed(value: pl.Expr) -> pl.Expr:
        return pl.when(polarized).then(value).otherwise(0)

    return section(
        seen,
        smf70pdt=scaled("dispatched_us"),
        smf70vpa=pl.col("processor"),
        smf70bps=given,
        smf70poi=pl.col("polarization"),
        smf70cix=pl.col("processor_type").replace_strict(kinds),
        smf70edt=scaled("effective_us"),
        smf70acs=shared * pl.col("samples"),
        smf70ont=pl.when(pl.col("partition") == "PHYSICAL").then(0).otherwise(scaled("online_us")),
        smf70pow=placed(shared * 4096 * pl.col("samples") // 100),
        smf70maxnl=placed(pl.lit(3)),
        smf70cordl1=placed(pl.col("chip")),
        smf70cordl2=placed(pl.lit(1)),
        smf70cordl3=placed(pl.col("drawer")),
    )


def _identification(site: Sysplex, records: pl.DataFrame) -> pl.DataFrame:
    """Return the machine's kinds of processors and how many of each it has."""
    physical = {_NAME[kind]: number for kind, number in site.physical.items()}
    kinds = pl.DataFrame({"kind": _KINDS, "number": [physical.get(kind, 0) for kind in _KINDS]})
    return section(
        records.select("record_no", "samples").join(
            kinds, how="cross", maintain_order="left_right"
        ),
        smf70cin=pl.col("kind"),
        smf70ctn=pl.col("number"),
        smf70can=pl.col("number") * pl.col("samples"),
    )
