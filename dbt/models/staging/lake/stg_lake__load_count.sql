with source as (

    select * from {{ source('lake', 'ledger_count') }}

),

renamed as (

    select
        source_id,
        record_type,
        record_subtype,
        records as type_records,
        sections as type_sections,
        extra_bytes as type_extra_bytes
    from source

)

select * from renamed
