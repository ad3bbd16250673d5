with
    source as (select * from {{ source("zos_devices", "smf42_6_job_header") }}),

    renamed as (

        select
            source_id,
            record_no,
            section_no,
            s42jdjnm as job_name,
            nullif(s42jdstn, '') as step_name,
            s42jdst1 as step_number,
            nullif(s42jdwsc, '') as service_class,
            nullif(s42jdwld, '') as workload,
            {{ label_of("s42jdcod", "smf42_6_job_header", "s42jdcod") }} as occasion,
            s42jdrsd + s42jdrst as job_read_local,
            -- The upper word of a clock value, in units of 1.048576 seconds.
            cast(round(s42jdgmo * 1.048576 / 60) as integer) as utc_offset_minutes
        from source

    )

select *
from renamed
