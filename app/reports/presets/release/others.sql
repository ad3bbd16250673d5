-- What the baseline can be compared with: other levels of the same label, the latest first.
with side as (
    select 'git_revision=' || git_revision as side, max(stop_utc) as last_utc
    from marts.fct_run where git_revision is not null group by side
    union all
    select 'mq_level=' || mq_level, max(stop_utc)
    from marts.fct_run where mq_level is not null group by 1
    union all
    select 'machine=' || machine, max(stop_utc)
    from marts.fct_run where machine is not null group by 1
    union all
    select 'campaign=' || campaign, max(stop_utc)
    from marts.fct_run where campaign is not null group by 1
)

select side
from side
where side <> $baseline
order by split_part(side, '=', 1) <> split_part($baseline, '=', 1), last_utc desc, side
