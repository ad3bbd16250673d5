"""SMF 115 and 116 of a campaign's queue managers: what the transfers were to MQ.

A transfer's data goes in messages of one chunk. On the source's queue manager the agent puts them
on the transmission queue and the sender channel gets them; on the target's the receiver channel
puts them on the agent's data queue, where the agent gets them. They are not persistent; what the
agents tell each other is, and little.

CPU times of calls are a part of what the address space used: the parts, like the sizes of control
messages, are invented. What was put into a verb (models_sim.campaign.plan, `more`) is added.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import numpy as np
import polars as pl

from models_sim.campaign.site import CAPTURE, SITE, SOURCE, TARGET, manager
from models_sim.campaign.system import intervals
from models_sim.dump import BLOCK_IDS
from models_sim.zos.log import Log, Tables, section
from models_sim.zos.simulate import Frames

__all__ = ["CHUNK", "add_messaging", "work"]

CHUNK = 262_144  # bytes of a data message: agentChunkSize, document 000, Appendix B
_RELEASE = "920"
_LENGTHS = {"smf115_qmst": 104, "smf115_qjst": 596, "smf116_qcst": 324}
_BATCH = 20  # messages of a channel's batch: BATCHLIM is 5000 KB
_CONTROL_EVERY, _CONTROL_BYTES = 10, 1400  # data messages to a control message, and its size
_PUT, _GET, _COMMIT = 0.020, 0.020, 0.004  # of an address space's CPU time: what the calls take
_ELAPSED = 1.6  # of a call, of its CPU time: the rest is waiting
_HEADERS = 476  # bytes that a channel sends with a message
_LAN_US, _KM_PER_MS = 900.0, 200.0  # network time of a channel, and what distance adds one way
_WRITTEN = {115: timedelta(milliseconds=21), 116: timedelta(milliseconds=24)}
_CHINIT_WRITTEN = timedelta(milliseconds=28)
_TASK_COMPONENT, _TASK_IFCID, _CHINIT_COMPONENT = 247, 25, 231
_RRS, _MOVER = 7, 6
_SENDER, _RECEIVER = 1, 3
# Of the records of a queue manager and interval, the place of each kind.
_PLACE = {(115, 1): 1, (115, 2): 2, (115, 215): 3, (115, 231): 4, (116, 10): 5, (116, 1): 6}
_NONE = 0x8FFF_FFFF  # the shortest time where there was none


def work(runs: pl.DataFrame, frames: Frames) -> pl.DataFrame:
    """One row a queue manager and interval: what it did; nothing, but in runs that use it.

    `messages` are those put, and got; `side` is source or target; `started` is the first interval
    since the queue manager started; times in microseconds.
    """
    spans = intervals(runs).select("interval", "run_no")
    files = pl.col("files") - pl.col("failed")
    chunks = (pl.col("file_size_mb").fill_null(0) * (1 << 20) / CHUNK).ceil()
    wait = pl.col("latency_km") if "latency_km" in runs.columns else pl.lit(0)
    trip_us = _LAN_US + 2000.0 * wait.fill_null(0) / _KM_PER_MS
    queue = pl.col("queue").fill_null("Private") if "queue" in runs.columns else pl.lit("Private")
    numbered = runs.select(
        "source",
        "target",
        "bytes",
        "cost_per_GB",
        "more_part",
        "more",
        tls=(pl.col("tls") if "tls" in runs.columns else pl.lit("N")).fill_null("N") != "N",
        shared=queue.str.starts_with("Shared"),
        count=(files * chunks).cast(pl.Int64),
        network_us=(trip_us * pl.col("network_factor")).round().cast(pl.Int64),
    ).with_row_index("run_no")
    used = frames["address_space"].select(
        "system", "interval", "job", cpu_us=pl.col("tcb_us") + pl.col("srb_us") + pl.col("ziip_us")
    )
    sides = pl.DataFrame({"system": [SOURCE, TARGET], "side": ["source", "target"],
                          "manager": [manager(SOURCE), manager(TARGET)]})  # fmt: skip
    jobs = sides.select(
        "system",
        agent=pl.lit("AGNTA") + pl.col("system").str.slice(-1),
        chin=pl.col("manager") + "CHIN",
    )
    rows = (
        frames["interval"]
        .select("system", "interval", "start", "end")
        .join(sides, on="system", maintain_order="left")
        .join(jobs, on="system", maintain_order="left")
        .join(spans, on="interval", maintain_order="left")
        .join(numbered.with_columns(pl.col("run_no").cast(pl.Int64)), on="run_no", how="left",
              maintain_order="left")
    )  # fmt: skip
    # Where no interval joins the one before, the system was down: queue managers begin anew.
    apart = pl.col("start") > pl.col("end").shift(1).over("system") + timedelta(seconds=1)
    rows = rows.sort("system", "interval", maintain_order=True).with_columns(
        started=pl.when(apart.fill_null(True)).then("interval").forward_fill().over("system")
    )
    for name in ("agent", "chin"):
        own = used.rename({"job": name, "cpu_us": f"{name}_us"})
        rows = rows.join(own, on=["system", "interval", name], how="left", maintain_order="left")
    end = pl.when(pl.col("side") == "source").then("source").otherwise("target")
    active = end.is_in(["z/OS", "USS"]).fill_null(False)
    count = pl.when(active).then("count").otherwise(0)
    extra = pl.col("more").list.eval(
        pl.when(pl.element().struct.field("verb") == "MQPUT")
        .then(pl.element().struct.field("part"))
        .otherwise(0.0)
    )
    base = pl.col("cost_per_GB") / (1 + pl.col("more_part")) * pl.col("bytes") / 2**30
    on_source = pl.col("side") == "source"
    return rows.with_columns(
        active=active,
        messages=count,
        control=count // _CONTROL_EVERY,
        message_bytes=pl.when(active).then("bytes").otherwise(0),
        put_more_us=(pl.when(active & on_source).then(extra.list.sum() * base).otherwise(0.0)
                     * CAPTURE * 1e6).fill_null(0.0),
    ).with_columns(control_bytes=pl.col("control") * _CONTROL_BYTES)  # fmt: skip


def add_messaging(log: Log, runs: pl.DataFrame, frames: Frames) -> None:
    """Add the records of both queue managers and their channel initiators, of each interval."""
    rows = work(runs, frames)
    numbered = rows.with_row_index("record_no").with_columns(pl.col("record_no").cast(pl.Int64))
    length = (pl.col("end") - pl.col("start")).dt.total_microseconds()
    _add(
        log, 115, 1, numbered, {"smf115_qsst": _storage(numbered), "smf115_qjst": _log(numbered)}, 1
    )
    _add(log, 115, 2, numbered, _managers(numbered), 2)
    _add(log, 115, 215, numbered, {"smf115_qpst": _pools(numbered)}, 8)
    tasks = numbered.with_columns(length=length)
    _add(log, 115, 231, tasks, _initiator(tasks), 0)
    active = rows.filter(pl.col("active")).with_row_index("record_no")
    active = active.with_columns(pl.col("record_no").cast(pl.Int64))
    _add(log, 116, 10, active, {"smf116_qcst": _channels(active)}, 0)
    for number, tables in enumerate((_agent_task(active), _channel_task(active))):
        _add(log, 116, 1, active, tables, _TASK_IFCID, number)


def _add(
    log: Log,
    kind: int,
    subtype: int,
    rows: pl.DataFrame,
    tables: Tables,
    ifcid: int,
    number: int = 0,
) -> None:
    """Add one record a row: its header and product section, and the tables.

    `number` tells records of a kind apart that are written one behind the other.
    """
    if not rows.height:
        return
    chinit = subtype in {231, 10}
    chained = kind == 116 and not chinit
    written = _CHINIT_WRITTEN if chinit else _WRITTEN[kind]
    made = pl.col("end") + written + timedelta(microseconds=150 * number)
    component = _CHINIT_COMPONENT if chinit else _TASK_COMPONENT if chained else 26
    product: dict[str, Any] = {
        "qwhsrmid": component,
        "qwhsiid": ifcid,
        "qwhsnsda": 1 + len(tables) + chained,
        "qwhsrn": b"\x10" if ifcid else b"\0",
        "qwhsssid": pl.col("manager"),
        "qwhsstck": made,
        "qwhswseq": pl.col("interval") * 16 + _PLACE[kind, subtype] + number,
        "qwhsiseq": (pl.col("interval") - pl.col("started")) * 2 + 1 + number,
    }
    if not chained:
        product["qwhstime"] = pl.col("start") + SITE.offset
        product["qwhsdurn"] = (pl.col("end") - pl.col("start")).dt.total_microseconds()
    identified = {
        table: frame.with_columns(pl.lit(BLOCK_IDS[table][1]).alias(BLOCK_IDS[table][0]))
        if table in BLOCK_IDS
        else frame
        for table, frame in tables.items()
    }
    blocks = {f"smf{kind}_qwhs": section(rows, **product)}
    if chained:
        blocks["smf116_qwhc"] = section(rows, qwhcnid=b"\x40" * 8 + bytes(8))
    records = rows.select(
        "record_no",
        "system",
        made.alias("moment"),
        pl.col("manager").alias(f"sm{kind}ssi"),
        pl.lit(_RELEASE).alias(f"sm{kind}rel"),
    )
    lengths = _LENGTHS | ({"smf116_qwhs": 36} if chained else {})
    log.add(kind, subtype, records, blocks | identified, lengths)


# --- statistics


def _storage(rows: pl.DataFrame) -> pl.DataFrame:
    return section(
        rows, qsstgplv=30, qsstfplv=30, qsstexpv=34, qsstfrev=32, qsstgetm=40, qsstfrem=41
    )


def _log(rows: pl.DataFrame) -> pl.DataFrame:
    """The log: control messages, forced by their batches; two copies."""
    logged = (rows["control_bytes"] * 1.3).to_numpy()
    forces = np.ceil(rows["control"].to_numpy() / _BATCH)
    pages = np.maximum(np.ceil(logged / 4096), forces)
    none = np.zeros_like(forces)

    def both(single: Any) -> pl.Series:
        return pl.Series(np.rint(np.stack([np.stack([single, none], 1)] * 2, 1)).astype(np.int64))

    return section(
        rows,
        qjstwrnw=pl.col("control"),
        qjstwrf=pl.Series(forces),
        qjstbsds=20,
        qjstlsus=pl.Series(forces),
        qjstlogw=pl.Series(2 * forces),
        qjstciwr=pl.Series(2 * pages),
        qjstbffl=pl.Series(pages),
        qjstbfwr=pl.Series(forces),
        qjstiocount=both(forces),
        qjstioci=both(pages),
        qjstiototio=both(forces * 310.0),
        qjstiototsus=both(forces * 322.0),
        qjstiomaxio=both(np.where(forces > 0, 4100.0, 0.0)),
    )


def _managers(rows: pl.DataFrame) -> dict[str, pl.DataFrame]:
    calls = pl.col("messages") + pl.col("control")
    opens = pl.when("active").then(6).otherwise(0)
    return {
        "smf115_qmst": section(
            rows,
            qmstopen=opens,
            qmstclos=opens,
            qmstget=calls + calls // 50,
            qmstput=calls,
            qmstspp=pl.col("control"),
            qmstsnp=pl.col("messages"),
            qmstpbp=pl.col("control_bytes"),
            qmstnbp=pl.col("message_bytes"),
        ),
        "smf115_qist": section(rows, qistmget=calls + calls // 50, qistmput=calls, qistdloc=opens,
                               qistgetb=calls),
        "smf115_qlst": section(rows, qlstgetl=calls * 6, qlsthldl=calls // 150, qlstrell=calls * 4),
    }  # fmt: skip


def _pools(rows: pl.DataFrame) -> pl.DataFrame:
    """The data's buffer pool: messages are got before their pages have to be written."""
    pages = pl.when("shared").then(0).otherwise(pl.col("message_bytes") // 4096).fill_null(0)
    return section(
        rows,
        qpstpool=3,
        qpstnbuf=262_144,
        qpstcbsl=250_000,
        qpstcbs=262_000,
        qpstgetp=pages,
        qpstgetn=pages,
        qpststw=pages,
        qpstloc=True,
        qpstf4kb=False,
    )


# --- channel initiator


def _initiator(rows: pl.DataFrame) -> dict[str, pl.DataFrame]:
    active = pl.when("active").then(1).otherwise(0)
    common = {
        "smf115_qcct": section(
            rows,
            qcctjobn=pl.col("manager") + "CHIN",
            qcctnocc=active,
            qcctmxcc=9999,
            qcctnoac=active,
            qcctmxac=9999,
            qcctmxtp=9999,
            qcctmxlu=200,
            qcctstus=70 + active,
        )
    }
    buffers = pl.when("active").then(pl.col("messages") * 8).otherwise(0)
    tls = pl.when("tls").then(buffers).otherwise(0).fill_null(0)
    cpu = pl.col("chin_us").fill_null(0)
    kinds = {
        "dsp": (5, buffers, 0.45),
        "adp": (8, pl.col("messages"), 0.25),
        "ssl": (3, tls, 0.25),
    }
    return common | {
        f"smf115_qct_{kind}": _tasks(rows, kind, number, requests, cpu * part)
        for kind, (number, requests, part) in kinds.items()
    }


def _tasks(
    rows: pl.DataFrame, kind: str, number: int, requests: pl.Expr, cpu: pl.Expr
) -> pl.DataFrame:
    """Tasks of a kind, the first of which does all that there is."""
    first = {"dsp": 0, "adp": 20, "ssl": 40}[kind]
    each = rows.join(
        pl.DataFrame({"task": range(number)}), how="cross", maintain_order="left_right"
    )
    mine = pl.col("task") == 0
    done = pl.when(mine).then(requests).otherwise(0)
    busy = pl.when(mine & (requests > 0)).then(cpu).otherwise(0.0).round()
    elapsed = (busy * _ELAPSED).clip(upper_bound=pl.col("length")).round()
    channels = {"qctchln": pl.when(mine & pl.col("active")).then(1).otherwise(0)}
    return section(
        each,
        qcttskn=0x8C_9000 + 0x320 * (first + pl.col("task")),
        qctreqn=done,
        qctcptm=pl.min_horizontal(busy, elapsed),
        qcteltm=elapsed,
        qctwttm=pl.col("length") - elapsed,
        **(channels if kind == "dsp" else {}),
    )


def _channel_names() -> tuple[pl.Expr, pl.Expr]:
    """The channel's name, and the other end's queue manager."""
    on_source = pl.col("side") == "source"
    far = pl.when(on_source).then("target").otherwise("source").is_in(["xLinux"])
    other = pl.when(on_source).then(pl.lit(manager(TARGET))).otherwise(pl.lit(manager(SOURCE)))
    partner = pl.when(far).then(pl.lit("XQM1")).otherwise(other)
    forward = pl.concat_str("manager", pl.lit(".TO."), partner)
    back = pl.concat_str(partner, pl.lit(".TO."), "manager")
    return pl.when(on_source).then(forward).otherwise(back), partner


def _channels(rows: pl.DataFrame) -> pl.DataFrame:
    """The channel that carried the run's data."""
    sends = pl.col("side") == "source"
    channel, partner = _channel_names()
    count = pl.col("messages") + pl.col("control")
    size = pl.col("message_bytes") + pl.col("control_bytes")
    batches = -(-count // _BATCH)
    data, control = size + count * _HEADERS, batches * 28

    def sent(out: pl.Expr, back: pl.Expr) -> pl.Expr:
        return pl.when(sends).then(out).otherwise(back)

    timed = pl.when(sends).then(pl.col("network_us"))
    return section(
        rows,
        qcstcltm=pl.col("end"),
        qcstchnm=channel,
        qcstchdp=4,
        qcstchty=pl.when(sends).then(_SENDER).otherwise(_RECEIVER),
        qcstchst=3,
        qcststcl=65,
        qcstcnnm="192.0.2.40(1414)",
        qcststrt=pl.lit(SITE.ipl + timedelta(minutes=5)),
        qcstlmst=pl.col("end") - timedelta(seconds=2),
        qcstcbsz=50,
        qcstnmsg=count,
        qcstnpmg=pl.col("control"),
        qcstnbyt=size,
        qcstnpby=pl.col("control_bytes"),
        qcstbatc=batches,
        qcstfuba=batches // 20,
        qcstbyst=sent(data, control),
        qcstbyrc=sent(control, data),
        qcstbfst=sent(count * 8, batches),
        qcstbfrc=sent(batches, count * 8),
        qcstetmn=_NONE,
        qcstntav=timed,
        qcstntmn=pl.when(sends).then((pl.col("network_us") * 0.7).round()).otherwise(_NONE),
        qcstntmx=(timed * 3.1).round(),
        qcstntdt=pl.when(sends).then(pl.col("start") + timedelta(seconds=11)),
        qcstrqmn=partner,
        qcstslcs=pl.when("tls").then(0x1302).otherwise(0),
        qcstslcn=pl.when("tls").then(pl.lit("CN=PERF CA")).otherwise(pl.lit("")),
        qcstcbdl=5000,
        qcstdspn=1,
        qcstrpid="MQMV",
        qcstrver="09020000",
    )


# --- accounting


def _agent_task(rows: pl.DataFrame) -> Tables:
    """The agent: puts the data on the source's side, gets it on the target's."""
    cpu = pl.col("agent_us").fill_null(0)
    puts = pl.col("side") == "source"
    return _task(rows, pl.col("agent"), _RRS, pl.lit(""), cpu, puts, number=1)


def _channel_task(rows: pl.DataFrame) -> Tables:
    """The channel: gets the data on the source's side, puts it on the target's."""
    channel, _ = _channel_names()
    cpu = pl.col("chin_us").fill_null(0)
    puts = pl.col("side") == "target"
    return _task(rows, pl.col("chin"), _MOVER, channel, cpu, puts, number=2)


def _task(
    rows: pl.DataFrame,
    job: pl.Expr,
    kind: int,
    channel: pl.Expr,
    cpu: pl.Expr,
    puts: pl.Expr,
    number: int,
) -> Tables:
    """Identification, task and queue of one task of each row."""
    thread = bytes.fromhex(f"5B00{number:02X}40")
    block = bytes.fromhex(f"6200{number:02X}60")
    more = pl.col("put_more_us") if number == 1 else pl.lit(0.0)
    base = (cpu - more).clip(0)
    put_us = pl.when(puts).then(base * _PUT + more).otherwise(0.0).round()
    get_us = pl.when(puts).then(0.0).otherwise(base * _GET).round()
    commit_us = (base * _COMMIT).round()
    count = pl.col("messages")
    commits = -(-count // _BATCH)
    put_count, get_count = (pl.when(c).then(count).otherwise(0) for c in (puts, ~puts))
    put_bytes, get_bytes = (pl.when(c).then("message_bytes").otherwise(0) for c in (puts, ~puts))
    longest = pl.min_horizontal(pl.lit(CHUNK), "message_bytes")
    on_source = pl.col("side") == "source"
    data = pl.lit("SYSTEM.FTE.DATA.") + pl.col("agent")
    _, partner = _channel_names()
    cf_us = pl.when("shared").then(count * 24).otherwise(0)
    forces = -(-pl.col("control") // _BATCH)
    return {
        "smf116_wtid": section(
            rows,
            wtidatyp=kind,
            wtidccn=job,
            wtidopid="PERFUSR",
            wtidnid=b"\x40" * 8 + bytes(8),
            wtidcori=bytes(4) + thread + bytes(4),
            wtiduowi=b"\x40" * 16 + bytes(4) + thread,
            wtidchl=channel,
            wtidtran="PERFUSR",
        ),
        "smf116_wtas": section(
            rows,
            wtasstrt=pl.lit(SITE.ipl + timedelta(minutes=6)),
            wtasmthr=thread,
            wtaswtas=block,
            wtasflag=0x0080_0000,
            wtaswqct=1,
            wtascmet=(commit_us * _ELAPSED).round() + forces * 320,
            wtascmct=commit_us,
            wtascmn=commits,
            wtasjwet=forces * 320,
            wtasjwn=forces,
            wtasjcet=forces * 320,
            wtasjcn=forces,
            wtascsec=pl.when("shared").then(count * 2).otherwise(0),
            wtassstc=cf_us,
            wtasints=pl.col("start"),
            wtasinte=pl.col("end"),
            wtasver=8,
        ),
        "smf116_wq": section(
            rows,
            wqver=8,
            correl=bytes.fromhex("DE4F2A1C00000000") + thread + block,
            objname=pl.when(on_source).then(partner).otherwise(data),
            basename=pl.when(on_source).then(partner).otherwise(data),
            opentime=pl.col("start") + timedelta(seconds=4),
            qtype=1,
            qsgdisp=pl.when("shared").then(2).otherwise(0),
            cfstrucname=pl.when("shared").then(pl.lit("MQPGMFT1")).otherwise(pl.lit("")),
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
            putn=put_count,
            putct=put_us,
            putet=(put_us * _ELAPSED).round() + pl.when(puts).then(cf_us).otherwise(0),
            putbytes=put_bytes,
            validput=put_count,
            putpwg=pl.when(~on_source & puts).then(put_count * 9 // 10).otherwise(0),
            putmaxms=pl.when(puts).then(longest).otherwise(0),
            putminms=pl.when(puts).then(longest).otherwise(0x0FFF_FFFF),
            getn=get_count,
            geta=get_count,
            getct=get_us,
            getet=(get_us * _ELAPSED).round() + pl.when(~puts).then(cf_us).otherwise(0),
            getbytes=get_bytes,
            validget=get_count,
            getdval=get_count,
            getmaxms=pl.when(~puts).then(longest).otherwise(0),
            getminms=pl.when(~puts).then(longest).otherwise(0x0FFF_FFFF),
            totlatnt=get_count * 900,
            maxlatnt=pl.when(get_count > 0).then(4200).otherwise(0),
            minlatnt=pl.when(get_count > 0).then(300).otherwise(0),
            maxqdpth=10,
            total_use=1,
            use_count=1,
        ),
    }
