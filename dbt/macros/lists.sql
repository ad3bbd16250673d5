{# Totals of repeated fields, which raw tables store as lists. #}

{% macro list_total(list) -%}
    cast(list_sum({{ list }}) as bigint)
{%- endmacro %}

{% macro table_total(table) -%}
    cast(list_sum(flatten({{ table }})) as bigint)
{%- endmacro %}

{# Total seconds of a list of durations. #}
{% macro list_seconds(intervals) -%}
    list_sum(list_transform({{ intervals }}, lambda duration: epoch(duration)))
{%- endmacro %}

{# Total seconds of a list of lists of durations. #}
{% macro table_seconds(intervals) -%}
    {{ list_seconds("flatten(" ~ intervals ~ ")") }}
{%- endmacro %}
