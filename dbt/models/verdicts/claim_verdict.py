"""Verdicts on the claims of documents, by the runs that decide them."""

KEYS = "claim_id, origin, campaign"
OF_CLAIM = (
    "comparator", "claimed_low", "claimed_high", "tolerance", "unit", "is_limit", "method",
    "parts", "parts_of_claim",
)  # fmt: skip
SCHEMA = (
    "claim_id BIGINT, origin VARCHAR, campaign VARCHAR, verdict VARCHAR, held_against DOUBLE, "
    "estimate DOUBLE, low DOUBLE, high DOUBLE, noise DOUBLE, noise_source VARCHAR, reason VARCHAR"
)
# What a figure is if there is no effect.
WITHOUT = {"ratio": 1.0, "percent_of": 100.0} | dict.fromkeys(
    ("percent_change", "percent_change_size", "percent_lower"), 0.0
)


def model(dbt, session):
    """Build the table: one row per claim, origin and campaign with figures."""
    dbt.config(materialized="table")
    of_claim = ", ".join(f"any_value({name})" for name in OF_CLAIM)
    figure = "(value, size, candidate_values, baseline_values)"
    figures = f"list({figure} ORDER BY {figure})"  # of equal values, always the same decides
    rows = dbt.ref("claim_figure").aggregate(f"{KEYS}, {of_claim}, {figures}", KEYS)
    session.sql(f"CREATE OR REPLACE TEMP TABLE judged ({SCHEMA})")
    judged = [
        (*keys, *judge(dict(zip(OF_CLAIM, claim, strict=True)), figures))
        for *keys, claim, figures in ((*row[:3], row[3:-1], row[-1]) for row in rows.fetchall())
    ]
    if judged:
        session.executemany(f"INSERT INTO judged VALUES ({', '.join('?' * 11)})", judged)
    return session.sql("SELECT * FROM judged")


def judge(claim, figures):
    """Return the verdict on a claim; the largest of some figures is not that of all."""
    from expectations.verdicts.prints import against_claim, figure_of
    from expectations.verdicts.verdict import DIFFERS, NOT_JUDGED

    comparator, low, high = (claim[name] for name in ("comparator", "claimed_low", "claimed_high"))
    is_up_to = comparator == "<=" and not claim["is_limit"]
    is_maximum = claim["method"] == "maximum"
    samples = [figure_of(value, size, samples) for value, size, *samples in figures]
    judged = against_claim(
        [max(samples)] if is_maximum else samples,
        None if comparator in ("<", "<=") else low,
        None if comparator in (">", ">=") else high,
        reach=high if is_up_to else None,
        without=WITHOUT.get(claim["method"]),
        tolerance=claim["tolerance"],
        unit=claim["unit"],
    )
    verdict, reason = judged.verdict, judged.reason
    parts, whole = claim["parts"], claim["parts_of_claim"]
    is_short = (is_up_to or is_maximum) and (high is None or judged.candidate <= high)
    if verdict == DIFFERS and is_short and parts < whole:
        verdict, reason = NOT_JUDGED, f"{parts} of its {whole} configurations have runs"
    return (
        *(verdict, judged.baseline, judged.estimate, judged.low, judged.high, judged.noise),
        *(judged.noise_source, reason),
    )
