"""SMF 116 of a synthetic queue manager: accounting of tasks and of the queues they used."""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np

from models_sim.simulator.mq import fields
from models_sim.simulator.mq.dump import Dump, Row
from models_sim.simulator.mq.headers import add_record
from models_sim.simulator.mq.periods import Period, Use, Work, total
from models_sim.simulator.mq.profile import BATCH, QUEUE_CALLS, TASK_CALLS, QueueManager, Task

__all__ = ["add_accounting"]

_LONGEST = 32_756  # bytes per record
_EPOCH = datetime(1900, 1, 1)
_LATCH = 18  # place of the latch class for which tasks wait
_ENDED, _INTERVAL = 0x2080_0000, 0x0080_0000  # flags of WTAS
_NET_ID = b"\x40" * 8 + bytes(8)
_TASK_COMPONENT, _TASK_IFCID, _THREAD_IFCID = 247, 25, 3
_END_OF_THREAD = 12  # QWACRINV
_SIZES = (100, 1000, 10_000)  # bounds of QMAC's classes of message length
_WRITE, _MOVE, _NEW = 6, 11, 10  # kinds of coupling facility requests
_GET, _PUT, _PUT1 = 2, 3, 4  # verbs in the array of those requests


@dataclass(slots=True)
class _Span:
    """What a task did between two of its accounting records."""

    task: Task
    thread: int
    started: datetime
    begin: datetime
    end: datetime
    ended: bool
    run: int
    periods: list[Period]
    first_open: datetime

    @property
    def correlator(self) -> tuple[bytes, bytes]:
        """Thread and block address, as in the correlator."""
        return struct.pack(">I", 0x5B00_0000 + self.thread * 0x140), struct.pack(
            ">I", 0x6200_0000 + self.thread * 0x960
        )


def add_accounting(
    dump: Dump, manager: QueueManager, periods: list[Period], rng: np.random.Generator
) -> None:
    """Add a record for each task at each accounting interval and at the end of the task."""
    for number, task in enumerate(manager.tasks):
        for span in _spans(manager, task, number, periods, rng):
            _add_task(dump, manager, span)
            if span.ended and task.kind == BATCH:
                _add_thread(dump, manager, span)


def _spans(
    manager: QueueManager,
    task: Task,
    number: int,
    periods: list[Period],
    rng: np.random.Generator,
) -> list[_Span]:
    """Return a task's accounting intervals; a restart ends them all."""
    spans: list[_Span] = []
    current: list[Period] = []
    for period in periods:
        interval = period.interval
        if task.name not in period.works:
            continue
        current.append(period)
        ends = interval.last or (task.active is not None and interval.number == task.active[1])
        if not ends and (interval.place + 1) % manager.accounting:
            continue
        begin = current[0].interval.start
        end = interval.end + timedelta(microseconds=int(rng.integers(420, 9_000)))
        starts = current[0].interval.place == 0 or (
            task.active is not None and current[0].interval.number == task.active[0]
        )
        if task.active:
            if starts:
                begin += timedelta(seconds=2.5)
            if ends:
                end = interval.end - timedelta(seconds=11.25)
        if starts or not spans:
            before = timedelta(hours=7) if interval.run == 0 and not task.active else timedelta(0)
            started, first_open = begin - before, begin + timedelta(microseconds=900) - before
        else:
            begin = spans[-1].end
            started, first_open = spans[-1].started, spans[-1].first_open
        thread = number + 100 * interval.run
        spans.append(
            _Span(task, thread, started, begin, end, ends, interval.run, current, first_open)
        )
        current = []
    return spans


def _add_task(dump: Dump, manager: QueueManager, span: _Span) -> None:
    """Add the task's record, and more records for the queues that do not fit into it."""
    queues = list(dict.fromkeys(q for p in span.periods for t, q in p.uses if t == span.task.name))
    rows = []
    for queue in queues:
        uses = [p.uses[span.task.name, queue] for p in span.periods if _used(p, span.task, queue)]
        if uses:
            rows.append(_queue_row(manager, span, queue, total(Use(), uses)))
    work = total(Work(), [p.works[span.task.name] for p in span.periods])
    block = manager.release.lengths.get("smf116_wq", 2800)
    head = 28 + 8 * 4 + 36 + 92 + 16 + 208
    fit = (_LONGEST - head - 2344) // block
    identity = [_identity_row(span)]
    task = _task_row(span, work, len(rows))
    _add(dump, manager, span, 1, {"smf116_wtid": identity, "smf116_wtas": [task]}, rows[:fit])
    fit_more = (_LONGEST - head) // block
    for at in range(fit, len(rows), fit_more):
        more = {"smf116_wtid": [_identity_row(span)]}
        _add(dump, manager, span, 2, more, rows[at : at + fit_more])


def _used(period: Period, task: Task, queue: str) -> bool:
    use = period.uses.get((task.name, queue))
    return use is not None and bool(use.puts or use.gets or use.opens or use.closes)


def _add(
    dump: Dump,
    manager: QueueManager,
    span: _Span,
    subtype: int,
    tables: dict[str, list[Row]],
    queues: list[Row],
) -> None:
    add_record(
        dump,
        manager,
        (116, subtype),
        span.end,
        {"smf116_qwhc": [{"qwhcnid": _NET_ID}], **tables, "smf116_wq": queues},
        run=span.run,
        pointers=None if queues else 3,
        chained=True,
        ifcid=_TASK_IFCID,
        component=_TASK_COMPONENT,
        sections=2 + len(tables) - (not queues),
    )


def _identity_row(span: _Span) -> Row:
    task = span.task
    thread = struct.pack(">I", span.thread)
    return fields.identity(task.kind, task.connection, task.user, task.channel, thread) | {
        "wtiduowi": b"\x40" * 16 + struct.pack(">Q", 1 + span.thread),
        "wtidchlc": "192.0.2.17" if task.channel else "",
    }


def _task_row(span: _Span, work: Work, queues: int) -> Row:
    longest = -(-work.latch_waited // work.latch_waits) if work.latch_waits else 0

    def latches(value: int) -> list[int]:
        return [value if i == _LATCH else 0 for i in range(32)]

    work.logged = min(work.logged, 0xFFFF_FFFF)
    return (
        fields.task(work, span.correlator)
        | _calls(work.calls, TASK_CALLS)
        | {
            "wtasstrt": span.started,
            "wtasflag": _ENDED if span.ended else _INTERVAL,
            "wtaswqct": queues,
            "wtaslwet": latches(work.latch_waited),
            "wtaslwn": latches(work.latch_waits),
            "wtaslmax": latches(longest),
            "wtasmlw": longest,
            "wtasmlwn": _LATCH + 1 if work.latch_waits else 0,
            "wtassstc": work.cf_single * 9,
            "wtasmstc": work.cf_multiple * 18,
            "wtasints": span.begin,
            "wtasinte": span.end,
            "wtaspbtt": work.new_pages // 50,
            "wtasctsr": work.calls["wtasct"] * 3,
            "wtastpct": work.calls["wtassu"] * 6,
            "wtastpet": work.calls["wtassu"] * 8,
        }
    )


def _calls(calls: Counter[str], costs: Mapping[str, int]) -> Row:
    """Return the fields of each kind of call: how many, CPU time and elapsed time.

    The first call of a record takes four times as long as the others.
    """
    row: Row = {}
    for prefix, us in costs.items():
        cpu = us * (calls[prefix] + 3 * (calls[prefix] > 0))
        row |= {f"{prefix}n": calls[prefix], f"{prefix}ct": cpu, f"{prefix}et": cpu * 5 // 4}
    return row


def _queue_row(manager: QueueManager, span: _Span, queue: str, use: Use) -> Row:
    flow = next(f for f in manager.flows if f.queue == queue)
    since_1900 = (span.started - _EPOCH) // timedelta(microseconds=1)
    is_put = span.task.name in flow.putters
    row = fields.queue_use(use, queue, "put1" if flow.put1 else "put") | {
        "correl": struct.pack(">Q", since_1900 << 12 & 0xFFFF_FFFF_FFFF_FFFF)
        + b"".join(span.correlator),
        "objname": flow.object_name if flow.object_name and is_put else queue,
        "opentime": span.first_open,
        "clostime": span.end - timedelta(microseconds=300) if use.closes else None,
        "qtype": 6 if flow.object_name and is_put and not flow.topic else 1,
        "indxtype": flow.index,
        "ftopic": flow.topic and is_put,
        "topicputsrb": use.puts * 3 if flow.topic else 0,
        "qsgdisp": 2 if flow.structure else 0,
        "getepage": use.empty_gets // 4 if flow.index == 0 else 0,
        "use_count": 0 if span.ended else 1,
    }
    row |= _calls(use.calls, QUEUE_CALLS)
    if flow.structure:
        return row | {"cfstrucname": flow.structure} | _cf_requests(use)
    return row | {"nps": flow.page_set, "nbuffpool": flow.page_set}


def _cf_requests(use: Use) -> Row:
    """Return the requests behind puts and gets on a shared queue; nearly all are synchronous."""
    counts = [[0] * 20 for _ in range(5)]
    counts[_PUT][_NEW], counts[_PUT1][_NEW] = use.puts - use.put1s, use.put1s
    counts[_GET][_MOVE] = use.gets
    counts[_GET][_WRITE] = use.empty_gets
    asynchronous = [[n // 500 for n in verb] for verb in counts]
    synchronous = [
        [n - a for n, a in zip(*pair, strict=True)]
        for pair in zip(counts, asynchronous, strict=True)
    ]
    return {
        "mqcfreq_cfcount": counts,
        "mqcfreq_cfsyncn": synchronous,
        "mqcfreq_cfsyncet": [[n * 9 for n in verb] for verb in synchronous],
        "mqcfreq_cfasyncn": asynchronous,
        "mqcfreq_cfasyncet": [[n * 70 for n in verb] for verb in asynchronous],
    }


def _add_thread(dump: Dump, manager: QueueManager, span: _Span) -> None:
    """Add the class 1 record that a thread writes when it ends."""
    uses = [u for p in span.periods for (t, _), u in p.uses.items() if t == span.task.name]
    use = total(Use(), uses)
    work = total(Work(), [p.works[span.task.name] for p in span.periods])
    cpu = use.open_cpu + use.close_cpu + use.put_cpu + use.get_cpu + work.commit_cpu
    puts, gets = _by_length(manager, span, "puts"), _by_length(manager, span, "gets")
    clocks = {
        "qwacbsc": span.begin,
        "qwacesc": span.end,
        "qwacbjst": 40_000,
        "qwacejst": 40_000 + round(cpu * 1.9),
        "qwacbsrb": 900,
        "qwacesrb": 900 + cpu // 60,
        "qwacrinv": _END_OF_THREAD,
        "qwaccomm": work.commits,
    }
    sizes: Row = {"qmaccput": cpu}
    for i, letter in enumerate("abcd"):
        sizes |= {f"qmacput{letter}": puts[i], f"qmacget{letter}": gets[i]}
    context = {
        "qwhcaid": span.task.user,
        "qwhccn": span.task.connection,
        "qwhcopid": span.task.user,
        "qwhcatyp": span.task.kind,
        "qwhcnid": _NET_ID,
    }
    add_record(
        dump,
        manager,
        (116, 0),
        span.end,
        {"smf116_qwhc": [context], "smf116_qwac": [clocks], "smf116_qmac": [sizes]},
        run=span.run,
        chained=True,
        ifcid=_THREAD_IFCID,
        sections=7,
    )


def _by_length(manager: QueueManager, span: _Span, what: str) -> list[int]:
    """Return the messages in QMAC's four classes of length, by the mean length of their queue."""
    classes: Counter[int] = Counter()
    for period in span.periods:
        for (task, queue), use in period.uses.items():
            if task == span.task.name:
                flow = next(f for f in manager.flows if f.queue == queue)
                classes[sum(flow.message >= size for size in _SIZES)] += getattr(use, what)
    return [classes[i] for i in range(len(_SIZES) + 1)]
