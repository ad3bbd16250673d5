{# Begin and end the one transaction of a build in DuckLake (app/pipeline/dbt_lake.py). After a failure
   everything is as it was. #}
{% macro begin_build() %}
  {{ return("begin" if builds_in_lake() and target.disable_transactions else "") }}
{% endmacro %}

{% macro end_build(results) %}
  {% if not execute or not builds_in_lake() or not target.disable_transactions %}{{ return("") }}{% endif %}
  {% set failed = results | selectattr("status", "in", ["error", "fail", "runtime error"]) | list %}
  {{ return("rollback" if failed else "commit") }}
{% endmacro %}

{# The strategy `whole` replaces all rows of a table in DuckLake. Making another table and dropping the
   first would change the schema, after which the whole catalog is read again, twice. A changed model
   is always followed by a full build, which drops all tables first. #}
{% macro get_incremental_whole_sql(arguments) %}
    delete from {{ arguments["target_relation"] }};
    insert into {{ arguments["target_relation"] }} by name
    select * from {{ arguments["temp_relation"] }};
{% endmacro %}

{# The tables and views of a schema in DuckLake, from its catalog. dbt-duckdb asks DuckDB's own list, for
   which DuckLake looks up the size of each table of both catalogs. #}
{% macro duckdb__list_relations_without_caching(schema_relation) %}
  {% if not builds_in_lake() or schema_relation.database != target.database %}
    {{ return(dbt.duckdb__list_relations_without_caching(schema_relation)) }}
  {% endif %}
  {% set catalog = "__ducklake_metadata_" ~ target.database %}
  {% set query %}
    select '{{ target.database }}' as database, name, '{{ schema_relation.schema }}' as schema, type
    from (
      select schema_id, table_name as name, 'table' as type, end_snapshot from {{ catalog }}.ducklake_table
      union all
      select schema_id, view_name, 'view', end_snapshot from {{ catalog }}.ducklake_view
    ) as made
    join {{ catalog }}.ducklake_schema as room using (schema_id)
    where
      made.end_snapshot is null and room.end_snapshot is null
      and room.schema_name = '{{ schema_relation.schema }}'
  {% endset %}
  {{ return(run_query(query)) }}
{% endmacro %}
