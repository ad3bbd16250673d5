{# What a claim is about, from the figures that it compares: value, ratio and so on (`method`). #}
{% macro claim_value(method, candidate, baseline, scale) -%}
    case {{ method }}
        when 'value' then {{ candidate }} * {{ scale }}
        when 'maximum' then {{ candidate }} * {{ scale }}
        when 'difference' then ({{ candidate }} - {{ baseline }}) * {{ scale }}
        when 'ratio' then {{ ratio(candidate, baseline) }}
        when 'percent_of' then {{ percent(candidate, baseline) }}
        when 'percent_change' then {{ percent(candidate ~ " - " ~ baseline, baseline) }}
        when 'percent_change_size'
            then abs({{ percent(candidate ~ " - " ~ baseline, baseline) }})
        when 'percent_lower' then {{ percent(baseline ~ " - " ~ candidate, baseline) }}
    end
{%- endmacro %}

{# What a relative change of a mean by 1 changes that by, in the unit of the claim. #}
{% macro claim_size(method, candidate, baseline, scale) -%}
    abs(case
        when {{ method }} in ('value', 'maximum', 'difference') then {{ candidate }} * {{ scale }}
        when {{ method }} = 'ratio' then {{ ratio(candidate, baseline) }}
        else {{ percent(candidate, baseline) }}
    end)
{%- endmacro %}
