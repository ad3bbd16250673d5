"""What the build found wrong with the data."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from app.results.reader import Reader

__all__ = ["MOST", "counts", "found", "runs", "systems", "unknown"]

MOST = 1000  # rows of `found` and `unknown`

_SEVERITIES = "['error', 'warning', 'note']"
# A sysplex and a system, as pages show them.
_SYSTEM = "concat_ws('/', nullif(sysplex, ''), system_id)"


# Kinds of figures, as people write them.
_WRITTEN = "case {0} when 'cpu' then 'CPU' when 'mq' then 'MQ' when 'ziip' then 'zIIP' else {0} end"
_AFFECTS = f"list_transform(affects, lambda a: {_WRITTEN.format('a')})"


def counts(reader: Reader) -> pl.DataFrame:
    """Return one row per severity and kind, errors first: findings, systems, first_at, last_at."""
    return reader.frame(
        f"""
        select
            severity,
            kind,
            count(*) as findings,
            count(distinct {_SYSTEM}) filter (where system_id is not null) as systems,
            min(start_utc) as first_at,
            max(end_utc) as last_at,
            list_sort(list_distinct(flatten(list({_AFFECTS})))) as affects
        from marts.fct_data_issue
        group by severity, kind
        order by array_position({_SEVERITIES}, severity), findings desc, kind
        """
    )


def systems(reader: Reader) -> list[str]:
    """Return the systems with findings, as SYSPLEX/SYSTEM."""
    return reader.frame(
        f"select distinct {_SYSTEM} from marts.fct_data_issue "
        "where system_id is not null order by 1"
    ).to_series().to_list()  # fmt: skip


def runs(reader: Reader) -> list[str]:
    """Return the runs that findings are about, or that took place at their time on their system."""
    return reader.frame(
        f"select distinct about.run_id from ({_ABOUT}) as about order by 1"
    ).to_series().to_list()  # fmt: skip


def found(
    reader: Reader,
    *,
    severities: Sequence[str] = (),
    kinds: Sequence[str] = (),
    systems: Sequence[str] = (),
    run: str = "",
    most: int = MOST,
) -> pl.DataFrame:
    """Return the chosen findings, errors first, then by time; at most `most`.

    Nothing chosen means all. `run`: those about this run, or at its time on one of its systems.
    """
    return reader.frame(
        f"""
        with issue as (
            select
                *,
                {_SYSTEM} as system,
                row_number() over () as place
            from marts.fct_data_issue
        ),

        load as (select distinct source_id, path from marts.dim_load),

        about as ({_ABOUT})

        select
            issue.* exclude (affects, place),
            array_to_string({_AFFECTS}, ', ') as affects,
            path
        from issue
        left join load using (source_id)
        where
            (len($1) = 0 or list_contains($1, severity))
            and (len($2) = 0 or list_contains($2, kind))
            and (len($3) = 0 or list_contains($3, system))
            and ($4 = '' or exists (
                from about
                where
                    about.run_id = $4
                    and about.source_id = issue.source_id
                    and about.record_no = issue.record_no
                    and about.kind = issue.kind
            ))
        order by
            array_position({_SEVERITIES}, severity), start_utc, system, subject, kind, place
        limit {most}
        """,
        (tuple(severities), tuple(kinds), tuple(systems), run),
    )


def unknown(reader: Reader, *, systems: Sequence[str] = ()) -> pl.DataFrame:
    """Return the periods in which figures of the chosen systems are not known, the longest first.

    Columns: system, figures, start_utc, end_utc, seconds, issue_kinds; no kinds: without records.
    """
    return reader.frame(
        f"""
        select
            {_SYSTEM} as system, {_WRITTEN.format("figures")} as figures, start_utc, end_utc,
            epoch(end_utc - start_utc) as seconds, issue_kinds
        from marts.fct_completeness
        where not is_known and (len($1) = 0 or list_contains($1, system))
        order by seconds desc, system, figures, start_utc
        limit {MOST}
        """,
        (tuple(systems),),
    )


# Which findings concern which runs: those about the run itself, and those whose time the run shares
# on one of its systems.
_ABOUT = """
    select run_id, source_id, record_no, kind
    from marts.fct_data_issue where run_id is not null
    union
    select run.run_id, issue.source_id, issue.record_no, issue.kind
    from marts.fct_data_issue as issue
    inner join marts.fct_run_coverage as part
        on issue.origin = part.origin and issue.system_id = part.system_id
    inner join marts.fct_run as run
        on
            part.origin = run.origin
            and part.run_id = run.run_id
            and issue.start_utc < run.stop_utc
            and issue.end_utc > run.start_utc
    where issue.run_id is null
"""
