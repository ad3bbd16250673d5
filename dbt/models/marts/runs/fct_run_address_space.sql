{{ config(materialized='incremental', incremental_strategy='by_run') }}

with run as (

    select * from {{ runs(ref('fct_run')) }}

),

-- Type 30 has its own intervals.
part as (

    select
        space.origin,
        space.run_id,
        space.sysplex,
        space.system_id,
        space.job_name as address_space,
        {% for measure in cpu_measures()[:4] %}
        {{ known_sum("space.share * space." ~ measure) }} as {{ measure }},
        {% endfor %}
        {{ known_sum(
            "space.share * (space.ziip_cp_equivalent_seconds + space.ziip_on_cp_seconds)"
        ) }} as eligible_seconds,
        {{ known_sum("space.share * (" ~ eligible_ziip_seconds("space") ~ ")") }}
            as eligible_ziip_seconds,
        list(distinct space.source_id order by space.source_id) as source_ids
    from {{ intervals_of_runs(ref('int_zos_cpu__address_space')) }} as space
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

    -- CPU and costs
    {{ cpu_columns("part", "run") }},
    run.is_compared,
    part.source_ids
from part
inner join run using (origin, run_id)
inner join {{ runs(ref('int_runs__system')) }} as system using (origin, run_id, sysplex, system_id)
