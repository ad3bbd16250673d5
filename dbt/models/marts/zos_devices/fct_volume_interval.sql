{# Device class of direct access devices in the unit control block. #}
{% set dasd = "20" %}

with
    record as (

        select *
        from {{ days(ref("int_rmf__record")) }}
        where record_type = 74 and record_subtype = 1 and usable and part_no = 1

    ),

    class as (

        select *
        from {{ merged_sections(source("staging", "zos_devices__device_class")) }}
        qualify row_number() over (partition by source_id, record_no order by section_no) = 1

    ),

    device as (

        select
            found.*,
            class.command_response_valid,
            record.samples - coalesce(found.samples_left_out, 0) as device_samples,
            -- For a HyperPAV base, one plus the average number of aliases over the valid samples; for
            -- other PAV devices, the number of exposures.
            case
                when found.hyper_parallel_access
                then 1 + coalesce({{ ratio("found.exposures", "found.exposure_samples") }}, 0)
                when found.parallel_access
                then greatest(found.exposures, 1)
                else 1
            end as paths_at_a_time
        from record
        inner join class using (source_id, record_no)
        inner join {{ merged_sections(ref("stg_zos_devices__device")) }} as found using (source_id, record_no)
        where class.device_class = '{{ dasd }}' and not coalesce(found.invalid, false)

    ),

    timed as (

        select
            {{ rmf_record_columns("record") }},
            {{ rmf_interval_columns("record") }},
            device.* exclude (source_id, record_no),
            -- Little's law: mean queue length divided by arrival rate.
            1e6
            * {{ ratio("device.queued_samples", "device.device_samples") }}
            * record.interval_seconds
            / nullif(device.requests, 0) as average_ios_queue_us,
            {{ average_us("device.pending_seconds", "device.measured_requests") }} as average_pending_us,
            {{ average_us("device.disconnect_seconds", "device.measured_requests") }}
            as average_disconnect_us,
            {{ average_us("device.connect_seconds", "device.measured_requests") }} as average_connect_us
        from record
        inner join device using (source_id, record_no)

    )

select
    {{ rmf_record_columns("timed") }},
    {{ rmf_interval_columns("timed") }},
    timed.subchannel_set,
    timed.device_number,
    timed.volume,
    timed.storage_group,
    timed.device_model,
    timed.control_unit_model,
    timed.control_unit_number,
    timed.capacity_cylinders,
    timed.partial,
    timed.requests,
    {{ per_second("timed.requests", "timed.interval_seconds") }} as requests_per_second,

    -- response time and its components
    timed.average_ios_queue_us
    + timed.average_pending_us
    + timed.average_disconnect_us
    + timed.average_connect_us as average_response_us,
    timed.average_ios_queue_us,
    timed.average_pending_us,
    timed.average_disconnect_us,
    timed.average_connect_us,
    {{ average_us("timed.device_busy_seconds", "timed.measured_requests") }} as average_device_busy_us,
    {{ average_us("timed.control_unit_queue_seconds", "timed.measured_requests") }}
    as average_control_unit_queue_us,
    case
        when timed.command_response_valid
        then {{ average_us("timed.command_response_seconds", "timed.measured_requests") }}
    end as average_command_response_us,
    timed.alias_delayed_requests,
    timed.ios_queue_us,

    -- utilisation
    timed.paths_at_a_time as exposures,
    (timed.connect_seconds + timed.disconnect_seconds)
    / nullif(timed.interval_seconds, 0) as requests_at_a_time,
    {{
        percent(
            "(timed.connect_seconds + timed.disconnect_seconds)",
            "(timed.interval_seconds * timed.paths_at_a_time)",
        )
    }} as utilisation_percent,
    {{ percent("timed.reserved_samples", "timed.device_samples") }} as reserved_percent,

    -- synchronous I/O
    timed.synchronous_reads,
    timed.synchronous_writes,
    timed.synchronous_read_bytes,
    timed.synchronous_write_bytes,
    timed.synchronous_read_us / nullif(timed.synchronous_reads, 0) as average_synchronous_read_us,
    timed.synchronous_write_us / nullif(timed.synchronous_writes, 0) as average_synchronous_write_us
from timed
