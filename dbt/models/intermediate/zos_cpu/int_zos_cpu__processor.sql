{#- A processor cannot wait and be parked longer than it was online, or less than not at all. -#}
{% set too_long %}
whole_interval
and (
    {{ exceeds("wait_seconds + parked_seconds", "online_seconds") }}
    or coalesce(least(wait_seconds, parked_seconds) < 0, false)
)
{% endset %}

with
    record as (

        select *
        from {{ days(ref("int_rmf__record")) }}
        where record_type = 70 and record_subtype = 1 and part_no = 1 and usable

    ),

    cpu as (

        select *
        from {{ merged_sections(source("staging", "zos_cpu__processor")) }}
        where not coalesce(thread_offline, false)

    ),

    core as (select * from {{ merged_sections(source("staging", "zos_cpu__core")) }}),

    logical as (select * from {{ days(ref("int_zos_cpu__logical_processor")) }} where own_partition),

    processor as (

        select
            cpu.source_id,
            cpu.record_no,
            cpu.section_no,
            cpu.cpu_id,
            coalesce(core.core_id, cpu.cpu_id) as core_id,
            coalesce(core.cpus, 1) as threads,
            core.core_busy_seconds,
            cpu.machine_serial,
            case
                cpu.processor_type_code when 0 then 'CP' when 1 then 'zAAP' when 2 then 'zIIP'
            end as processor_type,
            cpu.online_at_end,
            cpu.io_interrupts,

            -- Without data from PR/SM (no partitions, or a guest), a processor present for the whole
            -- interval counts as online throughout.
            coalesce(
                logical.online_seconds, case when cpu.whole_interval then record.interval_seconds end
            ) as online_seconds,
            cpu.whole_interval,
            case when not coalesce(cpu.invalid, false) then cpu.wait_seconds end as wait_seconds,
            case
                when not coalesce(cpu.invalid, false) then coalesce(cpu.parked_seconds, 0)
            end as parked_seconds
        from cpu
        inner join record using (source_id, record_no)
        left join
            core
            on cpu.source_id = core.source_id
            and cpu.record_no = core.record_no
            and cpu.section_no > core.cpus_before
            and cpu.section_no <= core.cpus_before + core.cpus
        left join
            logical
            on cpu.source_id = logical.source_id
            and cpu.record_no = logical.record_no
            and coalesce(core.core_id, cpu.cpu_id) = logical.cpu_id

    )

select
    * exclude (whole_interval) replace (case when not ({{ too_long }}) then wait_seconds end as wait_seconds),
    case when {{ too_long }} then wait_seconds + parked_seconds end as impossible_seconds
from processor
