{{ config(materialized='incremental', incremental_strategy='by_run') }}

with interval as (

    select * from {{ runs(ref('int_runs__interval')) }}

),

run as (

    select * from {{ runs(ref('fct_run')) }}

),

-- Type 70: all CPU time of the system, whatever it is charged to. NULL if it is not known; zero
-- without processors of the type.
processor as (

    select
        origin,
        sysplex,
        system_id,
        interval_start_utc,
        {% for processor_type in ["CP", "zIIP"] %}
        {% set of_type = "filter (where processor_type = '" ~ processor_type ~ "')" %}
        case when count(*) {{ of_type }} > 0 then sum(used_seconds) {{ of_type }} else 0 end
            as {{ processor_type | lower }}_seconds,
        {% endfor %}
        max(cp_factor) filter (where processor_type = 'zIIP') as ziip_factor
    from {{ ref('fct_processor_interval') }}
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
        {{ known_sum("ziip_on_cp_seconds") }} as ziip_on_cp_seconds,
        {{ known_sum("ziip_cp_equivalent_seconds + ziip_on_cp_seconds") }} as eligible_seconds,
        {{ known_sum(eligible_ziip_seconds("class")) }}
            as eligible_ziip_seconds,
        {{ known_sum("general_purpose_seconds + ziip_cp_equivalent_seconds") }}
            as captured_seconds,
        coalesce(
            sum(general_purpose_seconds + ziip_cp_equivalent_seconds)
                filter (where goal_type = 'system'),
            0
        ) as system_class_seconds
    from {{ ref('fct_service_class_period_interval') }} as class
    group by all

),

-- The factor of type 70 counts where there is no type 72.
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
        class.ziip_on_cp_seconds,
        class.eligible_seconds,
        class.eligible_ziip_seconds,
        class.captured_seconds,
        class.system_class_seconds
    from interval
    inner join processor using (origin, sysplex, system_id, interval_start_utc)
    left join class using (origin, sysplex, system_id, interval_start_utc)

),

summed as (

    select
        origin,
        run_id,
        sysplex,
        system_id,
        max(ziip_factor) as ziip_factor,
        {% for measure in cpu_measures() + ["captured_seconds", "system_class_seconds"] %}
        {{ known_sum("share * " ~ measure) }} as {{ measure }},
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

    -- CPU and costs
    summed.ziip_factor,
    {{ cpu_columns("summed", "run") }},
    summed.captured_seconds,
    summed.general_purpose_seconds + summed.ziip_cp_equivalent_seconds - summed.captured_seconds
        as uncaptured_seconds,
    summed.general_purpose_seconds
    + summed.ziip_cp_equivalent_seconds
    - summed.captured_seconds
    + summed.system_class_seconds as system_overhead_seconds,
    run.is_compared,
    coalesce(summed.source_ids, []) as source_ids
from {{ runs(ref('int_runs__system')) }} as system
inner join run using (origin, run_id)
left join summed using (origin, run_id, sysplex, system_id)
