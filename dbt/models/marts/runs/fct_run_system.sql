{{ config(materialized="incremental", incremental_strategy="by_run") }}

with
    interval as (select * from {{ runs(ref("int_runs__interval")) }}),

    run as (select * from {{ runs(ref("fct_run")) }}),

    -- Type 70: all CPU time of the system, whatever it is charged to. NULL if unknown, zero if there are
    -- no processors of the type.
    processor as (

        select
            origin,
            sysplex,
            system_id,
            interval_start_utc,
            {% for processor_type in ["CP", "zIIP"] %}
                {% set of_type = "filter (where processor_type = '" ~ processor_type ~ "')" %}
                case
                    when count(*) {{ of_type }} > 0 then sum(used_seconds) {{ of_type }} else 0
                end as {{ processor_type | lower }}_seconds,
            {% endfor %}
            max(cp_factor) filter (where processor_type = 'zIIP') as ziip_factor
        from {{ ref("fct_processor_interval") }}
        group by all

    ),

    -- Type 72: CPU time charged to service classes. zIIP-eligible time is charged to classes, wherever
    -- it ran. Classes with the goal SYSTEM belong to the system itself.
    class as (

        select
            origin,
            sysplex,
            system_id,
            interval_start_utc,
            max(ziip_factor) as ziip_factor,
            {{ known_sum("general_purpose_seconds") }} as captured_cp,
            {{ known_sum("ziip_cp_equivalent_seconds") }} as captured_ziip_as_cp,
            {{ known_sum("ziip_on_cp_seconds") }} as ziip_on_cp_seconds,
            {{ known_sum("if(ziip_on_cp_seconds = 0, 0, ziip_on_cp_seconds / nullif(ziip_factor, 0))") }}
            as ziip_on_cp_as_ziip,
            coalesce(sum(general_purpose_seconds) filter (where goal_type = 'system'), 0) as system_cp,
            coalesce(
                sum(ziip_cp_equivalent_seconds) filter (where goal_type = 'system'), 0
            ) as system_ziip_as_cp
        from {{ ref("fct_service_class_period_interval") }} as class
        group by all

    ),

    -- Where there is no type 72, use the factor from type 70.
    joined as (

        select
            interval.*,
            processor.cp_seconds as general_purpose_seconds,
            processor.ziip_seconds,
            coalesce(class.ziip_factor, processor.ziip_factor) as ziip_factor,
            if(
                processor.ziip_seconds = 0,
                0,
                processor.ziip_seconds * coalesce(class.ziip_factor, processor.ziip_factor)
            ) as ziip_cp_equivalent_seconds,
            class.* exclude (origin, sysplex, system_id, interval_start_utc, ziip_factor)
        from interval
        inner join processor using (origin, sysplex, system_id, interval_start_utc)
        left join class using (origin, sysplex, system_id, interval_start_utc)

    ),

    -- Type 70 has all zIIP time. It is eligible, charged to a class or not: it stays there after offload.
    -- Type 72 has what was eligible and ran on CPs.
    summed as (

        {% set ziip_as_cp_most = "ziip_most * ziip_factor" %}
        select
            origin,
            run_id,
            sysplex,
            system_id,
            {% for column in ["machine_type", "machine_model", "service_units_per_second"] %}
                case when count(distinct {{ column }}) = 1 then any_value({{ column }}) end as {{ column }},
            {% endfor %}
            {{
                known_sum(
                    "service_units_per_second * (cp_share * general_purpose_seconds"
                    ~ " + ziip_share * ziip_cp_equivalent_seconds)"
                )
            }} as service_units,
            max(ziip_factor) as ziip_factor,
            {{ known_sum("cp_share * general_purpose_seconds") }} as general_purpose_seconds,
            {{ known_sum("ziip_share * ziip_seconds") }} as ziip_seconds,
            {{ known_sum("ziip_share * ziip_cp_equivalent_seconds") }} as ziip_cp_equivalent_seconds,
            {{ known_sum("cp_share * ziip_on_cp_seconds") }} as ziip_on_cp_seconds,
            {{ known_sum("ziip_share * ziip_cp_equivalent_seconds + cp_share * ziip_on_cp_seconds") }}
            as eligible_seconds,
            {{ known_sum("ziip_share * ziip_seconds + cp_share * ziip_on_cp_as_ziip") }}
            as eligible_ziip_seconds,
            {{ known_sum("cp_share * captured_cp + ziip_share * captured_ziip_as_cp") }} as captured_seconds,
            {{ known_sum("cp_share * system_cp + ziip_share * system_ziip_as_cp") }} as system_class_seconds,
            {% for bound, in_run, side in [
                ("low", least_in_run, "inside"),
                ("high", most_in_run, "outside"),
            ] %}
                -- What address spaces used on one side: no more of the time on CPs is eligible than in
                -- the whole interval.
                {% set cp_part = "cp_share" if bound == "low" else "(1 - cp_share)" %}
                {% set on_ziip = in_run("ziip_seconds", "ziip_most", "ziip_" ~ side) %}
                {% set on_ziip_as_cp = on_ziip ~ " * if(ziip_seconds = 0, 1, ziip_factor)" %}
                {% set own = (
                    "greatest(least(cp_"
                    ~ side
                    ~ " - ziip_on_cp_seconds, "
                    ~ cp_part
                    ~ " * (general_purpose_seconds - ziip_on_cp_seconds)), 0)"
                ) %}
                {{ known_sum(in_run("general_purpose_seconds", "cp_most", "cp_" ~ side)) }}
                as general_purpose_seconds_{{ bound }},
                {{ known_sum(on_ziip) }} as ziip_seconds_{{ bound }},
                {{ known_sum(on_ziip_as_cp) }} as ziip_cp_equivalent_seconds_{{ bound }},
                {{ known_sum(in_run("ziip_on_cp_seconds", "cp_most")) }} as ziip_on_cp_seconds_{{ bound }},
                {{
                    known_sum(
                        in_run("(general_purpose_seconds - captured_cp + system_cp)", "cp_most")
                        ~ " + "
                        ~ in_run(
                            "(ziip_cp_equivalent_seconds - captured_ziip_as_cp + system_ziip_as_cp)",
                            ziip_as_cp_most,
                        )
                    )
                }} as system_overhead_seconds_{{ bound }},
                {{ known_sum(on_ziip_as_cp ~ " + " ~ in_run("ziip_on_cp_seconds", "cp_most")) }}
                as eligible_seconds_{{ bound }},
                {{
                    known_sum(
                        on_ziip ~ " + " ~ in_run("ziip_on_cp_as_ziip", "cp_most / nullif(ziip_factor, 0)")
                    )
                }} as eligible_ziip_seconds_{{ bound }},
                {{ known_sum(in_run("(general_purpose_seconds - ziip_on_cp_seconds)", "cp_most", own)) }}
                as after_offload_seconds_{{ bound }},
            {% endfor %}
            list(distinct source_id order by source_id) as source_ids
        from joined
        group by all

    )

select
    -- ids
    {{ run_columns("run") }},
    system.sysplex,
    system.system_id,
    system.system,

    -- speed of a CPU second
    summed.machine_type,
    summed.machine_model,
    summed.service_units_per_second,
    summed.service_units,

    -- CPU and costs
    summed.ziip_factor,
    {{ cpu_columns("summed", "run") }},
    summed.captured_seconds,
    summed.general_purpose_seconds
    + summed.ziip_cp_equivalent_seconds
    - summed.captured_seconds as uncaptured_seconds,
    summed.general_purpose_seconds
    + summed.ziip_cp_equivalent_seconds
    - summed.captured_seconds
    + summed.system_class_seconds as system_overhead_seconds,
    summed.system_overhead_seconds_low,
    summed.system_overhead_seconds_high,
    coalesce(summed.source_ids, []) as source_ids
from {{ runs(ref("int_runs__system")) }} as system
inner join run using (origin, run_id)
left join summed using (origin, run_id, sysplex, system_id)
