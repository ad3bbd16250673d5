{# Use schema names as configured (staging, intermediate, marts), without the target's prefix. #}
{% macro generate_schema_name(custom_schema_name, node) -%}
    {{ (custom_schema_name or target.schema) | trim }}
{%- endmacro %}
