{# Metrics: figures of runs and their parts as rows. #}

{# The values of several columns as rows (metric, value, value_low, value_high), from pairs
   (metric, column). The bounds are NULL where they are all the same: nothing is apportioned. #}
{% macro metric_rows(pairs) -%}
    unnest(
        [
            {%- for metric, column in pairs %}
            {%- set low, high = bounds_of(column) %}
            {
                'metric': '{{ metric }}',
                'value': cast({{ column }} as double),
                {% for name, bound in [("value_low", low), ("value_high", high)] %}
                '{{ name }}': cast(
                    {{- "if(%s - %s > 1e-9 * %s, %s, null)" % (high, low, high, bound)
                        if bound else "null" }} as double
                ){{ "," if not loop.last }}
                {% endfor %}
            }
            {{- "," if not loop.last }}
            {%- endfor %}
        ],
        recursive := true
    )
{%- endmacro %}

{# The columns with the bounds of a column of cpu_columns(); none of others. #}
{% macro bounds_of(column) -%}
    {%- set bounded = bounded_measures() + ["cpu_seconds", "cost_per_GB",
        "cost_per_GB_after_offload", "cost_per_transaction_us",
        "cost_per_transaction_after_offload_us", "ziip_share_percent", "ziips_needed"] -%}
    {%- set stem = column.removesuffix("_us") -%}
    {%- set unit = column[stem | length:] -%}
    {{ return(
        (stem ~ "_low" ~ unit, stem ~ "_high" ~ unit) if column in bounded else (none, none)
    ) }}
{%- endmacro %}

{# The columns of cpu_columns() that are metrics, as (metric, column). #}
{% macro cpu_metrics() -%}
    {{ return([
        ("cpu_seconds", "cpu_seconds"),
        ("general_purpose_seconds", "general_purpose_seconds"),
        ("ziip_eligible_seconds", "eligible_seconds"),
        ("cost_per_GB", "cost_per_GB"),
        ("cost_per_GB_after_offload", "cost_per_GB_after_offload"),
        ("cost_per_transaction", "cost_per_transaction_us"),
        ("cost_per_transaction_after_offload", "cost_per_transaction_after_offload_us"),
        ("ziip_share", "ziip_share_percent"),
        ("ziips_needed", "ziips_needed"),
    ]) }}
{%- endmacro %}

{# The figures of resources other than processors, as (metric, column of fct_run_total, resource,
   expression for bounded()). #}
{% macro resource_figures() -%}
    {{ return([
        ("dasd_response_time", "dasd_response_us", "DASD", average_us("seconds$", "events^")),
        ("cf_service_time", "cf_service_us", "CF", average_us("seconds$", "events^")),
        ("log_write_latency", "log_write_us", "MQ log", average_us("seconds$", "events^")),
        ("log_physical_bytes", "log_bytes", "MQ log", "bytes$"),
        (
            "log_physical_rate", "log_bytes_per_second", "MQ log",
            per_second("bytes$", "run_seconds"),
        ),
        (
            "log_copy_rate", "log_copy_mb_per_second", "MQ log",
            per_second("most_bytes$ / 1048576", "work_seconds"),
        ),
        ("NETTIME", "nettime_ms", "network", average_us("seconds$", "events^") ~ " / 1000"),
    ]) }}
{%- endmacro %}

{# An expression over the columns of resources_used(), in which $ marks what makes it greater and ^ what
   makes it less: itself, or one of its bounds. A mean is greatest if at least one event was in the run. #}
{% macro bounded(value, bound="") -%}
    {%- set suffixes = {"": ("", ""), "_low": ("_low", "_high"), "_high": ("_high", "_least")}[bound] -%}
    {{ value.replace("$", suffixes[0]).replace("^", suffixes[1]) }}
{%- endmacro %}

{# Such an expression as value, value_low and value_high: NULL where nothing is apportioned. #}
{% macro bounded_values(value) -%}
    {%- set low, high = bounded(value, "_low"), bounded(value, "_high") -%}
    {{ bounded(value) }} as value,
    {% for bound in ["low", "high"] %}
    if(
        {{ high }} - {{ low }} > 1e-9 * {{ high }}, {{ low if bound == "low" else high }}, null
    ) as value_{{ bound }}{{ "," if not loop.last }}
    {% endfor %}
{%- endmacro %}

{# Totals over all objects of a resource, by the columns in `by`: events, seconds, cpu_seconds,
   bytes and most_bytes (of one object) with their bounds, run_seconds and work_seconds. `verb`
   distinguishes MQ verbs. #}
{% macro resources_used(by) -%}
    (
        select
            {% for column in by %}
            used.{{ column }},
            {% endfor %}
            used.resource,
            if(used.resource = 'MQ verb', used.part, null) as verb,
            {% for of in ["", "_low", "_high"] %}
            {{ sum_of_events("used.events" ~ of, "used.events") }} as events{{ of }},
            {{ sum_of_events("used.busy_seconds" ~ of, "used.events") }} as seconds{{ of }},
            {{ sum_of_events("used.cpu_seconds" ~ of, "used.events") }} as cpu_seconds{{ of }},
            {{ sum_of_events("used.bytes_moved" ~ of, "used.events") }} as bytes{{ of }},
            if(count(*) = count(used.events), max(used.bytes_moved{{ of }}), null) as most_bytes{{ of }},
            {% endfor %}
            greatest(1, {{ sum_of_events("used.events_low", "used.events") }}) as events_least,
            any_value(run.seconds) as run_seconds,
            any_value(coalesce(run.work_seconds, run.seconds)) as work_seconds
        from {{ runs(ref('fct_run_resource')) }} as used
        inner join {{ runs(ref('fct_run')) }} as run using (origin, run_id)
        where not used.is_included
        group by all
    )
{%- endmacro %}

{# The columns of a mart of measurements; those in `of` say which part of the run they measure.
   Reads fct_run_price as `price`. network_money: what the network adds to the money of a figure. #}
{% macro measurement_columns(run, measured, of=[], network_money="0") -%}
    -- ids
    {{ run }}.origin,
    {{ run }}.source_id,
    {{ run }}.record_no,
    {{ run }}.run_id,
    {{ run }}.campaign,
    {{ run }}.configuration_id,
    {{ run }}.repetition,
    {% for column in of %}
    {{ column }},
    {% endfor %}

    -- measurement
    {{ measured }}.metric,
    {{ measured }}.value,
    {{ measured }}.value_low,
    {{ measured }}.value_high,
    {{ measured }}.unit,
    {{ measured }}.more_is_better,
    {{ measured }}.is_given,
    case
        when {{ measured }}.unit = 'CPU us'
        then 1e-6 * {{ measured }}.value * price.money_per_cp_second + {{ network_money }}
        when starts_with({{ measured }}.unit, 'CPU ')
        then {{ measured }}.value * price.money_per_cp_second + {{ network_money }}
    end as cost_money,

    -- time and machine
    {{ run }}.start_utc,
    {{ run }}.machine,
    {{ run }}.mq_level,
    {{ run }}.git_revision,
    {{ run }}.is_compared and coalesce(
        {{ measured }}.value_high - {{ measured }}.value_low
        <= 2 * {{ usual_noise_percent() }} / 100 * {{ measured }}.value,
        true
    ) as is_compared,
    {{ run }}.source_ids
{%- endmacro %}

{# What the network adds to the money of a figure of the whole run. #}
{% macro network_money(metric) -%}
    coalesce(
        case
            when starts_with({{ metric }}, 'cost_per_GB')
            then price.network_money / nullif(run.bytes / 1073741824, 0)
            when starts_with({{ metric }}, 'cost_per_transaction')
            then price.network_money / nullif(run.transactions, 0)
            when
                {{ metric }} in ('cpu_seconds', 'workload_seconds', 'workload_seconds_after_offload')
            then price.network_money
        end,
        0
    )
{%- endmacro %}
