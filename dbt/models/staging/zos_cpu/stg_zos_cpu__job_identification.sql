with source as (

    select * from {{ source('zos_cpu', 'smf30_identification') }}

),

renamed as (

    select
        source_id,
        record_no,
        smf30jbn as job_name,
        nullif(smf30jnm, '') as job_id,
        smf30asi as address_space_id,
        nullif(smf30stm, '') as step_name,
        smf30stn as step_number,
        coalesce(nullif(smf30exn, ''), nullif(smf30pgm, '')) as program,
        nullif(smf30rud, '') as user_id,
        smf30std + smf30sit as step_start_local,
        smf30iss as interval_start_utc,
        smf30iet as interval_end_utc
    from source
    where section_no = 1

)

select * from renamed
