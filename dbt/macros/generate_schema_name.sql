{# Use schema names as configured (staging, intermediate, marts), without the target's prefix. Models of
   a team's own project, and what stands in for them, are in the schema `team`, so no mart of ours can
   ever have the name of one. #}
{% macro generate_schema_name(custom_schema_name, node) -%}
    {{ (custom_schema_name or target.schema) | trim if node.package_name == "perfhouse" else "team" }}
{%- endmacro %}
