with
    record as (select source_id, record_no from {{ days(ref("int_mq__record")) }} where record_type = 115),

    log_manager as (

        select *
        from {{ source("staging", "mq__log_manager") }}
        where section_no = 1 and log_write_counts is not null

    ),

    -- The outer list index is the log copy, the inner one single-page or multiple-page writes.
    copy_and_type as (

        select log_copy, write_type_no
        from range(1, 3) as copies(log_copy), range(1, 3) as types(write_type_no)

    )

select
    record.source_id,
    record.record_no,
    cast(copy_and_type.log_copy as integer) as log_copy,
    case copy_and_type.write_type_no when 1 then 'single_page' else 'multiple_page' end as write_type,
    log_manager.log_write_counts[log_copy][write_type_no] as writes,
    log_manager.log_write_control_intervals[log_copy][write_type_no] as control_intervals,
    {{ seconds("log_manager.log_write_times[log_copy][write_type_no]") }} as write_seconds,
    {{ seconds("log_manager.log_write_suspend_times[log_copy][write_type_no]") }} as suspend_seconds,
    {{ seconds("log_manager.log_write_max_times[log_copy][write_type_no]") }} as max_write_seconds,
    {{ seconds("log_manager.log_write_max_suspend_times[log_copy][write_type_no]") }} as max_suspend_seconds
from record
inner join log_manager using (source_id, record_no)
cross join copy_and_type
