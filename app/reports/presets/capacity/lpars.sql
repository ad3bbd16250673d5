-- Each LPAR: its peaks, its mean, and what is known of its consumption and the price of that.
select
    system_id as system,
    any_value(partition_name) as partition,
    count(distinct local_date) as days,
    sum(interval_seconds) / 3600 as hours,
    max(highest_long_term_average_msu)::bigint as highest_by_wlm,
    arg_max(local_date, highest_long_term_average_msu order by local_date) as highest_by_wlm_on,
    max(highest_four_hour_average_msu) as highest_four_hours,
    arg_max(local_date, highest_four_hour_average_msu order by local_date) as highest_four_hours_on,
    max(busiest.msu) as busiest_hour,
    sum(msu_hours) / nullif(sum(consumed_seconds), 0) * 3600 as mean_msu,
    sum(msu_hours) as msu_hours,
    sum(consumed_seconds) / 3600 as consumed_hours,
    max(currency) as currency,
    if(count(cost_money) = count(msu_hours), sum(cost_money), null) as cost_money,
    min(lowest_defined_capacity_msu)::bigint as defined,
    nullif(sum(soft_capped_seconds), 0) / 3600 as capped_hours,
    max(highest_latent_demand_msu) as highest_latent
from marts.fct_system_hour
left join (
    select system_id, max(busiest_hour_consumed_msu) as msu
    from marts.fct_lpar_capacity_day
    where origin = $origin and coalesce(sysplex, 'none') = $sysplex and local_date >= $since::date
    group by system_id
) as busiest using (system_id)
where origin = $origin and coalesce(sysplex, 'none') = $sysplex and local_date >= $since::date
group by system_id
order by coalesce(highest_by_wlm, highest_four_hours) desc nulls last, msu_hours desc, system
