with source as (

    select * from {{ source('zos_cpu', 'smf30_storage') }}

),

renamed as (

    select
        source_id,
        record_no,
        (smf30prv + smf30sys) * 1024 as private_below_bar_bytes,
        {{ unsigned('smf30hvh') }} as private_above_bar_bytes,
        {{ unsigned('smf30hvr') }} * 4096 as real_above_bar_bytes,
        {{ unless('smf30sin', 'smf30pgi') }} as page_ins
    from source
    where section_no = 1

)

select * from renamed
