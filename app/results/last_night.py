"""How last night was: what was expected and came, and how the last runs of each series stand.

The one answer that the page Today, `check`, notices, assistants and Python give. It judges nothing:
the verdicts are rows of marts.fct_last_night and fct_series_level, which queries see as well, and
what people answered is in meta.regression.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import duckdb
import polars as pl

from app.results.queries.regressions import DECISIONS, OPEN
from app.results.reader import Reader
from app.results.words import counted, listed
from expectations.metrics import metric_label
from expectations.verdicts.verdict import NOT_JUDGED, SAME, SUSPECTED, UNDECIDED, WORSE
from ingest.base.errors import PerfhouseError
from ingest.lake.frames import frame

__all__ = ["MISSING", "STOPPED", "LastNight", "last_night", "read_last_night"]

MISSING, STOPPED = "missing", "stopped"
_NAMED = 3  # in a sentence

_SUBJECTS = """
-- A person answered for the level that begins nearest to the regression.
WITH answered AS (
    SELECT
        regression_id, origin, campaign, configuration_id, metric,
        arg_min(first_utc, abs(epoch(first_utc - onset_utc))) AS first_utc
    FROM meta.regression
    INNER JOIN marts.fct_series_level USING (origin, campaign, configuration_id, metric)
    WHERE level_no > 1 AND list_contains($decisions, state)
        AND concat(system_id, address_space) = ''
    GROUP BY ALL
)
SELECT
    'series' AS kind,
    series.origin,
    series.campaign,
    series.metric,
    -- Runs of a configuration come, or are missing, with all of their metrics.
    concat_ws(', ', series.campaign, nullif(configuration, '')) AS subject,
    expected_utc,
    series.last_utc,
    night.verdict <> 'stopped' AS is_expected,
    coalesce(night.verdict, last_verdict) AS verdict,
    coalesce(night.reason, last_reason) AS reason,
    last_verdict = 'worse' AND NOT EXISTS (
        FROM answered
        WHERE answered.origin = series.origin AND answered.campaign = series.campaign
            AND answered.configuration_id = series.configuration_id
            AND answered.metric = series.metric AND answered.first_utc = series.first_utc
    ) AS is_worse,
    series.first_utc AS since_utc,
    change,
    change_unit,
    series.last_utc > max(series.last_utc) OVER () - INTERVAL 24 HOUR AS is_latest
FROM marts.fct_series_level AS series
LEFT JOIN marts.fct_last_night AS night
    ON night.origin = series.origin AND night.campaign IS NOT DISTINCT FROM series.campaign
    AND night.configuration_id = series.configuration_id AND night.metric = series.metric
LEFT JOIN marts.dim_configuration AS configuration
    ON configuration.configuration_id = series.configuration_id
WHERE is_current AND more_is_better IS NOT NULL
UNION ALL BY NAME
SELECT
    kind, origin, name AS subject, expected_utc, last_utc, verdict <> 'stopped' AS is_expected,
    verdict, reason, false AS is_worse, false AS is_latest
FROM marts.fct_last_night
WHERE kind <> 'series'
ORDER BY since_utc DESC NULLS LAST, kind, origin, subject, metric
"""
_COUNTS = """
SELECT
    (SELECT count(DISTINCT group_id) FROM meta.regression WHERE list_contains($open, state)),
    count(*),
    count(*) FILTER (NOT is_compared)
FROM marts.fct_run
WHERE stop_utc > (SELECT max(stop_utc) FROM marts.fct_run) - INTERVAL 24 HOUR
"""


class LastNight(NamedTuple):
    """How last night was.

    verdict: the worst of worse, missing, suspected and not judged; same only if all that was
    expected came and was judged; answer: that in a sentence, with all that is wrong; subjects: one
    row per series, system, queue manager and feed, the latest change first, with subject, verdict,
    reason, expected_utc, last_utc, is_expected, is_worse (unless a person answered), since_utc.
    """

    verdict: str
    answer: str
    subjects: pl.DataFrame

    @property
    def absent(self) -> pl.DataFrame:
        """What should have come and did not: a row for all metrics of a configuration."""
        return _absent(self.subjects, MISSING)

    def absences(self) -> dict[str, str]:
        """Return a line for each of what is missing or has stopped, by its name and state."""
        rows = _absent(self.subjects, MISSING, STOPPED).sort("verdict", "expected_utc", "subject")
        lines = {}
        for row in rows.iter_rows(named=True):
            kind = {"feed": "records", "series": "runs"}.get(row["kind"], row["kind"])
            has_stopped = row["verdict"] == STOPPED
            text = (
                f"none since {row['last_utc']:%Y-%m-%d %H:%M} UTC, no longer expected"
                if has_stopped
                else f"expected at {row['expected_utc']:%Y-%m-%d %H:%M} UTC"
            )
            name = f"{row['origin']} {kind} {row['subject']}"
            lines[f"{name} {STOPPED}" if has_stopped else name] = f"{kind} {row['subject']}: {text}"
        return lines


def read_last_night(reader: Reader) -> LastNight | None:
    """Return how last night was; None of a file that does not exist, or of an earlier release."""
    try:
        with reader.connection() as db:
            return last_night(db)
    except (PerfhouseError, duckdb.CatalogException, duckdb.BinderException):
        return None


def last_night(db: duckdb.DuckDBPyConnection) -> LastNight:
    """Return how last night was, at the time of asking."""
    subjects = frame(db, _SUBJECTS, {"decisions": DECISIONS})
    regressions, runs, incomplete = db.execute(_COUNTS, {"open": OPEN}).fetchone() or (0, 0, 0)
    expected = subjects.filter("is_expected")
    series = expected.filter(kind="series")
    worse, absent = subjects.filter("is_worse"), _absent(subjects, MISSING)
    suspected = subjects.filter(
        pl.col("is_expected").fill_null(value=False) | pl.col("is_latest"), verdict=SUSPECTED
    )
    unjudged = series.filter(pl.col("verdict").is_in([NOT_JUDGED, UNDECIDED]))
    findings = [
        (WORSE, worse.height, "series is worse than before", "series are worse than before",
         [_change(row) for row in worse.head(_NAMED).iter_rows(named=True)]),
        (MISSING, absent.height, "arrival is missing", "arrivals are missing",
         absent["subject"].head(_NAMED).to_list()),
        (SUSPECTED, suspected.height, "series is far from its level in its last session",
         "series are far from their levels in their last session",
         [_figure(row) for row in suspected.head(_NAMED).iter_rows(named=True)]),
        (WORSE, regressions, "regression is open", "regressions are open", []),
        (NOT_JUDGED, unjudged.height, f"of {series.height:,} series could not be judged",
         f"of {series.height:,} series could not be judged",
         unjudged["reason"].mode().sort().head(1).to_list()),
        (NOT_JUDGED, incomplete, f"of {counted(runs, 'latest run')} is incomplete",
         f"of {counted(runs, 'latest run')} are incomplete", []),
    ]  # fmt: skip
    parts = [
        (verdict, _part(number, several, many, names))
        for verdict, number, several, many, names in findings
        if number
    ]
    if expected.is_empty() or (series.is_empty() and runs):
        parts.append((NOT_JUDGED, _unexpected(subjects, "series" if runs else "record")))
    order = (WORSE, MISSING, SUSPECTED, NOT_JUDGED)
    if parts:
        verdict = min((verdict for verdict, _ in parts), key=order.index)
        return LastNight(verdict, "; ".join(text for _, text in parts), subjects)
    every = f"all {expected.height:,} that were expected came"
    return LastNight(SAME, f"{every}, and no series is worse than before", subjects)


def _absent(subjects: pl.DataFrame, *verdicts: str) -> pl.DataFrame:
    rows = subjects.filter(pl.col("verdict").is_in(verdicts))
    return rows.unique(["kind", "origin", "subject"], keep="first", maintain_order=True)


def _part(number: int, one: str, many: str, names: list[str]) -> str:
    more = number - len(names)
    named = listed([*names, f"{more:,} more"] if more and len(names) == _NAMED else names)
    return f"{counted(number, one, many)}{f': {named}' if names else ''}"


def _figure(row: Mapping[str, Any]) -> str:
    return f"{metric_label(row['metric'])} of {row['campaign'] or 'runs'}"


def _change(row: Mapping[str, Any]) -> str:
    size = f" {row['change']:+.3g} {row['change_unit']}" if row["change"] is not None else ""
    return f"{_figure(row)}{size} since {row['since_utc'].date()}"


def _unexpected(subjects: pl.DataFrame, what: str) -> str:
    stopped = _absent(subjects, STOPPED)
    if stopped.height:
        last = stopped["last_utc"].max()
        return f"nothing is expected any more: the last arrival was on {str(last)[:16]} UTC"
    return f"no {what} came often enough to be expected"
