"""Levels of series of sessions: where they begin and end, and the verdict on each."""

KEY = ("origin", "campaign", "configuration_id", "metric", "unit", "more_is_better")
SCHEMA = (
    "origin VARCHAR, campaign VARCHAR, configuration_id VARCHAR, metric VARCHAR, unit VARCHAR, "
    "more_is_better BOOLEAN, source_id VARCHAR, record_no BIGINT, level_no INTEGER, "
    "is_current BOOLEAN, first_session_no BIGINT, last_session_no BIGINT, first_utc TIMESTAMP, "
    "last_utc TIMESTAMP, sessions BIGINT, runs BIGINT, "
    "level DOUBLE, level_low DOUBLE, level_high DOUBLE, usual_low DOUBLE, usual_high DOUBLE, "
    "last_value DOUBLE, level_before DOUBLE, verdict VARCHAR, change DOUBLE, "
    "change_low DOUBLE, change_high DOUBLE, change_unit VARCHAR, "
    "noise_source VARCHAR, reason VARCHAR"
)
LEAST_RUNS = 3  # that show where runs of a level are
LEAST_SESSIONS = 12  # of a series that has several levels, as in expectations/regressions


def model(dbt, session):
    """Build the table: one row per series and level."""
    dbt.config(materialized="table")
    series = dbt.ref("series_figure").to_arrow_table()
    session.sql(f"CREATE OR REPLACE TEMP TABLE levels ({SCHEMA})")
    if series.num_rows:
        import polars as pl

        rows = pl.DataFrame(judge(series.to_pylist()), infer_schema_length=None)
        session.register("rows_of_levels", rows.to_arrow())
        session.sql("INSERT INTO levels BY NAME SELECT * FROM rows_of_levels")
    return session.sql("SELECT * FROM levels")


def judge(series):
    """Return the levels of series, each with the verdict on it against the one before."""
    from expectations.detector import find_changes_many
    from expectations.detector.significance import NIGHTLY
    from expectations.metrics import measure_of

    is_long = [len(of["values_of_sessions"]) >= LEAST_SESSIONS for of in series]
    long = [of for of, is_one in zip(series, is_long, strict=True) if is_one]
    found = find_changes_many(
        [of["values_of_sessions"] for of in long],
        alpha=NIGHTLY,
        families=[(of["origin"], of["campaign"]) for of in long],
    )
    of_long = iter(found)
    rows = []
    for of, is_one in zip(series, is_long, strict=True):
        measure = measure_of(of["metric"], of["unit"] or "", of["more_is_better"])
        changes = next(of_long) if is_one else None
        has_level = changes is None or (changes.shape == "levels" and not changes.wanders)
        starts = [of.index for of in changes.changes if of.kind == "level"] if changes else []
        rows += _levels(of, measure, [0, *starts] if has_level else [0], has_level=has_level)
    return rows


def _levels(of, measure, starts, *, has_level):
    from expectations.verdicts.builds import noise_between
    from expectations.verdicts.samples import Between, compare, mean_interval
    from expectations.verdicts.verdict import NOT_JUDGED

    values = of["values_of_sessions"]
    ends = [*starts[1:], len(values)]
    rows = []
    for number, (start, end) in enumerate(zip(starts, ends, strict=True)):
        own = values[start:end]
        before = values[starts[number - 1] : start] if number else []
        judged = None
        if before:
            noise = noise_between([[[of] for of in stretch] for stretch in (before, own)], measure)
            between = Between(noise, builds=(len(before), len(own)))
            judged = compare(before, own, measure, between=between)
        reason = "the series has no level before" if has_level else "the series keeps no level"
        low, high = mean_interval(own, measure) or (None, None)
        figures = [each for session in of["figures_of_sessions"][start:end] for each in session]
        is_usual = has_level and len(figures) >= LEAST_RUNS
        usual = mean_interval(figures, measure, of_a_run=True) if is_usual else None
        if usual and min(figures) == max(figures):
            usual = (figures[0], figures[0])
        rows.append({
            **{name: of[name] for name in KEY},
            "source_id": of["source_ids"][start],
            "record_no": of["record_nos"][start],
            "level_no": number + 1,
            "is_current": end == len(values),
            "first_utc": of["first_utcs"][start],
            "last_utc": of["first_utcs"][end - 1],
            "first_session_no": of["session_nos"][start],
            "last_session_no": of["session_nos"][end - 1],
            "sessions": end - start,
            "runs": len(figures),
            "level": judged.candidate if judged else _mean(own, measure),
            "level_low": low,
            "level_high": high,
            "usual_low": usual and usual[0],
            "usual_high": usual and usual[1],
            "last_value": own[-1],
            "level_before": judged.baseline if judged else None,
            "verdict": judged.verdict if judged else NOT_JUDGED,
            "change": judged.estimate if judged else None,
            "change_low": judged.low if judged else None,
            "change_high": judged.high if judged else None,
            "change_unit": judged.unit if judged else None,
            "noise_source": judged.noise_source if judged else None,
            "reason": judged.reason if judged else reason,
        })  # fmt: skip
    return rows


def _mean(values, measure):
    import numpy as np

    array = np.asarray(values, dtype=float)
    scale = measure.scale(array)
    return scale.figure(float(scale.of(array).mean()))
