"""SMF 115 of a synthetic queue manager: statistics of each interval."""

from __future__ import annotations

from datetime import datetime, timedelta

import numpy as np

from models_sim.simulator.mq import fields
from models_sim.simulator.mq.dump import Dump, Row
from models_sim.simulator.mq.headers import add_record
from models_sim.simulator.mq.periods import Period
from models_sim.simulator.mq.profile import QueueManager
from models_sim.simulator.mq.sharing_group import cf_rows, db2_row, smds_rows
from models_sim.simulator.mq.storage_manager import add_storage_manager

__all__ = ["add_statistics"]

_PAGE = 4096
_ARCHIVED_LOG = 18_000  # pages per log data set
_CHECKPOINT = 60_000_000  # bytes logged between two checkpoints
_IO_US, _PAGE_US = 215.0, 24.0  # per log write, and per page
_IFCID = {1: 1, 2: 2, 215: 8, 216: 16, 240: 24}  # those of 216 and 240 are our choice


def add_statistics(
    dump: Dump, manager: QueueManager, periods: list[Period], rng: np.random.Generator
) -> None:
    """Add the records that the queue manager writes at the end of each interval."""
    logged = 0
    for period in periods:
        made = period.interval.end + timedelta(microseconds=int(rng.integers(10, 40)))
        before, logged = logged, logged + period.work().logged
        checkpoints = logged // _CHECKPOINT - before // _CHECKPOINT
        _add(dump, manager, period, made, 1, 12, _log_and_storage(period, checkpoints, rng))
        _add(dump, manager, period, made, 2, 9, _managers(manager, period, rng))
        _add(dump, manager, period, made, 215, 2, {"smf115_qpst": _pools(manager, period)})
        if manager.release.detailed:
            if period.interval.run and period.interval.place == 0:
                _add(dump, manager, period, made, 240, 4, {})
            _add(dump, manager, period, made, 216, 2, {"smf115_qqst": _queues(manager, period)})
            add_storage_manager(dump, manager, period, made, _page_sets(manager, period))


def _add(
    dump: Dump,
    manager: QueueManager,
    period: Period,
    made: datetime,
    subtype: int,
    sections: int,
    tables: dict[str, list[Row]],
) -> None:
    add_record(
        dump,
        manager,
        (115, subtype),
        made,
        tables,
        run=period.interval.run,
        ifcid=_IFCID[subtype],
        sections=sections,
        interval=period.interval,
    )


def _log_writes(period: Period, rng: np.random.Generator) -> Row:
    """Return the log's writes by copy (1, 2) and kind (one page, several), as in QJST."""
    work = period.work()
    pages = -(-work.logged // _PAGE)
    single = round(0.85 * work.forces)
    several = max(round(0.15 * work.forces), -(-max(pages - single, 0) // 12))
    ios = [single, several]
    written = [single, max(2 * several, pages - single)]
    row: Row = {name: [] for name in _IO_FIELDS}
    squares = 0.0
    for copy in (1, 2):
        slower = 1 + 0.03 * (copy - 1)
        each = [_IO_US * slower, (_IO_US + _PAGE_US * written[1] / max(several, 1)) * slower]
        times = [round(n * us * rng.lognormal(0, 0.04)) for n, us in zip(ios, each, strict=True)]
        longest = [
            round(us * rng.uniform(4, 30)) if n else 0 for n, us in zip(ios, each, strict=True)
        ]
        moments = [
            period.interval.start
            + timedelta(microseconds=int(rng.integers(1, period.interval.microseconds)))
            if n
            else None
            for n in ios
        ]
        data_set = f"ACTLG{copy}{1 + period.interval.number // 6:02d}"
        values = {
            "qjstiocount": ios,
            "qjstioci": written,
            "qjstiototio": times,
            "qjstiototsus": [round(t * 1.04) for t in times],
            "qjstiomaxio": longest,
            "qjstiomaxiot": moments,
            "qjstiomaxiol": [data_set if n else "" for n in ios],
            "qjstiomaxsus": [round(t * 1.02) for t in longest],
            "qjstiomaxsust": moments,
            "qjstiomaxsusl": [data_set if n else "" for n in ios],
        }
        for name in _IO_FIELDS:
            row[name].append(values[name])
        squares += sum(n * (us * 1.1) ** 2 for n, us in zip(ios, each, strict=True))
    busy = max(sum(times) for times in row["qjstiototio"])
    return row | {
        "qjstslptu": max(period.interval.microseconds - busy, 0),
        "qjstiosqu": [0, round(squares)],
        "qjstlogw": 2 * sum(ios),
        "qjstciwr": 2 * sum(written),
        "qjstbffl": pages,
        "qjstbfwr": sum(ios),
        "qjstserw": 2 * max(0, sum(written) - pages),
    }


_IO_FIELDS = (
    *("qjstiocount", "qjstioci", "qjstiototio", "qjstiototsus"),
    *("qjstiomaxio", "qjstiomaxiot", "qjstiomaxiol"),
    *("qjstiomaxsus", "qjstiomaxsust", "qjstiomaxsusl"),
)


def _log_and_storage(
    period: Period, checkpoints: int, rng: np.random.Generator
) -> dict[str, list[Row]]:
    use, work = period.use(), period.work()
    log = _log_writes(period, rng) | {
        "qjstwrnw": use.persistent_puts + use.persistent_gets + work.commits - work.forces,
        "qjstwrf": work.forces,
        "qjstrbuf": int(rng.poisson(3)),
        "qjstbsds": 20 + 2 * checkpoints,
        "qjstllcp": checkpoints,
        "qjstlsus": work.forces,
        "qjstalw": 2 * (work.logged // (_PAGE * _ARCHIVED_LOG)),
        "qjstciof": _ARCHIVED_LOG * (work.logged // (_PAGE * _ARCHIVED_LOG)),
    }
    variable, getmains = int(rng.poisson(30)), int(rng.poisson(40))
    storage = {
        "qsstgplf": int(rng.poisson(3)),
        "qsstfplf": int(rng.poisson(3)),
        "qsstgplv": variable,
        "qsstfplv": variable,
        "qsstexpv": variable + 4,
        "qsstfrev": variable + 2,
        "qsstgetm": getmains,
        "qsstfrem": getmains + int(rng.integers(0, 4)),
    }
    opaque = [
        {"triplet_no": 4, "content": bytes(60) + getmains.to_bytes(4)},
        {"triplet_no": 5, "content": bytes(92) + variable.to_bytes(4)},
    ]
    return {"smf115_qjst": [log], "smf115_qsst": [storage], "smf_opaque": opaque}


def _managers(
    manager: QueueManager, period: Period, rng: np.random.Generator
) -> dict[str, list[Row]]:
    use, work = period.use(), period.work()
    message = fields.messages(use) | {
        "qmstput1": use.put1s,
        "qmstinq": use.calls["inq"],
        "qmstset": use.calls["set"],
        "qmstcb": use.calls["cb"],
        "qmstsub": work.calls["wtassu"],
        "qmstsubr": work.calls["wtassq"],
        "qmststus": work.calls["wtasst"],
        "qmstcalh": len(period.works),
        "qmstctl": work.calls["wtasct"],
    }
    if manager.release.extension:  # half of the messages carry a trace context
        message |= {
            "qmstocpa": use.puts // 2,
            "qmstocga": use.gets // 2,
            "qmstoscs": use.gets // 20,
            "qmstosps": use.puts // 20,
            "qmstosok": use.gets // 20 + use.puts // 20,
            "qmstotso": use.gets // 20 + use.puts // 20,
            "qmstosns": use.puts // 2 - use.puts // 20,
            "qmstotpu": 14 * (use.gets // 20 + use.puts // 20),
            "qmstotpw": max(0, period.interval.microseconds - 40 * (use.puts // 20)),
            "qmstotsk": 1,
        }
    data = fields.data(use) | {
        "qistmblr": int(rng.poisson(4)),
        "qistdget": use.opens // 4,
        "qistlomm": int(rng.poisson(2)),
        "qistgetd": use.reads,
        "qistgetb": max(0, use.gets - use.reads),
        "qistraio": use.reads // 8,
    }
    lock = 6 * (use.puts + use.gets) + 2 * work.commits
    topic = int(rng.poisson(40))
    topics = {
        "qtststot": 12,
        "qtstsdur": 4,
        "qtstshig": [8, 4, 0],
        "qtstslow": [7, 4, 0],
        "qtsttmsg": 3 * topic,
        "qtstsphw": 5,
        "qtstptot": [topic, 0, 0],
        "qtstphig": 6,
        "qtstplow": 0,
        "qtstpnos": topic // 10,
        "qtstethw": 900,
        "qtstetto": 140 * topic,
    }
    return {
        "smf115_qmst": [message],
        "smf115_qist": [data],
        "smf115_qlst": [fields.locks(lock, lock // 900, lock * 6 // 10)],
        "smf115_qtst": [topics],
        "smf115_q5st": db2_row(manager, rng),
        "smf115_qest": cf_rows(manager, period, rng),
        "smf115_qesd": smds_rows(manager, period),
    }


def _pools(manager: QueueManager, period: Period) -> list[Row]:
    rows = []
    for pool in manager.pools:
        figures = period.pools[pool.number]
        free = (figures.lowest_free, figures.free)
        pages = (figures.old, figures.new, figures.updates)
        rows.append(
            fields.pool(pool.number, pool.buffers, free, pages)
            | {
                "qpstrio": figures.reads,
                "qpsttpw": figures.written,
                "qpstwio": figures.deferred_ios
                + figures.immediate_ios
                + -(-figures.checkpoint_pages // 16),
                "qpstimw": figures.immediate_ios,
                "qpstdwt": figures.deferred_hits,
                "qpstdmc": figures.synchronous_hits,
                "qpststl": figures.steals,
                "qpstsos": figures.short,
                "qpstloc": pool.above_bar,
            }
        )
    return rows


def _page_sets(manager: QueueManager, period: Period) -> list[Row]:
    rows = []
    for pool in manager.pools:
        figures = period.pools[pool.number]
        persistent = figures.persistent_pages + 60  # of the objects
        used = persistent + figures.nonpersistent_pages
        rows.append(
            {
                "qis1psno": pool.number,
                "qis1bpno": pool.number,
                "qis1topg": pool.pages,
                "qis1unpg": max(0, pool.pages - used),
                "qis1ppg": persistent,
                "qis1nppg": figures.nonpersistent_pages,
                "qis1dwpn": figures.deferred_ios,
                "qis1dwpp": figures.deferred_pages,
                "qis1dwpt": figures.deferred_us,
                "qis1imwn": figures.immediate_ios,
                "qis1imwp": figures.immediate_pages,
                "qis1imwt": figures.immediate_us,
                "qis1getn": figures.reads,
                "qis1getp": figures.reads,
                "qis1gett": figures.read_us,
                "qis1ckpp": figures.checkpoint_pages,
                "qis1strn": 1,
                "qis1expm": 1,
                "qis1encf": pool.number == 2,
            }
        )
    return rows


_PUT_FIELDS = ("qqstputs", "qqstppt", "qqstnppt", "qqstputb", "qqstppb", "qqstnppb")
_PUT1_FIELDS = ("qqstput1", "qqstpp1", "qqstnpp1", "qqstpt1b", "qqstp1b", "qqstnp1b")


def _queues(manager: QueueManager, period: Period) -> list[Row]:
    rows = []
    end = period.interval.end
    for flow in manager.flows:
        use, state = period.of_queue(flow.queue), period.queues[flow.queue]
        last = end - timedelta(milliseconds=1 + 300_000 // max(use.puts, 1))
        lengths = [n for n in (use.put_min, use.put_max) if n]
        on_queue = use.latency // use.gets if use.gets else 0
        put = (
            *(use.puts, use.persistent_puts, use.puts - use.persistent_puts),
            *(use.put_bytes, use.persistent_bytes, use.put_bytes - use.persistent_bytes),
        )
        row: Row = {
            "qqstqnam": flow.queue,
            "qqstdisp": bool(flow.structure),
            "qqstpsid": -1 if flow.structure else flow.page_set,
            "qqstbpid": -1 if flow.structure else flow.page_set,
            "qqstqsgn": manager.sharing_group if flow.structure else "",
            "qqstcfst": flow.structure,
            "qqstdpth": state.depth,
            "qqstopct": len(flow.putters),
            "qqstipct": len(flow.getters),
            "qqstmage": use.latency_max if state.depth else 0,
            "qqstqtst": on_queue,
            "qqstqtlt": on_queue,
            "qqstlput": last if use.puts else None,
            "qqstlget": last if use.gets else None,
            "qqstdphi": state.high,
            "qqstdplo": state.low,
            "qqstfptc": use.to_waiting,
            "qqstfptb": use.put_bytes * use.to_waiting // max(use.puts, 1),
            "qqstmsmi": min(lengths, default=0),
            "qqstmsma": max(lengths, default=0),
            "qqstmsav": use.put_bytes // use.puts if use.puts else 0,
            "qqstgets": use.gets,
            "qqstpdg": use.persistent_gets,
            "qqstnpdg": use.gets - use.persistent_gets,
            "qqstgetb": use.get_bytes,
            "qqstpdb": use.persistent_get_bytes,
            "qqstnpdb": use.get_bytes - use.persistent_get_bytes,
            "qqstnmag": use.empty_gets,
            "qqstiphi": len(flow.getters),
            "qqstiplo": len(flow.getters),
            "qqstophi": len(flow.putters),
            "qqstoplo": len(flow.putters),
            "qqstopen": use.opens,
            "qqstclos": use.closes,
            "qqstbrws": use.browses,
            "qqstinqr": use.calls["inq"],
            "qqstset": use.calls["set"],
        }
        row |= zip(_PUT1_FIELDS if flow.put1 else _PUT_FIELDS, put, strict=True)
        if manager.release.extension:
            row |= {"qqstocpa": use.puts // 2, "qqstocga": use.gets // 2}
        rows.append(row)
    return rows
