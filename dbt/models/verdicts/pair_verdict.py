"""Verdicts on pairs of samples that differ in one thing."""

# What is judged together: the false discovery rate is limited over it.
FAMILY = ("kind", "origin", "campaign", "document_id", "section", "git_revision", "varied")
SIDES = ("level_before", "level_after")
COLUMNS = """
    origin, source_id, record_no, kind, campaign, document_id, section, git_revision, varied,
    shared_id, configuration_id, metric, unit, more_is_better, level_before, level_after, until_utc,
    baseline_runs, candidate_runs, baseline, candidate, verdict, estimate,
    if(isfinite(low), low, NULL) AS low, if(isfinite(high), high, NULL) AS high, change_unit,
    if(isfinite(noise), noise, NULL) AS noise, noise_source, reason, more_runs
"""
JUDGED = (
    "baseline_runs", "candidate_runs", "baseline", "candidate", "estimate", "low", "high",
    "noise", "noise_source", "verdict", "reason", "more_runs",
)  # fmt: skip
SCHEMA = (
    "pair_no BIGINT, change_unit VARCHAR, baseline_runs BIGINT, candidate_runs BIGINT, "
    "baseline DOUBLE, candidate DOUBLE, estimate DOUBLE, low DOUBLE, high DOUBLE, noise DOUBLE, "
    "noise_source VARCHAR, verdict VARCHAR, reason VARCHAR, more_runs BIGINT"
)


def model(dbt, session):
    """Build the table: one row per pair."""
    dbt.config(materialized="table")
    figures = dbt.ref("pair_figure")
    session.sql(f"CREATE OR REPLACE TEMP TABLE judged ({SCHEMA})")
    pairs = figures.project("*, row_number() OVER () AS pair_no").to_arrow_table()
    if pairs.num_rows:
        import polars as pl

        rows = pl.DataFrame(judge(pl.from_arrow(pairs)), infer_schema_length=None)
        session.register("verdicts", rows.to_arrow())
        session.sql("INSERT INTO judged BY NAME SELECT * FROM verdicts")
    session.register("pairs", pairs)
    return session.sql(f"SELECT {COLUMNS} FROM pairs JOIN judged USING (pair_no)")


def judge(pairs):
    """Return the verdict on each row of pair_figure."""
    from itertools import groupby

    def family(row):
        names = FAMILY if row["kind"] in ("factor", "expected") else FAMILY + SIDES
        return [str(row[name]) for name in names]

    rows = sorted(pairs.iter_rows(named=True), key=family)
    verdicts = []
    for _, of in groupby(rows, family):
        some = list(of)
        kinds = {"expected": _against_expected, "factor": _of_factor}
        verdicts += zip(some, kinds.get(some[0]["kind"], _of_labels)(some), strict=True)
    return [
        {"pair_no": row["pair_no"], "change_unit": verdict.unit}
        | {name: getattr(verdict, name) for name in JUDGED}
        for row, verdict in verdicts
    ]


def _against_expected(rows):
    from expectations.verdicts.prints import against_claim, figure_of

    verdicts = []
    for row in rows:
        value, expected = 100 + row["improvement"], 100 + row["expected"]
        figure = figure_of(value, value, [row["baseline_values"], row["candidate_values"]])
        verdicts.append(against_claim([figure], expected, expected, unit="%"))
    return verdicts


def _of_factor(rows):
    """Judge the best level of a factor and the next: a print has the noise of its document."""
    from expectations.verdicts.prints import against_print
    from expectations.verdicts.samples import compare_many

    if rows[0]["origin"] != "published":
        return compare_many(
            [row["baseline_values"] for row in rows],
            [row["candidate_values"] for row in rows],
            [_measure(row) for row in rows],
        )
    sides = [(row["candidate_values"], row["baseline_values"]) for row in rows]
    return [against_print(best, sum(following) / len(following)) for best, following in sides]


def _of_labels(rows):
    from expectations.verdicts.builds import Samples, compare_builds

    return compare_builds([
        Samples(
            row["baseline_values"],
            row["candidate_values"],
            _measure(row),
            (row["metric"], row["unit"]),
            (row["baseline_builds"], row["candidate_builds"]),
            row["are_same_builds"],
            row["history"],
        )
        for row in rows
    ])  # fmt: skip


def _measure(row):
    from expectations.metrics import measure_of

    return measure_of(row["metric"], row["unit"], row["more_is_better"])
