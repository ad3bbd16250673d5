select
    given.*,
    case
        when given.origin is null or given.run_id is null
        then 'no run (origin, run_id)'
        when given.metric is null or given.unit is null
        then 'no name or no unit'
        when ours.metric is not null
        then concat('perfhouse has a metric ', given.metric)
        when given.value is null
        then 'no value'
        when not isfinite(given.value)
        then 'the value is NaN or infinite'
        when given.value_low > given.value or given.value_high < given.value or isnan(given.value_high)
        then 'the value is not between value_low and value_high'
        when run.run_id is null
        then 'no run is called so'
        when count(*) over (partition by given.origin, given.run_id, given.metric) > 1
        then 'several values for a run'
        when
            count(distinct given.unit) over (partition by given.metric) > 1
            or count(distinct given.more_is_better) over (partition by given.metric) > 1
        then 'several units, or more is better and is not'
    end as left_out
from {{ ref("teams_metrics") }} as given
left join {{ ref("run_metric") }} as ours using (metric)
left join {{ ref("int_runs__run") }} as run using (origin, run_id)
