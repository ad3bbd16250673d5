-- One row: the captured time of all LPARs in the hours that are recorded, for the what-if.
with whole as (
    select
        sum(general_purpose_seconds + coalesce(ziip_cp_equivalent_seconds, 0)) as cpu_seconds,
        sum(general_purpose_seconds) as on_cps_seconds,
        sum(eligible_seconds) as eligible_seconds,
        max(ziip_factor) as factor,
        count(distinct system_id) as systems,
        sum(interval_seconds) / count(distinct system_id) / 3600 as hours
    from marts.fct_ziip_interval
    where origin = $origin and coalesce(sysplex, 'none') = $sysplex
),

msu as (
    select median(service_units / 1e6 / used_seconds * 3600) as msu_per_cp
    from marts.fct_lpar_capacity_interval
    where origin = $origin and coalesce(sysplex, 'none') = $sysplex and used_seconds > 0
),

price as (
    select
        max(currency) as currency,
        sum(cost_money) / nullif(sum(general_purpose_seconds), 0) as cp_second
    from marts.fct_usage_hour
    where origin = $origin and coalesce(sysplex, 'none') = $sysplex and subject = 'lpar'
        and cost_money is not null
)

select
    cpu_seconds, on_cps_seconds, eligible_seconds,
    coalesce(factor, 1.0) as factor,
    hours, systems, msu_per_cp, currency, cp_second
from whole, msu, price
where hours > 0
