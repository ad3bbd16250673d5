"""Two sets of runs, chosen by what they have in common, and the judgement between them."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import polars as pl

from app.comparison import ComparedRuns, compare_runs
from app.dashboard.reader import Reader, Version

__all__ = ["SIDES", "compared", "levels"]

#: What a side can be chosen by: a column of marts.fct_run, and its name to a reader.
SIDES = {
    "git_revision": "Build",
    "campaign": "Campaign",
    "mq_level": "MQ level",
    "machine": "Machine",
}


def levels(reader: Reader) -> pl.DataFrame:
    """One row an origin, label and level that runs have: runs; the latest level first."""
    each = " union all by name ".join(
        f"select origin, '{label}' as label, {label} as level, count(*) as runs,"
        f" max(start_utc) as last_utc from marts.fct_run where {label} is not null group by all"
        for label in SIDES
    )
    return reader.frame(f"from ({each}) order by origin, label, last_utc desc, level")


def compared(
    reader: Reader, baseline: str, candidate: str, ignore: tuple[str, ...], *, parts: bool
) -> ComparedRuns:
    """The comparison of two sides, as app.comparison names them. Raises SelectionError."""
    return _kept(reader.version, baseline, candidate, ignore, parts)


@lru_cache(maxsize=32)
def _kept(
    version: Version, baseline: str, candidate: str, ignore: tuple[str, ...], parts: bool
) -> ComparedRuns:
    with Reader(Path(version.path)).connection() as db:
        return compare_runs(db, baseline, candidate, ignore=ignore, parts=parts)
