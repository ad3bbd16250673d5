{# The verdict on a value by the limits of a row. A figure as near to its limit as a ten-thousandth keeps
   it, as records are rounded. #}
{% macro health_verdict(value, bound) -%}
    case
        {% for verdict in ["alarm", "warning"] -%}
        when if({{ bound }}.is_below, -1, 1) * ({{ value }} - {{ bound }}.{{ verdict }})
            > 1e-4 * abs({{ bound }}.{{ verdict }}) then '{{ verdict }}'
        {% endfor -%}
        else 'within'
    end
{%- endmacro %}
