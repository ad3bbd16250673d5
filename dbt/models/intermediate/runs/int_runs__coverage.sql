{{ config(materialized="incremental", incremental_strategy="by_run") }}

-- How much of a run the records of each of its systems cover: type 70 for total CPU time, type 72
-- for the classes that used it.
with
    interval as (select * from {{ runs(ref("int_runs__interval")) }}),

    record as (

        select *
        from {{ ref("int_rmf__record") }}
        where usable and part_no = 1 and row(record_type, record_subtype) in (row(70, 1), row(72, 3))

    ),

    recorded as (

        select
            interval.*,
            bool_or(record.record_type = 70) as has_processors,
            bool_or(record.record_type = 72) as has_classes
        from interval
        inner join record using (origin, sysplex, system_id, interval_start_utc)
        group by all

    ),

    covered as (

        select
            origin,
            run_id,
            sysplex,
            system_id,
            sum(covered_seconds) filter (where has_processors) as processor_seconds,
            sum(covered_seconds) filter (where has_classes) as class_seconds,
            min(interval_seconds) as shortest_interval_seconds,
            max(interval_seconds) as longest_interval_seconds,
            list(distinct source_id order by source_id) as source_ids
        from recorded
        group by all

    ),

    address_space as (

        select
            origin,
            run_id,
            sysplex,
            system_id,
            count(*) as address_space_records,
            list(distinct job_name order by job_name) as address_spaces
        from {{ intervals_of_runs(ref("int_zos_cpu__address_space")) }}
        where usable
        group by all

    ),

    class as (

        select distinct
            interval.origin,
            interval.run_id,
            interval.sysplex,
            interval.system_id,
            class.is_report_class,
            class.class_name
        from interval
        inner join record using (origin, sysplex, system_id, interval_start_utc)
        inner join
            {{ ref("int_zos_cpu__class_period") }} as class
            on record.source_id = class.source_id
            and record.record_no = class.record_no
        where record.record_type = 72

    ),

    classes as (

        select
            origin,
            run_id,
            sysplex,
            system_id,
            list(class_name order by class_name) filter (where not is_report_class) as service_classes,
            list(class_name order by class_name) filter (where is_report_class) as report_classes
        from class
        group by all

    ),

    -- Systems that were started during a run, and when.
    started as (

        select
            system.origin,
            system.run_id,
            system.sysplex,
            system.system_id,
            max(control.ipl_utc) as started_utc
        from {{ runs(ref("int_runs__system")) }} as system
        inner join interval using (origin, run_id, sysplex, system_id)
        inner join record using (origin, sysplex, system_id, interval_start_utc)
        inner join
            {{ ref("stg_zos_capacity__control") }} as control
            on record.source_id = control.source_id
            and record.record_no = control.record_no
        where
            record.record_type = 70
            and control.ipl_utc > system.start_utc
            and control.ipl_utc < system.stop_utc
        group by all

    ),

    -- Other partitions of the same sysplex that type 70 shows working.
    partner as (

        select
            record.origin,
            record.sysplex,
            record.system_id,
            record.interval_start_utc,
            coalesce(other.partition_system, other.partition_name) as partner
        from {{ ref("int_zos_cpu__logical_processor") }} as other
        inner join record on other.source_id = record.source_id and other.record_no = record.record_no
        where
            not other.own_partition
            and other.partition_sysplex = record.sysplex
            and other.dispatch_seconds > 0
        group by all

    ),

    known_name as (

        select distinct origin, sysplex, system_name as partner
        from {{ ref("int_rmf__record") }}
        where usable and system_name is not null

        union

        select distinct record.origin, record.sysplex, own.partition_name as partner
        from {{ ref("int_zos_cpu__logical_processor") }} as own
        inner join record using (source_id, record_no)
        where own.own_partition

    ),

    absent as (

        select
            interval.origin,
            interval.run_id,
            interval.sysplex,
            interval.system_id,
            list(distinct partner.partner order by partner.partner) as partners_not_loaded
        from interval
        inner join partner using (origin, sysplex, system_id, interval_start_utc)
        anti join
            known_name
            on partner.origin = known_name.origin
            and partner.sysplex = known_name.sysplex
            and partner.partner = known_name.partner
        group by all

    )

select
    system.origin,
    system.run_id,
    system.sysplex,
    system.system_id,
    system.system,
    least(1, coalesce(covered.processor_seconds, 0) / system.seconds) as processor_coverage,
    least(1, coalesce(covered.class_seconds, 0) / system.seconds) as class_coverage,
    {% for of in ["processor", "class"] %}
        {{
            fully_covered(
                "coalesce(covered." ~ of ~ "_seconds, 0)",
                "system.seconds",
                "covered.shortest_interval_seconds",
            )
        }} as has_all_{{ {"processor": "processors", "class": "classes"}[of] }},
    {% endfor %}
    coalesce(address_space.address_space_records, 0) as address_space_records,
    coalesce(address_space.address_spaces, []) as address_spaces,
    coalesce(classes.service_classes, []) as service_classes,
    coalesce(classes.report_classes, []) as report_classes,
    covered.longest_interval_seconds,
    started.started_utc,
    coalesce(absent.partners_not_loaded, []) as partners_not_loaded,
    coalesce(covered.source_ids, []) as source_ids
from {{ runs(ref("int_runs__system")) }} as system
left join covered using (origin, run_id, sysplex, system_id)
left join address_space using (origin, run_id, sysplex, system_id)
left join classes using (origin, run_id, sysplex, system_id)
left join started using (origin, run_id, sysplex, system_id)
left join absent using (origin, run_id, sysplex, system_id)
