with
    used as (

        select record.source_id, record.record_no, count(*) as intervals
        from {{ ref("fct_queue_manager_interval") }} as mart, unnest(mart.source_records) as records(record)
        group by record.source_id, record.record_no

    )

select record.source_id, record.record_no, used.intervals
from {{ ref("int_mq__record") }} as record
left join used using (source_id, record_no)
where
    record.record_type = 115
    and record.record_subtype in (1, 2, 7)
    and record.usable
    and used.intervals is distinct from 1
