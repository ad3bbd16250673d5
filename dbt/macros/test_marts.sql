{# The marts of a folder, or all: for tests that read several. Written by `python -m scripts.marts`. #}
{% macro marts(area=none) -%}
    {%- set by_area = {
    "health": [
        "fct_health_interval"
    ],
    "lake": [
        "dim_load",
        "fct_arrival",
        "fct_completeness",
        "fct_data_issue",
        "fct_last_night",
        "fct_pipeline_day",
        "fct_pipeline_step"
    ],
    "mq": [
        "fct_application_cost",
        "fct_buffer_pool_interval",
        "fct_cf_structure_interval",
        "fct_channel_initiator_interval",
        "fct_channel_initiator_task_interval",
        "fct_channel_initiator_task_type_interval",
        "fct_channel_interval",
        "fct_db2_request_interval",
        "fct_log_write_interval",
        "fct_page_set_interval",
        "fct_protected_access_hour",
        "fct_queue_accounting",
        "fct_queue_interval",
        "fct_queue_manager_interval",
        "fct_smds_interval",
        "fct_task_accounting",
        "fct_task_message_manager"
    ],
    "published": [
        "dim_published_anomaly",
        "dim_published_configuration",
        "dim_published_document",
        "dim_published_table",
        "fct_published_claim",
        "fct_published_measurement"
    ],
    "rmf_report": [
        "fct_rmf_report_day",
        "fct_rmf_report_figure"
    ],
    "runs": [
        "dim_configuration",
        "dim_metric",
        "fct_address_space_measurement",
        "fct_by_factor",
        "fct_by_file_size",
        "fct_claim_on_runs",
        "fct_comparison",
        "fct_cost_by_address_space",
        "fct_figure",
        "fct_machine_comparison",
        "fct_measurement",
        "fct_per_file_overhead",
        "fct_print_on_runs",
        "fct_published_match",
        "fct_relative_measurement",
        "fct_run",
        "fct_run_address_space",
        "fct_run_against_model",
        "fct_run_against_published",
        "fct_run_class",
        "fct_run_coverage",
        "fct_run_explanation",
        "fct_run_hardware",
        "fct_run_output",
        "fct_run_part",
        "fct_run_price",
        "fct_run_refused",
        "fct_run_report_class",
        "fct_run_resource",
        "fct_run_sample",
        "fct_run_session",
        "fct_run_system",
        "fct_run_total",
        "fct_run_verdict",
        "fct_run_workload",
        "fct_series_level",
        "fct_source_measurement",
        "fct_system_measurement",
        "fct_transfer"
    ],
    "usage": [
        "fct_usage_hour"
    ],
    "zos_capacity": [
        "fct_lpar_capacity_day",
        "fct_lpar_capacity_interval",
        "fct_machine_capacity_month",
        "fct_system_hour"
    ],
    "zos_cpu": [
        "fct_address_space_interval",
        "fct_cpu_reconciliation",
        "fct_lpar_interval",
        "fct_mq_rmf_interval",
        "fct_processor_interval",
        "fct_report_class_interval",
        "fct_service_class_period_interval",
        "fct_sysplex_cpu_interval",
        "fct_ziip_interval"
    ],
    "zos_devices": [
        "fct_cf_delay_interval",
        "fct_cf_interval",
        "fct_cf_request_interval",
        "fct_cf_structure_use_interval",
        "fct_crypto_card_interval",
        "fct_crypto_operation_interval",
        "fct_data_set_interval",
        "fct_hardware_interval",
        "fct_hardware_processor_interval",
        "fct_volume_interval"
    ]
} -%}
    {{ return(by_area[area] if area else by_area.values() | sum(start=[])) }}
{%- endmacro %}
