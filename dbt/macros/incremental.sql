{# How models are built in increments.

   `perfhouse build` finds out which days the loads that are new, and those that were forgotten,
   have records of. It writes the table meta.build_day: one row per load and range of its records of
   one day, with `distance`: 0 for days that are built again, 1 and 2 for the days next to them, which
   are only read. (See app/pipeline/days.py.) The views of raw show those ranges and nothing else.

   by_day   replaces the rows of the days that are built again. A row belongs to the day of its
            record (source_id, record_no). A model reads tables through days(...), and says there how
            many days on either side it also needs: for a window over time, for example.
   by_run   replaces the rows of the runs in int_runs__rebuilt, and drops those of runs that are gone.
            A model reads tables through runs(...).

   Models that summarise all runs, configurations or systems are tables, built as a whole. #}

{# Rows of a relation whose records belong to the days that are built again, or to up to `around`
   days on either side. All its rows in a build of the whole. #}
{% macro days(relation, around=0) -%}
    {%- if is_incremental() -%}
    (select * from {{ relation }} as kept where {{ in_days("kept", around) }})
    {%- else -%}
    {{ relation }}
    {%- endif -%}
{%- endmacro %}

{# Rows of a relation that belong to the runs that are built again. All its rows in a build of the
   whole. #}
{% macro runs(relation) -%}
    {%- set rebuilt = ref("int_runs__rebuilt") -%}
    {%- if is_incremental() -%}
    (select * from {{ relation }} semi join {{ rebuilt }} using (origin, run_id))
    {%- else -%}
    {{ relation }}
    {%- endif -%}
{%- endmacro %}

{% macro in_days(alias, around=0) -%}
    exists (
        select 1 from meta.build_day as build_day
        where
            build_day.source_id = {{ alias }}.source_id
            and {{ alias }}.record_no between build_day.first_record_no and build_day.last_record_no
            and build_day.distance <= {{ around }}
    )
{%- endmacro %}

{% macro get_incremental_by_day_sql(arguments) %}
    delete from {{ arguments["target_relation"] }} as kept where {{ in_days("kept") }};
    insert into {{ arguments["target_relation"] }} by name
    select * from {{ arguments["temp_relation"] }} as built where {{ in_days("built") }};
{% endmacro %}

{% macro get_incremental_by_run_sql(arguments) %}
    {% set run = "intermediate.int_runs__run" %}
    delete from {{ arguments["target_relation"] }} as kept
    where
        exists (
            select 1 from intermediate.int_runs__rebuilt as rebuilt
            where rebuilt.origin = kept.origin and rebuilt.run_id = kept.run_id
        )
        or not exists (
            select 1 from {{ run }} as run
            where run.origin = kept.origin and run.run_id = kept.run_id
        );
    insert into {{ arguments["target_relation"] }} by name
    select * from {{ arguments["temp_relation"] }};
{% endmacro %}
