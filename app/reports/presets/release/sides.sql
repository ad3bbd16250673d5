-- What can be the baseline: the side before the latest first.
with side as (
    select 'git_revision=' || git_revision as side, max(stop_utc) as last_utc, 1 as kind
    from marts.fct_run where git_revision is not null group by side
    union all
    select 'mq_level=' || mq_level, max(stop_utc), 2
    from marts.fct_run where mq_level is not null group by 1
    union all
    select 'machine=' || machine, max(stop_utc), 3
    from marts.fct_run where machine is not null group by 1
    union all
    select 'campaign=' || campaign, max(stop_utc), 4
    from marts.fct_run where campaign is not null group by 1
),

ordered as (
    select side, kind, last_utc, row_number() over (partition by kind order by last_utc desc) as n
    from side
)

select side
from ordered
order by n = 1, kind, last_utc desc, side
