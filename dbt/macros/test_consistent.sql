{# Generic test of everything that must hold within one model, in a single query: dbt takes longer
   to start a test than DuckDB takes to run it.

   Data should never make it fail: a failure means a bug in a model, and the build then does without the
   loads that show it (app/pipeline/broken.py).

   grain       columns that identify a row; NULLs count as equal. Records can contradict each other,
               so several may claim one interval, which the audit reports; one record never has two rows
   unique      further lists of columns that identify a row
   not_null    columns that are never NULL (marts have contract constraints instead)
   values      column -> its allowed values; NULL passes
   references  column -> {to: relation, field: column} that must contain its values; NULL passes
   rates       columns whose `<column>_per_second` times interval_seconds equals the column
   identities  "left = right", equal to within 1e-9 of the greatest number in it, because differences
               of large numbers are inexact; NULL on either side passes, and so does infinity

   Returns one row per fact that does not hold: how many rows break it, and a query for these, which runs
   only then. #}
{% test consistent(
    model, grain, unique=[], not_null=[], values={}, references={}, rates=[], identities=[]
) %}

{%- set facts, keys = [], [] -%}
{%- for columns in [grain] + unique -%}
    {%- set listed = columns | join(", ") -%}
    {%- if "interval_start_utc" in columns -%}
        {#- beside other conditions, DuckDB 2.0 takes it in no aggregate #}
        {%- set key = "_key_" ~ keys | length -%}
        {%- do keys.append(
            "row(*columns('^(source_id|record_no|" ~ columns | join("|") ~ ")$')) as " ~ key
        ) -%}
        {%- set fact = "one row of a record per " ~ listed -%}
    {%- else -%}
        {%- set key = "row(" ~ listed ~ ")" -%}
        {%- set fact = "one row per " ~ listed -%}
    {%- endif -%}
    {%- do facts.append((
        fact,
        "count(*) - count(distinct " ~ key ~ ")",
        "qualify count(*) over (partition by " ~ key ~ ") > 1",
    )) -%}
{%- endfor -%}
{%- set broken_where = [] -%}
{%- for column in not_null -%}
    {%- do broken_where.append((column ~ " is not null", column ~ " is null")) -%}
{%- endfor -%}
{%- for column, known in values.items() -%}
    {%- set listed = "('" ~ known | join("', '") ~ "')" -%}
    {%- do broken_where.append((column ~ " in " ~ listed, column ~ " not in " ~ listed)) -%}
{%- endfor -%}
{%- for column, target in references.items() -%}
    {%- set known = "(select " ~ target["field"] ~ " from " ~ target["to"] ~ ")" -%}
    {%- do broken_where.append((column ~ " in " ~ known, column ~ " not in " ~ known)) -%}
{%- endfor -%}
{%- set equations = identities | list -%}
{%- for rate in rates -%}
    {%- do equations.append(rate ~ "_per_second * interval_seconds = " ~ rate) -%}
{%- endfor -%}
{%- for equation in equations -%}
    {%- set left, right = equation.split(" = ") -%}
    {%- set sizes = ["1", "abs(" ~ left ~ ")", "abs(" ~ right ~ ")"] -%}
    {#- names, without those of functions and moments #}
    {%- for column in modules.re.findall("\\b[a-z][a-z0-9_]*\\b(?!\\()", equation) -%}
        {%- if not column.endswith("_utc") -%}
            {%- do sizes.append("abs(" ~ column ~ ")") -%}
        {%- endif -%}
    {%- endfor -%}
    {%- set difference = "(" ~ left ~ ") - (" ~ right ~ ")" -%}
    {%- do broken_where.append((
        equation,
        "isfinite(" ~ difference ~ ") and abs(" ~ difference ~ ")"
        ~ " > 1e-9 * greatest(" ~ sizes | join(", ") ~ ")",
    )) -%}
{%- endfor -%}
{%- for fact, condition in broken_where -%}
    {%- do facts.append((fact, "count_if(" ~ condition ~ ")", "where " ~ condition)) -%}
{%- endfor -%}
{%- set rows = "(select " ~ (["*"] + keys) | join(", ") ~ " from " ~ model ~ ")" -%}

select *
from (
    select
        unnest([
            {%- for fact, broken, which in facts %}
            {
                'fact': '{{ fact | replace("'", "''") }}',
                'rows_that_break_it': {{ broken }},
                'rows_query': '{{ ("from " ~ rows ~ " " ~ which) | replace("'", "''") }}'
            }{{ "," if not loop.last }}
            {%- endfor %}
        ], recursive := true)
    from {{ rows }}
)
where rows_that_break_it > 0

{% endtest %}

{# Name, after a run, the models and facts of the tests that failed: dbt counts their rows only. #}
{% macro name_broken_facts(results) %}
    {%- for result in results if execute and not builds_in_lake() and result.failures and "rows_query" in result.node.compiled_code -%}
        {%- for row in run_query(result.node.compiled_code) -%}
            {%- do log(
                result.node.name ~ ": " ~ row.get("model", "") ~ ": " ~ row["rows_that_break_it"] ~ " rows break: "
                ~ row["fact"], info=true
            ) -%}
        {%- endfor -%}
    {%- endfor -%}
{% endmacro %}

{# The same for several models in one query, as dbt takes longer to start a test than DuckDB to run it.
   Each says in its YAML, in config.meta.consistent, what holds: the arguments of `consistent`, with
   names of models in `references`. `also` lists models that are referred to but not in `names`.

   In a copy, models that have not been built yet are left out.

   Returns the same rows, with their model. #}
{% macro consistent_models(names, also=[]) -%}
{%- set relations, built = {}, [] -%}
{%- for name in names + also -%}
    {%- do relations.update({name: ref(name)}) -%}
    {%- if execute -%}
        {%- set node = graph.nodes.get("model.perfhouse." ~ name) -%}
        {%- set is_inlined = node and node.config.materialized == "ephemeral" -%}
        {%- if is_inlined or load_relation(relations[name]) -%}
            {%- do built.append(name) -%}
        {%- endif -%}
    {%- endif -%}
{%- endfor -%}
{%- for name in names if name in built %}
    {%- set facts = graph.nodes["model.perfhouse." ~ name].config.meta.consistent -%}
    {%- set references = {} -%}
    {%- for column, target in facts.get("references", {}).items() if target["to"] in built -%}
        {%- do references.update(
            {column: {"to": relations[target["to"]], "field": target["field"]}}
        ) -%}
    {%- endfor %}
select '{{ name }}' as model, *
from ({{ test_consistent(
    relations[name], facts["grain"], facts.get("unique", []), facts.get("not_null", []),
    facts.get("values", {}), references, facts.get("rates", []), facts.get("identities", [])
) }})
{{ "union all" if not loop.last }}
{%- else %}
select '' as model, '' as fact, 0 as rows_that_break_it, '' as rows_query where false
{%- endfor %}
{%- endmacro %}
