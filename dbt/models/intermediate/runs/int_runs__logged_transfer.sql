-- A transfer is logged several times, possibly in several files: the last message counts.
with
    logged as (select * from {{ ref("int_runs__transfer_message") }}),

    last_state as (

        select
            origin,
            transfer_id,
            arg_max(source_id, order_no) as source_id,
            arg_max(record_no, order_no) as record_no,
            arg_max(action, order_no) as action,
            arg_max(source_agent, order_no) as source_agent,
            arg_max(source_queue_manager, order_no) as source_queue_manager,
            arg_max(destination_agent, order_no) as destination_agent,
            arg_max(destination_queue_manager, order_no) as destination_queue_manager,
            max(files) as files,
            arg_max(bytes_sent, order_no) as bytes_sent,
            arg_max(result_code, order_no) as result_code,
            arg_max(file_failures, order_no) as file_failures,
            min(coalesce(actual_start_utc, start_utc, time_utc)) as asked_utc,
            coalesce(max(actual_start_utc), min(coalesce(start_utc, time_utc))) as told_first_utc,
            max(time_utc) as last_utc,
            told_first_utc > last_utc as ends_before_start,
            -- Then its start is unknown.
            least(told_first_utc, last_utc) as from_utc
        from (select *, row(action <> 'started', time_utc, source_id, record_no) as order_no from logged)
        group by origin, transfer_id

    ),

    -- A file can appear in a progress message and in the completed message.
    item as (

        select
            origin,
            transfer_id,
            coalesce(cast(item_index as varchar), source_name) as item_name,
            max(coalesce(source_bytes, destination_bytes)) as item_bytes,
            min(coalesce(result_code, 0)) as result_code
        from {{ ref("int_runs__transfer_item") }}
        group by all

    ),

    item_total as (

        select
            origin,
            transfer_id,
            count(*) filter (where result_code <> 1) as files_moved,
            count(*) filter (where result_code = 1) as files_failed,
            cast(coalesce(sum(item_bytes) filter (where result_code <> 1), 0) as bigint) as bytes_moved
        from item
        group by origin, transfer_id

    )

-- Result codes: 0 all files were moved, 20 to 39 some, 40 and more none. The bytes sent are those of
-- the files only if all were moved.
select
    last_state.* exclude (told_first_utc),
    case when not last_state.ends_before_start then last_state.told_first_utc end as first_data_utc,
    last_state.action = 'completed' as is_completed,
    coalesce(last_state.result_code >= 20, false) as is_failed,
    coalesce(item_total.files_moved, case when last_state.result_code >= 40 then 0 end) as files_moved,
    coalesce(
        greatest(item_total.files_failed, last_state.file_failures),
        case when last_state.result_code >= 40 then last_state.files end,
        0
    ) as files_failed,
    case
        when item_total.transfer_id is not null
        then item_total.bytes_moved
        when last_state.result_code >= 40
        then 0
        when not is_failed
        then last_state.bytes_sent
    end as bytes,
    epoch(last_state.last_utc - first_data_utc) as seconds
from last_state
left join item_total using (origin, transfer_id)
