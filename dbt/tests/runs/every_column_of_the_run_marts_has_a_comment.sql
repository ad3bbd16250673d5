-- The comments are what a reader of the published file sees; persist_docs must have written them.
{% set marts = [
    "dim_configuration", "dim_metric", "fct_measurement", "fct_run", "fct_run_cpu",
    "fct_run_refused",
] %}

{{ undescribed_columns(marts) }}
