"""Choose two sets of runs by a shared label, and compare them."""

from __future__ import annotations

import math
from functools import lru_cache
from pathlib import Path

import polars as pl

from app.results.comparison import ComparedRuns, compare_runs
from app.results.labels import metric_label, short_labels, unit_label
from app.results.reader import Reader, Version

__all__ = ["SIDES", "VERDICTS", "compared", "frame_of", "latest_pair", "levels"]

#: The verdicts, most important first, and their colours, which suit both themes.
VERDICTS = {
    "worse": "#d6455d",
    "better": "#2f9e6e",
    "not enough runs": "#d9a13b",
    "same": "#8a93a3",
}
#: What a side can be chosen by: a column of marts.fct_run, and its name on the page.
SIDES = {
    "git_revision": "Build",
    "campaign": "Campaign",
    "mq_level": "MQ level",
    "machine": "Machine",
}
#: What runs must share to be compared by each of these.
_SHARED = {
    "git_revision": "configuration_id",
    "campaign": "factors_id",
    "mq_level": "concat_ws('|', factors_id, fct_run.machine)",
    "machine": "concat_ws('|', factors_id, fct_run.mq_level)",
}


def levels(reader: Reader) -> pl.DataFrame:
    """Return one row per origin, label and level: the number of runs; latest level first."""
    each = " union all by name ".join(
        f"select origin, '{label}' as label, {label} as level, count(*) as runs,"
        f" max(start_utc) as last_utc from marts.fct_run where {label} is not null group by all"
        for label in SIDES
    )
    return reader.frame(f"from ({each}) order by origin, label, last_utc desc, level")


def latest_pair(reader: Reader, origin: str, label: str) -> tuple[str, str] | None:
    """Return the latest level that can be compared, and the earlier one to compare it with."""
    found = reader.frame(
        f"""
        with level as (
            select {label} as level, max(start_utc) as last_utc
            from marts.fct_run
            where origin = ? and {label} is not null
            group by all
        ),
        side as (
            select distinct level, last_utc, {_SHARED[label]} as shared
            from marts.fct_run
            join marts.dim_configuration using (configuration_id)
            join level on fct_run.{label} = level.level
            where fct_run.origin = ? and is_compared
        ),
        followed as (
            select
                level, last_utc,
                lag(level) over earlier as before, lag(last_utc) over earlier as before_utc
            from side
            window earlier as (partition by shared order by last_utc, level)
        )
        select level, before
        from followed
        where before is not null
        order by last_utc desc, before_utc desc, level, before
        limit 1
        """,
        (origin, origin),
    )
    return None if found.is_empty() else found.row(0)


def compared(
    reader: Reader, baseline: str, candidate: str, ignore: tuple[str, ...], *, parts: bool
) -> ComparedRuns:
    """Compare two sides, named as in app.results.comparison. Raises SelectionError."""
    return _kept(reader.version, baseline, candidate, ignore, parts)


@lru_cache(maxsize=32)
def _kept(
    version: Version, baseline: str, candidate: str, ignore: tuple[str, ...], parts: bool
) -> ComparedRuns:
    with Reader(Path(version.path)).connection() as db:
        return compare_runs(db, baseline, candidate, ignore=ignore, parts=parts)


def frame_of(compared: ComparedRuns) -> pl.DataFrame:
    """Return one row per compared metric, most important first; changes in percent."""
    short = short_labels([pair.configuration for pair in compared.pairs])

    def percent(ratio: float) -> float | None:
        return 100 * (ratio - 1) if 0 < ratio < math.inf else None

    rows = [
        {
            "name": ": ".join(
                (
                    short[p.configuration],
                    " of ".join(filter(None, (metric_label(p.metric), p.part))),
                )
            ),
            "configuration": p.configuration,
            "metric": p.metric,
            "label": metric_label(p.metric),
            "part": p.part,
            "unit": unit_label(p.unit),
            "baseline": p.baseline,
            "candidate": p.candidate,
            "change": percent(p.judged.ratio),
            "low": percent(p.judged.low),
            "high": percent(p.judged.high),
            "verdict": p.judged.verdict,
            "runs": f"{p.judged.baseline_runs} and {p.judged.candidate_runs}",
            "more_runs": p.judged.more_runs if p.judged.verdict == "not enough runs" else None,
        }
        for p in compared.pairs
    ]
    ranks = {verdict: place for place, verdict in enumerate(VERDICTS)}
    return pl.DataFrame(rows, infer_schema_length=None).sort(
        pl.col("verdict").replace_strict(ranks, return_dtype=pl.Int64), -pl.col("change").abs()
    )
