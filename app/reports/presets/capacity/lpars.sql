-- Each LPAR over its last 400 recorded days: its peaks and its sum.
with recorded as (
    select *
    from marts.fct_lpar_capacity_day
    where origin = $origin and coalesce(sysplex, 'none') = $sysplex
    qualify row_number() over (partition by system_id order by local_date desc) <= 400
)

select
    system_id as system,
    any_value(partition_name) as partition,
    count(*) as days,
    sum(hours_covered) as hours,
    max(highest_four_hour_average_msu) as highest_four_hours,
    arg_max(local_date, highest_four_hour_average_msu) as highest_on,
    max(busiest_hour_consumed_msu) as busiest_hour,
    sum(consumed_msu) as msu_hours,
    min(lowest_defined_capacity_msu) as defined,
    sum(soft_capped_hours) as capped_hours,
    sum(latent_demand_msu) as latent
from recorded
group by system_id
order by hours desc, system
