{{ config(tags=['catalogue']) }}
-- The comments are what a reader of the published file sees; persist_docs must have written them.
{% set marts = [
    "dim_load", "fct_application_cost", "fct_buffer_pool_interval", "fct_cf_structure_interval",
    "fct_channel_initiator_interval", "fct_channel_initiator_task_interval",
    "fct_channel_initiator_task_type_interval", "fct_channel_interval", "fct_db2_request_interval",
    "fct_log_write_interval", "fct_page_set_interval", "fct_queue_accounting",
    "fct_queue_interval", "fct_queue_manager_interval", "fct_smds_interval",
    "fct_task_accounting", "fct_task_message_manager",
] %}

{{ undescribed_columns(marts) }}
