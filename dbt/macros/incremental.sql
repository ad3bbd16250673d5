{# How models are built incrementally.

   `perfhouse build` works out the days that new and forgotten loads have records for, and writes
   them to meta.build_day: one row per load and range of its records on one day. The column
   `distance` is 0 for days to rebuild, and 1 or 2 for neighbouring days, which are only read (see
   app/pipeline/days.py). The raw views show only those ranges.

   by_day   replaces the rows of the rebuilt days. A row belongs to the day of its record
            (source_id, record_no). A model reads tables through days(...), which also says how many
            days on either side the model needs, for example for a window over time.
   by_run   replaces the rows of the runs in int_runs__rebuilt and deletes the rows of runs that no
            longer exist. A model reads tables through runs(...).

   whole    replaces all rows, in DuckLake (macros/lake.sql).

   Models that summarise all runs, configurations or systems are tables, always rebuilt in full. #}

{# dbt's own macro looks up the model's table, which unit tests do not have. #}
{% macro is_incremental() %}
    {% set keeps_rows = config.get("incremental_strategy") != "whole" %}
    {{ return(not builds_all_days() and keeps_rows and dbt.is_incremental()) }}
{% endmacro %}

{# Replace the table of an incremental model, which dbt would otherwise leave as it is. #}
{% macro should_full_refresh() %}
    {{ return(builds_all_days() or dbt.should_full_refresh()) }}
{% endmacro %}

{# The rows of a relation whose records belong to the rebuilt days or to up to `around` days on
   either side. In a full build, all rows. #}
{% macro days(relation, around=0) -%}
    {%- if is_incremental() -%}
    (select * from {{ relation }} as kept where {{ in_days("kept", around) }})
    {%- else -%}
    {{ relation }}
    {%- endif -%}
{%- endmacro %}

{# The rows of a relation that belong to the rebuilt runs. In a full build, all rows. #}
{% macro runs(relation) -%}
    {%- set rebuilt = ref("int_runs__rebuilt") if not builds_all_days() -%}
    {%- if is_incremental() -%}
    (select * from {{ relation }} semi join {{ rebuilt }} using (origin, run_id))
    {%- else -%}
    {{ relation }}
    {%- endif -%}
{%- endmacro %}

{# Whether a row's record belongs to a rebuilt day, or to one up to `around` days away. #}
{% macro in_days(alias, around=0) -%}
    exists (
        select 1 from work.meta.build_day as build_day
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
    {% set intermediate = target.database ~ ".intermediate" %}
    delete from {{ arguments["target_relation"] }} as kept
    where
        exists (
            select 1 from {{ intermediate }}.int_runs__rebuilt as rebuilt
            where rebuilt.origin = kept.origin and rebuilt.run_id = kept.run_id
        )
        or not exists (
            select 1 from {{ intermediate }}.int_runs__run as run
            where run.origin = kept.origin and run.run_id = kept.run_id
        );
    insert into {{ arguments["target_relation"] }} by name
    select * from {{ arguments["temp_relation"] }};
{% endmacro %}

{# A changed model is always followed by a full build (app/pipeline/build.py), so an incremental build
   has no changed columns. dbt would compare them in pairs, which takes longer than all the SQL. #}
{% macro process_schema_changes(on_schema_change, source_relation, target_relation) %}
    {{ return([]) }}
{% endmacro %}
