with
    source as (

        select source_id, record_no, section_no, parent_no, cast(smf113_1_scr as hugeint) as counter
        from {{ source("zos_devices", "smf113_1_short_counter_data") }}
        union all
        select source_id, record_no, section_no, parent_no, cast(smf113_1_lcr as hugeint) as counter
        from {{ source("zos_devices", "smf113_1_long_counter_data") }}
        union all
        select source_id, record_no, section_no, null as parent_no, cast(smf113_2_cr as hugeint) as counter
        from {{ source("zos_devices", "smf113_2_counters") }}

    ),

    renamed as (

        select source_id, record_no, section_no, parent_no as set_no, counter as counter_value from source

    )

select *
from renamed
