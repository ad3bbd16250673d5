with
    source as (select * from {{ source("zos_cpu", "smf70_1_prsm_partition") }}),

    renamed as (

        select
            source_id,
            record_no,
            section_no,
            smf70lpm as partition_name,
            smf70lpn as partition_number,
            nullif(smf70stn, '') as partition_system,
            nullif(smf70spn, '') as partition_cluster,
            nullif(smf70spn, '') as partition_sysplex,
            smf70bdn as logical_processor_sections,
            smf70bds as sections_before,
            nullif(smf70msu, 0) as defined_capacity_msu,
            smf70wtf as wait_valid,
            smf70_boostinfo_ziip as some_ziip_boost,
            smf70_boostinfo_speed as some_speed_boost,
            case when smf70grp then smf70gnm end as capacity_group,
            case when smf70grp then smf70gmu end as group_capacity_msu
        from source

    )

select *
from renamed
