-- The last night's figures against the same configuration's in the nights before: one row per
-- configuration and main metric (of a campaign without rates and costs, each that is judged), the furthest from what is usual first.
with started as (
    select run_id, start_utc,
        coalesce(start_utc - lag(start_utc) over (order by start_utc) > interval 6 hour, true)
            as is_first
    from marts.fct_run
    where campaign = $campaign and origin = $origin and start_utc is not null
),

-- A night goes on over midnight; it has the date on which it began.
session as (
    select *, count(*) filter (where is_first) over (order by start_utc, run_id) as session_no
    from started
),

run as (
    select *, date_trunc('day', min(start_utc) over (partition by session_no))::date
        + (epoch(start_utc - min(start_utc) over (partition by session_no)) // 86400)::integer
            as night
    from session
),

figure as (
    select m.configuration_id, m.metric, m.unit, m.more_is_better, m.value, run.night
    from marts.fct_measurement as m
    join run using (run_id)
    where
        m.campaign = $campaign and m.origin = $origin and m.is_compared and isfinite(m.value)
        and m.more_is_better is not null
    -- a team's own metrics stand in for rates and costs where there are none
    qualify
        m.metric in ('rate', 'cost_per_GB', 'transactions_per_second', 'cost_per_transaction')
        or not bool_or(
            m.metric in ('rate', 'cost_per_GB', 'transactions_per_second', 'cost_per_transaction')
        ) over ()
),

last as (
    select configuration_id, metric, any_value(unit) as unit, any_value(more_is_better) as more,
        median(value) as value, count(*) as runs
    from figure
    where night = (select max(night) from run)
    group by configuration_id, metric
),

earlier as (
    select *, dense_rank() over (
        partition by configuration_id, metric order by night desc
    ) as nights_ago
    from figure
    where night < (select max(night) from run)
),

usual as (
    select configuration_id, metric, median(value) as middle, min(value) as low,
        max(value) as high, count(*) as runs_before
    from earlier
    where nights_ago <= $nights
    group by configuration_id, metric
)

select
    factor.configuration,
    last.*,
    usual.middle,
    usual.low,
    usual.high,
    usual.runs_before,
    100 * (last.value / nullif(usual.middle, 0) - 1) as change_percent,
    case
        when usual.middle is null then 'no earlier run'
        when last.value between usual.low and usual.high then 'within the usual'
        when (last.value > usual.high) = last.more then 'better than all'
        else 'worse than all'
    end as place
from last
join marts.dim_configuration as factor using (configuration_id)
left join usual using (configuration_id, metric)
order by
    coalesce(
        greatest(
            (last.value - usual.high) / nullif(usual.middle, 0),
            (usual.low - last.value) / nullif(usual.middle, 0)
        ), -1
    ) desc,
    abs(change_percent) desc nulls last,
    configuration
