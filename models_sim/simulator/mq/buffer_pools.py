"""Buffer pools and page sets of a synthetic queue manager, interval by interval.

Messages wait in the buffers of their pool. Above 85 % in use the deferred write processor writes
pages out, above 95 % the tasks themselves do; pages that were written out are read again when the
messages are got. (The thresholds are from IBM MQ 10.0 for z/OS, "Buffer manager data records".)
"""

from __future__ import annotations

import numpy as np

from models_sim.simulator.mq.periods import Period, PoolPeriod, pages_of
from models_sim.simulator.mq.profile import Flow, Pool, QueueManager

__all__ = ["use_pools"]

_DEFERRED, _SYNCHRONOUS = 0.85, 0.95
_IN_USE = 0.01  # share of the buffers that is always in use
_PAGES_PER_IO = 16
_WRITE_US, _READ_US, _PAGE_US = 380.0, 290.0, 18.0  # per I/O, and per page


def use_pools(
    manager: QueueManager,
    period: Period,
    before: Period | None,
    rng: np.random.Generator,
) -> dict[int, PoolPeriod]:
    """Add what the messages of an interval did to each pool; getters get the page-set reads."""
    return {
        pool.number: _use_pool(
            pool,
            [f for f in manager.flows if f.page_set == pool.number and not f.structure],
            period,
            before,
            rng,
        )
        for pool in manager.pools
    }


def _use_pool(
    pool: Pool,
    flows: list[Flow],
    period: Period,
    before: Period | None,
    rng: np.random.Generator,
) -> PoolPeriod:
    # Objects and the like are in the pool of page set 0, so they count as a little traffic.
    figures = PoolPeriod(old=int(rng.integers(40, 400)), updates=13, immediate_ios=13)
    figures.immediate_pages = 13
    peak = kept = 0
    for flow in flows:
        use, pages = period.of_queue(flow.queue), pages_of(flow.message)
        state = period.queues[flow.queue]
        figures.new += use.puts * pages
        figures.old += use.puts * 2 + use.gets * (1 + pages)
        figures.updates += use.puts * (pages + 1) + use.gets * 2
        away = _read_back(flow, period, before, figures, use.gets * pages, rng)
        peak += max(state.high * pages - away, 0)
        kept += state.depth * pages
        persistent = round(state.depth * flow.persistent)
        figures.persistent_pages += persistent * pages
        figures.nonpersistent_pages += (state.depth - persistent) * pages
    _write_out(pool, flows, period, figures, peak)
    room = pool.buffers - round(pool.buffers * _IN_USE)
    on_disk = sum(period.queues[f.queue].disk for f in flows)
    highest = peak - figures.deferred_pages - (figures.immediate_pages - 13)
    figures.free = max(0, min(room, room - kept + on_disk))
    figures.lowest_free = max(0, min(figures.free, room - highest))
    if peak > _DEFERRED * pool.buffers:
        figures.lowest_free = min(figures.lowest_free, round((1 - _DEFERRED) * pool.buffers) - 1)
    if figures.synchronous_hits:
        figures.lowest_free = min(figures.lowest_free, round((1 - _SYNCHRONOUS) * pool.buffers) - 1)
    if kept:
        figures.checkpoint_pages = min(kept - on_disk, 400) if kept > on_disk else 0
    figures.deferred_us = _io_us(figures.deferred_ios, figures.deferred_pages, _WRITE_US, rng)
    figures.immediate_us = _io_us(figures.immediate_ios, figures.immediate_pages, _WRITE_US, rng)
    return figures


def _read_back(
    flow: Flow,
    period: Period,
    before: Period | None,
    figures: PoolPeriod,
    got: int,
    rng: np.random.Generator,
) -> int:
    """Read the written-out pages of messages that are got now; return how many there were."""
    state = period.queues[flow.queue]
    earlier = before.queues[flow.queue].disk if before else 0
    if period.interval.place == 0:
        earlier = 0
    reads = min(earlier, got)
    state.disk = earlier - reads
    if not reads:
        return earlier
    figures.reads += reads
    figures.steals += reads
    cost = _io_us(reads, reads, _READ_US, rng)
    figures.read_us += cost
    getters = [period.uses[name, flow.queue] for name in flow.getters]
    for i, use in enumerate(getters):
        share = reads // len(getters) + (reads % len(getters) if i == 0 else 0)
        use.reads += share
        use.read_elapsed += cost * share // reads
        use.get_elapsed += cost * share // reads
    return earlier


def _write_out(
    pool: Pool, flows: list[Flow], period: Period, figures: PoolPeriod, peak: int
) -> None:
    """Write pages out if too few buffers are free."""
    limit = round(_DEFERRED * pool.buffers)
    if peak <= limit:
        return
    excess = peak - limit
    behind = max(0, peak - round(_SYNCHRONOUS * pool.buffers)) // 8
    figures.deferred_hits = 1 + excess // (pool.buffers // 4)
    figures.deferred_pages = excess - behind
    figures.deferred_ios = -(-figures.deferred_pages // _PAGES_PER_IO)
    figures.immediate_ios += behind
    figures.immediate_pages += behind
    figures.synchronous_hits = 1 if behind else 0
    figures.short = behind // 200
    figures.steals += excess
    # The pages of the queue with the most pages were written out.
    largest = max(flows, key=lambda f: period.queues[f.queue].depth * pages_of(f.message))
    state = period.queues[largest.queue]
    state.disk = min(state.disk + excess, state.depth * pages_of(largest.message))


def _io_us(ios: int, pages: int, cost: float, rng: np.random.Generator) -> int:
    return round((ios * cost + pages * _PAGE_US) * rng.lognormal(0, 0.05))
