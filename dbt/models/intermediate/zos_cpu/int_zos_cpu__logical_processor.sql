{#- A processor cannot be dispatched longer than it was online. -#}
{% set too_long = exceeds(
    "greatest(processor.dispatch_seconds, processor.effective_seconds)", "processor.online_seconds"
) %}

with
    record as (

        select *
        from {{ days(ref("int_rmf__record")) }}
        where record_type = 70 and record_subtype = 1 and part_no = 1 and usable

    ),

    partition as (

        select
            *,
            -- Processor sections are in the order of their partitions.
            coalesce(
                sum(logical_processor_sections) over (
                    partition by source_id, record_no
                    order by section_no
                    rows between unbounded preceding and 1 preceding
                ),
                0
            ) as sections_passed
        from {{ merged_sections(ref("stg_zos_cpu__partition")) }}

    ),

    processor as (select * from {{ merged_sections(ref("stg_zos_cpu__logical_processor")) }}),

    kind as (select * from {{ merged_sections(ref("stg_zos_cpu__processor_kind")) }})

select
    processor.source_id,
    processor.record_no,
    processor.section_no,

    -- partition
    partition.section_no as partition_section_no,
    partition.partition_name,
    partition.partition_number,
    partition.partition_system,
    partition.partition_cluster,
    partition.partition_sysplex,
    partition.partition_number = record.partition_number as own_partition,
    partition.defined_capacity_msu,
    partition.capacity_group,
    partition.group_capacity_msu,
    partition.some_ziip_boost,
    partition.some_speed_boost,

    -- processor
    processor.cpu_id,
    kind.processor_type,
    kind.physical_processors,
    processor.weight,
    processor.dedicated,
    coalesce(processor.wait_completion, false) as wait_completion,
    processor.polarization,

    -- CPU times
    processor.online_seconds,
    case when not ({{ too_long }}) then processor.dispatch_seconds end as dispatch_seconds,
    case when not ({{ too_long }}) then processor.effective_seconds end as effective_seconds,
    case
        when {{ too_long }} then greatest(processor.dispatch_seconds, processor.effective_seconds)
    end as impossible_seconds,
    case when partition.wait_valid then processor.wait_seconds end as wait_seconds,
    processor.capped_samples
from processor
inner join record using (source_id, record_no)
inner join
    partition
    on processor.source_id = partition.source_id
    and processor.record_no = partition.record_no
    and processor.section_no > partition.sections_passed
    and processor.section_no <= partition.sections_passed + partition.logical_processor_sections
left join
    kind
    on processor.source_id = kind.source_id
    and processor.record_no = kind.record_no
    and processor.kind_no = kind.section_no
