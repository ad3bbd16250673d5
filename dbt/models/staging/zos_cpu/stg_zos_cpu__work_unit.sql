with source as (

    select * from {{ source('zos_cpu', 'smf70_1_asid_data') }}

),

renamed as (

    select
        source_id,
        record_no,
        section_no,
        smf70srm as work_unit_samples,
        smf70ctt as cp_work_units_total,
        smf70cmm as cp_work_units_most,
        smf70dtt as zaap_work_units_total,
        smf70dmm as zaap_work_units_most,
        smf70ett as ziip_work_units_total,
        smf70emm as ziip_work_units_most
    from source

)

select * from renamed
