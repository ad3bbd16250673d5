"""SMF 74: volumes (subtype 1) and the coupling facility (subtype 4)."""

from __future__ import annotations

import polars as pl

from models_sim.simulator.log import Log, section
from models_sim.simulator.zos.machine import Frames
from models_sim.simulator.zos.profile import Structure, Sysplex
from models_sim.simulator.zos.rmf import intervals_of, product

__all__ = ["ALIASES", "CF_BLOCKS", "add_coupling", "add_devices", "volumes_of"]

_DASD = b"\x00\x20"
_3390 = bytes.fromhex("3010200F")
# Volumes of even and odd numbers: control unit, storage group, device type, cylinders.
_UNITS = ((0x4A, "SGFAST", "33909", 65_520), (0x4B, "SGLARGE", "3390A", 262_668))
ALIASES = 16  # HyperPAV aliases, summed over the samples of an interval
CF_BLOCKS = 4_194_304  # 16 GB
_LOCK, _CACHE = 3, 4
_KEY = ["system", "interval"]


def volumes_of(site: Sysplex) -> pl.DataFrame:
    """Return one row per volume: number, control unit, storage group, device type, cylinders."""
    return pl.DataFrame(
        [(volume, number, *_UNITS[number % 2]) for volume, number in site.volumes.items()],
        schema=["volume", "number", "lcu", "storage_group", "device_type", "cylinders"],
        orient="row",
    )


def add_devices(log: Log, site: Sysplex, frames: Frames) -> None:
    """Add the record of the volumes of each interval."""
    records = intervals_of(site, frames["interval"])
    rows = (
        frames["volume"]
        .join(records.select(*_KEY, "record_no", "samples"), on=_KEY)
        .join(volumes_of(site), on="volume")
        .sort("record_no", "volume")
    )
    counts = rows.group_by("record_no", maintain_order=True).agg(devices=pl.len())
    control = section(
        records.join(counts, on="record_no", how="left", maintain_order="left"),
        smf74tot=pl.col("devices"),
        smf74gen=pl.col("devices") + 40,
        smf74sub=_DASD,
        smf74ecm=True,
        smf74fcm=True,
        smf74iod=True,
        smf74tnm="SYN.IODF01",
        smf74tsf="01",
    )
    tables = {
        "smf74_1_device_control": control,
        "smf74_1_device_data": _devices(rows),
        **product(74, 1, site, records),
    }
    log.add(74, 1, records.select("record_no", "system", "moment"), tables)


def _devices(rows: pl.DataFrame) -> pl.DataFrame:
    number, lcu = (
        pl.col(name).replace_strict(
            {n: n.to_bytes(2) for n in rows[name].unique()}, return_dtype=pl.Binary
        )
        for name in ("number", "lcu")
    )
    # The volumes of the larger unit are read and written synchronously, over zHyperLink.
    linked = pl.when(pl.col("storage_group") == _UNITS[1][1]).then("requests").otherwise(0)
    reads, writes = linked // 8, linked // 40
    return section(
        rows,
        smf74num=number,
        smf74nm2=number,
        smf74lcu=lcu,
        smf74sta=True,
        smf74ser=pl.col("volume"),
        smf74typ=_3390,
        smf74nux=0,
        smf74ssc=pl.col("requests"),
        smf74mec=pl.col("requests"),
        smf74cnn=pl.col("connect_us"),
        smf74pen=pl.col("pending_us"),
        smf74atv=pl.col("connect_us") + pl.col("disconnect_us"),
        smf74dis=pl.col("disconnect_us"),
        smf74que=(pl.col("ios_queue_us") / 1e6).round(),
        smf74alc=pl.col("samples"),
        smf74dvb=pl.col("device_busy_us"),
        smf74sgn=pl.col("storage_group"),
        smf74nda=1,
        smf74dev=pl.col("device_type"),
        smf74cu="2107",
        smf74hpv=True,
        smf74cfc=True,
        smf74shv=True,
        smf74shr=True,
        smf74hpc=ALIASES,
        smf74psm=pl.col("samples"),
        smf74cmr=pl.col("command_response_us"),
        smf74cap=pl.col("cylinders"),
        smf74cuq=pl.col("pending_us") // 16,
        smf74atd=pl.col("requests") // 900,
        smf74sqr=reads.cast(pl.Float64),
        smf74sqw=writes.cast(pl.Float64),
        smf74sbr=reads * 4096.0,
        smf74sbw=writes * 4096.0,
        smf74spr=reads * 2 * 22.0,
        smf74spw=writes * 2 * 26.5 + reads * 0.25,
        smf74ios=pl.col("ios_queue_us").cast(pl.Float64),
    )


def add_coupling(log: Log, site: Sysplex, frames: Frames) -> None:
    """Add the record of the coupling facility of each interval, as each system saw it."""
    if not site.structures:
        return
    records = intervals_of(site, frames["interval"])
    keyed = records.select(*_KEY, "record_no")
    places = {s.name: i for i, s in enumerate(site.structures)}
    rows = (
        frames["cf_request"]
        .join(_structures(site).drop("kind"), on="structure")
        .join(keyed, on=_KEY)
        .with_columns(place=pl.col("structure").replace_strict(places))
        .sort("record_no", "place")
        .with_columns(cache=(pl.col("kind") == _CACHE).cum_sum().over("record_no"))
    )
    others = pl.DataFrame(
        [{"system": s.name, "other": o.name} for s in site.systems for o in site.systems if o != s],
        schema={"system": pl.String, "other": pl.String},
    )
    connected = keyed.join(others, on="system").sort("record_no", "other")
    busy = frames["cf_processor"].join(keyed, on="interval").sort("record_no", "processor")
    tables = {
        "smf74_4_cf_local": _local(site, records, rows),
        "smf74_4_connectivity": section(connected, r744xsys=pl.col("other")),
        "smf74_4_storage": _storage(site, records),
        "smf74_4_structure": section(
            rows,
            r744qstr=pl.col("structure"),
            r744qsiz=pl.col("largest"),
            r744qver=pl.col("version"),
            r744qact=True,
        ),
        "smf74_4_request": _requests(rows),
        "smf74_4_processor_utilization": section(
            busy,
            r744pnum=pl.col("processor"),
            r744pbsy=pl.col("busy_us"),
            r744pwai=pl.col("wait_us"),
            r744ptde=True,
        ),
        "smf74_4_cache": _caches(rows.filter(pl.col("kind") == _CACHE)),
        **product(74, 4, site, records),
    }
    log.add(74, 4, records.select("record_no", "system", "moment"), tables)


def _structures(site: Sysplex) -> pl.DataFrame:
    """Return one row per structure with its description."""
    return pl.DataFrame(
        [
            {
                "structure": s.name,
                "kind": s.kind,
                "blocks": s.blocks,
                "largest": s.largest,
                "entries": s.entries,
                "elements": s.elements,
                "version": _version(s),
            }
            for s in site.structures
        ]
    )


def _version(s: Structure) -> bytes:
    """Return the version of a structure: arbitrary, but the same in every section that names it."""
    return bytes.fromhex("D8A1") + len(s.name).to_bytes(2) + s.blocks.to_bytes(4)


def _local(site: Sysplex, records: pl.DataFrame, rows: pl.DataFrame) -> pl.DataFrame:
    sums = rows.group_by("record_no").agg(pl.col("requests", "queued_us").sum())
    processors = site.physical["ICF"]
    return section(
        records.join(sums, on="record_no", how="left", maintain_order="left"),
        r744fnam=site.cf_name,
        r744fsys=pl.col("system"),
        r744fcei=True,
        r744fpam=4,
        r744fscg=28,
        r744fscu=28,
        r744fscl=28,
        r744ftor=pl.col("requests").cast(pl.Float64),
        r744fctm=pl.col("queued_us") // 10,
        r744fmod=site.machine,
        r744fver="T34",
        r744fmpc="02",
        r744flpn=site.cf_partition,
        r744flvl=site.figures["cf_level"],
        r744fpas=0xF0,
        r744fpis=0xF0,
        r744fpcm=0xF0,
        r744ftap=["ICP"] * 4 + [""] * 4,
        r744fseq=f"{site.serial[1:]}2".rjust(12, "0"),
        r744fpdn=processors,
        r744fidp=[0xF0, 0xF1, 0xF2, 0xF3, 0, 0, 0, 0],
    )


def _storage(site: Sysplex, records: pl.DataFrame) -> pl.DataFrame:
    free = CF_BLOCKS - sum(s.blocks for s in site.structures) - 1024
    return section(
        records,
        r744gcsd=CF_BLOCKS,
        r744gcsf=free,
        r744gtsd=CF_BLOCKS,
        r744gtsf=free,
        r744gdsa=1024,
        r744gdsf=1024,
    )


def _requests(rows: pl.DataFrame) -> pl.DataFrame:
    lock, cache = pl.col("kind") == _LOCK, pl.col("kind") == _CACHE
    listed = ~lock & ~cache

    def only(condition: pl.Expr, value: pl.Expr | int) -> pl.Expr:
        return pl.when(condition).then(value)

    def number(name: str) -> pl.Expr:
        return pl.col(name).cast(pl.Float64)

    timed = {
        f"r744{prefix}{field}": number(f"{kind}_{column}")
        if field == "rc"
        else pl.col(f"{kind}_{column}")
        for prefix, kind in (("sa", "async"), ("ss", "sync"), ("sq", "queued"))
        for field, column in (("rc", "requests"), ("tm", "us"), ("sq", "squared_us"))
    }
    held = pl.col("monopolized_requests")
    return section(
        rows,
        r744snam=pl.col("structure"),
        r744sver=pl.col("version"),
        r744styp=pl.col("kind"),
        r744scei=True,
        r744ssta=number("changed_requests"),
        r744strc=number("requests"),
        r744stac=(pl.col("async_requests") - pl.col("changed_requests")).cast(pl.Float64),
        r744ssiz=pl.col("blocks"),
        r744smas=pl.col("largest"),
        r744smis=pl.col("blocks") // 4,
        r744setm=pl.col("execution_us").round(),
        r744sxmo=listed,
        r744sxcm=~lock,
        **timed,
        r744smrc=only(listed, number("monopolized_requests")),
        r744smtm=only(listed, pl.col("monopolized_us")),
        r744smsq=only(listed, pl.col("monopolized_squared_us")),
        r744smto=only(listed, number("monopolized_requests")),
        r744smmx=only(listed & (held > 0), 4),
        r744sdec=only(cache, pl.col("entries")),
        r744sdel=only(cache, pl.col("elements")),
        r744cdsi=only(cache, pl.col("cache")),
        r744cdne=only(cache, 1),
        r744slel=only(~cache, pl.col("entries")),
        r744slem=only(~cache, pl.col("entries_in_use")),
        r744sltl=only(lock, 4_194_304),
        r744sltm=only(lock, pl.col("entries_in_use") * 3),
        r744scn=only(lock, number("contention")),
        r744sfcn=only(lock, number("false_contention")),
        r744smae=only(listed, pl.col("elements")),
        r744scue=only(listed, pl.col("elements_in_use")),
        r744snlh=only(listed, 1024),
    )


def _caches(rows: pl.DataFrame) -> pl.DataFrame:
    reads, writes = pl.col("requests") * 0.7, pl.col("requests") * 0.2
    return section(
        rows,
        r744crhc=(reads * 0.82).round(),
        r744crmd=(reads * 0.11).round(),
        r744crma=(reads * 0.07).round(),
        r744cwh1=writes.round(),
        r744ccoc=(writes * 0.5).round(),
        r744cxfw=(writes * 0.3).round(),
        r744cdec=pl.col("entries_in_use"),
        r744cdac=pl.col("elements_in_use"),
        r744ctcc=(pl.col("elements") * 0.04).round(),
    )
