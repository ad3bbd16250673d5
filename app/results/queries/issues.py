"""What the build found wrong with the data."""

from __future__ import annotations

import polars as pl

from app.results.reader import Reader

__all__ = ["data_issues"]


def data_issues(reader: Reader, run: str = "", most: int = 1000) -> pl.DataFrame:
    """Return findings, errors first, then by time; at most `most`.

    `run`: those about this run, or at its time on one of its systems; "" for all.
    """
    return reader.frame(
        f"""
        select
            issue.* exclude (affects), concat_ws('/', nullif(sysplex, ''), system_id) as system,
            array_to_string(affects, ', ') as affects,
            (select any_value(path) from marts.dim_load where source_id = issue.source_id) as path
        from marts.fct_data_issue as issue
        where
            $1 in ('', issue.run_id)
            or issue.run_id is null and exists (
                from marts.fct_run as run
                inner join marts.fct_run_coverage as part using (origin, run_id)
                where
                    run.run_id = $1 and run.origin = issue.origin
                    and part.system_id = issue.system_id
                    and issue.start_utc < run.stop_utc and issue.end_utc > run.start_utc
            )
        order by
            array_position(['error', 'warning', 'note'], severity), start_utc, system, subject,
            kind, record_no
        limit {most}
        """,
        (run,),
    )
