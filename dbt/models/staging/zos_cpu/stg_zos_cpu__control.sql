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
        nullif(smf70csc, '') as machine_serial,
        nullif(smf70nrm, 0) / 256e0 as ziip_factor,
        -- Zero if cores run one thread; invalid if the service that measures it failed.
        {{ unless('smf70hif', 'nullif(smf70cf, 0) / 1024e0') }} as cp_capacity_factor,
        {{ unless('smf70hif', 'nullif(smf70cfs, 0) / 1024e0') }} as ziip_capacity_factor,
        {{ unless('smf70hif', 'nullif(smf70cfi, 0) / 1024e0') }} as zaap_capacity_factor,
        smf70hha as hiperdispatch
    from source

)

select * from renamed
