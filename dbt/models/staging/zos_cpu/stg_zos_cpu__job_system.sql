with source as (

    select * from {{ source('zos_cpu', 'smf30_subsystem') }}

),

renamed as (

    select
        source_id,
        record_no,
        nullif(smf30syp, '') as sysplex
    from source
    where section_no = 1

)

select * from renamed
