"""RMF's Coupling Facility Activity report: usage summary and structure activity.

Requests and entry counts that do not fit their column are printed in K or M (powers of 1000),
storage in K, M or G (powers of 1024) if it is whole there. Percentages and rates have one decimal,
rates in the summary two. Each system's requests to a structure begin with SYNC, whose line names
the system.
"""

from __future__ import annotations

from itertools import zip_longest

from models_sim.simulator.outputs.rmf.page import Row, Tables, figure, line, page, reports, short

__all__ = ["write_coupling"]

_ACTIVITY = ("rmf_cf_request", "rmf_cf_delay", "rmf_cf_contention")
_RULE = f"  {'-' * 125}"
_SUMMARY_HEADING = (
    (
        "                                         % OF            % OF   % OF    AVG   "
        "LST/DIR  DATA     LOCK     DIR REC/"
    ),
    (
        "         STRUCTURE              ALLOC    CF      #       ALL    CF      REQ/  "
        "ENTRIES  ELEMENTS ENTRIES  DIR REC"
    ),
    (
        "   TYPE  NAME       STATUS CHG   SIZE    STOR    REQ     REQ    UTIL    SEC   "
        "TOT/CUR  TOT/CUR  TOT/CUR  XI'S"
    ),
)
#: Ends of the columns from SIZE on.
_SUMMARY_ENDS = (37, 45, 52, 60, 68, 75, 83, 92, 101, 110)
_ACTIVITY_HEADING = (
    f"{'':10}#REQ    --------------    REQUESTS ------------  ------ DELAYED REQUESTS -----------",
    (
        "SYSTEM    TOTAL           #     % OF -SERV TIME(MIC)- REASON  #  % OF  "
        "---AVG TIME(MIC)---   EXTERNAL REQUEST"
    ),
    (
        "NAME      AVG/SEC        REQ    ALL      AVG  STD_DEV        REQ  REQ   "
        "/DEL   STD_DEV /ALL  CONTENTIONS"
    ),
)
_NONE = "N/A"


def write_coupling(tables: Tables) -> list[str]:
    """Return the reports of the rmf_cf tables, of one coupling facility."""
    printed: list[str] = []
    for heading, rows in reports(tables, ("rmf_cf", "rmf_cf_structure", *_ACTIVITY)):
        (facility,) = rows["rmf_cf"]
        samples = [figure(facility[f"samples_{which}"], 0) for which in ("avg", "max", "min")]
        front = [
            *page("COUPLING FACILITY ACTIVITY", heading),
            _RULE,
            f"   COUPLING FACILITY NAME = {facility['cf_name']}",
            "   TOTAL SAMPLES(AVG) = {:>5}  (MAX) = {:>5}  (MIN) = {:>5}".format(*samples),
            _RULE,
        ]
        printed += [*front, *_summary(facility, rows["rmf_cf_structure"])]
        if rows["rmf_cf_request"]:
            printed += [*front, *_activity(rows)]
    return printed


def _summary(facility: Row, structures: list[Row]) -> list[str]:
    """Return the usage summary: structures, and the coupling facility's processors."""
    defined, effective = (
        facility[f"logical_processors_{which}"] for which in ("defined", "effective")
    )
    model, level = facility["model"], facility["cf_level"]
    return [
        f"{'':47}COUPLING  FACILITY  USAGE  SUMMARY", _RULE, "   STRUCTURE SUMMARY", _RULE, "",
        *_SUMMARY_HEADING, "",
        *(text for row in structures for text in _structure(row)),
        "   STRUCTURE TOTALS",
        "   PROCESSOR SUMMARY",
        f"   COUPLING FACILITY         {model}      CFLEVEL {level:.0f}",
        f"   AVERAGE CF UTILIZATION  (% BUSY)    {facility['average_cf_utilization_pct']:5.1f}",
        f"{'':45}LOGICAL PROCESSORS:  DEFINED {defined:3.0f}    EFFECTIVE {effective:4.1f}",
    ]  # fmt: skip


def _structure(row: Row) -> list[str]:
    """Return a structure's two lines: totals, and below them what is in use."""
    pairs = (("entries_total", "entries_current"), ("elements_total", "elements_current"),
             ("lock_entries_total", "lock_entries_current"),
             ("directory_reclaims", "directory_reclaim_xis"))  # fmt: skip
    figures = (
        _storage(row["alloc_size_bytes"]),
        figure(row["cf_storage_pct"], 1),
        _count(row["requests"]),
        figure(row["all_requests_pct"], 1),
        figure(row["cf_utilization_pct"], 1),
        figure(row["requests_per_second"], 2),
        *(_count(row[total], _NONE) for total, _ in pairs),
    )
    current = (_count(row[current], _NONE) for _, current in pairs)
    front = f"   {row['structure_type']:<5} {row['structure_name']:<10} {row['status']}"
    return [
        line((len(front), front), *zip(_SUMMARY_ENDS, figures, strict=True)),
        line(*zip(_SUMMARY_ENDS[-4:], current, strict=True)),
    ]


def _count(value: float | None, absent: str = "") -> str:
    return absent if value is None else short(value, 5)


def _storage(value: float) -> str:
    """Return storage in the largest unit in which it is whole."""
    power = next((n for n in (3, 2, 1) if value % 1024**n == 0), 0)
    return f"{value / 1024**power:.0f}{('', 'K', 'M', 'G')[power]}"


def _activity(rows: dict[str, list[Row]]) -> list[str]:
    """Return each structure's requests, delays and contention, system by system."""
    printed = [f"{'':38}COUPLING FACILITY STRUCTURE ACTIVITY", ""]
    structures: dict[tuple[str, str, str], dict[str, list[list[Row]]]] = {}
    for number, table in enumerate(_ACTIVITY):
        for row in rows[table]:
            key = row["structure_name"], row["structure_type"], row["status"]
            systems = structures.setdefault(key, {})
            systems.setdefault(row["system_name"], [[] for _ in _ACTIVITY])[number].append(row)
    for (name, kind, status), systems in structures.items():
        title = f"STRUCTURE NAME = {name}      TYPE = {kind}   STATUS = {status}"
        printed += [title, *_ACTIVITY_HEADING]
        for system, (requests, delays, contention) in systems.items():
            # Synchronous requests are never delayed.
            lines = zip_longest(requests, [None, *delays], contention)
            printed += [_activity_line(system, *row) for row in lines]
        printed.append("")
    return printed


def _activity_line(system: str, request: Row, delay: Row | None, other: Row | None) -> str:
    """Return a line with a kind of request, a reason of delay and a count of contention."""
    kind = request["request"]
    first = {
        "SYNC": [(len(system), system), (15, _count(request["system_requests"]))],
        "ASYNC": [(15, figure(request["system_requests_per_second"], 1))],
    }
    times = [figure(request[f"service_time_{which}_us"], 1) for which in ("avg", "std_dev")]
    cells = [
        *first.get(kind, []), (17 + len(kind), kind), (28, _count(request["requests"])),
        (36, f"{request['requests_pct']:.1f}%"),
        *([(53, "INCLUDED IN ASYNC")] if kind == "CHNGD" else zip((45, 52), times, strict=True)),
    ]  # fmt: skip
    if delay:
        times = [figure(delay[f"delay_{which}_us"], 1) for which in ("avg", "std_dev", "all")]
        cells += [(55 + len(delay["reason"]), delay["reason"]), (66, _count(delay["requests"])),
                  (73, f"{delay['requests_pct']:.1f}%"),
                  *zip((80, 87, 94), times, strict=True)]  # fmt: skip
    if other:
        text = f"{other['kind']:<12} {_count(other['requests'])}"
        cells.append((97 + len(text), text))
    return line(*cells)
