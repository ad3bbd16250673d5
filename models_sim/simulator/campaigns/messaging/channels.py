"""SMF 115-231 and 116-10 of a campaign: the channel initiator's tasks, and the channels."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import numpy as np
import polars as pl

from models_sim.simulator.campaigns.messaging.channel_load import BUFFER, channel_load, wire_bytes
from models_sim.simulator.campaigns.site import (
    BATCH,
    ELAPSED,
    PARTNER,
    SITE,
    SOURCE,
    TARGET,
    manager,
)
from models_sim.simulator.log import section
from models_sim.simulator.mq import fields
from models_sim.simulator.outputs.tools import channel_status

__all__ = ["channel_names", "channels", "clients", "initiator", "replies", "status"]

_SECTIONS = 90  # channels in a record
_CALLS = 2  # MQI calls of a client's transaction: invented
_TLS13 = 0x13  # first byte of its cipher suites
_QUEUED_US = 2000.0  # time on the transmission queue: invented
#: Extended private storage of a channel initiator, and per channel: 700 MB for 8,000 channels
#: (document 001, section 3). The base is invented. Accounting class 4 of the same channels takes
#: 40 MB above the bar, here in bytes.
_STORAGE_MB, _CHANNEL_MB, _CHANNEL_64BIT = 70, 0.0875, 40 * (1 << 20) // 8000


def initiator(rows: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Return the channel initiator and its tasks, one record per interval; rows as in `work`."""
    active = _current_channels()
    storage = (_STORAGE_MB + _CHANNEL_MB * active).round().cast(pl.Int64)
    state = fields.initiator(pl.col("manager"), active, 9999, storage)
    common = {"smf115_qcct": section(rows, **state, qcctstab=active * _CHANNEL_64BIT)}
    carried_bytes = pl.col("message_bytes") + (
        pl.when("streams").then("persistent_bytes").otherwise(0)
    )
    messages = pl.col("messages") + pl.when("streams").then("persistent").otherwise(0)
    buffers = pl.when(active > 0).then(_buffers(carried_bytes)).otherwise(0).fill_null(0)
    tls = pl.when(pl.col("cipher_code") > 0).then(buffers).otherwise(0).fill_null(0)
    cpu = pl.col("chin_us").fill_null(0)
    kinds = {
        "dsp": (5, buffers, 0.45),
        "adp": (8, messages, 0.25),
        "ssl": (3, tls, 0.25),
    }
    return common | {
        f"smf115_qct_{kind}": _tasks(rows, kind, number, requests, cpu * part)
        for kind, (number, requests, part) in kinds.items()
    }


def _current_channels() -> pl.Expr:
    """Return the current channels of a channel initiator."""
    carries = pl.col("active") | pl.col("streams")
    running = pl.when(carries).then(pl.col("channels").fill_null(1)).otherwise(0)
    return pl.coalesce("clients", running)


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
    count = _current_channels()
    # Clients are spread evenly over the dispatchers; other channels are on the first one.
    spread = count // number + (count % number > pl.col("task")).cast(pl.Int64)
    alone = pl.when(mine).then(count).otherwise(0)
    channels = {"qctchln": pl.when(pl.col("clients").is_null()).then(alone).otherwise(spread)}
    return section(
        each,
        **fields.subtask(first + pl.col("task"), done, busy, elapsed, pl.col("length")),
        **(channels if kind == "dsp" else {}),
    )


def _buffers(size: pl.Expr) -> pl.Expr:
    """Return the transmission buffers that messages of `size` bytes take."""
    return (wire_bytes(size) / BUFFER).ceil().cast(pl.Int64)


def channel_names(*, back: bool = False) -> tuple[pl.Expr, pl.Expr]:
    """Return the name of a run's channel, or of that `back`, and the partner's queue manager."""
    on_source = pl.col("side") == "source"
    far = pl.when(on_source).then("target").otherwise("source").is_in(["xLinux"])
    other = pl.when(on_source).then(pl.lit(manager(TARGET))).otherwise(pl.lit(manager(SOURCE)))
    partner = pl.when(far).then(pl.lit(PARTNER[1])).otherwise(other)
    forward = pl.concat_str("manager", pl.lit(".TO."), partner)
    backward = pl.concat_str(partner, pl.lit(".TO."), "manager")
    return pl.when(on_source != pl.lit(back)).then(forward).otherwise(backward), partner


def status(run: pl.DataFrame, rng: np.random.Generator) -> bytes:
    """Return DISPLAY CHSTATUS of the sender that carries the data of a run, as planned.

    SSLRKEYC is 0, so with TLS 1.2 the secret key is never reset; TLS 1.3 does that itself, and MQ
    shows no number (document 000, section 4). The time on the transmission queue is invented.
    """
    (row,) = run.hstack(channel_load(run)).with_columns(
        side=pl.lit("source"), manager=pl.lit(manager(SOURCE))
    ).with_columns(channel=channel_names()[0], partner=channel_names()[1]).to_dicts()  # fmt: skip
    code, compresses = row["cipher_code"], row["saved_percent"] > 0
    batch = row["achieved_batch"] or min(BATCH, row["count"])
    waits = _QUEUED_US * np.exp(0.2 * rng.standard_normal(2))
    shown: dict[str, float | str | None] = {
        "CHSTATUS": row["channel"],
        "CHLTYPE": "SDR",
        "CONNAME": "192.0.2.40",
        "STATUS": "RUNNING",
        "RQMNAME": row["partner"],
        "XMITQ": row["partner"],
        "MONCHL": "HIGH",
        "SSLCIPH": row["cipher_spec"],
        "SSLRKEYS": 0 if code > 0 and code // 256 != _TLS13 else None,
        "COMPMSG": row["compmsg"] if compresses else None,
        "MSGS": row["transactions"],
        "BATCHSZ": 200 if batch > 50 else 50,
        "NETTIME": _pair(row["network_us"]),
        "XBATCHSZ": _pair(batch),
        "XQTIME": ",".join(str(round(us)) for us in waits),
    }
    if compresses:
        shown |= {"COMPTIME": _pair(row["compression_us"]), "COMPRATE": _pair(row["saved_percent"])}
    return channel_status(f"!{manager(SOURCE)}", [shown])


def _pair(value: float | None) -> str | None:
    """Return an average over a short and over a long time; None stays None."""
    return None if value is None else f"{round(value)},{round(value)}"


def _by_channel(rows: pl.DataFrame) -> pl.DataFrame:
    """Return one row per channel of a run: a file goes over one of them (document 000, section 5).

    `channel_no` counts from 1.
    """
    count = pl.col("channels").fill_null(1)
    each = rows.with_columns(channel_no=pl.int_ranges(1, count + 1)).explode("channel_no")
    files = pl.col("files") // count + (pl.col("files") % count >= pl.col("channel_no"))
    scaled = ("messages", "message_bytes", "persistent", "persistent_bytes")
    part = pl.when(pl.col("files") > 0).then(files / pl.col("files")).otherwise(1.0)
    return each.with_columns((pl.col(name) * part).round().cast(pl.Int64) for name in scaled)


def channels(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the channels that carried the run's data."""
    # The persistent messages of a transfer are acknowledgements, which go the other way.
    data = [pl.when("streams").then(name).otherwise(0).alias(name) for name in _PERSISTENT]
    return _sections(_by_channel(rows.with_columns(data)), *channel_names())


_PERSISTENT = ("persistent", "persistent_bytes")


def replies(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the channels on which the receiving agents acknowledged the data."""
    back = pl.when(pl.col("side") == "source").then(pl.lit("target")).otherwise(pl.lit("source"))
    channel, partner = channel_names(back=True)
    other = rows.with_columns(
        channel=channel,
        partner=partner,
        side=back,
        messages=0,
        message_bytes=0,
        channel_no=1,
        saved_percent=0,
    )
    return _sections(other, pl.col("channel"), pl.col("partner"))


def clients(rows: pl.DataFrame) -> Iterator[tuple[pl.DataFrame, pl.DataFrame]]:
    """Return the server connections of clients: rows of records, and the sections in them.

    Each client has one, and its share of the run's transactions.
    """
    most = int(rows["clients"].max() or 0)  # type: ignore[arg-type]
    for first in range(0, most, _SECTIONS):
        numbers = pl.int_ranges(first, pl.min_horizontal("clients", first + _SECTIONS))
        records = rows.filter(pl.col("clients") > first)
        each = records.with_columns(client=numbers).explode("client")
        count, number = pl.col("clients"), pl.col("client")
        done = pl.col("transactions") // count + (pl.col("transactions") % count > number)
        size = done * pl.col("size")
        address = pl.format("198.51.100.{}", number % 250 + 1)
        yield (
            records,
            section(
                each,
                **_channel_fields(fields.SERVER_CONNECTION, "PERF.CLIENT", "cph", address, 50),
                **fields.client(done * _CALLS, size, size),
                qcstnbyt=2 * size,
                qcstdspn=1 + number % 5,
            ),
        )


def _channel_fields(
    kind: Any, channel: Any, partner: Any, address: Any, batch_size: Any
) -> dict[str, Any]:
    times = (pl.lit(SITE.ipl + timedelta(minutes=5)), pl.col("end") - timedelta(seconds=2),
             pl.col("end"))  # fmt: skip
    return fields.channel(kind, channel, partner, address, times, batch_size) | {
        "qcstrver": "09020000"
    }


def _sections(rows: pl.DataFrame, channel: pl.Expr, partner: pl.Expr) -> pl.DataFrame:
    """Return the sections of channels between queue managers; the side `source` sends."""
    sends = pl.col("side") == "source"
    count = pl.col("messages") + pl.col("persistent")
    size = pl.col("message_bytes") + pl.col("persistent_bytes")
    per_batch = pl.col("achieved_batch").fill_null(BATCH)
    batches = (count / per_batch).ceil().cast(pl.Int64)
    is_first = pl.col("channel_no") <= 1
    named = pl.concat_str(
        channel,
        pl.when(is_first).then(pl.lit("")).otherwise(pl.format(".{}", "channel_no")),
    )
    kind = pl.when(sends).then(fields.SENDER).otherwise(fields.RECEIVER)
    batch_size = pl.when(per_batch > 50).then(200).otherwise(50)
    persistent = (pl.col("persistent"), pl.col("persistent_bytes"))
    timed = pl.when(sends).then(pl.col("network_us"))
    least = pl.when(sends).then((pl.col("network_us") * 0.7).round()).otherwise(fields.NO_TIME)
    described = _channel_fields(kind, named, partner, "192.0.2.40(1414)", batch_size)
    return section(
        rows,
        **(described | {"qcstntmn": least}),
        **fields.traffic(
            sends,
            (count, size),
            persistent,
            (batches, batches // 20),
            wire_bytes(size),
            _buffers(size),
        ),
        qcstcpra=pl.col("saved_percent"),
        qcstntav=timed,
        qcstntmx=(timed * 3.1).round(),
        qcstntdt=pl.when(sends).then(pl.col("start") + timedelta(seconds=11)),
        qcstslcs=pl.col("cipher_code"),
        qcstslcn=pl.when(pl.col("cipher_code") > 0)
        .then(pl.lit("CN=PERF CA"))
        .otherwise(pl.lit("")),
        qcstdspn=1,
    )
