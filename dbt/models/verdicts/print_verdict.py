"""Verdicts on printed figures, by the runs of the configurations that they are compared with."""

CELLS = """
    SELECT
        row_number() OVER () AS cell_no, origin, campaign, configuration_id, metric, address_space,
        cell_id, document_id, table_id, unit, published_value, published_low, published_high,
        printed, any_value(assumed) AS assumed, list(value ORDER BY run_id) AS figures,
        min({'source_id': source_id, 'record_no': record_no}) AS record
    FROM compared
    WHERE is_compared AND isfinite(value)
    GROUP BY ALL
"""
PRINT = ("published_value", "published_low", "published_high", "printed")
JUDGED = (
    "cell_no BIGINT, runs INTEGER, mean DOUBLE, verdict VARCHAR, difference_percent DOUBLE, "
    "low_percent DOUBLE, high_percent DOUBLE, noise_percent DOUBLE, noise_source VARCHAR, "
    "reason VARCHAR, more_runs INTEGER"
)
COLUMNS = """
    origin, record.source_id, record.record_no, campaign, configuration_id, metric, address_space,
    cell_id, document_id, table_id, assumed, unit, runs, mean, published_value, published_low,
    published_high, verdict, difference_percent, low_percent, high_percent, noise_percent,
    noise_source, reason, more_runs
"""


def model(dbt, session):
    """Build the table: one row per campaign, configuration and printed figure."""
    dbt.config(materialized="table")
    compared = dbt.ref("fct_run_against_published")
    cells = compared.query("compared", CELLS).to_arrow_table()
    session.register("cells", cells)
    session.sql(f"CREATE OR REPLACE TEMP TABLE judged ({JUDGED})")
    judged = [
        (row["cell_no"], *judge(row["metric"], row["figures"], *(row[name] for name in PRINT)))
        for row in cells.to_pylist()
    ]
    if judged:
        session.executemany(f"INSERT INTO judged VALUES ({', '.join('?' * 11)})", judged)
    return session.sql(f"SELECT {COLUMNS} FROM cells JOIN judged USING (cell_no)")


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
