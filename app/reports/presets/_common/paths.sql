-- Which way the data of each configuration went in its last complete run, as the log of transfers, the
-- records of that time and the manifest tell.
with run as (
    select run_id, configuration_id, start_utc, stop_utc
    from marts.fct_run
    where campaign = $campaign and origin = $origin and is_compared
    qualify row_number() over (partition by configuration_id order by start_utc desc, run_id) = 1
),

moved as (
    select
        run_id,
        any_value(source_agent) as source_agent,
        any_value(source_queue_manager) as source_manager,
        any_value(destination_agent) as target_agent,
        any_value(destination_queue_manager) as target_manager,
        any_value(coordination_queue_manager) as coordination_manager
    from marts.fct_transfer
    where origin = $origin and run_id in (select run_id from run)
    group by run_id
),

-- Queue managers with statistics in the time of a run, and their requests.
manager as (
    select
        run.run_id,
        m.queue_manager,
        any_value(m.system_id) as system,
        sum(coalesce(m.put_requests_per_second, 0) + coalesce(m.gets_per_second, 0)) as requests
    from run
    join marts.fct_queue_manager_interval as m
        on m.interval_start_utc < run.stop_utc and m.interval_end_utc > run.start_utc
    where m.origin = $origin
    group by run.run_id, m.queue_manager
),

-- Those that did its work.
busiest as (
    select
        run_id,
        string_agg(queue_manager, ', ' order by queue_manager) as busy_managers,
        string_agg(distinct system, ', ' order by system) as busy_systems
    from (
        from manager
        where requests > 0
        qualify requests > max(requests) over (partition by run_id) / 10
    )
    group by run_id
),

-- What went from one queue manager to another over channels, and how many of them: as the sender's
-- system recorded it, or that of the receiver.
sent as (
    select
        run.run_id,
        if(is_sender, c.queue_manager, c.remote) as from_manager,
        if(is_sender, c.remote, c.queue_manager) as to_manager,
        count(distinct c.channel_name) as channels,
        max(c.bytes) as bytes
    from run
    join (
        select
            *,
            remote_queue_manager_or_application as remote,
            channel_type ilike '%sender%' as is_sender
        from marts.fct_channel_interval
        where
            origin = $origin and bytes > 0
            and (channel_type ilike '%sender%' or channel_type ilike '%receiver%')
    ) as c
        on c.interval_start_utc < run.stop_utc and c.interval_end_utc > run.start_utc
    group by all
),

-- Those that carried the most, where no log of transfers says between whom.
carried as (
    select
        run_id,
        arg_max(from_manager, bytes) as from_manager,
        arg_max(to_manager, bytes) as to_manager
    from sent
    group by run_id
),

-- The volume that a job used the most in runs with files of one kind: records of data sets may span
-- several runs, so only those within a run count.
used as (
    select
        d.job_name as job,
        if(d.job_name = moved.source_agent, factor.source, factor.target) as kind,
        d.volume,
        sum(d.ios) as ios
    from marts.fct_run as own
    join marts.dim_configuration as factor using (configuration_id)
    join (
        select run_id, source_agent, destination_agent as target_agent
        from marts.fct_transfer
        where origin = $origin
    ) as moved
        on own.run_id = moved.run_id
    join marts.fct_data_set_interval as d
        on d.job_name in (moved.source_agent, moved.target_agent)
        and d.interval_start_utc >= own.start_utc
        and d.interval_end_utc <= own.stop_utc + interval 1 second
    where own.campaign = $campaign and own.origin = $origin and d.origin = $origin
    group by all
),

volume as (
    select job, kind, arg_max(volume, ios) as volume from used group by job, kind
),

ends as (
    select
        run.run_id,
        run.configuration_id,
        moved.source_agent,
        moved.target_agent,
        coalesce(moved.source_manager, carried.from_manager) as source_manager,
        coalesce(moved.target_manager, carried.to_manager) as target_manager,
        busiest.busy_managers,
        busiest.busy_systems,
        moved.coordination_manager
    from run
    left join moved using (run_id)
    left join carried using (run_id)
    left join busiest using (run_id)
)

select
    factor.configuration,
    factor.source,
    factor.target,
    factor.target_storage,
    factor.queue,
    factor.network,
    factor.protocol,
    factor.connection,
    factor.clients,
    ends.source_agent,
    ends.target_agent,
    ends.source_manager,
    ends.target_manager,
    ends.busy_managers,
    ends.busy_systems,
    ends.coordination_manager,
    near.system as source_system,
    away.system as target_system,
    read.volume as source_volume,
    written.volume as target_volume,
    sent.channels
from ends
join marts.dim_configuration as factor using (configuration_id)
left join manager as near
    on ends.run_id = near.run_id and ends.source_manager = near.queue_manager
left join manager as away
    on ends.run_id = away.run_id and ends.target_manager = away.queue_manager
left join sent
    on ends.run_id = sent.run_id
    and ends.source_manager = sent.from_manager and ends.target_manager = sent.to_manager
left join volume as read on ends.source_agent = read.job and factor.source = read.kind
left join volume as written on ends.target_agent = written.job and factor.target = written.kind
order by factor.configuration
