-- Which queue managers send to which over channels in the time of the runs: one row per pair.
select
    queue_manager,
    remote_queue_manager_or_application as remote,
    count(distinct channel_name) as channels
from marts.fct_channel_interval
where
    origin = $origin and channel_type ilike '%sender%'
    and remote_queue_manager_or_application is not null
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
group by queue_manager, remote
order by queue_manager, remote
