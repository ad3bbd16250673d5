-- What can be the baseline. First what most configurations share with a later level of the same
-- label, with three complete runs or more on both sides, so that a difference can be decided.
with run as (
    select run.*, factor.factors_id
    from marts.fct_run as run
    join marts.dim_configuration as factor using (configuration_id)
    where run.is_compared
),

level as (
    select
        1 as kind, 'git_revision=' || git_revision as side, configuration_id as shared,
        count(*) as runs, max(stop_utc) as last_utc
    from run where git_revision is not null group by all
    union all
    select 2, 'mq_level=' || mq_level, concat_ws('|', factors_id, machine), count(*), max(stop_utc)
    from run where mq_level is not null group by all
    union all
    select 3, 'machine=' || machine, concat_ws('|', factors_id, mq_level), count(*), max(stop_utc)
    from run where machine is not null group by all
    union all
    select 4, 'campaign=' || campaign, factors_id, count(*), max(stop_utc)
    from run where campaign is not null group by all
),

pair as (
    select
        earlier.side,
        count(*) filter (where earlier.runs >= 3 and later.runs >= 3) as decidable
    from level as earlier
    join level as later
        on earlier.kind = later.kind and earlier.shared = later.shared
        and earlier.side <> later.side and earlier.last_utc < later.last_utc
    group by earlier.side, later.side
)

select level.side
from level
left join pair using (side)
group by level.side
order by
    coalesce(max(pair.decidable), 0) > 0 desc, max(pair.decidable) is not null desc,
    max(level.last_utc) desc, level.side
