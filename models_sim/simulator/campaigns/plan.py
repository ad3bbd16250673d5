"""When the runs of a campaign take place, and what they produce: rate, cost and zIIP share.

A plan is a frame with one row per run. A scenario gives the factors (columns of the published
cells), `label_*` columns and, if needed, `session` (the runs of a session follow one another; there
may be days between sessions) and `repetition`. The plan adds

    run_no, run_id                       its number from 0, its name
    start, stop                          the window, in whole minutes: UTC
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
    fills                                whether the messages stay until a structure of 4 GB is
                                         full; else what is put is got
    counted                              whether the run ends after its transactions, and not after
                                         its `seconds`
    cpus                                 general purpose processors of SOURCE, if not the site's
    streams                              whether the messages go over a channel from SOURCE's queue
                                         manager to TARGET's, where others get them
    achieved_batch, nettime_us           messages per batch of that channel; microseconds until a
                                         batch is confirmed
    clients                              channels of SOURCE's channel initiator, if not one
    crypto                               list of {card, operation, number, us}: requests to
                                         cryptographic cards, and microseconds of each
    persistent, log_us, latch_us         whether the messages are persistent; microseconds of a
                                         write to the log, and of a transaction's waits for latches
    measured                             list of {metric, value, unit, more_is_better}: what a
                                         person measured, and put into the manifest
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
from models_sim.base.parameters import load
from models_sim.models.mft import stages as mft_stages
from models_sim.models.mft.families import MFT_ZOS, TEXT_TO_LINUX, jit_states
from models_sim.predict import predict
from models_sim.simulator.campaigns.driver import LOG_US

__all__ = ["FACTORS", "MB", "plan", "predict_runs", "schedule"]

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
_REQUESTS: dict[str, type[pl.DataType]] = {
    "card": pl.Int64,
    "operation": pl.String,
    "number": pl.Int64,
    "us": pl.Float64,
}
_DEFAULTS = {
    "document": pl.lit("000"),
    "x_path_length": pl.lit(None, pl.String),
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
    "fills": pl.lit(False),
    "counted": pl.lit(False),
    "log_us": pl.lit(LOG_US),
    "latch_us": pl.lit(0.0),
    "streams": pl.lit(False),
    "achieved_batch": pl.lit(None, pl.Float64),
    "nettime_us": pl.lit(None, pl.Float64),
    "clients": pl.lit(None, pl.Int64),
    "crypto": pl.lit([], pl.List(pl.Struct(_REQUESTS))),
    "label_jit": pl.lit(None, pl.String),
}
_LINUX_MB = 2048.0  # per measurement: document 002, rate times transfer time
_LONGEST = 2700.0  # maximum seconds of a transfer; a longer one moves fewer files
_LEAST_MB = 1024.0  # document 000, section 3: at least 1 GB per measurement
_SMALL_SHARE, _LARGE_SHARE = 60.0, 40.0  # % below and from 100 MB: document 000, section 6
#: Log sd of rate and cost between runs: the reference system keeps runs within 6 % of each other
#: (document 000, section 1), here taken as three standard deviations each way.
_RATE_NOISE, _COST_NOISE = 0.01, 0.01
# How often a run falls into the state of the JIT that is not predicted: invented.
_OTHER_JIT = 0.2
#: The state that a JIT level always reaches: document 003.
_STATES = {"count=10": "slow", "veryHot": "fast", "scorching": "fast"}
_IDLE_EVERY, _IDLE = 8, timedelta(minutes=2)  # a quiet interval after this many runs


def plan(
    runs: pl.DataFrame, campaign: str, start: datetime, rng: np.random.Generator
) -> pl.DataFrame:
    """Return the plan of the runs in order; sessions after the first have their own `start`."""
    runs = with_defaults(runs)
    figures = predict_runs(runs)
    noise = rng.standard_normal((2, runs.height))
    pace = np.exp(_RATE_NOISE * noise[0]) * runs["rate_factor"].to_numpy()
    rate = figures["rate"].to_numpy() * pace
    varied = np.exp(_COST_NOISE * noise[1])
    cost = figures["cost_per_GB"].to_numpy() * varied
    runs, faster, dearer = _jit(runs, rng)
    rate, cost = rate * faster, cost * dearer
    more = runs["more"].list.eval(pl.element().struct.field("part")).list.sum()
    size = runs["file_size_mb"].cast(pl.Float64).fill_null(np.nan).to_numpy()
    files = _files(size, rate, (runs["document"] == "002").to_numpy())
    files = np.where(runs["source"].eq_missing("queue"), 1.0, files)  # all messages into one
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


def _jit(runs: pl.DataFrame, rng: np.random.Generator) -> tuple[pl.DataFrame, Floats, Floats]:
    """Return the runs with `label_jit`, and each run's rate and cost relative to the predictions.

    Text to Linux is slow or fast depending on what the partner's JIT compiled (documents 000,
    section 3, and 003). The family predicts one state; now and then a run falls into the other,
    unless the scenario gives its state. A JIT level always leads to the same one.
    """
    rows = runs.select(
        text=(TEXT_TO_LINUX & (pl.col("source") != "queue")).fill_null(value=False),
        steady=pl.col("jit_level").replace_strict(_STATES, default=None, return_dtype=pl.String),
    )
    rate, cost = np.ones((2, runs.height))
    if not rows["text"].any():
        return runs.drop("label_jit"), rate, cost
    wired = runs.with_columns(pl.col("network").fill_null("1Gb"))
    usual = mft_stages.jit_is_fast(wired)
    other = rng.random(runs.height) < _OTHER_JIT
    given_state = runs["label_jit"]
    fast = np.where(
        given_state.is_null(), usual ^ other, (given_state == "fast").fill_null(value=False)
    )
    state = pl.when("text").then(
        pl.coalesce(
            "steady", pl.when(pl.Series(fast)).then(pl.lit("fast")).otherwise(pl.lit("slow"))
        )
    )
    mine = rows["text"].to_numpy() & rows["steady"].is_null().to_numpy() & (fast != usual)
    if mine.any():
        cells = wired.filter(mine).select("document", *FACTORS)
        for factor, metric in ((rate, "rate"), (cost, "cost_per_GB")):
            slow, quick = jit_states(
                normalise(cells.with_columns(metric=pl.lit(metric))), load(MFT_ZOS.file)
            )
            factor[mine] = np.where(fast[mine], quick / slow, slow / quick)
    return runs.with_columns(rows.select(label_jit=state)), rate, cost


def with_defaults(runs: pl.DataFrame) -> pl.DataFrame:
    """Return the runs with every factor and every optional column of a scenario."""
    columns = runs.columns
    return runs.with_columns(
        *(pl.lit(None, CELL_COLUMNS[name]).alias(name) for name in FACTORS if name not in columns),
        *(
            pl.col(name).fill_null(value) if name in columns else value.alias(name)
            for name, value in _DEFAULTS.items()
        ),
    )


def predict_runs(runs: pl.DataFrame) -> pl.DataFrame:
    """Return `rate`, `cost_per_GB` and `ziip_share` of each run as the families predict them.

    Runs of document 002 have no z/OS and so no cost; that document's rates are in Mb/s.
    """
    metrics = ("rate", "cost_per_GB", "ziip_share")
    cells = runs.select("document", *FACTORS)
    answers = predict(
        normalise(pl.concat([cells.with_columns(metric=pl.lit(metric)) for metric in metrics]))
    )["predicted"]
    figures = pl.DataFrame(
        {m: answers.slice(i * runs.height, runs.height) for i, m in enumerate(metrics)}
    ).with_columns(pl.col("rate").fill_null(np.nan), pl.col("cost_per_GB").fill_null(0.0))
    linux = runs["document"] == "002"
    return figures.with_columns(
        pl.when(linux).then(pl.col("rate") / 8).otherwise("rate").alias("rate"),
        pl.col("ziip_share").fill_null(_stated_share(runs, figures["cost_per_GB"])),
    )


def _stated_share(runs: pl.DataFrame, cost: pl.Series) -> pl.Series:
    """Return the zIIP share that document 000, section 6, gives for files of that size.

    The conversion of text by the agent on z/OS is eligible: message-to-file costs as much more.
    """
    share = pl.when(pl.col("file_size_mb") < 100).then(_SMALL_SHARE).otherwise(_LARGE_SHARE)
    rows = runs.select("source", "target", "mode", share=share, cost=cost)
    converts = (
        (pl.col("source") == "queue") & (pl.col("mode") == "text") & (pl.col("target") == "USS")
    ).fill_null(value=False)
    if not rows.select(converts.any()).item():
        return rows["share"]
    binary = predicted_cost(runs.with_columns(mode=pl.lit("binary")))
    eligible = pl.col("share") * binary / pl.col("cost") + 100.0 * (1.0 - binary / pl.col("cost"))
    return rows.select(pl.when(converts).then(eligible).otherwise("share")).to_series()


def predicted_cost(runs: pl.DataFrame) -> pl.Series:
    """Return `cost_per_GB` of each run as the families predict it; null if they cannot."""
    cells = runs.select("document", *FACTORS)
    return predict(normalise(cells.with_columns(metric=pl.lit("cost_per_GB"))))["predicted"]


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
    index = pl.int_range(pl.len()).over("session")
    quiet = pl.when(index % _IDLE_EVERY == _IDLE_EVERY - 1).then(_IDLE.total_seconds()).otherwise(0)
    us = pl.duration
    timed = runs.with_columns(length=pl.Series(length), lead=pl.Series(lead)).with_columns(
        quiet=quiet
    )
    after = (pl.col("length") + pl.col("quiet")).cum_sum().over("session")
    begin = pl.col("session").cast(pl.Datetime("us")) + us(
        seconds=(after - pl.col("length") - pl.col("quiet")).cast(pl.Int64)
    )
    return (
        timed.with_columns(start=begin, run_no=pl.int_range(pl.len()))
        .with_columns(
            stop=pl.col("start") + us(seconds=pl.col("length").cast(pl.Int64)),
            begin=pl.col("start") + us(milliseconds=(pl.col("lead") * 1000).round().cast(pl.Int64)),
        )
        .with_columns(
            end=pl.col("begin")
            + us(milliseconds=(pl.col("seconds") * 1000).round().cast(pl.Int64)),
            run_id=pl.col("campaign") + pl.col("start").dt.strftime("-%Y%m%dT%H%M%S"),
        )
    )
