{{ config(materialized='incremental', incremental_strategy='by_run') }}

{% set measures = [
    "general_purpose_seconds", "ziip_seconds", "ziip_cp_equivalent_seconds", "ziip_on_cp_seconds"
] %}
{% set eligible = "ziip_cp_equivalent_seconds + ziip_on_cp_seconds as eligible_seconds" %}

with interval as (

    select * from {{ runs(ref('int_runs__interval')) }}

),

-- Type 70: all CPU time of the system, whatever it is charged to.
processor as (

    select
        origin,
        system_id,
        interval_start_utc,
        max(processor_seconds) filter (where processor_type = 'CP') as general_purpose_seconds,
        coalesce(max(processor_seconds) filter (where processor_type = 'zIIP'), 0) as ziip_seconds
    from {{ ref('fct_cpu_reconciliation') }}
    group by all

),

-- Type 72: CPU time charged to service classes. Classes with the goal SYSTEM belong to the system
-- itself.
class as (

    select
        origin,
        system_id,
        interval_start_utc,
        class_name,
        max(ziip_factor) as ziip_factor,
        bool_or(coalesce(goal_type = 'system', false)) as is_system,
        {% for measure in measures %}
        sum({{ measure }}) as {{ measure }}{{ "," if not loop.last }}
        {% endfor %}
    from {{ ref('fct_service_class_period_interval') }}
    group by all

),

all_classes as (

    select
        origin,
        system_id,
        interval_start_utc,
        max(ziip_factor) as ziip_factor,
        {% for measure in measures %}
        sum({{ measure }}) as {{ measure }}{{ "," if not loop.last }}
        {% endfor %}
    from class
    group by all

),

-- zIIP-eligible time is the part charged to classes, wherever it ran.
system as (

    select
        processor.origin,
        processor.system_id,
        processor.interval_start_utc,
        processor.general_purpose_seconds,
        processor.ziip_seconds,
        processor.ziip_seconds * coalesce(all_classes.ziip_factor, 1) as ziip_cp_equivalent_seconds,
        all_classes.ziip_on_cp_seconds,
        all_classes.ziip_cp_equivalent_seconds + all_classes.ziip_on_cp_seconds
            as eligible_seconds,
        coalesce(all_classes.ziip_factor, 1) as ziip_factor,
        processor.general_purpose_seconds - all_classes.general_purpose_seconds
            as uncaptured_cp_seconds,
        processor.ziip_seconds - all_classes.ziip_seconds as uncaptured_ziip_seconds
    from processor
    left join all_classes using (origin, system_id, interval_start_utc)

),

interval_part as (

    select
        origin,
        system_id,
        interval_start_utc,
        'system' as part_kind,
        system_id as part,
        {{ measures | join(", ") }},
        eligible_seconds
    from system

    union all

    select
        origin,
        system_id,
        interval_start_utc,
        'uncaptured' as part_kind,
        'uncaptured' as part,
        uncaptured_cp_seconds,
        uncaptured_ziip_seconds,
        uncaptured_ziip_seconds * ziip_factor,
        0,
        0
    from system

    union all

    select
        origin,
        system_id,
        interval_start_utc,
        if(is_system, 'system class', 'service class') as part_kind,
        class_name as part,
        {{ measures | join(", ") }},
        {{ eligible }}
    from class

    union all

    select
        origin,
        system_id,
        interval_start_utc,
        'report class' as part_kind,
        class_name as part,
        {{ measures | join(", ") }},
        {{ eligible }}
    from {{ ref('fct_report_class_interval') }}

),

-- Type 30 has its own intervals.
address_space as (

    select
        origin,
        run_id,
        system_id,
        source_id,
        'address space' as part_kind,
        job_name as part,
        share,
        {{ measures | join(", ") }},
        {{ eligible }}
    from {{ intervals_of_runs(ref('int_zos_cpu__address_space')) }}

),

run_interval_part as (

    select
        interval.origin,
        interval.run_id,
        interval.system_id,
        interval.source_id,
        part.part_kind,
        part.part,
        interval.share,
        {% for measure in measures %}
        part.{{ measure }},
        {% endfor %}
        part.eligible_seconds
    from interval
    inner join interval_part as part using (origin, system_id, interval_start_utc)

    union all

    select * from address_space

),

part as (

    select
        origin,
        run_id,
        system_id,
        part_kind,
        part,
        {% for measure in measures + ["eligible_seconds"] %}
        sum(share * {{ measure }}) as {{ measure }},
        {% endfor %}
        list(distinct source_id order by source_id) as source_ids
    from run_interval_part
    group by all

),

-- Totals per system, and over all systems.
summed as (

    select
        origin,
        run_id,
        part_kind,
        part,
        system_id,
        sum(general_purpose_seconds) as general_purpose_seconds,
        sum(ziip_seconds) as ziip_seconds,
        sum(ziip_cp_equivalent_seconds) as ziip_cp_equivalent_seconds,
        sum(ziip_on_cp_seconds) as ziip_on_cp_seconds,
        sum(eligible_seconds) as eligible_seconds,
        list_sort(list_distinct(flatten(list(source_ids)))) as source_ids
    from (
        select * replace (if(part_kind = 'system', 'all', part) as part) from part

        union all

        select * replace (if(part_kind = 'system', 'all', part) as part, null as system_id)
        from part
    )
    group by origin, run_id, part_kind, part, system_id

),

factor as (

    select
        origin,
        run_id,
        max(ziip_factor) as ziip_factor
    from {{ runs(ref('fct_run_coverage')) }}
    group by all

),

costed as (

    select
        run.source_id,
        run.record_no,
        run.campaign,
        run.configuration_id,
        run.start_utc,
        run.seconds,
        run.bytes,
        run.transactions,
        run.is_complete,
        factor.ziip_factor,
        summed.*,
        summed.general_purpose_seconds + summed.ziip_cp_equivalent_seconds as cpu_seconds
    from summed
    inner join {{ runs(ref('fct_run')) }} as run using (origin, run_id)
    left join factor using (origin, run_id)

)

select
    -- ids
    origin,
    source_id,
    record_no,
    run_id,
    campaign,
    configuration_id,
    start_utc,
    part_kind,
    part,
    system_id,

    -- CPU
    cpu_seconds,
    general_purpose_seconds,
    ziip_seconds,
    ziip_cp_equivalent_seconds,
    ziip_on_cp_seconds,
    eligible_seconds,
    cpu_seconds - eligible_seconds as after_offload_seconds,
    {{ percent("eligible_seconds", "cpu_seconds") }} as ziip_share_percent,
    {{ ratio("eligible_seconds / nullif(ziip_factor, 0)", "seconds") }} as ziips_needed,

    -- costs
    {{ ratio("cpu_seconds", "bytes / 1073741824") }} as cost_per_gb,
    {{ ratio("cpu_seconds - eligible_seconds", "bytes / 1073741824") }}
        as cost_per_gb_after_offload,
    {{ average_us("cpu_seconds", "transactions") }} as cost_per_transaction_us,
    {{ average_us("cpu_seconds - eligible_seconds", "transactions") }}
        as cost_per_transaction_after_offload_us,
    is_complete,
    source_ids
from costed
