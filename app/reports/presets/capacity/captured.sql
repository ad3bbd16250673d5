-- One row: the captured time of all LPARs, at the speed and price of their hours, for the what-if.
select
    sum(general_purpose_seconds + eligible_seconds - ziip_on_cp_seconds) as cpu_seconds,
    sum(general_purpose_seconds) as on_cps_seconds,
    sum(eligible_seconds) as eligible_seconds,
    any_value(factor) as factor,
    any_value(hours) as hours,
    count(distinct system_id) as systems,
    3600 * sum(general_purpose_seconds * msu_hours_per_cp_second)
    / nullif(sum(general_purpose_seconds) filter (where msu_hours_per_cp_second is not null), 0)
        as msu_per_cp,
    max(currency) as currency,
    sum(cost_money) / nullif(sum(general_purpose_seconds) filter (where cost_money is not null), 0)
        as cp_second
from marts.fct_usage_hour, (
    select
        coalesce(max(highest_ziip_factor), 1.0) as factor,
        sum(class_seconds) / count(distinct system_id) filter (where class_seconds > 0) / 3600 as hours
    from marts.fct_system_hour
    where origin = $origin and coalesce(sysplex, 'none') = $sysplex and local_date >= $since::date
)
where origin = $origin and coalesce(sysplex, 'none') = $sysplex and local_date >= $since::date
    and subject = 'service class'
having any_value(hours) > 0
