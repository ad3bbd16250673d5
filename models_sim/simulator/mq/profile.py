"""The description of a synthetic queue manager: release, queues, applications and channels.

Everything here is invented. The numbers are chosen so that each figure of a report has something to
show; none was measured, and none says anything about the product.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

__all__ = [
    "BATCH",
    "CHANNEL",
    "CICS",
    "COMMAND_SERVER",
    "IMS",
    "QUEUE_CALLS",
    "RRS",
    "TASK_CALLS",
    "Channel",
    "Flow",
    "Pool",
    "QueueManager",
    "Release",
    "Task",
]

# Invented CPU time of a call, in microseconds, by how the names of its fields begin: MQINQ, MQSET
# and MQCB; backout, prepare, MQSUB, MQSUBRQ, MQCTL and MQSTAT.
QUEUE_CALLS = {"inq": 5, "set": 6, "cb": 7}
TASK_CALLS = {"wtasba": 30, "wtaspr": 25, "wtassu": 40, "wtassq": 14, "wtasct": 9, "wtasst": 4}

# Types of connecting systems, as in QWHCATYP.
CICS, BATCH, _, IMS, COMMAND_SERVER, CHANNEL, RRS = range(1, 8)


@dataclass(frozen=True, slots=True)
class Release:
    """A release of MQ: what its records contain, and where its sections are shorter.

    `header` is the version in the record's header, `extension` that in QWHX; an empty one means
    that there is no QWHX. `lengths` is in bytes by table.
    """

    header: str
    extension: str = ""
    lengths: Mapping[str, int] = field(default_factory=dict)
    detailed: bool = True  # also statistics of queues, page sets and storage
    leftovers: bool = False  # in the flags of QWHS, if a QWHC follows


@dataclass(frozen=True, slots=True)
class Task:
    """An application's thread: who it is and how it works.

    A transactional task opens and closes its queues for each message, others once per run. `batch`
    is the number of messages per unit of work. `active` is the first and the last interval of a job
    that ends; other tasks live as long as the queue manager. `calls` are its other calls a message,
    as in QUEUE_CALLS and TASK_CALLS.
    """

    name: str
    connection: str
    kind: int
    user: str
    transactional: bool = False
    batch: int = 1
    channel: str = ""
    active: tuple[int, int] | None = None
    calls: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Flow:
    """Messages through one queue, from the tasks that put to those that get.

    `rate` is in messages per second at the day's peak; alternatively, a flow follows another one's
    gets. `message` is the mean length in bytes, `persistent` the share of persistent messages.
    `seconds` is the mean time on the queue. `capacity` is the maximum number of gets per second; 0
    means no limit. Messages are put only in the intervals `active`. `object_name` is what putters
    open, if that is not the queue itself: an alias, or a `topic` to which the queue subscribes.
    `put1`: they put with MQPUT1, as servers put replies. `index` is the type of the queue's index,
    `browsed` the share of messages that getters browse first.
    """

    queue: str
    message: int
    persistent: float
    putters: tuple[str, ...]
    getters: tuple[str, ...]
    page_set: int = 1
    rate: float = 0.0
    follows: str = ""
    seconds: float = 0.02
    capacity: float = 0.0
    active: tuple[int, int] | None = None
    structure: str = ""
    object_name: str = ""
    put1: bool = False
    topic: bool = False
    index: int = 0
    browsed: float = 0.0


@dataclass(frozen=True, slots=True)
class Pool:
    """A buffer pool and the page set of the same number: their sizes in pages of 4 KB."""

    number: int
    buffers: int
    pages: int
    above_bar: bool = True


@dataclass(frozen=True, slots=True)
class Channel:
    """A channel and the task that runs it.

    `kind` is 1 for a sender, 3 for a receiver, 7 for a server connection; `network_us` is the mean
    network time in microseconds.
    """

    name: str
    kind: int
    connection: str
    partner: str
    task: str
    network_us: int = 0


@dataclass(frozen=True, slots=True)
class QueueManager:
    """A queue manager and the time that is simulated.

    `start` is the UTC moment at which the first interval begins. `runs` gives the seconds from
    there to the beginning and the end of each run between restarts. Statistics are taken every
    `interval` seconds, accounting every `accounting` intervals. `day` has the shares of the peak
    rate at the hours 0 to 24 UTC; without it the peak is in the late morning.
    """

    name: str
    system: str
    release: Release
    start: datetime
    runs: tuple[tuple[float, float], ...]
    flows: tuple[Flow, ...]
    tasks: tuple[Task, ...]
    pools: tuple[Pool, ...]
    channels: tuple[Channel, ...] = ()
    sharing_group: str = ""
    offset_hours: float = -5
    interval: float = 300
    accounting: int = 6
    day: tuple[float, ...] = ()

    def task(self, name: str) -> Task:
        """Return the task of that name."""
        return next(t for t in self.tasks if t.name == name)
