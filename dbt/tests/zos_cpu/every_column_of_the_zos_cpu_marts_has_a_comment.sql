{{ config(tags=['catalogue']) }}
-- The comments are what a reader of the published file sees; persist_docs must have written them.
{% set marts = [
    "fct_address_space_interval", "fct_cpu_reconciliation", "fct_lpar_interval",
    "fct_processor_interval", "fct_report_class_interval", "fct_service_class_period_interval",
    "fct_sysplex_cpu_interval", "fct_ziip_interval",
] %}

{{ undescribed_columns(marts) }}
