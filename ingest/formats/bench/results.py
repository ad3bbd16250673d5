"""Results of any tool -> runs and measurements, by way of a manifest.

A reader turns an output into executions. Each becomes a run of a manifest, which
ingest.formats.bench.manifest checks like one that a person wrote: there is one flow from results to
marts. `tools` has the readers of tools, `tables` that of plain tables. What an output does not say
- its campaign, labels, the zone of its times - comes from `About`: settings beside the file,
options of the command, the environment.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from ingest.formats.bench.units import SECONDS
from ingest.formats.text.parser import Rejected

__all__ = [
    "About", "Entry", "Execution", "Figure", "direction", "document", "duration_of", "runs_of",
]  # fmt: skip

_WORSE = re.compile(
    r"error|fail|latenc|delay|wait|lag|duration|elapsed|lost|retrans|miss|response.?time"
    r"|^p\d\d(?:\.\d+)?$"
)
_BETTER = re.compile(r"throughput|per.second|per.sec|success|hit|bandwidth|iops")
_IN_NAME = re.compile(
    r"(20\d\d)-?([01]\d)-?([0-3]\d)[T_ -]?([0-2]\d)[-:_h]?([0-5]\d)(?:[-:_m]?([0-5]\d))?"
)
_SHORTEST = timedelta(seconds=1)
#: Figures of an entry that say how much of it failed; a failed one keeps no others. In percent:
#: whether they count failures.
_SHARES = {"errors": True, "failed HTTP requests": True, "lost packets": True,
           "successful requests": False}  # fmt: skip
_KEPT = (*_SHARES, "failed requests")
_MOST_FAILED = 50  # percent; beyond it, times and rates are those of failures


class About(NamedTuple):
    """What is known of a file besides its content."""

    name: str = ""
    modified: datetime | None = None  # UTC, without zone
    campaign: str = ""
    time_zone: str = ""
    labels: Mapping[str, str] = {}
    columns: Mapping[str, str] = {}  # role -> column of a plain table
    better: Mapping[str, str] = {}  # metric -> more or less
    names: Mapping[str, str] = {}  # end of a metric's name -> what it is to be
    units: Mapping[str, str] = {}  # column or metric of a plain table -> its unit
    environment: Mapping[str, str] = {}  # labels that the file's own win over
    series: str = ""  # campaign of a table; empty in loads that have the name of the file
    any_time: bool = False  # runs whose time nobody says have that of the file


class Figure(NamedTuple):
    """One measured value. more_is_better: None if it follows from name and unit, if anything."""

    metric: str
    value: float
    unit: str
    more_is_better: bool | None = None
    has_direction: bool = True


class Entry(NamedTuple):
    """One thing that was measured: name, figures, why it failed, factors of its surroundings."""

    name: str
    figures: Sequence[Figure]
    failed: str = ""
    context: Mapping[str, object] = {}
    line: int = 1


class Execution(NamedTuple):
    """One execution of a benchmark; line: where it begins; rejected: what of it failed."""

    figures: Sequence[Figure]
    start: datetime | None = None
    stop: datetime | None = None
    seconds: float | None = None
    run_id: str = ""
    campaign: str = ""
    factors: Mapping[str, object] = {}
    labels: Mapping[str, object] = {}
    line: int = 1
    rejected: Sequence[Rejected] = ()


def runs_of(
    entries: Iterable[Entry],
    start: datetime | None = None,
    seconds: float | None = None,
    line: int = 0,
    labels: Mapping[str, object] = {},
    rejected: Sequence[Rejected] = (),
) -> Iterator[Execution]:
    """Yield the runs of entries: one for each context, and for each time an entry is repeated.

    Of what failed, the figures of failures are kept and the others are not. line: where the runs
    begin; 0: where their entries do. seconds: their length.
    """
    runs: dict[tuple[object, ...], list[Entry]] = {}
    repeats: Counter[tuple[object, ...]] = Counter()
    for entry in entries:
        context = tuple(entry.context.items())
        repeats[context, entry.name] += 1
        runs.setdefault((context, repeats[context, entry.name]), []).append(entry)
    for members in runs.values():
        figures, faults = [], list(rejected)
        for entry in members:
            failed = entry.failed or _mostly_failed(entry.figures)
            figures += [
                figure._replace(metric=f"{entry.name} {figure.metric}".strip())
                for figure in entry.figures
                if not failed or figure.metric in _KEPT
            ]
            if failed:
                faults.append(Rejected(line or entry.line, f"{entry.name or 'the run'}: {failed}"))
        yield Execution(
            figures, start, seconds=seconds, factors=members[0].context, labels=labels,
            line=line or members[0].line, rejected=faults,
        )  # fmt: skip
        rejected = ()


def _mostly_failed(figures: Sequence[Figure]) -> str:
    for figure in figures:
        counts_failures = _SHARES.get(figure.metric)
        share = figure.value if counts_failures else 100 - figure.value
        if counts_failures is not None and share > _MOST_FAILED:
            return f"{share:.3g} % failed, so only that is kept"
    done = [figure.value for figure in figures if figure.metric not in _KEPT]
    return "nothing was done" if done and not any(done) else ""


def direction(metric: str, unit: str) -> bool | None:
    """Return whether more is better, as name and unit say it; None if they do not.

    >>> [direction(*of) for of in (("p95", "ms"), ("errors", "1/s"), ("rate", "MB/s"), ("x", ""))]
    [False, False, True, None]
    """
    name = metric.lower()
    if _WORSE.search(name):
        return False
    if _BETTER.search(name) or re.search(r"/(?:s|ms|us|ns|sec)$", unit):
        return True
    if unit in SECONDS or re.match(r"(?:ns|us|ms|s|B|allocs)/", unit):
        return False
    if unit in ("1/min", "1/h"):
        return True
    return None


def duration_of(text: str) -> float | None:
    """Return a duration as programs print it (1m30s, 1.52ms, 30.1s) in seconds.

    >>> [duration_of(text) for text in ("1m30s", "250us", "soon")]
    [90.0, 0.00025, None]
    """
    parts = re.findall(r"(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)", text)
    if not parts or "".join(map("".join, parts)) != text.strip():
        return None
    seconds = SECONDS | {"µs": 1e-6, "m": 60}
    return sum(float(number) * seconds[unit] for number, unit in parts)


def document(
    tool: str, executions: Sequence[Execution], about: About
) -> tuple[dict[str, Any], list[int]]:
    """Return the manifest of executions, and the line of each of its runs."""
    from ingest.formats.bench.declared import level_of, own_names

    factors = own_names({item for each in executions for item in each.factors.items()})
    runs: list[dict[str, Any]] = []
    names: Counter[str] = Counter()
    for execution in executions:
        campaign = execution.campaign or about.campaign or tool
        start, stop, source = _times(execution, about)
        run: dict[str, Any] = {
            "start": start,
            "stop": stop,
            "factors": {
                f"x_{n}" if n in factors else n: v if n in factors else level_of(n, v)
                for n, v in execution.factors.items()
            },
            "labels": {
                "time_from": source,
                **about.environment,
                **execution.labels,
                **about.labels,
            },
            "measurement": [_measurement(figure, about) for figure in execution.figures],
            "campaign": campaign,
        }
        name = execution.run_id or (f"{campaign}-{start:%Y%m%dT%H%M%S}" if start else "")
        names[name] += 1
        if name and (not execution.run_id or names[name] == 1):
            run["run_id"] = name if names[name] == 1 else f"{name}-{names[name]}"
        elif name:
            run["run_id"] = name  # given twice: the manifest says so
        runs.append({key: value for key, value in run.items() if value not in (None, {}, [])})
    shared = {"time_zone": about.time_zone} if about.time_zone else {}
    return {"perfhouse_manifest": 1, **shared, "run": runs}, [each.line for each in executions]


def _times(execution: Execution, about: About) -> tuple[datetime | None, datetime | None, str]:
    """Return start, stop and where they are from: the output, the file's name, or its time."""
    length = timedelta(seconds=execution.seconds) if execution.seconds else _SHORTEST
    start, stop, source = execution.start, execution.stop, "output"
    if start is not None and start.tzinfo is None and not about.time_zone and not stop:
        start, source = start.replace(tzinfo=UTC), "output, as UTC"
    if start is None and stop is not None:
        start = stop - length
    elif start is None and (match := _IN_NAME.search(about.name)):
        try:
            start = datetime(*(int(part or 0) for part in match.groups()))  # type: ignore[arg-type]
            source = "name of the file"
        except ValueError:
            start = None
    if start is None and about.modified is not None:
        stop, source = about.modified.replace(tzinfo=UTC), "time of the file"
        start = stop - length
    if start is not None and source == "name of the file" and not about.time_zone:
        start = start.replace(tzinfo=UTC)
    if stop is None and start is not None:
        stop = start + length
    return start, stop, source


def _measurement(figure: Figure, about: About) -> dict[str, object]:
    for end, name in about.names.items():
        if figure.metric.endswith(end):
            figure = figure._replace(metric=figure.metric.removesuffix(end) + name)
    given = about.better.get(figure.metric)
    better = figure.more_is_better
    if given in ("more", "less"):
        better = given == "more"
    elif better is None and figure.has_direction:
        better = direction(figure.metric, figure.unit)
    value = figure.value if math.isfinite(figure.value) else None
    optional: dict[str, object] = {} if better is None else {"more_is_better": better}
    return {"metric": figure.metric, "value": value, "unit": figure.unit or "1", **optional}
