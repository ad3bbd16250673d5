{# What teams' own projects add to our marts (docs/team-models.md). #}

{# The start of a model `team_metrics`: its columns. One call of `metric` per metric follows. #}
{% macro metrics() -%}
select
    cast(null as varchar) as origin,
    cast(null as varchar) as run_id,
    cast(null as varchar) as metric,
    cast(null as double) as value,
    cast(null as double) as value_low,
    cast(null as double) as value_high,
    cast(null as varchar) as unit,
    cast(null as boolean) as more_is_better,
    cast(null as varchar) as formula
where false
{%- endmacro %}

{# A metric: a query for origin, run_id and value, at most one row per run. more_is_better: true, false,
   or none if neither is better. is_exact: whether nothing of it is a share of an interval; otherwise the
   query has the least and the most that it can be, value_low and value_high (docs/cost-method.md). #}
{% macro metric(name, unit, more_is_better=none, formula="", is_exact=false) -%}
union all by name
select
    origin,
    run_id,
    {{ quoted(name) }} as metric,
    {%- for column, sql in (exact("value") if is_exact else with_bounds("value")).items() %}
    cast({{ sql }} as double) as {{ column }},
    {%- endfor %}
    {{ quoted(unit) }} as unit,
    cast({{ "null" if more_is_better is none else more_is_better }} as boolean) as more_is_better,
    {{ quoted(formula) }} as formula
from ({{ caller() }})
{%- endmacro %}

{# A text in SQL. #}
{% macro quoted(text) -%}
'{{ text | string | replace("'", "''") }}'
{%- endmacro %}
