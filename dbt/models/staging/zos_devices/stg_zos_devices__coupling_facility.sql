with source as (

    select * from {{ source('rmf', 'smf74_4_cf_local') }}

),

renamed as (

    select
        source_id,
        record_no,
        section_no,
        r744fnam as coupling_facility,
        nullif(trim(r744fmod), '') as cf_machine_type,
        nullif(trim(r744fver), '') as cf_machine_model,
        r744flvl as cf_level,
        r744fcei as connected,
        coalesce(r744fnohw, false) as no_hardware_statistics,
        case when r744flvl > 14 then r744fdyd end as dynamic_dispatching,
        case when r744flvl > 18 then r744fthn end as thin_interrupts,
        case when r744flvl > 14 then r744fpsn end as shared_processors,
        case when r744flvl > 14 then r744fpdn end as dedicated_processors,
        r744fpam as paths,
        r744fpbc as path_busy,
        r744fscg as subchannels_defined,
        r744fscl as subchannels_usable,
        r744fscc as subchannels_busy,
        {{ seconds('r744fctm') }} as subchannel_wait_seconds,
        r744ftor as requests,
        r744fail as failed_requests,
        {{ seconds('r744ftim') }} as failed_seconds
    from source

)

select * from renamed
