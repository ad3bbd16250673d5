"""What a name leads to: systems, queue managers, campaigns, builds, regressions and runs."""

from __future__ import annotations

from typing import NamedTuple

import polars as pl

from app.results.labels import figure_of
from app.results.queries import regressions
from app.results.queries.owners import OWNERS, record_owners
from app.results.reader import Reader

__all__ = ["Destination", "destinations"]

_MOST = 50  # of one kind
_HEALTH = {"system": "system-health", "queue manager": "mq-health"}


class Destination(NamedTuple):
    """A name, the page that it leads to, and the parameters of the address there."""

    words: str
    path: str
    parameters: dict[str, str | list[str]]


def destinations(reader: Reader, text: str) -> list[Destination]:
    """Return what has this text in its name, in any case; the latest campaigns and runs first."""
    places = [
        Destination(
            f"{owner.label} {record_owner.label}",
            _HEALTH[kind],
            {"origin": record_owner.origin, owner.key: [record_owner.label]},
        )
        for kind, owner in OWNERS.items()
        for record_owner in record_owners(reader, owner)
    ]
    places += [
        Destination(f"{figure_of(row)}, regression {row['regression_id']}", "regressions",
              {"id": row["regression_id"]})
        for row in regressions.known(reader).iter_rows(named=True)
    ]  # fmt: skip
    wanted = [place for place in places if text.lower() in place.words.lower()]
    # A campaign and a build are one level of the runs, so that all three are asked for alike.
    levels = (
        ("campaign", "campaign", "Campaign", "runs", ("campaign", "origin")),
        ("git_revision", "build", "Build", "runs", ("campaign", "origin")),
        ("run_id", "run", "Run", "run", ("run",)),
    )
    for column, name, word, path, keys in levels:
        rows = reader.frame(
            f"""
            select
                {column} as {name}, origin,
                {"campaign," if column == "git_revision" else ""} max(stop_utc) as last
            from marts.fct_run
            where contains(lower({column}), lower($1))
            group by all
            order by last desc nulls last, {name}
            limit {_MOST}
            """,
            (text,),
        )
        campaign = pl.format(" of {}", "campaign") if name == "build" else pl.lit("")
        for row in rows.with_columns(of=campaign).iter_rows(named=True):
            parameters = {key: row[key] for key in keys if row[key] is not None}
            wanted.append(Destination(f"{word} {row[name]}{row['of'] or ''}", path, parameters))
    return wanted
