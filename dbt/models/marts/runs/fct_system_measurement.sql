{{ config(materialized="incremental", incremental_strategy="by_run") }}

{% set by = ["origin", "run_id", "sysplex", "system_id"] %}

with
    run as (select * from {{ runs(ref("fct_run")) }}),

    used as (select * from {{ resources_used(by) }}),

    measured as (

        select
            {{ by | join(", ") }},
            {{
                metric_rows(
                    cpu_metrics() + [("system_overhead_seconds", with_bounds("system_overhead_seconds"))]
                )
            }}
        from {{ runs(ref("fct_run_system")) }}

        union all by name

        {{ resource_rows(by) }}

    ),

    described as (

        select measured.*, metric.unit, metric.more_is_better, false as is_given
        from measured
        inner join {{ ref("dim_metric") }} as metric using (metric)
        where measured.value is not null

    )

select
    {{
        measurement_columns(
            "run",
            "described",
            [
                "described.sysplex",
                "described.system_id",
                "system.system",
            ],
        )
    }}
from described
inner join run using (origin, run_id)
inner join {{ runs(ref("int_runs__system")) }} as system using (origin, run_id, sysplex, system_id)
left join {{ runs(ref("fct_run_price")) }} as price using (origin, run_id)
