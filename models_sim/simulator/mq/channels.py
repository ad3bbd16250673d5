"""SMF 115 subtype 231 and SMF 116 subtype 10: the channel initiator and its channels."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import numpy as np

from models_sim.simulator.mq import fields
from models_sim.simulator.mq.dump import Dump, Row
from models_sim.simulator.mq.headers import add_record
from models_sim.simulator.mq.periods import Interval, Period, Use, total
from models_sim.simulator.mq.profile import CHANNEL, Channel, QueueManager

__all__ = ["add_channels"]

_COMPONENT = 231
_DISPATCHERS, _ADAPTERS, _TLS_TASKS = 5, 8, 3
_BATCH_SIZE = 50
_DISPATCHER_US, _ADAPTER_US, _TLS_US = 11.0, 21.0, 34.0  # CPU per request


def add_channels(
    dump: Dump, manager: QueueManager, periods: list[Period], rng: np.random.Generator
) -> None:
    """Add the channel initiator's records of each interval."""
    if not manager.channels:
        return
    began: datetime | None = None
    for period in periods:
        # The channel initiator's intervals end a moment after the queue manager's.
        interval = period.interval
        if interval.place == 0 or began is None:
            began = interval.start + timedelta(microseconds=85)
        made = interval.end + timedelta(microseconds=int(rng.integers(95, 180)))
        closing = replace(interval, start=began, end=made)
        began = made
        rows = [
            _channel_row(manager, channel, period, closing, rng) for channel in manager.channels
        ]
        tables = {
            "smf115_qcct": [_initiator_row(manager, period)],
            "smf115_qct_dsp": _dispatchers(closing, rows, rng),
            "smf115_qct_adp": _adapters(manager, period, closing, rng),
            "smf115_qct_ssl": _tls_tasks(closing, rows, rng),
            "smf115_qct_dns": [_dns_row(closing, rng)],
        }
        for kind, of_kind in (((115, 231), tables), ((116, 10), {"smf116_qcst": rows})):
            add_record(
                dump,
                manager,
                kind,
                made,
                of_kind,
                component=_COMPONENT,
                sections=len(of_kind),
                interval=closing,
            )


def _initiator_row(manager: QueueManager, period: Period) -> Row:
    active = len(manager.channels)
    return fields.initiator(manager.name, active, 200, 38 + active) | {
        "qcctqsgn": manager.sharing_group,
        "qcctnocc": active + 1,
        "qcctstab": 96 + period.interval.number,
        "qcctslim": 2048,
    }


def _task_row(
    number: int, requests: int, cpu_us: float, interval_us: int, rng: np.random.Generator
) -> Row:
    """Return a task's clocks; a task that does not work waits."""
    cpu = round(requests * cpu_us * rng.lognormal(0, 0.05))
    elapsed = min(round(cpu * 1.6), interval_us)
    return fields.subtask(number, requests, cpu, elapsed, interval_us)


def _split(total_requests: int, weights: list[float], rng: np.random.Generator) -> list[int]:
    share = np.array(weights) / sum(weights)
    numbers: list[int] = rng.multinomial(total_requests, share).tolist()
    return numbers


def _dispatchers(interval: Interval, channels: list[Row], rng: np.random.Generator) -> list[Row]:
    """Return the dispatchers; each channel runs on one, beginning with the first."""
    rows = []
    for number in range(_DISPATCHERS):
        assigned = [row for row in channels if row["qcstdspn"] == number + 1]
        requests = sum(row["qcstbfst"] + row["qcstbfrc"] + row["qcstnmsg"] for row in assigned)
        row = _task_row(number, requests, _DISPATCHER_US, interval.microseconds, rng)
        rows.append(row | {"qctchln": len(assigned)})
    return rows


def _adapters(
    manager: QueueManager, period: Period, interval: Interval, rng: np.random.Generator
) -> list[Row]:
    """Return the adapters, which make the MQI calls of all channels; the first get most of them."""
    names = [t.name for t in manager.tasks if t.kind == CHANNEL]
    uses = total(Use(), [period.of_task(name) for name in names])
    commits = sum(period.works[name].commits for name in names if name in period.works)
    calls = uses.puts + uses.gets + uses.empty_gets + uses.opens + uses.closes + commits
    shares = _split(calls, [0.5**i for i in range(_ADAPTERS)], rng)
    return [
        _task_row(20 + i, requests, _ADAPTER_US, interval.microseconds, rng)
        for i, requests in enumerate(shares)
    ]


def _tls_tasks(interval: Interval, channels: list[Row], rng: np.random.Generator) -> list[Row]:
    """Return the TLS tasks, which encrypt each buffer of the channels with a cipher."""
    buffers = sum(c["qcstbfst"] + c["qcstbfrc"] for c in channels if c["qcstslcs"])
    rows = []
    for i, requests in enumerate(_split(buffers, [1.0] * _TLS_TASKS, rng)):
        row = _task_row(40 + i, requests, _TLS_US, interval.microseconds, rng)
        if requests:
            row |= {
                "qctlstm": _random_moment(interval, rng),
                "qctlsdu": int(rng.integers(300, 4_000)),
            }
        rows.append(row)
    return rows


def _dns_row(interval: Interval, rng: np.random.Generator) -> Row:
    requests = int(rng.poisson(0.7))
    row = _task_row(60, requests, 45, interval.microseconds, rng)
    if requests:
        row |= {"qctlgtm": _random_moment(interval, rng), "qctlgdu": int(rng.integers(900, 30_000))}
    return row


def _random_moment(interval: Interval, rng: np.random.Generator) -> datetime:
    microseconds = int(rng.integers(1, interval.microseconds))
    return interval.start + timedelta(microseconds=microseconds)


def _channel_row(
    manager: QueueManager,
    channel: Channel,
    period: Period,
    interval: Interval,
    rng: np.random.Generator,
) -> Row:
    """Return a channel's figures since the previous collection."""
    use = period.of_task(channel.task)
    is_client = channel.kind == fields.SERVER_CONNECTION
    sends = channel.kind == fields.SENDER
    idle = timedelta(microseconds=int(rng.integers(900, 90_000)))
    times = (_started(manager, interval.run), interval.end - idle, interval.end)
    row = fields.channel(
        channel.kind, channel.name, channel.partner, channel.connection, times, _BATCH_SIZE
    ) | {
        "qcstslcs": 0 if is_client else 0x1302,
        "qcstslcn": "" if is_client else "CN=SYNTHETIC CA",
        "qcstdspn": 1 + manager.channels.index(channel) % _DISPATCHERS,
        "qcstrver": "09030500",
    }
    if is_client:
        calls = use.puts + use.gets + use.empty_gets + use.opens + use.closes
        return row | fields.client(calls, use.get_bytes, use.put_bytes)
    if sends:
        carried, persistent = (
            (use.gets, use.get_bytes),
            (use.persistent_gets, use.persistent_get_bytes),
        )
    else:
        carried, persistent = (use.puts, use.put_bytes), (use.persistent_puts, use.persistent_bytes)
    messages, size = carried
    full = int(rng.binomial(messages // _BATCH_SIZE, 0.4)) if messages else 0
    batches = full + -(-(messages - full * _BATCH_SIZE) // 12)
    row |= fields.traffic(sends, carried, persistent, (batches, full), size, messages + batches)
    row["qcstqetc"] = use.empty_gets
    if channel.network_us and batches:
        mean = round(channel.network_us * rng.lognormal(0, 0.08))
        row |= {
            "qcstntav": mean,
            "qcstntmn": round(mean * 0.7),
            "qcstntmx": round(mean * rng.uniform(2, 9)),
            "qcstntdt": _random_moment(interval, rng),
        }
    return row


def _started(manager: QueueManager, run: int) -> datetime:
    """Return when the channels of a run started.

    They start hours before the first run, and seconds after a restart.
    """
    start = manager.start + timedelta(seconds=manager.runs[run][0])
    return start + timedelta(seconds=6.5) if run else start - timedelta(hours=6)
