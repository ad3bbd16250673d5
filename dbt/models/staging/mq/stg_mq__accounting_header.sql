with source as (

    select * from {{ source('mq', 'smf116_header') }}

),

renamed as (

    select
        source_id,
        record_no,
        sm116sid as system_id,
        sm116ssi as queue_manager,
        sm116stf as record_subtype,
        sm116rel as header_mq_level
    from source

)

select * from renamed
