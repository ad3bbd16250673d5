"""SMF 116-1 of a campaign: what the calls of agents, channels and drivers' tasks used."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, NamedTuple

import polars as pl

from models_sim.simulator.campaigns.driver import LOG_WAIT, commits_of
from models_sim.simulator.campaigns.messaging.channels import channel_names
from models_sim.simulator.campaigns.site import BATCH, ELAPSED, SITE, cf_service_us
from models_sim.simulator.log import Tables, section
from models_sim.simulator.mq import fields
from models_sim.simulator.mq.periods import Use, Work

__all__ = ["LATCH_CLASS", "agent_task", "channel_task", "driver_task"]

_PUT, _GET, _COMMIT = 0.020, 0.020, 0.004  # shares of an address space's CPU time
_DRIVER_PUT, _DRIVER_GET, _DRIVER_COMMIT = 0.40, 0.40, 0.10  # of a driver's CPU time
_BATCH_JOB, _RRS, _MOVER = 2, 7, 6
_CALL_US = 25  # CPU of a call for a message that is not data: invented
LATCH_CLASS = 19  # for which drivers' tasks wait: invented
_CLASSES = 32
_HELD_US = 25  # per wait for a latch: invented


class _Task(NamedTuple):
    """A task in each row's interval; its number distinguishes it from others of the interval."""

    job: pl.Expr
    kind: int
    number: int
    queue: pl.Expr
    channel: pl.Expr


def agent_task(rows: pl.DataFrame) -> Tables:
    """Return the agent's task: it puts the data at the source and gets it at the target.

    It also has its queues of acknowledgements, of its state and of message-to-file.
    """
    cpu = pl.col("agent_us").fill_null(0)
    puts = pl.col("side") == "source"
    tables = _of_transfer(rows, pl.col("agent"), _RRS, pl.lit(""), cpu, puts, number=1)
    sends, receives = rows.filter(puts), rows.filter(~puts)
    volume, reply = pl.col("agent"), ("persistent", "persistent_bytes")
    state, loaded = ("states", "state_bytes"), pl.col("preloaded")
    others = (
        (sends, _ControlQueue(pl.lit("SYSTEM.FTE.REPLY.") + volume, gets=reply)),
        (receives, _ControlQueue(channel_names()[1], puts=reply)),
        (receives, _ControlQueue(pl.lit("SYSTEM.FTE.STATE.") + volume, puts=state, gets=state)),
        (
            rows.filter(loaded > 0).with_columns(loaded_bytes=loaded * pl.col("size")),
            _ControlQueue(
                pl.lit("PERF.M2F"), gets=("preloaded", "loaded_bytes"), persistent=False, pool=4
            ),
        ),
    )
    first = tables["smf116_wq"]
    queues = [
        first,
        *(_control_queue(frame, queue).select(first.columns) for frame, queue in others),
    ]
    sections = pl.concat(queues, how="vertical_relaxed").sort("record_no", maintain_order=True)
    counts = sections.group_by("record_no", maintain_order=True).agg(wtaswqct=pl.len())
    task = (
        tables["smf116_wtas"].drop("wtaswqct").join(counts, on="record_no", maintain_order="left")
    )
    return {**tables, "smf116_wtas": task, "smf116_wq": sections}


class _ControlQueue(NamedTuple):
    """Messages of equal size on a queue of an agent, but not data: the columns of number, bytes."""

    queue: pl.Expr
    puts: tuple[str, str] | None = None
    gets: tuple[str, str] | None = None
    persistent: bool = True
    pool: int = 3


def _control_queue(rows: pl.DataFrame, of: _ControlQueue) -> pl.DataFrame:
    """Return the section of a queue of the agent's task."""
    zero = pl.lit(0)
    puts, put_bytes = map(pl.col, of.puts) if of.puts else (zero, zero)
    gets, get_bytes = map(pl.col, of.gets) if of.gets else (zero, zero)
    most = pl.max_horizontal(puts, gets)
    longest = pl.when(most > 0).then(pl.max_horizontal(put_bytes, get_bytes) // most).otherwise(0)
    use = _use(
        (puts, put_bytes, puts * _CALL_US),
        (gets, get_bytes, gets * _CALL_US),
        longest,
        persistent=most if of.persistent else zero,
    )
    return _queue(rows, 1, of.queue, use, of.pool)


def channel_task(rows: pl.DataFrame) -> Tables:
    """Return the channel's task: it gets the data at the source and puts it at the target."""
    channel, _ = channel_names()
    cpu = pl.col("chin_us").fill_null(0)
    puts = pl.col("side") == "target"
    return _of_transfer(rows, pl.col("chin"), _MOVER, channel, cpu, puts, number=2)


def driver_task(rows: pl.DataFrame, number: int) -> Tables:
    """Return one of a driver's tasks, counted from 0: it puts and gets a transaction's message."""
    tasks = pl.col("tasks")
    share = pl.col("transactions") // tasks + (pl.col("transactions") % tasks > number)
    got = ~(pl.col("fills") | pl.col("streams"))
    cpu = pl.col("driver_us").fill_null(0) / tasks
    is_persistent = pl.when("is_persistent")
    commits = is_persistent.then(commits_of(share).cast(pl.Int64)).otherwise(0)
    done = share * pl.col("each")
    size = done * pl.col("size")
    service = cf_service_us(pl.col("machine"))
    queue = pl.lit(f"PERF.REQUEST.{number + 1:02}")
    waits = (commits * LOG_WAIT * pl.col("log_us")).round()
    latch_us = (share * pl.col("latch_us")).round()
    is_stored = pl.when("fills")
    cf_us = is_stored.then((done * service).round()).otherwise(0)
    task = _Task(pl.col("driver"), _BATCH_JOB, 3 + number, queue, pl.lit(""))
    use = _use(
        (done, size, (cpu * _DRIVER_PUT).round()),
        tuple(
            pl.when(got).then(figure).otherwise(0)
            for figure in (done, size, (cpu * _DRIVER_GET).round())
        ),
        pl.col("size"),
        persistent=is_persistent.then(done).otherwise(0),
        cf_us=cf_us,
        latch_us=latch_us,
    )
    work = _work(
        commits, is_persistent.then((cpu * _DRIVER_COMMIT).round()).otherwise(0), commits, waits
    )
    work.logged = (pl.col("logged") / tasks).round()
    work.cf_single = is_stored.then(done).otherwise(0)
    return _tables(rows, task, work, use, cf_us, latch_us)


def _of_transfer(
    rows: pl.DataFrame,
    job: pl.Expr,
    kind: int,
    channel: pl.Expr,
    cpu: pl.Expr,
    puts: pl.Expr,
    number: int,
) -> Tables:
    """Return the task of an agent or a channel: it either puts or gets."""
    more = pl.col("put_more_us") if number == 1 else pl.lit(0.0)
    base = (cpu - more).clip(0)
    count = pl.col("messages")
    on_source = pl.col("side") == "source"
    _, partner = channel_names()

    def only(condition: pl.Expr, value: pl.Expr | str) -> pl.Expr:
        return pl.when(condition).then(value).otherwise(0)

    task = _Task(
        job,
        kind,
        number,
        pl.when(on_source).then(partner).otherwise(pl.lit("SYSTEM.FTE.DATA.") + pl.col("agent")),
        channel,
    )
    cf_us = only(pl.col("shared"), count * 24)
    use = _use(
        (only(puts, count), only(puts, "message_bytes"), only(puts, base * _PUT + more).round()),
        (only(~puts, count), only(~puts, "message_bytes"), only(~puts, base * _GET).round()),
        pl.min_horizontal("chunk", "message_bytes"),
        cf_us=cf_us,
        to_waiting=only(~on_source & puts & pl.col("getter_waits"), count * 9 // 10),
    )
    forces = pl.col("forces")
    work = _work(-(-count // BATCH), (base * _COMMIT).round(), forces, forces * 320)
    work.cf_single = only(pl.col("shared"), count * 2)
    return _tables(rows, task, work, use, cf_us, pl.lit(0))


_Calls = tuple[pl.Expr, ...]  # their number, the bytes of their messages, their CPU time


def _use(
    puts: _Calls,
    gets: _Calls,
    longest: pl.Expr,
    *,
    persistent: Any = 0,
    to_waiting: Any = 0,
    cf_us: Any = 0,
    latch_us: Any = 0,
) -> Use:
    """Return how a task uses a queue; puts, or else gets, wait for the coupling facility."""
    has_put, has_got = (pl.when(calls[0] > 0) for calls in (puts, gets))
    return Use(
        puts=puts[0],
        put_bytes=puts[1],
        put_cpu=puts[2],
        put_elapsed=(puts[2] * ELAPSED).round() + has_put.then(cf_us + latch_us).otherwise(0),
        persistent_puts=has_put.then(persistent).otherwise(0),
        to_waiting=to_waiting,
        put_max=has_put.then(longest).otherwise(0),
        put_min=longest,
        gets=gets[0],
        get_bytes=gets[1],
        get_cpu=gets[2],
        get_elapsed=(gets[2] * ELAPSED).round() + has_put.then(0).otherwise(cf_us),
        persistent_gets=has_got.then(persistent).otherwise(0),
        get_max=has_got.then(longest).otherwise(0),
        get_min=longest,
        latency=gets[0] * 900,
        latency_max=has_got.then(4200).otherwise(0),
        latency_min=has_got.then(300).otherwise(0),
        depth_max=10,
    )


def _work(commits: pl.Expr, cpu: pl.Expr, forces: pl.Expr, waits: pl.Expr) -> Work:
    """Return the units of work of a task: those that `forces` wait for the log."""
    return Work(
        commits=commits,
        commit_cpu=cpu,
        commit_elapsed=(cpu * ELAPSED).round() + waits,
        forces=forces,
        force_elapsed=waits,
        log_writes=forces,
        suspends=forces,
        suspended=waits,
    )


def _correlator(number: int) -> tuple[bytes, bytes]:
    return bytes.fromhex(f"5B00{number:02X}40"), bytes.fromhex(f"6200{number:02X}60")


def _tables(
    rows: pl.DataFrame,
    task: _Task,
    work: Work,
    use: Use,
    cf_us: pl.Expr,
    latch_us: pl.Expr,
) -> Tables:
    """Return identification, task and queue of one task per row."""
    thread, _ = _correlator(task.number)

    def latches(value: pl.Expr) -> pl.Expr:
        places = range(_CLASSES)
        return pl.concat_list([value if i == LATCH_CLASS else value * 0 for i in places])

    waits = pl.when(latch_us > 0)
    identity = fields.identity(task.kind, task.job, "PERFUSR", task.channel, thread)
    return {
        "smf116_wtid": section(rows, **identity, wtiduowi=b"\x40" * 16 + bytes(4) + thread),
        "smf116_wtas": section(
            rows,
            **fields.task(work, _correlator(task.number)),
            wtasstrt=pl.lit(SITE.ipl + timedelta(minutes=6)),
            wtasflag=0x0080_0000,
            wtaswqct=1,
            wtaslwet=latches(latch_us.cast(pl.Int64)),
            wtaslwn=latches(-(-latch_us // _HELD_US).cast(pl.Int64)),
            wtasmlw=waits.then(_HELD_US * 12).otherwise(0),
            wtasmlwn=waits.then(LATCH_CLASS).otherwise(0),
            wtassstc=cf_us,
            wtasints=pl.col("start"),
            wtasinte=pl.col("end"),
        ),
        "smf116_wq": _queue(rows, task.number, task.queue, use),
    }


def _queue(
    rows: pl.DataFrame, number: int, queue: pl.Expr, use: Use, pool: int = 3
) -> pl.DataFrame:
    """Return the section of a queue of a task."""
    return section(
        rows,
        **fields.queue_use(use, queue),
        correl=bytes.fromhex("DE4F2A1C00000000") + b"".join(_correlator(number)),
        opentime=pl.col("start") + timedelta(seconds=4),
        qsgdisp=pl.when("shared").then(2).otherwise(0),
        cfstrucname=pl.col("structure"),
        nps=pool,
        nbuffpool=pool,
        use_count=1,
    )
