with source as (

    select * from {{ source('zos_devices', 'smf74_4_structure') }}

),

renamed as (

    select
        source_id,
        record_no,
        section_no,
        r744qstr as structure_name,
        hex(r744qver) as structure_version,
        {{ blocks_mb('r744qsiz') }} as policy_mb,
        r744qact as active,
        r744qrbn as rebuild_new,
        r744qrbo as rebuild_old,
        r744qrbd as duplexed
    from source

)

select * from renamed
