with source as (

    select * from {{ source('mq', 'smf115_qsrs') }}

),

renamed as (

    select
        source_id,
        record_no,
        section_no,
        qsrsaval as storage_available_31bit,
        -- Without a limit, sizes use all 64 bits.
        qsrsaval64 as storage_available_64bit,
        1048576 * cast(qsrsmemlim as double) as storage_memory_limit_64bit
    from source

)

select * from renamed
