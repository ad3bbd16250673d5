{# Give an empty table in DuckLake one row, deleted at once, so that it has statistics.

   A table gets statistics with its first row. DuckLake does not remember that a table has none and asks
   its catalog again for every column, so that planning a query of a wide table takes a second. #}
{% macro note_statistics() %}
  {% if execute and builds_in_lake() and not is_incremental() %}
    {% if run_query("select count(*) from " ~ this).rows[0][0] == 0 %}
      {% set samples = {"BOOLEAN": "false", "VARCHAR": "''", "DATE": "'2000-01-01'", "TIMESTAMP": "'2000-01-01'"} %}
      {% set names, values = [], [] %}
      {% for name, type, is_nullable in run_query("select column_name, column_type, \"null\" from (describe " ~ this ~ ")").rows %}
        {% if is_nullable == "NO" or loop.first %}
          {% do names.append(adapter.quote(name)) %}
          {% do values.append("null" if is_nullable == "YES" else "[]" if type.endswith("[]") else samples.get(type, "0")) %}
        {% endif %}
      {% endfor %}
      insert into {{ this }} ({{ names | join(", ") }}) values ({{ values | join(", ") }});
      delete from {{ this }};
    {% endif %}
  {% endif %}
{% endmacro %}

{# The strategy `whole` replaces all rows of a table in DuckLake. Making another table and dropping the
   first would change the schema, after which the whole catalog is read again, twice. A changed model
   is always followed by a full build, which drops all tables first. #}
{% macro get_incremental_whole_sql(arguments) %}
    delete from {{ arguments["target_relation"] }};
    insert into {{ arguments["target_relation"] }} by name
    select * from {{ arguments["temp_relation"] }};
{% endmacro %}
