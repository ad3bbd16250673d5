with source as (

    select * from {{ source('lake', 'quarantine') }}

),

renamed as (

    select
        source_id,
        record_no,
        path,
        file_offset,
        record_type,
        record_subtype,
        reason
    from source

)

select * from renamed
