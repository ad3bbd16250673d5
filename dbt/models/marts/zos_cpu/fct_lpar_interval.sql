with record as (

    select * from {{ days(ref('int_rmf__record')) }}
    where record_type = 70 and record_subtype = 1 and part_no = 1 and usable

),

control as (

    select * from {{ merged_sections(ref('stg_zos_cpu__control')) }}
    where section_no = 1

),

partition as (

    select
        source_id,
        record_no,
        partition_section_no,
        partition_name,
        partition_number,
        partition_system,
        own_partition,
        defined_capacity_msu,
        capacity_group,
        group_capacity_msu,
        coalesce(processor_type, 'unknown') as processor_type,
        max(physical_processors) as physical_processors,
        count(*) as logical_processors,
        count(*) filter (where dedicated) as dedicated_processors,
        cast(sum(weight) filter (where not dedicated) as bigint) as weight,
        sum(online_seconds) as online_seconds,
        sum(dispatch_seconds) as dispatch_seconds,
        sum(effective_seconds) as effective_seconds,
        sum(wait_seconds) as wait_seconds,
        max(capped_samples) as capped_samples
    from {{ days(ref('int_zos_cpu__logical_processor')) }}
    group by all

)

select
    {{ rmf_record_columns("record") }},
    {{ interval_columns("record") }},
    partition.partition_name,
    partition.partition_number,
    partition.processor_type,

    -- partition
    partition.partition_system,
    partition.own_partition,
    partition.defined_capacity_msu,
    partition.capacity_group,
    partition.group_capacity_msu,

    -- processors
    control.machine_type,
    control.machine_model,
    partition.physical_processors,
    partition.logical_processors,
    partition.dedicated_processors,
    partition.weight,
    {{ ratio("partition.online_seconds", "record.interval_seconds") }} as processors_online,

    -- CPU times
    partition.online_seconds,
    partition.dispatch_seconds,
    partition.effective_seconds,
    partition.wait_seconds,
    {{ percent("partition.dispatch_seconds", "partition.online_seconds") }} as lpar_busy_percent,
    {{ percent(
        "partition.dispatch_seconds", "partition.physical_processors * record.interval_seconds"
    ) }}
        as machine_busy_percent,
    {{ percent("partition.capped_samples", "control.partition_samples") }} as capped_percent
from partition
inner join record using (source_id, record_no)
left join control using (source_id, record_no)
