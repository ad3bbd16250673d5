-- The systems that each run used, according to its manifest.
with
    found as (

        select distinct origin, run_id, sysplex, system_id
        from {{ ref("int_runs__scope") }}
        where not is_ambiguous

    ),

    -- SMF IDs that several sysplexes use, and when.
    shared as (

        select
            origin,
            sysplex,
            system_id,
            min(interval_start_utc) as first_utc,
            max(interval_end_utc) as last_utc
        from {{ ref("int_zos_cpu__interval") }}
        group by origin, sysplex, system_id
        qualify count(*) over (partition by origin, system_id) > 1

    )

select
    run.origin,
    run.run_id,
    found.sysplex,
    found.system_id,
    if(
        count(*) over (partition by found.origin, found.run_id, found.system_id) > 1,
        found.sysplex || '.' || found.system_id,
        found.system_id
    ) as system,
    not exists (
        select 1
        from shared
        where
            shared.origin = found.origin
            and shared.system_id = found.system_id
            and shared.sysplex <> found.sysplex
            and shared.first_utc < run.stop_utc
            and shared.last_utc > run.start_utc
    ) as is_only_one_of_its_name,
    run.start_utc,
    run.stop_utc,
    run.seconds
from found
inner join {{ ref("int_runs__run") }} as run using (origin, run_id)
