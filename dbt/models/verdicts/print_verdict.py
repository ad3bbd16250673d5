"""Verdicts on printed figures, by the runs of the configurations that they are compared with."""

KEYS = "origin, campaign, configuration_id, metric, address_space, cell_id"
FIGURES = (
    "list(value ORDER BY run_id), any_value(published_value), any_value(published_low), "
    "any_value(published_high), any_value(printed)"
)
SCHEMA = (
    "origin VARCHAR, campaign VARCHAR, configuration_id VARCHAR, metric VARCHAR, "
    "address_space VARCHAR, cell_id BIGINT, runs INTEGER, mean DOUBLE, verdict VARCHAR, "
    "difference_percent DOUBLE, low_percent DOUBLE, high_percent DOUBLE, noise_percent DOUBLE, "
    "noise_source VARCHAR, reason VARCHAR, more_runs INTEGER"
)


def model(dbt, session):
    """Build the table: one row per campaign, configuration and printed figure."""
    dbt.config(materialized="table")
    compared = dbt.ref("fct_run_against_published").filter("is_compared AND isfinite(value)")
    rows = compared.aggregate(f"{KEYS}, {FIGURES}", KEYS).fetchall()
    session.sql(f"CREATE OR REPLACE TEMP TABLE judged ({SCHEMA})")
    judged = [(*row[:6], *judge(row[3], *row[6:])) for row in rows]
    if judged:
        session.executemany(f"INSERT INTO judged VALUES ({', '.join('?' * 16)})", judged)
    return session.sql("SELECT * FROM judged")


def judge(metric, values, value, low, high, printed):
    """Return the verdict on a printed figure, or a range of which the nearer end counts."""
    from expectations.verdicts.prints import against_cell

    # Changes are held as percent of what was before, as figures below zero have no ratio.
    whole = 100 if metric.startswith("change_of_") else 0
    ends = (None if end is None else end + whole for end in (low, high))
    judged = against_cell([each + whole for each in values], value + whole, *ends, printed)
    return (
        *(judged.candidate_runs, judged.candidate - whole, judged.verdict, judged.estimate),
        *(judged.low, judged.high, 100 * judged.noise, judged.noise_source, judged.reason),
        judged.more_runs,
    )
