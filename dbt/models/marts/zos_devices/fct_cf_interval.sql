with
    record as (

        select *
        from {{ days(ref("int_rmf__record")) }}
        where record_type = 74 and record_subtype = 4 and usable and part_no = 1

    ),

    facility as (

        select *
        from {{ merged_sections(source("staging", "zos_devices__coupling_facility")) }}
        qualify row_number() over (partition by source_id, record_no order by section_no) = 1

    ),

    storage as (

        select *
        from {{ merged_sections(source("staging", "zos_devices__cf_storage")) }}
        qualify row_number() over (partition by source_id, record_no order by section_no) = 1

    ),

    processor as (

        select
            source_id,
            record_no,
            count(*) as processors,
            sum(busy_seconds) as busy_seconds,
            sum(wait_seconds) as wait_seconds
        from {{ merged_sections(source("staging", "zos_devices__cf_processor")) }}
        group by source_id, record_no

    )

select
    {{ rmf_record_columns("record") }},
    {{ rmf_interval_columns("record") }},
    facility.coupling_facility,
    facility.cf_machine_type,
    facility.cf_machine_model,
    facility.cf_level,
    facility.connected,

    -- processors
    facility.dynamic_dispatching,
    facility.thin_interrupts,
    facility.shared_processors,
    facility.dedicated_processors,
    processor.processors,
    (processor.busy_seconds + processor.wait_seconds)
    / nullif(record.interval_seconds, 0) as effective_processors,
    processor.busy_seconds,
    {{ percent("processor.busy_seconds", "(processor.busy_seconds + processor.wait_seconds)") }}
    as busy_percent,

    -- storage
    storage.storage_mb,
    storage.free_mb,
    storage.storage_mb - storage.free_mb as used_mb,
    {{ percent("(storage.storage_mb - storage.free_mb)", "storage.storage_mb") }} as used_percent,
    storage.dump_space_mb,
    storage.storage_class_memory_mb,
    storage.storage_class_memory_free_mb,

    -- requests of this system
    facility.requests,
    {{ per_second("facility.requests", "record.interval_seconds") }} as requests_per_second,
    facility.failed_requests,
    {{ average_us("facility.failed_seconds", "facility.failed_requests") }} as average_failed_us,
    facility.paths,
    facility.path_busy,
    facility.subchannels_defined,
    facility.subchannels_usable,
    facility.subchannels_busy,
    facility.subchannel_wait_seconds
from record
inner join facility using (source_id, record_no)
left join processor using (source_id, record_no)
left join storage using (source_id, record_no)
