{# Comment on a model and its columns in one statement. dbt's default macro queries the columns
   twice first. A described column that does not exist fails the model. An incremental build keeps
   the table, and so its comments. #}
{% macro duckdb__persist_docs(relation, model, for_relation, for_columns) %}
  {% if not is_incremental() %}
    {% set comments %}
      {% if for_relation and config.persist_relation_docs() and model.description %}
        comment on {{ relation.type }} {{ relation }} is {{ duckdb_escape_comment(model.description) }};
      {% endif %}
      {% if for_columns and config.persist_column_docs() %}
        {% for column in model.columns.values() if column.description %}
          comment on column {{ relation }}.{{ adapter.quote(column.name) }}
          is {{ duckdb_escape_comment(column.description) }};
        {% endfor %}
      {% endif %}
    {% endset %}
    {% if comments | trim %}
      {% call statement("comments") %}{{ comments }}{% endcall %}
    {% endif %}
  {% endif %}
{% endmacro %}
