-- Every transfer that was logged, whether or not it belongs to a run.
with
    assigned as (

        select origin, transfer_id, run_id from {{ ref("int_runs__transfer") }} where not ended_after

    ),

    -- The command lines of a run's agents name it, where there is a display of top of their hosts.
    coordination as (

        select
            output.origin,
            output.run_id,
            min(process.coordination_queue_manager) as coordination_queue_manager
        from {{ ref("int_runs__host_process") }} as process
        inner join {{ ref("int_runs__output") }} as output using (source_id)
        where output.run_id is not null
        group by output.origin, output.run_id
        having count(distinct process.coordination_queue_manager) = 1

    )

select
    transfer.origin,
    transfer.source_id,
    transfer.record_no,
    transfer.transfer_id,
    assigned.run_id,
    transfer.source_agent,
    transfer.source_queue_manager,
    transfer.destination_agent,
    transfer.destination_queue_manager,
    coordination.coordination_queue_manager,
    transfer.asked_utc,
    transfer.first_data_utc,
    transfer.last_utc,
    transfer.seconds,
    transfer.action,
    transfer.is_completed,
    transfer.result_code,
    transfer.is_failed,
    transfer.ends_before_start,
    transfer.files,
    transfer.files_moved,
    transfer.files_failed,
    transfer.bytes,
    {{ mb_per_second("transfer.bytes", "transfer.seconds") }} as rate_mb_per_second
from {{ ref("int_runs__logged_transfer") }} as transfer
left join assigned using (origin, transfer_id)
left join coordination on transfer.origin = coordination.origin and assigned.run_id = coordination.run_id
