"""Write RMF's Coupling Facility Activity report: usage summary and structure activity.

Requests and entry counts that do not fit their column are printed in K or M (powers of 1000),
storage in K, M or G (powers of 1024) if it is whole there. Percentages and rates have one decimal,
rates in the summary two. Each system's requests to a structure begin with SYNC, whose line names
the system.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import zip_longest

from models_sim.simulator.outputs.rmf.page import figure, line, page, reports, short
from models_sim.simulator.outputs.text import Row, Tables

__all__ = ["write_coupling"]

_STRUCTURE = ("cf_name", "structure_name", "structure_type", "status")
_SYSTEM = (*_STRUCTURE, "system_name")
_TABLES = {
    "rmf_cf": ("cf_name", "samples_avg", "samples_max", "samples_min", "model", "cf_level",
               "average_cf_utilization_pct", "logical_processors_defined",
               "logical_processors_effective"),
    "rmf_cf_structure": (
        *_STRUCTURE, "alloc_size_bytes", "cf_storage_pct", "requests", "all_requests_pct",
        "cf_utilization_pct", "requests_per_second", "entries_total", "entries_current",
        "elements_total", "elements_current", "lock_entries_total", "lock_entries_current",
        "directory_reclaims", "directory_reclaim_xis",
    ),
    "rmf_cf_request": (*_SYSTEM, "request", "requests", "requests_pct", "service_time_avg_us",
                       "service_time_std_dev_us", "system_requests",
                       "system_requests_per_second"),
    "rmf_cf_delay": (*_SYSTEM, "reason", "requests", "requests_pct", "delay_avg_us",
                     "delay_std_dev_us", "delay_all_us"),
    "rmf_cf_contention": (*_SYSTEM, "kind", "requests"),
}  # fmt: skip
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
    """Return the reports of the rmf_cf tables, one per coupling facility."""
    printed: list[str] = []
    for heading, rows in reports(tables, _TABLES):
        names = dict.fromkeys(row["cf_name"] for found in rows.values() for row in found)
        for name in names:
            of = {
                table: [row for row in found if row["cf_name"] == name]
                for table, found in rows.items()
            }
            printed += page("COUPLING FACILITY ACTIVITY", heading)
            printed += [*_facility(name, of["rmf_cf"]), *_summary(of)]
            if of["rmf_cf_request"]:
                printed += page("COUPLING FACILITY ACTIVITY", heading)
                printed += [*_facility(name, of["rmf_cf"]), *_activity(of)]
    return printed


def _facility(name: str, rows: list[Row]) -> list[str]:
    printed = [_RULE, f"   COUPLING FACILITY NAME = {name}"]
    samples = [figure(rows[0][f"samples_{of}"], 0) for of in ("avg", "max", "min")] if rows else []
    if any(samples):
        printed.append(
            "   TOTAL SAMPLES(AVG) = {:>5}  (MAX) = {:>5}  (MIN) = {:>5}".format(*samples)
        )
    return [*printed, _RULE]


def _summary(of: dict[str, list[Row]]) -> list[str]:
    """Return the usage summary: structures, and the coupling facility's processors."""
    printed = [f"{'':47}COUPLING  FACILITY  USAGE  SUMMARY", _RULE]
    if structures := of["rmf_cf_structure"]:
        printed += ["   STRUCTURE SUMMARY", _RULE, "", *_SUMMARY_HEADING, ""]
        printed += [text for row in structures for text in _structure(row)]
        printed.append("   STRUCTURE TOTALS")
    return printed + [text for row in of["rmf_cf"] for text in _processors(row)]


def _processors(row: Row) -> list[str]:
    """Return the processors of a coupling facility, if anything is known about them."""
    level, busy = row["cf_level"], row["average_cf_utilization_pct"]
    defined, effective = (row[f"logical_processors_{of}"] for of in ("defined", "effective"))
    printed = []
    if row["model"] is not None and level is not None:
        printed.append(f"   COUPLING FACILITY         {row['model']}      CFLEVEL {level:.0f}")
    if busy is not None:
        printed.append(f"   AVERAGE CF UTILIZATION  (% BUSY)    {busy:5.1f}")
    if defined is not None and effective is not None:
        said = f"DEFINED {defined:3.0f}    EFFECTIVE {effective:4.1f}"
        printed.append(f"{'':45}LOGICAL PROCESSORS:  {said}")
    return ["   PROCESSOR SUMMARY", *printed] if printed else []


def _structure(row: Row) -> list[str]:
    """Return a structure's two lines: totals, and below them what is in use."""
    status, _, more = (row["status"] or "").partition(" ")
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
    front = f"   {row['structure_type']:<5} {row['structure_name']:<10} "
    first = line((len(front) + len(status), front + status),
                 *_cells(zip(_SUMMARY_ENDS, figures, strict=True)))  # fmt: skip
    second = line(*_cells([(20 + len(more), more)]),
                  *_cells(zip(_SUMMARY_ENDS[-4:], current, strict=True)))  # fmt: skip
    return [first, second]


def _cells(cells: Iterable[tuple[int, str]]) -> list[tuple[int, str]]:
    return [(end, text) for end, text in cells if text]


def _count(value: float | None, absent: str = "") -> str:
    return absent if value is None else short(value, 5)


def _storage(value: float | None) -> str:
    """Return storage in the largest unit in which it is whole."""
    if value is None:
        return ""
    whole = (n for n in (3, 2, 1) if value and value % 1024**n == 0)
    power = next(whole, 0)
    return f"{value / 1024**power:.0f}{('', 'K', 'M', 'G')[power]}"


def _activity(of: dict[str, list[Row]]) -> list[str]:
    """Return each structure's requests, delays and contention, system by system."""
    printed = [f"{'':38}COUPLING FACILITY STRUCTURE ACTIVITY", ""]
    found: dict[tuple[object, ...], dict[object, dict[str, list[Row]]]] = {}
    tables = ("rmf_cf_request", "rmf_cf_delay", "rmf_cf_contention")
    for table in tables:
        for row in of[table]:
            structure = tuple(row[name] for name in _STRUCTURE)
            systems = found.setdefault(structure, {})
            systems.setdefault(row["system_name"], {t: [] for t in tables})[table].append(row)
    for (_, name, kind, status), systems in found.items():
        said = "" if status is None else f"   STATUS = {status}"
        printed += [f"STRUCTURE NAME = {name}      TYPE = {kind}{said}", *_ACTIVITY_HEADING]
        for system, rows in systems.items():
            requests, delays, contention = (rows[table] for table in tables)
            # Synchronous requests are never delayed.
            lines = zip_longest(requests, [None, *delays], contention)
            printed += [_activity_line(str(system), *row) for row in lines]
        printed.append("")
    return printed


def _activity_line(system: str, request: Row | None, delay: Row | None, other: Row | None) -> str:
    """Return a line with a kind of request, a reason of delay and a count of contention."""
    cells: list[tuple[int, str]] = []
    if request:
        what = request["request"]
        if what == "SYNC":
            total = _count(request["system_requests"])
            cells += [(len(system), system), (15, total)]
        elif what == "ASYNC":
            cells.append((15, figure(request["system_requests_per_second"], 1)))
        cells += [(17 + len(what), what), (28, _count(request["requests"])),
                  (36, f"{request['requests_pct']:.1f}%")]  # fmt: skip
        times = [request[f"service_time_{of}_us"] for of in ("avg", "std_dev")]
        if times[0] is None and what == "CHNGD":
            cells.append((53, "INCLUDED IN ASYNC"))
        else:
            cells += [(end, figure(t, 1)) for end, t in zip((45, 52), times, strict=True)]
    if delay:
        times = [figure(delay[f"delay_{of}_us"], 1) for of in ("avg", "std_dev", "all")]
        cells += [(55 + len(delay["reason"]), delay["reason"]), (66, _count(delay["requests"])),
                  (73, f"{delay['requests_pct']:.1f}%"),
                  *zip((80, 87, 94), times, strict=True)]  # fmt: skip
    if other:
        text = f"{other['kind']:<12} {_count(other['requests'])}"
        cells.append((97 + len(text), text))
    return line(*_cells(cells))
