with source as (

    select * from {{ source('zos_devices', 'smf74_4_storage') }}

),

renamed as (

    select
        source_id,
        record_no,
        section_no,
        {{ blocks_mb('r744gtsd') }} as storage_mb,
        {{ blocks_mb('r744gtsf') }} as free_mb,
        {{ blocks_mb('r744gdsa') }} as dump_space_mb,
        {{ blocks_mb('r744gtsc') }} as storage_class_memory_mb,
        {{ blocks_mb('r744gfsc') }} as storage_class_memory_free_mb
    from source

)

select * from renamed
