{# Sums over processors. NULL if any processor lacks the counter, because a partial sum is
   misleading. #}
{% set sums = [
    "cycles", "instructions", "l1_instruction_writes", "l1_data_writes", "l1_instruction_penalty",
    "l1_data_penalty", "problem_cycles", "problem_instructions", "miss_cycles",
    "l2_misses", "l3_misses", "l4l_misses", "l4r_misses", "mem_misses",
] %}

with counted as (

    select * from {{ days(ref('int_zos_devices__counted_processor'), around=1) }}

),

-- One row per processor type, and one for all processors.
grouped as (

    select
        origin,
        system_id,
        interval_start_utc,
        interval_end_utc,
        coalesce(processor_type, 'all') as processor_type,
        first(source_id order by source_id, record_no) as source_id,
        first(record_no order by source_id, record_no) as record_no,
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
    from counted
    group by
        grouping sets (
            (origin, system_id, interval_start_utc, interval_end_utc, processor_type),
            (origin, system_id, interval_start_utc, interval_end_utc)
        )

),

shared as (

    select
        *,
        l1_instruction_writes + l1_data_writes as l1_misses
    from grouped

),

shares as (

    select
        *,
        {{ percent("l1_misses", "instructions") }} as l1mp,
        {{ percent("l2_misses", "l1_misses") }} as l2p,
        {{ percent("l3_misses", "l1_misses") }} as l3p,
        {{ percent("l4l_misses", "l1_misses") }} as l4lp,
        {{ percent("l4r_misses", "l1_misses") }} as l4rp,
        {{ percent("mem_misses", "l1_misses") }} as memp
    from shared

),

intense as (

    select
        shares.*,
        formula.factor
        * (
            formula.l3_weight * shares.l3p
            + formula.l4l_weight * shares.l4lp
            + formula.l4r_weight * shares.l4rp
            + formula.mem_weight * shares.memp
        ) / 100 as rni,
        formula.verified as rni_verified
    from shares
    left join {{ ref('hardware_rni') }} as formula using (generation)

)

select
    -- ids
    intense.source_id,
    intense.record_no,

    -- text
    intense.origin,
    intense.system_id,
    intense.processor_type,
    intense.machine_type,
    intense.machine_model,
    intense.machine_serial,
    intense.generation,
    threshold.rni_class,

    -- numerics
    intense.record_subtype,
    intense.records,
    intense.processors,
    intense.processors_busy,
    intense.interval_seconds,
    intense.cycles_per_us / 1000.0 as effective_ghz,
    intense.cycles,
    intense.instructions,
    {{ per_second("intense.instructions / 1e6", "intense.interval_seconds") }} as mips,
    {{ ratio("intense.cycles", "intense.instructions") }} as cpi,
    {{ percent("intense.problem_instructions", "intense.instructions") }} as problem_state_percent,
    intense.l1mp as l1_miss_percent,
    intense.l2p as l2_percent,
    intense.l3p as l3_percent,
    intense.l4lp as l4_local_percent,
    intense.l4rp as l4_remote_percent,
    intense.memp as memory_percent,
    intense.rni,
    {{ ratio("intense.miss_cycles", "intense.instructions") }} as finite_cpi,
    {{ ratio("intense.cycles - intense.miss_cycles", "intense.instructions") }} as complexity_cpi,
    {{ ratio("intense.miss_cycles", "intense.l1_misses") }} as cycles_per_miss,

    -- booleans
    intense.lost_data,
    intense.rni_verified,
    intense.rni_verified and threshold.verified as rni_class_verified,

    -- dates
    intense.interval_start_utc,
    intense.interval_end_utc
from intense
left join {{ ref('hardware_rni_class') }} as threshold
    on
        intense.l1mp >= threshold.l1mp_from
        and intense.l1mp < coalesce(threshold.l1mp_below, 'infinity'::double)
        and intense.rni >= threshold.rni_from
        and intense.rni < coalesce(threshold.rni_below, 'infinity'::double)
