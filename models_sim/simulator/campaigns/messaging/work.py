"""SMF 115 and 116 of a campaign's queue managers: the transfers as MQ sees them.

A transfer's data travels in messages of one chunk. On the source's queue manager the agent puts
them on the transmission queue and the sender channel gets them; on the target's the receiver
channel puts them on the agent's data queue and the agent gets them. They are not persistent. The
receiving agent acknowledges each window of them with a persistent message, and updates its STATE
queue at each checkpoint (document 000, Appendix B). Message-to-file gets the data from a queue of
the source's queue manager first. A driver's tasks put one message per transaction on a queue of
their own queue manager, and get it.

CPU times of calls are a share of what the address space used. The shares and the sizes of control
messages are invented. CPU time that a scenario adds to a verb (`more` in plan) is added.
"""

from __future__ import annotations

from datetime import timedelta

import polars as pl

from models_sim.simulator.campaigns.driver import LOG_US, LOGGED, commits_of, log_writes
from models_sim.simulator.campaigns.messaging.accounting import (
    agent_task,
    channel_task,
    driver_task,
)
from models_sim.simulator.campaigns.messaging.channel_load import REPLY_BYTES, channel_load
from models_sim.simulator.campaigns.messaging.channels import (
    channels,
    clients,
    initiator,
    replies,
)
from models_sim.simulator.campaigns.messaging.statistics import (
    buffer_pools,
    log_manager,
    managers,
    region,
    storage_manager,
)
from models_sim.simulator.campaigns.site import (
    BATCH,
    CAPACITY,
    CAPTURE,
    SITE,
    SOURCE,
    TARGET,
    driver,
    manager,
)
from models_sim.simulator.campaigns.systems.frames import intervals
from models_sim.simulator.log import Log, Tables, section
from models_sim.simulator.mq import fields
from models_sim.simulator.mq.dump import BLOCK_IDS
from models_sim.simulator.zos.machine import Frames

__all__ = ["add_messaging", "work"]

_LENGTHS = {"smf115_qmst": 104, "smf115_qjst": 596, "smf116_qcst": 324}
_WRITTEN = {115: timedelta(milliseconds=21), 116: timedelta(milliseconds=24)}
_CHINIT_WRITTEN = timedelta(milliseconds=28)
_TASK_COMPONENT, _TASK_IFCID, _CHINIT_COMPONENT = 247, 25, 231
# The position of each kind among the records of a queue manager and interval.
_PLACES = 256
_PLACE = {(115, 1): 1, (115, 2): 2, (115, 215): 3, (115, 231): 4, (116, 1): 5, (116, 10): 128}


def work(runs: pl.DataFrame, frames: Frames) -> pl.DataFrame:
    """Return one row per queue manager and interval: what it did, if a run used it.

    `messages` are the non-persistent messages put (and got) and `persistent` the persistent ones,
    each with bytes; `states` are the updates of the STATE queue, each a get and a put, and
    `preloaded` the messages got for message-to-file. `forces` are the commits that wait for the
    log, `log_writes` the resulting writes per copy, and `logged` their bytes. `active` marks queue
    managers that files go through; `tasks` are those of a driver, or null. `side` is source or
    target; `started` is the first interval since the queue manager started. Times are in
    microseconds.
    """
    spans = intervals(runs).select("interval", "run_no")
    of_queue = pl.col("source").eq_missing("queue")
    # AMS on the data queue prevents it, too: document 000, section 4.
    waits = pl.col("p2wg").fill_null("Y").eq("Y") & pl.col("ams").fill_null("N").eq("N")
    numbered = runs.select(
        "run_no",
        "source",
        "target",
        "bytes",
        "cost_per_GB",
        "more_part",
        "more",
        getter_waits=waits,
        # Accounting of channels is on in the first of equal runs of clients.
        records_clients=(pl.col("connection") == "direct") & (pl.col("repetition") == 1),
        shared=pl.col("queue").fill_null("Private").str.starts_with("Shared"),
        channels="channels",
        files=pl.col("files") - pl.col("failed"),
        preloaded=pl.when(of_queue)
        .then(pl.col("bytes") // pl.col("message_size_bytes"))
        .otherwise(0),
        tasks="tasks",
        transactions="transactions",
        streams="streams",
        achieved_batch="achieved_batch",
        clients="clients",
        machine=pl.coalesce("machine", pl.lit("z15")),
        release=pl.col("label_mq_level").str.replace_all(".", "", literal=True),
        each="each",
        fills="fills",
        size="message_size_bytes",
        is_persistent=pl.col("persistent").fill_null(value=False),
        writes=log_writes(),
        log_us="log_us",
        latch_us="latch_us",
    ).hstack(channel_load(runs))
    used = frames["address_space"].select(
        "system", "interval", "job", cpu_us=pl.col("tcb_us") + pl.col("srb_us") + pl.col("ziip_us")
    )
    sides = pl.DataFrame({"system": [SOURCE, TARGET], "side": ["source", "target"],
                          "manager": [manager(SOURCE), manager(TARGET)]})  # fmt: skip
    jobs = sides.select(
        "system",
        agent=pl.lit("AGNTA") + pl.col("system").str.slice(-1),
        chin=pl.col("manager") + "CHIN",
        driver=driver("") + pl.col("system").str.slice(-1),
    )
    rows = (
        frames["interval"]
        .select("system", "interval", "start", "end")
        .join(sides, on="system", maintain_order="left")
        .join(jobs, on="system", maintain_order="left")
        .join(spans, on="interval", maintain_order="left")
        .join(numbered, on="run_no", how="left", maintain_order="left")
    )
    # A gap before an interval means that the system was down, so queue managers start again.
    apart = pl.col("start") > pl.col("end").shift(1).over("system") + timedelta(seconds=1)
    rows = rows.sort("system", "interval", maintain_order=True).with_columns(
        pl.col("release").forward_fill().backward_fill().over("system"),
        started=pl.when(apart.fill_null(True)).then("interval").forward_fill().over("system"),
    )
    for name in ("agent", "chin", "driver"):
        cpu = used.rename({"job": name, "cpu_us": f"{name}_us"})
        rows = rows.join(cpu, on=["system", "interval", name], how="left", maintain_order="left")
    end = pl.when(pl.col("side") == "source").then("source").otherwise("target")
    active = end.is_in(["z/OS", "USS", "queue"]).fill_null(False)
    extra = pl.col("more").list.eval(
        pl.when(pl.element().struct.field("verb") == "MQPUT")
        .then(pl.element().struct.field("part"))
        .otherwise(0.0)
    )
    base = pl.col("cost_per_GB") / (1 + pl.col("more_part")) * pl.col("bytes") / 2**30
    on_source = pl.col("side") == "source"
    rows = rows.with_columns(
        active=active,
        tasks=pl.when(on_source).then("tasks"),
        transactions=pl.when(on_source | pl.col("streams")).then("transactions"),
        structure=pl.when("fills")
        .then(pl.lit(CAPACITY.name))
        .when("shared")
        .then(pl.lit("MQPGMFT1"))
        .otherwise(pl.lit("")),
        put_more_us=(
            pl.when(active & on_source).then(extra.list.sum() * base).otherwise(0.0) * CAPTURE * 1e6
        ).fill_null(0.0),
        log_us=pl.when(on_source).then(pl.col("log_us").fill_null(LOG_US)).otherwise(LOG_US),
        streams=pl.col("streams").fill_null(value=False),
        clients=pl.when(on_source).then("clients"),
    )
    return _with_messages(rows)


def _with_messages(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the rows with the messages and log of transfers and of drivers."""
    driven = pl.col("tasks").is_not_null() | pl.col("streams")
    kept = driven & pl.col("is_persistent")
    control = pl.when("active").then("replies").otherwise(0)
    receives = pl.col("active") & (pl.col("side") == "target")
    gets_queue = pl.col("active") & (pl.col("side") == "source")

    def either(transfer: pl.Expr, transaction: pl.Expr) -> pl.Expr:
        return pl.when(driven).then(transaction).otherwise(transfer)

    done = pl.col("transactions") * pl.col("each")
    moved = pl.when("active").then("bytes").otherwise(0)
    rows = rows.with_columns(
        messages=either(
            pl.when("active").then("count").otherwise(0), pl.when(kept).then(0).otherwise(done)
        ),
        persistent=either(control, pl.when(kept).then(done).otherwise(0)),
        states=pl.when(receives).then("states").otherwise(0).fill_null(0),
        preloaded=pl.when(gets_queue).then("preloaded").otherwise(0).fill_null(0),
    ).with_columns(
        message_bytes=either(moved, pl.col("messages") * pl.col("size")),
        persistent_bytes=either(
            pl.col("persistent") * REPLY_BYTES, pl.col("persistent") * pl.col("size")
        ),
        state_bytes=pl.col("states") * pl.col("state_size").fill_null(0),
    )
    commits = commits_of(pl.col("transactions")).cast(pl.Int64)
    kept_messages = pl.col("persistent") + pl.col("states")
    forces = either(-(-kept_messages // BATCH), pl.when(kept).then(commits).otherwise(0))
    size = pl.col("persistent_bytes") + pl.col("state_bytes")
    return rows.with_columns(
        forces=forces,
        logged=either(size * 1.3, size + pl.col("persistent") * LOGGED),
        log_writes=either(forces, pl.col("writes")),
        calls=pl.col("messages") + kept_messages,
        gets=pl.when("fills")
        .then(0)
        .otherwise(pl.col("messages") + kept_messages + pl.col("preloaded")),
    )


def add_messaging(log: Log, runs: pl.DataFrame, frames: Frames) -> None:
    """Add the records of both queue managers and their channel initiators for each interval."""
    rows = work(runs, frames)
    numbered = _number_records(rows)
    length = (pl.col("end") - pl.col("start")).dt.total_microseconds()
    _add(
        log,
        115,
        1,
        numbered,
        {"smf115_qsst": storage_manager(numbered), "smf115_qjst": log_manager(numbered)},
        1,
    )
    _add(log, 115, 2, numbered, managers(numbered), 2)
    _add(log, 115, 215, numbered, {"smf115_qpst": buffer_pools(numbered)}, 8)
    tasks = numbered.with_columns(length=length)
    _add(log, 115, 231, tasks, initiator(tasks), 0)
    served = _number_records(rows.filter(pl.col("clients").is_not_null()))
    header = served.select(
        "record_no",
        "system",
        moment=pl.col("end") + _WRITTEN[115],
        sm115ssi=pl.col("manager"),
        sm115rel="release",
    )
    log.add(115, 7, header, {"smf115_qsrs": region(served)})
    carrying = _number_records(rows.filter(pl.col("active") | pl.col("streams")))
    _add(log, 116, 10, carrying, {"smf116_qcst": channels(carrying)}, 0)
    answering = _number_records(rows.filter("active", pl.col("replies") > 0))
    _add(log, 116, 10, answering, {"smf116_qcst": replies(answering)}, 0, 1)
    recorded = rows.filter(pl.col("clients").is_not_null(), "records_clients")
    for number, (record, sections) in enumerate(clients(_number_records(recorded)), start=2):
        _add(log, 116, 10, record, {"smf116_qcst": sections}, 0, number)
    active = _number_records(rows.filter(pl.col("active")))
    for number, tables in enumerate((agent_task(active), channel_task(active))):
        _add(log, 116, 1, active, tables, _TASK_IFCID, number)
    for number in range(int(rows["tasks"].max() or 0)):  # type: ignore[arg-type]
        rows_ = _number_records(rows.filter(pl.col("tasks") > number))
        _add(log, 116, 1, rows_, driver_task(rows_, number), _TASK_IFCID, number)


def _number_records(rows: pl.DataFrame) -> pl.DataFrame:
    return rows.with_row_index("record_no").with_columns(pl.col("record_no").cast(pl.Int64))


def _add(
    log: Log,
    kind: int,
    subtype: int,
    rows: pl.DataFrame,
    tables: Tables,
    ifcid: int,
    number: int = 0,
) -> None:
    """Add one record per row: its header and product section, and the tables.

    `number` distinguishes records of a kind that are written one after the other.
    """
    if not rows.height:
        return
    chinit = subtype in {231, 10}
    chained = kind == 116 and not chinit
    written = _CHINIT_WRITTEN if chinit else _WRITTEN[kind]
    made = pl.col("end") + written + timedelta(microseconds=150 * number)
    component = _CHINIT_COMPONENT if chinit else _TASK_COMPONENT if chained else 26
    sections = 1 + len(tables) + chained
    product = fields.product(pl.col("manager"), made, component, ifcid, sections) | {
        "qwhswseq": pl.col("interval") * _PLACES + _PLACE[kind, subtype] + number,
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
        pl.col("release").alias(f"sm{kind}rel"),
    )
    lengths = _LENGTHS | ({"smf116_qwhs": 36} if chained else {})
    log.add(kind, subtype, records, blocks | identified, lengths)
