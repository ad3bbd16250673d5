-- The LPARs of the sysplex and their machines, as types 70 tell them.
select
    system_id as system,
    list_aggregate(list_sort(list(distinct machine_type || '-' || machine_model)),
        'string_agg', ', ') as machine,
    -- ZVvvrrmm: ZV020400 is 2.4
    list_aggregate(list_sort(list(distinct coalesce(
        regexp_extract(zos_level, '^ZV0*(\d+?)(\d\d)\d\d$', 1)
        || '.' || try_cast(regexp_extract(zos_level, '^ZV0*(\d+?)(\d\d)\d\d$', 2) as integer),
        zos_level
    ))), 'string_agg', ', ') as zos_level,
    round(max(processors_online) filter (where processor_type = 'CP'), 1) as cps,
    round(max(processors_online) filter (where processor_type = 'zIIP'), 1) as ziips,
    bool_or(hiperdispatch) as hiperdispatch
from marts.fct_processor_interval
where origin = $origin and coalesce(sysplex, 'none') = $sysplex
    and cast(interval_start_utc + to_minutes(utc_offset_minutes) as date) >= $since::date
group by system_id
order by system_id
