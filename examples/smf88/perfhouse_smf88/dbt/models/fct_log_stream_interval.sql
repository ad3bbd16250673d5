{{ config(materialized="incremental", incremental_strategy="by_day") }}

select
    record.origin,
    record.source_id,
    record.record_no,
    record.system_id,
    stream.log_stream,
    stream.interval_end_utc,
    stream.writes,
    stream.written_bytes,
    stream.dasd_bytes
from {{ days(ref("stg_lake__record")) }} as record
inner join {{ source("staging", "smf88__log_stream") }} as stream using (source_id, record_no)
