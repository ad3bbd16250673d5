with
    source as (

        select
            source_id,
            record_no,
            section_no,
            smf113_1_cts as collection_start,
            smf113_1_ctm as written_at,
            smf113_1_cpuid as cpu_id,
            smf113_1_cpuprocclass as processor_class,
            smf113_1_zcbp as class_is_zcbp,
            smf113_1_cpuspeed as cycles_per_us,
            smf113_1_machtype as machine_type,
            smf113_1_machmodel as machine_model,
            smf113_1_machseqcode as machine_serial,
            smf113_1_lostctrdata or smf113_1_lostdata or coalesce(smf113_1_lostmtdata, false) as lost_data,
            smf113_1_coreid as core_id
        from {{ source("zos_devices", "smf113_1_data") }}
        union all
        select
            source_id,
            record_no,
            section_no,
            smf113_2_cts as collection_start,
            smf113_2_ctm as written_at,
            smf113_2_cpuid as cpu_id,
            smf113_2_cpuprocclass as processor_class,
            smf113_2_zcbp as class_is_zcbp,
            smf113_2_cpsp as cycles_per_us,
            smf113_2_machtype as machine_type,
            smf113_2_machmodel as machine_model,
            smf113_2_machseqcode as machine_serial,
            smf113_2_lostdata as lost_data,
            null as core_id
        from {{ source("zos_devices", "smf113_2_data") }}

    ),

    renamed as (

        select
            source_id,
            record_no,
            cpu_id,
            core_id,
            case
                processor_class
                when 0
                then 'CP'
                when 2
                then if(class_is_zcbp, 'zCBP', 'zAAP')
                when 4
                then 'zIIP'
                else cast(processor_class as varchar)
            end as processor_type,
            nullif(cycles_per_us, 0) as cycles_per_us,
            trim(machine_type) as machine_type,
            trim(machine_model) as machine_model,
            trim(machine_serial) as machine_serial,
            lost_data,
            collection_start as collection_start_utc,
            written_at as written_at_utc
        from source
        where section_no = 1

    )

select *
from renamed
