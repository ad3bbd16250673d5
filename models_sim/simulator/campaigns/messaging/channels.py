"""SMF 115-231 and 116-10 of a campaign: the channel initiator's tasks, and the channels."""

from __future__ import annotations

from datetime import timedelta

import polars as pl

from models_sim.simulator.campaigns.site import BATCH, ELAPSED, SITE, SOURCE, TARGET, manager
from models_sim.simulator.zos.log import section

__all__ = ["channel_names", "channels", "initiator"]

_HEADERS = 476  # bytes that a channel adds to a message
_SENDER, _RECEIVER = 1, 3
_NONE = 0x8FFF_FFFF  # shortest time if there was none


def initiator(rows: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Return the channel initiator and its tasks, one record per interval; rows as in `work`."""
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
    """Return the tasks of a kind; the first one does all the work."""
    first = {"dsp": 0, "adp": 20, "ssl": 40}[kind]
    each = rows.join(
        pl.DataFrame({"task": range(number)}), how="cross", maintain_order="left_right"
    )
    mine = pl.col("task") == 0
    done = pl.when(mine).then(requests).otherwise(0)
    busy = pl.when(mine & (requests > 0)).then(cpu).otherwise(0.0).round()
    elapsed = (busy * ELAPSED).clip(upper_bound=pl.col("length")).round()
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


def channel_names() -> tuple[pl.Expr, pl.Expr]:
    """Return the channel's name and the queue manager at the other end."""
    on_source = pl.col("side") == "source"
    far = pl.when(on_source).then("target").otherwise("source").is_in(["xLinux"])
    other = pl.when(on_source).then(pl.lit(manager(TARGET))).otherwise(pl.lit(manager(SOURCE)))
    partner = pl.when(far).then(pl.lit("XQM1")).otherwise(other)
    forward = pl.concat_str("manager", pl.lit(".TO."), partner)
    back = pl.concat_str(partner, pl.lit(".TO."), "manager")
    return pl.when(on_source).then(forward).otherwise(back), partner


def channels(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the channel that carried the run's data."""
    sends = pl.col("side") == "source"
    channel, partner = channel_names()
    count = pl.col("messages") + pl.col("persistent")
    size = pl.col("message_bytes") + pl.col("persistent_bytes")
    batches = -(-count // BATCH)
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
        qcstnpmg=pl.col("persistent"),
        qcstnbyt=size,
        qcstnpby=pl.col("persistent_bytes"),
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
