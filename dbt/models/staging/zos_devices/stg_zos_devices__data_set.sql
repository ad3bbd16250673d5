with
    source as (select * from {{ source("zos_devices", "smf42_6_data_set_header") }}),

    renamed as (

        select
            source_id,
            record_no,
            section_no,
            parent_no as job_no,
            s42dsn as data_set_name,
            {{ label_of("s42dstyp", "smf42_6_data_set_header", "s42dstyp") }} as organisation,
            {{ label_of("s42dscmt", "smf42_6_data_set_header", "s42dscmt") }} as compression,
            nullif(s42dsvol, '') as volume,
            format('{:04X}', s42dsdev) as device_number,
            nullif(s42dssc, '') as storage_class,
            s42dsbsz as block_bytes,
            s42dstrp as stripes,
            s42dsent > 0 as encrypted,
            s42first as first_since_open
        from source

    )

select *
from renamed
