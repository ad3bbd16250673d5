with
    source as (

        select source_id, record_no, section_no, smf113_1_cstype as set_type, smf113_1_cdon as counters
        from {{ source("zos_devices", "smf113_1_counter_set") }}
        union all
        select source_id, record_no, section_no, smf113_2_cst as set_type, smf113_2_csn as counters
        from {{ source("zos_devices", "smf113_2_counter_set") }}

    ),

    renamed as (select source_id, record_no, section_no, set_type, counters from source)

select *
from renamed
