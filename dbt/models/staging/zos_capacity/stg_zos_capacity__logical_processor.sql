with source as (

    select * from {{ source('zos_cpu', 'smf70_1_prsm_logical_processor') }}

),

renamed as (

    select
        source_id,
        record_no,
        section_no,
        smf70wsa as wait_completion,
        smf70nsw as soft_capped_samples
    from source

)

select * from renamed
