with source as (

    select * from {{ source('zos_devices', 'smf74_4_storage') }}

),

renamed as (

    select
        source_id,
        record_no,
        section_no,
        {{ blocks_mib('r744gtsd') }} as storage_mib,
        {{ blocks_mib('r744gtsf') }} as free_mib,
        {{ blocks_mib('r744gdsa') }} as dump_space_mib,
        {{ blocks_mib('r744gtsc') }} as storage_class_memory_mib,
        {{ blocks_mib('r744gfsc') }} as storage_class_memory_free_mib
    from source

)

select * from renamed
