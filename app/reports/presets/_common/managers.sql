-- The queue managers with statistics in the time of the runs, and their levels.
select
    queue_manager,
    any_value(system_id) as system,
    any_value(queue_sharing_group) as queue_sharing_group,
    -- records say 920 for 9.2.0
    list_aggregate(list_sort(list(distinct regexp_replace(
        mq_level, '^(\d)(\d)(\d)$', '\1.\2.\3'
    ))), 'string_agg', ', ') as mq_level,
    max(log_copies) as log_copies
from marts.fct_queue_manager_interval
where
    origin = $origin
    and (origin, system_id) in (
        select (c.origin, c.system_id)
        from marts.fct_run_coverage as c
        join marts.fct_run as r on c.origin = r.origin and c.run_id = r.run_id
        where r.campaign = $campaign and r.origin = $origin
    )
    and interval_start_utc between (
        select min(start_utc) - interval 1 hour from marts.fct_run
        where campaign = $campaign and origin = $origin
    ) and (
        select max(stop_utc) + interval 1 hour from marts.fct_run
        where campaign = $campaign and origin = $origin
    )
group by queue_manager
order by queue_manager
