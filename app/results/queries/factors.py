"""What each factor and file does to rate and cost, of runs and of published figures."""

from __future__ import annotations

import polars as pl

from app.results.reader import Reader

__all__ = ["by_factor", "levels", "per_file", "sources"]

_WHERE = "origin = $1 and coalesce(campaign, document_id) = $2"
_GROUP = "coalesce(git_revision, section, '')"
_KEY = ("origin", "campaign", "document_id", "section", "git_revision", "metric")


def sources(reader: Reader) -> pl.DataFrame:
    """Return origin, campaign or document, and build or section, of all that have factors.

    Latest first; documents after campaigns.
    """
    return reader.frame(
        f"""
        with seen as (
            select origin, coalesce(campaign, document_id) as source, {_GROUP} as part,
                document_id is not null as is_document
            from marts.fct_by_factor
            union
            select origin, coalesce(campaign, document_id), {_GROUP}, document_id is not null
            from marts.fct_per_file_overhead
        ),

        started as (
            select campaign as source, coalesce(git_revision, '') as part, max(start_utc) as last
            from marts.fct_run
            group by all
        )

        select origin, source, part
        from seen
        left join started using (source, part)
        where source is not null
        order by is_document, origin, max(last) over (partition by source) desc nulls last, source,
            last desc nulls last, part
        """
    )


def by_factor(reader: Reader, origin: str, source: str, part: str) -> pl.DataFrame:
    """Return one row per factor, metric and setting of the rest, the largest effect first.

    spread_percent: of the largest mean over the least; by_level: list of level, value, figures;
    next_level, verdict, change, low, high: of the best level against the next; null without a
    direction.
    """
    return reader.frame(
        f"""
        select
            factor, by_factor.metric, by_factor.unit, configuration, by_level, levels, best_level,
            best_value, level_before as next_level, verdict, estimate as change, low, high,
            spread_percent_of_least as spread_percent
        from marts.fct_by_factor as by_factor
        left join (from marts.fct_comparison where kind = 'factor') as judged
            on {" and ".join(f"by_factor.{c} is not distinct from judged.{c}" for c in _KEY)}
            and factor = varied and others_id = shared_id
        where
            by_factor.origin = $1
            and coalesce(by_factor.campaign, by_factor.document_id) = $2
            and coalesce(by_factor.git_revision, by_factor.section, '') = $3
        order by
            factor, spread_percent_of_least desc nulls last, by_factor.metric, configuration
        """,
        (origin, source, part),
    )


def levels(effects: pl.DataFrame) -> pl.DataFrame:
    """Turn `by_factor` into one row per level: configuration, level, value, figures."""
    return effects.select("configuration", "by_level").explode("by_level").unnest("by_level")


def per_file(reader: Reader, origin: str, source: str, part: str) -> pl.DataFrame:
    """Return one row per configuration and metric: ms per file and per MB, and their fit."""
    return reader.frame(
        f"""
        select
            configuration, metric, ms_per_file, ms_per_file_standard_error, ms_per_mb,
            without_overhead, unit, sizes, r2
        from marts.fct_per_file_overhead
        where {_WHERE} and {_GROUP} = $3
        order by metric, ms_per_file desc nulls last
        """,
        (origin, source, part),
    )
