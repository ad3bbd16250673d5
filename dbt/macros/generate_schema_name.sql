{# Use schema names as configured (staging, intermediate, marts), without the target's prefix. Models of
   a team's own project are in the schema `team`, so no mart of ours can ever have the name of one. #}
{% macro generate_schema_name(custom_schema_name, node) -%}
    {%- set is_ours = node.package_name == "perfhouse" or node.package_name.startswith("no_team_") -%}
    {{ (custom_schema_name or target.schema) | trim if is_ours else "team" }}
{%- endmacro %}
