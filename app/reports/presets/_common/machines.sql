-- The machines and LPARs behind the runs, as types 70 tell them.
select
    i.sysplex,
    i.system_id as system,
    list_aggregate(list_sort(list(distinct i.machine_type || '-' || i.machine_model)),
        'string_agg', ', ') as machine,
    max(i.processors_online) filter (where i.processor_type = 'CP') as cps,
    max(i.processors_online) filter (where i.processor_type = 'zIIP') as ziips,
    bool_or(i.hiperdispatch) as hiperdispatch,
    bool_or(i.multithreaded) filter (where i.processor_type = 'zIIP') as ziip_threads
from marts.fct_processor_interval as i
where
    (i.origin, i.system_id) in (
        select (c.origin, c.system_id)
        from marts.fct_run_coverage as c
        join marts.fct_run as r on c.origin = r.origin and c.run_id = r.run_id
        where r.campaign = $campaign and r.origin = $origin
    )
    and i.interval_start_utc >= (
        select min(start_utc) - interval 1 hour from marts.fct_run
        where campaign = $campaign and origin = $origin
    )
    and i.interval_end_utc <= (
        select max(stop_utc) + interval 1 hour from marts.fct_run
        where campaign = $campaign and origin = $origin
    )
group by i.sysplex, i.system_id
order by i.sysplex, i.system_id
