with source as (

    select * from {{ source('zos_devices', 'smf74_4_cache') }}

),

renamed as (

    select
        source_id,
        record_no,
        section_no,
        r744cdec as directory_entries,
        r744cdac as data_elements,
        r744crhc as read_hits,
        r744crmd as read_misses_directory,
        r744crma as read_misses_unassigned,
        r744crmn as read_misses_assigned,
        r744crmt as read_misses_full,
        r744cder as directory_reclaims,
        r744cdtr as data_reclaims,
        r744ccoc as castouts
    from source

)

select * from renamed
