{{ config(materialized="incremental", incremental_strategy="by_run") }}

with
    run as (select * from {{ runs(ref("fct_run")) }}),

    -- A gap in the records of a step is an interval with unknown figures.
    recorded as (

        {% set space = ref("int_zos_cpu__address_space") %}
        select *
        from {{ space }}

        union all by name

        select
            origin,
            sysplex,
            system_id,
            job_name,
            hole_start_utc as interval_start_utc,
            interval_start_utc as interval_end_utc,
            usable,
            source_id
        from {{ space }}
        where hole_start_utc is not null

        union all by name

        select
            origin,
            sysplex,
            system_id,
            job_name,
            interval_end_utc as interval_start_utc,
            interval_end_utc + (interval_end_utc - interval_start_utc) as interval_end_utc,
            usable,
            source_id
        from {{ space }}
        where stops_early

    ),

    -- Type 30 has its own intervals.
    part as (

        select
            space.origin,
            space.run_id,
            space.sysplex,
            space.system_id,
            space.job_name as address_space,
            -- the program that its longest interval began with
            arg_max_null(
                {{ address_space_role("space.program") }},
                (space.interval_seconds, space.interval_start_utc, space.source_id, space.record_no)
            ) filter (where space.program is not null) as role,
            {{ apportioned("space", "space") }},
            list(distinct space.source_id order by space.source_id) as source_ids
        from
            (
                select
                    *,
                    share as cp_share,
                    share as ziip_share,
                    cps_online * interval_seconds as cp_most,
                    2 * ziips_online * interval_seconds as ziip_most
                from {{ intervals_of_runs("recorded") }}
            ) as space
        where space.usable
        group by all

    )

select
    -- ids
    {{ run_columns("run") }},
    part.sysplex,
    part.system_id,
    system.system,
    part.address_space,
    part.role,

    -- CPU and costs
    {{ cpu_columns("part", "run") }},
    part.source_ids
from part
inner join run using (origin, run_id)
inner join {{ runs(ref("int_runs__system")) }} as system using (origin, run_id, sysplex, system_id)
