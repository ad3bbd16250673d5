-- The comments are what a reader of the published file sees; persist_docs must have written them.
{% set marts = [
    "fct_address_space_interval", "fct_cpu_reconciliation", "fct_lpar_interval",
    "fct_processor_interval", "fct_report_class_interval", "fct_service_class_period_interval",
    "fct_sysplex_cpu_interval", "fct_ziip_interval",
] %}

with mart (table_name, relation) as (

    values
    {% for mart in marts %}
    ('{{ mart }}', '{{ ref(mart) }}'){{ "," if not loop.last }}
    {% endfor %}

)

select
    mart.table_name,
    columns.column_name
from mart
left join duckdb_columns() as columns
    on
        mart.table_name = columns.table_name
        and columns.schema_name = 'marts'
        and columns.database_name = current_database()
where
    columns.comment is null
    or not regexp_matches(columns.comment, 'Unit: .+\. Source: .+\.')
