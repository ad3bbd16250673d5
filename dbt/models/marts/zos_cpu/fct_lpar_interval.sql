with
    record as (

        select *
        from {{ days(ref("int_rmf__record"), around=1) }}
        where record_type = 70 and record_subtype = 1 and part_no = 1 and usable

    ),

    control as (

        select * from {{ merged_sections(source("staging", "zos_cpu__control")) }} where section_no = 1

    ),

    own as (

        select source_id, record_no, processor_type, machine_serial, multithreaded, core_seconds
        from {{ days(ref("int_zos_cpu__processor_total"), around=1) }}

    ),

    machine as (

        select source_id, record_no, max(machine_serial) as machine_serial
        from own
        group by source_id, record_no

    ),

    -- Every z/OS reports all partitions of its machine, at its own times.
    report as (

        select
            record.*,
            machine.machine_serial,
            {{ hours_of("record.interval_start_utc", "record.interval_end_utc") }} as hour
        from record
        inner join machine using (source_id, record_no)

    ),

    -- The other reports of the same machine at the same time.
    other_report as (

        select
            report.source_id,
            report.record_no,
            list(distinct other.partition_number) as own_numbers,
            min((other.sysplex, other.system_id)) < (report.sysplex, report.system_id) as is_later
        from report
        inner join
            report as other
            on report.origin = other.origin
            and report.machine_serial = other.machine_serial
            and report.hour = other.hour
            and (report.sysplex, report.system_id) <> (other.sysplex, other.system_id)
            and report.interval_start_utc + interval 2 second < other.interval_end_utc
            and report.interval_end_utc - interval 2 second > other.interval_start_utc
        group by report.source_id, report.record_no, report.sysplex, report.system_id

    ),

    partition as (

        select
            source_id,
            record_no,
            partition_section_no,
            partition_name,
            partition_number,
            partition_system,
            partition_cluster,
            own_partition,
            defined_capacity_msu,
            capacity_group,
            group_capacity_msu,
            coalesce(processor_type, 'unknown') as processor_type,
            max(physical_processors) as physical_processors,
            count(*) as logical_processors,
            count(*) filter (where dedicated) as dedicated_processors,
            coalesce(
                bool_or(dedicated or wait_completion) filter (where online_seconds > 0), false
            ) as allocated,
            cast(max(weight) filter (where not dedicated) as bigint) as weight,
            sum(online_seconds) as online_seconds,
            {{ possible_sum("dispatch_seconds", "impossible_seconds") }} as dispatch_seconds,
            {{ possible_sum("effective_seconds", "impossible_seconds") }} as effective_seconds,
            sum(wait_seconds) as wait_seconds,
            max(capped_samples) as capped_samples
        from {{ days(ref("int_zos_cpu__logical_processor")) }}
        group by all

    ),

    -- Keep what a partition reports about itself, and otherwise one report.
    chosen as (

        select partition.*
        from partition
        left join other_report using (source_id, record_no)
        where
            partition.own_partition
            or other_report.source_id is null
            or not (
                other_report.is_later or list_contains(other_report.own_numbers, partition.partition_number)
            )

    ),

    with_busy as (

        select
            chosen.*,
            machine.machine_serial,
            case
                when not chosen.allocated
                then coalesce(chosen.effective_seconds, chosen.dispatch_seconds)
                when chosen.own_partition
                then own.core_seconds
                when chosen.wait_seconds <= chosen.online_seconds
                then chosen.online_seconds - chosen.wait_seconds
            end as busy_seconds
        from chosen
        left join machine on chosen.source_id = machine.source_id and chosen.record_no = machine.record_no
        left join
            own
            on chosen.source_id = own.source_id
            and chosen.record_no = own.record_no
            and chosen.processor_type = own.processor_type

    )

select
    {{ rmf_record_columns("record") }},
    {{ rmf_interval_columns("record") }},
    partition.machine_serial,
    partition.partition_name,
    partition.partition_number,
    partition.processor_type,

    -- partition
    partition.partition_system,
    partition.partition_cluster,
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
    partition.allocated,
    partition.dispatch_seconds,
    partition.effective_seconds,
    partition.wait_seconds,
    partition.busy_seconds,
    {{
        percent(
            "case when partition.allocated then partition.busy_seconds else partition.dispatch_seconds end",
            "partition.online_seconds",
        )
    }} as lpar_busy_percent,
    {{ percent("partition.dispatch_seconds", "partition.physical_processors * record.interval_seconds") }}
    as machine_busy_percent,
    {{ percent("partition.capped_samples", "control.partition_samples") }} as capped_percent
from with_busy as partition
inner join record using (source_id, record_no)
left join control using (source_id, record_no)
