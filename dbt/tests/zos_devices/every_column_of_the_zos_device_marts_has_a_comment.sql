{{ config(tags=['catalogue']) }}
-- The comments are what a reader of the published file sees; persist_docs must have written them.
{% set marts = [
    "fct_cf_delay_interval", "fct_cf_interval", "fct_cf_request_interval",
    "fct_cf_structure_use_interval", "fct_crypto_card_interval", "fct_crypto_operation_interval",
    "fct_data_set_interval", "fct_hardware_interval", "fct_hardware_processor_interval",
    "fct_volume_interval",
] %}

{{ undescribed_columns(marts) }}
