{{ config(materialized="incremental", incremental_strategy="by_run") }}

with
    run as (select * from {{ runs(ref("fct_run")) }}),

    part as (

        select
            interval.origin,
            interval.run_id,
            interval.sysplex,
            interval.system_id,
            class.report_class,
            {{ apportioned("class", "interval") }},
            list(distinct class.source_id order by class.source_id) as source_ids
        from {{ runs(ref("int_runs__interval")) }} as interval
        inner join
            {{ ref("fct_report_class_interval") }} as class using (
                origin, sysplex, system_id, interval_start_utc
            )
        group by all

    )

select
    -- ids
    {{ run_columns("run") }},
    part.sysplex,
    part.system_id,
    system.system,
    part.report_class,

    -- CPU and costs
    {{ cpu_columns("part", "run") }},
    part.source_ids
from part
inner join run using (origin, run_id)
inner join {{ runs(ref("int_runs__system")) }} as system using (origin, run_id, sysplex, system_id)
