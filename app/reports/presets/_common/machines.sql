-- The machines and LPARs behind the runs, as types 70 tell them.
with period as (
    select
        min(start_utc) - interval 1 hour as first_utc,
        max(stop_utc) + interval 1 hour as last_utc
    from marts.fct_run
    where campaign = $campaign and origin = $origin
)

select
    i.sysplex,
    i.system_id as system,
    list_aggregate(list_sort(list(distinct i.machine_type || '-' || i.machine_model)),
        'string_agg', ', ') as machine,
    -- ZVvvrrmm: ZV020400 is 2.4
    list_aggregate(list_sort(list(distinct coalesce(
        regexp_extract(i.zos_level, '^ZV0*(\d+?)(\d\d)\d\d$', 1)
        || '.' || try_cast(regexp_extract(i.zos_level, '^ZV0*(\d+?)(\d\d)\d\d$', 2) as integer),
        i.zos_level
    ))), 'string_agg', ', ') as zos_level,
    round(max(i.processors_online) filter (where i.processor_type = 'CP'), 1) as cps,
    round(max(i.processors_online) filter (where i.processor_type = 'zIIP'), 1) as ziips,
    bool_or(i.hiperdispatch) as hiperdispatch,
    bool_or(i.multithreaded) filter (where i.processor_type = 'zIIP') as ziip_threads
from marts.fct_processor_interval as i, period
where
    (i.origin, i.system_id) in (
        select (c.origin, c.system_id)
        from marts.fct_run_coverage as c
        join marts.fct_run as r on c.origin = r.origin and c.run_id = r.run_id
        where r.campaign = $campaign and r.origin = $origin
    )
    and i.interval_start_utc >= period.first_utc
    and i.interval_end_utc <= period.last_utc
group by i.sysplex, i.system_id
order by i.sysplex, i.system_id
