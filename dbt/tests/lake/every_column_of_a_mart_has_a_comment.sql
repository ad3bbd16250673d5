{{ config(enabled=not builds_in_lake()) }}
-- Readers of the published file see these comments. They show that persist_docs wrote them.
with
    mart(table_name, relation) as (

        values
            {%- for mart in marts() %}
                ('{{ mart }}', '{{ ref(mart) }}'){{ "," if not loop.last }}
            {%- endfor %}

    )

select mart.table_name, columns.column_name
from mart
left join
    duckdb_columns() as columns
    on mart.table_name = columns.table_name
    and columns.schema_name = 'marts'
    and columns.database_name = '{{ target.database }}'
where columns.comment is null or not regexp_matches(columns.comment, 'Unit: .+\. Source: .+\.')
