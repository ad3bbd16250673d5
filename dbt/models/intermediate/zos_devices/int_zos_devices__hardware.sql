{# Sums over processors. NULL if any processor lacks the counter, or its record, because a partial sum
   is misleading. #}
{% set sums = [
    "cycles",
    "instructions",
    "l1_instruction_writes",
    "l1_data_writes",
    "l1_instruction_penalty",
    "l1_data_penalty",
    "problem_cycles",
    "problem_instructions",
    "miss_cycles",
    "l2_misses",
    "l3_misses",
    "l4l_misses",
    "l4r_misses",
    "mem_misses",
] %}

with
    processor as (select * from {{ days(ref("int_zos_devices__counted_processor"), around=1) }}),

    {% set whose = "origin, system_id" %}
    worked as (

        select
            record.origin,
            record.system_id,
            processor.cpu_id,
            processor.processor_type,
            record.interval_start_utc as start_utc,
            record.interval_end_utc as end_utc,
            processor.online_seconds - processor.wait_seconds - processor.parked_seconds as seconds
        from {{ days(ref("int_zos_cpu__processor"), around=1) }} as processor
        inner join {{ days(ref("int_rmf__record"), around=1) }} as record using (source_id, record_no)

    ),

    -- A processor counts while it works, as type 70 shows, or without that from one of its records to the
    -- next.
    counting as (

        select * exclude (seconds)
        from worked
        where seconds > 1
        union all by name
        select
            {{ whose }}, cpu_id, processor_type, interval_start_utc as start_utc, interval_end_utc as end_utc
        from processor
        union all by name
        select pause.*
        from
            (
                select
                    {{ whose }},
                    cpu_id,
                    processor_type,
                    interval_end_utc as start_utc,
                    lead(interval_start_utc) over (
                        partition by {{ whose }}, cpu_id order by interval_start_utc
                    ) as end_utc
                from processor
            ) as pause
        asof left join
            worked
            on pause.origin = worked.origin
            and pause.system_id = worked.system_id
            and pause.end_utc > worked.start_utc
        where
            pause.end_utc - pause.start_utc between interval 1 second and interval 2 hour
            and coalesce(worked.end_utc <= pause.start_utc, true)

    ),

    counted_interval as (select distinct {{ whose }}, interval_start_utc, interval_end_utc from processor),

    lacking as (

        select
            {{ whose }},
            interval_start_utc,
            interval_end_utc,
            coalesce(processor_type, 'all') as processor_type,
            list(distinct concat_ws(' ', counting.processor_type, counting.cpu_id)) as lacking_processors
        from
            (
                select *, {{ hours_of("interval_start_utc", "interval_end_utc") }} as hour
                from counted_interval
            ) as counted
        inner join
            (select *, {{ hours_of("start_utc", "end_utc") }} as hour from counting) as counting using (
                {{ whose }}, hour
            )
        anti join processor as own using ({{ whose }}, interval_start_utc, interval_end_utc, cpu_id)
        where
            counting.start_utc < counted.interval_end_utc - interval 1 second
            and counting.end_utc > counted.interval_start_utc + interval 1 second
        group by
            grouping sets (
                ({{ whose }}, interval_start_utc, interval_end_utc, processor_type),
                ({{ whose }}, interval_start_utc, interval_end_utc)
            )

    ),

    -- One row per processor type, and one for all processors.
    summed as (

        select
            {{ whose }},
            interval_start_utc,
            interval_end_utc,
            coalesce(processor_type, 'all') as processor_type,
            {{ first_record() }},
            count(*) as records,
            count(distinct cpu_id) as processors,
            min(record_subtype) as record_subtype,
            min(machine_type) as machine_type,
            min(machine_model) as machine_model,
            min(machine_serial) as machine_serial,
            min(generation) as generation,
            bool_or(lost_data) as lost_data,
            min(interval_seconds) as interval_seconds,
            max(cycles_per_us) as cycles_per_us,
            sum(cycles / (1e6 * cycles_per_us * interval_seconds)) as processors_busy,
            {% for name in sums %}
                case when count({{ name }}) = count(*) then sum({{ name }}) end as {{ name }}
                {{- "," if not loop.last }}
            {% endfor %}
        from processor
        group by
            grouping sets (
                ({{ whose }}, interval_start_utc, interval_end_utc, processor_type),
                ({{ whose }}, interval_start_utc, interval_end_utc)
            )

    ),

    grouped as (

        select
            summed.* replace (
                {% for name in sums + ["processors_busy"] %}
                    case when lacking.lacking_processors is null then summed.{{ name }} end as {{ name }}
                    {{- "," if not loop.last }}
                {% endfor %}
            ),
            lacking.lacking_processors
        from summed
        left join lacking using ({{ whose }}, interval_start_utc, interval_end_utc, processor_type)

    ),

    with_misses as (select *, l1_instruction_writes + l1_data_writes as l1_misses from grouped),

    with_percents as (

        select
            *,
            {{ percent("l1_misses", "instructions") }} as l1mp,
            {{ percent("l2_misses", "l1_misses") }} as l2p,
            {{ percent("l3_misses", "l1_misses") }} as l3p,
            {{ percent("l4l_misses", "l1_misses") }} as l4lp,
            {{ percent("l4r_misses", "l1_misses") }} as l4rp,
            {{ percent("mem_misses", "l1_misses") }} as memp
        from with_misses

    ),

    with_rni as (

        select
            with_percents.*,
            formula.factor * (
                formula.l3_weight * with_percents.l3p
                + formula.l4l_weight * with_percents.l4lp
                + formula.l4r_weight * with_percents.l4rp
                + formula.mem_weight * with_percents.memp
            )
            / 100 as rni,
            formula.verified as rni_verified
        from with_percents
        left join {{ ref("hardware_rni") }} as formula using (generation)

    )

select
    -- ids
    with_rni.source_id,
    with_rni.record_no,

    -- text
    with_rni.origin,
    with_rni.system_id,
    with_rni.processor_type,
    with_rni.machine_type,
    with_rni.machine_model,
    with_rni.machine_serial,
    with_rni.generation,
    threshold.rni_class,

    -- numerics
    with_rni.record_subtype,
    with_rni.records,
    with_rni.processors,
    with_rni.processors_busy,
    with_rni.lacking_processors,
    with_rni.interval_seconds,
    with_rni.cycles_per_us / 1000.0 as effective_ghz,
    with_rni.cycles,
    with_rni.instructions,
    {{ per_second("with_rni.instructions / 1e6", "with_rni.interval_seconds") }} as mips,
    {{ ratio("with_rni.cycles", "with_rni.instructions") }} as cpi,
    {{ percent("with_rni.problem_instructions", "with_rni.instructions") }} as problem_state_percent,
    with_rni.l1mp as l1_miss_percent,
    with_rni.l2p as l2_percent,
    with_rni.l3p as l3_percent,
    with_rni.l4lp as l4_local_percent,
    with_rni.l4rp as l4_remote_percent,
    with_rni.memp as memory_percent,
    with_rni.rni,
    {{ ratio("with_rni.miss_cycles", "with_rni.instructions") }} as finite_cpi,
    {{ ratio("with_rni.cycles - with_rni.miss_cycles", "with_rni.instructions") }} as complexity_cpi,
    {{ ratio("with_rni.miss_cycles", "with_rni.l1_misses") }} as cycles_per_miss,

    -- booleans
    with_rni.lost_data,
    with_rni.rni_verified,
    with_rni.rni_verified and threshold.verified as rni_class_verified,

    -- dates
    with_rni.interval_start_utc,
    with_rni.interval_end_utc
from with_rni
left join {{ ref("hardware_rni_class") }} as threshold on {{ in_rni_class("with_rni.l1mp", "with_rni.rni") }}
