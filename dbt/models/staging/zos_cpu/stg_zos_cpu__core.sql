with source as (

    select * from {{ source('zos_cpu', 'smf70_1_logical_core_data') }}

),

renamed as (

    select
        source_id,
        record_no,
        section_no,
        smf70_core_id as core_id,
        smf70_cpu_skip as cpus_before,
        smf70_cpu_num as cpus,
        case when smf70_lpb_valid then {{ seconds('smf70_lpar_busy') }} end as core_busy_seconds
    from source

)

select * from renamed
