"""SMF 116-1 of a campaign: what the calls of agents, channels and drivers' tasks used."""

from __future__ import annotations

from datetime import timedelta
from typing import NamedTuple

import polars as pl

from models_sim.simulator.campaigns.driver import LOG_WAIT, commits_of
from models_sim.simulator.campaigns.messaging.channels import channel_names
from models_sim.simulator.campaigns.site import BATCH, ELAPSED, SITE, cf_service_us
from models_sim.simulator.zos.log import Tables, section

__all__ = ["LATCH_CLASS", "agent_task", "channel_task", "driver_task"]

_PUT, _GET, _COMMIT = 0.020, 0.020, 0.004  # shares of an address space's CPU time
_DRIVER_PUT, _DRIVER_GET, _DRIVER_COMMIT = 0.40, 0.40, 0.10  # of a driver's CPU time
_BATCH_JOB, _RRS, _MOVER = 2, 7, 6
_CALL_US = 25  # CPU of a call for a message that is not data: invented
LATCH_CLASS = 19  # for which drivers' tasks wait: invented
_CLASSES = 32
_HELD_US = 25  # per wait for a latch: invented
_NO_SIZE = 0x0FFF_FFFF  # shortest message if there was none


class _Task(NamedTuple):
    """A task and what it did in each row's interval; times in microseconds."""

    job: pl.Expr
    kind: int
    number: int  # distinguishes the tasks of an interval
    queue: pl.Expr
    puts: pl.Expr
    put_bytes: pl.Expr
    put_us: pl.Expr
    gets: pl.Expr
    get_bytes: pl.Expr
    get_us: pl.Expr
    longest: pl.Expr
    commits: pl.Expr
    commit_us: pl.Expr
    forces: pl.Expr  # commits that waited for the log
    force_us: pl.Expr
    logged: pl.Expr
    latch_us: pl.Expr
    cf_calls: pl.Expr
    cf_us: pl.Expr
    persistent: pl.Expr  # messages put and got
    channel: pl.Expr
    to_waiting: pl.Expr  # messages put to a waiting getter


def agent_task(rows: pl.DataFrame) -> Tables:
    """Return the agent's task: it puts the data at the source and gets it at the target.

    It also has its queues of acknowledgements, of its state and of message-to-file.
    """
    cpu = pl.col("agent_us").fill_null(0)
    puts = pl.col("side") == "source"
    tables = _of_transfer(rows, pl.col("agent"), _RRS, pl.lit(""), cpu, puts, number=1)
    sends, receives = rows.filter(puts), rows.filter(~puts)
    own, reply = pl.col("agent"), ("persistent", "persistent_bytes")
    state, loaded = ("states", "state_bytes"), pl.col("preloaded")
    others = (
        (sends, _Few(pl.lit("SYSTEM.FTE.REPLY.") + own, gets=reply)),
        (receives, _Few(channel_names()[1], puts=reply)),
        (receives, _Few(pl.lit("SYSTEM.FTE.STATE.") + own, puts=state, gets=state)),
        (
            rows.filter(loaded > 0).with_columns(loaded_bytes=loaded * pl.col("size")),
            _Few(pl.lit("PERF.M2F"), gets=("preloaded", "loaded_bytes"), persistent=False, pool=4),
        ),
    )
    first = tables["smf116_wq"]
    queues = [first, *(_queue(frame, of).select(first.columns) for frame, of in others)]
    sections = pl.concat(queues, how="vertical_relaxed").sort("record_no", maintain_order=True)
    counts = sections.group_by("record_no", maintain_order=True).agg(wtaswqct=pl.len())
    task = tables["smf116_wtas"].drop("wtaswqct").join(
        counts, on="record_no", maintain_order="left"
    )  # fmt: skip
    return {**tables, "smf116_wtas": task, "smf116_wq": sections}


class _Few(NamedTuple):
    """Messages of equal size on a queue of an agent, but not data: the columns of number, bytes."""

    queue: pl.Expr
    puts: tuple[str, str] | None = None
    gets: tuple[str, str] | None = None
    persistent: bool = True
    pool: int = 3


def _queue(rows: pl.DataFrame, of: _Few) -> pl.DataFrame:
    """Return the section of a queue of the agent's task."""
    zero = pl.lit(0)
    puts, put_bytes = map(pl.col, of.puts) if of.puts else (zero, zero)
    gets, get_bytes = map(pl.col, of.gets) if of.gets else (zero, zero)
    most = pl.max_horizontal(puts, gets)
    made = _tables(
        rows,
        _Task(
            job=pl.col("agent"),
            kind=_RRS,
            number=1,
            queue=of.queue,
            puts=puts,
            put_bytes=put_bytes,
            put_us=puts * _CALL_US,
            gets=gets,
            get_bytes=get_bytes,
            get_us=gets * _CALL_US,
            longest=pl.when(most > 0)
            .then(pl.max_horizontal(put_bytes, get_bytes) // most)
            .otherwise(0),
            commits=zero,
            commit_us=zero,
            forces=zero,
            force_us=zero,
            logged=zero,
            latch_us=zero,
            cf_calls=zero,
            cf_us=zero,
            persistent=most if of.persistent else zero,
            channel=pl.lit(""),
            to_waiting=zero,
        ),
    )
    return made["smf116_wq"].with_columns(nps=pl.lit(of.pool), nbuffpool=pl.lit(of.pool))


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
    return _tables(
        rows,
        _Task(
            job=pl.col("driver"),
            kind=_BATCH_JOB,
            number=3 + number,
            queue=queue,
            puts=done,
            put_bytes=size,
            put_us=(cpu * _DRIVER_PUT).round(),
            gets=pl.when(got).then(done).otherwise(0),
            get_bytes=pl.when(got).then(size).otherwise(0),
            get_us=pl.when(got).then((cpu * _DRIVER_GET).round()).otherwise(0),
            longest=pl.col("size"),
            commits=commits,
            commit_us=is_persistent.then((cpu * _DRIVER_COMMIT).round()).otherwise(0),
            forces=commits,
            force_us=(commits * LOG_WAIT * pl.col("log_us")).round(),
            logged=pl.col("logged") / tasks,
            latch_us=(share * pl.col("latch_us")).round(),
            cf_calls=pl.when("fills").then(done).otherwise(0),
            cf_us=pl.when("fills").then((done * service).round()).otherwise(0),
            persistent=is_persistent.then(done).otherwise(0),
            channel=pl.lit(""),
            to_waiting=pl.lit(0),
        ),
    )


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

    return _tables(
        rows,
        _Task(
            job=job,
            kind=kind,
            number=number,
            queue=pl.when(on_source)
            .then(partner)
            .otherwise(pl.lit("SYSTEM.FTE.DATA.") + pl.col("agent")),
            puts=only(puts, count),
            put_bytes=only(puts, "message_bytes"),
            put_us=only(puts, base * _PUT + more).round(),
            gets=only(~puts, count),
            get_bytes=only(~puts, "message_bytes"),
            get_us=only(~puts, base * _GET).round(),
            longest=pl.min_horizontal("chunk", "message_bytes"),
            commits=-(-count // BATCH),
            commit_us=(base * _COMMIT).round(),
            forces=pl.col("forces"),
            force_us=pl.col("forces") * 320,
            logged=pl.lit(0),
            latch_us=pl.lit(0),
            cf_calls=only(pl.col("shared"), count * 2),
            cf_us=only(pl.col("shared"), count * 24),
            persistent=pl.lit(0),
            channel=channel,
            to_waiting=only(~on_source & puts & pl.col("getter_waits"), count * 9 // 10),
        ),
    )


def _tables(rows: pl.DataFrame, of: _Task) -> Tables:
    """Return identification, task and queue of one task per row."""
    thread = bytes.fromhex(f"5B00{of.number:02X}40")
    block = bytes.fromhex(f"6200{of.number:02X}60")
    puts, gets = of.puts > 0, of.gets > 0

    def latches(value: pl.Expr) -> pl.Expr:
        places = range(_CLASSES)
        return pl.concat_list([value if i == LATCH_CLASS else value * 0 for i in places])

    waited = -(-of.latch_us // _HELD_US).cast(pl.Int64)
    return {
        "smf116_wtid": section(
            rows,
            wtidatyp=of.kind,
            wtidccn=of.job,
            wtidopid="PERFUSR",
            wtidnid=b"\x40" * 8 + bytes(8),
            wtidcori=bytes(4) + thread + bytes(4),
            wtiduowi=b"\x40" * 16 + bytes(4) + thread,
            wtidchl=of.channel,
            wtidtran="PERFUSR",
        ),
        "smf116_wtas": section(
            rows,
            wtasstrt=pl.lit(SITE.ipl + timedelta(minutes=6)),
            wtasmthr=thread,
            wtaswtas=block,
            wtasflag=0x0080_0000,
            wtaswqct=1,
            wtaslwet=latches(of.latch_us.cast(pl.Int64)),
            wtaslwn=latches(waited),
            wtasmlw=pl.when(of.latch_us > 0).then(_HELD_US * 12).otherwise(0),
            wtasmlwn=pl.when(of.latch_us > 0).then(LATCH_CLASS).otherwise(0),
            wtascmet=(of.commit_us * ELAPSED).round() + of.force_us,
            wtascmct=of.commit_us,
            wtascmn=of.commits,
            wtasjwet=of.force_us,
            wtasjwn=of.forces,
            wtasjwb=of.logged.round(),
            wtasjcet=of.force_us,
            wtasjcn=of.forces,
            wtassusn=of.forces,
            wtassuse=of.force_us,
            wtascsec=of.cf_calls,
            wtassstc=of.cf_us,
            wtasints=pl.col("start"),
            wtasinte=pl.col("end"),
            wtasver=8,
        ),
        "smf116_wq": section(
            rows,
            wqver=8,
            correl=bytes.fromhex("DE4F2A1C00000000") + thread + block,
            objname=of.queue,
            basename=of.queue,
            opentime=pl.col("start") + timedelta(seconds=4),
            qtype=1,
            qsgdisp=pl.when("shared").then(2).otherwise(0),
            cfstrucname=pl.col("structure"),
            nps=3,
            nbuffpool=3,
            openeye="OPEN",
            closeeye="CLOS",
            geteye="GET",
            puteye="PUT",
            put1eye="PUT1",
            inqeye="INQ",
            seteye="SET",
            cbeye="CB",
            putn=of.puts,
            putct=of.put_us,
            putet=(of.put_us * ELAPSED).round()
            + pl.when(puts).then(of.cf_us + of.latch_us.round()).otherwise(0),
            putbytes=of.put_bytes,
            validput=of.puts,
            putpwg=of.to_waiting,
            putpmsg=pl.when(puts).then(of.persistent).otherwise(0),
            getpmsg=pl.when(gets).then(of.persistent).otherwise(0),
            putmaxms=pl.when(puts).then(of.longest).otherwise(0),
            putminms=pl.when(puts).then(of.longest).otherwise(_NO_SIZE),
            getn=of.gets,
            geta=of.gets,
            getct=of.get_us,
            getet=(of.get_us * ELAPSED).round() + pl.when(~puts).then(of.cf_us).otherwise(0),
            getbytes=of.get_bytes,
            validget=of.gets,
            getdval=of.gets,
            getmaxms=pl.when(gets).then(of.longest).otherwise(0),
            getminms=pl.when(gets).then(of.longest).otherwise(_NO_SIZE),
            totlatnt=of.gets * 900,
            maxlatnt=pl.when(gets).then(4200).otherwise(0),
            minlatnt=pl.when(gets).then(300).otherwise(0),
            maxqdpth=10,
            total_use=1,
            use_count=1,
        ),
    }
