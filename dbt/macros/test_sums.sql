{# What tests of sums share. #}

{# Columns with the sums of measures over parts, for `sums_differ`, and the loads of the parts. #}
{% macro sums(measures) -%}
    list(distinct source_id) as source_ids,
    {% for measure in measures %}
    sum({{ measure }}) as {{ measure }},
    sum(abs({{ measure }})) as {{ measure }}_size,
    count({{ measure }}) = count(*) as {{ measure }}_known{{ "," if not loop.last }}
    {% endfor %}
{%- endmacro %}

{# After a full join: whether one side has no row, or parts that are all known do not add up to the
   total. #}
{% macro sums_differ(parts, total, measures) -%}
    {{ parts }}.origin is null
    or {{ total }}.origin is null
    {% for measure in measures %}
    or {{ parts }}.{{ measure }}_known and {{ differs(
        parts ~ "." ~ measure, total ~ "." ~ measure, parts ~ "." ~ measure ~ "_size"
    ) }}
    {% endfor %}
{%- endmacro %}

{# Whether two sums over the same rows differ: by more than 1e-9 of the sum of their absolute values,
   `size`, because the order in which large numbers of both signs are added matters. NULL counts as 0;
   infinity never differs. #}
{% macro differs(left, right, size="0") -%}
    isfinite(coalesce({{ left }}, 0) - coalesce({{ right }}, 0))
    and abs(coalesce({{ left }}, 0) - coalesce({{ right }}, 0)) > 1e-9 * greatest(
        abs(coalesce({{ left }}, 0)), abs(coalesce({{ right }}, 0)), coalesce({{ size }}, 0), 1
    )
{%- endmacro %}
