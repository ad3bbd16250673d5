{# What the MQ models share. #}

{# The thread correlator, the same from either source: the moment of connection in microseconds
   since 1900 (13 hexadecimal digits) and the two addresses that follow it (8 digits each).
   A queue block holds it as 16 bytes, a task block as the three fields it is made of. #}
{% macro thread_id(started_at, address_1, address_2) -%}
    format('{:013X}', epoch_us({{ started_at }}) + 2208988800000000)
    || hex({{ address_1 }})
    || hex({{ address_2 }})
{%- endmacro %}

{% macro thread_id_of_correlator(correlator) -%}
    substr(hex({{ correlator }}), 1, 13) || substr(hex({{ correlator }}), 17, 16)
{%- endmacro %}

{# The documented name of a code value; the number itself where the manual has none. #}
{% macro label_of(code, table, column) -%}
    coalesce(
        (
            select min(known.label)
            from {{ ref("stg_lake__code") }} as known
            where known.table_name = '{{ table }}'
                and known.column_name = '{{ column }}'
                and known.code = cast({{ code }} as varchar)
        ),
        cast({{ code }} as varchar)
    )
{%- endmacro %}

{# Columns with which every row of a mart says where it came from. #}
{% macro record_columns(alias) -%}
    {{ alias }}.origin,
    {{ alias }}.source_id,
    {{ alias }}.record_no,
    {{ alias }}.system_id,
    {{ alias }}.queue_manager,
    {{ alias }}.mq_level
{%- endmacro %}

{% macro interval_columns(alias) -%}
    {{ alias }}.interval_start_utc,
    {{ alias }}.interval_end_utc,
    {{ alias }}.interval_seconds,
    {{ alias }}.utc_offset_minutes
{%- endmacro %}
