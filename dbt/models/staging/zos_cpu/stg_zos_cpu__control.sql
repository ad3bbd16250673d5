with source as (

    select * from {{ source('zos_cpu', 'smf70_1_cpu_control') }}

),

renamed as (

    select
        source_id,
        record_no,
        section_no,
        smf70cpc_type as machine_type,
        nullif(smf70mdl, '') as machine_model,
        smf70dsa as partition_samples,
        nullif(smf70nrm, 0) / 256e0 as ziip_factor,
        smf70hha as hiperdispatch
    from source

)

select * from renamed
