"""The work of a synthetic queue manager per interval; all its records are made from this.

Times are in microseconds, lengths in bytes.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from datetime import datetime, timedelta
from functools import cache
from operator import add
from typing import Any, TypeAlias, TypeVar

__all__ = ["Interval", "Period", "PoolPeriod", "QueueState", "Use", "Work", "pages_of", "total"]

#: A number, or a column of many rows (see fields).
Figure: TypeAlias = Any


@dataclass(frozen=True, slots=True)
class Interval:
    """A statistics interval: UTC bounds, its overall number, its run, and its number in the run."""

    start: datetime
    end: datetime
    number: int
    run: int
    place: int
    last: bool

    @property
    def microseconds(self) -> int:
        """Length of the interval."""
        return (self.end - self.start) // timedelta(microseconds=1)


class _Sum:
    """Figures that can be added up."""

    def add(self, other: _Sum) -> None:
        """Add the other's figures; names ending in _max keep the largest, in _min the smallest."""
        for name, join in _joins(type(self)):  # type: ignore[arg-type]  # a class has a hash
            setattr(self, name, join(getattr(self, name), getattr(other, name)))


@cache
def _joins(kind: type) -> list[tuple[str, Callable[[int, int], int]]]:
    """Return the figures of a class, each with the function that combines two of them."""
    by_end: dict[str, Callable[[int, int], int]] = {"_max": max, "_min": _least}
    return [(f.name, by_end.get(f.name[-4:], add)) for f in fields(kind)]


def _least(one: int, other: int) -> int:
    """Return the smaller figure; 0 means that there is none."""
    return min(one, other) if one and other else one or other


@dataclass(slots=True)
class Use(_Sum):
    """How one task used one queue; `puts` are by MQPUT and MQPUT1, `put1s` those by MQPUT1."""

    opens: Figure = 0
    open_cpu: Figure = 0
    open_elapsed: Figure = 0
    closes: Figure = 0
    close_cpu: Figure = 0
    close_elapsed: Figure = 0
    puts: Figure = 0
    put1s: Figure = 0
    persistent_puts: Figure = 0
    to_waiting: Figure = 0
    put_bytes: Figure = 0
    persistent_bytes: Figure = 0
    put_cpu: Figure = 0
    put_elapsed: Figure = 0
    put_max: Figure = 0
    put_min: Figure = 0
    gets: Figure = 0
    persistent_gets: Figure = 0
    empty_gets: Figure = 0
    browses: Figure = 0
    get_bytes: Figure = 0
    persistent_get_bytes: Figure = 0
    get_cpu: Figure = 0
    get_elapsed: Figure = 0
    get_max: Figure = 0
    get_min: Figure = 0
    reads: Figure = 0
    read_elapsed: Figure = 0
    latency: Figure = 0
    latency_max: Figure = 0
    latency_min: Figure = 0
    depth_max: Figure = 0
    cf_single: Figure = 0
    cf_multiple: Figure = 0
    calls: Counter[str] = field(default_factory=Counter)


@dataclass(slots=True)
class Work(_Sum):
    """What a task did besides its calls to queues; `calls` are of MQI verbs without a queue."""

    commits: Figure = 0
    commit_cpu: Figure = 0
    commit_elapsed: Figure = 0
    forces: Figure = 0
    force_elapsed: Figure = 0
    logged: Figure = 0
    log_writes: Figure = 0
    suspends: Figure = 0
    suspended: Figure = 0
    old_pages: Figure = 0
    new_pages: Figure = 0
    other_calls: Figure = 0
    other_cpu: Figure = 0
    latch_waits: Figure = 0
    latch_waited: Figure = 0
    cf_single: Figure = 0
    cf_multiple: Figure = 0
    calls: Counter[str] = field(default_factory=Counter)


@dataclass(slots=True)
class QueueState:
    """A queue at the end of an interval; `disk` counts its pages that left the pool."""

    depth: int = 0
    low: int = 0
    high: int = 0
    bytes: int = 0
    disk: int = 0


@dataclass(slots=True)
class PoolPeriod:
    """A pool and its page set in one interval; times in microseconds."""

    lowest_free: int = 0
    free: int = 0
    old: int = 0
    new: int = 0
    reads: int = 0
    read_us: int = 0
    updates: int = 0
    deferred_hits: int = 0
    synchronous_hits: int = 0
    steals: int = 0
    short: int = 0
    deferred_ios: int = 0
    deferred_pages: int = 0
    deferred_us: int = 0
    immediate_ios: int = 0
    immediate_pages: int = 0
    immediate_us: int = 0
    checkpoint_pages: int = 0
    persistent_pages: int = 0
    nonpersistent_pages: int = 0

    @property
    def written(self) -> int:
        """Pages written in any way."""
        return self.deferred_pages + self.immediate_pages + self.checkpoint_pages


@dataclass(slots=True)
class Period:
    """Everything that happened in an interval: by task and queue, by task, by queue and by pool."""

    interval: Interval
    uses: dict[tuple[str, str], Use] = field(default_factory=dict)
    works: dict[str, Work] = field(default_factory=dict)
    queues: dict[str, QueueState] = field(default_factory=dict)
    pools: dict[int, PoolPeriod] = field(default_factory=dict)

    def of_queue(self, queue: str) -> Use:
        """Return what all tasks together did with a queue."""
        return total(Use(), [u for (_, q), u in self.uses.items() if q == queue])

    def of_task(self, task: str) -> Use:
        """Return what a task did with all its queues."""
        return total(Use(), [u for (t, _), u in self.uses.items() if t == task])

    def use(self) -> Use:
        """Return what all tasks did with all queues."""
        return total(Use(), list(self.uses.values()))

    def work(self) -> Work:
        """Return what all tasks did besides their calls to queues."""
        return total(Work(), list(self.works.values()))


S = TypeVar("S", bound=_Sum)


def total(start: S, parts: list[S]) -> S:
    """Return `start` with all parts added."""
    for part in parts:
        start.add(part)
    return start


def pages_of(message: int) -> int:
    """Return how many pages of 4 KB a message of that many bytes takes."""
    return max(1, math.ceil((message + 350) / 4056))
