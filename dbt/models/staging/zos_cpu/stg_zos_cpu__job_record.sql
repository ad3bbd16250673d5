with source as (

    select * from {{ source('zos_cpu', 'smf30_header') }}

),

renamed as (

    select
        source_id,
        record_no,
        smf30sid as system_id,
        smf30wid as work_type,
        smf30stp as record_subtype,
        smf30len as record_bytes,
        smf30dte + smf30tme as smf_time_local
    from source
    where section_no = 1 and smf30stp in (2, 3, 6)

)

select * from renamed
