with source as (

    select * from {{ source('mq', 'smf115_header') }}

),

renamed as (

    select
        source_id,
        record_no,
        sm115sid as system_id,
        sm115ssi as queue_manager,
        sm115stf as record_subtype,
        sm115rel as header_mq_level
    from source

)

select * from renamed
