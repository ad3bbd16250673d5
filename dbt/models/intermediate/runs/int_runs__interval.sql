{{ config(materialized="incremental", incremental_strategy="by_run") }}

-- The RMF intervals that each run overlaps, and the fraction of each: by time, and by what is known
-- of the work. docs/cost-method.md derives the bounds.
with
    overlap as (select * from {{ intervals_of_runs(ref("int_zos_cpu__interval")) }}),

    -- What the system used in the whole interval, and the most its processors could have delivered. A
    -- core with two threads delivers at most the work of two cores.
    processor as (

        select
            source_id,
            record_no,
            max(cp_factor) filter (where processor_type = 'zIIP') as ziip_factor,
            {% for type in ["CP", "zIIP"] %}
                {% set of_type = "filter (where processor_type = '" ~ type ~ "')" %}
                sum(used_seconds) {{ of_type }} as {{ type | lower }}_used,
                sum(
                    coalesce(online_seconds, online_thread_seconds) * if(multithreaded, 2, 1)
                ) {{ of_type }} as {{ type | lower }}_most{{ "," if not loop.last }}
            {% endfor %}
        from {{ ref("int_zos_cpu__processor_total") }}
        semi join overlap using (source_id, record_no)
        group by source_id, record_no

    ),

    -- Address spaces whose own intervals lie entirely before or after a run's start or stop show what
    -- was used there.
    known as (

        select
            run_id,
            source_id,
            record_no,
            {% for type, seconds in [("cp", "general_purpose_seconds"), ("ziip", "ziip_seconds")] %}
                {% for side in ["inside", "outside"] %}
                    coalesce(
                        sum({{ seconds }}) filter (where side = '{{ side }}'), 0
                    ) as {{ type }}_{{ side }},
                {% endfor %}
            {% endfor %}
            count(*) as address_spaces
        from
            (
                select
                    overlap.run_id,
                    overlap.source_id,
                    overlap.record_no,
                    space.general_purpose_seconds,
                    space.ziip_seconds,
                    case
                        when
                            space.interval_start_utc >= run.start_utc - interval 1 second
                            and space.interval_end_utc <= run.stop_utc + interval 1 second
                        then 'inside'
                        when
                            space.interval_end_utc <= run.start_utc + interval 1 second
                            or space.interval_start_utc >= run.stop_utc - interval 1 second
                        then 'outside'
                    end as side
                from overlap
                inner join
                    {{ runs(ref("int_runs__system")) }} as run using (origin, run_id, sysplex, system_id)
                inner join
                    {{ ref("int_zos_cpu__address_space") }} as space
                    on overlap.origin = space.origin
                    and overlap.sysplex = space.sysplex
                    and overlap.system_id = space.system_id
                    and overlap.interval_start_utc = space.rmf_interval_start_utc
                where overlap.share < 1 and space.usable and space.aligned
            )
        where side is not null
        group by run_id, source_id, record_no

    ),

    -- The speed of a CPU second: of the machine, whose CPs have a physical adjustment factor (SMF70CPA),
    -- and of the system's logical CPs (SMF70ADJ).
    machine as (

        select
            control.source_id,
            control.record_no,
            control.machine_type,
            control.machine_model,
            case
                when not coalesce(control.capacity_changed, false) then control.service_units_per_second
            end as service_units_per_second,
            control.machine_type
            || ' '
            || control.machine_model
            || coalesce(format(' of {:.0f} SU/s', 16e6 / physical.capacity_factor), '') as machine,
            format('{}, at {:.0f} SU/s', machine, control.service_units_per_second) as speed
        from {{ merged_sections(source("staging", "zos_cpu__control")) }} as control
        semi join overlap using (source_id, record_no)
        left join
            {{ ref("stg_zos_capacity__control") }} as physical
            on control.source_id = physical.source_id
            and control.record_no = physical.record_no
            and physical.section_no = 1
        where control.section_no = 1

    ),

    joined as (

        select
            overlap.*,
            processor.* exclude (source_id, record_no),
            machine.* exclude (source_id, record_no),
            {% for type in ["cp", "ziip"] %}
                {% for side in ["inside", "outside"] %}
                    -- It cannot be more than the system used.
                    case
                        when known.{{ type }}_inside + known.{{ type }}_outside <= processor.{{ type }}_used
                        then known.{{ type }}_{{ side }}
                        else 0
                    end as {{ type }}_{{ side }}{{ "," if not loop.last }}
                {% endfor %}
                {{ "," if not loop.last }}
            {% endfor %}
        from overlap
        left join processor using (source_id, record_no)
        left join machine using (source_id, record_no)
        left join known using (run_id, source_id, record_no)

    ),

    bounded as (

        select
            *,
            {% for type in ["cp", "ziip"] %}
                {{ least_in_run(type ~ "_used", type ~ "_most", type ~ "_inside") }} as {{ type }}_low,
                greatest(
                    {{ type }}_low, {{ most_in_run(type ~ "_used", type ~ "_most", type ~ "_outside") }}
                ) as {{ type }}_high,
                -- Whatever is not known is spread evenly.
                greatest(
                    {{ type }}_low,
                    least(
                        {{ type }}_high,
                        {{ type }}_inside + share * ({{ type }}_used - {{ type }}_inside - {{ type }}_outside)
                    )
                ) as {{ type }}_middle{{ "," if not loop.last }}
            {% endfor %}
        from joined

    )

select
    origin,
    run_id,
    sysplex,
    system_id,
    interval_start_utc,
    source_id,
    interval_seconds,
    share,
    covered_seconds,
    {% for type in ["cp", "ziip"] %}
        coalesce(
            case when share < 1 then {{ type }}_middle / nullif({{ type }}_used, 0) end, share
        ) as {{ type }}_share,
        {{ type }}_most,
        {{ type }}_inside,
        {{ type }}_outside,
    {% endfor %}
    machine_type,
    machine_model,
    service_units_per_second,
    machine,
    speed,
    {% for bound in ["low", "middle", "high"] %}
        cp_{{ bound }} + coalesce(ziip_{{ bound }} * ziip_factor, 0) as cpu_seconds_{{ bound }}
        {{- "," if not loop.last }}
    {% endfor %}
from bounded
