-- The systems that each run used: one row per name in its manifest and system that the name may
-- mean, or per system of a run that names none.
with
    seen as (

        select origin, sysplex, system_id, interval_start_utc, interval_end_utc
        from {{ ref("int_zos_cpu__interval") }}

        union all

        select
            origin,
            sysplex,
            system_id,
            coalesce(interval_start_utc, interval_end_utc) as interval_start_utc,
            interval_end_utc
        from {{ ref("int_zos_cpu__address_space") }}

    ),

    -- Records without a sysplex make a separate system only if no sysplex has a system of that name.
    system as (

        select
            origin,
            sysplex,
            system_id,
            min(interval_start_utc) as first_utc,
            max(interval_end_utc) as last_utc
        from seen
        group by origin, sysplex, system_id
        qualify sysplex <> '' or count(*) over (partition by origin, system_id) = 1

    ),

    -- The names that a manifest may use for an LPAR: its SMF ID, z/OS system name or PR/SM partition
    -- name, in this order.
    named_system as (

        select origin, sysplex, system_id, name, min(name_order) as name_order
        from
            (
                select origin, sysplex, system_id, system_id as name, 1 as name_order
                from system

                union all

                select distinct origin, sysplex, system_id, system_name as name, 2 as name_order
                from {{ ref("int_rmf__record") }}
                where usable and system_name is not null

                union all

                select distinct
                    record.origin,
                    record.sysplex,
                    record.system_id,
                    processor.partition_name as name,
                    3 as name_order
                from {{ ref("int_zos_cpu__logical_processor") }} as processor
                inner join {{ ref("int_rmf__record") }} as record using (source_id, record_no)
                where processor.own_partition and processor.partition_name is not null
            )
        group by all

    ),

    run as (select * from {{ ref("int_runs__run") }}),

    declared as (select origin, run_id, start_utc, stop_utc, unnest(lpars) as name from run),

    -- A system with records from before and after the run is a better match than one with neither.
    candidate as (

        select
            declared.origin,
            declared.run_id,
            declared.name,
            system.sysplex,
            system.system_id,
            coalesce(
                system.first_utc < declared.stop_utc and system.last_utc > declared.start_utc, false
            ) as is_of_its_time
        from declared
        left join named_system using (origin, name)
        left join system using (origin, sysplex, system_id)
        qualify
            rank() over (
                partition by declared.origin, declared.run_id, declared.name
                order by is_of_its_time desc, named_system.name_order nulls last
            )
            = 1

    ),

    declared_scope as (

        select
            origin,
            run_id,
            name,
            coalesce(sysplex, '') as sysplex,
            coalesce(system_id, name) as system_id,
            is_of_its_time and count(*) over (partition by origin, run_id, name) > 1 as is_ambiguous
        from candidate
        -- If no candidate has records of that time, any of them will do.
        qualify
            is_of_its_time
            or row_number() over (partition by origin, run_id, name order by sysplex, system_id) = 1

    ),

    interval_hour as (

        select *, {{ hours_of("interval_start_utc", "interval_end_utc") }} as hour
        from {{ ref("int_zos_cpu__interval") }}

    ),

    -- A run without LPARs used every system of each sysplex that wrote records during it. A run from
    -- Linux to Linux used none.
    run_without_lpars as (

        select origin, run_id, start_utc, stop_utc
        from run
        where
            owns_its_time
            and len(lpars) = 0
            and not coalesce(contains(source, 'Linux') and contains(target, 'Linux'), false)

    ),

    run_hour as (select *, {{ hours_of("start_utc", "stop_utc") }} as hour from run_without_lpars),

    overlapped_system as (

        select distinct
            run.origin,
            run.run_id,
            one.sysplex,
            -- A system without a sysplex stands alone.
            if(one.sysplex = '', one.system_id, null) as system_id
        from run_hour as run
        inner join
            interval_hour as one
            on run.origin = one.origin
            and run.hour = one.hour
            and run.start_utc < one.interval_end_utc
            and run.stop_utc > one.interval_start_utc

    ),

    -- Gaps of less than a day in the records of a sysplex.
    hole as (

        select
            origin,
            sysplex,
            system_id,
            max(interval_end_utc) over before as from_utc,
            interval_start_utc as to_utc
        from
            (
                select *, if(sysplex = '', system_id, null) as system_id_alone
                from {{ ref("int_zos_cpu__interval") }}
            )
        window
            before as (
                partition by origin, sysplex, system_id_alone
                order by interval_start_utc
                rows between unbounded preceding and 1 preceding
            )
        qualify to_utc > from_utc and to_utc - from_utc < interval 1 day

    ),

    -- A run in such a gap used these systems too: it did run on z/OS, and only the records are missing.
    run_in_hole as (

        select distinct
            run.origin, run.run_id, hole.sysplex, if(hole.sysplex = '', hole.system_id, null) as system_id
        from run_without_lpars as run
        anti join overlapped_system using (origin, run_id)
        inner join
            hole
            on run.origin = hole.origin
            and run.start_utc >= hole.from_utc
            and run.stop_utc <= hole.to_utc

    ),

    used_system as (

        select *
        from overlapped_system

        union all

        select *
        from run_in_hole

    )

select *
from declared_scope

union all

select
    used_system.origin,
    used_system.run_id,
    cast(null as varchar) as name,
    system.sysplex,
    system.system_id,
    false as is_ambiguous
from used_system
inner join
    system
    on used_system.origin = system.origin
    and used_system.sysplex = system.sysplex
    and coalesce(used_system.system_id, system.system_id) = system.system_id
