{# Which part of a system's records belongs to a run. #}

{# One row per hour that a time range touches, so that two ranges can be joined on equality. #}
{% macro hours_of(start, stop) -%}
    unnest(generate_series(
        date_trunc('hour', {{ start }}), {{ stop }} - interval 1 microsecond, interval 1 hour
    ))
{%- endmacro %}

{% macro same_moment(one, other) -%}
    abs(epoch({{ one }} - {{ other }})) < 1
{%- endmacro %}

{# One row per system interval of a relation and run of int_runs__system that ran during it. Adds
   run_id; share, the fraction of the interval that lies within the run; covered_seconds, the
   seconds of the run that lie within the interval. Start times are recorded in whole seconds, so
   times that differ by less than a second count as equal.

   Records without a sysplex (names_sysplex=false) belong to a system only if no other sysplex had
   one of that name; they get its sysplex. #}
{% macro intervals_of_runs(
    relation, start="interval_start_utc", stop="interval_end_utc", names_sysplex=true
) -%}
    (
        with interval_hour as (

            select *, {{ hours_of(start, stop) }} as hour
            from {{ relation }}
            where
                {{ start }} < {{ stop }}
                {% if is_incremental() %}
                and {{ stop }} > (select min(start_utc) from {{ runs(ref("int_runs__system")) }})
                and {{ start }} < (select max(stop_utc) from {{ runs(ref("int_runs__system")) }})
                {% endif %}

        ),

        run_hour as (

            select
                origin,
                run_id,
                sysplex,
                system_id,
                start_utc as run_start_utc,
                stop_utc as run_stop_utc,
                {{ hours_of("start_utc", "stop_utc") }} as hour
            from {{ runs(ref("int_runs__system")) }}
            {% if not names_sysplex %}
            where is_only_one_of_its_name
            {% endif %}

        ),

        overlap as (

            select
                one.* exclude (hour),
                run.run_id,
                {% if not names_sysplex %}
                run.sysplex,
                {% endif %}
                case
                    when {{ same_moment("run.run_start_utc", "one." ~ start) }} then one.{{ start }}
                    when {{ same_moment("run.run_start_utc", "one." ~ stop) }} then one.{{ stop }}
                    else greatest(run.run_start_utc, one.{{ start }})
                end as from_utc,
                case
                    when {{ same_moment("run.run_stop_utc", "one." ~ stop) }} then one.{{ stop }}
                    when {{ same_moment("run.run_stop_utc", "one." ~ start) }} then one.{{ start }}
                    else least(run.run_stop_utc, one.{{ stop }})
                end as to_utc,
                case
                    when {{ same_moment("run.run_start_utc", "one." ~ start) }}
                        then run.run_start_utc
                    else greatest(run.run_start_utc, one.{{ start }})
                end as covered_from_utc,
                case
                    when {{ same_moment("run.run_stop_utc", "one." ~ stop) }}
                        then run.run_stop_utc
                    else least(run.run_stop_utc, one.{{ stop }})
                end as covered_to_utc
            from interval_hour as one
            inner join run_hour as run
                on
                    one.origin = run.origin
                    {% if names_sysplex %}
                    and one.sysplex = run.sysplex
                    {% endif %}
                    and one.system_id = run.system_id
                    and one.hour = run.hour
                    and one.{{ start }} < run.run_stop_utc
                    and one.{{ stop }} > run.run_start_utc
            -- Both may touch several hours: keep the pair only in the first hour they share.
            where one.hour = date_trunc('hour', greatest(run.run_start_utc, one.{{ start }}))

        )

        select
            * exclude (from_utc, to_utc, covered_from_utc, covered_to_utc),
            epoch(to_utc - from_utc) / epoch({{ stop }} - {{ start }}) as share,
            epoch(covered_to_utc - covered_from_utc) as covered_seconds
        from overlap
        where to_utc > from_utc
    )
{%- endmacro %}

{# Whether records cover all of a run: 99 % of it, because RMF intervals start at whole seconds, and
   of a long run all but half of its shortest interval, so that no interval is missing. #}
{% macro fully_covered(covered_seconds, run_seconds, shortest_interval_seconds) -%}
    (
        {{ covered_seconds }} >= 0.99 * {{ run_seconds }}
        and {{ run_seconds }} - {{ covered_seconds }}
        < greatest(2, coalesce({{ shortest_interval_seconds }}, 0) / 2)
    )
{%- endmacro %}
