with
    source as (select * from {{ source("zos_cpu", "smf30_processor_accounting") }}),

    renamed as (

        select
            source_id,
            record_no,
            {{ unless("smf30ctf", seconds("smf30cpt")) }} as tcb_seconds,
            {{ unless("smf30csf", seconds("smf30cps")) }} as srb_seconds,
            {{ total([unless("smf30icf", seconds("smf30icu")), unless("smf30isf", seconds("smf30isb"))]) }}
            as initiator_seconds,
            {{ unless("smf30iif", seconds("smf30iip")) }} as io_interrupt_seconds,
            {{ unless("smf30rcf", seconds("smf30rct")) }} as region_control_seconds,
            {{ unless("smf30hpf", seconds("smf30hpt")) }} as hiperspace_seconds,
            {{ unless("smf30asf", seconds("smf30asr")) }} as preemptable_srb_seconds,
            {{ unless("smf30enf", seconds("smf30enc")) }} as independent_enclave_seconds,
            {{ unless("smf30def", seconds("smf30det")) }} as dependent_enclave_seconds,
            {{ unless("smf30_time_on_ziip_f", seconds("smf30_time_on_ziip")) }} as ziip_seconds,
            {{
                total(
                    [
                        unless("smf30_enclave_time_on_ziip_f", seconds("smf30_enclave_time_on_ziip")),
                        unless("smf30_depenc_time_on_ziip_f", seconds("smf30_depenc_time_on_ziip")),
                    ]
                )
            }} as ziip_enclave_seconds,
            {{ unless("smf30_time_ziip_on_cp_f", seconds("smf30_time_ziip_on_cp")) }} as ziip_on_cp_seconds,
            coalesce(smf30_ziipboost_active, false) as ziip_boost,
            coalesce(smf30_speedboost_active, false) as speed_boost,
            nullif(smf30_highest_task_cpu_percent, 0) as highest_task_percent,
            smf30idt + smf30ist as interval_start_local
        from source
        where section_no = 1

    )

select *
from renamed
