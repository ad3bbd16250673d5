-- The names that a manifest may use for an LPAR: its SMF ID, z/OS system name or PR/SM partition
-- name.
with named_system as (

    select distinct origin, system_id, system_id as name
    from {{ ref('int_zos_cpu__interval') }}

    union

    select distinct origin, system_id, system_name as name
    from {{ ref('int_rmf__record') }}
    where usable and system_name is not null

    union

    select distinct record.origin, record.system_id, processor.partition_name as name
    from {{ ref('int_zos_cpu__logical_processor') }} as processor
    inner join {{ ref('int_rmf__record') }} as record using (source_id, record_no)
    where processor.own_partition and processor.partition_name is not null

),

by_name as (

    select
        origin,
        name,
        min(system_id) as system_id
    from named_system
    group by origin, name

),

interval_hour as (

    select
        *,
        {{ hours_of("interval_start_utc", "interval_end_utc") }} as hour
    from {{ ref('int_zos_cpu__interval') }}

),

-- A run without LPARs used every system of each sysplex that wrote records during it. A run from
-- Linux to Linux used none.
run_without_lpars as (

    select
        origin,
        run_id,
        start_utc,
        stop_utc,
        {{ hours_of("start_utc", "stop_utc") }} as hour
    from {{ ref('int_runs__run') }}
    where
        len(lpars) = 0
        and not coalesce(contains(source, 'Linux') and contains(target, 'Linux'), false)

),

overlapped_system as (

    select distinct
        run.origin,
        run.run_id,
        one.sysplex,
        one.system_id
    from run_without_lpars as run
    inner join interval_hour as one
        on
            run.origin = one.origin
            and run.hour = one.hour
            and run.start_utc < one.interval_end_utc
            and run.stop_utc > one.interval_start_utc

),

sysplex_system as (

    select distinct origin, sysplex, system_id
    from {{ ref('int_zos_cpu__interval') }}

),

inferred_system as (

    select
        overlapped_system.origin,
        overlapped_system.run_id,
        coalesce(sysplex_system.system_id, overlapped_system.system_id) as system_id
    from overlapped_system
    left join sysplex_system using (origin, sysplex)

),

declared_system as (

    select
        run.origin,
        run.run_id,
        coalesce(by_name.system_id, run.name) as system_id
    from (
        select origin, run_id, unnest(lpars) as name from {{ ref('int_runs__run') }}
    ) as run
    left join by_name using (origin, name)

)

select distinct
    run.origin,
    run.run_id,
    system.system_id,
    run.start_utc,
    run.stop_utc,
    run.seconds
from (select * from declared_system union all select * from inferred_system) as system
inner join {{ ref('int_runs__run') }} as run using (origin, run_id)
