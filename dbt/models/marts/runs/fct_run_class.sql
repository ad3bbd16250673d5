{{ config(materialized="incremental", incremental_strategy="by_run") }}

{% set measures = cpu_measures() %}

with
    run as (select * from {{ runs(ref("fct_run")) }}),

    system as (select * from {{ runs(ref("fct_run_system")) }}),

    class as (

        select
            interval.origin,
            interval.run_id,
            interval.sysplex,
            interval.system_id,
            if(bool_or(class.goal_type = 'system'), 'system class', 'service class') as class_kind,
            class.service_class,
            {{ apportioned("class", "interval") }},
            list(distinct class.source_id order by class.source_id) as source_ids
        from {{ runs(ref("int_runs__interval")) }} as interval
        inner join
            {{ ref("fct_service_class_period_interval") }} as class using (
                origin, sysplex, system_id, interval_start_utc
            )
        group by all

    ),

    captured as (

        select
            origin,
            run_id,
            sysplex,
            system_id,
            {% for measure in measures[:3] %} {{ bounded(known_sum(measure ~ "$"), measure) }}, {% endfor %}
            count(*) as classes
        from class
        group by all

    ),

    -- Time charged to no class is known only where type 72 covers as much of the run as type 70;
    -- otherwise the row has no figures, so a sum over classes that looks whole is whole.
    uncaptured as (

        select
            origin,
            run_id,
            sysplex,
            system_id,
            'uncaptured' as class_kind,
            'uncaptured' as service_class,
            {% for measure in measures[:3] %}
                charged.{{ measure }} - captured.{{ measure }} as {{ measure }},
                if(
                    charged.{{ measure }} is not null,
                    least(
                        charged.{{ measure }} - captured.{{ measure }},
                        greatest(0, charged.{{ measure }}_low - captured.{{ measure }}_high)
                    ),
                    null
                ) as {{ measure }}_low,
                greatest(
                    charged.{{ measure }} - captured.{{ measure }},
                    charged.{{ measure }}_high - captured.{{ measure }}_low
                ) as {{ measure }}_high,
            {% endfor %}
            {{ bounded("0", "ziip_on_cp_seconds") }},
            system.source_ids
        from system
        inner join captured using (origin, run_id, sysplex, system_id)
        left join
            (from system where uncaptured_seconds is not null) as charged using (
                origin, run_id, sysplex, system_id
            )

    ),

    part as (

        select *
        from class
        union all by name
        select
            *,
            {{ bounded("ziip_cp_equivalent_seconds$", "eligible_seconds") }},
            {{ bounded("ziip_seconds$", "eligible_ziip_seconds") }},
            general_purpose_seconds_low as after_offload_seconds_low,
            general_purpose_seconds_high as after_offload_seconds_high
        from uncaptured

    )

select
    -- ids
    {{ run_columns("run") }},
    part.sysplex,
    part.system_id,
    system.system,
    part.class_kind,
    part.service_class,

    -- CPU and costs
    {{ cpu_columns("part", "run") }},
    part.source_ids
from part
inner join run using (origin, run_id)
inner join system using (origin, run_id, sysplex, system_id)
