{# Ratios of counts. Each is NULL when its denominator is zero or NULL: nothing was measured. #}

{% macro ratio(part, whole) -%}
    cast({{ part }} as double) / nullif({{ whole }}, 0)
{%- endmacro %}

{% macro percent(part, whole) -%}
    100 * cast({{ part }} as double) / nullif({{ whole }}, 0)
{%- endmacro %}

{% macro per_second(count, seconds) -%}
    cast({{ count }} as double) / nullif({{ seconds }}, 0)
{%- endmacro %}

{# Microseconds of each of `count` events that took `seconds` in total. #}
{% macro average_us(seconds, count) -%}
    1e6 * ({{ seconds }}) / nullif({{ count }}, 0)
{%- endmacro %}

{# Millions of bytes a second. #}
{% macro mb_per_second(bytes, seconds) -%}
    cast({{ bytes }} as double) / 1e6 / nullif({{ seconds }}, 0)
{%- endmacro %}

{# The sum of the terms, taking NULL (not recorded) as zero; NULL when all of them are. #}
{% macro total(terms) -%}
    case
        when coalesce({{ terms | join(", ") }}) is not null
            then {% for term in terms %}coalesce({{ term }}, 0){{ " + " if not loop.last }}{% endfor %}
    end
{%- endmacro %}
