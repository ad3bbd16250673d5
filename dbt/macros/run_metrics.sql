{# Metrics: figures of runs and their parts as rows. #}

{# The values of several columns as rows (metric, value), from pairs (metric, column). #}
{% macro metric_rows(pairs) -%}
    unnest(
        [
            {%- for metric, column in pairs %}
            {'metric': '{{ metric }}', 'value': cast({{ column }} as double)}
            {{- "," if not loop.last }}
            {%- endfor %}
        ],
        recursive := true
    )
{%- endmacro %}

{# The columns of cpu_columns() that are metrics, as (metric, column). #}
{% macro cpu_metrics() -%}
    {{ return([
        ("cpu_seconds", "cpu_seconds"),
        ("general_purpose_seconds", "general_purpose_seconds"),
        ("ziip_eligible_seconds", "eligible_seconds"),
        ("cost_per_GB", "cost_per_gb"),
        ("cost_per_GB_after_offload", "cost_per_gb_after_offload"),
        ("cost_per_transaction", "cost_per_transaction_us"),
        ("cost_per_transaction_after_offload", "cost_per_transaction_after_offload_us"),
        ("ziip_share", "ziip_share_percent"),
        ("ziips_needed", "ziips_needed"),
    ]) }}
{%- endmacro %}

{# The figures of resources other than processors, as (metric, column of fct_run_total, resource,
   expression over its events, seconds, bytes and run_seconds). #}
{% macro resource_figures() -%}
    {{ return([
        ("dasd_response_time", "dasd_response_us", "DASD", average_us("seconds", "events")),
        ("cf_service_time", "cf_service_us", "CF", average_us("seconds", "events")),
        ("log_write_latency", "log_write_us", "MQ log", average_us("seconds", "events")),
        ("log_physical_bytes", "log_bytes", "MQ log", "bytes"),
        (
            "log_physical_rate", "log_bytes_per_second", "MQ log",
            per_second("bytes", "run_seconds"),
        ),
        ("NETTIME", "nettime_ms", "network", average_us("seconds", "events") ~ " / 1000"),
    ]) }}
{%- endmacro %}

{# Totals over all objects of a resource, by the columns in `by`: events, seconds, cpu_seconds,
   bytes and run_seconds. `verb` distinguishes MQ verbs. #}
{% macro resources_used(by) -%}
    (
        select
            {% for column in by %}
            used.{{ column }},
            {% endfor %}
            used.resource,
            if(used.resource = 'MQ verb', used.part, null) as verb,
            {{ sum_of_events("used.events", "used.events") }} as events,
            {{ sum_of_events("used.busy_seconds", "used.events") }} as seconds,
            {{ sum_of_events("used.cpu_seconds", "used.events") }} as cpu_seconds,
            {{ sum_of_events("used.bytes_moved", "used.events") }} as bytes,
            any_value(run.seconds) as run_seconds
        from {{ runs(ref('fct_run_resource')) }} as used
        inner join {{ runs(ref('fct_run')) }} as run using (origin, run_id)
        where
            case used.resource
                when 'DASD' then used.part = 'response'
                -- All operations of a card include these.
                when 'crypto' then used.part <> 'RSA key generation'
                else true
            end
        group by all
    )
{%- endmacro %}

{# The columns of a mart of measurements; those in `of` say which part of the run they measure. #}
{% macro measurement_columns(run, measured, of=[]) -%}
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
    {{ measured }}.unit,
    {{ measured }}.more_is_better,
    {{ measured }}.is_given,

    -- time and machine
    {{ run }}.start_utc,
    {{ run }}.machine,
    {{ run }}.mq_level,
    {{ run }}.git_revision,
    {{ run }}.is_compared,
    {{ run }}.source_ids
{%- endmacro %}
