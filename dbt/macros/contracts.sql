{# Check a model's columns against its contract. dbt's own macro also asks DuckDB for the types in the
   contract, and compares columns pair by pair. That is needed only if the types differ, or are not
   spelled as DuckDB spells them. #}
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
