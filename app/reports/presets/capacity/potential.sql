-- zIIP potential by system: captured CPU time, what of it may run on zIIPs, and what did.
select
    system_id as system,
    sum(general_purpose_seconds) / 3600 as cp_hours,
    sum(eligible_seconds) / 3600 as eligible_hours,
    sum(eligible_seconds - ziip_on_cp_seconds) / 3600 as on_ziip_hours,
    sum(ziip_on_cp_seconds) / 3600 as on_cp_hours,
    100 * eligible_hours / nullif(cp_hours + on_ziip_hours, 0) as eligible_percent,
    any_value(ziips) as ziips,
    any_value(most_needed) as most_needed,
    any_value(hours) as hours
from marts.fct_usage_hour
left join (
    select
        system_id, max(highest_ziips_online) as ziips, max(highest_ziips_needed) as most_needed,
        sum(class_seconds) / 3600 as hours
    from marts.fct_system_hour
    where origin = $origin and coalesce(sysplex, 'none') = $sysplex and local_date >= $since::date
    group by system_id
) using (system_id)
where origin = $origin and coalesce(sysplex, 'none') = $sysplex and local_date >= $since::date
    and subject = 'service class'
group by system_id
order by on_cp_hours desc
