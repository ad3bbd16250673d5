-- Each LPAR over its last 400 recorded days: its peaks, its mean and its sum.
with recorded as (
    select *
    from marts.fct_lpar_capacity_day
    where origin = $origin and coalesce(sysplex, 'none') = $sysplex
    qualify row_number() over (partition by system_id order by local_date desc) <= 400
),

price as (
    select
        system_id, max(currency) as currency,
        if(count(cost_money) = count(*), sum(cost_money), null) as cost_money
    from marts.fct_usage_hour
    where origin = $origin and coalesce(sysplex, 'none') = $sysplex and subject = 'lpar'
        and hour_utc >= (select min(local_date) from recorded)
    group by system_id
)

select
    system_id as system,
    any_value(partition_name) as partition,
    count(*) as days,
    sum(hours_covered) as hours,
    max(highest_long_term_average_msu) as highest_by_wlm,
    arg_max(local_date, highest_long_term_average_msu order by local_date) as highest_by_wlm_on,
    max(highest_four_hour_average_msu) as highest_four_hours,
    arg_max(local_date, highest_four_hour_average_msu order by local_date) as highest_four_hours_on,
    max(busiest_hour_consumed_msu) as busiest_hour,
    -- consumed MSU are a rate, the mean of a day
    sum(consumed_msu * hours_covered)
    / nullif(sum(hours_covered) filter (where consumed_msu is not null), 0) as mean_msu,
    sum(consumed_msu * hours_covered) as msu_hours,
    any_value(price.currency) as currency,
    any_value(price.cost_money) as cost_money,
    min(lowest_defined_capacity_msu) as defined,
    nullif(sum(soft_capped_hours), 0) as capped_hours,
    max(highest_latent_demand_msu) as highest_latent
from recorded
left join price using (system_id)
group by system_id
order by coalesce(highest_by_wlm, highest_four_hours) desc nulls last, msu_hours desc, system
