"""A synthetic queue manager in its queue-sharing group: Db2, structures, data sets."""

from __future__ import annotations

import numpy as np

from models_sim.simulator.mq.dump import Row
from models_sim.simulator.mq.periods import Period
from models_sim.simulator.mq.profile import QueueManager

__all__ = ["cf_rows", "db2_row", "smds_rows"]

_CF_US = 8.5  # elapsed, per request
_ADMIN = "CSQ_ADMIN"


def structures(manager: QueueManager) -> list[str]:
    """Return the application structures of the queue manager's shared queues."""
    return list(dict.fromkeys(f.structure for f in manager.flows if f.structure))


def cf_rows(manager: QueueManager, period: Period, rng: np.random.Generator) -> list[Row]:
    """Return the requests to each structure; those of applications match their accounting."""
    if not manager.sharing_group:
        return []
    rows = []
    for number, name in enumerate([_ADMIN, *structures(manager)]):
        uses = [period.of_queue(f.queue) for f in manager.flows if f.structure == name]
        single = sum(u.cf_single for u in uses) if uses else int(rng.poisson(90))
        multiple = sum(u.cf_multiple for u in uses) if uses else int(rng.poisson(8))
        depth = sum(period.queues[f.queue].high for f in manager.flows if f.structure == name)
        rows.append(
            {
                "qeststr": name,
                "qeststrn": number,
                "qestcsec": single,
                "qestcmec": multiple,
                "qestsstc": round(single * _CF_US * rng.lognormal(0, 0.05)),
                "qestmstc": round(multiple * 2 * _CF_US * rng.lognormal(0, 0.05)),
                "qestrsec": single // 5000,
                "qestrmec": multiple // 20,
                "qestmnus": 40 + depth,
                "qestmlus": 90 + 6 * depth,
            }
        )
    return rows


def db2_row(manager: QueueManager, rng: np.random.Generator) -> list[Row]:
    """Return the requests to Db2; none outside a queue-sharing group."""
    if not manager.sharing_group:
        return []
    lists, reads, selects = (int(n) for n in rng.poisson([40, 4, 3]))
    thread = [round(n * us) for n, us in ((lists, 870), (reads, 1190), (selects, 1230))]
    return [
        {
            "numtask": 8,
            "acttask": 9,
            "dhigmax": 1,
            "listcnt": lists,
            "readcnt": reads,
            "scssel": selects,
            "listtcuw": thread[0],
            "listtmxw": 925 if lists else 0,
            "listscuw": round(thread[0] * 0.95),
            "listsmxw": 881 if lists else 0,
            "readtcuw": thread[1],
            "readtmxw": 3756 if reads else 0,
            "readscuw": round(thread[1] * 0.97),
            "readsmxw": 3738 if reads else 0,
            "scsstcuw": thread[2],
            "scsstmxw": 3699 if selects else 0,
            "scssscuw": round(thread[2] * 0.93),
            "scsssmxw": 3643 if selects else 0,
        }
    ]


def smds_rows(manager: QueueManager, period: Period) -> list[Row]:
    """Return the shared message data set of each structure, for messages too long for it."""
    rows = []
    for number, name in enumerate(structures(manager) if manager.sharing_group else [], start=1):
        flows = [f for f in manager.flows if f.structure == name]
        longer = [f for f in flows if f.message > 4096]
        puts = sum(period.of_queue(f.queue).puts for f in longer)
        gets = sum(period.of_queue(f.queue).gets for f in longer)
        depth = sum(period.queues[f.queue].depth for f in longer)
        pages = max((-(-f.message // 4096) for f in longer), default=0)
        blocks = -(-depth * pages // 64)
        rows.append(
            {
                "qesdstr": name,
                "qesdstrn": number,
                "qesdsmbt": 402,
                "qesdsmbs": 1,
                "qesdsmbd": 401,
                "qesdsmbu": min(blocks, 401),
                "qesdsmbf": max(0, 401 - blocks),
                "qesdsmmc": depth,
                "qesdsmar": puts,
                "qesdsmfr": gets,
                "qesdsmap": puts * pages,
                "qesdsmfp": gets * pages,
                "qesdsmmm": depth,
                "qesdsmmu": min(blocks, 401),
                "qesdsmmf": max(0, 401 - blocks),
                "qesdbfsz": 262_144,
                "qesdbfto": 100,
                "qesdbffe": 100,
                "qesdbfgb": puts + gets,
                "qesdbfgv": gets,
                "qesdbfwr": puts,
                "qesdbfrr": gets,
                "qesdbfrs": gets,
                "qesdbfmu": 4 if puts else 0,
                "qesdbfmf": 96 if puts else 100,
                "qesdioha": 25_740,
                "qesdiohu": 25_740,
                "qesdioci": 4096,
                "qesdioca": 737_280,
                "qesdiowr": puts,
                "qesdiowp": puts * pages,
                "qesdiowt": puts * (210 + 20 * pages),
                "qesdioww": puts * (220 + 20 * pages),
            }
        )
    return rows
