-- What can be the candidate: other levels of the baseline's label, those first that share the most
-- configurations with it, with three runs or more on both sides.
with run as (
    select run.*, factor.factors_id
    from marts.fct_run as run
    join marts.dim_configuration as factor using (configuration_id)
    where run.is_compared
),

level as (
    select 'git_revision=' || git_revision as side, configuration_id as shared,
        count(*) as runs, max(stop_utc) as last_utc
    from run where git_revision is not null group by all
    union all
    select 'mq_level=' || mq_level, concat_ws('|', factors_id, machine), count(*), max(stop_utc)
    from run where mq_level is not null group by all
    union all
    select 'machine=' || machine, concat_ws('|', factors_id, mq_level), count(*), max(stop_utc)
    from run where machine is not null group by all
    union all
    select 'campaign=' || campaign, factors_id, count(*), max(stop_utc)
    from run where campaign is not null group by all
)

select other.side
from level as other
left join level as own on own.side = $baseline and own.shared = other.shared
where other.side <> $baseline
group by other.side
order by
    split_part(other.side, '=', 1) <> split_part($baseline, '=', 1),
    count(*) filter (where own.runs >= 3 and other.runs >= 3) desc,
    count(own.shared) desc,
    max(other.last_utc) desc,
    other.side
