"""Levels of series of sessions: where they begin and end, and the verdict on each."""

KEY = ("origin", "campaign", "configuration_id", "metric", "unit", "more_is_better")
SCHEMA = (
    "origin VARCHAR, source_id VARCHAR, record_no BIGINT, campaign VARCHAR, "
    "configuration_id VARCHAR, metric VARCHAR, level_no INTEGER, is_current BOOLEAN, "
    "first_utc TIMESTAMP, last_utc TIMESTAMP, first_session_no BIGINT, last_session_no BIGINT, "
    "sessions BIGINT, runs BIGINT, unit VARCHAR, more_is_better BOOLEAN, level DOUBLE, "
    "level_low DOUBLE, level_high DOUBLE, usual_low DOUBLE, usual_high DOUBLE, "
    "last_value DOUBLE, level_before DOUBLE, verdict VARCHAR, change DOUBLE, "
    "change_low DOUBLE, change_high DOUBLE, change_unit VARCHAR, noise_source VARCHAR, "
    "reason VARCHAR, last_verdict VARCHAR, last_reason VARCHAR"
)
ENDS = ("change_low", "change_high")  # unknown where they are infinite
LEAST_RUNS = 3  # that show where runs of a level are; also sessions before the last one
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
    ends = ", ".join(f"if(isfinite({end}), {end}, NULL) AS {end}" for end in ENDS)
    return session.sql(f"SELECT * REPLACE ({ends}) FROM levels")


def judge(series):
    """Return the levels of series, each with the verdict on it against the one before."""
    from expectations.detector import find_changes_many
    from expectations.detector.significance import NIGHTLY
    from expectations.metrics import measure_of

    long = [row for row in series if len(row["values_of_sessions"]) >= LEAST_SESSIONS]
    changes_of_long = iter(
        find_changes_many(
            [row["values_of_sessions"] for row in long],
            alpha=NIGHTLY,
            families=[(row["origin"], row["campaign"]) for row in long],
        )
    )
    rows = []
    for row in series:
        measure = measure_of(row["metric"], row["unit"] or "", row["more_is_better"])
        is_long = len(row["values_of_sessions"]) >= LEAST_SESSIONS
        changes = next(changes_of_long) if is_long else None
        has_level = changes is None or (changes.shape == "levels" and not changes.wanders)
        starts = [each.index for each in changes.changes if each.kind == "level"] if changes else []
        rows += _levels(row, measure, [0, *starts] if has_level else [0], has_level=has_level)
    _judge_last(rows)
    return rows


def _judge_last(rows):
    """Add the verdict on the last session of each series; one campaign's are judged together."""
    from itertools import groupby

    from expectations.verdicts.samples import ALPHA, largest_level
    from expectations.verdicts.verdict import NOT_JUDGED, SAME, SUSPECTED

    def campaign(row):
        return row["origin"], row["campaign"] or ""

    for _, group in groupby(sorted(rows, key=campaign), campaign):
        levels = list(group)
        p_values = [level.pop("last_p_value") for level in levels]
        highest = largest_level([p for p in p_values if p is not None], ALPHA)
        for level, p in zip(levels, p_values, strict=True):
            verdict, reason = SAME, "its last session is where the others at its level are"
            if not level["is_current"]:
                verdict = reason = None
            elif p is not None and p <= highest:
                verdict, reason = SUSPECTED, "its last session is far from its level"
                if level["level"]:
                    change = 100 * (level["last_value"] / level["level"] - 1)
                    reason = f"its last session is {change:+.1f} % from its level"
            elif level["level_no"] > 1:
                verdict = level["verdict"]
                reason = f"since {level['first_utc']:%Y-%m-%d}: {level['reason']}"
            elif p is None:
                verdict = NOT_JUDGED
                few = f"fewer than {LEAST_RUNS} sessions are at its level before the last one"
                reason = few if level["sessions"] <= LEAST_RUNS else level["reason"]
            level |= {"last_verdict": verdict, "last_reason": reason}


def _levels(series, measure, starts, *, has_level):
    from expectations.verdicts.builds import noise_between
    from expectations.verdicts.samples import Between, compare, further_p_value, mean_interval
    from expectations.verdicts.verdict import NOT_JUDGED

    values = series["values_of_sessions"]
    ends = [*starts[1:], len(values)]
    rows = []
    for number, (start, end) in enumerate(zip(starts, ends, strict=True)):
        at_level, is_current = values[start:end], end == len(values)
        before = values[starts[number - 1] : start] if number else []
        judged = None
        if before:
            stretches = [[[value] for value in stretch] for stretch in (before, at_level)]
            between = Between(
                noise_between(stretches, measure), builds=(len(before), len(at_level))
            )
            judged = compare(before, at_level, measure, between=between)
        reason = "the series has no level before" if has_level else "the series keeps no level"
        low, high = mean_interval(at_level, measure) or (None, None)
        figures = [each for session in series["figures_of_sessions"][start:end] for each in session]
        is_usual = has_level and len(figures) >= LEAST_RUNS
        usual = mean_interval(figures, measure, of_a_run=True) if is_usual else None
        if usual and min(figures) == max(figures):
            usual = (figures[0], figures[0])
        is_last_judged = is_current and has_level and len(at_level) > LEAST_RUNS
        rows.append({
            **{name: series[name] for name in KEY},
            "source_id": series["source_ids"][start],
            "record_no": series["record_nos"][start],
            "level_no": number + 1,
            "is_current": is_current,
            "first_utc": series["first_utcs"][start],
            "last_utc": series["first_utcs"][end - 1],
            "first_session_no": series["session_nos"][start],
            "last_session_no": series["session_nos"][end - 1],
            "sessions": end - start,
            "runs": len(figures),
            "level": judged.candidate if judged else _mean(at_level, measure),
            "level_low": low,
            "level_high": high,
            "usual_low": usual and usual[0],
            "usual_high": usual and usual[1],
            "last_value": at_level[-1],
            "level_before": judged.baseline if judged else None,
            "verdict": judged.verdict if judged else NOT_JUDGED,
            "change": judged.estimate if judged else None,
            "change_low": judged.low if judged else None,
            "change_high": judged.high if judged else None,
            "change_unit": judged.unit if judged else None,
            "noise_source": judged.noise_source if judged else None,
            "reason": judged.reason if judged else reason,
            "last_p_value": further_p_value(at_level[:-1], at_level[-1], measure)
            if is_last_judged
            else None,
        })  # fmt: skip
    return rows


def _mean(values, measure):
    import numpy as np

    array = np.asarray(values, dtype=float)
    scale = measure.scale(array)
    return scale.figure(float(scale.of(array).mean()))
