{# All marts, by folder: for tests that read all of them. A test compares the list with the models. #}
{% macro marts() -%}
    {{ return([
        "dim_load", "fct_data_issue",
        "fct_application_cost", "fct_buffer_pool_interval", "fct_cf_structure_interval",
        "fct_channel_initiator_interval", "fct_channel_initiator_task_interval",
        "fct_channel_initiator_task_type_interval", "fct_channel_interval",
        "fct_db2_request_interval", "fct_log_write_interval", "fct_page_set_interval",
        "fct_queue_accounting", "fct_queue_interval", "fct_queue_manager_interval",
        "fct_smds_interval", "fct_task_accounting", "fct_task_message_manager",
        "dim_published_anomaly", "dim_published_configuration", "dim_published_document",
        "fct_published_claim", "fct_published_comparison", "fct_published_measurement",
        "fct_rmf_report_figure",
        "dim_configuration", "dim_metric", "fct_by_factor", "fct_by_file_size",
        "fct_cost_by_address_space", "fct_figure", "fct_machine_comparison", "fct_measurement",
        "fct_per_file_overhead", "fct_run", "fct_run_against_model", "fct_run_against_published",
        "fct_run_coverage", "fct_run_cpu", "fct_run_explanation", "fct_run_output", "fct_run_part",
        "fct_run_refused", "fct_run_resource",
        "fct_address_space_interval", "fct_cpu_reconciliation", "fct_lpar_interval",
        "fct_processor_interval", "fct_report_class_interval",
        "fct_service_class_period_interval", "fct_sysplex_cpu_interval", "fct_ziip_interval",
        "fct_lpar_capacity_day", "fct_lpar_capacity_interval",
        "fct_cf_delay_interval", "fct_cf_interval", "fct_cf_request_interval",
        "fct_cf_structure_use_interval", "fct_crypto_card_interval",
        "fct_crypto_operation_interval", "fct_data_set_interval", "fct_hardware_interval",
        "fct_hardware_processor_interval", "fct_volume_interval",
    ]) }}
{%- endmacro %}
