"""The regressions suite: one verdict per campaign and subject."""

from __future__ import annotations

from dataclasses import dataclass

import duckdb

from expectations.regressions.finding import DATA, ENVIRONMENT, LEVEL, MODEL, PAIR, SHOWN, SLOPE
from expectations.regressions.series import ALL_MEASUREMENTS, RUNS, holds_runs
from expectations.rule import ERROR, WARNING, literal

__all__ = ["Subject", "open_query", "subjects"]

_KINDS = {"performance": (LEVEL, PAIR, SLOPE, ENVIRONMENT), "data": (DATA,), "model": (MODEL,)}
_SUSPICION = "suspicion"


@dataclass(frozen=True, slots=True)
class Subject:
    """A campaign and what is judged: performance, suspicion, data (whole runs), model (band)."""

    origin: str
    campaign: str
    name: str

    @property
    def severity(self) -> str:
        """Deviations from a model and single runs prove nothing, so they are only warnings."""
        return WARNING if self.name in {"model", _SUSPICION} else ERROR

    @property
    def expected(self) -> str:
        """What holds if no regression is open."""
        text = {
            "performance": "every regression is fixed or accepted",
            _SUSPICION: "the last runs are as the ones before",
            "data": "every run has all of its data",
            "model": "levels are within the model's band",
        }[self.name]
        return f"{self.campaign} ({self.origin}): {text}"


def subjects(connection: duckdb.DuckDBPyConnection) -> list[Subject]:
    """Return the subjects of a build, none if it has no marts of runs."""
    has_view = connection.execute(
        "SELECT count(*) FROM duckdb_views() WHERE schema_name = 'meta' "
        "AND view_name = 'regression'"
    ).fetchall()
    if not has_view[0][0] or not holds_runs(connection):
        return []
    campaigns = connection.execute(
        f"SELECT DISTINCT origin, campaign FROM {RUNS} WHERE origin <> 'published' ORDER BY ALL"
    ).fetchall()
    return [Subject(origin, campaign, name) for origin, campaign in campaigns
            for name in (*_KINDS, _SUSPICION)]  # fmt: skip


def open_query(subject: Subject) -> str:
    """Return a SELECT of one row: open, groups, series (counts), sample (messages, or NULL)."""
    if subject.name == _SUSPICION:
        chosen = "state = 'suspected'"
    else:
        kinds = ", ".join(literal(kind) for kind in _KINDS[subject.name])
        chosen = f"state <> 'suspected' AND kind IN ({kinds})"
    subject_condition = (
        f"origin = {literal(subject.origin)} AND campaign = {literal(subject.campaign)}"
    )
    return f"""
        WITH regression AS (
            SELECT *, max_by(message, leads) OVER (PARTITION BY group_id) AS head,
                count(*) OVER (PARTITION BY group_id) AS members
            FROM meta.regression
            WHERE is_open AND {subject_condition} AND {chosen}
        ), grouped AS (
            SELECT group_id, max(impact) AS impact, any_value(head)
                || if(any_value(members) > 1,
                    ' [and ' || (any_value(members) - 1) || ' more series]', '') AS message
            FROM regression GROUP BY group_id
        )
        SELECT
            (SELECT count(*) FROM regression) AS open,
            (SELECT count(*) FROM grouped) AS groups,
            (SELECT min_by(message, (-impact, message), {SHOWN}) FROM grouped) AS sample,
            (
                SELECT count(*) FROM (
                    SELECT DISTINCT configuration_id, metric, system_id, address_space
                    FROM {ALL_MEASUREMENTS} WHERE {subject_condition} AND more_is_better IS NOT NULL
                )
            ) AS series
    """
