{# Ratios of counts. Each is NULL if its denominator is zero or NULL: nothing was measured. #}

{% macro ratio(part, whole) -%}
    cast({{ part }} as double) / nullif({{ whole }}, 0)
{%- endmacro %}

{% macro percent(part, whole) -%}
    100 * cast({{ part }} as double) / nullif({{ whole }}, 0)
{%- endmacro %}

{% macro per_second(count, seconds) -%}
    cast({{ count }} as double) / nullif({{ seconds }}, 0)
{%- endmacro %}

{# Average microseconds per event, for `count` events that took `seconds` in total. #}
{% macro average_us(seconds, count) -%}
    1e6 * ({{ seconds }}) / nullif({{ count }}, 0)
{%- endmacro %}

{# MB per second. #}
{% macro mb_per_second(bytes, seconds) -%}
    cast({{ bytes }} as double) / 1048576 / nullif({{ seconds }}, 0)
{%- endmacro %}

{# The sum of the terms, counting NULL (not recorded) as zero; NULL if all terms are NULL. #}
{% macro total(terms) -%}
    case
        when coalesce({{ terms | join(", ") }}) is not null
            then {% for term in terms %}coalesce({{ term }}, 0){{ " + " if not loop.last }}{% endfor %}
    end
{%- endmacro %}
