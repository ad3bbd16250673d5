"""The series of a build: the metrics of every configuration in order of builds."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import accumulate, chain, groupby
from statistics import median, mode
from typing import Any

import duckdb
import polars as pl

from expectations.detector.early import LEAST_BEFORE
from expectations.metrics import measure_of
from expectations.regressions.finding import Key
from expectations.regressions.units import standard
from expectations.rule import literal
from expectations.verdicts.measure import Measure

__all__ = [
    "ALL_MEASUREMENTS",
    "LEAST_RUNS",
    "MEASUREMENTS",
    "OF_WORK",
    "RUNS",
    "SESSIONS",
    "WORK",
    "Break",
    "Series",
    "has_mart",
    "holds_runs",
    "mean_of",
    "per_work",
    "read_runs",
    "read_series",
]

#: Of sessions in a series; with fewer, builds are compared instead.
LEAST_RUNS = LEAST_BEFORE
MEASUREMENTS = "marts.fct_measurement"
RUNS = "marts.fct_run"
SESSIONS = "marts.fct_run_session"
_LISTS = ("values", "runs", "starts", "ends", "builds", "build_nos", "ran")
_MARTS = (
    "fct_run_session",
    "fct_run",
    "fct_measurement",
    "fct_system_measurement",
    "fct_address_space_measurement",
)
_MEASURED = (
    "origin, campaign, configuration_id, run_id, start_utc, git_revision, is_compared, metric, "
    "unit, more_is_better, value, value_low, value_high"
)
#: What is measured of whole runs, of each of their systems, and of each of their address spaces.
ALL_MEASUREMENTS = f"""(
    SELECT {_MEASURED}, value_source, '' AS system_id, '' AS address_space FROM {MEASUREMENTS}
    UNION ALL
    SELECT {_MEASURED}, '', system, '' FROM marts.fct_system_measurement
    UNION ALL
    SELECT {_MEASURED}, '', '', address_space FROM marts.fct_address_space_measurement
)"""
# Runs whose kinds of sources decide which runs are in a series: odd, so that two kinds never tie.
_LATEST = 11
# The kinds of outputs that a value is from, without the names of files.
_SOURCE = """
    array_to_string(
        list_sort(list_distinct(regexp_extract_all(m.value_source, '(?:^|, )([^ ,]+)', 1))), ', '
    )
"""

_KEY = ("origin", "campaign", "configuration_id", "metric", "system_id", "address_space")

#: Totals that grow with the work of a run, and the figures per unit of work that say the same.
OF_WORK = {
    "cpu_seconds": ("cost_per_GB", "cost_per_transaction"),
    "workload_seconds": ("cost_per_GB_of_workload", "cost_per_transaction_of_workload"),
    "workload_seconds_after_offload": (
        "cost_per_GB_of_workload_after_offload",
        "cost_per_transaction_of_workload_after_offload",
    ),
    "transfer_time": ("rate", "transactions_per_second", "messages_per_second"),
    "general_purpose_seconds": (),
    "system_overhead_seconds": (),
}
#: What a run did; the first that it has counts.
WORK = ("bytes", "transactions", "messages")


@dataclass(frozen=True, slots=True)
class Series:
    """One metric of one configuration; lists have one entry per run, or per session of runs.

    values: in `unit`, means of sessions; more_is_better: None if neither direction is better; runs:
    of each entry; starts: of the first of them, and ends: of the session, both UTC in order of
    builds, as in marts.fct_run_session; build_nos: number of the build in its campaign; builds: its
    git revision; ran: the start of the first run as it was.
    """

    key: Key
    configuration: str
    unit: str
    more_is_better: bool | None
    values: list[float]
    runs: list[tuple[str, ...]]
    starts: list[datetime]
    ends: list[datetime]
    builds: list[str]
    build_nos: list[int]
    ran: list[datetime]

    @property
    def measure(self) -> Measure:
        """How its figures are compared."""
        return measure_of(self.key.metric, self.unit, self.more_is_better)

    @property
    def run_ids(self) -> list[str]:
        """The first run of each entry."""
        return [runs[0] for runs in self.runs]

    def since(self, moment: datetime) -> Series:
        """Return the series from the first session on that has not ended at `moment`."""
        at = self.place(moment)
        return self.only(range(at, len(self.values)))

    def place(self, moment: datetime) -> int:
        """Return the index of the first session that has not ended at `moment`."""
        return sum(end <= moment for end in self.ends)

    def index(self, run_id: str) -> int | None:
        """Return the index of the entry with a run, None if it is not in the series."""
        return next((i for i, runs in enumerate(self.runs) if run_id in runs), None)

    def run_ids_of(self, start: int, end: int | None = None) -> tuple[str, ...]:
        """Return the runs of the entries from one index to another."""
        return tuple(chain.from_iterable(self.runs[start:end]))

    def only(self, places: Sequence[int]) -> Series:
        """Return the series of the entries at these indexes."""
        chosen: dict[str, Any] = {name: [getattr(self, name)[i] for i in places] for name in _LISTS}
        return replace(self, **chosen)

    def of_sessions(self) -> Series:
        """Return the series with one entry per session: the mean of its runs.

        The runs of a session share what the machine did meanwhile, so they are one observation.
        """
        stretches = [list(places) for _, places in groupby(range(len(self.ends)),
                                                           key=self.ends.__getitem__)]  # fmt: skip
        if len(stretches) == len(self.ends):
            return self
        return replace(
            self.only([places[0] for places in stretches]),
            values=[mean_of([self.values[i] for i in places]) for places in stretches],
            runs=[self.run_ids_of(places[0], places[-1] + 1) for places in stretches],
        )

    def in_time(self) -> Series:
        """Return the entries of the newest build by then, in order of time."""
        order = sorted(range(len(self.ran)), key=self.ran.__getitem__)
        newest = accumulate((self.build_nos[i] for i in order), max)
        series = self.only([i for i, no in zip(order, newest, strict=True)
                            if self.build_nos[i] == no])  # fmt: skip
        return replace(series, starts=series.ran, ends=[*series.ran[1:], self.ends[-1]])

    def onset(
        self, at: int, earliest: int | None = None, latest: int | None = None
    ) -> dict[str, Any]:
        """Return the fields of a finding that begins at this index, or from one to another.

        All builds of a number count: in which order bisection made them is not known.
        """
        numbers = self.build_nos
        first = bisect_left(numbers, numbers[at if earliest is None else min(earliest, at)])
        last = max(at, min(latest or 0, len(numbers) - 1))
        last = bisect_right(numbers, numbers[last]) - 1
        return {
            "key": self.key,
            "configuration": self.configuration,
            "unit": self.unit,
            "more_is_better": self.more_is_better,
            "onset_run_id": self.runs[at][0],
            "onset_utc": self.starts[at],
            "onset_build": self.builds[at],
            "onset_no": numbers[at],
            "onset_first_build": self.builds[first],
            "onset_last_build": self.builds[last],
            "uncertain": (numbers[at] - numbers[first], numbers[last] - numbers[at]),
            "last_good_run_id": self.runs[first - 1][-1] if first else "",
        }

    def worse(self, before: float, after: float) -> bool:
        """Whether the change from one level to the other is for the worse."""
        return (after < before) if self.more_is_better else (after > before)


@dataclass(frozen=True, slots=True)
class Break:
    """The last runs of a series, if they cannot be compared with those before.

    key: of the series; of: "unit" or "source"; before, after: which they were, and are; run_ids:
    the runs from the break on; last_good: the run before.
    """

    key: Key
    of: str
    before: str
    after: str
    run_ids: tuple[str, ...]
    last_good: str


def mean_of(values: Sequence[float]) -> float:
    """Return the mean of at least one number."""
    return sum(values) / len(values)


def holds_runs(connection: duckdb.DuckDBPyConnection) -> bool:
    """Whether the build has the marts of runs."""
    return all(has_mart(connection, name) for name in (*_MARTS, "dim_configuration"))


def has_mart(connection: duckdb.DuckDBPyConnection, name: str) -> bool:
    """Whether the build has a mart of that name."""
    # A bound parameter would make DuckDB import pandas.
    rows = connection.execute(
        "SELECT 1 FROM duckdb_columns() "
        f"WHERE database_name = current_database() AND schema_name = 'marts' "
        f"AND table_name = {literal(name)} LIMIT 1"
    ).fetchall()
    return bool(rows)


def read_runs(connection: duckdb.DuckDBPyConnection) -> pl.DataFrame:
    """Read every run, whether it counts or not, in order of configuration and build.

    Columns: origin, campaign, configuration_id, configuration, run_id, start_utc (as in a series),
    build, build_no, is_compared, issues (list).
    """
    return connection.sql(
        f"""
        SELECT
            s.origin, s.campaign, r.configuration_id, r.run_id, r.is_compared, r.issues, s.build_no,
            coalesce(r.git_revision, '') AS build, s.ordered_utc AS start_utc, c.configuration
        FROM {SESSIONS} AS s
        JOIN {RUNS} AS r USING (origin, run_id)
        LEFT JOIN marts.dim_configuration AS c USING (configuration_id)
        ORDER BY s.origin, s.campaign, r.configuration_id, start_utc, r.run_id
        """
    ).pl()


def read_series(
    connection: duckdb.DuckDBPyConnection,
) -> tuple[list[Series], list[Break]]:
    """Read all series, of runs without issues only, and where they break.

    A series has values of one kind of unit, converted into that of its last run, and of one kind of
    source: those of most of the latest runs.
    """
    rows = (
        connection.sql(
            f"""
        SELECT
            m.origin, m.campaign, m.configuration_id, m.metric, m.system_id, m.address_space,
            coalesce(c.configuration, m.configuration_id) AS configuration,
            coalesce(m.unit, '') AS unit, m.more_is_better, m.value::DOUBLE AS value,
            [m.run_id] AS runs, s.ordered_utc AS start_utc, s.session_end_utc AS end_utc,
            coalesce(m.git_revision, '') AS build, s.build_no, m.start_utc AS ran_utc,
            coalesce({_SOURCE}, '') AS source
        FROM {ALL_MEASUREMENTS} AS m
        JOIN {SESSIONS} AS s USING (origin, campaign, run_id)
        LEFT JOIN marts.dim_configuration AS c ON c.configuration_id = m.configuration_id
        WHERE m.is_compared AND isfinite(m.value::DOUBLE)
        """
        ).pl()
    ).sort(*_KEY, "start_utc", pl.col("runs").list.first())
    kinds = pl.struct("source", "unit")
    grouped = rows.group_by(*_KEY, maintain_order=True).agg(
        pl.col("configuration").first(),
        pl.col("unit", "more_is_better").last(),
        pl.col("value", "runs", "start_utc", "end_utc", "build", "build_no", "ran_utc"),
        kinds=kinds.filter(kinds.n_unique() > 1),
    )
    series, breaks = [], list[Break]()
    for *row, kinds_of in grouped.iter_rows():
        current = Series(Key(*row[: len(_KEY)]), *row[len(_KEY) :])
        if kinds_of:
            breaks += _breaks(current, kinds_of)
            current = _of_latest_kind(current, kinds_of)
        series.append(current)
    return series, breaks


def _kind(of: Mapping[str, str]) -> tuple[str, str]:
    return of["source"], standard(of["unit"])[0]


def _of_latest_kind(series: Series, kinds: Sequence[Mapping[str, str]]) -> Series:
    """Return the runs of a series that are as most of the latest ones, in one unit."""
    latest = mode(reversed([_kind(kind) for kind in kinds[-_LATEST:]]))
    latest_kind = [i for i, kind in enumerate(kinds) if _kind(kind) == latest]
    size = standard(kinds[latest_kind[-1]]["unit"])[1]
    values = [value * standard(kind["unit"])[1] / size
              for value, kind in zip(series.values, kinds, strict=True)]  # fmt: skip
    return replace(series, values=values, unit=kinds[latest_kind[-1]]["unit"]).only(latest_kind)


def _breaks(series: Series, kinds: Sequence[Mapping[str, str]]) -> Iterator[Break]:
    """Yield the stretch of last runs of another kind than those before."""
    last, start = _kind(kinds[-1]), len(kinds)
    while start and _kind(kinds[start - 1]) == last:
        start -= 1
    before = [_kind(kind) for kind in kinds[max(start - _LATEST, 0) : start]]
    if 2 * len(before) >= _LATEST and len(kinds) - start > 1 and last not in before:
        of = "source" if before[-1][0] != last[0] else "unit"
        was, now = kinds[start - 1][of], kinds[-1][of]
        runs = series.run_ids
        yield Break(series.key, of, was, now, tuple(runs[start:]), runs[start - 1])


def per_work(series: Sequence[Series]) -> list[Series]:
    """Return the series that can be judged: totals of work only at a constant amount of work.

    A run that moves half as much again takes half as much more CPU time, and nothing is worse. A
    total that a figure per GB or transaction repeats is left out. Others are scaled to the usual
    amount of work of their configuration (the median), run by run; runs that do not say how much
    they did are left out of them. Configurations that never say it keep their totals.
    """
    metrics: dict[tuple[str, ...], dict[str, Series | None]] = {}
    for item in series:
        of = metrics.setdefault(item.key.of_configuration, {})
        of[item.key.metric] = item if item.key.whole else of.get(item.key.metric)
    judged = []
    for item in series:
        of, twins = metrics[item.key.of_configuration], OF_WORK.get(item.key.metric)
        work = next((done for name in WORK if (done := of.get(name))), None)
        if twins is None or work is None:
            judged.append(item)
        elif of.keys().isdisjoint(twins):
            scaled = _at_usual_work(item, work)
            judged += [scaled] if scaled.values else []
    return judged


def _at_usual_work(series: Series, work: Series) -> Series:
    done = {run: value for run, value in zip(work.run_ids, work.values, strict=True) if value > 0}
    usual = median(done.values()) if done else 1.0
    at_work = series.only([i for i, run in enumerate(series.run_ids) if run in done or not done])
    scales = [usual / done.get(run, usual) for run in at_work.run_ids]
    values = [value * scale for value, scale in zip(at_work.values, scales, strict=True)]
    return replace(at_work, values=values)
