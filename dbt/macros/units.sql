{# Conversions between what MQ records and the units of the warehouse. #}

{# Seconds of a duration. #}
{% macro seconds(interval) -%}
    epoch({{ interval }})
{%- endmacro %}

{# A 64-bit counter as BIGINT. Beyond 2^53 it is damage, not a count: NULL, so that one bad byte
   cannot overflow a sum over good records. The raw table still has it. #}
{% macro unsigned(counter) -%}
    case when {{ counter }} between 0 and 9007199254740991 then cast({{ counter }} as bigint) end
{%- endmacro %}

{# Microseconds of a duration. #}
{% macro microseconds(interval) -%}
    epoch_us({{ interval }})
{%- endmacro %}

{# A time of online monitoring: -1, stored without a sign, says that monitoring is off. #}
{% macro monitored_us(interval) -%}
    nullif(epoch_us({{ interval }}), 4294967295)
{%- endmacro %}

{# Bytes of 4 KB pages, buffers or control intervals. #}
{% macro page_bytes(pages) -%}
    {{ pages }} * 4096
{%- endmacro %}
