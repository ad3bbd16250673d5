{{ config(materialized="incremental", incremental_strategy="by_run") }}

{% set figures = {
    "instructions": sum_in_run("instructions"),
    "cpi": mean_in_run("cycles", "instructions"),
    "mips": sum_in_run("instructions / 1e6", "sum(share * interval_seconds)"),
    "l1_miss_percent": mean_in_run("l1_misses * 100", "instructions"),
    "rni": mean_in_run("l1_misses * rni", "l1_misses"),
} %}

-- The hardware counters of the systems of a run. Each interval is weighted by the fraction of it that
-- lies within the run.
with
    interval as (

        select *, instructions * l1_miss_percent / 100 as l1_misses
        from {{ intervals_of_runs(ref("fct_hardware_interval"), names_sysplex=false) }}

    ),

    -- The Relative Nest Intensity is a sum of shares of misses, so misses are its weights.
    summed as (

        select
            origin,
            run_id,
            sysplex,
            system_id,
            case when min(machine_type) = max(machine_type) then min(machine_type) end as machine_type,
            case when min(generation) = max(generation) then min(generation) end as generation,
            case when min(cps_online) = max(cps_online) then min(cps_online) end as cps_online,
            {% for column, figure in figures.items() %} {{ figure.value }} as {{ column }}, {% endfor %}
            {% for figure in figures.values() %} {{ is_narrow(figure) }} and {% endfor %} true as is_narrow,
            bool_and(rni_verified) as rni_verified,
            list(distinct source_id order by source_id) as source_ids
        from interval
        group by origin, run_id, sysplex, system_id

    )

select
    -- ids
    {{ run_columns("run") }},
    system.sysplex,
    system.system_id,
    system.system,
    summed.machine_type,
    summed.generation,

    -- counters
    summed.cps_online,
    summed.instructions,
    summed.cpi,
    summed.mips,
    summed.l1_miss_percent,
    summed.rni,
    summed.rni_verified,
    threshold.rni_class,
    summed.rni_verified and threshold.verified as rni_class_verified,
    run.is_compared and summed.is_narrow as is_compared,
    summed.source_ids
from summed
inner join {{ runs(ref("fct_run")) }} as run using (origin, run_id)
inner join {{ runs(ref("int_runs__system")) }} as system using (origin, run_id, sysplex, system_id)
left join
    {{ ref("hardware_rni_class") }} as threshold on {{ in_rni_class("summed.l1_miss_percent", "summed.rni") }}
