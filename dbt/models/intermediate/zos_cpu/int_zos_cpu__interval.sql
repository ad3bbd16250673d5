-- One row per RMF interval of a system, combined from its RMF records.
select
    origin,
    sysplex,
    system_id,
    interval_start_utc,
    max(interval_seconds) as interval_seconds,
    max(expected_seconds) as expected_seconds,
    max(interval_end_utc) as interval_end_utc,
    max(utc_offset_minutes) as utc_offset_minutes,
    arg_min(logical_source_id, (record_type <> 70, loaded_order, logical_record)) as source_id,
    arg_min(logical_record, (record_type <> 70, loaded_order, logical_record)) as record_no
from
    (
        select record.*, dense_rank() over (order by load.loaded_at_utc, load.source_id) as loaded_order
        from {{ days(ref("int_rmf__record"), around=1) }} as record
        inner join {{ ref("stg_lake__load") }} as load using (source_id)
        where record.usable and record.record_type in (70, 72) and record.record_subtype in (1, 3)
    )
group by origin, sysplex, system_id, interval_start_utc
