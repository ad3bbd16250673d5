"""How last night was, of rows that say what was expected and how each series stands."""

from __future__ import annotations

import duckdb

from app.results.last_night import last_night
from tests.kit.cases import cases

TABLES = """
CREATE SCHEMA marts; CREATE SCHEMA meta;
CREATE TABLE marts.dim_configuration AS SELECT 'k' AS configuration_id, '10 MB' AS configuration;
CREATE TABLE marts.fct_run (stop_utc TIMESTAMP, is_compared BOOLEAN);
CREATE TABLE meta.regression (regression_id VARCHAR, group_id VARCHAR, state VARCHAR,
    origin VARCHAR, campaign VARCHAR, configuration_id VARCHAR, metric VARCHAR,
    system_id VARCHAR, address_space VARCHAR, onset_utc TIMESTAMP);
CREATE TABLE marts.fct_series_level (origin VARCHAR, campaign VARCHAR, configuration_id VARCHAR,
    metric VARCHAR, more_is_better BOOLEAN, level_no INTEGER, is_current BOOLEAN,
    first_utc TIMESTAMP, last_utc TIMESTAMP, change DOUBLE, change_unit VARCHAR,
    last_verdict VARCHAR, last_reason VARCHAR);
CREATE TABLE marts.fct_last_night (kind VARCHAR, origin VARCHAR, name VARCHAR, campaign VARCHAR,
    configuration_id VARCHAR, metric VARCHAR, expected_utc TIMESTAMP, last_utc TIMESTAMP,
    verdict VARCHAR, reason VARCHAR);
"""


@cases
def test_last_night_has_one_answer(series, others, answers, runs, verdict, answer):
    """Of series (metric, days of levels, last day, how it stands, whether it came), and the rest.

    others: kind, name and verdict of systems and feeds; answers: metric, state, day and part of
    regressions; runs: how many are complete, and how many are not. Days are of January.
    """
    db = duckdb.connect()
    db.execute(TABLES)
    for metric, *levels, last, stands, came in series:
        for number, day in enumerate(levels, 1):
            db.execute(
                "INSERT INTO marts.fct_series_level VALUES ('measured', 'c', 'k', ?, true, ?, ?,"
                " make_timestamp(2026, 1, ?, 3, 0, 0), make_timestamp(2026, 1, ?, 3, 0, 0), -15,"
                " '%', ?, 'why')",
                [metric, number, number == len(levels), day, last, stands],
            )
        if came:
            db.execute(
                "INSERT INTO marts.fct_last_night VALUES ('series', 'measured', 'c', 'c', 'k', ?,"
                " '2026-01-31', '2026-01-30', ?, 'why')",
                [metric, stands if came == "came" else came],
            )
    for row in others:
        db.execute(
            "INSERT INTO marts.fct_last_night BY NAME SELECT ? AS kind, 'measured' AS origin,"
            " ? AS name, ? AS verdict, TIMESTAMP '2026-01-30' AS expected_utc,"
            " TIMESTAMP '2026-01-29' AS last_utc",
            row,
        )
    for metric, state, day, part in answers:
        db.execute(
            "INSERT INTO meta.regression VALUES (?, ?, ?, 'measured', 'c', 'k', ?, '', ?,"
            " make_timestamp(2026, 1, ?, 3, 0, 0))",
            [f"{metric}.1", metric, state, metric, part, day],
        )
    for count, is_compared in zip(runs, (True, False), strict=True):
        db.execute(
            "INSERT INTO marts.fct_run SELECT TIMESTAMP '2026-01-30', ? FROM range(?)",
            [is_compared, count],
        )
    night = last_night(db)
    assert (night.verdict, night.answer) == (verdict, answer)


@cases
def test_what_is_missing_has_a_line_of_its_own(rows, lines):
    """Runs of a configuration have one for all of their metrics."""
    db = duckdb.connect()
    db.execute(TABLES)
    for kind, metric, verdict in rows:
        db.execute(
            "INSERT INTO marts.fct_last_night VALUES (?, 'measured', 'Fed', 'c', 'k', ?,"
            " '2026-01-05 10:00', '2026-01-04 10:00', ?, 'why')",
            [kind, metric, verdict],
        )
        if kind == "series":
            db.execute(
                "INSERT INTO marts.fct_series_level BY NAME SELECT 'measured' AS origin,"
                " 'c' AS campaign, 'k' AS configuration_id, ? AS metric, true AS more_is_better,"
                " true AS is_current, TIMESTAMP '2026-01-04 10:00' AS last_utc",
                [metric],
            )
    assert last_night(db).absences() == lines
