with
    record as (select * from {{ days(ref("int_zos_devices__data_set_record"), around=1) }}),

    entry as (

        select
            record.*,
            data_set.section_no,
            data_set.* exclude (source_id, record_no, section_no, job_no),
            io.* exclude (source_id, record_no, section_no, data_set_no),
            access.* exclude (source_id, record_no, section_no, data_set_no)
        from record
        inner join {{ ref("stg_zos_devices__data_set") }} as data_set using (source_id, record_no)
        left join
            {{ ref("stg_zos_devices__data_set_io") }} as io
            on data_set.source_id = io.source_id
            and data_set.record_no = io.record_no
            and data_set.section_no = io.data_set_no
        left join
            {{ source("staging", "zos_devices__data_set_access") }} as access
            on data_set.source_id = access.source_id
            and data_set.record_no = access.record_no
            and data_set.section_no = access.data_set_no

    ),

    -- The record does not say when counting began. If the data set was already open, the previous
    -- record of its job counted up to its own timestamp, and this record continues from there, unless
    -- records between them are missing.
    chained as (

        select
            *,
            lag(written_at_utc) over chain as before_utc,
            case
                when
                    not first_since_open
                    and {{ follows("written_at_utc", "chain") }}
                    and not coalesce(before_utc < missing_until_utc, false)
                then nullif(before_utc, written_at_utc)
            end as counted_from_utc
        from entry
        window
            chain as (
                partition by
                    origin,
                    system_id,
                    job_name,
                    job_read_local,
                    step_number,
                    data_set_name,
                    volume,
                    device_number
                order by written_at_utc, source_id, record_no, section_no
            )

    ),

    timed as (

        select
            *,
            epoch(written_at_utc - counted_from_utc) as counted_seconds,
            pending_us + disconnect_us + connect_us as service_us
        from chained

    )

select
    origin,
    source_id,
    record_no,
    section_no,
    system_id,
    counted_from_utc as interval_start_utc,
    written_at_utc as interval_end_utc,
    counted_seconds as interval_seconds,
    utc_offset_minutes,

    -- job and data set
    job_name,
    step_name,
    step_number,
    service_class,
    workload,
    occasion,
    data_set_name,
    organisation,
    compression,
    encrypted,
    volume,
    device_number,
    storage_class,
    block_bytes,
    stripes,

    -- I/O
    ios,
    {{ per_second("ios", "counted_seconds") }} as ios_per_second,
    reads,
    case when reads <= ios then ios - reads end as writes,
    zhpf_reads,
    zhpf_writes,
    sequential_ios,
    {{ percent("zhpf_reads + zhpf_writes", "ios") }} as zhpf_percent,
    {{ percent("cache_hits", "cache_candidates") }} as cache_hit_percent,
    {{ percent("write_hits", "write_candidates") }} as write_hit_percent,

    -- response time and its components
    case when ios > 0 then response_us end as average_response_us,
    case
        when ios > 0 and service_us is not null then greatest(response_us - service_us, 0)
    end as average_ios_queue_us,
    case when ios > 0 then pending_us end as average_pending_us,
    case when ios > 0 then disconnect_us end as average_disconnect_us,
    case when ios > 0 then connect_us end as average_connect_us,
    case when ios > 0 then control_unit_queue_us end as average_control_unit_queue_us,
    case when ios > 0 then device_busy_us end as average_device_busy_us,
    case when ios > 0 then command_response_us end as average_command_response_us,
    case when ios > 0 then longest_response_us end as longest_response_us,
    case when ios > 0 then longest_service_us end as longest_service_us,

    -- access method
    blocks_read,
    blocks_written,
    bytes_read,
    bytes_written,
    {{ per_second("bytes_read + bytes_written", "counted_seconds") }} as bytes_per_second,
    {{ average_us("read_delay_seconds", "blocks_read") }} as average_read_delay_us,
    {{ average_us("write_delay_seconds", "blocks_written") }} as average_write_delay_us
from timed
