{{ config(tags=['catalogue']) }}
-- The comments are what a reader of the published file sees; persist_docs must have written them.
{% set marts = [
    "dim_configuration", "dim_metric", "fct_by_factor", "fct_by_file_size",
    "fct_cost_by_address_space", "fct_machine_comparison", "fct_measurement",
    "fct_per_file_overhead", "fct_run", "fct_run_against_model", "fct_run_against_published",
    "fct_run_cpu", "fct_run_explanation", "fct_run_output", "fct_run_part", "fct_run_refused",
    "fct_run_resource",
] %}

{{ undescribed_columns(marts) }}
