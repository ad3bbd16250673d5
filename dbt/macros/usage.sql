{# Shared by the models of hours: fct_system_hour, the ledger, and fct_usage_hour. #}

{# The figures of an hour. For a known_..., highest_... and lowest_... see known_total(). #}
{% macro usage_measures() -%}
    {{ return([
        "interval_seconds", "general_purpose_seconds", "ziip_seconds", "ziip_on_cp_seconds",
        "eligible_seconds", "service_units", "highest_long_term_average_msu", "transactions",
        "mqi_calls", "messages_put", "gets", "log_bytes_written", "messages", "bytes_sent", "bytes_received",
    ]) }}
{%- endmacro %}

{# What the ledger has of a system besides, and its rates: each is a mean over the seconds in which it
   is known, so that the hours of a day make the day's. #}
{% macro system_measures() -%}
    {{ return([
        "interval_seconds", "general_purpose_seconds", "ziip_seconds", "service_units",
        "consumed_cp_seconds", "soft_capped_seconds", "class_seconds", "highest_long_term_average_msu",
        "highest_four_hour_average_msu", "highest_group_four_hour_average_msu",
        "highest_latent_demand_msu", "lowest_available_capacity_msu", "lowest_defined_capacity_msu",
        "highest_ziips_needed", "highest_ziips_online", "highest_ziip_factor",
    ]) }}
{%- endmacro %}

{% macro system_rates() -%}
    {{ return({
        "consumed_msu": "consumed_seconds", "long_term_average_msu": "long_term_seconds",
        "four_hour_average_msu": "four_hour_seconds", "latent_demand_msu": "latent_seconds",
    }) }}
{%- endmacro %}

{# A sum, or NULL if a value is unknown; of the ledger's seconds, the sum of those known; for highest_...
   and lowest_..., the greatest and the least of the known values. #}
{% macro known_total(measure) -%}
    {%- if measure.startswith("highest_") -%}
    cast(max({{ measure }}) as double)
    {%- elif measure.startswith("lowest_") -%}
    cast(min({{ measure }}) as double)
    {%- elif measure in ["consumed_cp_seconds", "soft_capped_seconds", "class_seconds"] -%}
    cast(sum({{ measure }}) as double)
    {%- else -%}
    cast(case when count({{ measure }}) = count(*) then sum({{ measure }}) end as double)
    {%- endif -%}
{%- endmacro %}

{# The mean of a rate over the seconds in which it is known, and these seconds. #}
{% macro mean_rate(rate, seconds) -%}
    sum({{ rate }} * {{ seconds }}) / nullif(sum({{ seconds }}) filter (where {{ rate }} is not null), 0)
{%- endmacro %}

{# CTEs that end with `hour`: the hours of the CTE `interval_usage` and of roll-ups of the same subjects.
   An hour ends where one ends by UTC or by the system's clock, so that days of both, and prices, are
   made of whole hours. An interval belongs to that in which it begins, give or take half a minute. It
   counts unless the roll-up has an interval of the subject that begins in the same minute, or, of an
   LPAR, covers a minute of it. #}
{% macro ledger(subjects, measures, rates={}, attributes=[]) %}
    {% set key = ["subject", "sysplex", "system_id", "queue_manager", "name"] %}
    rolled as (select * from {{ ref("stg_lake__usage_hour") }} where {{ subjects }}),

    held as (

        select
            origin,
            {{ key | join(", ") }},
            date_trunc('hour', hour_utc) as clock_hour_utc,
            bit_or(coalesce(minutes, -1)) as held_minutes
        from rolled
        group by all

    ),

    placed as (

        select
            interval_usage.*
            replace (
                {% for column in key %}
                    coalesce({{ column }}, '') as {{ column }}{{ "," if not loop.last }}
                {% endfor %}
            ),
            interval_start_utc + interval 30 second as moment,
            date_trunc('hour', moment) as clock_hour_utc,
            -- greatest() leaves out what is NULL
            greatest(
                clock_hour_utc,
                date_trunc('hour', moment + to_minutes(utc_offset_minutes)) - to_minutes(utc_offset_minutes)
            ) as hour_utc,
            -- All that an LPAR's interval covers, so that no hour of it is longer than one.
            {% set covered = "least(greatest(round(interval_seconds / 60), 1), 60 - minute(moment))" %}
            ((1::bigint << cast({{ covered if rates else 1 }} as integer)) - 1) << minute(moment) as minutes
        from interval_usage
        where interval_start_utc is not null

    ),

    counted as (

        select *, 1 as intervals, 0 as rolled_intervals
        from placed
        left join held using (origin, {{ key | join(", ") }}, clock_hour_utc)
        where coalesce(minutes & held_minutes, 0) = 0
        union all by name
        select *, intervals as rolled_intervals
        from rolled

    ),

    hour as (

        select
            origin,
            {{ first_record(["rolled_intervals = 0"]) }},
            hour_utc,
            {{ key | join(", ") }},
            cast(sum(intervals) as bigint) as intervals,
            cast(sum(rolled_intervals) as bigint) as rolled_intervals,
            bit_or(coalesce(minutes, -1)) as minutes,
            max(utc_offset_minutes) as utc_offset_minutes,
            {% for attribute in attributes %} max({{ attribute }}) as {{ attribute }}, {% endfor %}
            {% for rate, seconds in rates.items() %}
                {{ mean_rate(rate, seconds) }} as {{ rate }},
                sum({{ seconds }}) as {{ seconds }},
            {% endfor %}
            {% for measure in measures %}
                {{ known_total(measure) }} as {{ measure }}{{ "," if not loop.last }}
            {% endfor %}
        from counted
        group by origin, hour_utc, {{ key | join(", ") }}

    )
{% endmacro %}
