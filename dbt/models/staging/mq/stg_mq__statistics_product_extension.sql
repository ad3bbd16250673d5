with source as (

    select * from {{ source('mq', 'smf115_qwhx') }}

),

renamed as (

    select
        source_id,
        record_no,
        section_no,
        qwhxqsg as queue_sharing_group,
        qwhxrel as extended_mq_level
    from source

)

select * from renamed
