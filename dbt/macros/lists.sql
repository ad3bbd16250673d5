{# Totals of repeated fields, which raw tables store as lists. #}

{% macro list_total(list) -%}
    cast(list_sum({{ list }}) as bigint)
{%- endmacro %}

{% macro table_total(table) -%}
    cast(list_sum(flatten({{ table }})) as bigint)
{%- endmacro %}

{# Total seconds of a list of durations; NULL if one of them is below zero. #}
{% macro list_seconds(intervals) -%}
    case
        when list_min({{ intervals }}) >= interval 0 second
            then list_sum(list_transform({{ intervals }}, lambda duration: epoch(duration)))
    end
{%- endmacro %}

{# Total seconds of a list of lists of durations. #}
{% macro table_seconds(intervals) -%}
    {{ list_seconds("flatten(" ~ intervals ~ ")") }}
{%- endmacro %}
