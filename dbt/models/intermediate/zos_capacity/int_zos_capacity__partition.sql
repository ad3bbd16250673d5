with
    record as (

        select *
        from {{ days(ref("int_rmf__record")) }}
        where record_type = 70 and record_subtype = 1 and part_no = 1 and usable

    ),

    control as (select * from {{ merged_sections(ref("stg_zos_capacity__control")) }} where section_no = 1),

    processor as (

        select
            processor.*,
            coalesce(processor.dedicated, false)
            or coalesce(capacity.wait_completion, false) as keeps_processor,
            capacity.soft_capped_samples,
            capacity.weight_total
        from {{ days(ref("int_zos_cpu__logical_processor")) }} as processor
        left join
            {{ merged_sections(source("staging", "zos_capacity__logical_processor")) }} as capacity using (
                source_id, record_no, section_no
            )
        where processor.processor_type = 'CP' and processor.partition_name <> 'PHYSICAL'

    ),

    partition as (

        select
            source_id,
            record_no,
            partition_name,
            partition_number,
            own_partition,
            defined_capacity_msu,
            capacity_group,
            group_capacity_msu,
            max(physical_processors) as physical_processors,
            max(weight) filter (where not dedicated) as last_weight,
            max(weight_total) filter (where not dedicated and weight_total > 0) as weight_total,
            sum(online_seconds) filter (where dedicated) as dedicated_seconds,
            bool_or(keeps_processor) as keeps_processor,
            count(*) as processors,
            {{ possible_sum("coalesce(effective_seconds, dispatch_seconds)", "impossible_seconds") }}
            as dispatched_seconds,
            case
                when count(wait_seconds) = count(*)
                then sum({{ not_negative("online_seconds - wait_seconds") }})
            end as not_waiting_seconds,
            max(soft_capped_samples) as soft_capped_samples,
            max(capped_samples) as capped_samples
        from processor
        group by all

    ),

    -- A partition that keeps its processors while waiting is always dispatched, so only its wait time
    -- shows how much it used.
    computed as (

        select
            partition.*,
            case
                when not partition.keeps_processor
                then partition.dispatched_seconds
                when partition.own_partition
                then
                    case
                        when demand.busy_seconds is not null
                        then least(partition.dispatched_seconds, demand.busy_seconds)
                    end
                when partition.not_waiting_seconds is not null
                then least(partition.dispatched_seconds, partition.not_waiting_seconds)
            end as used_seconds
        from partition
        left join {{ days(ref("int_zos_capacity__demand")) }} as demand using (source_id, record_no)

    ),

    -- No partition can use more time than all processors have in the interval.
    used as (

        select
            computed.* exclude (used_seconds),
            case
                when computed.used_seconds <= 1.01 * computed.processors * record.interval_seconds
                then computed.used_seconds
            end as used_seconds
        from computed
        inner join record using (source_id, record_no)

    )

select
    {{ rmf_record_columns("record") }},
    {{ rmf_interval_columns("record") }},
    used.partition_name,
    used.partition_number,
    used.own_partition,
    used.defined_capacity_msu,
    used.capacity_group,
    used.group_capacity_msu,

    -- processors
    used.physical_processors,
    coalesce(used.weight_total / nullif(control.partition_samples, 0), used.last_weight) as weight,
    used.dedicated_seconds,
    57600 / control.capacity_factor as processor_msu,

    -- service
    used.used_seconds,
    case
        when not control.capacity_changed
        then try_cast(round(used.used_seconds * 16e6 / control.capacity_factor) as bigint)
    end as service_units,

    -- capping
    control.partition_samples,
    used.soft_capped_samples,
    used.capped_samples,

    case when used.own_partition then control.ipl_utc end as ipl_utc
from used
inner join record using (source_id, record_no)
left join control using (source_id, record_no)
