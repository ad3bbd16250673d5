-- Address spaces that used the most CPU time, and what of it may run on zIIPs.
select
    name as address_space,
    system_id as system,
    -- eligible time is at the speed of a CP
    sum(
        general_purpose_seconds
        + coalesce(eligible_seconds, 0) - coalesce(ziip_on_cp_seconds, 0)
    ) / 3600 as cpu_hours,
    sum(eligible_seconds) / 3600 as eligible_hours,
    sum(ziip_on_cp_seconds) / 3600 as on_cp_hours,
    sum(general_purpose_seconds * msu_hours_per_cp_second) as msu_hours
from marts.fct_usage_hour
where origin = $origin and coalesce(sysplex, 'none') = $sysplex and local_date >= $since::date
    and subject = 'address space'
group by name, system_id
having cpu_hours > 0
order by cpu_hours desc
