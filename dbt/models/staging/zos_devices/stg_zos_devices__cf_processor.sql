with source as (

    select * from {{ source('zos_devices', 'smf74_4_processor_utilization') }}

),

renamed as (

    select
        source_id,
        record_no,
        section_no,
        r744pnum as processor_no,
        {{ seconds('r744pbsy') }} as busy_seconds,
        {{ seconds('r744pwai') }} as wait_seconds
    from source

)

select * from renamed
