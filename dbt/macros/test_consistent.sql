{# Generic test of everything that must hold within one model, in a single query: dbt takes longer
   to start a test than DuckDB takes to run it.

   grain       columns that identify a row; NULLs count as equal
   unique      further lists of columns that identify a row
   not_null    columns that are never NULL (marts have contract constraints instead)
   values      column -> its allowed values; NULL passes
   references  column -> {to: relation, field: column} that must contain its values; NULL passes
   rates       columns whose `<column>_per_second` times interval_seconds equals the column
   identities  "left = right", equal to within a relative 1e-9; NULL on either side passes

   Returns one row per fact that does not hold, with the number of rows that break it. #}
{% test consistent(
    model, grain, unique=[], not_null=[], values={}, references={}, rates=[], identities=[]
) %}

{%- set facts = [] -%}
{%- for columns in [grain] + unique -%}
    {%- set listed = columns | join(", ") -%}
    {%- do facts.append((
        "one row per " ~ listed,
        "count(*) - count(distinct row(" ~ listed ~ "))",
    )) -%}
{%- endfor -%}
{%- for column in not_null -%}
    {%- do facts.append((column ~ " is not null", "count_if(" ~ column ~ " is null)")) -%}
{%- endfor -%}
{%- for column, known in values.items() -%}
    {%- set listed = "('" ~ known | join("', '") ~ "')" -%}
    {%- do facts.append((
        column ~ " in " ~ listed,
        "count_if(" ~ column ~ " not in " ~ listed ~ ")",
    )) -%}
{%- endfor -%}
{%- for column, target in references.items() -%}
    {%- set found = "select " ~ target["field"] ~ " from " ~ target["to"] -%}
    {%- do facts.append((
        column ~ " in (" ~ found ~ ")",
        "count_if(" ~ column ~ " not in (" ~ found ~ "))",
    )) -%}
{%- endfor -%}
{%- set equations = identities | list -%}
{%- for rate in rates -%}
    {%- do equations.append(rate ~ "_per_second * interval_seconds = " ~ rate) -%}
{%- endfor -%}
{%- for equation in equations -%}
    {%- set left, right = equation.split(" = ") -%}
    {%- do facts.append((
        equation,
        "count_if(abs((" ~ left ~ ") - (" ~ right ~ "))"
        ~ " > 1e-9 * greatest(abs(" ~ left ~ "), abs(" ~ right ~ "), 1))",
    )) -%}
{%- endfor -%}

select *
from (
    select
        unnest([
            {%- for fact, broken in facts %}
            {
                'fact': '{{ fact | replace("'", "''") }}',
                'rows_that_break_it': {{ broken }}
            }{{ "," if not loop.last }}
            {%- endfor %}
        ], recursive := true)
    from {{ model }}
)
where rows_that_break_it > 0

{% endtest %}
