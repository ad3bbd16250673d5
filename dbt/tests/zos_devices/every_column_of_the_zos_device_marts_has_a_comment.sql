-- The comments are what a reader of the published file sees; persist_docs must have written them.
{% set marts = [
    "fct_cf_delay_interval", "fct_cf_interval", "fct_cf_request_interval",
    "fct_cf_structure_use_interval", "fct_crypto_card_interval", "fct_crypto_operation_interval",
    "fct_data_set_interval", "fct_hardware_interval", "fct_hardware_processor_interval",
    "fct_volume_interval",
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
