{# Conversions from the units of MQ records to those of the warehouse. KB, MB and GB are 2^10, 2^20
   and 2^30 bytes in all marts, as in IBM's manuals and the published documents. #}

{# A duration in seconds; NULL if it is below zero. #}
{% macro seconds(interval) -%}
    case when {{ interval }} >= interval 0 second then epoch({{ interval }}) end
{%- endmacro %}

{# A 64-bit counter as BIGINT. A value beyond 2^53 is corrupt and becomes NULL, so that one bad byte
   cannot overflow a sum over good records. The raw table keeps the value. #}
{% macro unsigned(counter) -%}
    case when {{ counter }} between 0 and 9007199254740991 then cast({{ counter }} as bigint) end
{%- endmacro %}

{# A duration in microseconds. #}
{% macro microseconds(interval) -%}
    epoch_us({{ interval }})
{%- endmacro %}

{# Bytes in a number of 4 KB pages, buffers or control intervals. #}
{% macro page_bytes(pages) -%}
    {{ pages }} * 4096
{%- endmacro %}
