{# Whether a model's columns are those of its contract. dbt's own macro asks DuckDB for the types of the
   contract too, and compares the columns in pairs. Only if the types are not spelled as DuckDB spells
   them, or differ, does it have to. #}
{% macro duckdb__get_assert_columns_equivalent(sql) %}
    {% set found = {} %}
    {% for column in adapter.get_column_schema_from_query(get_empty_subquery_sql(sql)) %}
        {% do found.update({column.name: column.dtype | lower}) %}
    {% endfor %}
    {% set declared = {} %}
    {% for name, column in model.columns.items() %}
        {% do declared.update({name: column.data_type | lower}) %}
    {% endfor %}
    {% if found != declared %}
        {{ return(assert_columns_equivalent(sql)) }}
    {% endif %}
{% endmacro %}
