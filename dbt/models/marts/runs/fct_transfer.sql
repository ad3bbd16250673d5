-- Every transfer that was logged, whether or not it belongs to a run.
with
    assigned as (

        select origin, transfer_id, run_id from {{ ref("int_runs__transfer") }} where not ended_after

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
