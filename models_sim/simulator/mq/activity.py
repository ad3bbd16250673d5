"""What the applications of a synthetic queue manager do, interval by interval.

All records are made from these calls, bytes and times, so their sums agree. Times are in
microseconds.
"""

from __future__ import annotations

import math
from collections import Counter
from datetime import timedelta

import numpy as np

from models_sim.simulator.mq.buffer_pools import use_pools
from models_sim.simulator.mq.periods import Interval, Period, QueueState, Use, Work, pages_of
from models_sim.simulator.mq.profile import CHANNEL, TASK_CALLS, Flow, QueueManager, Task

__all__ = ["simulate"]

_SPREAD = 0.3  # messages are up to this much shorter or longer than their mean
# Invented costs of one call: microseconds of CPU, and microseconds per KB of message.
_OPEN, _CLOSE, _PUT, _GET, _EMPTY, _COMMIT = 12.0, 8.0, 21.0, 18.0, 6.0, 11.0
_PER_KB = 1.4
_FORCE = 620.0  # elapsed time of a forced log write
_CF_CALL = 9.0
_LOGGED_PUT, _LOGGED_GET, _LOGGED_COMMIT = 420, 260, 180  # bytes besides the message


def intervals(manager: QueueManager, rng: np.random.Generator) -> list[Interval]:
    """Return the intervals of all runs; within a run each begins when the previous one ends."""
    made: list[Interval] = []
    for run, (begin, end) in enumerate(manager.runs):
        start = manager.start + timedelta(seconds=begin)
        stop = manager.start + timedelta(seconds=end)
        count = math.ceil((end - begin) / manager.interval - 1e-6)
        for index in range(count):
            planned = manager.start + timedelta(seconds=begin + (index + 1) * manager.interval)
            finish = min(planned + timedelta(microseconds=int(rng.integers(20, 900))), stop)
            last = index == count - 1
            made.append(Interval(start, stop if last else finish, len(made), run, index, last))
            start = finish
    return made


def simulate(manager: QueueManager, rng: np.random.Generator) -> list[Period]:
    """Return what the queue manager did in each interval."""
    periods: list[Period] = []
    states = {flow.queue: QueueState() for flow in manager.flows}
    for interval in intervals(manager, rng):
        if interval.place == 0:
            for flow in manager.flows:  # what survives a restart
                if flow.structure:
                    continue
                kept = states[flow.queue]
                kept.depth = int(kept.depth * flow.persistent)
                kept.bytes = int(kept.bytes * flow.persistent)
        period = Period(interval)
        for flow in manager.flows:
            states[flow.queue] = _flow(manager, flow, period, states[flow.queue], rng)
        period.pools = use_pools(manager, period, periods[-1] if periods else None, rng)
        for task in manager.tasks:
            if _is_active(task, interval):
                _finish(manager, task, period, rng)
        periods.append(period)
    return periods


def _is_active(task: Task, interval: Interval) -> bool:
    return task.active is None or task.active[0] <= interval.number <= task.active[1]


def _shape(manager: QueueManager, interval: Interval) -> float:
    """Return the share of the peak rate.

    Without a day of its own, a manager peaks in the late morning.
    """
    hour = interval.start.hour + interval.start.minute / 60
    if manager.day:
        return float(np.interp(hour, range(len(manager.day)), manager.day))
    return 0.45 + 0.55 * math.exp(-(((hour - 15.3) / 1.9) ** 2))


def _flow(
    manager: QueueManager,
    flow: Flow,
    period: Period,
    before: QueueState,
    rng: np.random.Generator,
) -> QueueState:
    """Add the puts and gets of one queue in one interval, shared among its tasks."""
    interval = period.interval
    seconds = interval.microseconds / 1e6
    if flow.follows:
        puts = period.of_queue(flow.follows).gets
    elif flow.active and not flow.active[0] <= interval.number <= flow.active[1]:
        puts = 0
    else:
        shape = 1.0 if flow.active else _shape(manager, interval)
        puts = int(rng.poisson(flow.rate * seconds * shape * rng.lognormal(0, 0.06)))
    put_bytes = round(puts * flow.message * rng.normal(1, 0.01)) if puts else 0
    there = before.depth + puts
    if flow.capacity:
        gets = min(there, round(flow.capacity * seconds * rng.normal(1, 0.02)))
    else:
        waiting = int(rng.poisson(puts / seconds * flow.seconds))
        gets = max(0, there - waiting)
    backlog = before.bytes + put_bytes
    get_bytes = round(backlog * gets / there) if there else 0
    surge = int(rng.poisson(2 + 0.002 * puts)) if puts else 0
    after = QueueState(
        depth=there - gets,
        low=0 if gets > before.depth else min(before.depth, there - gets),
        high=min(there, max(before.depth, there - gets) + surge),
        bytes=backlog - get_bytes,
        disk=before.disk,
    )
    period.queues[flow.queue] = after
    for name, number in _share(puts, flow.putters, rng):
        part = round(put_bytes * number / puts) if puts else 0
        _put(manager, flow, period, name, number, part, after, rng)
    if puts:  # rounding must not lose a byte
        spare = put_bytes - sum(period.uses[n, flow.queue].put_bytes for n in flow.putters)
        period.uses[flow.putters[0], flow.queue].put_bytes += spare
    for name, number in _share(gets, flow.getters, rng):
        part = round(get_bytes * number / gets) if gets else 0
        _get(manager, flow, period, name, number, part, rng)
    if gets:
        spare = get_bytes - sum(period.uses[n, flow.queue].get_bytes for n in flow.getters)
        period.uses[flow.getters[0], flow.queue].get_bytes += spare
    for use in (period.uses[n, flow.queue] for n in dict.fromkeys(flow.putters + flow.getters)):
        use.persistent_bytes = _portion(use.put_bytes, use.persistent_puts, use.puts)
        use.persistent_get_bytes = _portion(use.get_bytes, use.persistent_gets, use.gets)
    return after


def _portion(total: int, part: int, whole: int) -> int:
    return total * part // whole if whole else 0


def _share(total: int, names: tuple[str, ...], rng: np.random.Generator) -> list[tuple[str, int]]:
    numbers = rng.multinomial(total, [1 / len(names)] * len(names))
    return list(zip(names, numbers.tolist(), strict=True))


def _use(manager: QueueManager, flow: Flow, period: Period, name: str, number: int | None) -> Use:
    """Return the figures of a task and a queue, with the opens and closes for `number` calls.

    MQPUT1 opens and closes the queue itself: `number` is None then.
    """
    task, interval = manager.task(name), period.interval
    use = period.uses.setdefault((name, flow.queue), Use())
    if number is None or not _is_active(task, interval):
        return use
    first = interval.place == 0 or (task.active is not None and interval.number == task.active[0])
    last = interval.last or (task.active is not None and interval.number == task.active[1])
    opens = number if task.transactional else int(first)
    closes = number if task.transactional else int(last)
    use.opens += opens
    use.closes += closes
    use.open_cpu += round(opens * _OPEN)
    use.open_elapsed += round(opens * _OPEN * 1.2)
    use.close_cpu += round(closes * _CLOSE)
    use.close_elapsed += round(closes * _CLOSE * 1.1)
    return use


def _cost(number: int, call: float, total_bytes: int, rng: np.random.Generator) -> int:
    return round((number * call + total_bytes / 1024 * _PER_KB) * rng.normal(1, 0.02))


def _put(
    manager: QueueManager,
    flow: Flow,
    period: Period,
    name: str,
    number: int,
    total_bytes: int,
    state: QueueState,
    rng: np.random.Generator,
) -> None:
    use = _use(manager, flow, period, name, None if flow.put1 else number)
    persistent = number if flow.persistent == 1 else int(rng.binomial(number, flow.persistent))
    use.puts += number
    use.put1s += number * flow.put1
    use.persistent_puts += persistent
    use.put_bytes += total_bytes
    call = _OPEN + _PUT + _CLOSE if flow.put1 else _PUT
    cpu = _cost(number, call, total_bytes, rng)
    use.put_cpu += cpu
    use.put_elapsed += round(cpu * 1.12)
    use.depth_max = max(use.depth_max, state.high)
    if flow.seconds < 0.01:
        use.to_waiting += int(rng.binomial(number - persistent, 0.6))
    if number:
        mean = total_bytes / number
        use.put_max = max(use.put_max, math.ceil(mean * (1 + _SPREAD * (number > 1))))
        use.put_min = math.floor(mean * (1 - _SPREAD * (number > 1)))
    if flow.structure:
        use.cf_single += number
        use.put_elapsed += round(number * _CF_CALL)


def _get(
    manager: QueueManager,
    flow: Flow,
    period: Period,
    name: str,
    number: int,
    total_bytes: int,
    rng: np.random.Generator,
) -> None:
    use = _use(manager, flow, period, name, number)
    use.gets += number
    use.persistent_gets += (
        number if flow.persistent == 1 else int(rng.binomial(number, flow.persistent))
    )
    use.get_bytes += total_bytes
    empty = int(rng.poisson(number * 0.04)) if number else 0
    use.empty_gets += empty
    use.browses += round(number * flow.browsed)
    cpu = _cost(number, _GET, total_bytes, rng) + round((empty + use.browses) * _EMPTY)
    use.get_cpu += cpu
    use.get_elapsed += round(cpu * 1.1)
    if number:
        mean, wait = total_bytes / number, flow.seconds * 1e6 * rng.lognormal(0, 0.1)
        if flow.capacity:
            wait += period.queues[flow.queue].depth / flow.capacity * 1e6
        use.get_max = max(use.get_max, math.ceil(mean * (1 + _SPREAD * (number > 1))))
        use.get_min = math.floor(mean * (1 - _SPREAD * (number > 1)))
        use.latency += round(number * wait)
        use.latency_max = max(use.latency_max, round(wait * (4 if number > 1 else 1)))
        use.latency_min = round(wait / (5 if number > 1 else 1))
    if flow.structure:
        use.cf_single += number
        use.cf_multiple += empty
        use.get_elapsed += round((number + 2 * empty) * _CF_CALL)


def _finish(manager: QueueManager, task: Task, period: Period, rng: np.random.Generator) -> None:
    """Add the units of work of a task, and their cost."""
    use = period.of_task(task.name)
    messages = use.puts + use.gets
    work = period.works.setdefault(task.name, Work())
    commits = math.ceil(messages / (task.batch * (2 if use.puts and use.gets else 1)))
    persistent = use.persistent_puts + use.persistent_gets
    chance = 1 - (1 - persistent / messages) ** (messages / commits) if messages else 0
    work.commits = commits
    work.forces = int(rng.binomial(commits, min(1.0, chance)))
    work.force_elapsed = round(work.forces * _FORCE * rng.lognormal(0, 0.08))
    work.commit_cpu = round(commits * _COMMIT)
    work.commit_elapsed = work.commit_cpu + work.force_elapsed
    work.log_writes = work.forces
    work.logged = (
        use.persistent_bytes
        + use.persistent_puts * _LOGGED_PUT
        + use.persistent_gets * _LOGGED_GET
        + work.forces * _LOGGED_COMMIT
    )
    work.suspends = work.forces + use.reads
    work.suspended = round(work.force_elapsed * 1.01)
    flows = [f for f in manager.flows if (task.name, f.queue) in period.uses and not f.structure]
    for flow in flows:
        used = period.uses[task.name, flow.queue]
        pages = pages_of(flow.message)
        work.new_pages += used.puts * pages
        work.old_pages += used.puts * 2 + used.gets * (1 + pages)
    work.other_calls = commits // 50 + (3 if task.kind == CHANNEL else 1)
    work.other_cpu = work.other_calls * 9
    work.latch_waits = int(rng.poisson(messages * 0.0004))
    work.latch_waited = work.latch_waits * int(rng.integers(15, 90))
    work.cf_single, work.cf_multiple = use.cf_single, use.cf_multiple
    calls = Counter({verb: round(messages * share) for verb, share in task.calls.items()})
    work.calls = Counter({verb: n for verb, n in calls.items() if verb in TASK_CALLS})
    for (name, _), used in period.uses.items():
        if name == task.name:
            used.calls = calls - work.calls  # to the first of its queues
            break
