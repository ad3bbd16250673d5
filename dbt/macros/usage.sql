{# Shared by the models of hourly usage. #}

{# The figures of an hour, in the order of ingest/lake/rolled.py. #}
{% macro usage_measures() -%}
    {{ return([
        "interval_seconds", "general_purpose_seconds", "ziip_seconds", "ziip_on_cp_seconds",
        "eligible_seconds", "service_units", "highest_long_term_average_msu", "transactions",
        "mqi_calls", "messages_put", "gets", "log_bytes_written", "messages", "bytes_sent", "bytes_received",
    ]) }}
{%- endmacro %}

{# A sum, or NULL if a value is unknown; for highest_..., the maximum of the known values. #}
{% macro known_total(measure) -%}
    {%- if measure.startswith("highest_") -%}
    cast(max({{ measure }}) as double)
    {%- else -%}
    cast(case when count({{ measure }}) = count(*) then sum({{ measure }}) end as double)
    {%- endif -%}
{%- endmacro %}
