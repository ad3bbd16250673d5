{# Refuse to run on the working database itself (in its lake), or on a copy whose raw views may show
   only some days. #}
{% macro refuse_unfinished() %}
  {% if execute and target.name == "copy" %}
    {% set folder = modules.re.sub("[^/]*$", "", env_var("PERFHOUSE_WORK")) or "./" %}
    {% if run_query("select 1 from glob('" ~ folder | replace("'", "''") ~ "raw/_schema/*') limit 1").rows %}
      {% do exceptions.raise_compiler_error(
          env_var("PERFHOUSE_WORK") ~ " is the working database of a warehouse, which only 'perfhouse build'"
          " may change: copy it out of the lake, and name the copy (docs/dbt.md)"
      ) %}
    {% endif %}
    {% set whole = run_query(
        "select 1 from duckdb_tables() where database_name = 'work' and schema_name = 'meta'"
        " and table_name = 'build'"
    ) %}
    {% if not whole.rows %}
      {% do exceptions.raise_compiler_error(
          env_var("PERFHOUSE_WORK") ~ " holds no finished build of perfhouse: run 'perfhouse build', then copy"
          " work.duckdb of the lake again (docs/dbt.md)"
      ) %}
    {% endif %}
  {% endif %}
{% endmacro %}
