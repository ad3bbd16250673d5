with source as (

    select * from {{ source('zos_cpu', 'smf30_performance') }}

),

renamed as (

    select
        source_id,
        record_no,
        nullif(smf30wlm, '') as workload,
        nullif(smf30scn, '') as service_class,
        nullif(smf30rcn, '') as report_class,
        nullif(smf30snf, 0) / 256e0 as ziip_factor
    from source
    where section_no = 1

)

select * from renamed
