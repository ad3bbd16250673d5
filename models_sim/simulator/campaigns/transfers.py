"""What Managed File Transfer logged about a campaign's transfers: their start and end, with files.

The rows are those of raw.bench_mft_transfer and raw.bench_mft_item.
"""

from __future__ import annotations

from datetime import timedelta

import polars as pl

from models_sim.simulator.campaigns.plan import MB
from models_sim.simulator.campaigns.site import PARTNER, SOURCE, TARGET, agent, manager

__all__ = ["ON_LINUX", "transfers"]

#: Agents on Linux and their queue managers, for the source and for the destination.
ON_LINUX = {"source": ("AGNTX1", "XQM1"), "destination": ("AGNTX2", "XQM2")}
_OVERHEAD = 1.0008  # factor on the bytes, for the protocol: invented
_PATHS = {
    "z/OS": ("//'PERF.MFT{}.PAYLOAD.F{{}}'", "dataset"),
    "USS": ("/u/perf/mft{}/payload/f{{}}", "file"),
    "xLinux": ("/perf/mft{}/payload/f{{}}", "file"),
    "Linux": ("/perf/mft{}/payload/f{{}}", "file"),
    "queue": ("PERF.M2F@MQA{}", "queue"),
}


def transfers(runs: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Return the rows of both tables for runs with the columns of a plan: one transfer per run."""
    if "connection" not in runs.columns:
        runs = runs.with_columns(connection=pl.lit(None, pl.String))
    own = (
        runs.with_row_index("run_no")
        .filter(pl.col("files") > 0)
        .with_columns(transfer_id=_identifier(), lead=pl.lit(timedelta(milliseconds=180)))
    )
    shared = {
        "transfer_id": pl.col("transfer_id"),
        "message": pl.lit("transfer"),
        "agent_role": pl.lit("sourceAgent"),
        **_agents("source", SOURCE),
        **_agents("destination", TARGET),
        "user_id": pl.lit("PERFUSR"),
        "job_name": pl.lit("PERF") + pl.col("run_no").cast(pl.String).str.zfill(5),
        "start_utc": pl.col("begin") - pl.col("lead"),
        "files": pl.col("files"),
        "first_index": pl.lit(0, pl.Int64),
    }
    number = pl.col("run_no").cast(pl.Int64) * 2
    started = own.select(
        record_no=number + 1,
        action=pl.lit("started"),
        time_utc=pl.col("begin") - pl.col("lead"),
        **shared,
        bytes_sent=pl.lit(0, pl.Int64),
    )
    completed = own.select(
        record_no=number + 2,
        action=pl.lit("completed"),
        time_utc=pl.col("end"),
        **shared,
        actual_start_utc=pl.col("begin"),
        elapsed_seconds=pl.col("seconds"),
        bytes_sent=((pl.col("bytes") * _OVERHEAD).round()).cast(pl.Int64),
        result_code=pl.when(pl.col("failed") > 0).then(20).otherwise(0),
        supplement=pl.when(pl.col("failed") > 0)
        .then(pl.lit("BFGRP0034I: The file transfer request has completed with partial success."))
        .otherwise(pl.lit("BFGRP0032I: The file transfer request has successfully completed.")),
        retries=pl.lit(0),
        file_failures=pl.col("failed"),
        file_warnings=pl.lit(0),
    )
    both = pl.concat([started, completed], how="diagonal_relaxed").sort("record_no")
    return {
        "bench_mft_transfer": both,
        "bench_mft_item": _items(own, number),
    }


def _identifier() -> pl.Expr:
    """Return the identifier of a transfer, 48 hexadecimal digits: AMQ, then digits of the run."""
    moment = pl.col("begin").dt.epoch("ms").cast(pl.String)
    return pl.lit("414d5120") + pl.lit("4d5141312020202020202020") + moment.str.zfill(24)


def _agents(side: str, system: str) -> dict[str, pl.Expr]:
    end = "source" if side == "source" else "target"
    linux, partner = pl.col(end) == "Linux", pl.col(end) == "xLinux"
    # Agents that are clients share a queue manager: document 002, section 2.
    clients = (pl.col("connection") == "client").fill_null(value=False)

    def either(there: str, far: str, here: str) -> pl.Expr:
        return (
            pl.when(linux)
            .then(pl.lit(there))
            .when(partner)
            .then(pl.lit(far))
            .otherwise(pl.lit(here))
        )

    return {
        f"{side}_agent": either(ON_LINUX[side][0], PARTNER[0], agent(system)),
        f"{side}_queue_manager": pl.when(linux & clients)
        .then(pl.lit(ON_LINUX["source"][1]))
        .otherwise(either(ON_LINUX[side][1], PARTNER[1], manager(system))),
        f"{side}_system": either("Linux", "Linux", "z/OS"),
    }


def _items(own: pl.DataFrame, number: pl.Expr) -> pl.DataFrame:
    """Return one row per file of a completed transfer; the last ones failed."""
    rows = own.with_columns(
        record_no=number + 2, item_index=pl.int_ranges(pl.col("files"))
    ).explode("item_index")
    failed = pl.col("item_index") >= pl.col("files") - pl.col("failed")
    size = (pl.col("file_size_mb") * MB).cast(pl.Int64)
    index = pl.col("item_index").cast(pl.String).str.zfill(5)

    def name(side: str, system: str) -> pl.Expr:
        found = pl.lit(None, pl.String)
        for kind, (pattern, _) in _PATHS.items():
            before, *after = pattern.format(system[-1]).split("{}")
            named = pl.concat_str(pl.lit(before), *(index + pl.lit(end) for end in after))
            found = pl.when(pl.col(side) == kind).then(named).otherwise(found)
        return found

    kinds = {kind: type_ for kind, (_, type_) in _PATHS.items()}
    return rows.select(
        "record_no",
        "transfer_id",
        message=pl.lit("transfer"),
        action=pl.lit("completed"),
        time_utc=pl.col("end"),
        item_index=pl.col("item_index"),
        mode=pl.col("mode"),
        source=name("source", SOURCE),
        source_type=pl.col("source").replace_strict(kinds),
        source_bytes=size,
        source_disposition=pl.lit("leave"),
        source_checksum_method=pl.lit("none"),
        destination=name("target", TARGET),
        destination_type=pl.col("target").replace_strict(kinds),
        destination_bytes=pl.when(~failed).then(size),
        destination_exist=pl.lit("overwrite"),
        destination_checksum_method=pl.lit("none"),
        result_code=pl.when(failed).then(1).otherwise(0),
        supplement=pl.when(failed).then(pl.lit("BFGIO0001E: The file could not be written.")),
    )
