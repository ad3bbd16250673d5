-- zIIP potential by system: CPU time, what of it may run on zIIPs, and what did.
select
    system_id as system,
    sum(general_purpose_seconds) / 3600 as cp_hours,
    sum(eligible_seconds) / 3600 as eligible_hours,
    sum(ziip_cp_equivalent_seconds) / 3600 as on_ziip_hours,
    sum(ziip_on_cp_seconds) / 3600 as on_cp_hours,
    100 * sum(eligible_seconds)
    / nullif(sum(general_purpose_seconds) + sum(ziip_cp_equivalent_seconds), 0) as eligible_percent,
    max(ziips_online) as ziips,
    max(ziips_needed) as most_needed,
    sum(interval_seconds) / 3600 as hours
from marts.fct_ziip_interval
where origin = $origin and coalesce(sysplex, 'none') = $sysplex
group by system_id
order by on_cp_hours desc
