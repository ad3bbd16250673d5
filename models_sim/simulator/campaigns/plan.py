"""When the runs of a campaign take place, and what they produce: rate, cost and zIIP share.

A plan is a frame with one row per run. A scenario gives the factors (columns of the published
cells), `label_*` columns and, if needed, `session` (the runs of a session follow one another; there
may be days between sessions) and `repetition`. The plan adds

    run_id, start, stop                  the window, in whole minutes: UTC
    begin, end                           the transfer's own time inside it: UTC, milliseconds
    files, bytes                         what is moved
    rate (MB/s), cost_per_GB (CPU s/GB), ziip_share (%)       what the run produces

Rate, cost and share are predictions of the families with noise for each run, changed by what a
scenario says about single runs in these optional columns:

    rate_factor                          factor on the rate, or on the transactions
    dasd_factor, cf_factor               factor on the time of a request to volumes and coupling
                                         facility
    more                                 list of {system, job, part, eligible, verb}: CPU time in
                                         addition to the model's, as a share of the run's; how much
                                         is eligible; and the MQI call that uses it ("": none)
    network_factor                       factor on the network time of the channels
    offload                              share of the eligible work that runs on zIIPs; null: they
                                         are offline
    spent                                list of {system, job, seconds, eligible}: the CPU time of a
                                         driver's run, with its `seconds` and `transactions`;
                                         documents 001 and 004
    tasks                                tasks of PERFSRV1 that put and get a message in each
                                         transaction (see driver); null: MQ's records show none
    each                                 messages per transaction, each put and got
    syncpoint                            whether they are committed although not persistent
    fills                                queue managers (SOURCE's, then TARGET's) whose messages
                                         stay until the structure of 4 GB is full; null: what is put
                                         is got
    counted                              whether the run ends after its transactions, and not after
                                         its `seconds`
    by_harness                           whether the driver reports the transactions instead of the
                                         manifest
    cpus                                 general purpose processors of SOURCE, if not the site's
    persistent, log_us, latch_us         whether the messages are persistent; microseconds of a
                                         write to the log, and of a transaction's waits for latches
    failed                               files that are not moved
    lost                                 list of the systems without any record of the run
"""

from __future__ import annotations

from datetime import datetime, timedelta

import numpy as np
import polars as pl
from numpy.typing import NDArray

from models_sim.base.cells import CELL_COLUMNS, normalise
from models_sim.base.family import Floats
from models_sim.models.mft import stages as mft_stages
from models_sim.predict import predict
from models_sim.simulator.campaigns.driver import LOG_US

__all__ = ["FACTORS", "MB", "plan", "predicted", "schedule"]

MB = 1 << 20
#: Columns of a plan that are factors of the configuration.
FACTORS = tuple(
    name
    for name in CELL_COLUMNS
    if name
    not in {
        *("cell_id", "document", "table_id", "section", "source_line", "row_label", "metric"),
        *("target_printed", "chunk_size_printed", "address_space", "ziip_offload", "unit"),
        *("compared_with", "printed", "value", "value_low", "value_high", "anomalies"),
    }
)
_PLACE: dict[str, type[pl.DataType]] = {"system": pl.String, "job": pl.String}
_PARTS: dict[str, type[pl.DataType]] = {
    "part": pl.Float64,
    "eligible": pl.Float64,
    "verb": pl.String,
}
_SECONDS: dict[str, type[pl.DataType]] = {"seconds": pl.Float64, "eligible": pl.Float64}
_DEFAULTS = {
    "document": pl.lit("000"),
    "rate_factor": pl.lit(1.0),
    "dasd_factor": pl.lit(1.0),
    "cf_factor": pl.lit(1.0),
    "network_factor": pl.lit(1.0),
    "more": pl.lit([], pl.List(pl.Struct(_PLACE | _PARTS))),
    "spent": pl.lit([], pl.List(pl.Struct(_PLACE | _SECONDS))),
    "offload": pl.lit(None, pl.Float64),
    "failed": pl.lit(0, pl.Int64),
    "lost": pl.lit([], pl.List(pl.String)),
    "seconds": pl.lit(None, pl.Float64),
    "transactions": pl.lit(None, pl.Int64),
    "tasks": pl.lit(None, pl.Int64),
    "persistent": pl.lit(False),
    "each": pl.lit(1, pl.Int64),
    "syncpoint": pl.lit(False),
    "fills": pl.lit(None, pl.Int64),
    "counted": pl.lit(False),
    "by_harness": pl.lit(False),
    "cpus": pl.lit(None, pl.Int64),
    "log_us": pl.lit(LOG_US),
    "latch_us": pl.lit(0.0),
    "file_size_mb": pl.lit(None, pl.Int64),
    "source": pl.lit(None, pl.String),
    "target": pl.lit(None, pl.String),
    "mode": pl.lit(None, pl.String),
    "machine": pl.lit(None, pl.String),
    "message_size_bytes": pl.lit(None, pl.Int64),
}
_LINUX_MB = 2048.0  # per measurement: document 002, rate times transfer time
_LONGEST = 2700.0  # maximum seconds of a transfer; a longer one moves fewer files
_LEAST_MB = 1024.0  # document 000, section 3: at least 1 GB per measurement
_SMALL_SHARE, _LARGE_SHARE = 60.0, 40.0  # % below and from 100 MB: document 000, section 6
#: Log sd of rate and cost between runs: the reference system keeps runs within 6 % of each other
#: (document 000, section 1), here taken as three standard deviations each way.
_RATE_NOISE, _COST_NOISE = 0.01, 0.01
# Fast over slow state of the JIT: 38 and 25 MB/s (document 000, section 3). How often a run falls
# into the state that is not predicted, and the exponent of time in cost, are invented.
_JIT, _OTHER_JIT, _COST_OF_TIME = 1.5, 0.2, 0.3
_IDLE_EVERY, _IDLE = 8, timedelta(minutes=2)  # a quiet interval after this many runs


def plan(
    runs: pl.DataFrame, campaign: str, start: datetime, rng: np.random.Generator
) -> pl.DataFrame:
    """Return the plan of the runs in order; sessions after the first have their own `start`."""
    runs = with_defaults(runs)
    figures = predicted(runs)
    noise = rng.standard_normal((2, runs.height))
    pace = np.exp(_RATE_NOISE * noise[0]) * runs["rate_factor"].to_numpy()
    rate = figures["rate"].to_numpy() * pace
    varied = np.exp(_COST_NOISE * noise[1])
    cost = figures["cost_per_GB"].to_numpy() * varied
    runs, faster = _jit(runs, rng)
    rate, cost = rate * faster, cost * faster**-_COST_OF_TIME
    more = runs["more"].list.eval(pl.element().struct.field("part")).list.sum()
    size = runs["file_size_mb"].cast(pl.Float64).fill_null(np.nan).to_numpy()
    files = _files(size, rate, (runs["document"] == "002").to_numpy())
    moved = files - runs["failed"].to_numpy()
    taken = pl.Series(files * size / rate).round(3).fill_nan(None)
    more_done = np.where(runs["counted"].to_numpy(), 1.0, pace)
    driven = (pl.col("transactions") * pl.Series(more_done)).round().cast(pl.Int64)
    made = runs.with_columns(
        transactions=driven,
        campaign=pl.lit(campaign),
        files=pl.Series(files).fill_nan(0).cast(pl.Int64),
        bytes=pl.Series(moved * size * MB).fill_nan(0).cast(pl.Int64),
        seconds=pl.coalesce(taken, pl.col("seconds") * pl.Series(more_done / pace)),
        cost_per_GB=(pl.Series(cost) * (1 + more)).fill_nan(0.0),
        varied=pl.Series(varied * more_done),
        more_part=more,
        ziip_share=figures["ziip_share"],
    ).with_columns(rate=pl.when(pl.col("bytes") > 0).then(pl.col("bytes") / MB / pl.col("seconds")))
    return schedule(made, start, rng)


def _jit(runs: pl.DataFrame, rng: np.random.Generator) -> tuple[pl.DataFrame, Floats]:
    """Return the runs with `label_jit`, and each run's rate relative to the prediction.

    Text to Linux is slow or fast depending on what the partner's JIT compiled (documents 000,
    section 3, and 003). The family predicts one state; now and then a run falls into the other.
    """
    text = ((runs["mode"] == "text") & (runs["target"] == "xLinux")).fill_null(value=False)
    if not text.any():
        return runs, np.ones(runs.height)
    given = [pl.lit("1Gb").alias("network")] if "network" not in runs.columns else []
    predicted_fast = mft_stages.jit_is_fast(runs.with_columns(given))
    other = rng.random(runs.height) < _OTHER_JIT
    fast = np.where(other, ~predicted_fast, predicted_fast)
    factor = np.where(other & text.to_numpy(), np.where(fast, _JIT, 1.0 / _JIT), 1.0)
    state = pl.when(text).then(
        pl.when(pl.Series(fast)).then(pl.lit("fast")).otherwise(pl.lit("slow"))
    )
    return runs.with_columns(label_jit=state), factor


def with_defaults(runs: pl.DataFrame) -> pl.DataFrame:
    """Return the runs with every optional column of a scenario."""
    missing = [value.alias(name) for name, value in _DEFAULTS.items() if name not in runs.columns]
    return runs.with_columns(missing)


def predicted(runs: pl.DataFrame) -> pl.DataFrame:
    """Return `rate`, `cost_per_GB` and `ziip_share` of each run as the families predict them.

    Runs of document 002 have no z/OS and so no cost; that document's rates are in Mb/s.
    """
    metrics = ("rate", "cost_per_GB", "ziip_share")
    cells = runs.select("document", *(n for n in FACTORS if n in runs.columns))
    answers = predict(
        normalise(pl.concat([cells.with_columns(metric=pl.lit(metric)) for metric in metrics]))
    )["predicted"]
    found = pl.DataFrame(
        {m: answers.slice(i * runs.height, runs.height) for i, m in enumerate(metrics)}
    ).with_columns(pl.col("rate").fill_null(np.nan), pl.col("cost_per_GB").fill_null(0.0))
    size = runs["file_size_mb"]
    stated = pl.when(size < 100).then(_SMALL_SHARE).otherwise(_LARGE_SHARE)
    linux = runs["document"] == "002"
    return found.with_columns(
        pl.when(linux).then(pl.col("rate") / 8).otherwise("rate").alias("rate"),
        pl.col("ziip_share").fill_null(stated),
    )


def _files(size: Floats, rate: Floats, linux: NDArray[np.bool_]) -> Floats:
    """Return the files of a run: document 003's file set, or what can be moved in time."""
    volume = np.where(linux, _LINUX_MB, mft_stages.volume(size))
    moved = np.minimum(volume, np.maximum(_LEAST_MB, rate * _LONGEST))
    return np.asarray(np.maximum(np.ceil(moved / size - 1e-9), 1.0))


def schedule(runs: pl.DataFrame, start: datetime, rng: np.random.Generator) -> pl.DataFrame:
    """Give the runs their windows, one after the other from the start of their session.

    The transfer begins some seconds after the start of the window. The window ends in the minute in
    which the transfer ends, or in the next one. A quiet interval follows now and then.
    """
    if "session" not in runs.columns:
        runs = runs.with_columns(session=pl.lit(start))
    lead = np.round(rng.uniform(4.0, 9.0, runs.height), 3)
    length = np.ceil((lead + runs["seconds"].to_numpy() + 2.0) / 60.0) * 60.0
    place = pl.int_range(pl.len()).over("session")
    quiet = pl.when(place % _IDLE_EVERY == _IDLE_EVERY - 1).then(_IDLE.total_seconds()).otherwise(0)
    us = pl.duration
    timed = runs.with_columns(length=pl.Series(length), lead=pl.Series(lead)).with_columns(
        quiet=quiet
    )
    after = (pl.col("length") + pl.col("quiet")).cum_sum().over("session")
    begin = pl.col("session").cast(pl.Datetime("us")) + us(
        seconds=(after - pl.col("length") - pl.col("quiet")).cast(pl.Int64)
    )
    return timed.with_columns(start=begin).with_columns(
        stop=pl.col("start") + us(seconds=pl.col("length").cast(pl.Int64)),
        begin=pl.col("start") + us(milliseconds=(pl.col("lead") * 1000).round().cast(pl.Int64)),
    ).with_columns(
        end=pl.col("begin") + us(milliseconds=(pl.col("seconds") * 1000).round().cast(pl.Int64)),
        run_id=pl.col("campaign") + pl.col("start").dt.strftime("-%Y%m%dT%H%M%S"),
    )  # fmt: skip
