with
    joined as (

        select record.*, load.origin, load.loaded_at_utc, job.* exclude (source_id, record_no, section_no)
        from {{ source("staging", "zos_devices__record") }} as record
        inner join {{ ref("stg_lake__load") }} as load using (source_id)
        inner join {{ ref("stg_zos_devices__data_set_job") }} as job using (source_id, record_no)
        where record.record_type = 42 and job.section_no = 1

    ),

    -- Records of one file that agree in all these columns are distinguished by their order. If overlapping
    -- dumps contain the same record, keep the one loaded first.
    numbered as (

        select
            *,
            row_number() over (
                partition by
                    source_id, system_id, smf_time_local, job_name, job_read_local, step_number, record_bytes
                order by record_no
            ) as occurrence_no
        from joined

    ),

    ranked as (

        select
            *,
            row_number() over (
                partition by
                    origin,
                    system_id,
                    smf_time_local,
                    job_name,
                    job_read_local,
                    step_number,
                    record_bytes,
                    occurrence_no
                order by loaded_at_utc, source_id, record_no
            ) as copy_no
        from numbered

    )

select
    origin,
    source_id,
    record_no,
    system_id,
    job_name,
    step_name,
    step_number,
    service_class,
    workload,
    occasion,
    utc_offset_minutes,
    job_read_local,
    smf_time_local,
    smf_time_local - to_minutes(utc_offset_minutes) as written_at_utc
from ranked
where copy_no = 1
