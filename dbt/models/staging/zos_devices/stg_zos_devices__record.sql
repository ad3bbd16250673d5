with source as (

    select * from {{ source('zos_devices', 'smf_record') }}

),

renamed as (

    select
        source_id,
        record_no,
        record_type,
        record_subtype,
        length as record_bytes,
        system_id,
        smf_time as smf_time_local
    from source
    where
        (record_type = 42 and record_subtype = 6)
        or (record_type = 113 and record_subtype in (1, 2))

)

select * from renamed
