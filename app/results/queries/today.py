"""What the morning asks: what came last night, what is missing, what stands open."""

from __future__ import annotations

from typing import NamedTuple

import polars as pl

from app.results.reader import Reader
from expectations.regressions.series import ALL_MEASUREMENTS

__all__ = [
    "Judged",
    "arrivals",
    "begun",
    "findings",
    "judged",
    "latest_runs",
    "of_last_check",
    "recent_values",
]

_POINTS = 60  # of a small chart


def arrivals(reader: Reader) -> pl.DataFrame:
    """Return the rows of marts.fct_arrival, what came last first, with their state now.

    state: missing, stopped, on time; null where too few came to expect the next.
    """
    return reader.frame(
        """
        select
            *,
            case
                when stopped_from_utc <= now()::timestamp then 'stopped'
                when missing_from_utc <= now()::timestamp then 'missing'
                when expected_utc is not null or arrivals is null then 'on time'
            end as state
        from marts.fct_arrival
        order by last_utc desc, origin, kind, name
        """
    )


def latest_runs(reader: Reader) -> pl.DataFrame:
    """Return one row per campaign and build with runs in the last day of any runs, latest first.

    origin, campaign, git_revision, runs, incomplete, configurations, first_utc, last_utc.
    """
    return reader.frame(
        """
        select
            origin,
            campaign,
            git_revision,
            count(*) as runs,
            count(*) filter (where not is_compared) as incomplete,
            count(distinct configuration_id) as configurations,
            min(start_utc) as first_utc,
            max(stop_utc) as last_utc
        from marts.fct_run
        where stop_utc > (select max(stop_utc) from marts.fct_run) - interval 24 hour
        group by origin, campaign, git_revision
        order by last_utc desc, campaign, git_revision
        """
    )


def begun(reader: Reader, opened: pl.DataFrame) -> pl.DataFrame:
    """Return the regressions that began in the last day of runs of their own campaign."""
    nights = reader.frame(
        """
        select origin, campaign, max(stop_utc) - interval 24 hour as night_utc
        from marts.fct_run
        group by origin, campaign
        """
    )
    last = opened.join(nights, on=["origin", "campaign"], maintain_order="left")
    return last.filter(pl.col("onset_utc") >= pl.col("night_utc")).drop("night_utc")


def findings(reader: Reader) -> dict[str, int]:
    """Return the number of data issues by severity: error, warning, note."""
    counted = reader.frame(
        "select severity, count(*) as findings from marts.fct_data_issue group by severity"
    )
    return {"error": 0, "warning": 0, "note": 0} | dict(counted.iter_rows())


class Judged(NamedTuple):
    """How many series of runs there are, and how many of them the last check could judge.

    reason: why the others could not be.
    """

    series: int
    judged: int
    reason: str

    @property
    def are_all(self) -> bool:
        """Whether there are series and all of them were judged."""
        return self.series > 0 and self.judged == self.series


def judged(reader: Reader) -> Judged:
    """Return how many series of runs the last check could judge."""
    found = reader.live_frame(
        """
        select
            max(rows_total),
            sum(rows_failed)::bigint,
            string_agg(
                if(rows_total is null, observed, nullif(message, '')), '; ' order by rows_total
            )
        from meta.expectation_result
        where suite = 'regressions'
            and expectation in ('builds_have_enough_runs', 'series_can_be_judged')
            and check_id = (select max(check_id) from meta.expectation_result)
        """
    )
    series, failed, reason = found.row(0)
    return Judged(series or 0, (series or 0) - (failed or 0), reason or "")


def of_last_check(reader: Reader, known: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of `known` regressions that the last check of the published build wrote."""
    build = reader.live_frame("select build_id from meta.build")
    if build.is_empty():
        return known.clear()
    is_last = pl.col("build_id") == build["build_id"][0]
    return known.filter(is_last & (pl.col("by") == "detector"))


def recent_values(reader: Reader, known: pl.DataFrame) -> pl.DataFrame:
    """Return `known` regressions with the last values of their series, in order of time.

    recent: list of at most 60 values; empty without a metric.
    """
    key = ("origin", "campaign", "configuration_id", "metric", "system_id", "address_space")
    columns = ("regression_id", *key)
    listed = ", ".join(f"unnest(cast(? as varchar[])) as {column}" for column in columns)
    found = reader.frame(
        f"""
        select regression.regression_id, list(value order by start_utc)[-{_POINTS}:] as recent
        from (select {listed}) as regression
        inner join {ALL_MEASUREMENTS} as measured using ({", ".join(key)})
        where is_compared
        group by regression_id
        """,
        tuple(tuple(known[column]) for column in columns),
    )
    return known.join(found, on="regression_id", how="left")
