with
    record as (

        select *
        from {{ days(ref("int_rmf__record")) }}
        where record_type = 70 and record_subtype = 1 and part_no = 1 and usable

    ),

    control as (select * from {{ merged_sections(ref("stg_zos_capacity__control")) }} where section_no = 1),

    -- The four hours up to the end of each interval. WLM starts over at an IPL, and so does the window.
    rolling as (

        select
            *,
            interval_end_utc - interval 4 hour as window_start_utc,
            sum(service_units) over four_hours as window_service_units,
            sum(case when service_units is not null then interval_seconds else 0 end) over four_hours
            as window_seconds,
            first_value(interval_start_utc) over four_hours as first_start_utc,
            first_value(interval_seconds) over four_hours as first_seconds,
            first_value(service_units) over four_hours as first_service_units
        from {{ days(ref("int_zos_capacity__partition"), around=1) }}
        window
            four_hours as (
                partition by origin, sysplex, system_id, partition_name, partition_number, ipl_utc
                order by interval_end_utc range between interval 4 hour preceding and current row
            )

    ),

    -- Weight the oldest interval by the share of it in the window.
    clipped as (

        select
            *,
            least(
                greatest(epoch(window_start_utc - first_start_utc) / nullif(first_seconds, 0), 0), 1
            ) as outside_share
        from rolling

    ),

    covered as (

        select
            *,
            window_service_units - coalesce(first_service_units, 0) * outside_share as used_service_units,
            window_seconds
            - case when first_service_units is null then 0 else first_seconds * outside_share end
            -- A system that was down used nothing.
            + least(greatest(coalesce(epoch(ipl_utc - window_start_utc), 0), 0), 14400) as covered_seconds
        from clipped

    ),

    averaged as (

        select
            *,
            {{ ratio("service_units * 3600e-6", "interval_seconds") }} as consumed_msu,
            case
                when covered_seconds between 0.95 * 14400 and 1.01 * 14400
                then used_service_units * 3600e-6 / covered_seconds
            end as four_hour_average_msu
        from covered

    ),

    own as (select * from averaged where own_partition),

    capacity_group as (

        select
            source_id,
            record_no,
            capacity_group,
            count(*) as group_partitions,
            case when count(consumed_msu) = count(*) then sum(consumed_msu) end as group_consumed_msu,
            case
                when count(four_hour_average_msu) = count(*) then sum(four_hour_average_msu)
            end as group_four_hour_average_msu
        from averaged
        where capacity_group is not null
        group by all

    ),

    machine as (

        select
            source_id,
            record_no,
            sum(weight) as weight,
            coalesce(sum(dedicated_seconds), 0) as dedicated_seconds
        from averaged
        group by all

    ),

    entitled as (

        select
            own.source_id,
            own.record_no,
            case
                when own.weight is null
                then own.dedicated_seconds / own.interval_seconds
                else
                    (own.physical_processors - machine.dedicated_seconds / own.interval_seconds)
                    * own.weight
                    / nullif(machine.weight, 0)
            end as entitled_processors
        from own
        inner join machine using (source_id, record_no)

    ),

    demand as (

        select
            demand.*,
            {{ not_negative("demand.busy_seconds - own.used_seconds") }}
            / own.interval_seconds as undispatched_processors
        from {{ days(ref("int_zos_capacity__demand")) }} as demand
        inner join own using (source_id, record_no)

    )

select
    {{ rmf_record_columns("record") }},
    {{ rmf_interval_columns("record") }},
    own.partition_name,
    own.partition_number,

    -- capacity
    own.processor_msu,
    control.available_capacity_msu,
    own.defined_capacity_msu,
    entitled.entitled_processors * own.processor_msu as entitled_msu,

    -- consumption
    own.used_seconds,
    own.service_units,
    own.consumed_msu,
    control.long_term_average_msu,
    own.four_hour_average_msu,
    least(100, {{ percent("own.covered_seconds", "14400") }}) as four_hours_covered_percent,
    {{ percent("control.long_term_average_msu", "control.available_capacity_msu") }} as average_use_percent,

    -- capacity group
    own.capacity_group,
    capacity_group.group_partitions,
    own.group_capacity_msu,
    capacity_group.group_consumed_msu,
    capacity_group.group_four_hour_average_msu,
    control.group_unused_msu,

    -- capping
    {{ percent("own.soft_capped_samples", "own.partition_samples") }} as soft_capped_percent,
    {{ percent("own.capped_samples", "own.partition_samples") }} as capped_percent,

    -- latent demand
    demand.in_ready_work_units,
    demand.queued_work_units,
    demand.queued_at_least_work_units,
    demand.undispatched_processors,
    (demand.queued_work_units + demand.undispatched_processors) * own.processor_msu as latent_demand_msu
from record
left join control using (source_id, record_no)
left join own using (source_id, record_no)
left join entitled using (source_id, record_no)
left join demand using (source_id, record_no)
left join
    capacity_group
    on own.source_id = capacity_group.source_id
    and own.record_no = capacity_group.record_no
    and own.capacity_group = capacity_group.capacity_group
