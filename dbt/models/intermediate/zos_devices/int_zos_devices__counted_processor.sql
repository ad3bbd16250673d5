{# The levels that serve first-level cache misses, as named in the seed. #}
{% set levels = ["L2", "L3", "L4L", "L4R", "MEM"] %}
{# Counters used in formulas, by number. The numbers are the same on all machines from z13 on. #}
{% set counters = {
    0: "cycles",
    1: "instructions",
    2: "l1_instruction_writes",
    3: "l1_instruction_penalty",
    4: "l1_data_writes",
    5: "l1_data_penalty",
    32: "problem_cycles",
    33: "problem_instructions",
} %}

with
    reading as (

        select reading.*, machine.generation
        from {{ days(ref("int_zos_devices__counter_reading")) }} as reading
        left join {{ ref("hardware_machine") }} as machine using (machine_type)

    ),

    counter as (

        select
            reading.source_id,
            reading.record_no,
            counter.counter_number,
            counter.counter_increase,
            level.level
        from reading
        inner join {{ days(ref("int_zos_devices__counter")) }} as counter using (source_id, record_no)
        left join
            {{ ref("hardware_miss_counter") }} as level
            on reading.generation = level.generation
            and counter.counter_number = level.counter_number

    ),

    summed as (

        select
            source_id,
            record_no,
            {% for number, name in counters.items() %}
                sum(counter_increase) filter (where counter_number = {{ number }}) as {{ name }},
            {% endfor %}
            {% for level in levels %}
                sum(counter_increase) filter (where level = '{{ level }}') as {{ level | lower }}_misses,
            {% endfor %}
            sum(counter_increase) filter (where counter_number = 143) as counter_143
        from counter
        group by source_id, record_no

    )

select
    reading.*,
    summed.* exclude (source_id, record_no, counter_143),
    -- On z13, counter 143 counts a different event.
    case when reading.generation in ('z14', 'z15', 'z16') then summed.counter_143 end as miss_cycles
from reading
inner join summed using (source_id, record_no)
