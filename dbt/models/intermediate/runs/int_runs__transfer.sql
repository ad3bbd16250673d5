with
    transfer as (

        select *, {{ hours_of("from_utc", "last_utc + interval 1 microsecond") }} as hour
        from {{ ref("int_runs__logged_transfer") }}

    ),

    run_hour as (

        select *, {{ hours_of("start_utc", "stop_utc + interval 1 microsecond") }} as hour
        from {{ ref("int_runs__run") }}
        where owns_its_time

    ),

    -- Runs on different LPARs can overlap: the agents in a run's scope decide which run a transfer
    -- belongs to. One that outlasts a run moved an
    -- unknown part of its bytes during it.
    candidate as (

        select
            transfer.* exclude (hour),
            run.run_id,
            run.start_utc as run_start_utc,
            transfer.last_utc > run.stop_utc as ended_after,
            list_has_any(
                run.address_spaces, [transfer.source_agent, transfer.destination_agent]
            ) as names_agent
        from transfer
        inner join
            run_hour as run
            on transfer.origin = run.origin
            and transfer.hour = run.hour
            and transfer.last_utc > run.start_utc
            and (transfer.last_utc <= run.stop_utc or transfer.from_utc < run.stop_utc)
        -- Both may touch several hours: keep the pair only in the first hour they share.
        where transfer.hour = date_trunc('hour', greatest(transfer.from_utc, run.start_utc))

    )

select
    origin,
    transfer_id,
    run_id,
    source_id,
    record_no,
    source_agent,
    source_queue_manager,
    destination_agent,
    destination_queue_manager,
    action,
    is_completed,
    is_failed,
    result_code,
    files,
    files_moved,
    files_failed,
    bytes,
    first_data_utc,
    last_utc,
    seconds,
    coalesce(first_data_utc < run_start_utc, false) as began_before,
    ended_after,
    ends_before_start
from candidate
-- Drop transfers that cannot be assigned because overlapping runs match the agents equally. One that
-- lies within a run belongs to no other.
qualify
    rank() over (partition by origin, transfer_id order by names_agent desc) = 1
    and if(
        ended_after,
        not bool_or(not ended_after and from_utc >= run_start_utc) over (
            partition by origin, transfer_id, names_agent
        ),
        count(*) filter (where not ended_after) over (partition by origin, transfer_id, names_agent) = 1
    )
