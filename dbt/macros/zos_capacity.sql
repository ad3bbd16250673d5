{# Shared by the models of capacity. #}

{# The mean of a column over intervals, weighted by their length; intervals without a value are left out. #}
{% macro weighted_mean(column) -%}
    sum({{ column }} * interval_seconds)
    / nullif(sum(interval_seconds) filter (where {{ column }} is not null), 0)
{%- endmacro %}
