with
    source as (select * from {{ source("zos_cpu", "smf70_1_cpu_control") }}),

    renamed as (

        select
            source_id,
            record_no,
            section_no,

            -- Machines without the alternate CPU capability write only the older, unscaled factor.
            case
                when smf70cpa_actual > 0 and smf70cpa_scaling_factor > 0
                then cast(smf70cpa_actual as double) / smf70cpa_scaling_factor
                when smf70cpa > 0
                then cast(smf70cpa as double)
            end as capacity_factor,
            nullif(smf70wla, 0) as available_capacity_msu,
            smf70lac as long_term_average_msu,
            case when smf70gav then smf70gau end as group_unused_msu,
            smf70dsa as partition_samples,
            coalesce(smf70adc, false) as capacity_changed,
            smf70_ipl_time as ipl_utc
        from source

    )

select *
from renamed
