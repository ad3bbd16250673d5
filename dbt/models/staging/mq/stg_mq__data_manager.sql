with source as (

    select * from {{ source('mq', 'smf115_qist') }}

),

renamed as (

    select
        source_id,
        record_no,
        section_no,
        qistmget as data_manager_gets,
        qistmput as data_manager_puts,
        qistmblr as data_manager_browses,
        qistdcre as object_creates,
        qistdput as object_puts,
        qistddel as object_deletes,
        qistdget as object_gets,
        qistdloc as object_locates,
        qistraio as read_ahead_ios,
        qistrabp as read_ahead_from_buffer_pool,
        qistgetd as gets_from_disk,
        qistgetb as gets_from_buffer_pool
    from source

)

select * from renamed
