with source as (

    select * from {{ source('zos_cpu', 'smf70_1_asid_data') }}

),

renamed as (

    select
        source_id,
        record_no,
        section_no,
        -- How often the work units were this many more than the processors.
        [
            smf70u00, smf70u01, smf70u02, smf70u03, smf70u04, smf70u05, smf70u06, smf70u07,
            smf70u08, smf70u09, smf70u10, smf70u11, smf70u12, smf70u13, smf70u14, smf70u15
        ] as samples_by_excess
    from source

)

select * from renamed
