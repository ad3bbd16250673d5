{{ config(materialized="incremental", incremental_strategy="by_run") }}

{% set measures = cpu_measures() %}
{% set bounds = bounds_to_sum() %}
{% set all_of_cpu = ["not_covered", "ambiguous_system", "partner_not_loaded"] %}

with
    run as (

        select
            *,
            not list_has_any(issue_kinds, {{ all_of_cpu }}) as knows_cpu,
            not list_has_any(issue_kinds, {{ all_of_cpu + ["no_type_72"] }}) as knows_classes
        from {{ runs(ref("fct_run")) }}

    ),

    summed as (

        select
            origin,
            run_id,
            {% for measure in measures[:5] + bounds + [
                "service_units",
                "ziips_needed",
                "captured_seconds",
                "uncaptured_seconds",
                "system_overhead_seconds",
                "system_overhead_seconds_low",
                "system_overhead_seconds_high",
            ] %}
                {{ known_sum(measure) }} as {{ measure }}{{ "," if not loop.last }}
            {% endfor %}
        from {{ runs(ref("fct_run_system")) }}
        group by all

    ),

    -- The total over systems, if each of them is known.
    cpu as (

        select
            origin,
            run_id,
            {% for measure in measures[:3] + bounds[:6] + ["service_units"] %}
                if(run.knows_cpu, summed.{{ measure }}, null) as {{ measure }},
            {% endfor %}
            {% for measure in measures[3:5] + bounds[6:-2] + [
                "captured_seconds",
                "uncaptured_seconds",
                "system_overhead_seconds",
                "system_overhead_seconds_low",
                "system_overhead_seconds_high",
            ] %}
                if(run.knows_classes, summed.{{ measure }}, null) as {{ measure }},
            {% endfor %}
            {{
                bounded(
                    "if(run.knows_classes, summed.ziips_needed$ * run.seconds, null)",
                    "eligible_ziip_seconds",
                )
            }}
        from summed
        inner join run using (origin, run_id)

    )

select
    -- ids
    {{ run_columns("run") }},

    -- trust
    run.issues,
    run.issue_kinds,
    run.is_complete,

    -- work and rates
    run.seconds,
    run.bytes,
    run.files,
    run.messages,
    run.transactions,
    run.transfer_seconds,
    {{
        per_second(
            "run.bytes / 1048576",
            "coalesce(run.transfer_seconds, if(run.driver = 'mft', null, run.seconds))",
        )
    }} as rate_mb_per_second,
    {{ per_second("run.steady_bytes / 1048576", "run.steady_seconds") }} as steady_rate_mb_per_second,
    {{
        per_second(
            "run.transactions",
            "coalesce(run.transfer_seconds, if(run.driver = 'harness', null, run.seconds))",
        )
    }} as transactions_per_second,
    {{ per_second("run.messages", "coalesce(run.work_seconds, run.seconds)") }} as messages_per_second,

    -- CPU and costs
    {{ cpu_columns("cpu", "run") }},
    cpu.service_units,
    cpu.captured_seconds,
    cpu.uncaptured_seconds,
    {% for column in with_bounds("system_overhead_seconds").values() %} cpu.{{ column }}, {% endfor %}
    run.source_ids
from run
left join cpu using (origin, run_id)
