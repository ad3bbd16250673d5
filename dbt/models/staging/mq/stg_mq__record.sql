with source as (

    select * from {{ source('mq', 'smf_record') }}

),

renamed as (

    select
        source_id,
        record_no,
        file_offset,
        length as record_bytes,
        record_type,
        record_subtype,
        system_id,
        subsystem_id as queue_manager,
        smf_time as smf_time_local
    from source
    where record_type in (115, 116)

)

select * from renamed
